package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

type thing struct {
	ID     int64          `db:"id"`
	Parent *int64         `db:"parent"`
	Name   string         `db:"name"`
	Score  *float64       `db:"score"`
	On     bool           `db:"is_on"`
	Doc    map[string]any `db:"doc,json"`
	Blob   []byte         `db:"blob"`
	At     time.Time      `db:"at"`
}

const insertThing = `INSERT INTO test_things (id, parent, name, score, is_on, doc, blob, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

// things makes a table whose rows point to each other, also forwards.
func things(t *testing.T, db *store.DB, n int) []thing {
	t.Helper()
	exec(t, db, `CREATE TABLE test_things (id BIGINT PRIMARY KEY, parent BIGINT REFERENCES test_things (id), name TEXT NOT NULL, score DOUBLE PRECISION,
		is_on BOOLEAN NOT NULL, doc `+db.Engine().Types["JSON"]+`, blob `+db.Engine().Types["BLOB"]+`, at BIGINT)`)
	exec(t, db, `CREATE TABLE test_heads (name TEXT PRIMARY KEY, last BIGINT NOT NULL)`)
	exec(t, db, `INSERT INTO test_heads (name, last) VALUES ('a', ?)`, n)
	var made []thing
	ctx := t.Context()
	if err := db.InTx(ctx, func(tx *store.Tx) error {
		made = nil
		for i := range int64(n) {
			th := thing{ID: i, Name: fmt.Sprintf("thing %d: \"quoted\", ünïcode \u2028 \x01", i), On: i%2 == 0, Blob: []byte{0, 0xff, byte(i)}}
			switch i % 3 {
			case 0:
				score := float64(i) / 3
				th.Score, th.Doc, th.At = &score, map[string]any{"n": "x"}, time.UnixMicro(math.MaxInt64/4).UTC()
			case 1:
				score := float64(i)
				th.Score, th.ID = &score, math.MaxInt64-i
			}
			var doc any
			if th.Doc != nil {
				doc = store.JSON(th.Doc)
			}
			if _, err := tx.Exec(ctx, insertThing, th.ID, th.Parent, th.Name, th.Score, th.On, doc, th.Blob, th.At); err != nil {
				return err
			}
			made = append(made, th)
		}
		first, last := made[0].ID, made[len(made)-1].ID
		if _, err := tx.Exec(ctx, `UPDATE test_things SET parent = ? WHERE id = ?`, last, first); err != nil {
			return err
		}
		made[0].Parent = &last
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return made
}

func backup(t *testing.T, db *store.DB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), store.BackupName("test"))
	if _, err := db.Backup(t.Context(), store.BackupOptions{Path: path}); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestABackupRestoresOnEitherEngine(t *testing.T) {
	t.Parallel()
	open := map[string]func(testing.TB) *store.DB{"sqlite": storetest.SQLite, "postgres": storetest.Postgres}
	for from, openFrom := range open {
		for to, openTo := range open {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				source, target := openFrom(t), openTo(t)
				want := things(t, source, 2500)
				b, ws := bodies(t, store.BodiesOptions{DB: source}), storetest.Workspace()
				id := put(t, source, b, ws, store.NewBody{Kind: "x", Content: bytes.Repeat([]byte("large "), 100_000)})
				things(t, target, 10)
				var steps []store.Progress
				safety := t.TempDir()
				done, err := target.Restore(t.Context(), store.RestoreOptions{Path: backup(t, source), Safety: safety, Progress: func(p store.Progress) { steps = append(steps, p) }})
				if err != nil {
					t.Fatal(err)
				}
				got, err := store.All[thing](t.Context(), target.Read(), `SELECT * FROM test_things`)
				if err != nil {
					t.Fatal(err)
				}
				byID := map[int64]thing{}
				for _, g := range got {
					byID[g.ID] = g
				}
				for _, w := range want {
					if diff := cmp.Diff(w, byID[w.ID]); diff != "" {
						t.Fatalf("a row differs (-want +got):\n%s", diff)
					}
				}
				if len(got) != len(want) || len(steps) == 0 || len(done.Skipped) != 0 || done.Manifest.Engine != from {
					t.Errorf("%d rows, %d steps, %+v", len(got), len(steps), done)
				}
				_, content, err := bodies(t, store.BodiesOptions{DB: target}).Get(t.Context(), ws, id)
				if err != nil || len(content) != 600_000 {
					t.Errorf("the body came back with %d bytes, %v", len(content), err)
				}
				if err := insert2(t, target); err == nil {
					t.Error("foreign keys are no longer checked after a restore")
				}
				// What was there before can be had back.
				if _, err := target.Restore(t.Context(), store.RestoreOptions{Path: done.Safety}); err != nil {
					t.Fatal(err)
				}
				if n := count(t, target, `SELECT count(*) FROM test_things`); n != 10 {
					t.Errorf("the safety backup holds %d rows, want 10", n)
				}
			})
		}
	}
}

func insert2(t *testing.T, db *store.DB) error {
	return db.InTx(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(t.Context(), insertThing, 77777, 88888, "orphan", nil, true, nil, nil, nil)
		return err
	})
}

func TestABackupIsOneMomentWhileOthersWrite(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		exec(t, db, `CREATE TABLE test_a (id BIGINT PRIMARY KEY)`)
		exec(t, db, `CREATE TABLE test_z (id BIGINT PRIMARY KEY)`)
		ctx, stop := context.WithCancel(t.Context())
		enough := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			for id := 0; ctx.Err() == nil; id++ {
				if id == 50 {
					close(enough)
				}
				if err := db.InTx(t.Context(), func(tx *store.Tx) error {
					_, err := tx.Exec(ctx, `INSERT INTO test_a (id) VALUES (?)`, id)
					if err == nil {
						_, err = tx.Exec(ctx, `INSERT INTO test_z (id) VALUES (?)`, id)
					}
					return err
				}); err != nil {
					t.Error(err)
					return
				}
			}
		})
		<-enough
		path := backup(t, db)
		stop()
		wg.Wait()
		if _, err := db.Restore(t.Context(), store.RestoreOptions{Path: path}); err != nil {
			t.Fatal(err)
		}
		a, z := count(t, db, `SELECT count(*) FROM test_a`), count(t, db, `SELECT count(*) FROM test_z`)
		if a != z || a < 50 {
			t.Errorf("the backup holds %d and %d rows of pairs", a, z)
		}
	})
}

func TestReadersSeeTheOldRowsOrTheNew(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		things(t, db, 300)
		path := backup(t, db)
		exec(t, db, `UPDATE test_things SET parent = NULL`)
		exec(t, db, `DELETE FROM test_things WHERE id < 100`)
		old := count(t, db, `SELECT count(*) FROM test_things`)
		done := make(chan error)
		go func() {
			_, err := db.Restore(t.Context(), store.RestoreOptions{Path: path})
			done <- err
		}()
		for {
			if n := count(t, db, `SELECT count(*) FROM test_things`); n != old && n != 300 {
				t.Errorf("a reader saw %d rows", n)
			}
			select {
			case err := <-done:
				if n := count(t, db, `SELECT count(*) FROM test_things`); err != nil || n != 300 {
					t.Errorf("%d rows, %v", n, err)
				}
				return
			default:
			}
		}
	})
}

func TestHooksFixWhatMustNotGoBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		things(t, db, 10)
		path := backup(t, db)
		exec(t, db, `UPDATE test_heads SET last = 500`)
		told := 0
		db.OnRestore(store.RestoreHook{Name: "heads", Fix: func(ctx context.Context, tx *store.Tx) (func(context.Context, *store.Tx) error, error) {
			old, err := store.One[int64](ctx, tx, `SELECT last FROM test_heads`)
			return func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.Exec(ctx, `UPDATE test_heads SET last = ? WHERE last < ?`, old+1000, old+1000)
				return err
			}, err
		}, Done: func(context.Context) { told++ }})
		if _, err := db.Restore(t.Context(), store.RestoreOptions{Path: path}); err != nil {
			t.Fatal(err)
		}
		if last := count(t, db, `SELECT last FROM test_heads`); last != 1500 || told != 1 {
			t.Errorf("last = %d, told %d times; want 1500, once", last, told)
		}
		db.OnRestore(store.RestoreHook{Name: "broken", Fix: func(context.Context, *store.Tx) (func(context.Context, *store.Tx) error, error) {
			return func(context.Context, *store.Tx) error { return errors.New("broken") }, nil
		}})
		exec(t, db, `UPDATE test_heads SET last = 2000`)
		if _, err := db.Restore(t.Context(), store.RestoreOptions{Path: path}); err == nil {
			t.Error("a failing hook did not fail the restore")
		}
		if last := count(t, db, `SELECT last FROM test_heads`); last != 2000 || told != 1 {
			t.Errorf("a failed restore left last = %d and told %d times", last, told)
		}
	})
}

func TestDamagedArchivesAreRefused(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	things(t, db, 50)
	whole, err := os.ReadFile(backup(t, db))
	if err != nil {
		t.Fatal(err)
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	text, err := d.DecodeAll(whole, nil)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	without := func(i int) []byte { return bytes.Join(append(append([][]byte{}, lines[:i]...), lines[i+1:]...), nil) }
	broken := map[string][]byte{
		"empty":             {},
		"not an archive":    []byte("SQLite format 3"),
		"cut":               whole[:len(whole)-10],
		"cut in the middle": whole[:len(whole)/2],
		"a bit flipped":     flip(whole, len(whole)/2),
		"a row missing":     packed(t, without(len(lines)-5)),
		"no end":            packed(t, without(len(lines)-2)),
		"a changed value":   packed(t, bytes.Replace(text, []byte("thing 7"), []byte("thing 8"), 1)),
		"something after":   packed(t, append(bytes.Clone(text), "[]\n"...)),
		"a newer format":    packed(t, bytes.Replace(text, []byte(`"fluxway_backup":1`), []byte(`"fluxway_backup":9`), 1)),
	}
	for name, content := range broken {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "broken"+store.BackupSuffix)
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := db.Restore(context.Background(), store.RestoreOptions{Path: path})
			if f := fault.From(err); err == nil || f.Kind != fault.Invalid || f.Hint == "" {
				t.Errorf("Restore: %v", err)
			}
		})
	}
	t.Cleanup(func() {
		n, err := store.One[int](context.Background(), db.Read(), `SELECT count(*) FROM test_things`)
		if n != 50 || err != nil {
			t.Errorf("after refused archives: %d rows, %v", n, err)
		}
	})
}

func flip(b []byte, i int) []byte {
	b = bytes.Clone(b)
	b[i] ^= 1
	return b
}

func packed(t *testing.T, text []byte) []byte {
	t.Helper()
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	return e.EncodeAll(text, nil)
}

func TestABackupIsPrivateAndNeverOverwrites(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	path := backup(t, db)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	if _, err := db.Backup(t.Context(), store.BackupOptions{Path: path}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second backup to the same name: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := db.Backup(ctx, store.BackupOptions{Path: path + "2"}); err == nil {
		t.Error("a cancelled backup succeeded")
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("files left: %v, %v", left, err)
	}
}

const firstVersion = 20261115000050

func TestAnOlderArchiveIsMigratedAndANewerOneRefused(t *testing.T) {
	t.Parallel()
	for name, open := range emptyEngines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			old, current := open(t), open(t)
			if err := store.MigrateTo(ctx, old, firstVersion); err != nil {
				t.Fatal(err)
			}
			if err := current.Migrate(ctx); err != nil {
				t.Fatal(err)
			}
			b, ws := bodies(t, store.BodiesOptions{DB: old}), storetest.Workspace()
			id := put(t, old, b, ws, store.NewBody{Kind: "x", Content: []byte("kept")})
			if _, err := current.Restore(ctx, store.RestoreOptions{Path: backup(t, old)}); err != nil {
				t.Fatal(err)
			}
			if _, content, err := bodies(t, store.BodiesOptions{DB: current}).Get(ctx, ws, id); string(content) != "kept" || err != nil {
				t.Errorf("after the restore: %q, %v", content, err)
			}
			if _, err := old.Restore(ctx, store.RestoreOptions{Path: backup(t, current)}); !fault.HasCode(err, "backup_newer") {
				t.Errorf("a newer archive: %v", err)
			}
		})
	}
}

func TestAnArchiveWithForeignTablesIsRefused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		things(t, db, 3)
		path := backup(t, db)
		exec(t, db, `DROP TABLE test_heads`)
		if _, err := db.Restore(t.Context(), store.RestoreOptions{Path: path}); !fault.HasCode(err, "backup_mismatch") {
			t.Errorf("Restore: %v", err)
		}
		if n := count(t, db, `SELECT count(*) FROM test_things`); n != 3 {
			t.Errorf("%d rows are left, want 3", n)
		}
	})
}

var emptyEngines = map[string]func(*testing.T) *store.DB{
	"sqlite":   func(t *testing.T) *store.DB { return storetest.Empty(t, "sqlite") },
	"postgres": func(t *testing.T) *store.DB { return storetest.Empty(t, "postgres") },
}
