package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// maxBatch bounds how many callers share a commit, so that none waits long.
const maxBatch = 512

// writer is the one connection that changes rows. The caller that finds it free
// leads a batch; the rest wait for their result or to lead the next.
type writer struct {
	engine *Engine
	binder *binder
	conn   *sql.Conn            // used by the leader only
	stmts  map[string]*sql.Stmt // used by the leader only

	mu     sync.Mutex // guards the fields below
	queue  []*request
	busy   bool
	closed bool
	idle   chan struct{} // closed when the writer was closed and is free
}

type request struct {
	ctx   context.Context
	f     func(*Tx) error
	tx    *Tx
	err   error
	wake  chan bool // true: you lead now; false: done
	panic any
	leads bool // was told to lead; guarded by writer.mu
}

// batch is one transaction shared by several callers.
type batch struct {
	w *writer
}

func newWriter(engine *Engine, b *binder) *writer {
	return &writer{engine: engine, binder: b, stmts: make(map[string]*sql.Stmt), idle: make(chan struct{})}
}

var requests = sync.Pool{New: func() any { return &request{wake: make(chan bool, 1)} }}

func (w *writer) do(ctx context.Context, f func(*Tx) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	r := requests.Get().(*request)
	r.ctx, r.f = ctx, f
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

// lead runs one batch and passes the lead on.
func (w *writer) lead() {
	w.mu.Lock()
	n := min(len(w.queue), maxBatch)
	taken := append([]*request(nil), w.queue[:n]...)
	w.queue = append(w.queue[:0], w.queue[n:]...)
	w.mu.Unlock()

	w.run(taken)

	for _, r := range taken {
		r.wake <- false
	}
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

// run commits the requests together; if that fails for a reason that is not one
// caller's own, each is tried alone, so that nobody fails for a neighbour.
func (w *writer) run(taken []*request) {
	err := w.commit(taken)
	if err == nil {
		return
	}
	if len(taken) == 1 {
		w.repeat(taken[0], err)
		return
	}
	var unknown *unknownOutcome
	for _, r := range taken {
		if errors.As(err, &unknown) {
			r.err = err
			continue
		}
		if alone := w.commit([]*request{r}); alone != nil {
			w.repeat(r, alone)
		}
	}
}

// repeat tries a single request a few more times when the engine undid it for
// reasons of its own (a deadlock with another process).
func (w *writer) repeat(r *request, err error) {
	for range 5 {
		if !w.engine.Again(err) || r.ctx.Err() != nil {
			break
		}
		if err = w.commit([]*request{r}); err == nil {
			return
		}
	}
	r.err = err
}

// commit runs the closures in one transaction. The error it returns is one that
// undid the whole transaction; a closure's own error is left in its request.
func (w *writer) commit(taken []*request) error {
	ctx := context.Background()
	if err := w.connect(ctx); err != nil {
		return err
	}
	if err := w.exec(ctx, w.engine.Begin); err != nil {
		w.disconnect()
		return fmt.Errorf("beginning a transaction: %w", err)
	}
	b := &batch{w: w}
	for _, r := range taken {
		r.err, r.panic, r.tx = nil, nil, &Tx{batch: b}
		if err := w.runOne(ctx, r, len(taken) > 1); err != nil {
			return w.undo(ctx, err)
		}
	}
	if len(taken) == 1 && taken[0].err != nil {
		return w.rollback(ctx)
	}
	last := &Tx{batch: b}
	if err := flush(ctx, taken, last); err != nil {
		return w.undo(ctx, err)
	}
	if err := w.exec(ctx, "COMMIT"); err != nil {
		if w.engine.Again(err) {
			return w.undo(ctx, err)
		}
		w.disconnect()
		return &unknownOutcome{err}
	}
	for _, r := range taken {
		if r.err == nil {
			for _, f := range r.tx.after {
				f()
			}
		}
	}
	for _, f := range last.after {
		f()
	}
	return nil
}

// runOne runs one closure, in a savepoint when it shares the transaction.
func (w *writer) runOne(ctx context.Context, r *request, shared bool) error {
	if r.ctx.Err() != nil {
		r.err = context.Cause(r.ctx)
		return nil
	}
	if shared {
		if err := w.exec(ctx, "SAVEPOINT one"); err != nil {
			return err
		}
	}
	w.call(r)
	if r.err != nil && w.engine.Again(r.err) {
		return r.err
	}
	if !shared {
		return nil
	}
	if r.err != nil {
		if err := w.exec(ctx, "ROLLBACK TO one"); err != nil {
			return err
		}
	}
	return w.exec(ctx, "RELEASE one")
}

// call runs the closure; its panic is carried to the caller it belongs to.
func (w *writer) call(r *request) {
	defer func() {
		if p := recover(); p != nil {
			r.panic = fmt.Sprintf("%v\n%s", p, debug.Stack())
			r.err = errors.New("panic in a transaction")
		}
	}()
	r.err = r.f(r.tx)
}

// flush calls what was registered with BeforeCommit, once per key.
func flush(ctx context.Context, taken []*request, tx *Tx) error {
	var order []any
	items := make(map[any][]any)
	flushes := make(map[any]func(context.Context, *Tx, []any) error)
	for _, r := range taken {
		if r.err != nil {
			continue
		}
		for _, p := range r.tx.pending {
			if _, ok := flushes[p.key]; !ok {
				order = append(order, p.key)
				flushes[p.key] = p.flush
			}
			items[p.key] = append(items[p.key], p.item)
		}
	}
	for _, key := range order {
		if err := flushes[key](ctx, tx, items[key]); err != nil {
			return err
		}
	}
	return nil
}

// undo rolls back and gives the reason on; a connection that cannot roll back
// is dropped, which rolls back too.
func (w *writer) undo(ctx context.Context, reason error) error {
	if err := w.rollback(ctx); err != nil {
		return errors.Join(reason, err)
	}
	return reason
}

func (w *writer) rollback(ctx context.Context) error {
	if err := w.exec(ctx, "ROLLBACK"); err != nil {
		w.disconnect()
	}
	return nil
}

func (w *writer) exec(ctx context.Context, query string) error {
	stmt, err := w.prepare(ctx, query)
	if err != nil {
		return err
	}
	_, err = stmt.ExecContext(ctx)
	return err
}

func (w *writer) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt := w.stmts[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := w.conn.PrepareContext(context.WithoutCancel(ctx), w.binder.bind(query))
	if err != nil {
		return nil, fmt.Errorf("preparing %.80q: %w", query, err)
	}
	if len(w.stmts) >= maxStatements {
		return nil, errors.New("store: too many different statements; SQL must not be built from data")
	}
	w.stmts[query] = stmt
	return stmt, nil
}

func (w *writer) connect(ctx context.Context) error {
	if w.conn != nil {
		return nil
	}
	conn, err := w.engine.Write.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connecting to %s: %w", w.engine.Where, err)
	}
	w.conn = conn
	return nil
}

// disconnect drops a connection whose state is unknown.
func (w *writer) disconnect() {
	for _, stmt := range w.stmts {
		stmt.Close()
	}
	clear(w.stmts)
	if w.conn != nil {
		// ErrBadConn makes database/sql discard the connection instead of reusing it.
		_ = w.conn.Raw(func(any) error { return driver.ErrBadConn })
		w.conn.Close()
		w.conn = nil
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
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, stmt := range w.stmts {
		stmt.Close()
	}
	clear(w.stmts)
	if w.conn == nil {
		return nil
	}
	conn := w.conn
	w.conn = nil
	return conn.Close()
}

// unknownOutcome: the connection broke during COMMIT, so the rows may or may
// not be there. It is never repeated blindly.
type unknownOutcome struct{ err error }

// Error says so.
func (u *unknownOutcome) Error() string {
	return "the commit's outcome is unknown: " + u.err.Error()
}

// Unwrap gives the engine's error.
func (u *unknownOutcome) Unwrap() error { return u.err }
