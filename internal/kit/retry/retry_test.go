package retry

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

func TestDo(t *testing.T) {
	t.Parallel()
	busy := fault.New(fault.Unavailable, "busy", "Busy.")
	tests := map[string]struct {
		errs  []error // one per call, then nil
		calls int
		ok    bool
	}{
		"success at once":                 {nil, 1, true},
		"two failures, then success":      {[]error{busy, busy}, 3, true},
		"gives up after four":             {[]error{busy, busy, busy, busy, busy}, 4, false},
		"a plain error is not repeated":   {[]error{errors.New("no")}, 1, false},
		"a lasting fault is not repeated": {[]error{fault.New(fault.Invalid, "bad", "Bad.")}, 1, false},
		"an exhausted one when marked so": {[]error{fault.New(fault.Exhausted, "rate", "Slow.").RetryIn(time.Minute)}, 2, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				err := Do(t.Context(), Policy{}, func(context.Context) error {
					calls++
					if calls <= len(tt.errs) {
						return tt.errs[calls-1]
					}
					return nil
				})
				if calls != tt.calls || (err == nil) != tt.ok {
					t.Errorf("calls = %d, err = %v; want %d, ok=%v", calls, err, tt.calls, tt.ok)
				}
			})
		})
	}
}

func TestDoHonoursRetryAfterAndCancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		first := true
		err := Do(t.Context(), Policy{}, func(context.Context) error {
			if first {
				first = false
				return fault.New(fault.Exhausted, "rate", "Slow.").RetryIn(time.Minute)
			}
			return nil
		})
		if waited := time.Since(start); err != nil || waited < time.Minute {
			t.Errorf("waited %s, err %v; want at least a minute", waited, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err = Do(ctx, Policy{First: time.Hour, Max: time.Hour}, func(context.Context) error {
			return fault.New(fault.Unavailable, "busy", "Busy.")
		})
		if !errors.Is(err, context.DeadlineExceeded) || !fault.HasCode(err, "busy") {
			t.Errorf("err = %v; want both the deadline and the last failure", err)
		}
	})
}

func TestWaitStaysWithinItsBounds(t *testing.T) {
	t.Parallel()
	p := Policy{First: time.Second, Max: 8 * time.Second}
	for n, want := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 4: 8 * time.Second, 90: 8 * time.Second} {
		for range 100 {
			if got := p.Wait(n); got < want/2 || got > want {
				t.Fatalf("Wait(%d) = %s, want between %s and %s", n, got, want/2, want)
			}
		}
	}
}
