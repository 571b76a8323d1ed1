package store_test

import (
	"strconv"
	"testing"

	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// A workspace's rows go from every table there is, and nobody else's do.
func TestForget(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		bodies, err := store.NewBodies(store.BodiesOptions{DB: db})
		if err != nil {
			t.Fatal(err)
		}
		ctx, gone, stays := t.Context(), storetest.Workspace(), storetest.Workspace()
		for i := range 1500 { // more than one chunk
			p, err := bodies.Pack(store.NewBody{Kind: "tool_result", Content: []byte(strconv.Itoa(i))})
			if err != nil {
				t.Fatal(err)
			}
			ws := gone
			if i%3 == 2 {
				ws = stays
			}
			if err := db.InTx(ctx, func(tx *store.Tx) error { return bodies.Put(ctx, tx, ws, p) }); err != nil {
				t.Fatal(err)
			}
		}
		n, err := db.Forget(ctx, gone, "identity_", "events_")
		if err != nil || n != 1000 {
			t.Errorf("%d rows went, %v; want 1000", n, err)
		}
		left, err := store.One[int](ctx, db.Read(), "SELECT count(*) FROM store_bodies WHERE workspace_id = ?", stays)
		if err != nil || left != 500 {
			t.Errorf("%d rows of the other workspace are left, %v; want 500", left, err)
		}
		if n, err := db.Forget(ctx, gone, "identity_", "events_"); err != nil || n != 0 {
			t.Errorf("again: %d, %v", n, err)
		}
	})
}
