// Package retry repeats what may succeed later.
//
// In:    a function and a policy.
// Out:   the function's last error, or nil.
// Keeps: nothing. Says: nothing.
// Not here: deciding what is worth repeating (faults carry that); circuit breaking (providers).
package retry

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Policy says how often and how patiently to repeat.
type Policy struct {
	Attempts int           // in all, the first included; 0: 4
	First    time.Duration // wait before the second attempt; 0: 200 ms
	Max      time.Duration // longest wait; 0: 30 s
}

// Wait is the pause before attempt n+1 (n counts from 1): exponential, with
// full jitter between half and the whole, so that callers spread out.
func (p Policy) Wait(n int) time.Duration {
	wait, limit := cmp.Or(p.First, 200*time.Millisecond), cmp.Or(p.Max, 30*time.Second)
	for i := 1; i < n && wait < limit; i++ {
		wait *= 2
	}
	wait = min(wait, limit)
	return wait/2 + rand.N(wait/2+1)
}

// Do calls f until it succeeds, fails for good, or the policy or ctx ends. Only
// faults marked retryable are repeated; their RetryAfter wins over the policy.
func Do(ctx context.Context, p Policy, f func(ctx context.Context) error) error {
	for n := 1; ; n++ {
		err := f(ctx)
		if err == nil || n >= cmp.Or(p.Attempts, 4) {
			return err
		}
		var flt *fault.Fault
		if !errors.As(err, &flt) || !flt.Retryable {
			return err
		}
		timer := time.NewTimer(max(flt.RetryAfter, p.Wait(n)))
		select {
		case <-ctx.Done():
			timer.Stop()
			return errors.Join(err, context.Cause(ctx))
		case <-timer.C:
		}
	}
}
