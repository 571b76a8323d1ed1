package costs_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/costs/coststest"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/postgres"
	"github.com/fluxway/fluxway/internal/store/sqlite"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// child makes calls for ever, from eight sides at once, and says on stdout what
// it was promised: "began ID" once Reserve returned, "ended ID" once Flush did, or
// with a journal once Settle did.
func child(engine, where string, ws ids.Workspace) error {
	open := sqlite.Open
	if engine == "postgres" {
		open = postgres.Open
	}
	e, err := open(where)
	if err != nil {
		return err
	}
	db, err := store.New(store.Options{Engine: e})
	if err != nil {
		return err
	}
	hub, err := events.New(events.Options{DB: db})
	if err != nil {
		return err
	}
	catalogue, err := providers.NewCatalogue(coststest.Entries())
	if err != nil {
		return err
	}
	opts := costs.Options{DB: db, Hub: hub, Catalogue: catalogue, Sole: engine != "postgres"}
	if engine == journalled {
		opts.Journal = journalOf(where)
	}
	l, err := costs.New(opts)
	if err != nil {
		return err
	}
	ctx := context.Background()
	failed := make(chan error, 9)
	go func() { failed <- l.Run(ctx) }()
	var out sync.Mutex // one line at a time
	say := func(what string, id ids.Usage) {
		out.Lock()
		defer out.Unlock()
		fmt.Println(what, id)
	}
	for range 8 {
		go func() {
			for {
				r, err := l.Reserve(ctx, call(ws, coststest.Plain, 100, 10))
				if err != nil {
					failed <- err
					return
				}
				say("began", r.ID())
				r.Settle(used(100, 10))
				if engine != journalled {
					if err := l.Flush(ctx); err != nil {
						failed <- err
						return
					}
				}
				say("ended", r.ID())
			}
		}()
	}
	return <-failed
}

// journalled is SQLite with a journal beside it.
const journalled = "journal"

func journalOf(where string) string { return filepath.Join(filepath.Dir(where), "journal") }

func TestAJournalKeepsWhatAKilledProcessPromised(t *testing.T) {
	t.Parallel()
	where, db := database(t, "sqlite")
	ws := storetest.Workspace()
	began, ended := map[ids.Usage]bool{}, map[ids.Usage]bool{}
	l := coststest.New(t, db, costs.Options{Sole: true})
	b := budget(t, l, ws, costs.Budget{Amount: 1 << 40, Period: costs.Total})
	// Enough lines that the last child fills more than one file of its journal.
	for _, lines := range []int{1, 30, 500, 20_000} {
		killAfter(t, lines, journalled, where, ws, began, ended)
	}
	l = coststest.New(t, db, costs.Options{Sole: true, Journal: journalOf(where)})
	stop := coststest.Run(t, l)
	if _, err := l.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop()
	seen(t, l, ws, b.ID, began, ended)
	if left, err := filepath.Glob(filepath.Join(journalOf(where), "*")); err != nil || len(left) > 0 {
		t.Errorf("left of the journal: %v, %v", left, err)
	}
}

func TestKilledProcessesLoseNothingTheyPromised(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, _ *store.DB) {
		engine := t.Name()[strings.LastIndex(t.Name(), "/")+1:]
		where, db := database(t, engine)
		ws := storetest.Workspace()
		l := coststest.New(t, db, costs.Options{Sole: engine == "sqlite"})
		b := budget(t, l, ws, costs.Budget{Amount: 1 << 40, Period: costs.Total})
		began, ended := map[ids.Usage]bool{}, map[ids.Usage]bool{}
		for _, lines := range []int{1, 30, 200} {
			killAfter(t, lines, engine, where, ws, began, ended)
		}
		later := newClock(time.Now().Add(2 * time.Minute)) // when the dead are known to be dead
		l = coststest.New(t, db, costs.Options{Sole: engine == "sqlite", Now: later.now})
		// Waits for the budget's row, and so for a commit that a server may still be
		// busy with for a client that is gone.
		if _, err := l.Grant(t.Context(), ws, b.ID, 1); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		seen(t, l, ws, b.ID, began, ended)
	})
}

// seen checks that the ledger has every promise, and that the budget agrees.
func seen(t *testing.T, l *costs.Ledger, ws ids.Workspace, b ids.Budget, began, ended map[ids.Usage]bool) {
	t.Helper()
	for id := range began {
		rec, err := l.Record(t.Context(), ws, id)
		if err != nil || rec.Outcome == costs.Open || rec.Price == nil || *rec.Price < 100 {
			t.Errorf("began: %+v, %v", rec, err)
			continue
		}
		if ended[id] && (rec.Outcome != costs.OK || *rec.Price != 120 || rec.Estimated) {
			t.Errorf("ended: %+v", rec)
		}
	}
	sums, err := l.Totals(t.Context(), ws, costs.Query{})
	if s := standing(t, l, ws, b); err != nil || s.Spent != int64(sums.Price) || s.Calls != sums.Calls || s.Reserved != 0 || s.Calls < int64(len(began)) {
		t.Errorf("budget %+v, ledger %+v, %d began, %v", s, sums, len(began), err)
	}
}

// database is one that another process can open too.
func database(t *testing.T, engine string) (where string, db *store.DB) {
	t.Helper()
	if engine == "sqlite" {
		db = storetest.SQLite(t)
		return db.Engine().Path, db
	}
	where = storetest.PostgresURL(t)
	e, err := postgres.Open(where)
	if err != nil {
		t.Fatal(err)
	}
	if db, err = store.New(store.Options{Engine: e}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return where, db
}

// killAfter starts a child and kills it, without warning, after some lines.
func killAfter(t *testing.T, lines int, engine, where string, ws ids.Workspace, began, ended map[ids.Usage]bool) {
	t.Helper()
	cmd := osexec.Command(os.Args[0], "child", engine, where, string(ws))
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewScanner(stdout)
	for n := 1; in.Scan(); n++ {
		what, id, ok := strings.Cut(in.Text(), " ")
		switch {
		case ok && what == "began":
			began[ids.Usage(id)] = true
		case ok && what == "ended":
			ended[ids.Usage(id)] = true
		}
		if n == lines {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the child ended by itself")
	}
}

func TestAJournalOfAnotherVersionIsPutAside(t *testing.T) {
	t.Parallel()
	db, dir := storetest.SQLite(t), t.TempDir()
	entry := []byte{99, 1, 2, 3}
	frame := binary.LittleEndian.AppendUint32(nil, uint32(len(entry)))
	frame = binary.LittleEndian.AppendUint32(frame, crc32.Checksum(entry, crc32.MakeTable(crc32.Castagnoli)))
	file := filepath.Join(dir, "costs-000000000007.journal")
	if err := os.WriteFile(file, append(frame, entry...), 0o600); err != nil {
		t.Fatal(err)
	}
	l, ws := coststest.New(t, db, costs.Options{Sole: true, Journal: dir}), storetest.Workspace()
	coststest.Run(t, l)
	if n, err := l.Sweep(t.Context()); n != 0 || err != nil {
		t.Fatalf("swept %d, %v", n, err)
	}
	if _, err := os.Stat(file + ".unread"); err != nil {
		t.Error(err)
	}
	r := mustReserve(t, l, call(ws, coststest.Plain, 100, 10))
	r.Settle(used(100, 10))
	if rec, err := l.Record(t.Context(), ws, r.ID()); err != nil || rec.Outcome != costs.OK {
		t.Errorf("%+v, %v", rec, err)
	}
}

func TestBudgetsAreReadWithoutWaitingForTheWriter(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	l, ws := coststest.New(t, db, costs.Options{Sole: true, Journal: t.TempDir()}), storetest.Workspace()
	coststest.Run(t, l)
	l.AwaitRun() // until then whoever settles writes, and would wait for itself here
	budget(t, l, ws, costs.Budget{Name: "team", Amount: 1_000_000, Period: costs.Total})
	mustReserve(t, l, call(ws, coststest.Plain, 100, 10)).Settle(used(100, 10))
	late := mustReserve(t, l, call(ws, coststest.Plain, 100, 10))
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	free := holdWriter(t, db)
	late.Settle(used(100, 10)) // the journal has it, the database cannot
	list, err := l.BudgetsWritten(t.Context(), ws)
	if err != nil || len(list) != 1 || list[0].Spent != 120 {
		t.Errorf("while the writer is busy: %+v, %v", list, err)
	}
	free()
	if list, err := l.Budgets(t.Context(), ws); err != nil || list[0].Spent != 240 {
		t.Errorf("with all that is written: %+v, %v", list, err)
	}
}

// holdWriter keeps everybody from writing until the function it gives is called.
func holdWriter(t *testing.T, db *store.DB) (free func()) {
	t.Helper()
	held, let, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- db.InTx(t.Context(), func(*store.Tx) error {
			close(held)
			<-let
			return nil
		})
	}()
	<-held
	free = sync.OnceFunc(func() {
		close(let)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(free)
	return free
}
