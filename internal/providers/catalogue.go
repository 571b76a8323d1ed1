package providers

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

//go:embed catalogue.json
var shipped []byte

// maxCatalogue bounds a refreshed catalogue.
const maxCatalogue = 16 << 20

// Capability is something a model can do besides text.
type Capability string

// The capabilities.
const (
	CanTools      Capability = "tools"
	CanVision     Capability = "vision"
	CanDocuments  Capability = "documents"
	CanAudio      Capability = "audio"
	CanReason     Capability = "reasoning"
	CanJSON       Capability = "json"
	CanCache      Capability = "cache"
	CanEmbed      Capability = "embeddings"
	CanTranscribe Capability = "transcription"
	CanSpeak      Capability = "speech"
)

// Entry is one model in the catalogue; zero and nil mean unknown.
type Entry struct {
	ID        string       `json:"id"` // provider/model
	Name      string       `json:"name,omitempty"`
	Context   int64        `json:"context,omitempty"`
	MaxOutput int64        `json:"max_output,omitempty"`
	Can       []Capability `json:"can,omitempty"`
	Aliases   []string     `json:"aliases,omitempty"` // other names at the same provider
	Prices    []Price      `json:"prices,omitempty"`  // by From, oldest first
	Pretend   bool         `json:"pretend,omitempty"` // nobody is ever charged these prices: they show how money is watched
}

// Provider is the part of the id before the first slash.
func (e *Entry) Provider() string {
	provider, _, _ := strings.Cut(e.ID, "/")
	return provider
}

// Model is the part of the id after the first slash: what the vendor calls it.
func (e *Entry) Model() string {
	_, model, _ := strings.Cut(e.ID, "/")
	return model
}

// Cans says whether the model has every capability.
func (e *Entry) Cans(all ...Capability) bool {
	for _, c := range all {
		if !slices.Contains(e.Can, c) {
			return false
		}
	}
	return true
}

// PriceAt is the price in force at a moment.
func (e *Entry) PriceAt(at time.Time) (Price, bool) {
	for _, p := range slices.Backward(e.Prices) {
		if !p.From.Time.After(at) {
			return p, true
		}
	}
	return Price{}, false
}

// Catalogue knows models and prices. Reading is lock-free; a refresh replaces
// the whole.
type Catalogue struct {
	current atomic.Pointer[index]

	mu        sync.Mutex // guards the fields below, and one change after the other
	base      []Entry    // as it was loaded
	overrides []Entry
}

type index struct {
	entries []Entry // sorted by id
	byID    map[string]int
}

// NewCatalogue reads the catalogue in the binary. Overrides win over it and over
// every refresh: a field they leave out is taken from what they override.
func NewCatalogue(overrides []Entry) (*Catalogue, error) {
	c := &Catalogue{overrides: overrides}
	if err := c.LoadShipped(); err != nil {
		return nil, fmt.Errorf("reading the catalogue in the binary: %w", err)
	}
	return c, nil
}

// Load replaces the catalogue; on an error the old one stays.
func (c *Catalogue) Load(r io.Reader) error {
	body, err := io.ReadAll(io.LimitReader(r, maxCatalogue))
	if err != nil {
		return fmt.Errorf("reading a catalogue: %w", err)
	}
	var file struct {
		Models []Entry `json:"models"`
	}
	if err := json.Unmarshal(body, &file); err != nil {
		return fault.New(fault.Invalid, "catalogue_invalid", "The catalogue cannot be read: %v.", err).WithHint("It is JSON: {\"models\":[{\"id\":\"provider/model\",…}]}.")
	}
	if len(file.Models) == 0 {
		return fault.New(fault.Invalid, "catalogue_invalid", "The catalogue has no models.").WithHint("It is JSON: {\"models\":[{\"id\":\"provider/model\",…}]}.")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.set(file.Models, c.overrides)
}

// Override replaces the overrides; on an error the old ones stay.
func (c *Catalogue) Override(overrides []Entry) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.set(c.base, overrides)
}

// LoadShipped goes back to the catalogue in the binary.
func (c *Catalogue) LoadShipped() error { return c.Load(bytes.NewReader(shipped)) }

// set is called with the lock held.
func (c *Catalogue) set(base, overrides []Entry) error {
	next, err := newIndex(merge(base, overrides))
	if err != nil {
		return err
	}
	c.base, c.overrides = base, overrides
	c.current.Store(next)
	return nil
}

// LoadFile replaces the catalogue from a file.
func (c *Catalogue) LoadFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("opening a catalogue: %w", err)
	}
	defer f.Close()
	return c.Load(f)
}

// LoadURL replaces the catalogue from an address.
func (c *Catalogue) LoadURL(ctx context.Context, client *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("fetching a catalogue: %w", err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("fetching a catalogue: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fault.New(fault.Upstream, "catalogue_unreachable", "The catalogue's address answered %s.", resp.Status)
	}
	return c.Load(resp.Body)
}

// All lists every model by id.
func (c *Catalogue) All() []Entry { return slices.Clone(c.current.Load().entries) }

// dated is the end of a model's name that only says which day's build it is.
var dated = regexp.MustCompile(`(-\d{8}|-\d{4}-\d{2}-\d{2}|@\d{8}|-latest)$`)

// Find looks a provider/model up; a dated build is found by its plain name. A
// model on this machine that is not listed costs nothing; any other stays
// unknown.
func (c *Catalogue) Find(id string) (Entry, bool) {
	ix := c.current.Load()
	if i, ok := ix.byID[id]; ok {
		return ix.entries[i], true
	}
	if plain := dated.ReplaceAllString(id, ""); plain != id {
		if i, ok := ix.byID[plain]; ok {
			return ix.entries[i], true
		}
	}
	provider, model, _ := strings.Cut(id, "/")
	if model != "" && isLocal(provider) && !strings.HasSuffix(model, "cloud") {
		return Entry{ID: id, Prices: []Price{Free()}}, true
	}
	return Entry{}, false
}

// MaxOutput is the longest answer of a provider's model; 0 means unknown.
func (c *Catalogue) MaxOutput(provider, model string) int64 {
	e, _ := c.Find(provider + "/" + model)
	return e.MaxOutput
}

// isLocal names the providers whose models run on one's own machine; vLLM is
// not among them because it usually runs on a rented one.
func isLocal(provider string) bool {
	return slices.Contains([]string{"demo", "scripted", "ollama", "lmstudio", "llamacpp"}, provider)
}

func newIndex(entries []Entry) (*index, error) {
	ix := &index{entries: entries, byID: make(map[string]int, len(entries))}
	slices.SortFunc(ix.entries, func(a, b Entry) int { return cmp.Compare(a.ID, b.ID) })
	for i := range ix.entries {
		e := &ix.entries[i]
		if e.Provider() == "" || e.Model() == "" {
			return nil, fault.New(fault.Invalid, "catalogue_invalid", "The model id %q is not provider/model.", e.ID)
		}
		if _, twice := ix.byID[e.ID]; twice {
			return nil, fault.New(fault.Invalid, "catalogue_invalid", "The model %q is listed twice.", e.ID)
		}
		slices.SortStableFunc(e.Prices, func(a, b Price) int { return a.From.Compare(b.From.Time) })
		ix.byID[e.ID] = i
	}
	for i := range ix.entries {
		for _, alias := range ix.entries[i].Aliases {
			id := ix.entries[i].Provider() + "/" + alias
			if _, taken := ix.byID[id]; !taken {
				ix.byID[id] = i
			}
		}
	}
	return ix, nil
}

func merge(base, overrides []Entry) []Entry {
	out := slices.Clone(base)
	for _, o := range overrides {
		i := slices.IndexFunc(out, func(e Entry) bool { return e.ID == o.ID })
		if i < 0 {
			out = append(out, o)
			continue
		}
		e := &out[i]
		e.Name, e.Context, e.MaxOutput = cmp.Or(o.Name, e.Name), cmp.Or(o.Context, e.Context), cmp.Or(o.MaxOutput, e.MaxOutput)
		if o.Can != nil {
			e.Can = o.Can
		}
		if o.Aliases != nil {
			e.Aliases = o.Aliases
		}
		if o.Prices != nil {
			e.Prices = slices.Clone(o.Prices)
		}
	}
	return out
}
