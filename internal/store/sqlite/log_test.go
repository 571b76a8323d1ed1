package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/store"
)

// The log's file is found by where the library has it: a new version that has it elsewhere must not go unnoticed.
func TestTheWritersLogIsGathered(t *testing.T) {
	t.Parallel()
	engine, conn := writer(t)
	onWriter(t, conn, func(on *statements) error {
		for _, query := range []string{engine.Begin, "CREATE TABLE IF NOT EXISTS kept (n INTEGER)", "COMMIT"} {
			s, err := on.Prepare(query)
			if err != nil {
				return err
			}
			defer s.Close()
			if _, err := s.Exec(nil, 0); err != nil {
				return err
			}
		}
		if on.log == nil || on.log.n != 0 {
			t.Errorf("after a commit the log is %+v, want one that holds nothing", on.log)
		}
		return nil
	})
}

// What a transaction wrote that was rolled back must never come after what others wrote since, and what was committed is seen by
// them at once. Some of the transactions are larger than the cache, so that pages go to the log before the commit.
func TestAGatheredLogIsThatOfTheLibrary(t *testing.T) {
	t.Parallel()
	for _, synchronous := range []string{"FULL", "NORMAL"} { // the second makes nothing durable that was left behind
		t.Run(synchronous, func(t *testing.T) {
			t.Parallel()
			gatheredLog(t, synchronous)
		})
	}
}

func gatheredLog(t *testing.T, synchronous string) {
	engine, err := Open(filepath.Join(t.TempDir(), "log.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Write.ExecContext(t.Context(), "PRAGMA synchronous = "+synchronous); err != nil {
		t.Fatal(err)
	}
	db, err := store.New(store.Options{Engine: engine})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if _, err := engine.Side.ExecContext(ctx, `CREATE TABLE kept (n INTEGER PRIMARY KEY, by TEXT NOT NULL, body TEXT NOT NULL)`); err != nil {
		t.Fatal(err)
	}
	undo, want, row := errors.New("undo"), 0, 0
	add := func(rows, size int, result error) {
		t.Helper()
		first := row
		err := db.InTx(ctx, func(tx *store.Tx) error {
			row = first
			for range rows {
				row++
				if _, err := tx.Exec(ctx, `INSERT INTO kept VALUES (?, 'writer', ?)`, row, strings.Repeat("x", size)); err != nil {
					return err
				}
			}
			if result != nil {
				return result
			}
			_, err := tx.Exec(ctx, `UPDATE kept SET by = 'again' WHERE n > ? AND n % 7 = 0`, first) // pages that are in the log already
			return err
		})
		if !errors.Is(err, result) {
			t.Fatalf("%v, want %v", err, result)
		}
		if result == nil {
			want += rows
		}
	}
	if err := db.InTx(ctx, func(tx *store.Tx) error { _, err := tx.Exec(ctx, "PRAGMA cache_size = 12"); return err }); err != nil {
		t.Fatal(err)
	}
	for round := range 60 {
		add(2+round%5, 500, nil)
		add(1+round, 4000, undo)
		if _, err := engine.Side.ExecContext(ctx, `INSERT INTO kept VALUES (?, 'other', ?)`, 1_000_000+round, strings.Repeat("y", 1500*round)); err != nil {
			t.Fatal(err)
		}
		want++
		if round%10 == 0 {
			add(50, 4000, nil)
		}
		if n, err := store.One[int](ctx, db.Read(), `SELECT count(*) FROM kept`); err != nil || n != want {
			t.Fatalf("round %d: %d rows are seen, %v; want %d", round, n, err, want)
		}
		if n := rowsAfterKill(t, engine.Path); n != want {
			t.Fatalf("round %d: killed now, %d rows would be there; want %d", round, n, want)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(engine.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Side.Close()
	if wrong, err := again.Check(ctx); err != nil || len(wrong) > 0 {
		t.Errorf("the file is damaged: %v, %v", wrong, err)
	}
	var n int
	if err := again.Side.QueryRowContext(ctx, `SELECT count(*) FROM kept`).Scan(&n); err != nil || n != want {
		t.Errorf("%d rows, %v; want %d", n, err, want)
	}
}

// rowsAfterKill opens what is in the files now, as after a process was killed.
func rowsAfterKill(t *testing.T, path string) (n int) {
	t.Helper()
	left := filepath.Join(t.TempDir(), "left.db")
	for _, end := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + end)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(left+end, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	engine, err := Open(left)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Side.Close()
	if err := engine.Side.QueryRowContext(t.Context(), `SELECT count(*) FROM kept`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
