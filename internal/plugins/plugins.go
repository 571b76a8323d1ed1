package plugins

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/store"
)

// Options are what a Manager needs.
type Options struct {
	DB  *store.DB   // required
	Hub *events.Hub // required
	Box *seal.Box   // required

	Folder string   // required: where plugins are installed; it need not exist
	Extra  []string // more folders that are plugins, named in the settings
	Checks Checks
	// Run runs a hook where it can do no harm. Required.
	Run func(ctx context.Context, job Job) (exit int, err error)
	// Servers makes these the MCP servers that a plugin gives a workspace; the answer is what was wrong with some. nil: nobody takes them.
	Servers func(ctx context.Context, ws ids.Workspace, plugin string, list []ReadyServer) map[string]error
	// Agents does so with its agents; it answers with the names that are taken. nil: nobody takes them.
	Agents func(ctx context.Context, ws ids.Workspace, plugin string, list []agents.Agent) (taken []string, err error)
	Lookup func(string) (string, bool) // variables that a secret may refer to; nil: none

	Shared  bool          // other processes change the same database
	Every   time.Duration // how often the folders of enabled plugins are looked at; 0: 5 s
	Rest    time.Duration // how long a hook that failed again and again is left alone; 0: 30 s
	Bin     time.Duration // how long a removed folder is kept; 0: 30 days
	AtOnce  int           // hooks that may run at the same time; 0: 32
	Log     *slog.Logger  // nil: silent
	Version string        // of this program, told to hooks
}

// ReadyServer is an MCP server with its settings filled in. Values of Env and Headers may hold ${NAME} for one of the
// secrets.
type ReadyServer struct {
	Server
	Folder  string
	Secrets map[string]secret.Text
	// Ready says whether the plugin's files are still those that were agreed to.
	Ready func() error
}

// Manager holds the plugins of this server.
type Manager struct {
	opts    Options
	log     *slog.Logger
	slots   chan struct{} // held by hooks that run
	running context.Context
	stop    context.CancelCauseFunc
	wake    chan struct{} // something is to be looked at now and then, or nothing any more
	look    chan struct{} // files are others: look now

	hooks atomic.Pointer[hookTable] // nil: no workspace has one

	changing sync.Mutex // held while the folders are changed
	loading  sync.Mutex // held while what plugins give is brought in line with what was agreed to

	mu     sync.Mutex // guards the fields below
	known  map[string]*inspection
	active map[key]*active
	health map[key]*health
}

// key names a plugin in a workspace.
type key struct {
	ws   ids.Workspace
	name string
}

var errStopping = errors.New("the server is stopping")

// New makes a manager. Nothing is read: Load does it.
func New(opts Options) (*Manager, error) {
	switch {
	case opts.DB == nil || opts.Hub == nil || opts.Box == nil || opts.Run == nil:
		return nil, errors.New("plugins: Options needs DB, Hub, Box and Run")
	case !filepath.IsAbs(opts.Folder):
		return nil, errors.New("plugins: Options.Folder is not an absolute path")
	}
	if opts.Lookup == nil {
		opts.Lookup = func(string) (string, bool) { return "", false }
	}
	opts.Every = cmp.Or(opts.Every, 5*time.Second)
	opts.Rest = cmp.Or(opts.Rest, 30*time.Second)
	opts.Bin = cmp.Or(opts.Bin, 30*24*time.Hour)
	opts.AtOnce = cmp.Or(opts.AtOnce, 32)
	opts.Version = cmp.Or(opts.Version, "dev")
	m := &Manager{
		opts: opts, log: opts.Log, slots: make(chan struct{}, opts.AtOnce), wake: make(chan struct{}, 1), look: make(chan struct{}, 1),
		known: map[string]*inspection{}, active: map[key]*active{}, health: map[key]*health{},
	}
	if m.log == nil {
		m.log = slog.New(slog.DiscardHandler)
	}
	m.running, m.stop = context.WithCancelCause(context.Background())
	opts.DB.AddRetention(store.Retention{Name: "plugins_bin", Keep: opts.Bin, Prune: m.emptyBin})
	opts.DB.OnRestore(store.RestoreHook{Name: "plugins", Done: func(ctx context.Context) {
		if err := m.Load(ctx); err != nil {
			m.log.ErrorContext(ctx, "plugins not read", "part", "plugins", "err", err)
		}
	}})
	return m, nil
}

// Any says whether there may be plugins: it looks only whether there is a folder for them.
func (m *Manager) Any() bool {
	if len(m.opts.Extra) > 0 {
		return true
	}
	_, err := os.Stat(m.opts.Folder)
	return err == nil
}

// Run looks now and then whether the files of enabled plugins are still those that were agreed to.
func (m *Manager) Run(ctx context.Context) error {
	defer m.stop(errStopping)
	ticker := time.NewTicker(m.opts.Every)
	defer ticker.Stop()
	for {
		tick := ticker.C
		if !m.watched() {
			ticker.Stop()
			tick = nil
		} else {
			ticker.Reset(m.opts.Every)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-m.wake:
			continue
		case <-m.look:
		case <-tick:
		}
		if err := m.Load(ctx); err != nil && ctx.Err() == nil {
			m.log.ErrorContext(ctx, "plugins not read", "part", "plugins", "err", err)
		}
	}
}

// watched says whether there is anything to look at.
func (m *Manager) watched() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.active) > 0 || m.opts.Shared && m.Any()
}

// Hooks says whether a workspace has a hook of one of the events; without plugins it is one look at a pointer.
func (m *Manager) Hooks(ws ids.Workspace, list ...Event) bool {
	t := m.hooks.Load()
	if t == nil {
		return false
	}
	for _, e := range list {
		if len((*t)[ws][e]) > 0 {
			return true
		}
	}
	return false
}
