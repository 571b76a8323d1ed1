package providers

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

var errLeft = errors.New("the caller left")

func clockOf(t *testing.T) (*clocked, context.CancelCauseFunc) {
	t.Helper()
	ctx, leave := context.WithCancelCause(t.Context())
	c := (&hurried{limit: 10 * time.Second}).clock(ctx, "m")
	t.Cleanup(func() {
		c.end()
		leave(nil)
	})
	return c, leave
}

// A context that is tied late must be no other than one that is tied at once.
func TestAClockRunsFromTheBeginning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := clockOf(t)
		time.Sleep(4 * time.Second) // nobody waits yet
		<-c.Done()
		if time.Since(c.began) != c.limit || !fault.HasCode(context.Cause(c), CodeSlow) || !errors.Is(c.Err(), context.Canceled) {
			t.Errorf("after %s: %v, %v", time.Since(c.began), context.Cause(c), c.Err())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		c, _ := clockOf(t)
		if c.Err() != nil {
			t.Error(c.Err())
		}
		time.Sleep(c.limit)
		_ = c.Err() // who only asks is told too, from now on
		synctest.Wait()
		if c.Err() == nil || !fault.HasCode(context.Cause(c), CodeSlow) {
			t.Errorf("%v, %v", c.Err(), context.Cause(c))
		}
	})
}

func TestAClockStopsWithTheAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := clockOf(t)
		done := c.Done()
		c.inTime()
		time.Sleep(2 * c.limit)
		if c.Err() != nil {
			t.Error(context.Cause(c))
		}
		c.end()
		<-done
	})
	synctest.Test(t, func(t *testing.T) {
		c, _ := clockOf(t)
		c.inTime()
		c.end()
		<-c.Done() // what is over stays over
	})
}

func TestAClockEndsWithTheCaller(t *testing.T) {
	t.Parallel()
	c, leave := clockOf(t)
	child, cancel := context.WithCancel(c)
	defer cancel()
	leave(errLeft)
	<-child.Done()
	if !errors.Is(context.Cause(child), errLeft) || !errors.Is(context.Cause(c), errLeft) {
		t.Errorf("tied: %v, %v", context.Cause(child), context.Cause(c))
	}
	c, leave = clockOf(t)
	leave(errLeft)
	if c.Err() == nil || !errors.Is(context.Cause(c), errLeft) {
		t.Errorf("not tied: %v, %v", c.Err(), context.Cause(c))
	}
}
