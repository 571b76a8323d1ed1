package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

const (
	makeAppends  = `CREATE TABLE test_appends (id BIGINT PRIMARY KEY, workspace_id TEXT NOT NULL, data TEXT NOT NULL)`
	insertAppend = `INSERT INTO test_appends (id, workspace_id, data) VALUES (?, ?, ?)`
	appendData   = `{"kind":"message.sent","text":"a short line of text, as most rows are"}`
)

// BenchmarkAppends compares durable appends by concurrent callers with a loop
// that commits groups of the same size by hand on the same kind of file. Both
// take turns, so that a busy machine slows both.
func BenchmarkAppends(b *testing.B) {
	for _, n := range []int{1, 32, 256} {
		b.Run(fmt.Sprint(n, " writers"), func(b *testing.B) {
			raw, ours := rawAppender(b, n), storeAppender(b, storetest.SQLite(b), n)
			var spent [2]cost
			const slices = 20
			b.ResetTimer()
			for range slices {
				rows := max(n, b.N/slices)
				spent[0].add(rows, raw)
				spent[1].add(rows, ours)
			}
			b.ReportMetric(spent[0].perSecond(), "raw/s")
			b.ReportMetric(spent[1].perSecond(), "store/s")
			b.ReportMetric(spent[1].perSecond()/spent[0].perSecond(), "rate-ratio")
			b.ReportMetric(float64(spent[1].cpu)/float64(spent[0].cpu), "cpu-ratio")
		})
	}
}

type cost struct {
	rows      int
	wall, cpu time.Duration
}

func (c *cost) add(rows int, f func(rows int)) {
	wall, cpu := time.Now(), cpuTime()
	f(rows)
	c.rows += rows
	c.wall += time.Since(wall)
	c.cpu += cpuTime() - cpu
}

func (c *cost) perSecond() float64 { return float64(c.rows) / c.wall.Seconds() }

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// rawAppender commits groups in one loop.
func rawAppender(b *testing.B, group int) func(rows int) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "raw.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	ctx := context.Background()
	conn, err := db.Conn(ctx)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	if _, err := conn.ExecContext(ctx, makeAppends); err != nil {
		b.Fatal(err)
	}
	var stmts [3]*sql.Stmt
	for i, query := range []string{"BEGIN IMMEDIATE", insertAppend, "COMMIT"} {
		if stmts[i], err = conn.PrepareContext(ctx, query); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { stmts[i].Close() })
	}
	must := func(_ sql.Result, err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	id := 0
	return func(rows int) {
		for rows > 0 {
			must(stmts[0].Exec())
			for range min(group, rows) {
				must(stmts[1].Exec(id, "ws_1", appendData))
				id++
				rows--
			}
			must(stmts[2].Exec())
		}
	}
}

// storeAppender has that many callers, each with one row per transaction.
func storeAppender(b *testing.B, db *store.DB, writers int) func(rows int) {
	ctx := context.Background()
	if err := db.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, makeAppends)
		return err
	}); err != nil {
		b.Fatal(err)
	}
	var next atomic.Int64
	return func(rows int) {
		last := next.Load() + int64(rows)
		var wg sync.WaitGroup
		for range writers {
			wg.Go(func() {
				for id := next.Add(1); id <= last; id = next.Add(1) {
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
	}
}
