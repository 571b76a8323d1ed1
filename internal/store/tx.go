package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Tx is one caller's part of a write transaction.
type Tx struct {
	w       *writer
	after   []func()
	pending []pending
	wrote   bool // a statement may have changed rows
	over    bool // the closure returned
}

var errOver = errors.New("store: the transaction is over; a Tx must not leave its closure")

// pending is something to be written once for the whole batch.
type pending struct {
	key   any
	item  any
	flush func(ctx context.Context, tx *Tx, items []any) error
}

// Exec changes rows and says how many.
func (tx *Tx) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	if tx.over {
		return 0, errOver
	}
	tx.wrote = true
	n, err := tx.w.conn.change(ctx, query, args)
	if err != nil {
		return 0, fmt.Errorf("%.60q: %w", query, err)
	}
	return n, nil
}

// Query reads rows as this transaction sees them. The rows must be closed
// before the next statement.
func (tx *Tx) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if tx.over {
		return nil, errOver
	}
	tx.wrote = tx.wrote || !reads(query)
	stmt, err := tx.w.conn.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(context.WithoutCancel(ctx), plain(args)...)
}

// AfterCommit runs f once the transaction is durable, in the order of commits
// and before InTx returns. f must be quick and must not write.
func (tx *Tx) AfterCommit(f func()) { tx.after = append(tx.after, f) }

// BeforeCommit hands item to flush, which is called once per key with the items
// of all callers that share the commit, in their order, after their closures.
// Keys are flushed in the order of their types' names.
// It lets a part allocate numbers or insert rows once for many callers.
func (tx *Tx) BeforeCommit(key, item any, flush func(ctx context.Context, tx *Tx, items []any) error) {
	tx.pending = append(tx.pending, pending{key, item, flush})
}
