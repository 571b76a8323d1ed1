package providers

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// A context that is tied late must be no other than one that is tied at once.
func TestAClockRunsFromTheBeginningOnceSomebodyWaits(t *testing.T) {
	t.Parallel()
	h := &hurried{limit: 10 * time.Second}
	gone := errors.New("the caller left")
	for name, tt := range map[string]func(t *testing.T, c *clocked, leave context.CancelCauseFunc){
		"who waits late is told in time": func(t *testing.T, c *clocked, _ context.CancelCauseFunc) {
			time.Sleep(4 * time.Second)
			<-c.Done()
			if time.Since(c.began) != c.limit || !fault.HasCode(context.Cause(c), CodeSlow) || !errors.Is(c.Err(), context.Canceled) {
				t.Errorf("after %s: %v, %v", time.Since(c.began), context.Cause(c), c.Err())
			}
		},
		"who only asks is told too": func(t *testing.T, c *clocked, _ context.CancelCauseFunc) {
			if c.Err() != nil {
				t.Error(c.Err())
			}
			time.Sleep(c.limit)
			_ = c.Err() // from now on somebody waits
			synctest.Wait()
			if c.Err() == nil || !fault.HasCode(context.Cause(c), CodeSlow) {
				t.Errorf("%v, %v", c.Err(), context.Cause(c))
			}
		},
		"who is tied to it ends with the caller": func(t *testing.T, c *clocked, leave context.CancelCauseFunc) {
			child, cancel := context.WithCancel(c)
			defer cancel()
			leave(gone)
			if context.Cause(child) != gone || context.Cause(c) != gone { //nolint:errorlint // the very one
				t.Errorf("%v, %v", context.Cause(child), context.Cause(c))
			}
		},
		"a caller who left before is noticed": func(t *testing.T, c *clocked, leave context.CancelCauseFunc) {
			leave(gone)
			if c.Err() == nil || context.Cause(c) != gone { //nolint:errorlint // the very one
				t.Errorf("%v, %v", c.Err(), context.Cause(c))
			}
		},
		"once answered it may last": func(t *testing.T, c *clocked, _ context.CancelCauseFunc) {
			done := c.Done()
			c.inTime()
			time.Sleep(2 * c.limit)
			select {
			case <-done:
				t.Error(context.Cause(c))
			default:
			}
			c.end()
			<-done
		},
		"what is over stays over": func(t *testing.T, c *clocked, _ context.CancelCauseFunc) {
			c.inTime()
			c.end()
			<-c.Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, leave := context.WithCancelCause(t.Context())
				c := h.clock(ctx, "m")
				defer c.end()
				tt(t, c, leave)
				leave(nil)
			})
		})
	}
}
