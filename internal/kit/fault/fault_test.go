package fault

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"
)

func TestFrom(t *testing.T) {
	t.Parallel()
	spent := New(Exhausted, "budget_spent", "%s has spent its %s.", "Code", "$5")
	tests := map[string]struct {
		err    error
		code   string
		status int
	}{
		"a fault is found through wrapping": {fmt.Errorf("starting run: %w", spent), "budget_spent", 429},
		"any other error is our side":       {errors.New("disk on fire"), "internal", 500},
		"a deadline is a time-out":          {context.DeadlineExceeded, "timeout", 504},
		"a cancel is a cancel":              {context.Canceled, "cancelled", 499},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := From(tt.err)
			if got.Code != tt.code || got.Status() != tt.status {
				t.Errorf("From(%v) = %s, %d; want %s, %d", tt.err, got.Code, got.Status(), tt.code, tt.status)
			}
		})
	}
	if From(nil) != nil {
		t.Error("From(nil) is not nil")
	}
}

func TestWithReturnsCopies(t *testing.T) {
	t.Parallel()
	base := New(Conflict, "stale", "It changed.")
	full := base.WithHint("Reload.").WithParam("version").WithDetail("now", 3).RetryIn(time.Second).Because(errors.New("x"))
	if base.Hint != "" || base.Param != "" || base.Details != nil || base.Retryable || base.Unwrap() != nil {
		t.Errorf("the base was changed: %+v", base)
	}
	if full.Hint != "Reload." || full.Param != "version" || full.Details["now"] != 3 || full.RetryAfter != time.Second {
		t.Errorf("lost on the way: %+v", full)
	}
	if !errors.Is(full, base) {
		t.Error("errors.Is does not compare by code")
	}
}
