package mcp

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

// server is one server, with a link per person where each signs in and one for all otherwise.
// Lock order: server.mu, then link.mu.
type server struct {
	m      *Manager
	key    key
	plugin string // that gives it; "": none
	log    ring

	pinning sync.Mutex // held while pins are read, decided and written

	mu      sync.Mutex // guards the fields below
	def     Definition
	created time.Time
	updated time.Time
	links   map[ids.User]*link
	pins    []pin
	names   map[string]string // what agents call a tool, by what the server calls it
	loaded  bool
	listed  time.Time // when the server last said what it has
	problem string    // why its tools are not in the toolbox
}

func newServer(m *Manager, k key, def Definition) *server {
	return &server{m: m, key: k, def: def, links: map[ids.User]*link{}}
}

// fresh is how long what a server said it has is believed.
const fresh = time.Minute

func (s *server) definition() Definition {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.def
}

func (s *server) current(at time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.updated.Equal(at)
}

// redefine takes over another definition; what is connected with the old one ends.
func (s *server) redefine(def Definition, at time.Time) {
	s.mu.Lock()
	s.def, s.updated, s.loaded, s.listed = def, at, false, time.Time{}
	s.mu.Unlock()
	s.stop(StateIdle, "")
	s.m.changed(tools.UpstreamChanged{Workspace: s.key.ws, Prompts: true, Resources: true})
}

// link gives the connection that a person's calls take.
func (s *server) link(user ids.User) *link {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.def.SignIn {
		user = ""
	}
	l, ok := s.links[user]
	if !ok {
		l = &link{s: s, user: user, state: StateIdle, since: time.Now(), changing: make(chan struct{}, 1)}
		s.links[user] = l
	}
	return l
}

func (s *server) each() []*link {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*link, 0, len(s.links))
	for _, l := range s.links {
		list = append(list, l)
	}
	return list
}

// stop ends every connection and waits until it has ended.
func (s *server) stop(state State, reason string) {
	var wg sync.WaitGroup
	for _, l := range s.each() {
		wg.Go(func() { l.stop(state, reason) })
	}
	wg.Wait()
}

// rest ends what was not used for a while; it starts again when it is needed.
func (s *server) rest(now time.Time, idle time.Duration) {
	if idle < 0 {
		return
	}
	for _, l := range s.each() {
		if l.unusedSince(now.Add(-idle)) {
			s.m.wg.Go(func() { l.stop(StateIdle, "Nobody used it for a while.") })
		}
	}
}

// unmet says whether nobody knows yet what the server has.
func (s *server) unmet() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pins) == 0 && !s.def.Disabled && !s.def.SignIn && s.listed.IsZero()
}

// load reads the pins and offers the tools, once.
func (s *server) load(ctx context.Context) error {
	s.mu.Lock()
	loaded := s.loaded
	s.mu.Unlock()
	if loaded {
		return nil
	}
	s.pinning.Lock()
	defer s.pinning.Unlock()
	pins, err := s.readPins(ctx, s.m.opts.DB.Read())
	if err != nil {
		return err
	}
	s.offer(pins)
	return nil
}

func (s *server) readPins(ctx context.Context, q store.Querier) ([]pin, error) {
	pins, err := store.All[pin](ctx, q, selectPins, s.key.ws, s.key.name)
	if err != nil {
		return nil, fmt.Errorf("reading the tools of server %s: %w", s.key.name, err)
	}
	return pins, nil
}

// offer puts the tools that are agreed to into the toolbox.
func (s *server) offer(pins []pin) {
	s.mu.Lock()
	def := s.def
	s.mu.Unlock()
	names, taken := map[string]string{}, map[string]bool{}
	var list []tools.Tool
	for _, p := range pins {
		name := toolName(def.Name, p.Tool, taken)
		names[p.Tool] = name
		if state, _ := def.state(p); state != ToolReady || def.Disabled {
			continue
		}
		schema, err := usable(p.Pinned.Schema)
		if err != nil {
			continue // its state says so
		}
		list = append(list, &tool{s: s, called: p.Tool, spec: specOf(def, name, p, schema)})
	}
	problem := ""
	if err := s.m.put(s.key, list...); err != nil {
		problem = fault.From(err).Message
		s.m.log.Error("tools of an MCP server not offered", "part", "tools", "server", def.Name, "err", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pins, s.names, s.loaded, s.problem = pins, names, true, problem
}

// heard takes in what the server says it has.
func (s *server) heard(ctx context.Context, offered map[string]Described) error {
	s.pinning.Lock()
	defer s.pinning.Unlock()
	var after []pin
	err := s.m.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		before, err := s.readPins(ctx, tx)
		if err != nil {
			return err
		}
		after = settle(before, offered)
		return s.writePins(ctx, tx, before, after)
	})
	if err != nil {
		return fmt.Errorf("keeping the tools of server %s: %w", s.key.name, err)
	}
	s.offer(after)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = time.Now()
	return nil
}

// writePins writes what changed, and says so if people have to look at it.
func (s *server) writePins(ctx context.Context, tx *store.Tx, before, after []pin) error {
	was := map[string]pin{}
	for _, p := range before {
		was[p.Tool] = p
	}
	var waiting []string
	changed := false
	for _, p := range after {
		if p.Offered != nil {
			waiting = append(waiting, p.Tool)
		}
		if old, ok := was[p.Tool]; ok && old.equal(p) {
			continue
		}
		changed = changed || len(before) > 0
		if _, err := tx.Exec(ctx, upsertPin, s.key.ws, s.key.name, p.Tool, jsonOrNull(p.Pinned), jsonOrNull(p.Offered), p.Gone, time.Now()); err != nil {
			return err
		}
	}
	if !changed || s.key.ws == "" { // those of the settings belong to no workspace that could be told
		return nil
	}
	return s.m.opts.Hub.Append(ctx, tx, s.key.ws, Channel, PinChanged{s.key.name, waiting})
}

func jsonOrNull(d *Described) any {
	if d == nil {
		return nil
	}
	return store.JSON(d)
}

// consent agrees to what the server offers: for these tools, or for all that wait.
func (s *server) consent(ctx context.Context, names []string) error {
	s.pinning.Lock()
	defer s.pinning.Unlock()
	var after []pin
	err := s.m.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		before, err := s.readPins(ctx, tx)
		if err != nil {
			return err
		}
		for _, name := range names {
			if !slices.ContainsFunc(before, func(p pin) bool { return p.Tool == name && p.Offered != nil }) {
				return fault.New(fault.NotFound, "nothing_to_consent", "The tool %s of %s does not wait for consent.", name, s.key.name).WithParam("tools")
			}
		}
		after = after[:0]
		for _, p := range before {
			agreed := len(names) == 0 || slices.Contains(names, p.Tool)
			if agreed && p.Offered != nil {
				p.Pinned, p.Offered = p.Offered, nil
			}
			if agreed && p.Gone && len(names) == 0 {
				if _, err := tx.Exec(ctx, deletePin, s.key.ws, s.key.name, p.Tool); err != nil {
					return err
				}
				continue
			}
			after = append(after, p)
		}
		return s.writePins(ctx, tx, before, after)
	})
	if err != nil {
		return err
	}
	s.offer(after)
	return nil
}
