package costs

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

// Meter wraps a provider's model so that every attempt is reserved, counted and
// recorded for whoever With named. It stands right around the adapter, inside
// retries and fallbacks, so that each attempt has its row. Relaying, embeddings
// and audio are metered too, where the model has them.
func Meter(l *Ledger, provider string, m providers.Model) providers.Model {
	return &meter{l, provider, m}
}

type meter struct {
	l        *Ledger
	provider string
	model    providers.Model
}

// Unwrap gives the model itself, for what costs nothing: counting and listing.
func (m *meter) Unwrap() providers.Model { return m.model }

// Stream reserves, starts the attempt and counts what comes.
func (m *meter) Stream(ctx context.Context, req *providers.Request) (providers.Stream, error) {
	input := providers.EstimateRequest(req)
	c := m.call(ctx, req.Model, req.Trail)
	c.Input, c.Output, c.Print = input, req.MaxTokens, PrintOf(req)
	r, err := m.l.Reserve(ctx, c)
	if err != nil {
		return nil, err
	}
	s, err := m.model.Stream(r.watch(ctx), req)
	if err != nil {
		r.Settle(unanswered(ctx, r, err, input))
		return nil, err
	}
	return &meteredStream{ctx: ctx, s: s, r: r, input: input}, nil
}

// watch notes which of the provider's accounts is asked.
func (r *Reservation) watch(ctx context.Context) context.Context {
	return providers.WithAccountSeen(ctx, func(account string) { r.account = account })
}

func (m *meter) call(ctx context.Context, model string, t providers.Trail) Call {
	c := Call{Attribution: From(ctx), Provider: m.provider, Model: model, Attempt: t.Attempt}
	if t.Asked != "" {
		c.Asked = t.Asked
	}
	return c
}

// unanswered is the end of an attempt that received nothing. One that was given
// up while waiting was sent, and vendors charge for its input.
func unanswered(ctx context.Context, r *Reservation, err error, input int64) Settlement {
	s := Settlement{Outcome: Failed, ErrorCode: codeOf(err)}
	if ctx.Err() != nil || fault.HasCode(err, providers.CodeSlow) {
		s.Usage = providers.Usage{Input: input, PremiumMilli: r.premium, Estimated: true}
	}
	if ctx.Err() != nil {
		s.Outcome = Cancelled
	}
	return s
}

func codeOf(err error) string {
	if err == nil {
		return ""
	}
	return fault.From(err).Code
}

// meteredStream counts what a stream brings. It is used by one goroutine.
type meteredStream struct {
	ctx     context.Context
	s       providers.Stream
	r       *Reservation
	input   int64 // tokens, estimated
	first   time.Duration
	model   string
	usage   providers.Usage
	counted bool  // the vendor told a usage
	output  int64 // bytes received since the vendor last did
	thought int64 // bytes of visible reasoning since then
	ended   bool
}

// Next passes the next chunk on and counts it.
func (m *meteredStream) Next(c *providers.Chunk) error {
	err := m.s.Next(c)
	if err != nil {
		m.end(err)
		return err
	}
	switch c.Kind {
	case providers.ChunkStart:
		m.model = c.Model
	case providers.ChunkUsage:
		m.usage, m.counted, m.output, m.thought = c.Usage, true, 0, 0
		m.r.Note(c.Usage.TotalOutput())
	case providers.ChunkReasoning:
		m.thought += int64(len(c.Text))
		m.received()
	case providers.ChunkText, providers.ChunkToolArgs:
		m.output += int64(len(c.Text))
		m.received()
	case providers.ChunkToolStart:
		m.output += int64(len(c.Name))
		m.received()
	}
	return nil
}

func (m *meteredStream) received() {
	if m.first == 0 {
		m.first = max(time.Since(m.r.begun), time.Microsecond)
	}
	m.r.Note(m.usage.TotalOutput() + tokens(m.output) + tokens(m.thought))
}

// tokens guesses by the rule of providers.EstimateText.
func tokens(bytes int64) int64 { return (bytes + 3) / 4 }

// Close ends the stream; one that was not read to its end was cancelled.
func (m *meteredStream) Close() error {
	err := m.s.Close()
	if !m.ended {
		m.end(context.Canceled)
	}
	return err
}

func (m *meteredStream) end(err error) {
	if m.ended {
		return
	}
	m.ended = true
	s := Settlement{Outcome: OK, Model: m.model, FirstToken: m.first, Usage: m.total()}
	if err != io.EOF {
		s.Outcome, s.ErrorCode = outcomeOf(m.ctx, err), codeOf(err)
		s.Usage.Estimated = true
	}
	m.r.Settle(s)
}

// total is what the vendor told, with our own count of what came after it told.
func (m *meteredStream) total() providers.Usage {
	u := m.usage
	if !m.counted || u.Zero() {
		u = providers.Usage{Input: m.input, Estimated: true, PremiumMilli: u.PremiumMilli}
	}
	if u.PremiumMilli == 0 && !m.counted {
		u.PremiumMilli = m.r.premium
	}
	if m.output > 0 || m.thought > 0 {
		u.Output += tokens(m.output)
		u.Reasoning += tokens(m.thought)
		u.Estimated = true
	}
	return u
}

// outcomeOf tells a cancel from a stream that broke.
func outcomeOf(ctx context.Context, err error) Outcome {
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return Cancelled
	}
	return Broken
}
