package store

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// maxBatch bounds how many callers share a commit, so that none waits long.
const maxBatch = 512

// writer is the one connection that changes rows. The caller that finds it free
// leads a batch; the rest wait for their result or to lead the next.
type writer struct {
	engine *Engine
	conn   session    // used by the leader only
	taken  []*request // the leader's batch
	last   int        // how many the batch before this one had; used by the leader only

	careful int // how many batches have savepoints from here on; used by the leader only

	mu     sync.Mutex // guards the fields below
	queue  []*request
	busy   bool
	closed bool
	idle   chan struct{} // closed when the writer was closed and is free
}

type request struct {
	ctx     context.Context
	f       func(*Tx) error
	prelude string // run before the transaction, which is then shared with nobody
	tx      *Tx
	err     error
	panic   any
	wake    chan bool // true: you lead now; false: done
	leads   bool      // was told to lead; guarded by writer.mu
}

func newWriter(engine *Engine, b *binder) *writer {
	return &writer{engine: engine, conn: session{engine: engine, binder: b}, idle: make(chan struct{})}
}

var requests = sync.Pool{New: func() any { return &request{wake: make(chan bool, 1)} }}

// errAbandoned is what callers get when the one who led their batch ended its
// goroutine inside it.
var errAbandoned = errors.New("the transaction was abandoned by the caller that led it")

func (w *writer) do(ctx context.Context, f func(*Tx) error, prelude string) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	r := requests.Get().(*request)
	r.ctx, r.f, r.prelude = ctx, f, prelude
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return fault.New(fault.Unavailable, "stopping", "The server is stopping; nothing was saved.").WithHint("Try again in a moment.")
	}
	w.queue = append(w.queue, r)
	lead := !w.busy
	w.busy = true
	w.mu.Unlock()
	if !lead {
		select {
		case lead = <-r.wake:
		case <-ctx.Done():
			if w.withdraw(r) {
				return context.Cause(ctx)
			}
			lead = <-r.wake
		}
	}
	if lead {
		w.lead()
		<-r.wake // our own request was in the batch we led
	}
	err, panicked := r.err, r.panic
	*r = request{wake: r.wake}
	requests.Put(r)
	if panicked != nil {
		panic(panicked)
	}
	return err
}

// withdraw takes a request that nobody has begun back out of the queue.
func (w *writer) withdraw(r *request) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, queued := range w.queue {
		if queued == r && !r.leads {
			w.queue = append(w.queue[:i], w.queue[i+1:]...)
			return true
		}
	}
	return false
}

// lead runs one batch and passes the lead on, even when a closure ends the
// leader's goroutine.
func (w *writer) lead() {
	w.gather()
	w.mu.Lock()
	w.take()
	w.mu.Unlock()
	finished := false
	defer func() {
		if !finished {
			w.conn.drop()
			for _, r := range w.taken {
				r.err = errAbandoned
			}
		}
		w.last = len(w.taken)
		for _, r := range w.taken {
			r.wake <- false
		}
		clear(w.taken)
		w.handOver()
	}()
	w.run(w.taken)
	finished = true
}

// gather lets callers that the batch before has just woken come back, so that
// they share this commit instead of waiting for the next.
func (w *writer) gather() {
	for range 3 {
		w.mu.Lock()
		n := len(w.queue)
		w.mu.Unlock()
		if n >= w.last {
			return
		}
		runtime.Gosched()
	}
}

// take moves the next batch from the queue; a request with a prelude
// ends the batch before it, or is the batch.
func (w *writer) take() {
	n := 0
	for n < min(len(w.queue), maxBatch) && w.queue[n].prelude == "" {
		n++
	}
	n = max(n, 1)
	w.taken = append(w.taken[:0], w.queue[:n]...)
	rest := copy(w.queue, w.queue[n:])
	clear(w.queue[rest:])
	w.queue = w.queue[:rest]
}

func (w *writer) handOver() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) > 0 {
		w.queue[0].leads = true
		w.queue[0].wake <- true // stays busy; the next one leads
		return
	}
	w.busy = false
	if w.closed {
		close(w.idle)
	}
}

// close refuses new work and waits for what was accepted.
func (w *writer) close() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	if !w.busy {
		close(w.idle)
	}
	w.mu.Unlock()
	<-w.idle
	return w.conn.close()
}
