package guard

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/kit/lifecycle"
	"github.com/fluxway/fluxway/internal/store"
)

// idleCheck is how often deadlines are looked for that other processes have set.
const idleCheck = time.Minute

// nudge tells Run that there is a new deadline.
func (g *Guard) nudge() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// Run lets approvals expire and writes the journal until ctx ends.
func (g *Guard) Run(ctx context.Context) error {
	if err := g.Flush(ctx); err != nil { // what a process that died has left
		return err
	}
	var keeper sync.WaitGroup
	keeper.Go(func() { g.keepJournal(ctx) })
	defer keeper.Wait()
	timer := time.NewTimer(lifecycle.Settle)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-g.wake:
		case <-timer.C:
		}
		next, err := g.Expire(ctx)
		if err != nil && ctx.Err() == nil {
			g.log.WarnContext(ctx, "deadlines of approvals not kept", "part", "guard", "err", err)
		}
		timer.Reset(min(next, idleCheck))
	}
}

// Expire notes which deadlines have passed and says how long it is to the next.
func (g *Guard) Expire(ctx context.Context) (time.Duration, error) {
	now := g.now()
	due, err := store.All[Approval](ctx, g.db.Read(), selectDue, now)
	if err != nil {
		return idleCheck, fmt.Errorf("reading deadlines: %w", err)
	}
	if len(due) > 0 {
		err = g.db.InTx(ctx, func(tx *store.Tx) error {
			for _, a := range due {
				if err := g.expire(ctx, tx, a, ""); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return idleCheck, fmt.Errorf("noting deadlines: %w", err)
		}
	}
	next, err := store.One[int64](ctx, g.db.Read(), selectNextDue)
	if err != nil || next == 0 {
		return idleCheck, err
	}
	return max(0, time.UnixMicro(next).Sub(g.now())), nil
}
