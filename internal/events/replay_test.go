package events_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// age makes the facts up to a cursor older than they are.
func age(t *testing.T, db *store.DB, ws ids.Workspace, upto int64, by time.Duration) {
	t.Helper()
	err := db.InTx(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(t.Context(), `UPDATE events_events SET at = at - ? WHERE workspace_id = ? AND cursor <= ?`, by, ws, upto)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAnExpiredCursorIsRefusedExactly(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hub, ws, ctx := eventstest.New(t, db), storetest.Workspace(), t.Context()
		for i := range 30 { // runs/1/output is kept for a day, the others for months
			eventstest.Append(t, db, hub, ws, []string{"jobs", "runs/1/output", "approvals"}[i%3], said{N: i})
		}
		age(t, db, ws, 20, 48*time.Hour)
		n, err := hub.Prune(ctx)
		if err != nil || n != 7 { // cursors 2, 5, … 20
			t.Fatalf("Prune = %d, %v; want 7", n, err)
		}
		if n, err := hub.Prune(ctx); err != nil || n != 0 {
			t.Errorf("Prune again = %d, %v; want 0", n, err)
		}
		tests := map[string]struct {
			channels []string
			after    int64
			want     int // facts, or -1 for cursor_expired
		}{
			"a class that was not pruned":         {[]string{"jobs"}, 0, 10},
			"two classes that were not":           {[]string{"jobs", "approvals/**"}, 0, 20},
			"before the last deleted":             {[]string{"runs/*/output"}, 19, -1},
			"at the last deleted":                 {[]string{"runs/*/output"}, 20, 3},
			"a wildcard over several classes":     {[]string{"**"}, 0, -1},
			"a wildcard behind all deleted":       {[]string{"**"}, 20, 10},
			"a pattern that touches the class":    {[]string{"runs/**"}, 3, -1},
			"a neighbour of the class":            {[]string{"runs/1"}, 0, 0},
			"ahead of the log":                    {[]string{"jobs"}, 31, -1},
			"at the head":                         {[]string{"jobs"}, 30, 0},
			"one of several patterns has expired": {[]string{"jobs", "runs/1/output"}, 0, -1},
		}
		for name, tt := range tests {
			t.Run(name, func(t *testing.T) {
				got, err := replay(ctx, hub, events.Request{Workspace: ws, Channels: tt.channels, After: &tt.after}, tt.want)
				if expired := fault.HasCode(err, "cursor_expired"); expired != (tt.want < 0) || err != nil && !expired {
					t.Fatalf("error = %v, want cursor_expired: %t", err, tt.want < 0)
				}
				if tt.want >= 0 && got != tt.want {
					t.Errorf("%d facts, want %d", got, tt.want)
				}
			})
		}
		if _, err := hub.Subscribe(ctx, events.Request{Workspace: ws, Channels: []string{"jobs"}, After: new(int64(-1))}); !fault.HasCode(err, "bad_cursor") {
			t.Errorf("a negative cursor gives %v", err)
		}
	})
}

// replay counts facts up to want.
func replay(ctx context.Context, hub *events.Hub, r events.Request, want int) (int, error) {
	sub, err := hub.Subscribe(ctx, r)
	if err != nil {
		return 0, err
	}
	n := 0
	for n < want {
		b, err := sub.Next(ctx)
		if err != nil {
			return n, err
		}
		n += len(b.Deliveries)
	}
	sub.Close()
	return n, nil
}

// A subscriber that is still catching up when its facts are deleted is told so.
func TestFactsDeletedUnderASubscriber(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	hub := eventstest.Run(t, events.Options{DB: db, BatchBytes: 1, Classes: []events.Class{{Name: "short", Channels: []string{"**"}, Keep: time.Hour}}})
	ws, ctx := storetest.Workspace(), t.Context()
	facts := make([]events.Event, 2000)
	for i := range facts {
		facts[i] = said{N: i}
	}
	eventstest.Append(t, db, hub, ws, "jobs", facts[:1500]...)
	eventstest.Append(t, db, hub, ws, "jobs", facts[1500:]...)
	sub, err := hub.Subscribe(ctx, events.Request{Workspace: ws, Channels: []string{"**"}, After: new(int64(0))})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if b, err := sub.Next(ctx); err != nil || b.Deliveries[0].Cursor != 1 {
		t.Fatalf("Next = %+v, %v", b, err)
	}
	age(t, db, ws, 1500, 2*time.Hour)
	if n, err := hub.Prune(ctx); n != 1500 || err != nil {
		t.Fatalf("Prune = %d, %v", n, err)
	}
	last := int64(1)
	for {
		b, err := sub.Next(ctx)
		if err != nil {
			if !fault.HasCode(err, "cursor_expired") {
				t.Errorf("ended with %v, want cursor_expired", err)
			}
			return
		}
		for _, d := range b.Deliveries {
			if d.Cursor != last+1 {
				t.Fatalf("cursor %d follows %d without a word", d.Cursor, last)
			}
			last = d.Cursor
		}
	}
}

func TestCursorsGoOnAfterARestart(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ws := storetest.Workspace()
		for i := range 3 {
			ctx, cancel := context.WithCancel(t.Context())
			hub, err := events.New(events.Options{DB: db})
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- hub.Run(ctx) }()
			sub, err := hub.Subscribe(ctx, events.Request{Workspace: ws, Channels: []string{"**"}, After: new(int64(i))})
			if err != nil {
				t.Fatal(err)
			}
			eventstest.Append(t, db, hub, ws, "jobs", said{N: i})
			if b, err := sub.Next(ctx); err != nil || len(b.Deliveries) != 1 || b.Cursor != int64(i+1) {
				t.Errorf("start %d: %+v, %v", i, b, err)
			}
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("Run = %v", err)
			}
			if _, err := sub.Next(t.Context()); !fault.HasCode(err, "stopping") {
				t.Errorf("Next after the hub stopped = %v", err)
			}
			if _, err := hub.Subscribe(t.Context(), events.Request{Workspace: ws}); !fault.HasCode(err, "stopping") {
				t.Errorf("Subscribe after the hub stopped = %v", err)
			}
		}
	})
}

func TestList(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hub, ws, ctx := eventstest.New(t, db), storetest.Workspace(), t.Context()
		for i := range 12 {
			eventstest.Append(t, db, hub, ws, []string{"jobs", "jobs/job_1", "jobsmith", "runs/run_1"}[i%4], said{N: i})
		}
		eventstest.Append(t, db, hub, ws, "jobs", other{})
		tests := map[string]struct {
			query events.Query
			want  []int64
			more  bool
		}{
			"all":                   {events.Query{}, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, false},
			"one channel":           {events.Query{Channels: []string{"jobs"}}, []int64{1, 5, 9, 13}, false},
			"a family":              {events.Query{Channels: []string{"jobs/**"}}, []int64{1, 2, 5, 6, 9, 10, 13}, false},
			"two patterns":          {events.Query{Channels: []string{"jobsmith", "runs/*"}}, []int64{3, 4, 7, 8, 11, 12}, false},
			"a kind":                {events.Query{Kind: "test.happened"}, []int64{13}, false},
			"a kind of one channel": {events.Query{Kind: "test.happened", Channels: []string{"jobs"}}, []int64{13}, false},
			"behind a cursor":       {events.Query{After: 10}, []int64{11, 12, 13}, false},
			"a page":                {events.Query{After: 3, Limit: 2}, []int64{4, 5}, true},
			"a page of one channel": {events.Query{Channels: []string{"jobs"}, Limit: 2}, []int64{1, 5}, true},
			"the last page":         {events.Query{After: 11, Limit: 2}, []int64{12, 13}, false},
			"only what is allowed": {events.Query{Allow: func(c string) bool { return c == "runs/run_1" }},
				[]int64{4, 8, 12}, false},
		}
		for name, tt := range tests {
			t.Run(name, func(t *testing.T) {
				tt.query.Workspace = ws
				list, err := hub.List(ctx, tt.query)
				if err != nil {
					t.Fatal(err)
				}
				var got []int64
				for _, r := range list.Data {
					got = append(got, r.Cursor)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" || list.HasMore != tt.more {
					t.Errorf("more = %t, want %t; cursors differ (-want +got):\n%s", list.HasMore, tt.more, diff)
				}
			})
		}
	})
}

type other struct{}

func (other) Kind() string { return "test.happened" }

func TestForget(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hub, ws, ctx := eventstest.New(t, db), storetest.Workspace(), t.Context()
		sink := eventstest.NewSink(-1)
		subscribe(t, hub, ws, sink)
		eventstest.Append(t, db, hub, ws, "jobs", said{N: 1})
		if err := db.InTx(ctx, func(tx *store.Tx) error { return hub.Forget(ctx, tx, ws) }); err != nil {
			t.Fatal(err)
		}
		if err := sink.WaitClosed(t); !fault.HasCode(err, "workspace_gone") {
			t.Errorf("subscribers were told %v", err)
		}
		if head, err := hub.Head(ctx, ws); head != 0 || err != nil {
			t.Errorf("Head = %d, %v", head, err)
		}
	})
}

func TestAMessageThatIsLostIsReadFromTheDatabase(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, dbA, dbB *store.DB) {
		n := 0
		wire := &eventstest.Wire{Lose: func([]byte) bool { n++; return n%3 != 0 }}
		// The head check is out of reach: gaps are seen by the cursors alone.
		a := eventstest.Run(t, events.Options{DB: dbA, Fanout: wire.Join(), HeadCheck: time.Hour})
		b := eventstest.Run(t, events.Options{DB: dbB, Fanout: wire.Join(), HeadCheck: time.Hour})
		ws := storetest.Workspace()
		l := eventstest.Listen(t, b, ws, "**")
		const facts = 60
		for i := range facts {
			eventstest.Append(t, dbA, a, ws, fmt.Sprint("jobs/", i%7), said{N: i})
		}
		for want := range int64(facts) {
			if d := l.Next(); d.Cursor != want+1 {
				t.Fatalf("cursor %d, want %d", d.Cursor, want+1)
			}
		}
	})
}

func TestWireContract(t *testing.T) {
	t.Parallel()
	eventstest.Fanout(t, func(*testing.T) (a, b events.Fanout) {
		wire := &eventstest.Wire{}
		return wire.Join(), wire.Join()
	})
}
