package store

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	pruneChunk = 1000
	pruneEvery = time.Hour
	tidyEvery  = 15 * time.Minute
)

// Retention is what a part wants pruned. Parts register one for every table
// that grows by itself.
type Retention struct {
	Name  string        // the table, for logs
	Keep  time.Duration // rows older than this go; negative: nothing ever goes
	Every time.Duration // 0: hourly
	// Prune removes what is older than before and says how many rows went.
	// DB.Prune does it in chunks that never hold up the writer.
	Prune func(ctx context.Context, before time.Time) (int64, error)
}

// AddRetention registers a retention; it may be called before or during Run.
func (db *DB) AddRetention(r Retention) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.retentions = append(db.retentions, r)
	select {
	case db.retained <- struct{}{}:
	default: // Run has yet to hear of the one before
	}
}

// Prune runs a DELETE with the arguments (before, limit) in small transactions
// until fewer rows than the limit went.
func (db *DB) Prune(ctx context.Context, statement string, before time.Time) (int64, error) {
	var sum int64
	for {
		var n int64
		err := db.InTx(ctx, func(tx *Tx) (err error) {
			n, err = tx.Exec(ctx, statement, before, pruneChunk)
			return err
		})
		if err != nil {
			return sum, err
		}
		if sum += n; n < pruneChunk {
			return sum, nil
		}
	}
}

// chore is something that Run does again and again.
type chore struct {
	name  string
	every time.Duration
	next  time.Time
	do    func(ctx context.Context) error
}

// Run prunes and tidies in the background until ctx ends. Its times are
// jittered, so that several instances do not prune at once.
func (db *DB) Run(ctx context.Context) error {
	var chores []*chore
	if db.engine.Tidy != nil {
		chores = append(chores, &chore{name: "tidy", every: tidyEvery, next: later(tidyEvery), do: db.engine.Tidy})
	}
	known := 0
	for {
		db.mu.Lock()
		added := db.retentions[known:]
		known = len(db.retentions)
		db.mu.Unlock()
		for _, r := range added {
			if r.Keep >= 0 {
				every := cmp.Or(r.Every, pruneEvery)
				// The first time is soon: a program that is restarted often must prune too.
				chores = append(chores, &chore{name: r.Name, every: every, next: later(min(every, 2*time.Minute)), do: db.pruning(r)})
			}
		}
		timer := time.NewTimer(untilNext(chores))
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-db.retained:
		case <-timer.C:
			db.doDue(ctx, chores)
		}
		timer.Stop()
	}
}

func (db *DB) doDue(ctx context.Context, chores []*chore) {
	for _, c := range chores {
		if ctx.Err() != nil || time.Now().Before(c.next) {
			continue
		}
		if err := c.do(ctx); err != nil && ctx.Err() == nil {
			db.log.WarnContext(ctx, "database chore failed", "part", "store", "chore", c.name, "err", err)
		}
		c.next = later(c.every)
	}
}

func (db *DB) pruning(r Retention) func(context.Context) error {
	return func(ctx context.Context) error {
		began := time.Now()
		n, err := r.Prune(ctx, began.Add(-r.Keep))
		if n > 0 {
			db.log.InfoContext(ctx, "old rows pruned", "part", "store", "table", r.Name, "rows", n, "took", time.Since(began))
		}
		if err != nil {
			return fmt.Errorf("pruning %s: %w", r.Name, err)
		}
		return nil
	}
}

// later is a moment between 90 and 110 percent of d from now.
func later(d time.Duration) time.Time {
	return time.Now().Add(d*9/10 + rand.N(d/5+1))
}

func untilNext(chores []*chore) time.Duration {
	next := time.Now().Add(time.Hour)
	for _, c := range chores {
		if c.next.Before(next) {
			next = c.next
		}
	}
	return max(0, time.Until(next))
}
