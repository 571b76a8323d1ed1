package sqlite_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/sqlite"
)

// Values go to the library without the driver: they must come back as they were, whatever their kind and size.
func TestValuesComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	engine, err := sqlite.Open(filepath.Join(t.TempDir(), "values.db"))
	if err != nil {
		t.Fatal(err)
	}
	if engine.Statements == nil {
		t.Fatal("the writer goes by way of database/sql")
	}
	db, err := store.New(store.Options{Engine: engine})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx := t.Context()
	change := func(query string, args ...any) (n int64, err error) {
		err = db.InTx(ctx, func(tx *store.Tx) (err error) { n, err = tx.Exec(ctx, query, args...); return err })
		return n, err
	}
	if _, err := change(`CREATE TABLE kept (n INTEGER PRIMARY KEY, a TEXT, b BLOB, c REAL, d BOOLEAN, e TEXT NOT NULL UNIQUE)`); err != nil {
		t.Fatal(err)
	}
	type row struct {
		N int64   `db:"n"`
		A *string `db:"a"`
		B []byte  `db:"b"`
		C float64 `db:"c"`
		D bool    `db:"d"`
		E string  `db:"e"`
	}
	text := func(s string) *string { return &s }
	rows := []row{
		{-1, nil, nil, 0, false, ""},
		{2, text(""), []byte{}, -0.5, true, "é•𝄞"},
		{1 << 62, text("'; DROP TABLE kept --"), []byte{0, 1, 255, 0}, 1e300, true, strings.Repeat("x", 3<<20)}, // more than is kept between statements
		{3, text("last"), []byte("small again"), 1, false, "y"},
	}
	for i, r := range rows {
		if i%2 == 1 { // pointers are what they point to
			if n, err := change(`INSERT INTO kept VALUES (?, ?, ?, ?, ?, ?)`, &r.N, r.A, r.B, r.C, r.D, &r.E); err != nil || n != 1 {
				t.Fatalf("%d rows, %v", n, err)
			}
			continue
		}
		var a any
		if r.A != nil {
			a = *r.A
		}
		if n, err := change(`INSERT INTO kept VALUES (?, ?, ?, ?, ?, ?)`, r.N, a, r.B, r.C, r.D, r.E); err != nil || n != 1 {
			t.Fatalf("%d rows, %v", n, err)
		}
	}
	if n, err := change(`INSERT INTO kept VALUES (?, ?, NULL, NULL, NULL, ?)`, 8, (*string)(nil), text("not \xff \x00 clean")); err != nil || n != 1 {
		t.Fatalf("%d rows, %v", n, err)
	}
	if got, err := store.One[string](ctx, db.Read(), `SELECT e FROM kept WHERE n = 8 AND a IS NULL`); err != nil || got != "not \uFFFD \uFFFD clean" {
		t.Errorf("what is no clean text came back as %q, %v", got, err)
	}
	for _, want := range rows {
		got, err := store.One[row](ctx, db.Read(), `SELECT n, a, b, c, d, e FROM kept WHERE n = ?`, want.N)
		same := (got.A == nil) == (want.A == nil) && (got.A == nil || *got.A == *want.A)
		if err != nil || !same || !bytes.Equal(got.B, want.B) || (got.B == nil) != (want.B == nil) || got.C != want.C || got.D != want.D || got.E != want.E {
			t.Errorf("%.200v came back as %.200v, %v", want, got, err)
		}
	}
	if n, err := change(`UPDATE kept SET c = ? WHERE n > ?`, 2, 0); err != nil || n != 4 {
		t.Errorf("%d rows changed, %v", n, err)
	}
	if _, err := change(`INSERT INTO kept (n, e) VALUES (?, ?)`, 9, "y"); !db.IsUnique(err) || !strings.Contains(err.Error(), "UNIQUE constraint failed: kept.e") {
		t.Errorf("a second %q: %v", "y", err)
	}
	if _, err := change(`INSERT INTO kept (n, e) VALUES (?, ?)`, 9); err == nil || !strings.Contains(err.Error(), "takes 2 arguments, got 1") {
		t.Errorf("an argument too few: %v", err)
	}
	if _, err := change(`INSERT INTO nowhere VALUES (1)`); err == nil || !strings.Contains(err.Error(), "no such table: nowhere") {
		t.Errorf("a table that is not there: %v", err)
	}
	if n, err := change(`INSERT INTO kept (n, e) VALUES (?, ?)`, 9, "z"); err != nil || n != 1 {
		t.Errorf("after errors: %d rows, %v", n, err)
	}
}
