package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

const (
	makeAppends  = `CREATE TABLE test_appends (id BIGINT PRIMARY KEY, workspace_id TEXT NOT NULL, data TEXT NOT NULL)`
	insertAppend = `INSERT INTO test_appends (id, workspace_id, data) VALUES (?, ?, ?)`
	appendData   = `{"kind":"message.sent","text":"a short line of text, as most rows are"}`
)

// BenchmarkAppends compares durable appends by concurrent callers with a loop
// that commits groups of the same size by hand on the same kind of file.
func BenchmarkAppends(b *testing.B) {
	for _, n := range []int{1, 32, 256} {
		b.Run(fmt.Sprintf("raw/%d", n), func(b *testing.B) { rawAppends(b, n) })
		b.Run(fmt.Sprintf("store/%d", n), func(b *testing.B) { storeAppends(b, storetest.SQLite(b), n) })
	}
}

func rawAppends(b *testing.B, group int) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "raw.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	conn, err := db.Conn(ctx)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, makeAppends); err != nil {
		b.Fatal(err)
	}
	var stmts [3]*sql.Stmt
	for i, query := range []string{"BEGIN IMMEDIATE", insertAppend, "COMMIT"} {
		if stmts[i], err = conn.PrepareContext(ctx, query); err != nil {
			b.Fatal(err)
		}
		defer stmts[i].Close()
	}
	b.ReportAllocs()
	b.ResetTimer()
	for id := 0; id < b.N; {
		if _, err := stmts[0].Exec(); err != nil {
			b.Fatal(err)
		}
		for range min(group, b.N-id) {
			if _, err := stmts[1].Exec(id, "ws_1", appendData); err != nil {
				b.Fatal(err)
			}
			id++
		}
		if _, err := stmts[2].Exec(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
}

func storeAppends(b *testing.B, db *store.DB, writers int) {
	ctx := context.Background()
	if err := db.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, makeAppends)
		return err
	}); err != nil {
		b.Fatal(err)
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ReportAllocs()
	b.ResetTimer()
	for range writers {
		wg.Go(func() {
			for {
				id := next.Add(1)
				if id > int64(b.N) {
					return
				}
				if err := db.InTx(ctx, func(tx *store.Tx) error {
					_, err := tx.Exec(ctx, insertAppend, id, "ws_1", appendData)
					return err
				}); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
}
