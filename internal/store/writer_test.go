package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/postgres"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func exec(t *testing.T, db *store.DB, query string, args ...any) {
	t.Helper()
	if err := db.InTx(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(t.Context(), query, args...)
		return err
	}); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func count(t *testing.T, db *store.DB, query string, args ...any) int64 {
	t.Helper()
	n, err := store.One[int64](t.Context(), db.Read(), query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func adding(ctx context.Context, id int64) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, insertRow, id, fmt.Sprint("row ", id), nil, true, nil, nil)
		return err
	}
}

func TestAnIgnoredFailureIsNeverAcknowledgedAndLost(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		prepare(t, db)
		ctx := t.Context()
		if err := insert(ctx, db, 1); err != nil {
			t.Fatal(err)
		}
		careless := func(id int64) func(*store.Tx) error {
			return func(tx *store.Tx) error {
				if err := adding(ctx, id)(tx); err != nil {
					return err
				}
				_, _ = tx.Exec(ctx, insertRow, 1, "taken", nil, true, nil, nil)
				return nil
			}
		}
		check := func(id int64, err error) {
			saved := count(t, db, `SELECT count(*) FROM test_rows WHERE id = ?`, id) == 1
			if saved != (err == nil) {
				t.Errorf("row %d: saved %v, but InTx answered %v", id, saved, err)
			}
		}
		check(2, db.InTx(ctx, careless(2)))
		var calls []func(*store.Tx) error
		for id := range int64(40) {
			if id%3 == 0 {
				calls = append(calls, careless(10+id))
			} else {
				calls = append(calls, adding(ctx, 10+id))
			}
		}
		for i, err := range store.Together(ctx, db, calls) {
			check(10+int64(i), err)
			if i%3 != 0 && err != nil {
				t.Errorf("caller %d failed for its neighbour: %v", i, err)
			}
		}
	})
}

// A statement of several rows that fails half way leaves none of them.
func TestRowsThatFailLeaveNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		prepare(t, db)
		ctx := t.Context()
		several := func(ids ...int64) func(*store.Tx) error {
			return func(tx *store.Tx) error {
				_, err := tx.Exec(ctx, store.InsertRows+`test_rows (id) VALUES (?), (?)`, ids[0], ids[1])
				return err
			}
		}
		if err := db.InTx(ctx, several(1, 2)); err != nil {
			t.Fatal(err)
		}
		if err := db.InTx(ctx, several(3, 1)); !db.IsUnique(err) {
			t.Errorf("a row twice: %v", err)
		}
		errs := store.Together(ctx, db, []func(*store.Tx) error{several(4, 5), several(6, 2), several(7, 8)})
		if errs[0] != nil || !db.IsUnique(errs[1]) || errs[2] != nil {
			t.Errorf("together: %v", errs)
		}
		if n := count(t, db, `SELECT count(*) FROM test_rows WHERE id IN (3, 6)`); n != 0 {
			t.Errorf("%d rows of statements that failed are there", n)
		}
		if n := count(t, db, `SELECT count(*) FROM test_rows WHERE id IN (1, 2, 4, 5, 7, 8)`); n != 6 {
			t.Errorf("%d of 6 rows are there", n)
		}
	})
}

func TestHooksThatPanicDoNotStopTheWriter(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		prepare(t, db)
		ctx := t.Context()
		caught := func(f func(tx *store.Tx) error) (panicked any, err error) {
			defer func() { panicked = recover() }()
			return nil, db.InTx(ctx, f)
		}
		told := false
		p, _ := caught(func(tx *store.Tx) error {
			tx.AfterCommit(func() { panic("after") })
			_, err := tx.Exec(ctx, insertRow, 1, "a", nil, true, nil, nil)
			return err
		})
		if p == nil || count(t, db, `SELECT count(*) FROM test_rows`) != 1 {
			t.Errorf("a panic after the commit: recovered %v; want the panic and the row", p)
		}
		p, err := caught(func(tx *store.Tx) error {
			tx.BeforeCommit("x", 1, func(context.Context, *store.Tx, []any) error { panic("before") })
			return nil
		})
		if err == nil || p != nil {
			t.Errorf("a panic before the commit gave %v, %v; want an error", err, p)
		}
		if err := db.InTx(ctx, func(tx *store.Tx) error { tx.AfterCommit(func() { told = true }); return nil }); err != nil || !told {
			t.Errorf("the writer is stuck: %v, told %v", err, told)
		}
	})
}

func TestACallerThatEndsItsGoroutineFreesTheWriter(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		prepare(t, db)
		var wg sync.WaitGroup
		wg.Go(func() {
			_ = db.InTx(t.Context(), func(tx *store.Tx) error {
				if _, err := tx.Exec(t.Context(), insertRow, 1, "gone", nil, true, nil, nil); err != nil {
					return err
				}
				runtime.Goexit()
				return nil
			})
		})
		wg.Wait()
		if err := insert(t.Context(), db, 2); err != nil {
			t.Fatal(err)
		}
		if n := count(t, db, `SELECT count(*) FROM test_rows`); n != 1 {
			t.Errorf("%d rows, want only the one that was finished", n)
		}
	})
}

func TestATransactionDoesNotLeaveItsClosure(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var escaped *store.Tx
		if err := db.InTx(t.Context(), func(tx *store.Tx) error { escaped = tx; return nil }); err != nil {
			t.Fatal(err)
		}
		if _, err := escaped.Exec(t.Context(), "SELECT 1"); err == nil {
			t.Error("a finished transaction still takes statements")
		}
		if _, err := escaped.Query(t.Context(), "SELECT 1"); err == nil {
			t.Error("a finished transaction still reads")
		}
	})
}

func TestBothEnginesKeepTheSameText(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		exec(t, db, `CREATE TABLE test_texts (id BIGINT PRIMARY KEY, plain TEXT, doc `+db.Engine().Types["JSON"]+`)`)
		ctx := t.Context()
		args := []any{1, "a\x00b\xff", store.JSON(map[string]string{"x": "a\x00b", "y": `\u0000`}), time.Unix(1, 0)}
		before := slices.Clone(args)
		if err := db.InTx(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO test_texts (id, plain, doc) VALUES (?, ?, ?)`, args[:3]...)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if args[1] != before[1] || args[3] != before[3] {
			t.Error("the caller's arguments were changed")
		}
		got, err := store.One[struct {
			Plain string            `db:"plain"`
			Doc   map[string]string `db:"doc,json"`
		}](ctx, db.Read(), `SELECT plain, doc FROM test_texts`)
		if err != nil {
			t.Fatal(err)
		}
		if got.Plain != "a\uFFFDb\uFFFD" {
			t.Errorf("plain text came back as %q", got.Plain)
		}
		if diff := cmp.Diff(map[string]string{"x": "a\uFFFDb", "y": `\u0000`}, got.Doc); diff != "" {
			t.Errorf("JSON differs (-want +got):\n%s", diff)
		}
		if err := db.InTx(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO test_texts (id, doc) VALUES (?, ?)`, 2, json.RawMessage(`{"a":"\u0000\\u0000"}`))
			return err
		}); err != nil {
			t.Error(err)
		}
	})
}

func TestAConstraintThatFailsAtTheCommitIsItsCallersOwn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		exec(t, db, `CREATE TABLE test_parents (id BIGINT PRIMARY KEY)`)
		exec(t, db, `CREATE TABLE test_children (id BIGINT PRIMARY KEY, parent BIGINT REFERENCES test_parents (id) DEFERRABLE INITIALLY DEFERRED)`)
		ctx := t.Context()
		exec(t, db, `INSERT INTO test_parents (id) VALUES (1)`)
		var calls []func(*store.Tx) error
		for i := range 20 {
			parent := 1
			if i == 7 {
				parent = 2
			}
			calls = append(calls, func(tx *store.Tx) error {
				_, err := tx.Exec(ctx, `INSERT INTO test_children (id, parent) VALUES (?, ?)`, i, parent)
				return err
			})
		}
		for i, err := range store.Together(ctx, db, calls) {
			if (err != nil) != (i == 7) {
				t.Errorf("caller %d: %v", i, err)
			}
			if fault.HasCode(err, "outcome_unknown") {
				t.Errorf("caller %d is told that the outcome is unknown, but it is known: %v", i, err)
			}
		}
	})
}

func TestStatementsSurviveAChangeOfTheSchema(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		exec(t, db, `CREATE TABLE test_shapes (id BIGINT PRIMARY KEY)`)
		exec(t, db, `INSERT INTO test_shapes (id) VALUES (1)`)
		ctx := t.Context()
		type shape struct {
			ID    int64  `db:"id"`
			Extra string `db:"extra"`
		}
		const query = `SELECT * FROM test_shapes`
		read := func(q store.Querier) (shape, error) { return store.One[shape](ctx, q, query) }
		inTx := func() (got shape, err error) {
			err = db.InTx(ctx, func(tx *store.Tx) (err error) { got, err = read(tx); return err })
			return got, err
		}
		if _, err := read(db.Read()); err != nil {
			t.Fatal(err)
		}
		if _, err := inTx(); err != nil {
			t.Fatal(err)
		}
		// Another process migrates.
		if _, err := db.Engine().Side.ExecContext(ctx, `ALTER TABLE test_shapes ADD COLUMN extra TEXT DEFAULT 'new'`); err != nil {
			t.Fatal(err)
		}
		want := shape{1, "new"}
		if got, err := read(db.Read()); got != want || err != nil {
			t.Errorf("reading after the change: %v, %v", got, err)
		}
		if got, err := inTx(); got != want || err != nil {
			t.Errorf("in a transaction after the change: %v, %v", got, err)
		}
	})
}

// killWriter ends the server's side of the writer's connection.
func killWriter(t *testing.T, db *store.DB, pid int64) {
	t.Helper()
	var ok bool
	// Waits up to 10 s for the backend to be gone.
	if err := db.Engine().Side.QueryRowContext(t.Context(), `SELECT pg_terminate_backend($1, 10000)`, pid).Scan(&ok); err != nil || !ok {
		t.Fatalf("ending backend %d: %v, %v", pid, ok, err)
	}
}

func backend(t *testing.T, db *store.DB) (pid int64) {
	t.Helper()
	if err := db.InTx(t.Context(), func(tx *store.Tx) (err error) {
		pid, err = store.One[int64](t.Context(), tx, `SELECT pg_backend_pid()`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestAConnectionCutWhileIdleIsNotNoticed(t *testing.T) {
	t.Parallel()
	db := storetest.Postgres(t)
	prepare(t, db)
	killWriter(t, db, backend(t, db))
	if err := insert(t.Context(), db, 1); err != nil {
		t.Errorf("the first caller after a cut got %v", err)
	}
}

func TestAConnectionCutInsideABatchIsRepeated(t *testing.T) {
	t.Parallel()
	for _, callers := range []int{1, 30} {
		t.Run(fmt.Sprint(callers, " callers"), func(t *testing.T) {
			t.Parallel()
			db := storetest.Postgres(t)
			prepare(t, db)
			ctx := t.Context()
			var once sync.Once
			var calls []func(*store.Tx) error
			for id := range callers {
				calls = append(calls, func(tx *store.Tx) error {
					if id == callers/2 {
						once.Do(func() {
							pid, err := store.One[int64](ctx, tx, `SELECT pg_backend_pid()`)
							if err != nil {
								t.Error(err)
							}
							killWriter(t, db, pid)
						})
					}
					return adding(ctx, int64(id))(tx)
				})
			}
			for i, err := range store.Together(ctx, db, calls) {
				if err != nil {
					t.Errorf("caller %d: %v", i, err)
				}
			}
			if n := count(t, db, `SELECT count(*) FROM test_rows`); n != int64(callers) {
				t.Errorf("%d rows, want %d", n, callers)
			}
		})
	}
}

const dieAtCommit = `
	CREATE FUNCTION test_die() RETURNS trigger LANGUAGE plpgsql AS $f$
	BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(0); RETURN NULL; END $f$`

func TestAnUnknownOutcomeIsSaidAndNotRepeated(t *testing.T) {
	t.Parallel()
	db := storetest.Postgres(t)
	prepare(t, db)
	exec(t, db, dieAtCommit)
	exec(t, db, `CREATE CONSTRAINT TRIGGER test_die AFTER INSERT ON test_rows DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION test_die()`)
	runs, told := 0, false
	err := db.InTx(t.Context(), func(tx *store.Tx) error {
		runs++
		tx.AfterCommit(func() { told = true })
		_, err := tx.Exec(t.Context(), insertRow, 1, "a", nil, true, nil, nil)
		return err
	})
	f := fault.From(err)
	if f == nil || f.Code != "outcome_unknown" || f.Hint == "" || f.Retryable {
		t.Errorf("a commit that broke gave %#v", f)
	}
	if runs != 1 || told {
		t.Errorf("the closure ran %d times, told %v; want once and nobody told", runs, told)
	}
	exec(t, db, `DROP TRIGGER test_die ON test_rows`)
	if err := insert(t.Context(), db, 2); err != nil {
		t.Errorf("the next transaction: %v", err)
	}
}

func TestAnUnreachableServerFailsEveryCallerAtOnce(t *testing.T) {
	t.Parallel()
	engine, err := postgres.Open("postgres://nobody@/none?host=" + url.QueryEscape(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.New(store.Options{Engine: engine})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if err := insert(t.Context(), db, 1); !fault.HasCode(err, "database_unreachable") || !strings.Contains(fault.From(err).Hint, "database.url") {
				t.Errorf("without a server InTx answers %v", err)
			}
		})
	}
	wg.Wait()
	if _, err := store.One[int](t.Context(), db.Read(), "SELECT 1"); !fault.HasCode(err, "database_unreachable") {
		t.Errorf("without a server a read answers %v", err)
	}
}

func TestAClosedDatabaseSaysSo(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if err := insert(t.Context(), db, 1); !fault.HasCode(err, "stopping") {
			t.Errorf("InTx after Close: %v", err)
		}
		if err := errors.Join(db.Close()); err != nil {
			t.Errorf("closing twice: %v", err)
		}
	})
}
