package app

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/config"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/retry"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/observe"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/copilot"
	"github.com/fluxway/fluxway/internal/providers/demo"
	"github.com/fluxway/fluxway/internal/providers/openai"
	"github.com/fluxway/fluxway/internal/providers/vendors"
	"github.com/fluxway/fluxway/internal/providers/wire"
)

// modelsOptions are what a models needs.
type modelsOptions struct {
	Keeper    *providers.Keeper    // required
	Catalogue *providers.Catalogue // required; it follows the settings
	Loaded    *config.Loaded       // required
	Observe   *observe.Observe
	Log       *slog.Logger
	Observers []providers.Observer // hear of every attempt, besides spans
	// Around wraps each adapter, inside everything else; costs meters there. nil: nothing.
	Around func(provider string, m providers.Model) providers.Model
	Shared bool // other processes change the same database
	GitHub copilot.GitHub
	// Embed gives the meaning of a text, for the cache of answers; required if the settings switch it on.
	Embed  func(ctx context.Context, text string) ([]float32, error)
	Agents providers.Model // serves agents as models; nil: nobody does
}

// models is who serves models. A provider's keys in the settings are everyone's;
// a stored account is its workspace's own, used only for that workspace's calls
// and before the keys in the settings. So each workspace has a board: the
// shared adapters, and its own for the providers it has accounts of.
type models struct {
	opts     modelsOptions
	log      *slog.Logger
	http     *http.Client
	observer observers
	turn     chan struct{} // holds one token: boards are built one after the other
	fetch    chan struct{} // the catalogue is to be fetched

	// The holder of the turn changes the fields below.
	seats  map[seatKey]*seat
	logins map[string]providers.TokenSource // of other programs, by provider
	trades map[ids.Account]trade            // GitHub's tokens being exchanged

	mu      sync.RWMutex // guards the fields below
	cfg     config.Config
	origins map[string]config.Origin
	boards  map[ids.Workspace]*board
	signIns map[string]pendingSignIn
}

// board is what one workspace can ask.
type board struct {
	router *providers.Router
	seats  map[string]*seat
	table  map[string]providers.Model // of the router
	preset string
	stored []providers.StoredAccount
	built  time.Time
}

type seatKey struct {
	workspace ids.Workspace // "": everyone's
	provider  string
}

// seat is one provider with one pool of accounts.
type seat struct {
	shape   shape
	pool    *providers.Accounts
	adapter providers.Model
	model   providers.Model // the adapter with everything around it
	breaker *providers.Breaker
}

// shape is what an adapter is made of; another shape needs another adapter.
type shape struct {
	provider          config.Provider // without its keys
	retries           int
	firstTokenTimeout time.Duration
	cache             config.ModelCache
}

// trade is a GitHub token being exchanged; a replaced token needs another.
type trade struct {
	since  time.Time
	source providers.TokenSource
}

// boardLife is how long a board is believed when other processes may have
// changed the accounts.
const boardLife = 10 * time.Second

func newModels(ctx context.Context, opts modelsOptions) (*models, error) {
	if opts.Keeper == nil || opts.Catalogue == nil || opts.Loaded == nil {
		return nil, errors.New("app: modelsOptions needs Keeper, Catalogue and Loaded")
	}
	m := &models{
		opts: opts, log: opts.Log, http: wire.NewHTTP(), turn: make(chan struct{}, 1), fetch: make(chan struct{}, 1),
		observer: append(observers{spans{opts.Observe}}, opts.Observers...),
		seats:    map[seatKey]*seat{}, logins: map[string]providers.TokenSource{}, trades: map[ids.Account]trade{},
		boards: map[ids.Workspace]*board{}, signIns: map[string]pendingSignIn{},
	}
	if m.log == nil {
		m.log = slog.New(slog.DiscardHandler)
	}
	m.turn <- struct{}{}
	return m, m.configure(ctx, opts.Loaded.Config, opts.Loaded.Origins)
}

// configure takes other settings over; on an error the old ones stay.
func (m *models) configure(ctx context.Context, cfg config.Config, origins map[string]config.Origin) error {
	if err := m.enter(ctx); err != nil {
		return err
	}
	defer m.leave()
	if err := m.fillCatalogue(cfg.Models); err != nil {
		return err
	}
	m.mu.Lock()
	old, oldOrigins := m.cfg, m.origins
	m.cfg, m.origins = cfg, origins
	clear(m.boards)
	m.mu.Unlock()
	err := m.settle(ctx)
	if err != nil {
		m.mu.Lock()
		m.cfg, m.origins = old, oldOrigins
		clear(m.boards)
		m.mu.Unlock()
		err = errors.Join(err, m.fillCatalogue(old.Models))
	}
	return err
}

// settle builds what is everyone's: a route that cannot be built is said now,
// not at the first question.
func (m *models) settle(ctx context.Context) error {
	_, err := m.build(ctx, "", nil)
	return err
}

func (m *models) enter(ctx context.Context) error {
	select {
	case <-m.turn:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (m *models) leave() { m.turn <- struct{}{} }

func (m *models) settings() config.Config {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.cfg
}

// find is runs' way to a model: the workspace's router knows every name.
func (m *models) find(ctx context.Context, ws ids.Workspace, name string) (providers.Model, string, error) {
	b, err := m.board(ctx, ws)
	if err != nil {
		return nil, "", err
	}
	return b.router, name, nil
}

// preset is the model of agents that name none.
func (m *models) preset(ctx context.Context, ws ids.Workspace) (string, error) {
	b, err := m.board(ctx, ws)
	if err != nil {
		return "", err
	}
	return b.preset, nil
}

// board is what a workspace can ask, built when it is first needed.
func (m *models) board(ctx context.Context, ws ids.Workspace) (*board, error) {
	if b, ok := m.known(ws); ok {
		return b, nil
	}
	if err := m.enter(ctx); err != nil {
		return nil, err
	}
	defer m.leave()
	if b, ok := m.known(ws); ok {
		return b, nil
	}
	stored, err := m.opts.Keeper.List(ctx, ws, "")
	if err != nil {
		return nil, err
	}
	b, err := m.build(ctx, ws, stored)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.boards[ws] = b
	return b, nil
}

func (m *models) known(ws ids.Workspace) (*board, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	b, ok := m.boards[ws]
	return b, ok && (!m.opts.Shared || time.Since(b.built) < boardLife)
}

// forget has a workspace's board built anew: its accounts changed.
func (m *models) forget(ws ids.Workspace) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.boards, ws)
}

// forgetAll has every board built anew: the whole database may be another.
func (m *models) forgetAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.boards)
}

func (m *models) build(ctx context.Context, ws ids.Workspace, stored []providers.StoredAccount) (*board, error) {
	cfg := m.settings()
	b := &board{seats: map[string]*seat{}, table: map[string]providers.Model{}, stored: stored, built: time.Now()}
	owned := map[string]bool{}
	for _, a := range stored {
		owned[a.Provider] = true
	}
	for _, name := range needed(cfg, owned) {
		if p, ok := cfg.Providers[name]; ok && !p.Enabled {
			b.table[name] = switchedOff{name}
			continue
		}
		s, err := m.seat(ctx, ws, name, owned[name])
		if err != nil {
			return nil, err
		}
		b.seats[name], b.table[name] = s, s.model
	}
	if m.opts.Agents != nil {
		b.table[agentProvider] = m.opts.Agents
	}
	b.preset = presetOf(cfg, b.seats)
	var err error
	b.router, err = m.newRouter(b.table, cfg, b.preset)
	return b, err
}

func (m *models) newRouter(table map[string]providers.Model, cfg config.Config, preset string) (*providers.Router, error) {
	return providers.NewRouter(providers.RouterOptions{
		Providers: table, Catalogue: m.opts.Catalogue, Routes: routes(cfg.Models), Upgrades: cfg.Models.Upgrades, Default: preset, Observer: m.observer,
	})
}

// needed are the providers of a board: those with settings or accounts, those
// that the settings lead to, so that asking them says what is missing, and the
// demonstration.
func needed(cfg config.Config, owned map[string]bool) []string {
	names := map[string]bool{demo.Vendor: true}
	for name := range cfg.Providers {
		names[name] = true
	}
	for name := range owned {
		if _, known := vendors.Find(name); known {
			names[name] = true
		}
	}
	lead := func(target string) {
		if provider, _, ok := strings.Cut(target, "/"); ok {
			names[provider] = true
		}
	}
	lead(cfg.Models.Default)
	for _, r := range cfg.Models.Routes {
		for _, target := range r.Targets {
			lead(target)
		}
	}
	for _, to := range cfg.Models.Upgrades {
		lead(to)
	}
	return slices.Sorted(maps.Keys(names))
}

func routes(cfg config.Models) []providers.Route {
	var all []providers.Route
	for _, name := range slices.Sorted(maps.Keys(cfg.Routes)) {
		r := providers.Route{Name: name, Choose: providers.Choice(cfg.Routes[name].Choose)}
		for _, target := range cfg.Routes[name].Targets {
			r.Targets = append(r.Targets, providers.Target{Model: target, Weight: cfg.Routes[name].Weights[target]})
		}
		all = append(all, r)
	}
	return all
}

// seat gives a provider with the right pool. One that is there already keeps its
// adapter, its connections and the health of its accounts.
func (m *models) seat(ctx context.Context, ws ids.Workspace, name string, owned bool) (*seat, error) {
	cfg := m.settings()
	settings := cfg.Providers[name]
	accounts := m.everyones(name, settings)
	key := seatKey{provider: name}
	if owned {
		key.workspace = ws
		own, err := m.own(ctx, ws, name)
		if err != nil {
			return nil, err
		}
		accounts = distinct(append(own, accounts...))
	}
	want := shape{provider: settings, retries: cfg.Models.Retries, firstTokenTimeout: cfg.Models.FirstTokenTimeout.Std(), cache: cfg.Models.Cache}
	want.provider.Key, want.provider.Keys, want.provider.KeyFile = secret.Text{}, nil, ""
	if s := m.seats[key]; s != nil && reflect.DeepEqual(s.shape, want) {
		s.pool.Set(accounts)
		return s, nil
	}
	s := &seat{shape: want, pool: providers.NewAccounts(name)}
	if old := m.seats[key]; old != nil {
		s.pool = old.pool
	}
	s.pool.Set(accounts)
	var err error
	if s.adapter, err = m.adapter(name, settings, s.pool); err != nil {
		return nil, err
	}
	s.breaker = providers.NewBreaker(providers.FirstTokenTimeout(m.watched(name, s.adapter), want.firstTokenTimeout), providers.BreakerOptions{Provider: name})
	if s.model, err = m.remembering(want.cache, providers.Retry(s.breaker, retry.Policy{Attempts: want.retries + 1})); err != nil {
		return nil, err
	}
	m.seats[key] = s
	return s, nil
}

// remembering is a model that gives an answer again, if the settings say so. People do not share answers.
func (m *models) remembering(cfg config.ModelCache, model providers.Model) (providers.Model, error) {
	if !cfg.Enabled {
		return model, nil
	}
	return providers.NewSemanticCache(model, providers.SemanticCacheOptions{
		Embed: m.opts.Embed, Threshold: float64(cfg.Likeness) / 100, Size: cfg.Size, Life: cfg.Life.Std(),
		Scope: func(ctx context.Context) string {
			if by := costs.From(ctx); by.Workspace != "" {
				return string(by.Workspace) + " " + string(by.User)
			}
			return ""
		},
	})
}

// watched is an adapter whose every attempt is counted and told.
func (m *models) watched(name string, adapter providers.Model) providers.Model {
	if m.opts.Around != nil {
		adapter = m.opts.Around(name, adapter)
	}
	return providers.Observe(adapter, name, m.observer)
}

// demoPace is the pause after each word of the demonstration: a pace one can read.
const demoPace = 18 * time.Millisecond

func (m *models) adapter(name string, p config.Provider, pool *providers.Accounts) (providers.Model, error) {
	spec := vendors.Spec{
		Name: name, BaseURL: p.BaseURL, API: openai.API(p.API), Accounts: pool, Catalogue: m.opts.Catalogue, HTTP: m.http, Keyless: p.Keyless, Pace: demoPace,
	}
	for k, v := range p.Headers {
		if spec.Header == nil {
			spec.Header = map[string]string{}
		}
		spec.Header[k] = v.Reveal()
	}
	return vendors.New(spec)
}

// switchedOff stands for a provider that the settings switched off, so that a
// route falls through to its next target.
type switchedOff struct{ name string }

// Stream refuses.
func (s switchedOff) Stream(context.Context, *providers.Request) (providers.Stream, error) {
	f := fault.New(fault.Unavailable, providers.CodeUnavailable, "%s is switched off in the settings.", s.name).
		WithHint("Set providers.%s.enabled to true, or choose another model.", s.name)
	f.Retryable = false
	return nil, f
}
