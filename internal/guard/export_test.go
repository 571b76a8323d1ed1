package guard

import (
	"context"
	"time"
)

// Replayed writes what a process that died has left, as Run does first.
func (g *Guard) Replayed(ctx context.Context) error { return g.Flush(ctx) }

// PruneCalls is what the database does now and then.
func (g *Guard) PruneCalls(ctx context.Context, before time.Time) (int64, error) {
	return g.pruneCalls(ctx, before)
}

// ForgetBegun lets it not be known which calls have a row.
func (g *Guard) ForgetBegun() {
	g.journal.flushing.Lock()
	defer g.journal.flushing.Unlock()
	clear(g.journal.begun)
}
