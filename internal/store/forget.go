package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/fluxway/fluxway/internal/ids"
)

// workspaceColumn is how every row says whose it is.
const workspaceColumn = "workspace_id"

// Forget deletes every row of a workspace, in small transactions that never
// hold up the writer, and says how many went. Tables whose name begins with one
// of spare are left alone. It may be stopped and done again.
func (db *DB) Forget(ctx context.Context, ws ids.Workspace, spare ...string) (int64, error) {
	tables, err := db.Tables(ctx)
	if err != nil {
		return 0, fmt.Errorf("listing what to forget: %w", err)
	}
	var sum int64
	for _, t := range tables {
		if _, ok := t.column(workspaceColumn); !ok || spared(t.Name, spare) {
			continue
		}
		n, err := db.forgetIn(ctx, t, ws)
		if sum += n; err != nil {
			return sum, fmt.Errorf("forgetting the rows of %s in %s: %w", ws, t.Name, err)
		}
	}
	return sum, nil
}

func spared(table string, spare []string) bool {
	for _, prefix := range spare {
		if strings.HasPrefix(table, prefix) {
			return true
		}
	}
	return false
}

// forgetIn deletes by the row's place, since tables have keys of different shapes.
func (db *DB) forgetIn(ctx context.Context, t Table, ws ids.Workspace) (int64, error) {
	columns, err := db.engine.RowPlace(ctx, db.reader, t.Name)
	if err != nil {
		return 0, err
	}
	name, place := quoted(t.Name), strings.Join(columns, ", ")
	statement := "DELETE FROM " + name + " WHERE (" + place + ") IN (SELECT " + place + " FROM " + name + " WHERE " + workspaceColumn + " = ? LIMIT ?)"
	var sum int64
	for {
		var n int64
		err := db.InTx(ctx, func(tx *Tx) (err error) {
			n, err = tx.Exec(ctx, statement, ws, pruneChunk)
			return err
		})
		if sum += n; err != nil || n < pruneChunk {
			return sum, err
		}
	}
}
