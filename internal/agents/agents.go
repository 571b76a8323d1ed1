package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/suggest"
	"github.com/fluxway/fluxway/internal/store"
)

// Preset is the model of agents that name none, which depends on the accounts
// of the workspace.
type Preset func(ctx context.Context, ws ids.Workspace) (string, error)

// Always is the same model everywhere.
func Always(model string) Preset {
	return func(context.Context, ids.Workspace) (string, error) { return model, nil }
}

// Options are what a Roster needs.
type Options struct {
	DB    *store.DB    // required
	Hub   *events.Hub  // required
	Model Preset       // required
	Log   *slog.Logger // nil: silent
	// Settings are merge patches of the settings file, by name, over the presets; see Configure.
	Settings map[string]json.RawMessage
	// Known says whether a model can be asked; a definition that names another is
	// accepted with a warning. nil: nothing is known.
	Known func(ctx context.Context, ws ids.Workspace, model string) bool
	// Shared says that other processes change the same database.
	Shared bool
}

// Roster is the agents of this server: presets, over them the settings, over
// them what each workspace made or changed.
type Roster struct {
	opts Options
	log  *slog.Logger
	only *shelf // of every workspace, where there is no database

	mu      sync.Mutex // guards the fields below
	base    map[string]Agent
	shelves map[ids.Workspace]*shelf
	turn    uint64                               // counts what makes shelves stale, so that one read before is not kept
	given   map[ids.Workspace]map[string][]Agent // by plugins, by their names
}

// New makes a roster of the presets that nobody can change; model is what they use.
func New(model Preset) *Roster {
	r := &Roster{opts: Options{Model: model}, log: slog.New(slog.DiscardHandler)}
	r.base = presets()
	var err error
	if r.only, err = newShelf(r.base, nil); err != nil { // presets are always written
		panic(err)
	}
	return r
}

// Open makes a roster that workspaces can change.
func Open(opts Options) (*Roster, error) {
	if opts.DB == nil || opts.Hub == nil || opts.Model == nil {
		return nil, errors.New("agents: Options.DB, Hub and Model are required")
	}
	r := &Roster{opts: opts, log: opts.Log, shelves: map[ids.Workspace]*shelf{}}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	opts.DB.OnRestore(store.RestoreHook{Name: "agents", Done: func(context.Context) { r.forgetAll() }})
	return r, r.Configure(opts.Settings)
}

// Configure takes over what the settings say: for each name a merge patch over
// the preset of that name, or over an empty definition. On an error the old
// ones stay.
func (r *Roster) Configure(settings map[string]json.RawMessage) error {
	base, err := withSettings(presets(), settings)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.base = base
	r.mu.Unlock()
	r.forgetAll()
	return nil
}

// Get finds an agent of a workspace. One that the caller may not use is not found.
func (r *Roster) Get(ctx context.Context, ws ids.Workspace, name string) (Agent, error) {
	s, err := r.shelf(ctx, ws)
	if err != nil {
		return Agent{}, err
	}
	a, ok := s.agents[name]
	if !ok || !open(ctx, &a) {
		return Agent{}, notFound(ctx, s, name)
	}
	a = a.clone()
	if a.Model == "" {
		a.Model, err = r.opts.Model(ctx, ws)
	}
	return a, err
}

// List gives all agents of a workspace that the caller may use, by name.
func (r *Roster) List(ctx context.Context, ws ids.Workspace) ([]Agent, error) {
	list, _, err := r.view(ctx, ws)
	return list, err
}

// view is List with a stamp that is another once any agent is another.
func (r *Roster) view(ctx context.Context, ws ids.Workspace) ([]Agent, uint64, error) {
	s, err := r.shelf(ctx, ws)
	if err != nil {
		return nil, 0, err
	}
	list := make([]Agent, 0, len(s.agents))
	var model string
	for _, name := range s.names {
		a := s.agents[name]
		if !open(ctx, &a) {
			continue
		}
		if a = a.clone(); a.Model == "" {
			if model == "" {
				if model, err = r.opts.Model(ctx, ws); err != nil {
					return nil, 0, err
				}
			}
			a.Model = model
		}
		list = append(list, a)
	}
	return list, s.stamp, nil
}

// open says whether the caller may use the agent. Work of our own has no
// caller: it was judged when it was asked for.
func open(ctx context.Context, a *Agent) bool {
	id := identity.From(ctx)
	return id == nil || len(a.Users) == 0 || id.May("agents:write") ||
		slices.ContainsFunc(a.Users, func(u string) bool { return strings.EqualFold(u, id.Login) || u == string(id.User) })
}

func notFound(ctx context.Context, s *shelf, name string) error {
	f := fault.New(fault.NotFound, "agent_not_found", "There is no agent called %q.", cut(name, 64)).WithParam("agent")
	var names []string
	for _, n := range s.names {
		if a := s.agents[n]; open(ctx, &a) {
			names = append(names, n)
		}
	}
	if near, ok := suggest.Closest(name, names); ok {
		return f.WithHint("Did you mean %s?", near)
	}
	return f.WithHint("GET /api/v1/agents lists them.")
}

// Presets are the definitions in the binary and the settings, by name, as they
// are before a workspace changes them.
func (r *Roster) Presets() []Agent {
	base := r.beneath()
	list := make([]Agent, 0, len(base))
	for _, name := range slices.Sorted(maps.Keys(base)) {
		a := base[name]
		list = append(list, a.clone())
	}
	return list
}

func (r *Roster) beneath() map[string]Agent {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.base
}

// clone shares nothing with a, and writes lists without entries as such.
func (a Agent) clone() Agent {
	a.Tools.Allow, a.Tools.Deny, a.Helpers = listOf(a.Tools.Allow), listOf(a.Tools.Deny), listOf(a.Helpers)
	a.Users, a.Memory.Knowledge = slices.Clone(a.Users), slices.Clone(a.Memory.Knowledge)
	for _, p := range []**float64{&a.Params.Temperature, &a.Params.TopP} {
		if *p != nil {
			v := **p
			*p = &v
		}
	}
	return a
}

func listOf(texts []string) []string { return append([]string{}, texts...) }

// withSettings lays merge patches over the presets.
func withSettings(base map[string]Agent, settings map[string]json.RawMessage) (map[string]Agent, error) {
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		below, ok := base[name]
		if !ok {
			below = blank(name)
		}
		a, err := below.merged(settings[name])
		if err != nil {
			return nil, fmt.Errorf("the agent %s of the settings: %w", name, err)
		}
		a.Name, a.Origin = name, FromConfig
		if problems := a.check(); len(problems) > 0 {
			return nil, fmt.Errorf("the agent %s of the settings: %w", name, invalid(problems))
		}
		base[name] = a
	}
	return base, nil
}
