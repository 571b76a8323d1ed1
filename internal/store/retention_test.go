package store_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/sqlite"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestPruneDeletesInSmallTransactions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		exec(t, db, `CREATE TABLE test_log (id BIGINT PRIMARY KEY, at BIGINT NOT NULL)`)
		ctx := t.Context()
		if err := db.InTx(ctx, func(tx *store.Tx) error {
			for id := range 3500 {
				if _, err := tx.Exec(ctx, `INSERT INTO test_log (id, at) VALUES (?, ?)`, id, time.UnixMicro(int64(id+1))); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		n, err := db.Prune(ctx, `DELETE FROM test_log WHERE id IN (SELECT id FROM test_log WHERE at < ? ORDER BY at LIMIT ?)`, time.UnixMicro(2501))
		if n != 2500 || err != nil {
			t.Errorf("pruned %d, %v; want 2500", n, err)
		}
		if left := count(t, db, `SELECT count(*) FROM test_log`); left != 1000 {
			t.Errorf("%d rows are left, want 1000", left)
		}
	})
}

func TestRunPrunesInTheBackground(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		engine, err := sqlite.Open(filepath.Join(t.TempDir(), "run.db"))
		if err != nil {
			t.Fatal(err)
		}
		db, err := store.New(store.Options{Engine: engine, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		type call struct {
			name string
			age  time.Duration
		}
		calls := make(chan call, 100)
		retention := func(name string, keep, every time.Duration, n int64, err error) store.Retention {
			return store.Retention{Name: name, Keep: keep, Every: every, Prune: func(_ context.Context, before time.Time) (int64, error) {
				calls <- call{name, time.Since(before)}
				return n, err
			}}
		}
		db.AddRetention(retention("test_days", 24*time.Hour, 0, 7, nil))
		db.AddRetention(retention("test_never", -1, 0, 0, nil))
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := db.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		if c := <-calls; c != (call{"test_days", 24 * time.Hour}) {
			t.Errorf("first call %+v", c)
		}
		db.AddRetention(retention("test_late", time.Minute, 5*time.Minute, 0, errors.New("no luck")))
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		seen := map[string]int{}
		for len(calls) > 0 {
			seen[(<-calls).name]++
		}
		if seen["test_never"] != 0 || seen["test_days"] < 1 || seen["test_days"] > 3 || seen["test_late"] < 20 {
			t.Errorf("in two hours: %v", seen)
		}
		cancel()
		wg.Wait()
	})
	for _, want := range []string{"table=test_days rows=7", "no luck"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, log.String())
		}
	}
}
