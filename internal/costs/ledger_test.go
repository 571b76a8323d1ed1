package costs_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/costs/coststest"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
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

// clock is a time that moves when told to.
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

// rawVendor relays a fixed answer.
// pooled is a vendor reached with an account of a pool.
