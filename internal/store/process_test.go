package store_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/postgres"
	"github.com/fluxway/fluxway/internal/store/sqlite"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// TestMain lets tests start this binary again as another process on the same
// database: store.test child <task> <engine> <where> <first id> <rows>.
func TestMain(m *testing.M) {
	if len(os.Args) == 7 && os.Args[1] == "child" {
		if err := child(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func child(args []string) error {
	open := sqlite.Open
	if args[1] == "postgres" {
		open = postgres.Open
	}
	engine, err := open(args[2])
	if err != nil {
		return err
	}
	db, err := store.New(store.Options{Engine: engine})
	if err != nil {
		return err
	}
	defer db.Close()
	if args[0] == "migrate" {
		return db.Migrate(context.Background())
	}
	first, err := strconv.ParseInt(args[3], 10, 64)
	if err != nil {
		return err
	}
	rows, err := strconv.ParseInt(args[4], 10, 64)
	if err != nil {
		return err
	}
	return appendAndAck(db, first, rows)
}

// appendAndAck writes the id of each row to stdout once it is durable.
func appendAndAck(db *store.DB, first, rows int64) error {
	ids, failed := make(chan int64), make(chan error, 1)
	var out sync.Mutex // one line at a time
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for id := range ids {
				if err := insert(context.Background(), db, id); err != nil {
					select {
					case failed <- err:
					default:
					}
					continue
				}
				out.Lock()
				fmt.Println(id)
				out.Unlock()
			}
		})
	}
	for id := first; id < first+rows; id++ {
		ids <- id
	}
	close(ids)
	wg.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

func spawn(t *testing.T, task, engine, where string, first, rows int64) (*osexec.Cmd, io.Reader) {
	t.Helper()
	cmd := osexec.Command(os.Args[0], "child", task, engine, where, fmt.Sprint(first), fmt.Sprint(rows))
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, stdout
}

// where is how another process finds the same database.
func where(t *testing.T, engine string) (string, *store.DB) {
	t.Helper()
	if engine == "sqlite" {
		db := storetest.SQLite(t)
		return db.Engine().Path, db
	}
	url := storetest.PostgresURL(t)
	e, err := postgres.Open(url)
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.New(store.Options{Engine: e})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return url, db
}

func TestNothingAcknowledgedIsLostWhenKilled(t *testing.T) {
	t.Parallel()
	const kills, perLife = 50, 100_000
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			at, db := where(t, engine)
			prepare(t, db)
			acked := make(map[int64]bool)
			for life := range int64(kills) {
				cmd, out := spawn(t, "append", engine, at, life*perLife, perLife)
				lines := bufio.NewReader(out)
				for n := 1 + rand.IntN(150); n > 0; n-- {
					ack(t, acked, lines)
				}
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				for ack(t, acked, lines) { // what it said before the signal arrived
				}
				_ = cmd.Wait() // it was killed
			}
			kept, err := store.All[int64](t.Context(), db.Read(), `SELECT id FROM test_rows`)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range kept {
				delete(acked, id)
			}
			if len(acked) > 0 {
				t.Errorf("%d acknowledged rows are lost: %v", len(acked), acked)
			}
			if wrong, err := db.Engine().Check(t.Context()); len(wrong) > 0 || err != nil {
				t.Errorf("after %d kills: %v, %v", kills, wrong, err)
			}
			if len(kept) < kills {
				t.Errorf("only %d rows were written in %d lives", len(kept), kills)
			}
		})
	}
}

// ack reads one line; a half line at the end is nothing that was said.
func ack(t *testing.T, acked map[int64]bool, lines *bufio.Reader) bool {
	t.Helper()
	line, err := lines.ReadString('\n')
	if err != nil {
		return false
	}
	id, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	if err != nil {
		t.Fatalf("the child said %q", line)
	}
	acked[id] = true
	return true
}

func TestTwoProcessesWriteTheSameFile(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			const theirs = 3000
			at, db := where(t, engine)
			prepare(t, db)
			cmd, out := spawn(t, "append", engine, at, 1_000_000, theirs)
			ended := make(chan struct{})
			var mine [4]int64
			var wg sync.WaitGroup
			for w := range mine {
				wg.Go(func() {
					for {
						select {
						case <-ended:
							return
						default:
						}
						if err := insert(t.Context(), db, int64(w)*100_000+mine[w]); err != nil {
							t.Errorf("this process: %v", err)
							return
						}
						mine[w]++
					}
				})
			}
			acks := 0
			for lines := bufio.NewScanner(out); lines.Scan(); acks++ {
			}
			if err := cmd.Wait(); err != nil || acks != theirs {
				t.Errorf("the other process: %d of %d rows, %v", acks, theirs, err)
			}
			close(ended)
			wg.Wait()
			want := int64(theirs) + mine[0] + mine[1] + mine[2] + mine[3]
			if n := count(t, db, `SELECT count(*) FROM test_rows`); n != want || want == theirs {
				t.Errorf("%d rows, want %d", n, want)
			}
		})
	}
}

func TestTwoProcessesMigrateAtOnce(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			at := t.TempDir() + "/fluxway.db"
			if engine == "postgres" {
				at = storetest.EmptyPostgresURL(t)
			}
			var all []*osexec.Cmd
			for range 4 {
				cmd, _ := spawn(t, "migrate", engine, at, 0, 0)
				all = append(all, cmd)
			}
			for _, cmd := range all {
				if err := cmd.Wait(); err != nil {
					t.Errorf("migrating beside others: %v", err)
				}
			}
		})
	}
}
