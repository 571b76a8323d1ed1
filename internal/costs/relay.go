package costs

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

// Speaks says whether Relay takes this dialect.
func (m *meter) Speaks(d providers.Dialect) bool {
	r, ok := m.model.(providers.Relayer)
	return ok && r.Speaks(d)
}

// Relay reserves and passes the bytes on; they are settled when the body has
// been read or closed. The row is written while the vendor is asked, and is
// durable before the answer is handed out.
func (m *meter) Relay(ctx context.Context, req *providers.RawRequest) (*providers.RawResponse, error) {
	relayer, ok := m.model.(providers.Relayer)
	if !ok {
		return nil, unsupported(m.provider, "relay requests")
	}
	input := tokens(int64(len(req.Body)))
	c := m.call(ctx, req.Model, req.Trail)
	c.Input, c.Output, c.Print, c.Behind = input, maxOutputOf(req.Body), PrintOfBody(req.Body), true
	r, err := m.l.Reserve(ctx, c)
	if err != nil {
		return nil, err
	}
	resp, err := relayer.Relay(r.watch(ctx), req)
	if err != nil {
		r.Settle(unanswered(ctx, r, err, input))
		return nil, err
	}
	if err := r.Durable(ctx); err != nil {
		resp.Body.Close()
		s := unanswered(ctx, r, err, input)
		s.Usage = providers.Usage{Input: input, PremiumMilli: resp.PremiumMilli, Estimated: true}
		r.Settle(s)
		return nil, err
	}
	resp.Body = &meteredBody{ctx: ctx, body: resp.Body, meter: resp.Meter, r: r, input: input, premium: resp.PremiumMilli}
	return resp, nil
}

func unsupported(provider, what string) error {
	return fault.New(fault.Invalid, "operation_unsupported", "%s cannot %s.", provider, what).WithParam("model").
		WithHint("`fluxway models` shows what each model can do.")
}

// meteredBody settles a call when its answer's bytes end.
type meteredBody struct {
	ctx     context.Context
	body    io.ReadCloser
	meter   *providers.Scanner
	r       *Reservation
	input   int64
	premium int64
	first   time.Duration
	once    sync.Once
}

// Read passes bytes on; the scanner inside the body has seen them.
func (b *meteredBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	if n > 0 && b.first == 0 {
		b.first = max(time.Since(b.r.begun), time.Microsecond)
	}
	if err != nil {
		b.end(err)
	}
	return n, err
}

// Close ends the body; an answer that was not read to its end was cancelled.
func (b *meteredBody) Close() error {
	err := b.body.Close()
	b.end(context.Canceled)
	return err
}

func (b *meteredBody) end(err error) {
	b.once.Do(func() {
		b.r.Settle(SettleTally(b.ctx, b.meter.Tally(), err, b.input, b.premium, b.first))
	})
}

// SettleTally makes the settlement of a raw answer from what a scanner learnt of
// it and how its body ended (io.EOF: well). input is our estimate, used when the
// vendor did not tell; premium is what a request costs where requests count.
func SettleTally(ctx context.Context, t providers.Tally, err error, input, premium int64, first time.Duration) Settlement {
	s := Settlement{Outcome: OK, Model: t.Model, Usage: t.Usage, FirstToken: first}
	s.Usage.PremiumMilli = premium
	if t.Usage.Zero() {
		s.Usage = providers.Usage{Input: input, Output: min(t.Events, tokens(t.Bytes)), PremiumMilli: premium, Estimated: true}
	} else if !t.Finished && t.Usage.TotalOutput() < t.Events {
		s.Usage.Output += t.Events - t.Usage.TotalOutput()
	}
	if err == io.EOF && t.Finished {
		return s
	}
	s.Usage.Estimated = true
	s.Outcome, s.ErrorCode = Broken, providers.CodeBroken
	if err != io.EOF {
		s.Outcome, s.ErrorCode = outcomeOf(ctx, err), codeOf(err)
	}
	return s
}
