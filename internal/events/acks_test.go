package events_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func pending(t *testing.T, hub *events.Hub, c events.Consumer) []int64 {
	t.Helper()
	list, err := hub.PendingAcks(t.Context(), events.AckQuery{Consumer: c})
	if err != nil {
		t.Fatal(err)
	}
	cursors := []int64{}
	for _, r := range list.Data {
		cursors = append(cursors, r.Cursor)
	}
	return cursors
}

func TestAcknowledgementsSurviveReconnectsAndRestarts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ws, ctx := storetest.Workspace(), t.Context()
		me := events.Consumer{Workspace: ws, Name: "user:usr_1"}
		patterns := []string{"approvals/**", "notifications/usr_1", "jobs"}
		hub := eventstest.New(t, db)
		say := func(hub *events.Hub) {
			for _, channel := range []string{"approvals/app_1", "jobs", "notifications/usr_1", "notifications/usr_2"} {
				eventstest.Append(t, db, hub, ws, channel, said{})
			}
		}
		say(hub) // 1…4: before the first subscription, so nothing is owed
		if got := pending(t, hub, me); len(got) != 0 {
			t.Errorf("pending before the first subscription: %v", got)
		}
		first := eventstest.Subscribe(t, hub, events.Request{Workspace: ws, Channels: patterns, Consumer: me.Name})
		say(hub) // 5…8
		for _, want := range []int64{5, 6, 7} {
			if d := first.Next(); d.Cursor != want || d.Redelivered {
				t.Fatalf("got %s", d.JSON)
			}
		}
		for range 2 { // doing it again changes nothing
			acked, err := hub.Ack(ctx, me, 5, 6, 99)
			want := events.Acked{Acknowledged: []int64{5}, Unknown: []int64{6, 99}}
			if diff := cmp.Diff(want, acked); diff != "" || err != nil {
				t.Errorf("Ack: %v (-want +got):\n%s", err, diff)
			}
		}
		first.Subscription().Close()
		say(hub) // 9…12: while away

		again := eventstest.New(t, db) // as after a restart
		mine := events.AckQuery{Consumer: me, Channels: patterns}
		if list, err := again.PendingAcks(ctx, mine); err != nil || len(list.Data) != 3 {
			t.Errorf("PendingAcks of my channels = %+v, %v; want 7, 9, 11", list, err)
		}
		seven := int64(7)
		for name, sink := range map[string]*eventstest.Sink{"a loop": nil, "a sink": eventstest.NewSink(-1)} {
			r := events.Request{Workspace: ws, Channels: patterns, Consumer: me.Name, After: &seven}
			var texts [][]byte
			if sink == nil {
				l := eventstest.Subscribe(t, again, r)
				for range 4 {
					texts = append(texts, l.Next().JSON)
				}
			} else {
				r.Sink = sink
				if _, err := again.Subscribe(ctx, r); err != nil {
					t.Fatal(err)
				}
				texts = sink.Wait(t, 4)
			}
			var got []int64
			for i, text := range texts {
				e := open(t, text)
				got = append(got, *e.Cursor)
				if e.Redelivered != (i == 0) {
					t.Errorf("%s: frame %d is %s", name, i, text)
				}
			}
			if diff := cmp.Diff([]int64{7, 9, 10, 11}, got); diff != "" {
				t.Errorf("%s: cursors differ (-want +got):\n%s", name, diff)
			}
		}
		if _, err := again.Ack(ctx, me, 7, 8, 9, 12); err != nil {
			t.Fatal(err)
		}
		if _, err := again.Prune(ctx); err != nil { // moves the consumer on
			t.Fatal(err)
		}
		if diff := cmp.Diff([]int64{11}, pending(t, again, me)); diff != "" {
			t.Errorf("pending differ (-want +got):\n%s", diff)
		}
		if rows, err := store.One[int](ctx, db.Read(), `SELECT count(*) FROM events_acks`); rows != 1 || err != nil {
			t.Errorf("%d acknowledgements kept after Prune (%v), want only that of 12", rows, err)
		}
	})
}
