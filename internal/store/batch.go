package store

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
)

// chunk is how many callers share a savepoint. A savepoint of its own for each
// would cost as much as the rows; when one of a chunk has to be undone, the
// chunk is run again with a savepoint each.
const chunk = 16

// carefulFor is how many batches have savepoints after one in which a caller had
// to be undone. The others have none: a savepoint keeps a copy of every page that is
// changed after it, and has what was learnt for searches written out.
const carefulFor = 32

// repeats bounds how often a closure is run again after the engine undid it.
const repeats = 5

// errSpoiled: PostgreSQL undoes a transaction in which a statement failed even
// if the closure went on, so going on must not look like success.
var errSpoiled = errors.New("store: a statement failed, its error was ignored, and the transaction can only be undone")

// unknownOutcome: the connection broke during COMMIT, so the rows may or may
// not be there. It is never repeated blindly.
type unknownOutcome struct{ err error }

// Error says so.
func (u *unknownOutcome) Error() string {
	return "the commit's outcome is unknown: " + u.err.Error()
}

// Unwrap gives the engine's error.
func (u *unknownOutcome) Unwrap() error { return u.err }

// run commits the requests together; if that fails for a reason that is not one
// caller's own, each is tried alone, so that nobody fails for a neighbour.
func (w *writer) run(taken []*request) {
	err := w.commit(taken)
	switch {
	case err == nil:
		return
	case len(taken) == 1:
		w.repeat(taken[0], err)
		return
	case final(err):
		fail(taken, err)
		return
	}
	for i, r := range taken {
		if err := w.commit(taken[i : i+1]); err != nil {
			w.repeat(r, err)
		}
		var unreachable *noConnection
		if errors.As(r.err, &unreachable) {
			fail(taken[i+1:], r.err)
			return
		}
	}
}

// final says whether trying again is pointless or unsafe.
func final(err error) bool {
	var unreachable *noConnection
	return unknown(err) || errors.As(err, &unreachable)
}

func fail(taken []*request, err error) {
	for _, r := range taken {
		r.err = err
	}
}

// repeat tries a single request again when the engine undid it for reasons of
// its own: a deadlock with another process, a cut connection, a changed schema.
func (w *writer) repeat(r *request, err error) {
	for n := 0; n < repeats && !final(err) && r.ctx.Err() == nil; n++ {
		cut := w.conn.conn == nil && n == 0
		if !cut && !w.engine.Again(err) && !w.engine.Stale(err) {
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
	if err := w.conn.begin(ctx, taken[0].prelude); err != nil {
		return err
	}
	if err := w.runAll(ctx, taken); err != nil {
		w.conn.rollback(ctx)
		if w.engine.Stale(err) {
			w.conn.drop()
		}
		return err
	}
	if !slices.ContainsFunc(taken, func(r *request) bool { return r.err == nil }) {
		if w.conn.rollback(ctx); w.conn.conn == nil {
			return taken[0].err // the connection broke: that undid it, not the closures
		}
		return nil
	}
	last := &Tx{w: w}
	if err := w.flush(ctx, taken, last); err != nil {
		w.conn.rollback(ctx)
		return err
	}
	if err := w.conn.exec(ctx, "COMMIT"); err != nil {
		if w.engine.Undone(err) {
			w.conn.rollback(ctx)
			return err
		}
		w.conn.drop()
		return &unknownOutcome{err}
	}
	announce(taken, last)
	return nil
}

func (w *writer) runAll(ctx context.Context, taken []*request) error {
	if len(taken) == 1 {
		return w.call(taken[0])
	}
	if w.careful == 0 {
		spoiled, err := w.runTogether(taken)
		if err != nil || !spoiled {
			return err
		}
		w.careful = carefulFor
		w.conn.rollback(ctx)
		if err := w.conn.begin(ctx, ""); err != nil {
			return err
		}
	}
	w.careful--
	for some := range slices.Chunk(taken, chunk) {
		if err := w.runChunk(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// runTogether runs closures without a savepoint, up to the first that has to be undone: then all of them have to be.
func (w *writer) runTogether(taken []*request) (spoiled bool, err error) {
	for _, r := range taken {
		if err := w.call(r); err != nil {
			return false, err
		}
		if r.err != nil && (r.tx.wrote || w.conn.aborted()) {
			return true, nil
		}
	}
	return false, nil
}

func (w *writer) runChunk(ctx context.Context, some []*request) error {
	if err := w.conn.exec(ctx, "SAVEPOINT chunk"); err != nil {
		return err
	}
	spoiled := false
	for _, r := range some {
		if err := w.call(r); err != nil {
			return err
		}
		if spoiled = r.err != nil && (r.tx.wrote || w.conn.aborted()); spoiled {
			break
		}
	}
	if spoiled {
		if err := w.runSingly(ctx, some); err != nil {
			return err
		}
	}
	return w.conn.exec(ctx, "RELEASE chunk")
}

// runSingly undoes a chunk and runs it again with a savepoint each.
func (w *writer) runSingly(ctx context.Context, some []*request) error {
	if err := w.conn.exec(ctx, "ROLLBACK TO chunk"); err != nil || len(some) == 1 {
		return err
	}
	for _, r := range some {
		if err := w.conn.exec(ctx, "SAVEPOINT one"); err != nil {
			return err
		}
		if err := w.call(r); err != nil {
			return err
		}
		if r.err != nil {
			if err := w.conn.exec(ctx, "ROLLBACK TO one"); err != nil {
				return err
			}
		}
		if err := w.conn.exec(ctx, "RELEASE one"); err != nil {
			return err
		}
	}
	return nil
}

// call runs a closure and leaves its error in the request; what it returns is a
// failure that undid the whole transaction.
func (w *writer) call(r *request) error {
	r.tx, r.err, r.panic = &Tx{w: w}, nil, nil
	if r.ctx.Err() != nil {
		r.err = context.Cause(r.ctx)
		return nil
	}
	r.err = r.invoke()
	r.tx.over = true
	if r.err == nil && w.conn.aborted() {
		r.err = errSpoiled
	}
	if r.err != nil && (w.engine.Again(r.err) || w.engine.Stale(r.err)) {
		return r.err
	}
	return nil
}

// invoke carries a panic to the caller it belongs to.
func (r *request) invoke() (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.panic = fmt.Sprintf("%v\n%s", p, debug.Stack())
			err = errors.New("panic in a transaction")
		}
	}()
	return r.f(r.tx)
}

// flush calls what was registered with BeforeCommit, once per key.
func (w *writer) flush(ctx context.Context, taken []*request, tx *Tx) (err error) {
	defer func() {
		tx.over = true
		if p := recover(); p != nil {
			err = fmt.Errorf("panic before a commit: %v\n%s", p, debug.Stack())
		}
	}()
	var order []pending
	items := make(map[any][]any)
	for _, r := range taken {
		if r.err != nil {
			continue
		}
		for _, p := range r.tx.pending {
			if _, known := items[p.key]; !known {
				order = append(order, p)
			}
			items[p.key] = append(items[p.key], p.item)
		}
	}
	if len(order) > 1 {
		// Flushes lock rows. Every process takes them in the same order, whatever
		// its callers came with, so that two of them do not wait for each other.
		slices.SortStableFunc(order, func(a, b pending) int { return strings.Compare(fmt.Sprintf("%T", a.key), fmt.Sprintf("%T", b.key)) })
	}
	for _, p := range order {
		if err := p.flush(ctx, tx, items[p.key]); err != nil {
			return err
		}
	}
	if len(order) > 0 && w.conn.aborted() {
		return errSpoiled
	}
	return nil
}

// announce calls what waits for the commit. A panic there comes after the rows
// are durable: it reaches one caller and stops nobody else.
func announce(taken []*request, last *Tx) {
	var lead *request
	for _, r := range taken {
		if r.err == nil {
			announceOne(r, r.tx.after)
			if lead == nil {
				lead = r
			}
		}
	}
	announceOne(lead, last.after)
}

func announceOne(r *request, after []func()) {
	defer func() {
		if p := recover(); p != nil {
			r.panic = fmt.Sprintf("%v\n%s", p, debug.Stack())
		}
	}()
	for _, f := range after {
		f()
	}
}

// reads says whether a query cannot have changed rows.
func reads(query string) bool {
	query = strings.TrimLeft(query, " \t\n\r")
	return len(query) >= 6 && strings.EqualFold(query[:6], "SELECT")
}
