package costs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/costs/coststest"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

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

func TestCallsWrittenBehindNeverOvershoot(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) { neverOvershoots(t, db, "") })
	t.Run("with a journal", func(t *testing.T) {
		t.Parallel()
		neverOvershoots(t, storetest.SQLite(t), t.TempDir())
	})
}

func neverOvershoots(t *testing.T, db *store.DB, journal string) {
	l, ws := coststest.New(t, db, costs.Options{Sole: true, Patience: -1, Journal: journal}), storetest.Workspace()
	coststest.Run(t, l)
	b := budget(t, l, ws, costs.Budget{Amount: 100_000})
	mustReserve(t, l, call(ws, coststest.Plain, 90, 90)).Settle(used(1, 1)) // reads where the budget stands
	var spent, refused atomic.Int64
	spent.Store(3)
	var wg sync.WaitGroup
	for i := range 1000 {
		wg.Go(func() {
			c := call(ws, coststest.Plain, 90, 90)
			c.Behind = i%3 > 0 // the others ask the database, and count as well while they do
			r, err := l.Reserve(context.Background(), c)
			if fault.HasCode(err, costs.CodeBudget) {
				refused.Add(1)
				return
			}
			if err == nil && c.Behind {
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
