// Package local looks for model servers on this machine.
//
// In:    a request to look, made by a person or by set-up; nothing here runs by itself.
// Out:   the servers that answered, with their models, ready to be made providers.
// Keeps: nothing. Says: nothing.
// Not here: talking to them (ollama, openai).
package local

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/ollama"
	"github.com/fluxway/fluxway/internal/providers/openai"
	"github.com/fluxway/fluxway/internal/providers/wire"
)

// Options sets a search up.
type Options struct {
	Addresses map[string]string // base URLs that replace the usual ones, by provider (ollama, lmstudio, llamacpp, vllm)
	Timeout   time.Duration     // for each server; 0: 600 ms
	HTTP      *http.Client      // nil: wire.NewHTTP
}

// Found is a server that answered.
type Found struct {
	Provider string             `json:"provider"`
	Title    string             `json:"title"`
	BaseURL  string             `json:"base_url"`
	Models   []providers.Listed `json:"models"`
}

// Discover asks the usual addresses at once and lists the servers that
// answered; one that is not there is no error.
func Discover(ctx context.Context, opts Options) []Found {
	if opts.HTTP == nil {
		opts.HTTP = wire.NewHTTP()
		defer opts.HTTP.CloseIdleConnections()
	}
	candidates := servers(opts.Addresses)
	found := make([]*Found, len(candidates))
	var wg sync.WaitGroup
	for i, c := range candidates {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, cmp.Or(opts.Timeout, 600*time.Millisecond))
			defer cancel()
			found[i] = ask(ctx, c, opts.HTTP)
		})
	}
	wg.Wait()
	var out []Found
	for _, f := range found {
		if f != nil {
			out = append(out, *f)
		}
	}
	return out
}

func servers(addresses map[string]string) []Found {
	all := []Found{{Provider: ollama.Vendor, Title: "Ollama", BaseURL: ollama.DefaultBase}}
	for _, p := range openai.Presets() {
		if p.Local {
			all = append(all, Found{Provider: p.Name, Title: p.Title, BaseURL: p.BaseURL})
		}
	}
	for i := range all {
		all[i].BaseURL = cmp.Or(addresses[all[i].Provider], all[i].BaseURL)
	}
	return all
}

func ask(ctx context.Context, f Found, client *http.Client) *Found {
	lister, err := listerOf(f, client)
	if err != nil {
		return nil
	}
	models, err := lister.Models(ctx)
	if err != nil {
		return nil
	}
	slices.SortFunc(models, func(a, b providers.Listed) int { return strings.Compare(a.ID, b.ID) })
	f.Models = models
	return &f
}

func listerOf(f Found, client *http.Client) (providers.Lister, error) {
	if f.Provider == ollama.Vendor {
		return ollama.New(ollama.Options{BaseURL: f.BaseURL, HTTP: client})
	}
	return openai.New(openai.Options{Vendor: f.Provider, BaseURL: f.BaseURL, HTTP: client})
}
