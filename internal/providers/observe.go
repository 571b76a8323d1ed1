package providers

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Outcome is how an attempt ended.
type Outcome string

// The outcomes.
const (
	OutcomeFinished  Outcome = "finished"
	OutcomeFailed    Outcome = "failed"    // nothing, or not all, was received
	OutcomeCancelled Outcome = "cancelled" // the caller went away
)

// Attempt is one try at one model: what a span and a ledger row are made of.
type Attempt struct {
	Trail
	Operation  string // chat, relay, embed, transcribe, speak
	Provider   string
	Model      string // asked of the vendor
	Served     string // told by the vendor
	Started    time.Time
	FirstToken time.Duration // 0: none came
	Took       time.Duration
	Usage      Usage // estimated where the vendor did not tell
	Stop       StopReason
	Outcome    Outcome
	Err        error
}

// Observer hears of every attempt. Its methods are called by the goroutine that
// makes the attempt and should be quick.
type Observer interface {
	// Begin is told before the vendor is asked; the attempt runs in the context
	// it answers.
	Begin(ctx context.Context, a *Attempt) context.Context
	// End is told once, with what Begin answered, even when the caller has gone.
	End(ctx context.Context, a *Attempt)
}

// Observe tells an observer of every attempt at a provider's model. It stands
// right around the adapter, inside Retry, Breaker and FirstTokenTimeout: each
// retry is told, and what the breaker refuses to try is not.
func Observe(m Model, provider string, o Observer) Model { return &observed{m, provider, o} }

type observed struct {
	inner    Model
	provider string
	observer Observer
}

// Unwrap is the model underneath.
func (o *observed) Unwrap() Model { return o.inner }

// Stream asks and observes.
func (o *observed) Stream(ctx context.Context, req *Request) (Stream, error) {
	a := &Attempt{Trail: req.Trail, Operation: "chat", Provider: o.provider, Model: req.Model, Started: time.Now()}
	ctx = o.observer.Begin(ctx, a)
	s, err := o.inner.Stream(ctx, req)
	if err != nil {
		o.end(ctx, a, err)
		return nil, err
	}
	return &observedStream{Stream: s, ctx: ctx, req: req, a: a, o: o}, nil
}

func (o *observed) end(ctx context.Context, a *Attempt, err error) {
	a.Took = time.Since(a.Started)
	a.Err = err
	switch {
	case err == nil:
		a.Outcome = OutcomeFinished
	case wentAway(ctx, err):
		a.Outcome = OutcomeCancelled
	default:
		a.Outcome = OutcomeFailed
	}
	o.observer.End(ctx, a)
}

// wentAway says whether the caller, not a time-out of ours, ended the attempt.
func wentAway(ctx context.Context, err error) bool {
	return errors.Is(err, errClosed) || (ctx.Err() != nil && !fault.HasCode(err, CodeSlow))
}

// errClosed is why an attempt ended whose stream was closed before its end.
var errClosed = errors.New("providers: closed before the end")

// observedStream counts what passes.
type observedStream struct {
	Stream
	ctx   context.Context
	req   *Request
	a     *Attempt
	o     *observed
	bytes int64 // of content received
	over  bool
}

// Next passes on.
func (s *observedStream) Next(c *Chunk) error {
	err := s.Stream.Next(c)
	switch {
	case err == io.EOF:
		s.end(nil)
		return err
	case err != nil:
		s.end(err)
		return err
	}
	switch c.Kind {
	case ChunkStart:
		s.a.Served = c.Model
	case ChunkUsage:
		s.a.Usage = c.Usage
	case ChunkFinish:
		s.a.Stop = c.Stop
	default:
		if s.a.FirstToken == 0 {
			s.a.FirstToken = time.Since(s.a.Started)
		}
		s.bytes += int64(len(c.Text) + len(c.Name))
	}
	return nil
}

// Close ends the attempt if nothing else did.
func (s *observedStream) Close() error {
	err := s.Stream.Close()
	if s.a.Stop != "" {
		s.end(nil)
	} else {
		s.end(errClosed)
	}
	return err
}

func (s *observedStream) end(err error) {
	if s.over {
		return
	}
	s.over = true
	s.a.Usage = settle(s.a.Usage, EstimateRequest(s.req), (s.bytes+3)/4, err == nil)
	s.o.end(s.ctx, s.a, err)
}

// settle completes a usage. One that was told by a finished answer stands; of
// one that was cut off, the larger of told and seen counts, because vendors
// bill what they produced.
func settle(told Usage, input, output int64, finished bool) Usage {
	if finished && told.Total() > 0 {
		return told
	}
	if told.TotalInput() == 0 {
		told.Input, told.Estimated = input, true
	}
	if !finished || told.TotalOutput() == 0 {
		told.Estimated = true
		told.Output = max(told.Output, output-told.Reasoning)
	}
	return told
}

// Speaks asks the model underneath.
func (o *observed) Speaks(d Dialect) bool { return speaks(o.inner, d) }

// Relay passes on and observes the bytes.
func (o *observed) Relay(ctx context.Context, req *RawRequest) (*RawResponse, error) {
	a := &Attempt{Trail: req.Trail, Operation: "relay", Provider: o.provider, Model: req.Model, Started: time.Now()}
	ctx = o.observer.Begin(ctx, a)
	resp, err := relay(ctx, o.inner, req)
	if err != nil {
		o.end(ctx, a, err)
		return nil, err
	}
	// The request itself is not held as long as the answer lasts.
	resp.Body = &observedBody{body: resp.Body, ctx: ctx, a: a, o: o, meter: resp.Meter, input: int64(len(req.Body)+3) / 4, premium: resp.PremiumMilli}
	return resp, nil
}

// observedBody ends an attempt when the bytes of its answer end.
type observedBody struct {
	body    io.ReadCloser
	ctx     context.Context
	a       *Attempt
	o       *observed
	meter   *Scanner
	input   int64
	premium int64
	once    sync.Once
}

// Read passes on.
func (b *observedBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	if n > 0 && b.a.FirstToken == 0 {
		b.a.FirstToken = max(time.Since(b.a.Started), 1)
	}
	if err != nil {
		b.end(err)
	}
	return n, err
}

// Close ends the attempt if nothing else did.
func (b *observedBody) Close() error {
	err := b.body.Close()
	b.end(errClosed)
	return err
}

func (b *observedBody) end(err error) {
	b.once.Do(func() {
		t, a := b.meter.Tally(), b.a
		if err == io.EOF && !t.Finished {
			err = Broken(b.ctx, b.o.provider, io.ErrUnexpectedEOF)
		}
		if t.Finished {
			err = nil
		}
		a.Served, a.Stop = t.Model, t.Stop
		a.Usage = settle(t.Usage, b.input, t.Events, t.Finished)
		a.Usage.PremiumMilli = b.premium
		b.o.end(b.ctx, a, err)
	})
}
