package e2e

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/fluxway/fluxway/internal/store/storetest"
)

// TestTwoServersOnOneDatabase runs two processes on one PostgreSQL with a NATS
// server between them: what is done through one is seen live through the other,
// each event once, in one order.
func TestTwoServersOnOneDatabase(t *testing.T) {
	t.Parallel()
	bus, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: -1, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	go bus.Start()
	t.Cleanup(bus.Shutdown)
	if !bus.ReadyForConnections(10 * time.Second) {
		t.Fatal("the NATS server did not start")
	}
	env := []string{"FLUXWAY_DATABASE_URL=" + storetest.EmptyPostgresURL(t), "FLUXWAY_EVENTS_NATS_URL=" + bus.ClientURL(),
		"FLUXWAY_SECURITY_SEALING_KEY=" + base64.StdEncoding.EncodeToString([]byte("a key that both of them must have"[:32]))}
	first := newServer(t, env...)
	second := newFolder(t, env...)
	second.key = first.key // users and keys are in the database they share
	first.start()
	second.start()

	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	followers := []*follower{follow(ctx, first, "conversations/*"), follow(ctx, second, "conversations/*")}
	var reading sync.WaitGroup
	for _, f := range followers {
		reading.Go(func() { f.run(ctx) })
	}
	const each = 40
	var writing sync.WaitGroup
	for i, s := range []*server{first, second} {
		writing.Go(func() {
			for n := range each {
				if _, err := s.call(ctx, "POST", "/api/v1/conversations", map[string]string{"title": fmt.Sprintf("%d-%d", i, n)}, nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	for i, f := range followers {
		if !f.until(ctx, func(seen []envelope) bool { return len(seen) >= 2*each }) {
			t.Fatalf("follower %d saw %d of %d events", i, len(f.events), 2*each)
		}
	}
	// A run started through one server streams through both, deltas included.
	if _, err := first.call(ctx, "POST", "/api/v1/agents/assistant/chat", map[string]string{"message": "hello"}, nil); err != nil {
		t.Fatal(err)
	}
	for i, f := range followers {
		if !f.until(ctx, func(seen []envelope) bool { return finished(seen) > 0 }) {
			t.Fatalf("follower %d did not see the run end", i)
		}
	}
	cancel()
	reading.Wait()
	a, b := followers[0].events, followers[1].events
	a, b = a[:finished(a)], b[:finished(b)] // its title and the like come later, and may be cut off for one of them
	if len(a) != len(b) {
		t.Fatalf("one saw %d events up to the end of the run, the other %d", len(a), len(b))
	}
	for i := range a {
		if a[i].Cursor != b[i].Cursor || a[i].Kind != b[i].Kind {
			t.Fatalf("event %d differs: %d %s, %d %s", i, a[i].Cursor, a[i].Kind, b[i].Cursor, b[i].Kind)
		}
	}
}

// finished counts the events up to the end of the run; 0 while it goes on.
func finished(seen []envelope) int {
	return 1 + slices.IndexFunc(seen, func(e envelope) bool { return e.Kind == "runs.finished" })
}
