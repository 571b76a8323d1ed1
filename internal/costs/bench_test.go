package costs_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/costs/coststest"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// BenchmarkCall measures Reserve and Settle together: the time and, as cpu-µs/op,
// what the whole process worked for it.
func BenchmarkCall(b *testing.B) {
	for _, budgets := range []int{0, 3} {
		for _, callers := range []int{1, 32, 256} {
			for _, behind := range []bool{false, true} {
				b.Run(fmt.Sprintf("budgets=%d/callers=%d/behind=%v", budgets, callers, behind), func(b *testing.B) { benchCalls(b, budgets, callers, behind) })
			}
		}
	}
}

func benchCalls(b *testing.B, budgets, callers int, behind bool) {
	l, ws := coststest.New(b, storetest.SQLite(b), costs.Options{Sole: true}), storetest.Workspace()
	coststest.Run(b, l)
	for _, scope := range []costs.Budget{{}, {Scope: costs.ScopeUser, ScopeID: "usr_1"}, {Scope: costs.ScopeKey, ScopeID: "key_1"}}[:budgets] {
		scope.Amount, scope.Enabled = 1<<49, true
		if _, err := l.CreateBudget(context.Background(), ws, scope); err != nil {
			b.Fatal(err)
		}
	}
	if err := l.Flush(context.Background()); err != nil {
		b.Fatal(err)
	}
	c := call(ws, coststest.Plain, 500, 100)
	c.Behind = behind
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ReportAllocs()
	before := cpu(b)
	b.ResetTimer()
	for range callers {
		wg.Go(func() {
			for next.Add(1) <= int64(b.N) {
				r, err := l.Reserve(context.Background(), c)
				if err != nil {
					b.Error(err)
					return
				}
				r.Settle(used(500, 100))
			}
		})
	}
	wg.Wait()
	if err := l.Flush(context.Background()); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(float64((cpu(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
}

// cpu is what this process has worked so far.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
