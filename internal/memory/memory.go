package memory

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/lifecycle"
	"github.com/fluxway/fluxway/internal/kit/safenet"
	"github.com/fluxway/fluxway/internal/store"
)

// Options are what a Mind needs.
type Options struct {
	DB   *store.DB   // required
	Hub  *events.Hub // required
	Jobs *jobs.Queue // required
	// Index keeps vectors, and Embedder makes them; without either, things are
	// found by their words alone.
	Index    Index
	Embedder Embedder
	// Former gives an embedder that was in use before by its name, nil if it cannot be asked any more; its vectors
	// answer until everything is embedded anew. nil: there is none.
	Former func(name string) Embedder
	// Extractor finds facts in what was said; nil: only what plain rules find.
	Extractor Extractor
	Rules     Rules
	Net       *safenet.Dialer // for knowledge from the web; nil: none is read
	Reader    Reader          // how documents are read; zero: the usual limits
	Log       *slog.Logger    // nil: silent
}

// Rules are what is remembered, and for how long.
type Rules struct {
	Off        bool          // nothing is learned from conversations
	Every      int           // how many exchanges of a conversation are learned from at a time; 0: 1
	Confidence float64       // at least this to be believed at once; 0: 0.7
	Deny       []string      // words: what holds one is never remembered
	Keep       time.Duration // how long something learned stays without being used; 0: 365 days
	Turns      bool          // what was said can be found again itself
	Session    bool          // the graph of a conversation ends with it
	Folders    []string      // where knowledge may be read from by callers that are not on this machine
	Forbidden  []string      // folders that are never read
}

const day = 24 * time.Hour

// crashes is how often a job is begun again: what was acknowledged is read and learned from however often the server dies.
const crashes = 1000

// Mind is what is known in all workspaces of a server.
type Mind struct {
	db        *store.DB
	hub       *events.Hub
	queue     *jobs.Queue
	index     Index
	embedder  Embedder
	former    func(name string) Embedder
	extractor Extractor
	rules     Rules
	net       *safenet.Dialer
	reader    Reader
	log       *slog.Logger
	engine    engine
	numbers   numbers
	used      usage
	samples   samples
	waiting   atomic.Bool   // texts may wait for their vectors
	wake      chan struct{} // holds one: they have just begun to
	watch     chan struct{} // holds one: what is watched may be other folders now
}

// New checks the options and defines the jobs. Run does what happens in the background.
func New(opts Options) (*Mind, error) {
	if opts.DB == nil || opts.Hub == nil || opts.Jobs == nil {
		return nil, errors.New("memory: Options.DB, Hub and Jobs are required")
	}
	if (opts.Index == nil) != (opts.Embedder == nil) {
		return nil, errors.New("memory: Options.Index and Options.Embedder go together")
	}
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	opts.Rules.Every = cmp.Or(opts.Rules.Every, 1)
	opts.Rules.Confidence = cmp.Or(opts.Rules.Confidence, 0.7)
	opts.Rules.Keep = cmp.Or(opts.Rules.Keep, 365*day)
	m := &Mind{
		db: opts.DB, hub: opts.Hub, queue: opts.Jobs, index: opts.Index, embedder: opts.Embedder, former: opts.Former, extractor: opts.Extractor,
		rules: opts.Rules, net: opts.Net, reader: opts.Reader.withDefaults(), log: log, engine: engineOf(opts.DB), wake: make(chan struct{}, 1), watch: make(chan struct{}, 1),
	}
	var bits [2]byte
	if _, err := rand.Read(bits[:]); err != nil {
		return nil, fmt.Errorf("memory: %w", err)
	}
	m.numbers.own = int64(binary.BigEndian.Uint16(bits[:])) % (1 << ownBits)
	for _, kind := range []jobs.Kind{
		{Name: learnKind, Concurrency: 2, Run: m.learn, Timeout: 5 * time.Minute, Attempts: crashes},
		{Name: embedKind, Concurrency: 1, Run: m.embedAll, Timeout: time.Hour},
		{Name: indexKind, Concurrency: 2, Run: m.indexJob, Timeout: 12 * time.Hour, Attempts: crashes},
	} {
		if err := m.queue.Define(kind); err != nil {
			return nil, err
		}
	}
	m.waiting.Store(true)
	m.db.OnRestore(store.RestoreHook{Name: "memory", Done: func(ctx context.Context) {
		if err := m.reconcile(ctx); err != nil {
			m.log.WarnContext(ctx, "vectors not counted after a restore", "part", "memory", "err", err)
		}
	}})
	m.db.AddRetention(store.Retention{Name: "memory_facts", Keep: opts.Rules.Keep, Prune: m.fade})
	return m, nil
}

// Run writes down what was used, has texts embedded and watches folders, until ctx ends.
func (m *Mind) Run(ctx context.Context) error {
	w, err := m.newWatcher()
	if err != nil {
		return err
	}
	defer w.close()
	ticker := time.NewTicker(tendEvery)
	defer ticker.Stop()
	quiet := time.NewTimer(quietFor)
	defer quiet.Stop()
	settle := time.NewTimer(lifecycle.Settle)
	defer settle.Stop()
	for {
		select {
		case <-settle.C:
			m.takeUp(ctx)
			w.look(ctx)
		case <-ctx.Done():
			m.saveUsage(context.WithoutCancel(ctx))
			return nil
		case <-m.wake:
			m.embedSoon(ctx)
		case <-ticker.C:
			m.tend(ctx)
			w.tend(ctx)
		case <-m.watch:
			w.look(ctx)
		case change, ok := <-w.changes():
			if ok {
				w.changed(ctx, change)
				quiet.Reset(quietFor)
			}
		case <-quiet.C:
			w.tend(ctx)
		}
	}
}

// takeUp does what an earlier process left undone.
func (m *Mind) takeUp(ctx context.Context) {
	lost, err := m.missed(ctx)
	if lost && err == nil {
		err = m.reconcile(ctx)
	}
	if err != nil && ctx.Err() == nil {
		m.log.WarnContext(ctx, "vectors not counted", "part", "memory", "err", err)
	}
	m.tend(ctx)
}

// tendEvery is how often usage is written down and texts without vectors are looked for.
const tendEvery = 3 * time.Second

func (m *Mind) tend(ctx context.Context) {
	m.saveUsage(ctx)
	m.embedSoon(ctx)
}

// Channel is where everything about a workspace's memory is said.
const Channel = "memory"

// say appends facts about memory to what happened.
func (m *Mind) say(ctx context.Context, tx *store.Tx, ws ids.Workspace, ev ...events.Event) error {
	return m.hub.Append(ctx, tx, ws, Channel, ev...)
}
