package providers

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// FirstTokenTimeout gives up on an attempt that shows no content in time; for a
// relayed one, no accepted answer. Once content comes the answer may take as
// long as it likes.
func FirstTokenTimeout(m Model, limit time.Duration) Model {
	if limit <= 0 {
		return m
	}
	return &hurried{m, limit}
}

type hurried struct {
	inner Model
	limit time.Duration
}

// Unwrap is the model underneath.
func (h *hurried) Unwrap() Model { return h.inner }

// clocked is the context of an attempt that has so long. Neither the clock nor the tie to the context above it is
// made before somebody waits: a request that can be sent at once is sent first.
type clocked struct {
	context.Context // above
	limit           time.Duration
	model           string
	began           time.Time

	mu       sync.Mutex      // guards the fields below
	tied     context.Context // nil: nobody waits yet
	cancel   context.CancelCauseFunc
	timer    *time.Timer // nil: none
	answered bool
	over     bool
}

func (h *hurried) clock(ctx context.Context, model string) *clocked {
	return &clocked{Context: ctx, limit: h.limit, model: model, began: time.Now()}
}

// tie makes the context that ends by itself.
func (c *clocked) tie() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tied != nil {
		return c.tied
	}
	c.tied, c.cancel = context.WithCancelCause(c.Context)
	switch {
	case c.over:
		c.cancel(nil)
	case !c.answered:
		c.timer = time.AfterFunc(c.limit-time.Since(c.began), c.late)
	}
	return c.tied
}

func (c *clocked) late() {
	c.mu.Lock()
	answered := c.answered
	c.mu.Unlock()
	if !answered {
		c.cancel(fault.New(fault.Timeout, CodeSlow, "%s sent nothing within %s.", c.model, c.limit).
			WithHint("Try again, name a fallback model, or allow more time."))
	}
}

// known is the context that ends by itself, if somebody waits already.
func (c *clocked) known() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tied
}

// Done is closed when the attempt is to be given up.
func (c *clocked) Done() <-chan struct{} { return c.tie().Done() }

// Err says whether it is.
func (c *clocked) Err() error {
	if tied := c.known(); tied != nil {
		return tied.Err()
	}
	if c.Context.Err() == nil && time.Since(c.began) < c.limit {
		return nil
	}
	return c.tie().Err()
}

// Value asks the context that others can be tied to, or the one above.
func (c *clocked) Value(key any) any {
	if tied := c.known(); tied != nil {
		return tied.Value(key)
	}
	return c.Context.Value(key)
}

// inTime stops the clock; the timer itself may still run, and does nothing.
func (c *clocked) inTime() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered = true
}

// end frees the context.
func (c *clocked) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.timer != nil {
		c.timer.Stop()
	}
	if c.cancel != nil {
		c.cancel(nil)
	}
}

// Stream asks and waits for the first content.
func (h *hurried) Stream(ctx context.Context, req *Request) (Stream, error) {
	clock := h.clock(ctx, req.Model)
	s, err := h.inner.Stream(clock, req)
	if err == nil {
		s, err = primeStream(s)
	}
	clock.inTime()
	if err != nil {
		clock.end()
		return nil, err
	}
	return &clockedStream{s, clock}, nil
}

// primeStream keeps a nil *primed from becoming a non-nil Stream.
func primeStream(s Stream) (Stream, error) {
	p, err := prime(s)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// clockedStream frees the attempt's context when it is closed.
type clockedStream struct {
	Stream
	clock *clocked
}

// Close ends the stream.
func (s *clockedStream) Close() error {
	err := s.Stream.Close()
	s.clock.end()
	return err
}

// Speaks asks the model underneath.
func (h *hurried) Speaks(d Dialect) bool { return speaks(h.inner, d) }

// Relay waits for an accepted answer.
func (h *hurried) Relay(ctx context.Context, req *RawRequest) (*RawResponse, error) {
	clock := h.clock(ctx, req.Model)
	resp, err := relay(clock, h.inner, req)
	clock.inTime()
	if err != nil {
		clock.end()
		return nil, err
	}
	resp.Body = &clockedBody{resp.Body, clock}
	return resp, nil
}

// clockedBody frees the attempt's context when it is closed.
type clockedBody struct {
	io.ReadCloser
	clock *clocked
}

// Close ends the answer.
func (b *clockedBody) Close() error {
	err := b.ReadCloser.Close()
	b.clock.end()
	return err
}
