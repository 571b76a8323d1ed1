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

func (h *hurried) clock(ctx context.Context, model string) (context.Context, context.CancelCauseFunc, *time.Timer) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(h.limit, func() {
		cancel(fault.New(fault.Timeout, CodeSlow, "%s sent nothing within %s.", model, h.limit).
			WithHint("Try again, name a fallback model, or allow more time."))
	})
	return ctx, cancel, timer
}

// Stream asks and waits for the first content.
func (h *hurried) Stream(ctx context.Context, req *Request) (Stream, error) {
	ctx, cancel, timer := h.clock(ctx, req.Model)
	s, err := h.inner.Stream(ctx, req)
	if err == nil {
		s, err = primeStream(s)
	}
	timer.Stop()
	if err != nil {
		cancel(nil)
		return nil, err
	}
	return &clockedStream{s, sync.OnceFunc(func() { cancel(nil) })}, nil
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
	free func()
}

// Close ends the stream.
func (s *clockedStream) Close() error {
	err := s.Stream.Close()
	s.free()
	return err
}

// Speaks asks the model underneath.
func (h *hurried) Speaks(d Dialect) bool { return speaks(h.inner, d) }

// Relay waits for an accepted answer.
func (h *hurried) Relay(ctx context.Context, req *RawRequest) (*RawResponse, error) {
	ctx, cancel, timer := h.clock(ctx, req.Model)
	resp, err := relay(ctx, h.inner, req)
	timer.Stop()
	if err != nil {
		cancel(nil)
		return nil, err
	}
	resp.Body = &clockedBody{resp.Body, cancel}
	return resp, nil
}

// clockedBody frees the attempt's context when it is closed.
type clockedBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

// Close ends the answer.
func (b *clockedBody) Close() error {
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}
