package costs

import (
	"context"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
)

const pruneChunk = 500

// Prune rolls records older than before up into days and deletes them, so that
// what was spent stays known by day long after.
func (l *Ledger) Prune(ctx context.Context, before time.Time) (int64, error) {
	var sum int64
	for {
		var n int64
		err := l.db.InTx(ctx, func(tx *store.Tx) (err error) {
			if _, err = tx.Exec(ctx, rollUp, before, pruneChunk); err != nil {
				return err
			}
			n, err = tx.Exec(ctx, deleteRolled, before, pruneChunk)
			return err
		})
		if err != nil {
			return sum, fmt.Errorf("rolling up old records: %w", err)
		}
		if sum += n; n < pruneChunk {
			break
		}
	}
	_, err := l.db.Prune(ctx, pruneProcesses, l.now().Add(-forgetDead))
	return sum, err
}

// Forget deletes everything about a workspace, with the workspace itself. Calls
// still in flight for it leave nothing behind.
func (l *Ledger) Forget(ctx context.Context, ws ids.Workspace) error {
	err := l.change(ctx, func(k *book) error {
		for _, statement := range forget {
			if _, err := k.tx.Exec(k.ctx, statement, ws); err != nil {
				return err
			}
		}
		for _, p := range k.periods {
			p.dirty = p.dirty && p.Workspace != ws
		}
		k.changed = true
		_, err := k.tx.Exec(k.ctx, raiseVersion)
		return err
	})
	if err != nil {
		return fmt.Errorf("forgetting the costs of %s: %w", ws, err)
	}
	return nil
}
