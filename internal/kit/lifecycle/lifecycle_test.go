package lifecycle

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestGroupStopsFromTheTopDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var stopped []string
		part := func(name string) Runner {
			return Func(func(ctx context.Context) error {
				<-ctx.Done()
				mu.Lock()
				defer mu.Unlock()
				stopped = append(stopped, name)
				return ctx.Err()
			})
		}
		var g Group
		g.Add("store", part("store"))
		g.Add("events", part("events"))
		g.Add("api", part("api"))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if err := g.Run(ctx); err != nil {
			t.Fatalf("Run = %v, want nil", err)
		}
		if want := []string{"api", "events", "store"}; !slices.Equal(stopped, want) {
			t.Errorf("stopped %v, want %v", stopped, want)
		}
	})
}

func TestGroupNamesWhoFailedAndWhoWouldNotStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		g := Group{Grace: time.Second}
		g.Add("stubborn", Func(func(context.Context) error { <-release; return nil }))
		g.Add("broken", Func(func(context.Context) error { return errors.New("no disk") }))
		g.Add("brief", Func(func(context.Context) error { return nil }))
		err := g.Run(t.Context())
		close(release)
		for _, want := range []string{"broken: no disk", "stubborn did not stop within 1s"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("Run = %v, want it to say %q", err, want)
			}
		}
	})
}
