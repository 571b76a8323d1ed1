package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
)

// maxShelves bounds the workspaces whose agents are held in memory.
const maxShelves = 10_000

// shelf is the agents of one workspace, all layers put together. It does not change.
type shelf struct {
	agents map[string]Agent
	names  []string
	stamp  uint64               // another for other agents
	rows   map[string]row       // what the workspace itself keeps
	sub    *events.Subscription // hears of changes by other processes; nil: there are none
}

// state is what a workspace's row does to the layers beneath it.
type state string

const (
	live    state = "live"    // covers them
	deleted state = "deleted" // hides them
	reset   state = "reset"   // lets them through again
)

// row is a workspace's own layer of one agent.
type row struct {
	Name       string    `db:"name"`
	State      state     `db:"state"`
	Version    int       `db:"version"`
	Definition Agent     `db:"definition,json"`
	UpdatedAt  time.Time `db:"updated_at"`
}

// shelf gives a workspace's agents, read when they are first needed.
func (r *Roster) shelf(ctx context.Context, ws ids.Workspace) (*shelf, error) {
	r.mu.Lock()
	known, turn, base := r.shelves[ws], r.turn, r.base
	r.mu.Unlock()
	if known != nil {
		return known, nil
	}
	if r.opts.DB == nil {
		return r.only, nil
	}
	// Listening begins before reading: a change in between makes the turn another.
	listening := &ear{roster: r, ws: ws}
	var sub *events.Subscription
	if r.opts.Shared {
		var err error
		sub, err = r.opts.Hub.Subscribe(ctx, events.Request{Workspace: ws, Channels: []string{Channel}, Sink: listening})
		if err != nil { // the hub stops: what cannot be followed is not kept
			turn = never
		}
	}
	s, err := r.read(ctx, ws, base)
	if err != nil {
		closeSub(sub)
		return nil, err
	}
	s.sub = sub
	if !r.keep(ws, s, listening, turn) {
		closeSub(sub)
	}
	return s, nil
}

// never is a turn that does not come.
const never = ^uint64(0)

func (r *Roster) read(ctx context.Context, ws ids.Workspace, base map[string]Agent) (*shelf, error) {
	rows, err := store.All[row](ctx, r.opts.DB.Read(), selectRows, ws)
	if err != nil {
		return nil, fmt.Errorf("reading the agents of %s: %w", ws, err)
	}
	return newShelf(base, rows, r.contributed(ws)...)
}

func closeSub(sub *events.Subscription) {
	if sub != nil {
		sub.Close()
	}
}

// keep puts a shelf up unless something changed since it was begun. Too many
// are all taken down: those in use come back.
func (r *Roster) keep(ws ids.Workspace, s *shelf, listening *ear, turn uint64) bool {
	r.mu.Lock()
	full := len(r.shelves) >= maxShelves
	fits := r.turn == turn && !full && r.shelves[ws] == nil
	if fits {
		r.shelves[ws], listening.shelf = s, s
	}
	r.mu.Unlock()
	if full {
		r.forgetAll()
	}
	return fits
}

// forget has the agents of a workspace read anew.
func (r *Roster) forget(ws ids.Workspace) {
	r.mu.Lock()
	r.turn++
	old := r.shelves[ws]
	delete(r.shelves, ws)
	r.mu.Unlock()
	if old != nil {
		closeSub(old.sub)
	}
}

func (r *Roster) forgetAll() {
	r.mu.Lock()
	r.turn++
	old := slices.Collect(maps.Values(r.shelves))
	clear(r.shelves)
	r.mu.Unlock()
	for _, s := range old {
		closeSub(s.sub)
	}
}

// ear hears once that the agents of a workspace were changed; the shelf it
// belongs to is then read anew, with an ear of its own.
type ear struct {
	roster *Roster
	ws     ids.Workspace
	shelf  *shelf // guarded by Roster.mu; nil: not kept yet
}

var errHeard = errors.New("agents: heard")

// Write ends the subscription: what changed is read from the database.
func (e *ear) Write([][]byte) (int, error) { return 0, errHeard }

// Notice has nobody to tell.
func (e *ear) Notice(events.Notice) []byte { return nil }

// Closed takes the shelf down: something changed, or changes are no longer heard of.
func (e *ear) Closed(error) {
	r := e.roster
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn++
	if e.shelf != nil && r.shelves[e.ws] == e.shelf {
		delete(r.shelves, e.ws)
	}
}

// newShelf puts the layers over each other; what plugins give fills the names that are left.
func newShelf(base map[string]Agent, rows []row, given ...Agent) (*shelf, error) {
	s := &shelf{agents: maps.Clone(base), rows: make(map[string]row, len(rows))}
	for _, own := range rows {
		s.rows[own.Name] = own
		switch below, ok := s.agents[own.Name]; {
		case own.State == deleted:
			delete(s.agents, own.Name)
		case own.State == reset && ok:
			below.Version, below.UpdatedAt = own.Version, own.UpdatedAt
			s.agents[own.Name] = below
		case own.State == live:
			s.agents[own.Name] = own.agent()
		}
	}
	for _, a := range given {
		if _, taken := s.agents[a.Name]; !taken {
			s.agents[a.Name] = a
		}
	}
	s.names = slices.Sorted(maps.Keys(s.agents))
	h := fnv.New64a()
	enc := json.NewEncoder(h)
	for _, name := range s.names {
		if err := enc.Encode(s.agents[name]); err != nil {
			return nil, fmt.Errorf("stamping the agent %s: %w", name, err)
		}
	}
	s.stamp = h.Sum64()
	return s, nil
}

// agent is the definition that a row holds.
func (own row) agent() Agent {
	a := own.Definition
	a.Name, a.Origin, a.Version, a.UpdatedAt = own.Name, FromWorkspace, own.Version, own.UpdatedAt
	return a
}
