// Package deadline makes contexts that end after a while and cost next to nothing until somebody waits for that.
//
// In:    a context, how long from now, and the cause of ending then.
// Out:   a context like that of context.WithTimeoutCause.
// Keeps: nothing. Says: nothing.
// Not here: contexts that are always waited for, which context makes.
package deadline

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Context ends at a moment, with its parent, or when it is told to. The timer is set when somebody waits for its end or makes
// another context of it; who only asks whether it has ended is answered by the clock.
type Context struct {
	parent context.Context
	at     time.Time
	cause  error

	inner atomic.Pointer[timed] // nil: nobody waits

	mu    sync.Mutex // guards the field below and the making of inner
	ended bool
}

// timed is the context that has the timer.
type timed struct {
	context.Context
	cancel context.CancelFunc
}

// After makes a context that ends after a while. The caller ends it when its work is done.
func After(parent context.Context, after time.Duration, cause error) *Context {
	return &Context{parent: parent, at: time.Now().Add(after), cause: cause}
}

// End ends the context, if nothing else has.
func (c *Context) End() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if t := c.inner.Load(); t != nil {
		t.cancel()
	}
}

// Deadline is when it ends at the latest.
func (c *Context) Deadline() (time.Time, bool) {
	if at, ok := c.parent.Deadline(); ok && at.Before(c.at) {
		return at, true
	}
	return c.at, true
}

// Done is closed when it has ended.
func (c *Context) Done() <-chan struct{} { return c.timed().Done() }

// Err says whether it has ended, and how.
func (c *Context) Err() error {
	if t := c.inner.Load(); t != nil {
		return t.Err()
	}
	if err := c.parent.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	ended := c.ended
	c.mu.Unlock()
	if !ended && time.Now().Before(c.at) {
		return nil
	}
	return c.timed().Err()
}

// Value is the parent's.
func (c *Context) Value(key any) any {
	if t := c.inner.Load(); t != nil {
		return t.Value(key) // its own cause is found by a key of package context
	}
	return c.parent.Value(key)
}

// timed sets the timer, once.
func (c *Context) timed() *timed {
	if t := c.inner.Load(); t != nil {
		return t
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.inner.Load(); t != nil {
		return t
	}
	t := &timed{}
	if c.ended {
		t.Context, t.cancel = context.WithCancel(c.parent)
		t.cancel()
	} else {
		t.Context, t.cancel = context.WithDeadlineCause(c.parent, c.at, c.cause)
	}
	c.inner.Store(t)
	return t
}
