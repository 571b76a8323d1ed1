package events_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

type said struct {
	N    int    `json:"n"`
	Text string `json:"text,omitempty"`
}

func (said) Kind() string { return "test.said" }

type typed struct {
	Text string `json:"text"`
}

func (typed) Kind() string { return "test.typed" }

type envelope struct {
	Cursor      *int64    `json:"cursor"`
	Redelivered bool      `json:"redelivered"`
	Channel     string    `json:"channel"`
	Kind        string    `json:"kind"`
	At          time.Time `json:"at"`
	Data        said      `json:"data"`
}

func open(t testing.TB, text []byte) envelope {
	t.Helper()
	var e envelope
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return e
}

func TestAFactIsDeliveredAfterItsCommit(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hub, ws := eventstest.New(t, db), storetest.Workspace()
		l := eventstest.Listen(t, hub, ws, "**")
		eventstest.Append(t, db, hub, ws, "runs/run_1", said{N: 1}, said{N: 2})
		hub.Publish(ws, "runs/run_1", said{N: 3})
		eventstest.Append(t, db, hub, ws, "jobs", said{N: 4})
		var got []string
		for range 4 {
			d := l.Next()
			e := open(t, d.JSON)
			if age := time.Since(e.At); age < 0 || age > time.Minute {
				t.Errorf("at = %s, %s ago", e.At, age)
			}
			cursor := int64(0)
			if e.Cursor != nil {
				cursor = *e.Cursor
			}
			if d.Cursor != cursor || d.Channel != e.Channel || d.Kind != e.Kind {
				t.Errorf("delivery %+v differs from its envelope %s", d, d.JSON)
			}
			got = append(got, fmt.Sprint(cursor, " ", e.Channel, " ", e.Kind, " ", e.Data.N))
		}
		want := []string{"1 runs/run_1 test.said 1", "2 runs/run_1 test.said 2", "0 runs/run_1 test.said 3", "3 jobs test.said 4"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("events differ (-want +got):\n%s", diff)
		}
	})
}

func TestDeltasOfATransactionComeBetweenItsFacts(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	hub, ws, ctx := eventstest.New(t, db), storetest.Workspace(), t.Context()
	l := eventstest.Listen(t, hub, ws, "**")
	err := db.InTx(ctx, func(tx *store.Tx) error {
		return errors.Join(
			hub.Append(ctx, tx, ws, "runs/run_1", said{N: 1}),
			hub.AppendDeltas(tx, ws, "runs/run_1", []events.Event{said{N: 2}, kind("not a kind"), said{N: 3}}),
			hub.Append(ctx, tx, ws, "jobs", said{N: 4}, said{N: 5}))
	})
	if err != nil {
		t.Fatal(err)
	}
	err = db.InTx(ctx, func(tx *store.Tx) error { return hub.AppendDeltas(tx, ws, "jobs", []events.Event{said{N: 6}}) })
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for range 6 {
		d := l.Next()
		got = append(got, fmt.Sprint(d.Cursor, " ", open(t, d.JSON).Data.N))
	}
	if diff := cmp.Diff([]string{"1 1", "0 2", "0 3", "2 4", "3 5", "0 6"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if list, err := hub.List(ctx, events.Query{Workspace: ws}); err != nil || len(list.Data) != 3 {
		t.Errorf("List = %+v, %v; want the three facts", list, err)
	}
}

func TestARolledBackFactWasNeverSaid(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hub, ws, ctx := eventstest.New(t, db), storetest.Workspace(), t.Context()
		l := eventstest.Listen(t, hub, ws, "**")
		sorry := errors.New("sorry")
		err := db.InTx(ctx, func(tx *store.Tx) error {
			if err := hub.Append(ctx, tx, ws, "jobs", said{N: 1}); err != nil {
				return err
			}
			return sorry
		})
		if !errors.Is(err, sorry) {
			t.Fatalf("InTx = %v", err)
		}
		eventstest.Append(t, db, hub, ws, "jobs", said{N: 2})
		if d := l.Next(); d.Cursor != 1 || open(t, d.JSON).Data.N != 2 {
			t.Errorf("first event is %s, want the second append at cursor 1", d.JSON)
		}
		if list, err := hub.List(ctx, events.Query{Workspace: ws}); err != nil || len(list.Data) != 1 {
			t.Errorf("List = %+v, %v; want one event", list, err)
		}
	})
}

func TestAppendRefuses(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	hub, ws, ctx := eventstest.New(t, db), storetest.Workspace(), t.Context()
	tests := map[string]struct {
		ws      ids.Workspace
		channel string
		event   events.Event
	}{
		"no workspace":         {"", "jobs", said{}},
		"a pattern as channel": {ws, "jobs/*", said{}},
		"an empty segment":     {ws, "jobs//x", said{}},
		"a quote":              {ws, `jobs"`, said{}},
		"a kind without part":  {ws, "jobs", kind("said")},
		"a kind in capitals":   {ws, "jobs", kind("test.Said")},
		"no event":             {ws, "jobs", nil},
		"a huge event":         {ws, "jobs", said{Text: string(make([]byte, 300<<10))}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := db.InTx(ctx, func(tx *store.Tx) error { return hub.Append(ctx, tx, tt.ws, tt.channel, tt.event) })
			if err == nil {
				t.Errorf("Append(%q, %q, %T) was accepted", tt.ws, tt.channel, tt.event)
			}
		})
	}
}

type kind string

func (k kind) Kind() string { return string(k) }

func TestSecretsAreHiddenInFacts(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	hub, ws := eventstest.New(t, db), storetest.Workspace()
	l := eventstest.Listen(t, hub, ws, "**")
	secret := "sk-ant-api03-" + strings.Repeat("Ab1", 20)
	eventstest.Append(t, db, hub, ws, "jobs", said{Text: "the key is " + secret})
	d := l.Next()
	if text := open(t, d.JSON).Data.Text; text == "" || text == "the key is "+secret {
		t.Errorf("text = %q", text)
	}
}

func TestWorkspacesAreApart(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hub, ctx := eventstest.New(t, db), t.Context()
		one, two := storetest.Workspace(), storetest.Workspace()
		l := eventstest.Listen(t, hub, one, "**")
		err := db.InTx(ctx, func(tx *store.Tx) error {
			return errors.Join(
				hub.Append(ctx, tx, two, "jobs", said{N: 1}),
				hub.Append(ctx, tx, one, "jobs", said{N: 2}),
				hub.Append(ctx, tx, two, "jobs", said{N: 3}))
		})
		if err != nil {
			t.Fatal(err)
		}
		if d := l.Next(); d.Cursor != 1 || open(t, d.JSON).Data.N != 2 {
			t.Errorf("got %s", d.JSON)
		}
		if head, err := hub.Head(ctx, two); head != 2 || err != nil {
			t.Errorf("Head(two) = %d, %v; want 2", head, err)
		}
	})
}

func TestWildcardsAndAuthorisation(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	hub, ws, ctx := eventstest.New(t, db), storetest.Workspace(), t.Context()
	allowed := map[string]bool{"runs/mine": true, "jobs": true}
	sub, err := hub.Subscribe(ctx, events.Request{
		Workspace: ws, Channels: []string{"runs/*", "jobs"},
		Allow: func(channel string) bool { return allowed[channel] },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	say := func() {
		for i, channel := range []string{"runs/theirs", "runs/mine", "runs/mine/output", "jobs/job_1", "other", "jobs"} {
			eventstest.Append(t, db, hub, ws, channel, said{N: i})
		}
	}
	say()
	if diff := cmp.Diff([]string{"runs/mine", "jobs"}, channels(t, sub, 2)); diff != "" {
		t.Errorf("channels differ (-want +got):\n%s", diff)
	}
	allowed["runs/mine"], allowed["runs/theirs"] = false, true
	sub.Reauthorise()
	say()
	if diff := cmp.Diff([]string{"runs/theirs", "jobs"}, channels(t, sub, 2)); diff != "" {
		t.Errorf("after Reauthorise channels differ (-want +got):\n%s", diff)
	}
	if err := sub.Add(ctx, nil, "runs/mine"); !fault.HasCode(err, "channel_forbidden") {
		t.Errorf("Add of a forbidden channel = %v", err)
	}
	if _, err := hub.Subscribe(ctx, events.Request{Workspace: ws, Channels: []string{"a/**/b"}}); !fault.HasCode(err, "bad_channel") {
		t.Errorf("Subscribe to a bad pattern = %v", err)
	}
}

func channels(t testing.TB, sub *events.Subscription, n int) []string {
	t.Helper()
	var got []string
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for len(got) < n {
		b, err := sub.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range b.Deliveries {
			got = append(got, d.Channel)
		}
	}
	return got
}
