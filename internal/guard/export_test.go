package guard

import "context"

// Replayed writes what a process that died has left, as Run does first.
func (g *Guard) Replayed(ctx context.Context) error { return g.replay(ctx) }
