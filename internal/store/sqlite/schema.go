package sqlite

import (
	"context"
	"fmt"
	"strings"

	"github.com/fluxway/fluxway/internal/store"
)

// Virtual tables and their shadows are derived by triggers from plain tables.
const listTables = `
	SELECT t.name AS table_name, c.name AS column_name, c.type AS column_type
	FROM pragma_table_list AS t, pragma_table_xinfo(t.name) AS c
	WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND c.hidden = 0
	ORDER BY t.name, c.cid`

func tables(ctx context.Context, q store.Querier) ([]store.Table, error) {
	return store.Tables(ctx, q, listTables, kindOf)
}

// rowPlace is the key of a table made WITHOUT ROWID.
func rowPlace(ctx context.Context, q store.Querier, table string) ([]string, error) {
	const key = `SELECT i.name FROM pragma_table_list AS l, pragma_table_info(l.name) AS i
		WHERE l.schema = 'main' AND l.name = ? AND l.wr = 1 AND i.pk > 0 ORDER BY i.pk`
	columns, err := store.All[string](ctx, q, key, table)
	if err != nil || len(columns) > 0 {
		return columns, err
	}
	return []string{"rowid"}, nil
}

// kindOf follows SQLite's own rules of affinity.
func kindOf(declared string) store.Kind {
	switch {
	case strings.Contains(declared, "int"):
		return store.Int
	case strings.Contains(declared, "bool"):
		return store.Bool
	case strings.Contains(declared, "blob"), declared == "":
		return store.Bytes
	case strings.Contains(declared, "real"), strings.Contains(declared, "floa"), strings.Contains(declared, "doub"):
		return store.Float
	}
	return store.Text
}

// deferKeys: the connection does not check keys at all, so they are checked
// together at the end.
func deferKeys(ctx context.Context, tx *store.Tx) (check func() error, err error) {
	type broken struct {
		Table  string `db:"table"`
		Row    int64  `db:"rowid"`
		Parent string `db:"parent"`
		Key    int64  `db:"fkid"`
	}
	return func() error {
		wrong, err := store.All[broken](ctx, tx, "PRAGMA foreign_key_check")
		if err != nil {
			return err
		}
		if len(wrong) > 0 {
			return fmt.Errorf("row %d of %s points to a missing row of %s", wrong[0].Row, wrong[0].Table, wrong[0].Parent)
		}
		return nil
	}, nil
}
