package store_test

import (
	"testing"

	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// TestForeignKeysHaveIndexes: without one, deleting a row reads the whole table
// that points to it.
func TestForeignKeysHaveIndexes(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	ctx := t.Context()
	leads := func(table, column string) bool {
		n := count(t, db, `SELECT count(*) FROM pragma_index_list(?) AS l, pragma_index_info(l.name) AS i WHERE i.seqno = 0 AND i.name = ?`, table, column)
		n += count(t, db, `SELECT count(*) FROM pragma_table_info(?) WHERE pk = 1 AND name = ?`, table, column)
		return n > 0
	}
	tables, err := db.Tables(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		keys, err := store.All[string](ctx, db.Read(), `SELECT "from" FROM pragma_foreign_key_list(?) WHERE seq = 0`, table.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, column := range keys {
			if !leads(table.Name, column) {
				t.Errorf("%s.%s points to another table and has no index", table.Name, column)
			}
		}
	}
}
