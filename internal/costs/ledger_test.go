package costs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/costs/coststest"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func call(ws ids.Workspace, model string, input, output int64) costs.Call {
	return costs.Call{Attribution: costs.Attribution{Workspace: ws, User: "usr_1", Key: "key_1", Agent: "writer", Door: "api"}, Provider: coststest.Provider, Model: model, Input: input, Output: output}
}

func used(input, output int64) costs.Settlement {
	return costs.Settlement{Outcome: costs.OK, Usage: providers.Usage{Input: input, Output: output}}
}

func mustReserve(t *testing.T, l *costs.Ledger, c costs.Call) *costs.Reservation {
	t.Helper()
	r, err := l.Reserve(t.Context(), c)
	if err != nil {
		t.Fatalf("Reserve: %v", err)
	}
	return r
}

func flush(t *testing.T, l *costs.Ledger) {
	t.Helper()
	if err := l.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func budget(t *testing.T, l *costs.Ledger, ws ids.Workspace, b costs.Budget) costs.BudgetStatus {
	t.Helper()
	b.Enabled = true
	s, err := l.CreateBudget(t.Context(), ws, b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func standing(t *testing.T, l *costs.Ledger, ws ids.Workspace, id ids.Budget) costs.BudgetStatus {
	t.Helper()
	flush(t, l)
	s, err := l.Budget(t.Context(), ws, id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestARowIsThereBeforeTheVendorIsAsked(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l, ws := coststest.New(t, db, costs.Options{Sole: true}), storetest.Workspace()
		r := mustReserve(t, l, call(ws, coststest.Plain, 100, 50))
		rec, err := l.Record(t.Context(), ws, r.ID())
		if err != nil || rec.Outcome != costs.Open || rec.Price != nil || rec.Priced {
			t.Fatalf("before: %+v, %v", rec, err)
		}
		r.Settle(costs.Settlement{Outcome: costs.OK, Usage: providers.Usage{Input: 90, CacheRead: 10, Output: 30}, Model: "plain-2026", FirstToken: 5 * time.Millisecond, Latency: time.Second})
		r.Settle(used(999, 999)) // the first counts
		flush(t, l)
		rec, err = l.Record(t.Context(), ws, r.ID())
		if err != nil || rec.Outcome != costs.OK || rec.Price == nil || *rec.Price != 90+1+60 || rec.Input != 90 || rec.CacheRead != 10 || rec.Output != 30 ||
			rec.Served != "plain-2026" || rec.Latency != 1_000_000 || rec.FirstToken != 5000 || rec.Estimated || rec.User != "usr_1" || rec.Door != "api" {
			t.Errorf("after: %+v, %v", rec, err)
		}
		if _, err := l.Record(t.Context(), storetest.Workspace(), r.ID()); fault.From(err).Status() != 404 {
			t.Errorf("another workspace's record: %v", err)
		}
	})
}

func TestAnUnknownPriceIsNeverZero(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l, ws := coststest.New(t, db, costs.Options{Sole: true}), storetest.Workspace()
		b := budget(t, l, ws, costs.Budget{Amount: 1000})
		r := mustReserve(t, l, call(ws, coststest.Unknown, 100, 50))
		r.Settle(used(100, 50))
		free := mustReserve(t, l, call(ws, coststest.Free, 100, 50))
		free.Settle(used(100, 50))
		flush(t, l)
		rec, err := l.Record(t.Context(), ws, r.ID())
		if err != nil || rec.Price != nil || rec.Priced {
			t.Errorf("unknown: %+v, %v", rec, err)
		}
		if rec, err := l.Record(t.Context(), ws, free.ID()); err != nil || rec.Price == nil || *rec.Price != 0 {
			t.Errorf("free: %+v, %v", rec, err)
		}
		if s := standing(t, l, ws, b.ID); s.Unpriced != 1 || s.Calls != 2 || s.Spent != 0 || s.Reserved != 0 {
			t.Errorf("budget: %+v", s)
		}
		totals, err := l.Totals(t.Context(), ws, costs.Query{})
		if err != nil || totals.Unpriced != 1 || totals.Calls != 2 || totals.Price != 0 {
			t.Errorf("totals: %+v, %v", totals, err)
		}
	})
}

func TestASpentBudgetRefuses(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hub := eventstest.New(t, db)
		l, ws := coststest.New(t, db, costs.Options{Sole: true, Hub: hub}), storetest.Workspace()
		heard := eventstest.Listen(t, hub, ws, "costs")
		told := eventstest.Listen(t, hub, ws, "notifications/*")
		b := budget(t, l, ws, costs.Budget{Name: "team", Amount: 1000, Period: costs.Daily, Zone: "Europe/Berlin", Notify: "usr_boss"})
		other := budget(t, l, ws, costs.Budget{Scope: costs.ScopeUser, ScopeID: "usr_2", Amount: 1})
		mustReserve(t, l, call(ws, coststest.Plain, 100, 50)).Settle(used(500, 0))
		mustReserve(t, l, call(ws, coststest.Plain, 100, 50)).Settle(used(0, 300))
		_, err := l.Reserve(t.Context(), call(ws, coststest.Plain, 100, 50))
		f := fault.From(err)
		if f == nil || f.Code != costs.CodeBudget || f.Status() != 429 || f.Details["budget"] != b.ID || f.RetryAfter <= 0 || !strings.Contains(f.Message, `"team"`) || !strings.Contains(f.Hint, "resets at") {
			t.Fatalf("refusal: %+v", f)
		}
		for range 3 {
			if _, err := l.Reserve(t.Context(), call(ws, coststest.Plain, 1, 1)); !fault.HasCode(err, costs.CodeBudget) {
				t.Errorf("second refusal: %v", err)
			}
		}
		mustReserve(t, l, call(ws, coststest.Free, 100, 50)).Settle(used(1, 1))
		if s := standing(t, l, ws, b.ID); s.Spent != 1100 || s.Reserved != 0 || s.Blocked != 1 || s.Calls != 3 {
			t.Errorf("standing: %+v", s)
		}
		if s := standing(t, l, ws, other.ID); s.Spent != 0 || s.Calls != 0 {
			t.Errorf("another user's budget: %+v", s)
		}
		var warned costs.BudgetWarned
		heard.Until("costs.budget_warned", &warned)
		if warned.Percent != 50 || warned.Spent != 500 || warned.Budget != b.ID {
			t.Errorf("warned: %+v", warned)
		}
		var exceeded costs.BudgetExceeded
		heard.Until("costs.budget_exceeded", &exceeded)
		var refused costs.RequestBlocked
		heard.Until("costs.request_blocked", &refused)
		if exceeded.Spent != 1100 || refused.Requests != 1 {
			t.Errorf("exceeded %+v, refused %+v", exceeded, refused)
		}
		if got := told.Kinds(2); fmt.Sprint(got) != "[costs.budget_warned costs.budget_exceeded]" {
			t.Errorf("told %v", got)
		}
	})
}

// clock is a time that moves when told to.
type clock struct{ at atomic.Int64 }

func newClock(at time.Time) *clock {
	c := &clock{}
	c.at.Store(at.UnixMicro())
	return c
}

func (c *clock) now() time.Time          { return time.UnixMicro(c.at.Load()) }
func (c *clock) advance(d time.Duration) { c.at.Add(d.Microseconds()) }

func TestThresholdsAreSaidOncePerPeriodAndAgainInTheNext(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hub, c := eventstest.New(t, db), newClock(time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC))
		opts := costs.Options{Sole: true, Hub: hub, Now: c.now}
		l, ws := coststest.New(t, db, opts), storetest.Workspace()
		heard := eventstest.Listen(t, hub, ws, "costs")
		b := budget(t, l, ws, costs.Budget{Amount: 1000, Period: costs.Daily})
		spend := func(n int64) { mustReserve(t, l, call(ws, coststest.Plain, 1, 1)).Settle(used(n, 0)) }
		var said []int
		next := func() {
			var w costs.BudgetWarned
			heard.Until("costs.budget_warned", &w)
			said = append(said, w.Percent)
		}
		spend(510)
		next()
		spend(20)
		l = coststest.New(t, db, opts) // a restart forgets nothing
		spend(20)
		spend(270)
		next()
		amount := int64(2000)
		if _, err := l.ChangeBudget(t.Context(), ws, b.ID, costs.Change{Amount: &amount}); err != nil {
			t.Fatal(err)
		}
		spend(200) // 1020 of 2000: half again
		next()
		c.advance(24 * time.Hour)
		if s := standing(t, l, ws, b.ID); s.Spent != 0 || s.Left != 2000 {
			t.Errorf("a new day: %+v", s)
		}
		spend(1900)
		next()
		if fmt.Sprint(said) != "[50 80 50 95]" {
			t.Errorf("said %v", said)
		}
	})
}

func TestABudgetCountsWhatWasSpentBeforeItExisted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l, ws := coststest.New(t, db, costs.Options{Sole: true}), storetest.Workspace()
		mustReserve(t, l, call(ws, coststest.Plain, 1, 1)).Settle(used(400, 0))
		flush(t, l)
		inFlight := mustReserve(t, l, call(ws, coststest.Plain, 100, 1))
		for _, b := range []costs.Budget{
			{Amount: 1000}, {Scope: costs.ScopeUser, ScopeID: "usr_1", Amount: 1000, Period: costs.Total}, {Scope: costs.ScopeKey, ScopeID: "key_1", Amount: 1000},
			{Scope: costs.ScopeAgent, ScopeID: "writer", Amount: 1000}, {Scope: costs.ScopeModel, ScopeID: coststest.Plain, Amount: 1000},
			{Scope: costs.ScopeModel, ScopeID: coststest.Provider + "/" + coststest.Plain, Amount: 1000},
		} {
			s := budget(t, l, ws, b)
			if s.Spent != 400 || s.Calls != 1 {
				t.Errorf("%s %s: %+v", b.Scope, b.ScopeID, s)
			}
		}
		inFlight.Settle(used(100, 0)) // began before the budgets did
		flush(t, l)
		all, err := l.Budgets(t.Context(), ws)
		if err != nil || len(all) != 6 {
			t.Fatal(all, err)
		}
		for _, s := range all {
			if s.Spent != 500 || s.Reserved != 0 || s.Calls != 2 {
				t.Errorf("%s %s: %+v", s.Scope, s.ScopeID, s)
			}
		}
	})
}

func TestRolloverAndGrant(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		c := newClock(time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC))
		l, ws := coststest.New(t, db, costs.Options{Sole: true, Now: c.now}), storetest.Workspace()
		b := budget(t, l, ws, costs.Budget{Amount: 1000, Period: costs.Daily, Rollover: true, AtLimit: costs.AskPerson})
		mustReserve(t, l, call(ws, coststest.Plain, 1, 1)).Settle(used(300, 0))
		c.advance(24 * time.Hour)
		if s := standing(t, l, ws, b.ID); s.Limit != 1700 || s.Carried != 700 {
			t.Errorf("before any call of the day: %+v", s)
		}
		mustReserve(t, l, call(ws, coststest.Plain, 1, 1)).Settle(used(1700, 0))
		_, err := l.Reserve(t.Context(), call(ws, coststest.Plain, 1, 1))
		if f := fault.From(err); f == nil || f.Details["at_limit"] != costs.AskPerson || !strings.Contains(f.Hint, "grant") {
			t.Errorf("asking: %+v", f)
		}
		if s, err := l.Grant(t.Context(), ws, b.ID, 500); err != nil || s.Limit != 2200 || s.Left != 500 {
			t.Errorf("granted: %+v, %v", s, err)
		}
		mustReserve(t, l, call(ws, coststest.Plain, 1, 1)).Settle(used(100, 0))
		flush(t, l)
		c.advance(72 * time.Hour)
		if s := standing(t, l, ws, b.ID); s.Carried != 1000 || s.Granted != 0 {
			t.Errorf("after days without a call at most the amount is carried over: %+v", s)
		}
		if err := l.DeleteBudget(t.Context(), ws, b.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Budget(t.Context(), ws, b.ID); fault.From(err).Status() != 404 {
			t.Errorf("deleted: %v", err)
		}
	})
}

func TestPremiumRequests(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		premium := func(provider, model string) (int64, bool) { return 1500, provider == "copilot" }
		l, ws := coststest.New(t, db, costs.Options{Sole: true, Premium: premium}), storetest.Workspace()
		b := budget(t, l, ws, costs.Budget{Unit: costs.Premium, Amount: 3000})
		money := budget(t, l, ws, costs.Budget{Amount: 3000})
		c := call(ws, "claude", 10, 10)
		c.Provider = "copilot"
		for range 2 {
			r := mustReserve(t, l, c)
			r.Settle(costs.Settlement{Outcome: costs.OK, Usage: providers.Usage{Input: 10, Output: 10, PremiumMilli: 1500}})
			flush(t, l)
			if rec, err := l.Record(t.Context(), ws, r.ID()); err != nil || rec.Unit != costs.Premium || rec.Premium != 1500 || rec.Price != nil {
				t.Errorf("record: %+v, %v", rec, err)
			}
		}
		if _, err := l.Reserve(t.Context(), c); !fault.HasCode(err, costs.CodeBudget) || !strings.Contains(err.Error(), "3 premium requests of 3 premium requests") {
			t.Errorf("spent: %v", err)
		}
		if s := standing(t, l, ws, b.ID); s.Spent != 3000 {
			t.Errorf("standing: %+v", s)
		}
		if s := standing(t, l, ws, money.ID); s.Spent != 0 || s.Unpriced != 0 {
			t.Errorf("money: %+v", s)
		}
	})
}

func TestAThousandConcurrentCallsAreExact(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for _, sole := range []bool{true, false} {
			l, ws := coststest.New(t, db, costs.Options{Sole: sole}), storetest.Workspace()
			stop := coststest.Run(t, l)
			all := budget(t, l, ws, costs.Budget{Amount: 1 << 40})
			user := budget(t, l, ws, costs.Budget{Scope: costs.ScopeUser, ScopeID: "usr_1", Amount: 1 << 40, Period: costs.Daily})
			var want atomic.Int64
			var wg sync.WaitGroup
			for i := range int64(1000) {
				wg.Go(func() {
					r, err := l.Reserve(context.Background(), call(ws, coststest.Plain, i, 10))
					if err != nil {
						t.Error(err)
						return
					}
					r.Settle(used(i, i%7))
					want.Add(i + 2*(i%7))
				})
			}
			wg.Wait()
			stop()
			for _, id := range []ids.Budget{all.ID, user.ID} {
				if s := standing(t, l, ws, id); s.Spent != want.Load() || s.Reserved != 0 || s.Calls != 1000 {
					t.Errorf("spent %d of %d calls, %d reserved; want %d of 1000", s.Spent, s.Calls, s.Reserved, want.Load())
				}
			}
			if n := l.InFlight(); n != 0 {
				t.Errorf("%d in flight", n)
			}
			again := coststest.New(t, db, costs.Options{Sole: sole})
			if s := standing(t, again, ws, all.ID); s.Spent != want.Load() {
				t.Errorf("after a restart %d, want %d", s.Spent, want.Load())
			}
		}
	})
}

func TestTwoProcessesShareABudget(t *testing.T) {
	t.Parallel()
	db := storetest.Postgres(t)
	hub, ws := eventstest.New(t, db), storetest.Workspace()
	ledgers := []*costs.Ledger{coststest.New(t, db, costs.Options{Hub: hub, Patience: -1}), coststest.New(t, db, costs.Options{Hub: hub, Patience: -1})}
	b := budget(t, ledgers[0], ws, costs.Budget{Amount: 10_000})
	var spent, refused atomic.Int64
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			r, err := ledgers[i%2].Reserve(context.Background(), call(ws, coststest.Plain, 100, 100))
			if fault.HasCode(err, costs.CodeBudget) {
				refused.Add(1)
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			r.Settle(used(100, 100))
			spent.Add(300)
		})
	}
	wg.Wait()
	flush(t, ledgers[1])
	s := standing(t, ledgers[0], ws, b.ID)
	if s.Spent != spent.Load() || s.Reserved != 0 || s.Spent > 10_000+300 || refused.Load() == 0 {
		t.Errorf("standing %+v; %d spent, %d refused", s, spent.Load(), refused.Load())
	}
}

func TestCallsWaitForOthersInFlight(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l, ws := coststest.New(t, db, costs.Options{Sole: true}), storetest.Workspace()
		coststest.Run(t, l)
		b := budget(t, l, ws, costs.Budget{Amount: 1000})
		first := mustReserve(t, l, call(ws, coststest.Plain, 100, 500)) // holds more than the budget
		started := make(chan struct{})
		got := make(chan error, 1)
		go func() {
			close(started)
			r, err := l.Reserve(context.Background(), call(ws, coststest.Plain, 100, 50))
			if err == nil {
				r.Settle(used(100, 0))
			}
			got <- err
		}()
		<-started
		first.Settle(used(100, 100))
		if err := <-got; err != nil {
			t.Errorf("the second call: %v", err)
		}
		if s := standing(t, l, ws, b.ID); s.Spent != 400 || s.Reserved != 0 {
			t.Errorf("standing: %+v", s)
		}
		held := mustReserve(t, l, call(ws, coststest.Plain, 100, 500))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := l.Reserve(ctx, call(ws, coststest.Plain, 100, 50)); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		held.Settle(used(1, 1))
		if s := standing(t, l, ws, b.ID); s.Reserved != 0 {
			t.Errorf("a cancelled wait holds something: %+v", s)
		}
	})
}

func TestADeadProcessLeavesNothingOpen(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for _, sole := range []bool{true, false} {
			hub, ws := eventstest.New(t, db), storetest.Workspace()
			c := newClock(time.Now())
			dead := coststest.New(t, db, costs.Options{Sole: sole, Hub: hub, Now: c.now})
			b := budget(t, dead, ws, costs.Budget{Amount: 1 << 30})
			lost := mustReserve(t, dead, call(ws, coststest.Plain, 120, 500))
			next := coststest.New(t, db, costs.Options{Sole: sole, Hub: hub, Now: c.now})
			if !sole {
				if n, err := next.Sweep(t.Context()); n != 0 || err != nil {
					t.Errorf("a process that lives was swept: %d, %v", n, err)
				}
			}
			c.advance(2 * time.Minute)
			if n, err := next.Sweep(t.Context()); n != 1 || err != nil {
				t.Fatalf("swept %d, %v", n, err)
			}
			rec, err := next.Record(t.Context(), ws, lost.ID())
			if err != nil || rec.Outcome != costs.Broken || rec.ErrorCode != costs.Abandoned || !rec.Estimated || rec.Price == nil || *rec.Price != 120 {
				t.Errorf("swept: %+v, %v", rec, err)
			}
			if s := standing(t, next, ws, b.ID); s.Spent != 120 || s.Reserved != 0 || s.Calls != 1 {
				t.Errorf("standing: %+v", s)
			}
			if sole {
				continue
			}
			lost.Settle(used(100, 10)) // it only seemed dead: what it says is put right
			flush(t, dead)
			if s := standing(t, next, ws, b.ID); s.Spent != 120 || s.Calls != 1 || s.Reserved != 0 {
				t.Errorf("put right: %+v", s)
			}
			if rec, err := next.Record(t.Context(), ws, lost.ID()); err != nil || rec.Outcome != costs.OK || *rec.Price != 120 || rec.Output != 10 {
				t.Errorf("put right: %+v, %v", rec, err)
			}
		}
	})
}

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

// rawVendor relays a fixed answer.
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

func TestCallsWrittenBehindNeverOvershoot(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l, ws := coststest.New(t, db, costs.Options{Sole: true, Patience: -1}), storetest.Workspace()
		coststest.Run(t, l)
		b := budget(t, l, ws, costs.Budget{Amount: 100_000})
		mustReserve(t, l, call(ws, coststest.Plain, 90, 90)).Settle(used(1, 1)) // reads where the budget stands
		var spent, refused atomic.Int64
		spent.Store(3)
		var wg sync.WaitGroup
		for range 1000 {
			wg.Go(func() {
				c := call(ws, coststest.Plain, 90, 90)
				c.Behind = true
				r, err := l.Reserve(context.Background(), c)
				if fault.HasCode(err, costs.CodeBudget) {
					refused.Add(1)
					return
				}
				if err == nil {
					err = r.Durable(context.Background())
				}
				if err != nil {
					t.Error(err)
					return
				}
				r.Settle(used(90, 90))
				spent.Add(270)
			})
		}
		wg.Wait()
		s := standing(t, l, ws, b.ID)
		if s.Spent != spent.Load() || s.Reserved != 0 || s.Spent > s.Limit+400 || refused.Load() == 0 {
			t.Errorf("standing %+v; %d spent, %d refused", s, spent.Load(), refused.Load())
		}
	})
}

func TestThrottleSlowsDown(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		c := newClock(time.Date(2026, 11, 15, 1, 0, 0, 0, time.UTC))
		l, ws := coststest.New(t, db, costs.Options{Sole: true, Now: c.now, Patience: -1, Pause: time.Hour}), storetest.Workspace()
		budget(t, l, ws, costs.Budget{Amount: 100, Period: costs.Daily, AtLimit: costs.Throttle})
		mustReserve(t, l, call(ws, coststest.Plain, 10, 10)).Settle(used(100, 0))
		slow := mustReserve(t, l, call(ws, coststest.Plain, 10, 10))
		if _, err := l.Reserve(t.Context(), call(ws, coststest.Plain, 10, 10)); !fault.HasCode(err, costs.CodeBudget) || !fault.From(err).Retryable {
			t.Errorf("beside another: %v", err)
		}
		slow.Settle(used(10, 0))
		if _, err := l.Reserve(t.Context(), call(ws, coststest.Plain, 10, 10)); !fault.HasCode(err, costs.CodeBudget) {
			t.Errorf("within the pause: %v", err)
		}
		c.advance(2 * time.Hour)
		mustReserve(t, l, call(ws, coststest.Plain, 10, 10)).Settle(used(10, 0))
	})
}

// pooled is a vendor reached with an account of a pool.
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
