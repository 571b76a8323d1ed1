package costs_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/costs/coststest"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// history plays random interleavings of calls against a vendor that bills.
type history struct {
	t      *rapid.T
	db     *store.DB
	hub    *events.Hub
	opts   costs.Options
	l      *costs.Ledger
	ws     ids.Workspace
	vendor *coststest.Vendor
	model  providers.Model
	budget costs.BudgetStatus
	live   []*inFlight
	run    bool // write behind
	ended  func()
	lost   int64 // price of output that a crash kept from the ledger
	most   int64 // price of the dearest call so far
}

type inFlight struct {
	stream providers.Stream
	cancel context.CancelFunc
	output int64
}

// words is how long the vendor's answers are.
const words = 16

func (h *history) restart() {
	h.end()
	l, err := costs.New(h.opts)
	if err != nil {
		h.t.Fatal(err)
	}
	h.l = l
	h.model = costs.Meter(l, coststest.Provider, h.vendor)
	if h.run {
		ctx, cancel := context.WithCancel(context.Background())
		stopped := make(chan error, 1)
		go func() { stopped <- l.Run(ctx) }()
		h.ended = func() {
			cancel()
			if err := <-stopped; err != nil {
				h.t.Errorf("the ledger ended with %v", err)
			}
		}
	}
	if _, err := l.Sweep(context.Background()); err != nil {
		h.t.Fatal(err)
	}
}

// end stops what writes behind; what was settled by then is written.
func (h *history) end() {
	if h.ended != nil {
		h.ended()
		h.ended = nil
	}
}

func (h *history) request() *providers.Request {
	size := rapid.IntRange(1, 200).Draw(h.t, "prompt")
	req := &providers.Request{Model: coststest.Plain, MaxTokens: words, Messages: []providers.Message{providers.UserText(string(make([]byte, size)))}}
	h.most = max(h.most, providers.EstimateRequest(req)+2*words)
	return req
}

func (h *history) context() (context.Context, context.CancelFunc) {
	return context.WithCancel(costs.With(context.Background(), costs.Attribution{Workspace: h.ws, User: "usr_1"}))
}

// refusedOrFailed accepts what may stop a call before it starts.
func (h *history) refusedOrFailed(err error) {
	if !fault.HasCode(err, costs.CodeBudget) && !fault.HasCode(err, providers.CodeOverloaded) {
		h.t.Fatalf("starting a call: %v", err)
	}
}

func (h *history) start(*rapid.T) {
	ctx, cancel := h.context()
	s, err := h.model.Stream(ctx, h.request())
	if err != nil {
		cancel()
		h.refusedOrFailed(err)
		return
	}
	h.live = append(h.live, &inFlight{stream: s, cancel: cancel})
}

// step reads on in one of the streams.
func (h *history) step(t *rapid.T) {
	i, f := h.pick(t)
	for range rapid.IntRange(1, 10).Draw(t, "chunks") {
		var c providers.Chunk
		err := f.stream.Next(&c)
		if err != nil {
			if err != io.EOF && !fault.HasCode(err, providers.CodeBroken) {
				t.Fatalf("reading: %v", err)
			}
			h.drop(i)
			return
		}
		if c.Kind == providers.ChunkText {
			f.output++
		}
	}
}

func (h *history) pick(t *rapid.T) (int, *inFlight) {
	if len(h.live) == 0 {
		t.Skip("nothing in flight")
	}
	i := rapid.IntRange(0, len(h.live)-1).Draw(t, "which")
	return i, h.live[i]
}

func (h *history) drop(i int) {
	h.live[i].cancel()
	h.live = append(h.live[:i], h.live[i+1:]...)
}

func (h *history) cancel(t *rapid.T) {
	i, f := h.pick(t)
	if rapid.Bool().Draw(t, "by context") {
		f.cancel()
		var c providers.Chunk
		if err := f.stream.Next(&c); !errors.Is(err, context.Canceled) {
			t.Fatalf("a cancelled stream: %v", err)
		}
	}
	if err := f.stream.Close(); err != nil {
		t.Fatal(err)
	}
	h.drop(i)
}

// retry asks up to three times until an answer is whole.
func (h *history) retry(*rapid.T) {
	req := h.request()
	for range 3 {
		ctx, cancel := h.context()
		_, err := providers.Complete(ctx, h.model, req)
		cancel()
		if err == nil || fault.HasCode(err, costs.CodeBudget) {
			return
		}
	}
}

// stop ends the process in good order.
func (h *history) stop(t *rapid.T) {
	for len(h.live) > 0 {
		if err := h.live[0].stream.Close(); err != nil {
			t.Fatal(err)
		}
		h.drop(0)
	}
	if err := h.l.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	h.restart()
}

// crash ends the process without a word: what the calls in flight had received
// is not known to the ledger.
func (h *history) crash(*rapid.T) {
	for _, f := range h.live {
		h.lost += 2 * f.output
		f.cancel()
	}
	h.live = nil
	h.restart()
}

func (h *history) check(t *rapid.T) {
	ctx := context.Background()
	if err := h.l.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	b, err := h.l.Budget(ctx, h.ws, h.budget.ID)
	if err != nil {
		t.Fatal(err)
	}
	if b.Spent > b.Limit+h.most {
		t.Fatalf("spent %d of %d, overshot by more than one call of %d", b.Spent, b.Limit, h.most)
	}
	if len(h.live) > 0 {
		return
	}
	billed := h.vendor.Billed(coststest.Plain)
	sums, err := h.l.Totals(ctx, h.ws, costs.Query{})
	if err != nil {
		t.Fatal(err)
	}
	if want := billed.Input + 2*billed.Output - h.lost; int64(sums.Price) != want || b.Spent != want || b.Reserved != 0 || b.Calls != sums.Calls {
		t.Fatalf("the ledger has %d, the budget %d (%d held); the vendor billed %d, of which %d were lost in crashes", sums.Price, b.Spent, b.Reserved, want+h.lost, h.lost)
	}
	if sums.Calls != int64(h.vendor.Attempts()) {
		t.Fatalf("%d rows for %d attempts", sums.Calls, h.vendor.Attempts())
	}
}

func TestTheLedgerEqualsWhatVendorsBill(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hub, catalogue := eventstest.New(t, db), coststest.Catalogue(t)
		rapid.Check(t, func(rt *rapid.T) {
			fails := rapid.IntRange(2, 9).Draw(rt, "fails every")
			breaks := rapid.IntRange(2, 9).Draw(rt, "breaks every")
			h := &history{t: rt, db: db, hub: hub, ws: storetest.Workspace()}
			h.vendor = &coststest.Vendor{Words: words, Fails: func(n int) bool { return n%fails == 0 }, Breaks: func(n int) bool { return n%breaks == 0 }}
			// Sole, because only then a crash is certain at once.
			h.opts = costs.Options{DB: db, Hub: hub, Catalogue: catalogue, Sole: true, Patience: -1}
			h.run = rapid.Bool().Draw(rt, "run")
			h.restart()
			defer h.end()
			var err error
			amount := rapid.Int64Range(1, 2000).Draw(rt, "amount")
			if h.budget, err = h.l.CreateBudget(context.Background(), h.ws, costs.Budget{Amount: amount, Enabled: true, Period: costs.Total}); err != nil {
				rt.Fatal(err)
			}
			rt.Repeat(map[string]func(*rapid.T){
				"start": h.start, "step": h.step, "step on": h.step, "cancel": h.cancel, "retry": h.retry, "stop": h.stop, "crash": h.crash, "": h.check,
			})
			h.stop(rt)
			h.check(rt)
		})
	})
}
