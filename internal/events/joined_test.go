package events_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// fact is what a reader must get of one.
type fact struct {
	Cursor        int64
	Channel, Kind string
}

// joinedLog says facts in a few commits of several channels and kinds.
func joinedLog(t *testing.T, db *store.DB, hub *events.Hub, ws ids.Workspace) []fact {
	t.Helper()
	var all []fact
	for commit, sizes := range [][]int{{1}, {70, 2, 70}, {3, 1, 3}, {130}, {1, 1}} {
		err := db.InTx(t.Context(), func(tx *store.Tx) error {
			for i, n := range sizes {
				channel := []string{"jobs", "approvals", "runs/run_1"}[(commit+i)%3]
				for range n {
					ev := events.Event(said{N: len(all), Text: "two\nlines"})
					if len(all)%4 == 0 {
						ev = other{}
					}
					if err := hub.Append(t.Context(), tx, ws, channel, ev); err != nil {
						return err
					}
					all = append(all, fact{int64(len(all) + 1), channel, ev.Kind()})
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// Facts share rows; whoever reads from the middle of one must not notice.
func TestFactsOfACommitShareRows(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hub, ws, ctx := eventstest.New(t, db), storetest.Workspace(), t.Context()
		all := joinedLog(t, db, hub, ws)
		rows, err := store.One[int](ctx, db.Read(), `SELECT count(*) FROM events_events WHERE workspace_id = ?`, ws)
		alone := len(slices.DeleteFunc(slices.Clone(all), func(f fact) bool { return f.Channel != "approvals" })) // each is acknowledged by itself
		if err != nil || rows > alone+12 {
			t.Errorf("%d facts take %d rows, %v", len(all), rows, err)
		}
		for after := int64(0); after <= int64(len(all)); after += 7 {
			for _, q := range []events.Query{
				{}, {Limit: 5}, {Limit: 66}, {Kind: "test.happened", Limit: 3}, {Channels: []string{"jobs"}, Limit: 20}, {Channels: []string{"jobs"}, Kind: "test.said", Limit: 9},
				{Channels: []string{"approvals"}}, {Channels: []string{"runs/*"}, Kind: "test_happened"},
			} {
				q.Workspace, q.After = ws, after
				checkList(t, hub, q, all)
			}
		}
		again := eventstest.New(t, db) // has nothing in memory
		for _, after := range []int64{0, 1, 50, 64, 65, 66, 140, 141, 200, 276, int64(len(all)) - 1} {
			l := eventstest.Subscribe(t, again, events.Request{Workspace: ws, Channels: []string{"**"}, After: &after})
			for _, want := range all[after:] {
				d := l.Next()
				if diff := cmp.Diff(want, fact{d.Cursor, d.Channel, d.Kind}); diff != "" {
					t.Fatalf("after %d (-want +got):\n%s", after, diff)
				}
			}
		}
		pending, err := hub.Ack(ctx, events.Consumer{Workspace: ws, Name: "a"}, firstOf(all, "approvals"))
		if err != nil || len(pending.Acknowledged) != 1 {
			t.Errorf("Ack = %+v, %v", pending, err)
		}
		age(t, db, ws, 143, 100*24*time.Hour) // the first two commits; approvals are kept for longer
		kept := len(slices.DeleteFunc(slices.Clone(all[:143]), func(f fact) bool { return f.Channel != "approvals" }))
		if n, err := hub.Prune(ctx); err != nil || n != int64(143-kept) {
			t.Errorf("Prune = %d, %v; want %d", n, err, 143-kept)
		}
	})
}

func firstOf(all []fact, channel string) int64 {
	return all[slices.IndexFunc(all, func(f fact) bool { return f.Channel == channel })].Cursor
}

// checkList compares a page with what it must be.
func checkList(t *testing.T, hub *events.Hub, q events.Query, all []fact) {
	t.Helper()
	list, err := hub.List(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	patterns, err := events.ParsePatterns(q.Channels...)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.DeleteFunc(slices.Clone(all), func(f fact) bool {
		matches := len(patterns) == 0 || patterns[0].Match(f.Channel)
		return f.Cursor <= q.After || !matches || q.Kind != "" && q.Kind != f.Kind
	})
	limit := q.Limit
	if limit == 0 {
		limit = 100
	}
	var got []fact
	for _, r := range list.Data {
		got = append(got, fact{r.Cursor, r.Channel, r.Kind})
	}
	name := fmt.Sprintf("%v %q after %d at most %d", q.Channels, q.Kind, q.After, q.Limit)
	if diff := cmp.Diff(want[:min(limit, len(want))], got); diff != "" && len(want)+len(got) > 0 {
		t.Fatalf("%s (-want +got):\n%s", name, diff)
	}
	if list.HasMore != (len(want) > limit) {
		t.Errorf("%s: has_more = %v of %d", name, list.HasMore, len(want))
	}
}
