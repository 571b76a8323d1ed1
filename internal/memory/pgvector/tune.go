package pgvector

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/fluxway/fluxway/internal/store"
)

// Tune gives partitions that have grown large a graph of their own, and says
// how many. Searches and changes go on meanwhile. Calling it now and then is
// enough: without it large partitions are slow, not wrong. Of several servers
// one does it.
func (ix *Index) Tune(ctx context.Context) (tuned int, err error) {
	untuned, err := store.All[partition](ctx, ix.db.Read(), selectUntuned, ix.large, ix.large)
	if err != nil || len(untuned) == 0 {
		return 0, wrap("looking for large partitions", err)
	}
	conn, err := ix.db.Engine().Side.Conn(ctx)
	if err != nil {
		return 0, wrap("connecting to tune vectors", err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	var mine bool
	if err := conn.QueryRowContext(ctx, lockTuning).Scan(&mine); err != nil || !mine {
		return 0, wrap("locking the tuning of vectors", err)
	}
	defer func() {
		_, unlocking := conn.ExecContext(context.WithoutCancel(ctx), unlockTuning)
		err = errors.Join(err, unlocking)
	}()
	for _, p := range untuned {
		if err := ix.tune(ctx, conn, p); err != nil {
			return tuned, wrap("making the graph of a partition", err)
		}
		tuned++
	}
	return tuned, nil
}

// tune makes the graph of one partition; what an earlier try left behind goes first.
func (ix *Index) tune(ctx context.Context, conn *sql.Conn, p partition) error {
	for _, statement := range []string{fmt.Sprintf(dropGraph, p.ID), fmt.Sprintf(createGraph, p.ID, p.Dimensions)} {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return ix.db.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, fmt.Sprintf(createNearest, p.ID, p.Dimensions)); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, updateTuned, p.ID)
		return err
	})
}

func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
