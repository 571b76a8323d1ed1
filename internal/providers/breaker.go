package providers

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// BreakerOptions sets a breaker up.
type BreakerOptions struct {
	Provider string
	Failures int           // in a row, to open; 0: 5
	Rest     time.Duration // how long it stays open; 0: 30 s
}

// BreakerState is whether a provider is being asked.
type BreakerState string

// The states.
const (
	BreakerClosed  BreakerState = "closed"  // asked as usual
	BreakerOpen    BreakerState = "open"    // left alone
	BreakerProbing BreakerState = "probing" // one attempt finds out
)

// breakerEvent is what moves a breaker.
type breakerEvent uint8

const (
	evSuccess breakerEvent = iota
	evLimit                // as many failures as it takes
	evRested               // the rest is over and someone asks
	evFailure              // a single failure
	evNeutral              // the caller went away: nothing was learnt
)

var breakerMoves = map[BreakerState]map[breakerEvent]BreakerState{
	BreakerClosed:  {evSuccess: BreakerClosed, evLimit: BreakerOpen, evFailure: BreakerClosed, evNeutral: BreakerClosed},
	BreakerOpen:    {evRested: BreakerProbing, evSuccess: BreakerClosed, evFailure: BreakerOpen, evLimit: BreakerOpen, evNeutral: BreakerOpen},
	BreakerProbing: {evSuccess: BreakerClosed, evFailure: BreakerOpen, evLimit: BreakerOpen, evNeutral: BreakerOpen},
}

// Breaker leaves a provider alone that fails again and again. A failure is one
// of the provider's side: unreachable, overloaded, slow, broken off. What it
// refuses for a reason (rate, credential, bad request) shows that it is alive.
type Breaker struct {
	inner Model
	opts  BreakerOptions

	mu       sync.Mutex // guards the fields below
	state    BreakerState
	failures int
	until    time.Time
}

// NewBreaker wraps a provider's model.
func NewBreaker(m Model, opts BreakerOptions) *Breaker {
	opts.Failures, opts.Rest = cmp.Or(opts.Failures, 5), cmp.Or(opts.Rest, 30*time.Second)
	return &Breaker{inner: m, opts: opts, state: BreakerClosed}
}

// Unwrap is the model underneath.
func (b *Breaker) Unwrap() Model { return b.inner }

// State is the present state, and until when it rests.
func (b *Breaker) State() (BreakerState, time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state, b.until
}

// Stream asks, unless the provider rests.
func (b *Breaker) Stream(ctx context.Context, req *Request) (Stream, error) {
	if err := b.enter(); err != nil {
		return nil, err
	}
	s, err := b.inner.Stream(ctx, req)
	if err == nil {
		s, err = primeStream(s)
	}
	b.report(ctx, err)
	if err != nil {
		return nil, err
	}
	return &watchedStream{Stream: s, ctx: ctx, breaker: b}, nil
}

// watchedStream tells the breaker when the answer breaks off.
type watchedStream struct {
	Stream
	ctx     context.Context
	breaker *Breaker
	told    bool
}

// Next passes on.
func (w *watchedStream) Next(c *Chunk) error {
	err := w.Stream.Next(c)
	if err != nil && err != io.EOF && !w.told {
		w.told = true
		w.breaker.report(w.ctx, err)
	}
	return err
}

// Speaks asks the model underneath.
func (b *Breaker) Speaks(d Dialect) bool { return speaks(b.inner, d) }

// Relay passes on, unless the provider rests.
func (b *Breaker) Relay(ctx context.Context, req *RawRequest) (*RawResponse, error) {
	if err := b.enter(); err != nil {
		return nil, err
	}
	resp, err := relay(ctx, b.inner, req)
	b.report(ctx, err)
	return resp, err
}

func (b *Breaker) enter() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if b.state == BreakerClosed {
		return nil
	}
	if b.state == BreakerOpen && !now.Before(b.until) {
		b.state = breakerMoves[b.state][evRested]
		return nil
	}
	wait := max(b.until.Sub(now), time.Second)
	return fault.New(fault.Unavailable, CodeUnavailable, "%s failed %d times in a row and is left alone for a while.", b.opts.Provider, b.opts.Failures).
		WithHint("Use another provider meanwhile, or name a fallback model.").WithDetail("vendor", b.opts.Provider).WithDetail("breaker", string(b.state)).RetryIn(wait)
}

func (b *Breaker) report(ctx context.Context, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil && b.state == BreakerClosed {
		b.failures = 0 // as nearly always
		return
	}
	ev := b.judge(ctx, err)
	switch ev {
	case evSuccess:
		b.failures = 0
	case evFailure:
		if b.failures++; b.failures >= b.opts.Failures {
			ev = evLimit
		}
	}
	next := breakerMoves[b.state][ev]
	if next == BreakerOpen && ev != evNeutral {
		b.until = time.Now().Add(b.opts.Rest)
	}
	b.state = next
}

func (b *Breaker) judge(ctx context.Context, err error) breakerEvent {
	var f *fault.Fault
	switch {
	case err == nil:
		return evSuccess
	case !errors.As(err, &f):
		if ctx.Err() != nil {
			return evNeutral
		}
		return evFailure
	}
	switch f.Code {
	case CodeUnavailable, CodeOverloaded, CodeBroken, CodeSlow:
		return evFailure
	case CodeRate, CodeAuth, CodeQuota, CodeBadRequest, CodeContext, CodeFiltered, CodeNoModel:
		return evSuccess
	}
	return evNeutral // a fault of ours, or the caller's reason to cancel
}
