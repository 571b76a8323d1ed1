package guard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

// Options are what a Guard needs.
type Options struct {
	DB  *store.DB   // required
	Hub *events.Hub // required
	// Commands gives the judge of shell commands, when there is the first to judge: building one takes a moment. Required.
	Commands func() (*Commands, error)
	Policy   *Policy // of workspaces without one; nil: DefaultPolicy
	// UserPacks is the folder of packs that Commands was built with, besides the built-in ones.
	UserPacks string
	// Snapshots keeps what a call is about to change; nil: nothing can be undone.
	Snapshots Snapshots
	// Spend says whether a call may go on spending; nil: nobody counts.
	Spend Spend
	// Trusted says whether commands may run in a folder without being asked, and whether anybody has said so or not; nil: in all.
	Trusted func(ctx context.Context, ws ids.Workspace, folder string) (trusted, known bool, err error)
	// Isolation says in a sentence how far programs are confined, for rulings on tools that run some; nil: nothing is said.
	Isolation func() string
	// Secrets lists what is stored for a workspace and must not leave; nil: nothing is.
	Secrets func(ctx context.Context, ws ids.Workspace) ([]secret.Text, error)

	// Journal is a folder for rows of calls on their way to the database; "": each is written at once.
	Journal string

	Protected    []string      // files and folders that no tool may touch, absolute
	PrivateHosts []string      // what the dialler may reach although it is not public: see safenet.Options.Allow
	Grant        time.Duration // how long an approval waits to be used; 0: 1 h
	Always       time.Duration // how long an entry made with "always" lasts; 0: 90 days
	Keep         time.Duration // how long calls and approvals are kept; 0: 400 days
	Now          func() time.Time
	Log          *slog.Logger // nil: silent
}

// Spend is the part of costs that the guard asks.
type Spend interface {
	// Room answers with a fault when the agent has nothing left to spend.
	Room(ctx context.Context, ws ids.Workspace, agent string, run ids.Run) error
}

// Snapshots keeps files as they were before a call, so that it can be undone.
type Snapshots interface {
	// Before is told what a call may change, before it runs.
	Before(ctx context.Context, t Touched) error
	// After is told that it ended; it sees what really changed.
	After(ctx context.Context, ws ids.Workspace, call ids.ToolCall) error
}

// Touched is what a call may change.
type Touched struct {
	Workspace    ids.Workspace
	Call         ids.ToolCall
	Run          ids.Run
	Turn         string
	Conversation ids.Conversation
	Agent        string
	Tool         string
	Folder       string
	Paths        []string // absolute
	Anything     bool     // besides Paths, whatever lies in Folder
}

// Guard judges calls, asks people about them, and keeps the journal.
type Guard struct {
	db        *store.DB
	hub       *events.Hub
	opts      Options
	log       *slog.Logger
	rates     *rates
	journal   *journal // nil: rows are written at once
	protected []string
	private   privateHosts
	wake      chan struct{}  // holds one: a deadline was added
	warm      atomic.Bool    // the judge of commands is built, and confinement tried out
	analyses  sync.WaitGroup // nobody waits for it: they only compute, and one that hangs must not hold up the end

	mu       sync.RWMutex // guards the fields below
	answered []func(ctx context.Context, tx *store.Tx, a Approval) error
	defaults Policy
	policies map[ids.Workspace]knownPolicy
	secrets  map[ids.Workspace]knownSecrets
	folders  map[string]knownFolder
	touching map[ids.ToolCall]struct{} // calls with a snapshot that are running
}

var (
	_ tools.Gate    = (*Guard)(nil)
	_ tools.Warms   = (*Guard)(nil)
	_ tools.Auditor = (*Guard)(nil)
)

const day = 24 * time.Hour

// New checks the options; Run keeps deadlines.
func New(opts Options) (*Guard, error) {
	if opts.DB == nil || opts.Hub == nil || opts.Commands == nil {
		return nil, errors.New("guard: Options.DB, Options.Hub and Options.Commands are required")
	}
	policy := DefaultPolicy()
	if opts.Policy != nil {
		policy = *opts.Policy
	}
	if err := policy.Check(); err != nil {
		return nil, err
	}
	opts.Grant, opts.Always, opts.Keep = cmp.Or(opts.Grant, time.Hour), cmp.Or(opts.Always, 90*day), cmp.Or(opts.Keep, 400*day)
	if opts.Now == nil {
		opts.Now = time.Now
	}
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	private, err := newPrivateHosts(opts.PrivateHosts)
	if err != nil {
		return nil, err
	}
	g := &Guard{
		db: opts.DB, hub: opts.Hub, opts: opts, log: log, rates: newRates(), private: private, wake: make(chan struct{}, 1),
		defaults: policy, policies: make(map[ids.Workspace]knownPolicy), secrets: make(map[ids.Workspace]knownSecrets),
		touching: make(map[ids.ToolCall]struct{}), folders: make(map[string]knownFolder),
	}
	if opts.Journal != "" {
		g.journal = newJournal(opts.Journal)
	}
	for _, p := range opts.Protected {
		g.protected = append(g.protected, realPath(p))
	}
	g.retain()
	return g, nil
}

// retain registers what grows by itself.
func (g *Guard) retain() {
	g.db.AddRetention(store.Retention{Name: "guard_calls", Keep: g.opts.Keep, Prune: g.pruneCalls})
	for name, statement := range map[string]string{"guard_approvals": pruneApprovals, "guard_allowed": pruneAllowed} {
		g.db.AddRetention(store.Retention{Name: name, Keep: g.opts.Keep, Prune: func(ctx context.Context, before time.Time) (int64, error) {
			return g.db.Prune(ctx, statement, before)
		}})
	}
}

// OnAnswer has f told, in the same transaction, of every approval that is answered,
// expires or is withdrawn, so that whoever waits for it can go on.
func (g *Guard) OnAnswer(f func(ctx context.Context, tx *store.Tx, a Approval) error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answered = append(g.answered, f)
}

// tell passes an answer on.
func (g *Guard) tell(ctx context.Context, tx *store.Tx, a Approval) error {
	g.mu.RLock()
	list := g.answered
	g.mu.RUnlock()
	for _, f := range list {
		if err := f(ctx, tx, a); err != nil {
			return fmt.Errorf("passing on the answer to %s: %w", a.ID, err)
		}
	}
	return nil
}

func (g *Guard) now() time.Time { return g.opts.Now() }

// ForgetAll drops what is remembered of the database, after a restore.
func (g *Guard) ForgetAll() {
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.policies)
	clear(g.secrets)
}
