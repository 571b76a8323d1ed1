package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// Tx is one caller's part of a write transaction.
type Tx struct {
	batch   *batch
	after   []func()
	pending []pending
}

// pending is something to be written once for the whole batch.
type pending struct {
	key   any
	item  any
	flush func(ctx context.Context, tx *Tx, items []any) error
}

// Exec changes rows and says how many.
func (tx *Tx) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	stmt, err := tx.batch.w.prepare(ctx, query)
	if err != nil {
		return 0, err
	}
	// A started transaction is not interrupted: it is quick, and its
	// neighbours share it. The context's values (trace) stay.
	res, err := stmt.ExecContext(context.WithoutCancel(ctx), plain(args)...)
	if err != nil {
		return 0, fmt.Errorf("%.60q: %w", query, err)
	}
	return res.RowsAffected()
}

// Query reads rows as this transaction sees them. The rows must be closed
// before the next statement.
func (tx *Tx) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := tx.batch.w.prepare(ctx, query)
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
// It lets a part allocate numbers or insert rows once for many callers.
func (tx *Tx) BeforeCommit(key, item any, flush func(ctx context.Context, tx *Tx, items []any) error) {
	tx.pending = append(tx.pending, pending{key, item, flush})
}

// JSON is a value kept as JSON text.
func JSON(v any) any {
	if v == nil {
		return nil
	}
	return jsonValue{v}
}

type jsonValue struct{ v any }

// plain turns our argument types into what the drivers take: times become
// microseconds (the zero time NULL), JSON becomes text.
func plain(args []any) []any {
	for i, a := range args {
		switch v := a.(type) {
		case time.Time:
			args[i] = micros(v)
		case *time.Time:
			if v == nil {
				args[i] = nil
			} else {
				args[i] = micros(*v)
			}
		case time.Duration:
			args[i] = v.Microseconds()
		case jsonValue:
			text, err := json.Marshal(v.v)
			if err != nil {
				args[i] = badArgument{err}
			} else {
				args[i] = string(text)
			}
		case json.RawMessage:
			if v == nil {
				args[i] = nil
			} else {
				args[i] = string(v)
			}
		}
	}
	return args
}

func micros(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}
