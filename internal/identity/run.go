package identity

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/lifecycle"
	"github.com/fluxway/fluxway/internal/store"
)

// How often the background work comes round.
const (
	touchEvery = 10 * time.Second
	sweepEvery = time.Hour
)

// Run writes down when sessions and keys were last used and removes what has
// expired, until ctx ends.
func (d *Directory) Run(ctx context.Context) error {
	touching, sweeping := time.NewTicker(touchEvery), time.NewTimer(lifecycle.Settle)
	defer touching.Stop()
	defer sweeping.Stop()
	for {
		select {
		case <-touching.C:
			d.try(ctx, "last use of sessions and keys not written", d.Flush)
		case <-sweeping.C:
			d.try(ctx, "expired identity rows not removed", d.Sweep)
			sweeping.Reset(sweepEvery)
		case <-ctx.Done():
			d.try(context.WithoutCancel(ctx), "last use of sessions and keys not written", d.Flush)
			return nil
		}
	}
}

func (d *Directory) try(ctx context.Context, trouble string, work func(context.Context) error) {
	if err := work(ctx); err != nil && ctx.Err() == nil {
		d.log.WarnContext(ctx, trouble, "part", "identity", "err", err)
	}
}

// maxTouches bounds what waits to be written; beyond it only the time of last
// use is lost.
const maxTouches = 10_000

// touches collects when sessions and keys were used, to be written together.
type touches struct {
	mu      sync.Mutex // guards waiting
	waiting map[string]touch
}

type touch struct {
	session ids.Session
	key     ids.Key
	at      time.Time
	ip      string
	agent   string
}

func newTouches() *touches { return &touches{waiting: make(map[string]touch)} }

func (t *touches) add(one touch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) < maxTouches {
		t.waiting[string(one.session)+string(one.key)] = one
	}
}

func (t *touches) take() map[string]touch {
	t.mu.Lock()
	defer t.mu.Unlock()
	taken := t.waiting
	t.waiting = make(map[string]touch)
	return taken
}

// Flush writes the last use of sessions and keys, each at most once a minute.
func (d *Directory) Flush(ctx context.Context) error {
	taken := d.touches.take()
	if len(taken) == 0 {
		return nil
	}
	err := d.db.InTx(ctx, func(tx *store.Tx) error {
		for _, t := range taken {
			var err error
			if t.key != "" {
				_, err = tx.Exec(ctx, touchKey, t.at, t.ip, t.key, t.at.Add(-time.Minute))
			} else {
				_, err = tx.Exec(ctx, touchSession, t.at, t.ip, t.agent, t.at.Add(d.opts.SessionIdle), t.session, t.at.Add(-time.Minute))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		for _, t := range taken {
			d.touches.add(t)
		}
		return fmt.Errorf("writing the last use of sessions and keys: %w", err)
	}
	return nil
}

// Sweep removes expired rows and audit rows past their retention.
func (d *Directory) Sweep(ctx context.Context) error {
	now := d.stamp()
	err := d.db.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, deleteOldSessions, now, now.Add(-d.opts.SessionLongest)); err != nil {
			return err
		}
		for _, query := range []string{deleteOldDevices, deleteOldOIDCStates, deleteOldSetupCodes, deleteOldChallenges} {
			if _, err := tx.Exec(ctx, query, now); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("removing expired rows: %w", err)
	}
	if d.opts.AuditRetention < 0 {
		return nil
	}
	all, err := store.All[ids.Workspace](ctx, d.db.Read(), selectWorkspaceIDs)
	if err != nil {
		return err
	}
	var errs []error
	for _, ws := range all {
		if _, err := d.TrimAudit(ctx, ws, now.Add(-d.opts.AuditRetention)); err != nil {
			errs = append(errs, fmt.Errorf("trimming the audit of %s: %w", ws, err))
		}
	}
	return errors.Join(errs...)
}
