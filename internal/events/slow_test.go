package events_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestDeltasAreDroppedBeforeFacts(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	hub := eventstest.Run(t, events.Options{DB: db, DropLag: 8 << 10, ThrottleLag: 16 << 10, StallTime: time.Hour})
	ws, sink := storetest.Workspace(), eventstest.NewSink(300)
	sub, err := hub.Subscribe(t.Context(), events.Request{Workspace: ws, Channels: []string{"runs/*"}, Sink: sink})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	eventstest.Append(t, db, hub, ws, "runs/1", said{N: 0, Text: strings.Repeat("x", 300)})
	sink.WaitFull(t)
	const facts, between = 50, 20
	for i := range facts {
		for range between {
			hub.Publish(ws, "runs/1", typed{Text: "a piece of an answer"})
		}
		eventstest.Append(t, db, hub, ws, "runs/1", said{N: i + 1})
	}
	sink.Open(-1)
	sub.Ready()
	eventstest.Append(t, db, hub, ws, "runs/1", said{N: facts + 1})
	last, deltas, got := 0, 0, 0
	for last <= facts {
		got++
		e := open(t, sink.Wait(t, got)[got-1])
		switch e.Kind {
		case "test.said":
			if got > 1 && e.Data.N != last+1 {
				t.Fatalf("fact %d follows %d", e.Data.N, last)
			}
			last = e.Data.N
		case "test.typed":
			deltas++
		}
	}
	dropped, throttled := 0, 0
	for _, n := range sink.Notices() {
		if n.Kind == events.Throttled {
			throttled++
		}
		dropped += n.Dropped
	}
	if dropped == 0 || deltas == 0 || dropped+deltas != facts*between {
		t.Errorf("%d deltas dropped and %d delivered, want some of each and %d in all", dropped, deltas, facts*between)
	}
	if throttled != 1 {
		t.Errorf("throttled %d times, want once", throttled)
	}
}

func TestAStalledSubscriberIsClosed(t *testing.T) {
	t.Parallel()
	tests := map[string]events.Options{
		"when it has not read for too long": {StallTime: time.Millisecond},
		"when it is too far behind":         {StallTime: time.Hour, LagTime: time.Millisecond, CloseLag: 64 << 10},
		"when the log has left it behind":   {StallTime: time.Hour, LagTime: time.Millisecond, LogBytes: 64 << 10},
	}
	for name, opts := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := storetest.SQLite(t)
			opts.DB, opts.HeadCheck = db, 5*time.Millisecond
			hub := eventstest.Run(t, opts)
			ws, sink := storetest.Workspace(), eventstest.NewSink(10)
			if _, err := hub.Subscribe(t.Context(), events.Request{Workspace: ws, Channels: []string{"**"}, Sink: sink}); err != nil {
				t.Fatal(err)
			}
			for i := range 100 {
				eventstest.Append(t, db, hub, ws, "jobs", said{Text: strings.Repeat("x", 2000)})
				if i == 0 {
					sink.WaitFull(t) // it is in the log, not behind it
				}
			}
			if err := sink.WaitClosed(t); !fault.HasCode(err, "too_slow") {
				t.Errorf("closed with %v, want too_slow", err)
			}
			if n := hub.Stats().Subscribers; n != 0 {
				t.Errorf("%d subscribers left", n)
			}
		})
	}
}

// One of a hundred stops reading: the rest get everything, and memory stays.
func TestAStalledSubscriberCostsNothing(t *testing.T) {
	db := storetest.SQLite(t)
	hub := eventstest.Run(t, events.Options{DB: db, LogBytes: 1 << 20, StallTime: time.Hour, CloseLag: 1 << 40})
	ws := storetest.Workspace()
	const readers, rounds, burst = 99, 60, 256
	sinks := make([]*counter, readers)
	for i := range sinks {
		sinks[i] = newCounter(rounds * burst)
		subscribe(t, hub, ws, sinks[i])
	}
	stalled := eventstest.NewSink(100)
	stuck := subscribe(t, hub, ws, stalled)
	facts := make([]events.Event, burst)
	for i := range facts {
		facts[i] = said{N: i, Text: strings.Repeat("x", 400)}
	}
	var before uint64
	for round := range rounds {
		eventstest.Append(t, db, hub, ws, "jobs", facts...)
		if round == rounds/3 { // the log in memory has been full for a while
			before = heap()
		}
	}
	for i, sink := range sinks {
		if got := sink.wait(t); got != rounds*burst {
			t.Errorf("subscriber %d got %d frames, want %d", i, got, rounds*burst)
		}
	}
	after := heap()
	if grown := int64(after) - int64(before); grown > 2<<20 {
		t.Errorf("the heap grew by %d bytes while %d bytes were said to a subscriber that does not read", grown, rounds*burst*500*2/3)
	}
	if n := hub.Stats().Blocked; n != 1 {
		t.Errorf("%d subscribers blocked, want 1", n)
	}
	// It has lost nothing: what it missed comes from the database.
	stalled.Open(-1)
	stuck.Ready()
	texts := stalled.Wait(t, rounds*burst)
	for i, text := range texts {
		if e := open(t, text); e.Cursor == nil || *e.Cursor != int64(i+1) {
			t.Fatalf("frame %d of the stalled subscriber is %.60s", i, text)
		}
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestSendGoesBeforeAndIsBounded(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	hub, ws := eventstest.New(t, db), storetest.Workspace()
	sink := eventstest.NewSink(-1)
	sub, err := hub.Subscribe(t.Context(), events.Request{Workspace: ws, Sink: sink})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if err := sub.Send(events.Frame([]byte(`{"op":"pong"}`))); err != nil {
		t.Fatal(err)
	}
	if got := string(sink.Wait(t, 1)[0]); got != `{"op":"pong"}` {
		t.Errorf("got %s", got)
	}
	sink.Open(0)
	var failed error
	for i := 0; failed == nil && i < 1000; i++ {
		failed = sub.Send(events.Frame([]byte(`{"op":"pong"}`)))
	}
	if !fault.HasCode(failed, "too_slow") {
		t.Errorf("a client that does not read gets %v", failed)
	}
	sink.Open(-1)
	sub.Ready()
	sink.Wait(t, 60)
}

// Asking whether a channel is allowed may take a moment, which costs only the
// subscriber that is asked about.
func TestASlowPermissionDelaysNobodyElse(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	hub := eventstest.Run(t, events.Options{DB: db, Workers: 1})
	ws, gate := storetest.Workspace(), make(chan struct{})
	held, free := eventstest.NewSink(-1), eventstest.NewSink(-1)
	for sink, allow := range map[*eventstest.Sink]func(string) bool{
		held: func(string) bool { <-gate; return true },
		free: func(channel string) bool { return channel == "jobs/2" },
	} {
		sub, err := hub.Subscribe(t.Context(), events.Request{Workspace: ws, Channels: []string{"jobs/*"}, Allow: allow, Sink: sink})
		if err != nil {
			t.Fatal(err)
		}
		defer sub.Close()
	}
	for i := range 9 {
		eventstest.Append(t, db, hub, ws, fmt.Sprint("jobs/", i%3), said{N: i})
	}
	for i, text := range free.Wait(t, 3) {
		if e := open(t, text); e.Data.N != 3*i+2 {
			t.Errorf("event %d is %s", i, text)
		}
	}
	if n := len(held.Texts()); n != 0 {
		t.Errorf("%d events were delivered before they were allowed", n)
	}
	close(gate)
	held.Wait(t, 9)
}

func TestAClientIsToldBeforeTheFirstEvent(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	hub, ws := eventstest.New(t, db), storetest.Workspace()
	eventstest.Append(t, db, hub, ws, "jobs", said{N: 1}, said{N: 2}, said{N: 3})
	for after, want := range map[*int64]string{new(int64(1)): `{"subscribed":1}`, nil: `{"subscribed":3}`} {
		sink := eventstest.NewSink(-1)
		sub, err := hub.Subscribe(t.Context(), events.Request{Workspace: ws, Sink: sink})
		if err != nil {
			t.Fatal(err)
		}
		tell := func(cursor int64) []byte { return events.Frame(fmt.Appendf(nil, `{"subscribed":%d}`, cursor)) }
		if err := sub.AddConfirmed(t.Context(), after, tell, "**"); err != nil {
			t.Fatal(err)
		}
		if got := string(sink.Wait(t, 1)[0]); got != want {
			t.Errorf("the first frame is %s, want %s", got, want)
		}
		if after != nil {
			sink.Wait(t, 3)
		}
		sub.Close()
	}
}

func TestAddFromAnEarlierCursorDeliversNothingTwice(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hub := eventstest.Run(t, events.Options{DB: db, LogBytes: 4 << 10})
		ws, ctx := storetest.Workspace(), t.Context()
		say := func(n int) {
			for i := range n {
				eventstest.Append(t, db, hub, ws, []string{"a", "b", "c"}[i%3], said{N: i})
			}
		}
		say(60)
		start := int64(30)
		l := eventstest.Subscribe(t, hub, events.Request{Workspace: ws, Channels: []string{"a"}, After: &start})
		seen := map[int64]string{}
		read := func(n int) {
			t.Helper()
			for range n {
				d := l.Next()
				if seen[d.Cursor] != "" {
					t.Fatalf("cursor %d was delivered twice", d.Cursor)
				}
				seen[d.Cursor] = d.Channel
			}
		}
		read(10) // a in 31…60
		say(30)
		read(10)
		early := int64(0)
		if err := l.Subscription().Add(ctx, &early, "b"); err != nil {
			t.Fatal(err)
		}
		if err := l.Subscription().Add(ctx, nil, "c"); err != nil {
			t.Fatal(err)
		}
		say(3)
		read(30 + 3) // all of b, then one of each
		if err := l.Subscription().Remove("a", "b"); err != nil {
			t.Fatal(err)
		}
		say(6)
		read(2)
		counts := map[string]int{}
		for _, channel := range seen {
			counts[channel]++
		}
		if counts["a"] != 21 || counts["b"] != 31 || counts["c"] != 3 {
			t.Errorf("delivered %v, want a 21, b 31, c 3", counts)
		}
	})
}
