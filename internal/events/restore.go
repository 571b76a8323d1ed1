package events

import (
	"context"
	"fmt"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// Restored: everything was replaced by a backup; whoever shows anything must
// load it again.
type Restored struct{}

// Kind names the fact.
func (Restored) Kind() string { return "system.restored" }

// onRestore keeps cursors from going back: a cursor that was given out before a
// restore never names another fact after it.
func (h *Hub) onRestore() store.RestoreHook {
	return store.RestoreHook{Name: "events", Fix: h.raiseHeads, Done: h.restored}
}

func (h *Hub) raiseHeads(ctx context.Context, tx *store.Tx) (func(context.Context, *store.Tx) error, error) {
	before, err := store.All[head](ctx, tx, selectHeads)
	if err != nil {
		return nil, fmt.Errorf("reading where the events end: %w", err)
	}
	return func(ctx context.Context, tx *store.Tx) error {
		for _, hd := range before {
			if _, err := tx.Exec(ctx, raiseHead, hd.Last, hd.Workspace, hd.Last); err != nil {
				return fmt.Errorf("raising the cursor of %s: %w", hd.Workspace, err)
			}
		}
		return nil
	}, nil
}

// restored tells every workspace and has its subscribers connect again: what is
// in memory is of the time before.
func (h *Hub) restored(ctx context.Context) {
	h.mu.Lock()
	streams := h.streams
	h.streams = make(map[ids.Workspace]*stream)
	h.mu.Unlock()
	for _, st := range streams {
		for _, s := range st.subscribers() {
			s.fail(fault.New(fault.Unavailable, "restored", "Everything was replaced by a backup.").WithHint("Load everything again, then connect again.").RetryIn(0))
		}
		st.close()
	}
	heads, err := store.All[head](ctx, h.db.Read(), selectHeads)
	if err == nil {
		err = h.db.InTx(ctx, func(tx *store.Tx) error {
			for _, hd := range heads {
				if err := h.Append(ctx, tx, hd.Workspace, "system", Restored{}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		h.log.ErrorContext(ctx, "nobody was told of the restore", "part", "events", "err", err)
	}
}
