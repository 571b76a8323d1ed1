package costs_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/costs/coststest"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestMeterRecordsEveryEnding(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l, ws := coststest.New(t, db, costs.Options{Sole: true}), storetest.Workspace()
		ctx := costs.With(t.Context(), costs.Attribution{Workspace: ws, User: "usr_1", Door: "chat", Asked: "fast"})
		req := &providers.Request{Model: coststest.Plain, Messages: []providers.Message{providers.UserText(strings.Repeat("x", 400))}}
		input := providers.EstimateRequest(req)
		for name, c := range map[string]struct {
			vendor *coststest.Vendor
			do     func(m providers.Model) error
			want   costs.Outcome
			output int64
		}{
			"ok": {&coststest.Vendor{}, func(m providers.Model) error {
				_, err := providers.Complete(ctx, m, req)
				return err
			}, costs.OK, 10},
			"failed": {&coststest.Vendor{Fails: func(int) bool { return true }}, func(m providers.Model) error {
				_, err := providers.Complete(ctx, m, req)
				return err
			}, costs.Failed, 0},
			"broken": {&coststest.Vendor{Breaks: func(int) bool { return true }}, func(m providers.Model) error {
				_, err := providers.Complete(ctx, m, req)
				return err
			}, costs.Broken, 5},
			"closed early": {&coststest.Vendor{}, func(m providers.Model) error {
				s, err := m.Stream(ctx, req)
				if err != nil {
					return err
				}
				var c providers.Chunk
				for range 3 {
					if err := s.Next(&c); err != nil {
						return err
					}
				}
				return s.Close()
			}, costs.Cancelled, 1},
			"cancelled": {&coststest.Vendor{}, func(m providers.Model) error {
				ctx, cancel := context.WithCancel(ctx)
				defer cancel()
				s, err := m.Stream(ctx, req)
				if err != nil {
					return err
				}
				var c providers.Chunk
				for range 4 {
					if err := s.Next(&c); err != nil {
						return err
					}
				}
				cancel()
				return s.Next(&c)
			}, costs.Cancelled, 1},
		} {
			before, err := l.Totals(ctx, ws, costs.Query{})
			if err != nil {
				t.Fatal(err)
			}
			err = c.do(costs.Meter(l, coststest.Provider, c.vendor))
			if (err == nil) != (c.want == costs.OK || name == "closed early") {
				t.Errorf("%s: %v", name, err)
			}
			flush(t, l)
			page, err := l.Records(ctx, ws, costs.Query{})
			if err != nil {
				t.Fatal(err)
			}
			rec := page.Data[0]
			if rec.Outcome != c.want || rec.Output != c.output || rec.Asked != "fast" || rec.Door != "chat" || rec.Estimated != (c.want == costs.Broken || c.want == costs.Cancelled) {
				t.Errorf("%s: %+v", name, rec)
			}
			if c.want != costs.Failed && rec.Input != input {
				t.Errorf("%s: input %d, want %d", name, rec.Input, input)
			}
			billed := c.vendor.Billed(coststest.Plain)
			after, err := l.Totals(ctx, ws, costs.Query{})
			if err != nil || int64(after.Price-before.Price) != billed.Input+2*billed.Output {
				t.Errorf("%s: ledger %d, vendor %+v, %v", name, after.Price-before.Price, billed, err)
			}
		}
	})
}

type rawVendor struct {
	coststest.Vendor
	answer string
}

func (v *rawVendor) Speaks(d providers.Dialect) bool { return d == providers.DialectChat }

func (v *rawVendor) Relay(context.Context, *providers.RawRequest) (*providers.RawResponse, error) {
	scanner := providers.NewScanner(providers.FramingSSE, func(data []byte, t *providers.Tally) {
		switch string(data) {
		case "usage":
			t.Usage = providers.Usage{Input: 50, Output: 4}
		case "done":
			t.Finished = true
		}
	})
	return &providers.RawResponse{Status: 200, Body: scanner.Tee(io.NopCloser(strings.NewReader(v.answer))), Meter: scanner}, nil
}

func TestMeterRelays(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l, ws := coststest.New(t, db, costs.Options{Sole: true}), storetest.Workspace()
		coststest.Run(t, l)
		ctx := costs.With(t.Context(), costs.Attribution{Workspace: ws, Door: "openai"})
		for _, c := range []struct {
			answer string
			read   int64
			want   costs.Outcome
			price  costs.Micros
		}{
			{"data: a\n\ndata: usage\n\ndata: done\n\n", 1000, costs.OK, 58},
			{"data: a\n\ndata: usage\n\n", 1000, costs.Broken, 58},
			{"data: a\n\ndata: b\n\ndata: usage\n\ndata: done\n\n", 18, costs.Cancelled, 4 + 2*2},
		} {
			m := costs.Meter(l, coststest.Provider, &rawVendor{answer: c.answer}).(providers.Relayer)
			resp, err := m.Relay(ctx, &providers.RawRequest{Dialect: providers.DialectChat, Model: coststest.Plain, Body: []byte(`{"max_tokens":9}`), Streaming: true})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(io.LimitReader(resp.Body, c.read)); err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			flush(t, l)
			page, err := l.Records(ctx, ws, costs.Query{})
			if err != nil {
				t.Fatal(err)
			}
			if rec := page.Data[0]; rec.Outcome != c.want || *rec.Price != c.price || rec.Door != "openai" || rec.FirstToken == 0 {
				t.Errorf("%q: %+v, price %d", c.answer, rec, *rec.Price)
			}
		}
	})
}

type pooled struct {
	coststest.Vendor
	accounts *providers.Accounts
}

func (p *pooled) Stream(ctx context.Context, req *providers.Request) (providers.Stream, error) {
	grant, err := p.accounts.Take(ctx, nil)
	if err != nil {
		return nil, err
	}
	grant.Done(nil)
	return p.Vendor.Stream(ctx, req)
}

func TestTheAccountIsRecordedAndAWorkspaceForgotten(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l, ws := coststest.New(t, db, costs.Options{Sole: true}), storetest.Workspace()
		budget(t, l, ws, costs.Budget{Amount: 1 << 30})
		vendor := &pooled{accounts: providers.NewAccounts("fake", providers.Account{Name: "second", Source: providers.Key(secret.New("k"))})}
		req := &providers.Request{Model: coststest.Plain, Messages: []providers.Message{providers.UserText("hello")}}
		req.Trail.Asked, req.Trail.Attempt = "fast", 2
		if _, err := providers.Complete(costs.With(t.Context(), costs.Attribution{Workspace: ws}), costs.Meter(l, coststest.Provider, vendor), req); err != nil {
			t.Fatal(err)
		}
		flush(t, l)
		p, err := l.Records(t.Context(), ws, costs.Query{})
		if err != nil || len(p.Data) != 1 || p.Data[0].Account != "second" || p.Data[0].Attempt != 2 || p.Data[0].Asked != "fast" {
			t.Errorf("records %+v, %v", p.Data, err)
		}
		if err := l.Forget(t.Context(), ws); err != nil {
			t.Fatal(err)
		}
		all, err := l.Budgets(t.Context(), ws)
		sums, err2 := l.Totals(t.Context(), ws, costs.Query{})
		if err != nil || err2 != nil || len(all) != 0 || sums.Calls != 0 {
			t.Errorf("left: %v, %+v, %v, %v", all, sums, err, err2)
		}
	})
}
