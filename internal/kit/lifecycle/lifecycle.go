// Package lifecycle starts the parts of a program in order and stops them in
// the opposite order.
//
// In:    named parts with Run(ctx) error.
// Out:   Group.Run, which ends when the context does or when a part fails, and
// names the part that failed or would not stop.
// Keeps: nothing. Says: nothing.
// Not here: building the parts (app); restarting them (whoever needs that).
package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Runner is background work that ends when ctx ends and leaves nothing running.
type Runner interface {
	Run(ctx context.Context) error
}

// Func is a function as a Runner.
type Func func(ctx context.Context) error

// Run calls the function.
func (f Func) Run(ctx context.Context) error { return f(ctx) }

// Settle is how long the chores of a start wait (what expired, what a dead process left): being ready comes first.
const Settle = time.Second

// Group runs parts together. The first added starts first and stops last, so
// that nothing outlives what it stands on.
type Group struct {
	// Grace is how long each part may take to stop; 0: 10 seconds.
	Grace time.Duration

	parts []*member
}

type member struct {
	name   string
	runner Runner
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when Run returned
	err    error         // valid once done is closed
}

// ErrStopping is the cause given to a part's context when the group stops.
var ErrStopping = errors.New("the program is stopping")

// Add puts a part on top of those added before.
func (g *Group) Add(name string, r Runner) {
	g.parts = append(g.parts, &member{name: name, runner: r})
}

// Run starts all parts, waits until ctx ends or a part returns an error, then
// stops them from the top down. A part that ends by itself without an error
// does not end the group.
func (g *Group) Run(ctx context.Context) error {
	grace := g.Grace
	if grace == 0 {
		grace = 10 * time.Second
	}
	failed := make(chan *member, len(g.parts))
	for _, m := range g.parts {
		// Detached from ctx on purpose: parts are stopped one by one, not all at once.
		var own context.Context
		own, m.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
		m.done = make(chan struct{})
		go m.run(own, failed)
	}
	var errs []error
	select {
	case <-ctx.Done():
	case m := <-failed:
		errs = append(errs, fmt.Errorf("%s: %w", m.name, m.err))
	}
	for i := len(g.parts) - 1; i >= 0; i-- {
		m := g.parts[i]
		m.cancel(ErrStopping)
		timer := time.NewTimer(grace)
		select {
		case <-m.done:
			if m.err != nil && len(errs) == 0 {
				errs = append(errs, fmt.Errorf("%s: %w", m.name, m.err))
			}
		case <-timer.C:
			errs = append(errs, fmt.Errorf("%s did not stop within %s", m.name, grace))
		}
		timer.Stop()
	}
	return errors.Join(errs...)
}

func (m *member) run(ctx context.Context, failed chan<- *member) {
	defer close(m.done)
	err := m.runner.Run(ctx)
	if err == nil || (ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, ErrStopping))) {
		return
	}
	m.err = err
	failed <- m
}
