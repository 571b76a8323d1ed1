package runs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/spool"
	"github.com/fluxway/fluxway/internal/store"
)

const (
	scribePause = 20 * time.Millisecond // between two commits that nobody waits for
	scribeRetry = time.Second           // after a commit that failed
	scribeGroup = 512                   // entries of a commit at the most
	scribeAhead = 4096                  // entries that may wait; then runs wait for the database
	maxHeld     = 4096                  // deltas of a run that wait for the facts before them; more are dropped
)

// scribe takes the entries of all runs: each is in a file when add returns, and that survives the process. The
// database has them a moment later, as many in a commit as came meanwhile; only then are their facts said.
type scribe struct {
	db    *store.DB
	hub   *events.Hub
	log   *slog.Logger
	spool *spool.Spool
	kick  chan struct{} // holds one: there are entries
	hurry chan struct{} // holds one: somebody waits for them

	flushing sync.Mutex // one commit at a time; before mu

	mu      sync.Mutex // guards the fields below, and attempt.kept, .behind, .held, .releasing and .lost
	queue   []*entry
	added   int64 // entries so far
	written int64
	running bool
	failed  error // of the last commit; nil: none
	waiters []waiter
}

// waiter wants to know when the first entries are in the database.
type waiter struct {
	upto int64
	done chan error
}

func newScribe(opts Options, log *slog.Logger) *scribe {
	return &scribe{db: opts.DB, hub: opts.Hub, log: log, spool: spool.New(opts.Journal, "runs"), kick: make(chan struct{}, 1), hurry: make(chan struct{}, 1)}
}

// add keeps an entry.
func (s *scribe) add(ctx context.Context, e *entry) error {
	if err := s.replay(ctx); err != nil {
		return err
	}
	running, err := s.enqueue(e)
	if err != nil {
		return err
	}
	if running {
		wake(s.kick)
		return nil
	}
	return s.settle(ctx)
}

func (s *scribe) enqueue(e *entry) (running bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := e.by
	switch {
	case a.lost:
		return false, errMoved
	case s.failed != nil:
		return false, s.failed
	}
	e.n = a.kept + 1
	if e.leaf, err = s.spool.Add(e.append); err != nil {
		return false, err
	}
	a.kept++
	a.behind++
	s.queue = append(s.queue, e)
	s.added++
	return s.running && len(s.queue) < scribeAhead, nil
}

func wake(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// settle returns when the database has all that was added before.
func (s *scribe) settle(ctx context.Context) error {
	if s == nil {
		return nil
	}
	if err := s.replay(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	if s.written == s.added {
		s.mu.Unlock()
		return nil
	}
	w := waiter{s.added, make(chan error, 1)}
	s.waiters = append(s.waiters, w)
	running := s.running
	s.mu.Unlock()
	if running {
		wake(s.hurry)
	} else if err := s.flush(); err != nil {
		return err
	}
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// run writes behind until ctx ends; what was added by then is written before it returns.
func (s *scribe) run(ctx context.Context) error {
	if err := s.replay(ctx); err != nil {
		return err
	}
	s.setRunning(true)
	defer func() {
		s.setRunning(false)
		if err := s.flush(); err != nil {
			s.log.ErrorContext(ctx, "the last steps stay in the journal until the next start", "part", "runs", "err", err)
			s.giveUp(err)
		}
		if err := s.spool.Close(); err != nil {
			s.log.ErrorContext(ctx, "journal not closed", "part", "runs", "err", err)
		}
	}()
	pause := time.NewTimer(0)
	defer pause.Stop()
	for s.due(ctx, pause) {
		next := scribePause
		if err := s.flush(); err != nil {
			s.log.ErrorContext(ctx, "steps wait in the journal", "part", "runs", "err", err)
			next = scribeRetry
			wake(s.kick)
		}
		pause.Reset(next)
	}
	return nil
}

// due waits until there is something to write: at once if somebody waits for it, else a while after the last time.
func (s *scribe) due(ctx context.Context, pause *time.Timer) bool {
	select {
	case <-ctx.Done():
		return false
	case <-s.hurry:
		return true
	case <-s.kick:
	}
	select {
	case <-ctx.Done():
		return false
	case <-s.hurry:
	case <-pause.C:
	}
	return true
}

func (s *scribe) setRunning(running bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = running
}

// giveUp tells those who wait that the database does not take it.
func (s *scribe) giveUp(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.waiters {
		w.done <- err
	}
	s.waiters = nil
}

// flush writes what is queued, group by group.
func (s *scribe) flush() error {
	s.flushing.Lock()
	defer s.flushing.Unlock()
	for {
		s.mu.Lock()
		group := slices.Clone(s.queue[:min(len(s.queue), scribeGroup)])
		s.mu.Unlock()
		if len(group) == 0 {
			return nil
		}
		lost, err := s.commit(context.Background(), group)
		s.mu.Lock()
		s.failed = err
		s.mu.Unlock()
		if err != nil {
			return fmt.Errorf("writing the journal of runs: %w", err)
		}
		s.done(group, lost)
	}
}

// done lets go of a group that is durable: files, deltas that waited for it, and whoever waits.
func (s *scribe) done(group []*entry, lost map[ids.Run]bool) {
	leaves := make([]*spool.Leaf, len(group))
	var caught []*attempt
	s.mu.Lock()
	s.queue = slices.Delete(s.queue, 0, len(group))
	s.written += int64(len(group))
	for i, e := range group {
		leaves[i] = e.leaf
		e.by.lost = e.by.lost || lost[e.run]
		if e.by.behind--; e.by.behind == 0 {
			caught = append(caught, e.by)
		}
	}
	s.mu.Unlock()
	if err := s.spool.Written(leaves); err != nil {
		s.log.Error("journal not shortened", "part", "runs", "err", err)
	}
	for _, a := range caught {
		s.release(a)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiters = slices.DeleteFunc(s.waiters, func(w waiter) bool {
		if w.upto > s.written {
			return false
		}
		w.done <- nil
		return true
	})
}

// publish says a delta of a run, behind the facts that were kept before it.
func (s *scribe) publish(a *attempt, ev events.Event) {
	s.mu.Lock()
	wait := a.behind > 0 || a.releasing
	if wait && len(a.held) < maxHeld {
		a.held = append(a.held, ev)
	}
	s.mu.Unlock()
	if !wait {
		s.hub.Publish(a.run.Workspace, a.run.channel(), ev)
	}
}

// release says the deltas that waited.
func (s *scribe) release(a *attempt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for a.behind == 0 && len(a.held) > 0 {
		held := a.held
		a.held, a.releasing = nil, true
		s.mu.Unlock()
		for _, ev := range held {
			s.hub.Publish(a.run.Workspace, a.run.channel(), ev)
		}
		s.mu.Lock()
		a.releasing = false
	}
}

// commit writes entries in one transaction, those of a run that is not this attempt's any more excepted.
func (s *scribe) commit(ctx context.Context, group []*entry) (lost map[ids.Run]bool, err error) {
	works := byRun(group)
	err = s.db.InTx(ctx, func(tx *store.Tx) error {
		lost = make(map[ids.Run]bool)
		var lines []line
		for _, w := range works {
			if err := w.last.fence(ctx, tx, lost); err != nil {
				return err
			}
			if lost[w.last.run] {
				continue
			}
			lines = append(lines, w.lines...)
			if err := s.hub.AppendEncoded(tx, w.last.workspace, w.last.channel, w.facts); err != nil {
				return err
			}
		}
		return writeLines(ctx, tx, lines)
	})
	return lost, err
}

// work is what the entries of one run bring.
type work struct {
	last  *entry
	lines []line
	facts []events.Encoded
}

// byRun puts entries of a run together, which lets their facts share rows. Runs of one group do not follow from each
// other: what one of them waits for from another is written before it goes on.
func byRun(group []*entry) []*work {
	var all []*work
	of := make(map[ids.Run]*work)
	for _, e := range group {
		w := of[e.run]
		if w == nil {
			w = &work{}
			of[e.run] = w
			all = append(all, w)
		}
		w.last, w.lines, w.facts = e, append(w.lines, e.lines...), append(w.facts, e.facts...)
	}
	return all
}

// fence writes what the run has done, if it is still this attempt's.
func (e *entry) fence(ctx context.Context, tx *store.Tx, lost map[ids.Run]bool) error {
	n, err := tx.Exec(ctx, journalRun, e.sum.turns, e.sum.calls, e.sum.spent, e.usage, e.sum.first, e.n, e.run, e.attempt, e.n)
	if n == 0 {
		lost[e.run] = true
	}
	return err
}

// replay writes what a process that died has told its journal only, once. An entry that the database has is known
// by its number.
func (s *scribe) replay(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx) // half of it would have to be done again
	var group []*entry
	err := s.spool.Recover(spool.Left{
		Read: func(raw []byte) error {
			e, err := readEntry(raw)
			if err != nil {
				return err
			}
			known, err := store.One[int64](ctx, s.db.Read(), selectJournaled, e.run, e.attempt)
			if errors.Is(err, store.ErrNoRows) || (err == nil && e.n <= known) {
				return nil
			}
			group = append(group, e)
			return err
		},
		Write: func() error {
			all := group
			if group = nil; len(all) == 0 {
				return nil
			}
			_, err := s.commit(ctx, all)
			if err == nil {
				s.log.InfoContext(ctx, "wrote what a killed process had in its journal", "part", "runs", "entries", len(all))
			}
			return err
		},
		Aside: func(file string, why error) {
			s.log.ErrorContext(ctx, "a journal is not understood and was put aside", "part", "runs", "file", file, "err", why)
		},
	})
	if err != nil {
		return fmt.Errorf("writing what the journal of runs has: %w", err)
	}
	return nil
}
