package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

const makeRows = `CREATE TABLE test_rows (id BIGINT PRIMARY KEY, name TEXT UNIQUE, at BIGINT, ok BOOLEAN, extra TEXT, score DOUBLE PRECISION)`

type row struct {
	ID    int64          `db:"id"`
	Name  string         `db:"name"`
	At    time.Time      `db:"at"`
	OK    bool           `db:"ok"`
	Extra map[string]any `db:"extra,json"`
	Score *float64       `db:"score"`
}

const insertRow = `INSERT INTO test_rows (id, name, at, ok, extra, score) VALUES (?, ?, ?, ?, ?, ?)`

func prepare(t *testing.T, db *store.DB) {
	t.Helper()
	if err := db.InTx(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(t.Context(), makeRows)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func insert(ctx context.Context, db *store.DB, id int64) error {
	return db.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, insertRow, id, fmt.Sprint("row ", id), time.Time{}, true, nil, nil)
		return err
	})
}

func TestValuesComeBackAsTheyWent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		prepare(t, db)
		score := 0.25
		at := time.Date(2026, 11, 15, 1, 2, 3, 4000, time.UTC)
		want := row{ID: 7, Name: "a 'quoted?' name", At: at, OK: true, Extra: map[string]any{"a": "b?"}, Score: &score}
		ctx := t.Context()
		if err := db.InTx(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(ctx, insertRow, want.ID, want.Name, want.At, want.OK, store.JSON(want.Extra), want.Score)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		got, err := store.One[row](ctx, db.Read(), `SELECT * FROM test_rows WHERE name <> '?' AND id = ?`, 7)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("row differs (-want +got):\n%s", diff)
		}
		if n, err := store.One[int](ctx, db.Read(), `SELECT count(*) FROM test_rows`); n != 1 || err != nil {
			t.Errorf("count = %d, %v", n, err)
		}
		if _, err := store.One[row](ctx, db.Read(), `SELECT * FROM test_rows WHERE id = ?`, 8); !errors.Is(err, store.ErrNoRows) {
			t.Errorf("a missing row gives %v, want ErrNoRows", err)
		}
		if rows, err := store.All[row](ctx, db.Read(), `SELECT * FROM test_rows WHERE id = ?`, 8); rows == nil || len(rows) != 0 || err != nil {
			t.Errorf("no rows give %v, %v; want an empty slice", rows, err)
		}
	})
}

func TestACallerFailsAlone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		prepare(t, db)
		ctx := t.Context()
		const callers = 200
		errOdd := errors.New("odd")
		var wg sync.WaitGroup
		errs := make([]error, callers)
		for i := range callers {
			wg.Go(func() {
				errs[i] = db.InTx(ctx, func(tx *store.Tx) error {
					if _, err := tx.Exec(ctx, insertRow, i, fmt.Sprint(i), time.Now(), true, nil, nil); err != nil {
						return err
					}
					switch i % 4 {
					case 1:
						return errOdd
					case 3: // a constraint fails the statement itself
						_, err := tx.Exec(ctx, insertRow, i, "again", time.Now(), true, nil, nil)
						return err
					}
					return nil
				})
			})
		}
		wg.Wait()
		var want []int64
		for i, err := range errs {
			switch i % 4 {
			case 1:
				if !errors.Is(err, errOdd) {
					t.Errorf("caller %d got %v, want its own error", i, err)
				}
			case 3:
				if !db.IsUnique(err) {
					t.Errorf("caller %d got %v, want a unique violation", i, err)
				}
			default:
				want = append(want, int64(i))
				if err != nil {
					t.Errorf("caller %d got %v, want nil", i, err)
				}
			}
		}
		got, err := store.All[int64](ctx, db.Read(), `SELECT id FROM test_rows ORDER BY id`)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("rows = %v, %v; want %v", got, err, want)
		}
	})
}

func TestHooksRideWithTheCommit(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		prepare(t, db)
		ctx := t.Context()
		var mu sync.Mutex // only because the test reads it at the end
		var flushed, told []int
		flush := func(_ context.Context, tx *store.Tx, items []any) error {
			for _, item := range items {
				if _, err := tx.Exec(ctx, insertRow, item, fmt.Sprint(item), time.Now(), true, nil, nil); err != nil {
					return err
				}
			}
			tx.AfterCommit(func() {
				mu.Lock()
				defer mu.Unlock()
				for _, item := range items {
					flushed = append(flushed, item.(int))
				}
			})
			return nil
		}
		var wg sync.WaitGroup
		for i := range 100 {
			wg.Go(func() {
				err := db.InTx(ctx, func(tx *store.Tx) error {
					tx.BeforeCommit("numbers", i, flush)
					tx.AfterCommit(func() {
						mu.Lock()
						defer mu.Unlock()
						told = append(told, i)
					})
					if i%2 == 1 {
						return errors.New("odd")
					}
					return nil
				})
				if (err != nil) != (i%2 == 1) {
					t.Errorf("caller %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		n, err := store.One[int](ctx, db.Read(), `SELECT count(*) FROM test_rows`)
		if n != 50 || err != nil || len(flushed) != 50 || len(told) != 50 {
			t.Errorf("rows %d, flushed %d, told %d, %v; want 50 each", n, len(flushed), len(told), err)
		}
		if !slices.Equal(flushed, told) {
			t.Errorf("AfterCommit order differs:\n%v\n%v", flushed, told)
		}
	})
}

func TestCancelledCallersLeaveTheQueue(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		prepare(t, db)
		inside, release := make(chan struct{}), make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := db.InTx(t.Context(), func(*store.Tx) error { close(inside); <-release; return nil }); err != nil {
				t.Error(err)
			}
		})
		<-inside
		cause := errors.New("gave up")
		for range 20 {
			ctx, cancel := context.WithCancelCause(t.Context())
			wg.Go(func() {
				if err := insert(ctx, db, 1); !errors.Is(err, cause) {
					t.Errorf("a cancelled caller got %v", err)
				}
			})
			cancel(cause)
		}
		wg.Go(func() {
			if err := insert(t.Context(), db, 2); err != nil {
				t.Error(err)
			}
		})
		close(release)
		wg.Wait()
		if ids, err := store.All[int64](t.Context(), db.Read(), `SELECT id FROM test_rows`); !slices.Equal(ids, []int64{2}) || err != nil {
			t.Errorf("rows = %v, %v; want only 2", ids, err)
		}
	})
}

func TestAPanicReachesItsOwnCaller(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		prepare(t, db)
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
			}()
			_ = db.InTx(t.Context(), func(*store.Tx) error { panic("boom") })
		}()
		if err := insert(t.Context(), db, 1); err != nil {
			t.Errorf("the writer is stuck after a panic: %v", err)
		}
	})
}
