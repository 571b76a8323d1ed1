package costs

import (
	"context"
	"fmt"
	"slices"

	"github.com/fluxway/fluxway/internal/kit/spool"
	"github.com/fluxway/fluxway/internal/store"
)

// maxGroup bounds how many changes share a transaction.
const maxGroup = 512

// op is one change on its way into the database. What it answers is set, never
// added to, because its transaction may run more than once.
type op struct {
	reserve *Reservation
	settle  *settling
	do      func(k *book) error // anything else

	adds   [2]int64  // the most that it adds to any budget while it is queued
	marks  []mark    // the budgets concerned, with the period of each
	whole  *settling // of a reserve: how the call ended, if that is in the same group
	merged bool      // of a settle: its reserve writes it
	answer answer    // of a reserve
	err    error
	leaf   *spool.Leaf   // where the journal has it; nil: it has not
	done   chan struct{} // closed when written; nil: nobody waits
}

// submit queues a change. Without Run the caller writes it, and whatever else
// waits, itself.
func (l *Ledger) submit(o *op) {
	l.mu.Lock()
	running, wake := l.enqueue(o)
	l.mu.Unlock()
	l.wake(running, wake)
}

// enqueue adds a change to the queue. The caller holds mu, and calls wake after.
func (l *Ledger) enqueue(o *op) (running bool, wake chan struct{}) {
	l.queue = append(l.queue, o)
	if o.done == nil && l.waiting == 0 {
		return l.running, l.later
	}
	return l.running, l.kick
}

// adding counts what a change may add to budgets until it is written. The caller
// holds mu.
func (l *Ledger) adding(o *op) {
	l.pending[0] += o.adds[0]
	l.pending[1] += o.adds[1]
}

func (l *Ledger) wake(running bool, wake chan struct{}) {
	if !running {
		l.flush()
		return
	}
	select {
	case wake <- struct{}{}:
	default:
	}
}

// withdraw takes a change that nobody has begun back.
func (l *Ledger) withdraw(o *op) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.queue, o)
	if i < 0 {
		return false
	}
	l.queue = slices.Delete(l.queue, i, i+1)
	l.written(o)
	return true
}

// Flush returns once everything that was queued before is written, with what
// could not be.
func (l *Ledger) Flush(ctx context.Context) error {
	return l.change(ctx, func(*book) error { return nil })
}

// read is where rows are read that people look at: what the journal took is
// written first, so that nobody misses a call they just made.
func (l *Ledger) read(ctx context.Context) store.Querier {
	l.mu.Lock()
	behind := l.journal != nil && (l.writing || len(l.queue) > 0)
	l.mu.Unlock()
	if behind {
		_ = l.Flush(ctx) // what could not be written is logged; the rest is still worth reading
	}
	return l.db.Read()
}

// change runs f in the queue's order and waits for it.
func (l *Ledger) change(ctx context.Context, f func(k *book) error) error {
	o := &op{do: f, done: make(chan struct{})}
	l.submit(o)
	select {
	case <-o.done:
	case <-ctx.Done():
		if l.withdraw(o) {
			return context.Cause(ctx)
		}
		<-o.done // it is being written
	}
	return o.err
}

// flush writes what is queued, group by group.
func (l *Ledger) flush() {
	l.flushing.Lock()
	defer l.flushing.Unlock()
	for {
		l.mu.Lock()
		group := l.queue[:min(len(l.queue), maxGroup):min(len(l.queue), maxGroup)]
		l.queue = l.queue[len(group):]
		if len(l.queue) == 0 {
			l.queue = nil
		}
		l.writing = len(group) > 0
		l.mu.Unlock()
		if len(group) == 0 {
			return
		}
		l.write(group)
	}
}

// write commits a group; if that fails each is tried alone, so that nobody
// fails for a neighbour.
func (l *Ledger) write(group []*op) {
	err := l.commit(group)
	if err != nil && len(group) > 1 {
		for i := range group {
			l.write(group[i : i+1])
		}
		return
	}
	if err != nil {
		l.mu.Lock()
		for _, o := range group {
			l.written(o)
		}
		l.mu.Unlock()
	}
	for _, o := range group {
		o.err = err
		switch {
		case err == nil:
		case o.settle != nil:
			l.log.Error("usage not written", "part", "costs", "record", o.settle.r.rec.ID, "err", err)
		case o.leaf != nil:
			l.log.Error("call not written", "part", "costs", "record", o.reserve.rec.ID, "err", err)
		}
		if o.done != nil {
			close(o.done)
		}
	}
	if err == nil && l.journal != nil {
		l.struck(group)
	}
}

// struck takes what the database has now off the journal.
func (l *Ledger) struck(group []*op) {
	var of []*spool.Leaf
	for _, o := range group {
		if o.leaf != nil {
			of = append(of, o.leaf)
		}
	}
	if err := l.journal.Written(of); err != nil {
		l.log.Error("journal not shortened", "part", "costs", "err", err)
	}
}

func (l *Ledger) commit(group []*op) error {
	ctx := context.Background()
	var k *book
	err := l.db.InTx(ctx, func(tx *store.Tx) error {
		k = l.newBook(ctx, tx)
		return k.write(group)
	})
	if err != nil {
		l.forgetCache() // what was committed, if anything, is read again
		return fmt.Errorf("writing the ledger: %w", err)
	}
	k.committed(group)
	return nil
}

// written takes back what a change counted for while it was queued. The caller
// holds mu.
func (l *Ledger) written(o *op) {
	l.pending[0] -= o.adds[0]
	l.pending[1] -= o.adds[1]
}
