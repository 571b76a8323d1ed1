package runs

import (
	"context"
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
// database has them a moment later, as many in a commit as came meanwhile; only then are their facts said. Who needs those of one run
// at once has them written by themselves, and leaves the others for the next commit, which more of theirs will share.
type scribe struct {
	db    *store.DB
	hub   *events.Hub
	log   *slog.Logger
	spool *spool.Spool
	kick  chan struct{} // holds one: there are entries

	mu      sync.Mutex // guards the fields below, piles, and attempt.kept, .behind, .held, .releasing and .lost
	piles   map[ids.Run]*pile
	order   []*pile // those with entries that nobody writes, the oldest first
	waiting int     // how many entries that are
	running bool
	failed  error // of the last commit; nil: none
}

// pile is what the database does not have of a run.
type pile struct {
	added   int           // entries so far
	written int           // of them that the database has
	entries []*entry      // of them that nobody writes yet
	writing chan struct{} // closed when those before them are written, or could not be; nil: there are none
}

func newScribe(opts Options, log *slog.Logger) *scribe {
	return &scribe{db: opts.DB, hub: opts.Hub, log: log, spool: spool.New(opts.Journal, "runs"), kick: make(chan struct{}, 1), piles: make(map[ids.Run]*pile)}
}

// add keeps an entry.
func (s *scribe) add(ctx context.Context, e *entry) error {
	if err := s.replay(ctx); err != nil {
		return err
	}
	behind, err := s.enqueue(e)
	if err != nil {
		return err
	}
	if behind {
		wake(s.kick)
		return nil
	}
	return s.settle(ctx, e.run)
}

// enqueue says whether the entry is written behind; else its run waits for it.
func (s *scribe) enqueue(e *entry) (behind bool, err error) {
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
	p := s.piles[e.run]
	if p == nil {
		p = new(pile)
		s.piles[e.run] = p
	}
	p.added++
	s.queue(p, e)
	return s.running && s.waiting < scribeAhead, nil
}

// queue has entries written behind. The caller holds mu.
func (s *scribe) queue(p *pile, entries ...*entry) {
	if len(p.entries) == 0 {
		s.order = append(s.order, p)
	}
	p.entries = append(p.entries, entries...)
	s.waiting += len(entries)
}

func wake(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// settle returns when the database has all that was added of a run before.
func (s *scribe) settle(ctx context.Context, run ids.Run) error {
	if s == nil {
		return nil
	}
	if err := s.replay(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.piles[run]
	if p == nil {
		return nil
	}
	for upto := p.added; p.written < upto; {
		if err := s.further(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// further writes what waits in a pile, or waits for who does. The caller holds mu, which is free meanwhile.
func (s *scribe) further(ctx context.Context, p *pile) error {
	if p.writing != nil {
		return s.await(ctx, p)
	}
	g := s.claim(p)
	s.mu.Unlock()
	defer s.mu.Lock()
	return s.write(g)
}

// await waits for who writes entries of a pile. The caller holds mu, which is free meanwhile.
func (s *scribe) await(ctx context.Context, p *pile) error {
	writing := p.writing
	s.mu.Unlock()
	defer s.mu.Lock()
	select {
	case <-writing:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// take gives what the database does not have of a run to who ends it, to be written in the same transaction; nil: nothing. The taker
// says with finish what became of it.
func (s *scribe) take(ctx context.Context, a *attempt) (*group, error) {
	if s == nil {
		return nil, nil
	}
	if err := s.replay(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		p := s.piles[a.run.ID]
		if p == nil {
			return nil, nil
		}
		if p.writing == nil {
			g := s.claim(p)
			g.deltas, a.held = a.held, nil
			return g, nil
		}
		if err := s.await(ctx, p); err != nil {
			return nil, err
		}
	}
}

// group is what one commit writes.
type group struct {
	piles   []*pile
	sizes   []int // entries of each pile
	entries []*entry
	deltas  []events.Event // behind them, of a run that ends
	written chan struct{}
}

// claim takes piles out of the order. The caller holds mu.
func (s *scribe) claim(piles ...*pile) *group {
	g := &group{piles: piles, written: make(chan struct{})}
	s.order = slices.DeleteFunc(s.order, func(p *pile) bool { return slices.Contains(piles, p) })
	for _, p := range piles {
		g.sizes, g.entries = append(g.sizes, len(p.entries)), append(g.entries, p.entries...)
		p.entries, p.writing = nil, g.written
	}
	s.waiting -= len(g.entries)
	return g
}

// due claims what is next of what nobody writes yet; nil: nothing.
func (s *scribe) due() *group {
	s.mu.Lock()
	defer s.mu.Unlock()
	count := 0
	var piles []*pile
	for _, p := range s.order {
		if p.writing == nil && count < scribeGroup {
			count += len(p.entries)
			piles = append(piles, p)
		}
	}
	if count == 0 {
		return nil
	}
	return s.claim(piles...)
}

// write commits a group.
func (s *scribe) write(g *group) error {
	lost, err := s.commit(context.Background(), g.entries)
	s.mu.Lock()
	s.failed = err
	s.mu.Unlock()
	s.finish(g, lost, err == nil)
	if err != nil {
		return fmt.Errorf("writing the journal of runs: %w", err)
	}
	return nil
}

// finish lets go of a group that the database has: files, deltas that waited for it, and whoever waits. What it does not have is
// next again.
func (s *scribe) finish(g *group, lost map[ids.Run]bool, written bool) {
	if g == nil {
		return
	}
	if written {
		for _, a := range s.caughtUp(g, lost) {
			s.release(a)
		}
		s.forget(g.entries)
	}
	s.over(g, !written)
	if !written {
		wake(s.kick)
	}
}

// caughtUp lists the attempts of which the database has everything now.
func (s *scribe) caughtUp(g *group, lost map[ids.Run]bool) (all []*attempt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range g.entries {
		e.by.lost = e.by.lost || lost[e.run]
		if e.by.behind--; e.by.behind == 0 {
			all = append(all, e.by)
		}
	}
	return all
}

// over ends the writing of a group, of which the database has all or nothing.
func (s *scribe) over(g *group, failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if failed && len(g.deltas) > 0 {
		a := g.entries[0].by
		a.held = append(g.deltas, a.held...)
	}
	rest := g.entries
	for i, p := range g.piles {
		mine, later := rest[:g.sizes[i]:g.sizes[i]], p.entries
		rest, p.writing = rest[g.sizes[i]:], nil
		switch {
		case !failed:
			p.written += len(mine)
		case len(later) == 0:
			s.queue(p, mine...)
		default: // it is in the order already
			p.entries = append(mine, later...)
			s.waiting += len(mine)
		}
		if len(p.entries) == 0 {
			delete(s.piles, mine[0].run)
		}
	}
	close(g.written)
}

// forget lets the files of entries go that the database has.
func (s *scribe) forget(entries []*entry) {
	leaves := make([]*spool.Leaf, len(entries))
	for i, e := range entries {
		leaves[i] = e.leaf
	}
	if err := s.spool.Written(leaves); err != nil {
		s.log.Error("journal not shortened", "part", "runs", "err", err)
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
		if err := s.drain(); err != nil {
			s.log.ErrorContext(ctx, "the last steps stay in the journal until the next start", "part", "runs", "err", err)
		}
		if err := s.spool.Close(); err != nil {
			s.log.ErrorContext(ctx, "journal not closed", "part", "runs", "err", err)
		}
	}()
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.kick:
		}
		select {
		case <-ctx.Done():
			return nil
		case <-pause.C:
		}
		next := scribePause
		if err := s.flush(); err != nil {
			s.log.ErrorContext(ctx, "steps wait in the journal", "part", "runs", "err", err)
			next = scribeRetry
		}
		pause.Reset(next)
	}
}

func (s *scribe) setRunning(running bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = running
}

// flush writes what is there, group by group; what comes meanwhile is for the next time, and so is what comes behind entries that
// another writes.
func (s *scribe) flush() error {
	s.mu.Lock()
	left := s.waiting
	s.mu.Unlock()
	for left > 0 {
		g := s.due()
		if g == nil {
			wake(s.kick)
			return nil
		}
		if err := s.write(g); err != nil {
			return err
		}
		left -= len(g.entries)
	}
	return nil
}

// drain writes all there is, and waits for what others write.
func (s *scribe) drain() error {
	for {
		if err := s.flush(); err != nil {
			return err
		}
		writing := s.someoneWrites()
		if writing == nil {
			return nil
		}
		<-writing
	}
}

// someoneWrites gives what is closed once a group that another writes is done; nil: there is none.
func (s *scribe) someoneWrites() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.piles {
		if p.writing != nil {
			return p.writing
		}
	}
	return nil
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
