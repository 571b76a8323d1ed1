package deadline_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fluxway/fluxway/internal/kit/deadline"
)

type key struct{}

var errLate = errors.New("late")

// Whatever is done with a context, it must answer as the one of package context does.
func TestAContextAnswersLikeTheUsualOne(t *testing.T) {
	t.Parallel()
	stopped := errors.New("stopped")
	for name, tt := range map[string]struct {
		wait  time.Duration
		stop  bool // the parent
		end   bool
		err   error
		cause error
	}{
		"in time":             {wait: time.Second},
		"too late":            {wait: time.Minute, err: context.DeadlineExceeded, cause: errLate},
		"the parent ends":     {stop: true, err: context.Canceled, cause: stopped},
		"its work is done":    {end: true, err: context.Canceled, cause: context.Canceled},
		"done, then too late": {end: true, wait: time.Hour, err: context.Canceled, cause: context.Canceled},
	} {
		for how, waits := range map[string]bool{"asked at the end": false, "waited for": true} {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					parent, cancel := context.WithCancelCause(context.WithValue(t.Context(), key{}, "kept"))
					defer cancel(nil)
					c := deadline.After(parent, time.Minute, errLate)
					defer c.End()
					if waits {
						c.Done()
					}
					if tt.end {
						c.End()
					}
					if tt.stop {
						cancel(stopped)
					}
					time.Sleep(tt.wait)
					synctest.Wait()
					if got := c.Err(); !errors.Is(got, tt.err) {
						t.Errorf("Err() = %v, want %v", got, tt.err)
					}
					if got := context.Cause(c); !errors.Is(got, tt.cause) {
						t.Errorf("Cause() = %v, want %v", got, tt.cause)
					}
					select {
					case <-c.Done():
						if tt.err == nil {
							t.Error("it is done")
						}
					default:
						if tt.err != nil {
							t.Error("it is not done")
						}
					}
					if got := c.Value(key{}); got != "kept" {
						t.Errorf("Value() = %v", got)
					}
				})
			})
		}
	}
}

func TestAContextMadeOfItEndsWithIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := deadline.After(t.Context(), time.Minute, errLate)
		defer c.End()
		child, cancel := context.WithCancel(c)
		defer cancel()
		began := time.Now()
		<-child.Done()
		if took := time.Since(began); took != time.Minute || !errors.Is(context.Cause(child), errLate) {
			t.Errorf("ended after %s because of %v", took, context.Cause(child))
		}
	})
}

func TestTheEarlierDeadlineCounts(t *testing.T) {
	t.Parallel()
	early, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	want, _ := early.Deadline()
	if got, ok := deadline.After(early, time.Hour, errLate).Deadline(); !ok || !got.Equal(want) {
		t.Errorf("Deadline() = %v, %v; want the parent's, %v", got, ok, want)
	}
	if got, ok := deadline.After(early, 0, errLate).Deadline(); !ok || !got.Before(want) {
		t.Errorf("Deadline() = %v, %v; want its own", got, ok)
	}
}
