// Command gateway is our server with a fake of every vendor behind it, for the
// official clients to talk to.
//
// It prints one line of JSON, {"url","key","limited","control"}, and runs until
// standard input ends. The fakes are told what to answer next with
// POST {control}/{provider}, a list of replies as providerstest.Reply has them;
// GET {control}/{provider} shows the bodies that a fake has received, and
// GET {control}/ledger the rows of the ledger.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/kit/lifecycle"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/openai"
	"github.com/fluxway/fluxway/internal/providers/providerstest"
	"github.com/fluxway/fluxway/internal/providers/vendors"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/sqlite"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// bench stands in for a test: the fakes clean up when the program ends.
type bench struct {
	testing.TB
	undo []func()
}

// Cleanup keeps f for the end.
func (b *bench) Cleanup(f func()) { b.undo = append(b.undo, f) }

// Error shows what a fake did not like.
func (b *bench) Error(args ...any) { fmt.Fprintln(os.Stderr, args...) }

// Helper marks nothing.
func (b *bench) Helper() {}

func run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dir, err := os.MkdirTemp("", "fluxway-clients-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := new(bench)
	w, err := build(ctx, b, dir)
	if err != nil {
		return err
	}
	defer w.db.Close()
	var group lifecycle.Group
	group.Add("events", w.hub)
	group.Add("costs", w.ledger)
	group.Add("api", w.server)
	failed := make(chan error, 1)
	go func() { failed <- group.Run(ctx) }()
	addr, err := w.server.Addr(ctx)
	if err != nil {
		return errors.Join(err, <-failed)
	}
	control := httptest.NewServer(http.HandlerFunc(w.control))
	defer control.Close()
	text, err := json.Marshal(map[string]string{"url": "http://" + addr.String(), "key": w.key, "limited": w.limited, "control": control.URL})
	if err != nil {
		return err
	}
	fmt.Println(string(text))
	_, err = io.Copy(io.Discard, os.Stdin)
	for _, f := range b.undo {
		f()
	}
	cancel()
	return errors.Join(err, <-failed)
}

type world struct {
	db           *store.DB
	hub          *events.Hub
	ledger       *costs.Ledger
	server       *api.Server
	fakes        map[string]*providerstest.Fake
	ctx          context.Context // in which the owner of the keys calls
	key, limited string
}

func build(ctx context.Context, b *bench, dir string) (*world, error) {
	w := &world{}
	engine, err := sqlite.Open(filepath.Join(dir, "clients.db"))
	if err != nil {
		return nil, err
	}
	if w.db, err = store.New(store.Options{Engine: engine}); err != nil {
		return nil, err
	}
	if err := w.db.Migrate(ctx); err != nil {
		return nil, err
	}
	if w.hub, err = events.New(events.Options{DB: w.db}); err != nil {
		return nil, err
	}
	box, err := seal.OpenFile(filepath.Join(dir, "key"))
	if err != nil {
		return nil, err
	}
	directory, err := identity.New(identity.Options{DB: w.db, Box: box, Events: w.hub})
	if err != nil {
		return nil, err
	}
	if err := w.people(ctx, directory); err != nil {
		return nil, err
	}
	catalogue, err := providers.NewCatalogue(nil)
	if err != nil {
		return nil, err
	}
	if w.ledger, err = costs.New(costs.Options{DB: w.db, Hub: w.hub, Catalogue: catalogue, Sole: true}); err != nil {
		return nil, err
	}
	router, err := w.router(b, catalogue)
	if err != nil {
		return nil, err
	}
	w.server, err = api.New(api.Options{DB: w.db, Directory: directory, Hub: w.hub, Gateway: api.Everyone{All: router}, Listen: "127.0.0.1:0"})
	return w, err
}

// people makes a user with two keys; one may only read.
func (w *world) people(ctx context.Context, d *identity.Directory) error {
	if _, _, err := d.SetUpLocally(ctx, identity.Setup{Login: "clients", Password: "a long enough passphrase"}); err != nil {
		return err
	}
	who, err := d.LocalIdentity(ctx, "")
	if err != nil {
		return err
	}
	w.ctx = identity.With(ctx, who)
	_, key, err := d.CreateKey(w.ctx, identity.NewKey{Name: "clients"})
	if err != nil {
		return err
	}
	_, limited, err := d.CreateKey(w.ctx, identity.NewKey{Name: "limited", Scopes: []string{"conversations:read"}})
	w.key, w.limited = key.Reveal(), limited.Reveal()
	return err
}

// router puts a fake vendor behind every adapter. "chat" is an
// OpenAI-compatible server, "openai" speaks Responses.
func (w *world) router(b *bench, catalogue *providers.Catalogue) (*providers.Router, error) {
	w.fakes = map[string]*providerstest.Fake{
		"chat": providerstest.FakeOpenAI(b), "openai": providerstest.FakeOpenAI(b), "anthropic": providerstest.FakeAnthropic(b),
		"gemini": providerstest.FakeGemini(b), "ollama": providerstest.FakeOllama(b), "strict": providerstest.FakeOpenAI(b),
	}
	w.fakes["strict"].Accept("") // it takes no key, so that a refusal rests no account
	models := map[string]providers.Model{}
	for _, name := range []string{"chat", "openai", "anthropic", "gemini", "ollama", "strict", "demo"} {
		spec := vendors.Spec{Name: name, Catalogue: catalogue}
		switch name {
		case "demo":
		case "ollama", "anthropic":
			spec.BaseURL = w.fakes[name].URL
		case "gemini":
			spec.BaseURL = w.fakes[name].URL + "/v1beta"
		default:
			spec.BaseURL = w.fakes[name].URL + "/v1"
		}
		if name == "openai" {
			spec.API = openai.Responses
		}
		spec.Keyless = name == "strict"
		if name != "demo" && name != "ollama" && name != "strict" {
			spec.Accounts = providers.OneKey(name, secret.New(providerstest.FakeKey))
		}
		model, err := vendors.New(spec)
		if err != nil {
			return nil, err
		}
		models[name] = costs.Meter(w.ledger, name, model)
	}
	return providers.NewRouter(providers.RouterOptions{
		Providers: models, Catalogue: catalogue,
		Routes: []providers.Route{{Name: "fast", Targets: []providers.Target{{Model: "chat/gpt-test"}}}},
	})
}

func (w *world) control(out http.ResponseWriter, r *http.Request) {
	name := strings.Trim(r.URL.Path, "/")
	answer := func(v any, err error) {
		if err != nil {
			http.Error(out, err.Error(), http.StatusInternalServerError)
			return
		}
		_ = json.NewEncoder(out).Encode(v) // the test is gone
	}
	if name == "ledger" {
		list, err := w.ledger.Records(w.ctx, identity.From(w.ctx).Workspace, costs.Query{Query: page.Query{Limit: 500}})
		answer(list.Data, err)
		return
	}
	fake := w.fakes[name]
	if fake == nil {
		http.NotFound(out, r)
		return
	}
	if r.Method == http.MethodPost {
		var replies []providerstest.Reply
		if err := json.NewDecoder(r.Body).Decode(&replies); err != nil {
			http.Error(out, err.Error(), http.StatusBadRequest)
			return
		}
		fake.Will(replies...)
		return
	}
	bodies := []string{}
	for _, s := range fake.Seen() {
		bodies = append(bodies, string(s.Body))
	}
	answer(bodies, nil)
}
