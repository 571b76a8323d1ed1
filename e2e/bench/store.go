package main

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/sqlite"
)

const (
	benchTable  = `CREATE TABLE bench_rows (id INTEGER PRIMARY KEY, workspace_id TEXT NOT NULL, kind TEXT NOT NULL, at BIGINT NOT NULL, data TEXT NOT NULL)`
	benchInsert = `INSERT INTO bench_rows (id, workspace_id, kind, at, data) VALUES (?, ?, ?, ?, ?)`
	benchData   = `{"agent":"agt_01K9","run":"run_01K9","tokens_in":1200,"tokens_out":345,"note":"a row of the size an event usually has, four hundred bytes or so, with some words in it so that it is not all zeroes and compresses like text does in practice, because what is stored is mostly text and its size decides how many pages a commit writes","price_micros":123456}`
)

func storeLane(ctx context.Context, b *bench) error {
	for _, writers := range []int{1, 32, 256} {
		lost := 0
		ours := func() (sample, error) { return appendOurs(ctx, b, writers, &lost) }
		base := func() (sample, error) { return appendRaw(ctx, b, writers) }
		o, n, err := b.alternate(ours, base)
		if err != nil {
			return err
		}
		b.judge(fmt.Sprintf("durable appends/s, %d writers", writers), "/s", o, n, sample.perSecond, 0, 0.5)
		b.judge(fmt.Sprintf("CPU per append, %d writers", writers), "µs", o, n, sample.perOp, 0, 0)
		b.must(fmt.Sprintf("acknowledged rows missing, %d writers", writers), lost)
	}
	return nil
}

var benchFiles atomic.Int64

func (b *bench) benchFile() string {
	return filepath.Join(b.dir, fmt.Sprintf("store-%d.db", benchFiles.Add(1)))
}

// appendOurs has many callers append one row each, again and again, through the
// store's one writer.
func appendOurs(ctx context.Context, b *bench, writers int, lost *int) (sample, error) {
	engine, err := sqlite.Open(b.benchFile())
	if err != nil {
		return sample{}, err
	}
	db, err := store.New(store.Options{Engine: engine})
	if err != nil {
		return sample{}, err
	}
	defer db.Close()
	if err := db.InTx(ctx, func(tx *store.Tx) error { _, err := tx.Exec(ctx, benchTable); return err }); err != nil {
		return sample{}, err
	}
	var next, acked atomic.Int64
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	began, cpu := time.Now(), ownCPU()
	for range writers {
		wg.Go(func() {
			for time.Since(began) < b.slice {
				id := next.Add(1)
				err := db.InTx(ctx, func(tx *store.Tx) error {
					_, err := tx.Exec(ctx, benchInsert, id, "ws_bench", "bench.appended", began, benchData)
					return err
				})
				if err != nil {
					failed.Store(&err)
					return
				}
				acked.Add(1)
			}
		})
	}
	wg.Wait()
	s := sample{ops: float64(acked.Load()), cpu: ownCPU() - cpu, wall: time.Since(began)}
	if err := failed.Load(); err != nil {
		return s, *err
	}
	n, err := store.One[int64](ctx, db.Read(), `SELECT count(*) FROM bench_rows`)
	*lost += int(acked.Load() - n)
	return s, err
}

// appendRaw is the floor: one loop that puts as many rows into each commit as
// there are writers, with prepared statements and nothing around them.
func appendRaw(ctx context.Context, b *bench, writers int) (sample, error) {
	engine, err := sqlite.Open(b.benchFile())
	if err != nil {
		return sample{}, err
	}
	defer engine.Read.Close()
	defer engine.Write.Close()
	conn, err := engine.Write.Conn(ctx)
	if err != nil {
		return sample{}, err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, benchTable); err != nil {
		return sample{}, err
	}
	var stmts [3]*sql.Stmt
	for i, text := range []string{engine.Begin, benchInsert, "COMMIT"} {
		if stmts[i], err = conn.PrepareContext(ctx, text); err != nil {
			return sample{}, err
		}
		defer stmts[i].Close()
	}
	plain := context.WithoutCancel(ctx)
	id, began, cpu := 0, time.Now(), ownCPU()
	for time.Since(began) < b.slice {
		if _, err := stmts[0].ExecContext(plain); err != nil {
			return sample{}, err
		}
		for range writers {
			id++
			if _, err := stmts[1].ExecContext(plain, id, "ws_bench", "bench.appended", began.UnixMicro(), benchData); err != nil {
				return sample{}, err
			}
		}
		if _, err := stmts[2].ExecContext(plain); err != nil {
			return sample{}, err
		}
	}
	return sample{ops: float64(id), cpu: ownCPU() - cpu, wall: time.Since(began)}, nil
}
