package costs

import (
	"context"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/lifecycle"
	"github.com/fluxway/fluxway/internal/store"
)

// A process with calls in flight says that it lives every beatEvery; one not
// heard of for deadAfter is taken for dead.
const (
	beatEvery  = 15 * time.Second
	deadAfter  = time.Minute
	sweepSize  = 200
	forgetDead = 24 * time.Hour
)

// sweepEvery sweeps once the start is over, and again while others may die.
func (l *Ledger) sweepEvery(ctx context.Context) {
	timer := time.NewTimer(lifecycle.Settle)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		if n, err := l.Sweep(ctx); err != nil && ctx.Err() == nil {
			l.log.ErrorContext(ctx, "open calls not swept", "part", "costs", "err", err)
		} else if n > 0 {
			l.log.InfoContext(ctx, "closed calls that a dead process left open", "part", "costs", "calls", n)
		}
		timer.Reset(deadAfter)
	}
}

// Sweep closes the calls that dead processes left open: broken, and charged with
// an estimate of what had been sent and received. What a journal says of their
// end is written before.
func (l *Ledger) Sweep(ctx context.Context) (int, error) {
	if err := l.replay(ctx); err != nil {
		return 0, err
	}
	swept := 0
	for after := ""; ; {
		rows, err := l.stale(ctx, after)
		if err != nil {
			return swept, fmt.Errorf("looking for calls left open: %w", err)
		}
		for i := range rows {
			n, err := l.abandon(ctx, rows[i])
			if err != nil {
				return swept, err
			}
			swept += n
		}
		if len(rows) < sweepSize {
			return swept, nil
		}
		after = string(rows[len(rows)-1].ID)
	}
}

func (l *Ledger) stale(ctx context.Context, after string) ([]Record, error) {
	if !l.shared {
		return store.All[Record](ctx, l.db.Read(), selectForeign, l.process, after, sweepSize)
	}
	return store.All[Record](ctx, l.db.Read(), selectDead, l.process, l.now().Add(-deadAfter), after, sweepSize)
}

// abandon settles a row whose caller is gone.
func (l *Ledger) abandon(ctx context.Context, rec Record) (int, error) {
	r, err := l.revive(rec)
	if err != nil {
		return 0, err
	}
	usage := rec.usage()
	usage.Estimated = true
	if rec.Unit == Premium {
		usage.PremiumMilli, _ = l.opts.Premium(rec.Provider, rec.Model)
	}
	x := r.settling(Settlement{Outcome: Broken, Usage: usage, ErrorCode: Abandoned})
	x.swept = true
	o := &op{settle: x, done: make(chan struct{})}
	l.submit(o)
	select {
	case <-o.done:
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	if o.err != nil {
		return 0, fmt.Errorf("closing %s: %w", rec.ID, o.err)
	}
	return 1, nil
}

// tend writes how far the calls in flight have come, and that we live.
func (l *Ledger) tend() {
	type far struct {
		r      *Reservation
		output int64
	}
	l.mu.Lock()
	inFlight := len(l.open)
	var moved []far
	for _, r := range l.open {
		if n := r.output.Load(); n != r.noted && !r.settled.Load() {
			moved = append(moved, far{r, n})
		}
	}
	l.mu.Unlock()
	if len(moved) == 0 && (inFlight == 0 || !l.shared) {
		return
	}
	l.submit(&op{done: make(chan struct{}), do: func(k *book) error {
		for _, m := range moved {
			if _, err := k.tx.Exec(k.ctx, noteProgress, m.output, m.r.rec.ID); err != nil {
				return fmt.Errorf("noting how far %s has come: %w", m.r.rec.ID, err)
			}
		}
		return k.live()
	}})
	for _, m := range moved {
		m.r.noted = m.output
	}
}

// InFlight counts the calls of this process that have not ended.
func (l *Ledger) InFlight() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open)
}

// RunSpent adds up what a run has spent since it began, and its model calls; to
// go on with an Allowance after a restart.
func (l *Ledger) RunSpent(ctx context.Context, ws ids.Workspace, run ids.Run, since time.Time) (Micros, int, error) {
	type sum struct {
		Price Micros `db:"price"`
		Calls int    `db:"calls"`
	}
	s, err := store.One[sum](ctx, l.read(ctx), selectRunSpent, ws, since, run)
	if err != nil {
		return 0, 0, fmt.Errorf("adding up what %s has spent: %w", run, err)
	}
	return s.Price, s.Calls, nil
}
