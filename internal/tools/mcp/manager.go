package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/retry"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/kit/suggest"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

// Options are what a Manager needs.
type Options struct {
	DB      *store.DB      // required
	Hub     *events.Hub    // required
	Box     *seal.Box      // required
	Toolbox *tools.Toolbox // required

	Settings []Definition                // servers that everyone has; they cannot be changed here
	Lookup   func(string) (string, bool) // variables that ${NAME} may stand for; nil: none
	Environ  []string                    // what programs are given of our environment; nil: nothing
	Callback string                      // where a browser comes back to after a sign-in; "": no sign-ins

	Sampler Sampler // nil: servers are told that there is none; so for the next two
	Asker   Asker
	Roots   Roots
	Parks   bool // a call of a run that a server asks a person about answers with a need, and goes on when it is called again with the answer

	Version     string        // of this program, told to servers
	ConnectTime time.Duration // how long a server may take to start and say what it has; 0: 30 s
	Idle        time.Duration // how long a program may be unused before it is ended; 0: 30 min, negative: for ever
	Backoff     retry.Policy  // between attempts; zero: 1 s doubling to 60 s
	Log         *slog.Logger  // nil: silent
}

// Manager holds the servers and their connections.
type Manager struct {
	opts    Options
	log     *slog.Logger
	wg      sync.WaitGroup  // connections and their watchers
	running context.Context // ends with Close
	stop    context.CancelCauseFunc
	signIns signIns

	loading sync.Mutex // held while the servers are brought in line with the database

	mu      sync.Mutex // guards servers
	servers map[key]*server

	watching sync.Mutex // guards watchers
	watchers []func(tools.UpstreamChanged)

	holding sync.Mutex // guards held
	held    map[callKey]waits
}

// key names a server; those of the settings have no workspace.
type key struct {
	ws   ids.Workspace
	name string
}

// origin is what the tools of the server are put into the toolbox as.
func (k key) origin() string { return "mcp/" + k.name }

var errStopping = errors.New("the server is stopping")

// New makes a manager. Nothing is started: servers are when they are needed.
func New(opts Options) (*Manager, error) {
	if opts.DB == nil || opts.Hub == nil || opts.Box == nil || opts.Toolbox == nil {
		return nil, errors.New("mcp: Options needs DB, Hub, Box and Toolbox")
	}
	if opts.Lookup == nil {
		opts.Lookup = func(string) (string, bool) { return "", false }
	}
	opts.ConnectTime = cmp.Or(opts.ConnectTime, 30*time.Second)
	opts.Idle = cmp.Or(opts.Idle, 30*time.Minute)
	opts.Backoff.First = cmp.Or(opts.Backoff.First, time.Second)
	opts.Backoff.Max = cmp.Or(opts.Backoff.Max, time.Minute)
	opts.Version = cmp.Or(opts.Version, "dev")
	m := &Manager{opts: opts, log: opts.Log, servers: map[key]*server{}, held: map[callKey]waits{}}
	if m.log == nil {
		m.log = slog.New(slog.DiscardHandler)
	}
	m.running, m.stop = context.WithCancelCause(context.Background())
	for _, def := range opts.Settings {
		if err := def.Check(); err != nil {
			return nil, err
		}
		k := key{"", def.Name}
		if _, twice := m.servers[k]; twice {
			return nil, fault.New(fault.Conflict, "server_exists", "The settings name two servers %s.", def.Name)
		}
		m.servers[k] = newServer(m, k, def)
	}
	return m, nil
}

// Run offers the tools that are known from last time, meets servers that are not known yet, ends programs nobody uses, and
// at the end stops every server.
func (m *Manager) Run(ctx context.Context) error {
	defer m.Close()
	if err := m.Load(ctx); err != nil {
		return err
	}
	m.meet(ctx)
	ticker := time.NewTicker(time.Minute)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-ticker.C:
			if err := m.Load(ctx); err != nil && ctx.Err() == nil {
				m.log.ErrorContext(ctx, "servers not read", "part", "tools", "err", err)
			}
			for _, s := range m.all() {
				s.rest(now, m.opts.Idle)
			}
		}
	}
}

// Close stops every server and waits for it.
func (m *Manager) Close() {
	m.stop(errStopping)
	for _, s := range m.all() {
		s.stop(StateIdle, "")
	}
	m.wg.Wait()
}

// meet connects to servers whose tools nobody has seen yet.
func (m *Manager) meet(ctx context.Context) {
	for _, s := range m.all() {
		if s.unmet() {
			m.wg.Go(func() {
				if _, err := s.link("").ensure(ctx); err != nil && ctx.Err() == nil {
					m.log.WarnContext(ctx, "an MCP server cannot be reached", "part", "tools", "server", s.key.name, "err", err)
				}
			})
		}
	}
}

func (m *Manager) all() []*server {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]*server, 0, len(m.servers))
	for _, s := range m.servers {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *server) int {
		return cmp.Or(cmp.Compare(a.key.name, b.key.name), cmp.Compare(a.key.ws, b.key.ws))
	})
	return list
}

// row is a server in the database.
type row struct {
	Workspace  ids.Workspace `db:"workspace_id"`
	Name       string        `db:"name"`
	Definition Definition    `db:"definition,json"`
	Sealed     []byte        `db:"secrets"`
	CreatedAt  time.Time     `db:"created_at"`
	UpdatedAt  time.Time     `db:"updated_at"`
}

// Load brings the servers in line with the database, which another process may have changed, and
// offers the tools that are known. It is quick when nothing changed.
func (m *Manager) Load(ctx context.Context) error {
	m.loading.Lock()
	defer m.loading.Unlock()
	rows, err := store.All[row](ctx, m.opts.DB.Read(), selectServers)
	if err != nil {
		return fmt.Errorf("reading MCP servers: %w", err)
	}
	seen := map[key]bool{}
	for _, r := range rows {
		k := key{r.Workspace, r.Name}
		seen[k] = true
		if err := m.take(k, r); err != nil {
			return err
		}
	}
	for _, s := range m.all() {
		if s.key.ws != "" && s.plugin == "" && !seen[s.key] {
			m.drop(s)
			continue
		}
		if err := s.load(ctx); err != nil {
			return err
		}
	}
	return nil
}

// take makes a row's server, or gives it the row's definition.
func (m *Manager) take(k key, r row) error {
	m.mu.Lock()
	s, ok := m.servers[k]
	m.mu.Unlock()
	if ok && (s.plugin != "" || s.current(r.UpdatedAt)) {
		return nil
	}
	def := r.Definition
	var err error
	if def.Secrets, err = m.open(k, r.Sealed); err != nil {
		return err
	}
	if !ok {
		s = newServer(m, k, def)
		s.created, s.updated = r.CreatedAt, r.UpdatedAt
		m.mu.Lock()
		m.servers[k] = s
		m.mu.Unlock()
		m.changed(tools.UpstreamChanged{Workspace: k.ws, Prompts: true, Resources: true})
		return nil
	}
	s.redefine(def, r.UpdatedAt)
	return nil
}

func (m *Manager) drop(s *server) {
	m.mu.Lock()
	delete(m.servers, s.key)
	m.mu.Unlock()
	s.stop(StateStopped, "It was removed.")
	m.changed(tools.UpstreamChanged{Workspace: s.key.ws, Prompts: true, Resources: true})
	if err := m.put(s.key); err != nil {
		m.log.Error("tools not taken back", "part", "tools", "server", s.key.name, "err", err)
	}
}

// put makes these the tools of a server.
func (m *Manager) put(k key, list ...tools.Tool) error {
	if k.ws == "" {
		return m.opts.Toolbox.Put(k.origin(), list...)
	}
	return m.opts.Toolbox.PutIn(k.ws, k.origin(), list...)
}

// find gives a server that a workspace has: its own, or one of the settings.
func (m *Manager) find(ws ids.Workspace, name string) (*server, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.servers[key{ws, name}]; ok {
		return s, nil
	}
	if s, ok := m.servers[key{"", name}]; ok {
		return s, nil
	}
	var names []string
	for k := range m.servers {
		if k.ws == ws || k.ws == "" {
			names = append(names, k.name)
		}
	}
	f := fault.New(fault.NotFound, "server_not_found", "There is no MCP server %q.", name)
	if near, ok := suggest.Closest(name, names); ok {
		return nil, f.WithHint("Did you mean %s?", near)
	}
	return nil, f
}

func place(k key) []byte { return seal.Place("tools_servers", string(k.ws), k.name, "secrets") }

// seal packs secrets for the database; nil for none.
func (m *Manager) seal(k key, secrets map[string]secret.Text) ([]byte, error) {
	if len(secrets) == 0 {
		return nil, nil
	}
	plain := make(map[string]string, len(secrets))
	for name, s := range secrets {
		plain[name] = s.Reveal()
	}
	text, err := json.Marshal(plain)
	if err != nil {
		return nil, err
	}
	return m.opts.Box.Seal(text, place(k))
}

func (m *Manager) open(k key, sealed []byte) (map[string]secret.Text, error) {
	if len(sealed) == 0 {
		return nil, nil
	}
	text, err := m.opts.Box.Open(sealed, place(k))
	if err != nil {
		return nil, fmt.Errorf("opening the secrets of server %s: %w", k.name, err)
	}
	var plain map[string]string
	if err := json.Unmarshal(text, &plain); err != nil {
		return nil, fmt.Errorf("reading the secrets of server %s: %w", k.name, err)
	}
	out := make(map[string]secret.Text, len(plain))
	for name, value := range plain {
		out[name] = secret.New(value)
	}
	return out, nil
}
