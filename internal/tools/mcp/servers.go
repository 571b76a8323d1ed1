package mcp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/store"
)

// Server is a server as people see it: never with a secret.
type Server struct {
	Definition
	Source    string    `json:"source" enum:"stored,settings,plugin" doc:"settings: it is changed in the settings file and belongs to everyone."`
	Plugin    string    `json:"plugin,omitempty" doc:"The plugin that gives it."`
	State     State     `json:"state" enum:"idle,starting,ready,waiting,stopped,needs_signin" doc:"idle: it starts when it is needed; waiting: it failed and is tried again; needs_signin: you have to sign in there."`
	Reason    string    `json:"reason,omitempty" doc:"Why it is not ready."`
	Hint      string    `json:"hint,omitempty" doc:"What to do about it."`
	Since     time.Time `json:"since" doc:"Of the state."`
	NextTry   time.Time `json:"next_try,omitzero"`
	Tries     int       `json:"tries" doc:"Attempts that failed in a row."`
	PID       int       `json:"pid,omitempty" doc:"Of its program, while it runs."`
	Protocol  string    `json:"protocol,omitempty" doc:"The version that was agreed on last."`
	Program   string    `json:"program,omitempty" doc:"What the server calls itself."`
	Calls     int       `json:"calls" doc:"Under way now."`
	Tools     int       `json:"tools" doc:"That agents can use."`
	Waiting   int       `json:"waiting" doc:"Tools that wait for consent."`
	ListedAt  time.Time `json:"listed_at,omitzero" doc:"When it last said which tools it has."`
	Secrets   []string  `json:"secrets" doc:"Their names; the values are never shown."`
	Signed    Signed    `json:"signed,omitzero"`
	CreatedAt time.Time `json:"created_at,omitzero"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
}

// Signed is how a person's sign-in at a server stands.
type Signed struct {
	In     bool      // there is one
	Ends   time.Time // when it has to be renewed; zero: never
	Renews bool      // by itself
}

// Servers lists the servers of a workspace by name, as one person sees them.
func (m *Manager) Servers(ctx context.Context, ws ids.Workspace, user ids.User) ([]Server, error) {
	if err := m.Load(ctx); err != nil {
		return nil, err
	}
	out := []Server{}
	for _, s := range m.all() {
		if s.key.ws != ws && s.key.ws != "" {
			continue
		}
		one, err := s.shown(ctx, user)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// Server shows one server.
func (m *Manager) Server(ctx context.Context, ws ids.Workspace, name string, user ids.User) (Server, error) {
	if err := m.Load(ctx); err != nil {
		return Server{}, err
	}
	s, err := m.find(ws, name)
	if err != nil {
		return Server{}, err
	}
	return s.shown(ctx, user)
}

// shown is a server with how a person's sign-in there stands.
func (s *server) shown(ctx context.Context, user ids.User) (Server, error) {
	out := s.view(user)
	if !out.SignIn || user == "" {
		return out, nil
	}
	g, err := s.link(user).readGrant(ctx)
	if err != nil || g == nil {
		return out, err
	}
	out.Signed = Signed{In: true, Ends: g.Token.Expiry.UTC(), Renews: g.Token.RefreshToken != ""}
	if g.Token.Expiry.IsZero() {
		out.Signed.Ends = time.Time{}
	}
	return out, nil
}

func (s *server) view(user ids.User) Server {
	l := s.link(user)
	s.mu.Lock()
	out := Server{
		Definition: s.def, Source: "stored", ListedAt: s.listed, Secrets: slices.Sorted(maps.Keys(s.def.Secrets)),
		CreatedAt: s.created, UpdatedAt: s.updated, Reason: s.problem,
	}
	if s.key.ws == "" {
		out.Source = "settings"
	}
	if s.plugin != "" {
		out.Source, out.Plugin = "plugin", s.plugin
	}
	for _, p := range s.pins {
		if state, _ := s.def.state(p); state == ToolReady {
			out.Tools++
		} else if state == ToolNew || state == ToolChanged {
			out.Waiting++
		}
	}
	s.mu.Unlock()
	if out.Secrets == nil {
		out.Secrets = []string{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	out.State, out.Since, out.Tries, out.Protocol, out.Program = l.state, l.since.UTC(), l.tries, l.protocol, l.program
	if l.failure != nil {
		f := fault.From(l.failure)
		out.Reason, out.Hint = sentence(l.failure)+".", f.Hint
	}
	if l.state == StateWaiting {
		out.NextTry = l.next.UTC()
	}
	if l.live != nil {
		out.PID = l.live.way.pid
		l.live.mu.Lock()
		out.Calls = len(l.live.calls)
		l.live.mu.Unlock()
	}
	return out
}

// Add stores servers: all of them, or none if one cannot be.
func (m *Manager) Add(ctx context.Context, ws ids.Workspace, list ...Definition) error {
	rows := make([]row, 0, len(list))
	for _, def := range list {
		if err := def.Check(); err != nil {
			return err
		}
		if m.taken(ws, def.Name) {
			return exists(def.Name)
		}
		sealed, err := m.seal(key{ws, def.Name}, def.Secrets)
		if err != nil {
			return fmt.Errorf("sealing the secrets of server %s: %w", def.Name, err)
		}
		rows = append(rows, row{Name: def.Name, Definition: def, Sealed: sealed})
	}
	err := m.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		now := time.Now()
		for _, r := range rows {
			added, err := tx.Exec(ctx, insertServer, ws, r.Name, store.JSON(r.Definition), r.Sealed, now, now)
			if err != nil {
				return fmt.Errorf("storing server %s: %w", r.Name, err)
			}
			if added == 0 {
				return exists(r.Name)
			}
			if err := m.opts.Hub.Append(ctx, tx, ws, Channel, ServerAdded{r.Name}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return m.Load(ctx)
}

// taken says whether a name belongs to a server of the settings or of a plugin.
func (m *Manager) taken(ws ids.Workspace, name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	own := m.servers[key{ws, name}]
	return m.servers[key{"", name}] != nil || own != nil && own.plugin != ""
}

func exists(name string) error {
	return fault.New(fault.Conflict, "server_exists", "There is a server %s already.", name).WithParam("name").WithHint("Choose another name.")
}

// Change replaces a server's definition. Secrets that change names are replaced, with an empty value forgotten; others stay.
func (m *Manager) Change(ctx context.Context, ws ids.Workspace, name string, change func(*Definition), secrets map[string]secret.Text) error {
	s, err := m.own(ws, name)
	if err != nil {
		return err
	}
	def := s.definition()
	def.Secrets = maps.Clone(def.Secrets)
	change(&def)
	def.Name = name
	if def.Secrets == nil {
		def.Secrets = map[string]secret.Text{}
	}
	for n, v := range secrets {
		if v.Empty() {
			delete(def.Secrets, n)
		} else {
			def.Secrets[n] = v
		}
	}
	if err := def.Check(); err != nil {
		return err
	}
	sealed, err := m.seal(s.key, def.Secrets)
	if err != nil {
		return fmt.Errorf("sealing the secrets of server %s: %w", name, err)
	}
	err = m.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, updateServer, store.JSON(def), sealed, time.Now(), ws, name); err != nil {
			return err
		}
		return m.opts.Hub.Append(ctx, tx, ws, Channel, ServerChanged{name})
	})
	if err != nil {
		return fmt.Errorf("changing server %s: %w", name, err)
	}
	return m.Load(ctx)
}

// own finds a server that can be changed.
func (m *Manager) own(ws ids.Workspace, name string) (*server, error) {
	s, err := m.find(ws, name)
	if err != nil {
		return nil, err
	}
	if s.key.ws == "" {
		return nil, fault.New(fault.Conflict, "server_in_settings", "The server %s is in the settings file.", name).WithHint("Change it there, under tools.mcp_servers.")
	}
	if s.plugin != "" {
		return nil, fault.New(fault.Conflict, "server_of_plugin", "The server %s comes with the plugin %s.", name, s.plugin).
			WithHint("Change the plugin's settings, or disable it: fluxway plugins show %s.", s.plugin)
	}
	return s, nil
}

// Remove forgets a server, its secrets, what was agreed to and everyone's sign-ins.
func (m *Manager) Remove(ctx context.Context, ws ids.Workspace, name string) error {
	if _, err := m.own(ws, name); err != nil {
		return err
	}
	err := m.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		for _, statement := range []string{deleteServer, deletePins, deleteGrants} {
			if _, err := tx.Exec(ctx, statement, ws, name); err != nil {
				return err
			}
		}
		return m.opts.Hub.Append(ctx, tx, ws, Channel, ServerRemoved{name})
	})
	if err != nil {
		return fmt.Errorf("removing server %s: %w", name, err)
	}
	return m.Load(ctx)
}

// Start reaches a server now, also one that was stopped or failed a moment ago, and waits for what comes of it.
func (m *Manager) Start(ctx context.Context, ws ids.Workspace, name string, user ids.User) error {
	s, err := m.find(ws, name)
	if err != nil {
		return err
	}
	if err := s.load(ctx); err != nil {
		return err
	}
	l := s.link(user)
	l.forgive()
	_, err = l.ensure(ctx)
	return err
}

// forgive lets the next attempt be made at once.
func (l *link) forgive() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.live == nil && l.attempt == nil {
		l.tries, l.next = 0, time.Time{}
		l.turn(StateIdle, nil)
	}
}

// Stop ends a server, and keeps it so until someone starts it.
func (m *Manager) Stop(_ context.Context, ws ids.Workspace, name string) error {
	s, err := m.find(ws, name)
	if err != nil {
		return err
	}
	s.link("") // so that there is something to remember it
	s.stop(StateStopped, "")
	return nil
}

// Restart ends a server and starts it again.
func (m *Manager) Restart(ctx context.Context, ws ids.Workspace, name string, user ids.User) error {
	s, err := m.find(ws, name)
	if err != nil {
		return err
	}
	s.stop(StateIdle, "")
	return m.Start(ctx, ws, name, user)
}

// Logs gives the last lines of a server, oldest first, and how many there were since the program started.
func (m *Manager) Logs(ws ids.Workspace, name string, last int) ([]Line, int64, error) {
	s, err := m.find(ws, name)
	if err != nil {
		return nil, 0, err
	}
	lines, total := s.log.tail(last)
	return lines, total, nil
}

// Freshness is whether to believe what a server said within the last minute.
type Freshness bool

// How to ask for tools.
const (
	Cached Freshness = false
	Force  Freshness = true
)

// Tools lists the tools of a server: as it said within the last minute, or as it says now. A server that cannot be asked
// is an error only where nothing is known of it.
func (m *Manager) Tools(ctx context.Context, ws ids.Workspace, name string, user ids.User, how Freshness) ([]ServerTool, error) {
	s, err := m.find(ws, name)
	if err != nil {
		return nil, err
	}
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	if how == Force || s.stale() {
		if err := s.ask(ctx, user); err != nil && (how == Force || s.unmet()) {
			return nil, err
		}
	}
	return s.tools(), nil
}

func (s *server) stale() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.listed) > fresh
}

// ask lists the tools now.
func (s *server) ask(ctx context.Context, user ids.User) error {
	before := time.Now()
	l := s.link(user)
	v, err := l.ensure(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	just := s.listed.After(before) // connecting did it
	s.mu.Unlock()
	if just {
		return nil
	}
	return l.list(ctx, v)
}

func (s *server) tools() []ServerTool {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []ServerTool{}
	for _, p := range s.pins {
		t := ServerTool{Name: s.names[p.Tool], Tool: p.Tool, Level: s.def.levelOf(p.Tool)}
		t.State, t.Reason = s.def.state(p)
		shown := p.Pinned
		if shown == nil {
			shown = p.Offered
		}
		if shown != nil {
			t.Title, t.Description, t.Schema = shown.Title, shown.Description, shown.Schema
		}
		if p.Offered != nil {
			t.Offered, t.Diff = p.Offered, diff(p.Pinned.text(), p.Offered.text())
		}
		out = append(out, t)
	}
	return out
}

// Consent agrees to what a server says now of these tools, or of all if none are named; it gives what agents have then.
func (m *Manager) Consent(ctx context.Context, ws ids.Workspace, name string, names []string) ([]ServerTool, error) {
	s, err := m.find(ws, name)
	if err != nil {
		return nil, err
	}
	if err := s.consent(ctx, names); err != nil {
		return nil, err
	}
	return s.tools(), nil
}
