package costs

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/spool"
	"github.com/fluxway/fluxway/internal/observe"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
)

// Codes of the faults that refuse a call.
const (
	CodeBudget   = "budget_exceeded"
	CodeRunLimit = "run_money_limit"
)

// Options are what a Ledger needs.
type Options struct {
	DB        *store.DB            // required
	Hub       *events.Hub          // required
	Catalogue *providers.Catalogue // required: prices
	Log       *slog.Logger         // nil: silent
	Observe   *observe.Observe     // nil: nothing is counted
	// Premium says what one request to a model costs, in thousandths of a premium
	// request, and whether the provider counts so at all; nil: none does.
	Premium func(provider, model string) (milli int64, counts bool)
	// Sole says that no other process works on this database, so that sums may be
	// kept in memory, and calls found open at start were left by a dead process.
	Sole bool
	// Process names this process in open rows; it must differ from every other
	// and from its own past. Empty: a new name.
	Process string
	// Output is how many tokens are held for an answer when neither the request
	// nor the catalogue limits it; 0: 8192.
	Output int64
	// Patience is how long a call waits for others in flight to give back what
	// they hold of a nearly spent budget; 0: 15 s; negative: not at all.
	Patience time.Duration
	// Journal is a folder for a file that takes the rows of calls which certainly
	// fit their budgets before the database does, in groups. It needs Sole: nobody
	// else could read it. Empty: calls wait for the database.
	Journal string
	// Pause is how far apart calls are under a throttling budget; 0: 10 s.
	Pause     time.Duration
	Retention time.Duration    // how long single records are kept; 0: 400 days; negative: for ever
	Now       func() time.Time // nil: time.Now
}

// Ledger records what calls cost and keeps budgets.
// Lock order: flushing, then mu.
type Ledger struct {
	db        *store.DB
	hub       *events.Hub
	catalogue catalogue
	log       *slog.Logger
	opts      Options
	meters    meters
	process   string
	now       func() time.Time
	shared    bool
	journal   *spool.Spool  // nil: none
	kick      chan struct{} // holds one: someone waits for the queue
	later     chan struct{} // holds one: the queue has something that nobody waits for

	budgets atomic.Pointer[budgetSet] // nil: to be read again
	// admitting is held to read from the moment a call is let through until it is queued. Who asks takes it alone: those let
	// through before are then ahead in the queue, and those after count what is asked for.
	admitting sync.RWMutex

	flushing sync.Mutex // held while a group is written; guards the fields below
	cache    map[periodKey]period
	blocked  map[periodKey]blocked
	admitted map[periodKey]time.Time // last call let through while throttled
	seen     time.Time               // when this process last said that it lives

	mu      sync.Mutex // guards the fields below
	onRoom  []func(ctx context.Context, tx *store.Tx, ws ids.Workspace, budget ids.Budget) error
	queue   []*op
	running bool
	writing bool // a group is on its way into the database
	open    map[ids.Usage]*Reservation
	freed   chan struct{} // closed when holds were given back
	waiting int           // calls that wait for holds to be given back
	rooms   map[periodKey]Standing
	pending [2]int64 // the most that queued changes add to any budget: money, premium
	updates map[ids.Workspace]Updated
	told    time.Time // when updates were last published
}

// New makes a ledger, which works at once; Run lets it write behind.
func New(opts Options) (*Ledger, error) {
	if opts.DB == nil || opts.Hub == nil || opts.Catalogue == nil {
		return nil, errors.New("costs: Options.DB, Options.Hub and Options.Catalogue are required")
	}
	if opts.Journal != "" && !opts.Sole {
		return nil, errors.New("costs: Options.Journal needs Options.Sole")
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Premium == nil {
		opts.Premium = func(string, string) (int64, bool) { return 0, false }
	}
	opts.Output = cmp.Or(opts.Output, 8192)
	opts.Patience = cmp.Or(opts.Patience, 15*time.Second)
	opts.Pause = cmp.Or(opts.Pause, 10*time.Second)
	opts.Retention = cmp.Or(opts.Retention, 400*24*time.Hour)
	l := &Ledger{
		db: opts.DB, hub: opts.Hub, catalogue: opts.Catalogue, log: opts.Log, opts: opts, shared: !opts.Sole,
		process: cmp.Or(opts.Process, string(ids.New[ids.Usage]())), kick: make(chan struct{}, 1), later: make(chan struct{}, 1),
		cache: make(map[periodKey]period), blocked: make(map[periodKey]blocked), admitted: make(map[periodKey]time.Time),
		open: make(map[ids.Usage]*Reservation), freed: make(chan struct{}), rooms: make(map[periodKey]Standing), updates: make(map[ids.Workspace]Updated),
	}
	l.now = func() time.Time { return opts.Now().UTC().Truncate(time.Microsecond) }
	if opts.Journal != "" {
		l.journal = spool.New(opts.Journal, "costs")
	}
	l.meters = newMeters(opts.Observe, l)
	opts.DB.OnRestore(store.RestoreHook{Name: "costs", Done: func(context.Context) { l.reset() }})
	opts.DB.AddRetention(store.Retention{Name: "costs_records", Keep: opts.Retention, Prune: l.Prune})
	return l, nil
}

// How often Run looks after what is in flight, and says what was spent; how long
// a change that nobody waits for may wait for company.
const (
	linger    = 250 * time.Millisecond
	tendEvery = 5 * time.Second
	sayEvery  = 500 * time.Millisecond
)

// Run writes what a killed process left in the journal, closes what dead
// processes left open, then writes behind until ctx ends; what was queued by then
// is written before it returns.
func (l *Ledger) Run(ctx context.Context) error {
	if err := l.replay(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	l.running = true
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		l.running = false
		l.mu.Unlock()
		l.flush()
		if l.journal != nil {
			if err := l.journal.Close(); err != nil {
				l.log.Error("journal not closed", "part", "costs", "err", err)
			}
		}
		l.sayUpdates(true)
	}()
	var sweeper sync.WaitGroup
	defer sweeper.Wait()
	sweeper.Go(func() { l.sweepEvery(ctx) })
	tend, say, due := time.NewTicker(tendEvery), time.NewTimer(sayEvery), time.NewTimer(linger)
	defer tend.Stop()
	defer say.Stop()
	defer due.Stop()
	var later <-chan struct{} // nil while due is set: one knock is enough
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-later:
			later = nil
			due.Reset(linger)
		case <-l.kick:
			l.flush()
			say.Reset(sayEvery)
		case <-due.C:
			later = l.later
			l.flush()
			say.Reset(sayEvery)
		case <-tend.C:
			l.tend()
		case <-say.C:
			l.sayUpdates(true)
		}
	}
}

// reset forgets everything read from the database.
func (l *Ledger) reset() {
	l.flushing.Lock()
	defer l.flushing.Unlock()
	l.forgetCache()
}

func (l *Ledger) forgetCache() {
	clear(l.cache)
	l.budgets.Store(nil)
	l.seen = time.Time{}
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.rooms)
}

// sayUpdates publishes what calls added up to, at most so often unless now.
func (l *Ledger) sayUpdates(now bool) {
	at := time.Now()
	l.mu.Lock()
	if !now && at.Sub(l.told) < sayEvery || len(l.updates) == 0 {
		l.mu.Unlock()
		return
	}
	updates := l.updates
	l.updates, l.told = make(map[ids.Workspace]Updated), at
	l.mu.Unlock()
	for ws, u := range updates {
		l.hub.Publish(ws, Channel, u)
	}
}
