package storetest

import (
	"testing"

	"github.com/fluxway/fluxway/internal/store"
)

// Plan is how SQLite means to find what a statement asks for, a line a table.
func Plan(t testing.TB, db *store.DB, statement string, args ...any) []string {
	t.Helper()
	type step struct {
		ID     int    `db:"id"`
		Parent int    `db:"parent"`
		Unused int    `db:"notused"`
		Detail string `db:"detail"`
	}
	steps, err := store.All[step](t.Context(), db.Read(), "EXPLAIN QUERY PLAN "+statement, args...)
	if err != nil {
		t.Fatalf("asking for the plan: %v", err)
	}
	var lines []string
	for _, s := range steps {
		lines = append(lines, s.Detail)
	}
	return lines
}
