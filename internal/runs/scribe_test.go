package runs

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/spool"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func sampleEntry(run Run, n int64) *entry {
	at := time.UnixMicro(1_800_000_000_123_456).UTC()
	s := step{
		Run: run.ID, Seq: int(n), Workspace: run.Workspace, Turn: 2, Kind: StepTool, Name: "look", Title: "Look", Origin: "builtin", Call: "call_1", State: "finished", Safe: true,
		Input: json.RawMessage(`{"a":1}`), Output: json.RawMessage(`{"text":"ä"}`), Need: json.RawMessage(`{}`), Reply: json.RawMessage(`{"text":"yes"}`), Approval: "apr_1",
		Usage: json.RawMessage(`{"input":1}`), StartedAt: at, FirstAt: at.Add(time.Second), FinishedAt: at.Add(2 * time.Second),
	}
	return &entry{
		run: run.ID, workspace: run.Workspace, attempt: 1, n: n, channel: run.channel(), sum: totals{turns: 2, calls: 3, spent: 44, first: at}, usage: `{"input":7}`,
		lines: []line{{&s, true}, {&step{Run: run.ID, Workspace: run.Workspace, Seq: 99, Kind: StepModel, State: "finished"}, false}},
		facts: []events.Encoded{{Kind: "runs.tool_finished", Data: json.RawMessage(`{"step":1}`)}},
	}
}

func TestAnEntrySaysAllThatIsKnown(t *testing.T) {
	t.Parallel()
	want := sampleEntry(Run{ID: "run_1", Workspace: "wsp_1", Conversation: "conv_1"}, 1)
	raw := want.append(nil)
	got, err := readEntry(raw)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(entry{}, line{}, totals{}), cmpopts.IgnoreFields(entry{}, "by", "leaf")); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for n := range len(raw) {
		if _, err := readEntry(raw[:n]); err == nil {
			t.Fatalf("%d bytes of %d were read as a whole entry", n, len(raw))
		}
	}
}

// scribeOn is a scribe with a run that is being worked on.
func scribeOn(t *testing.T) (*scribe, Run) {
	t.Helper()
	db := storetest.SQLite(t)
	hub, err := events.New(events.Options{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	run := anotherRun(t, db, storetest.Workspace())
	return newScribe(Options{DB: db, Hub: hub, Journal: filepath.Join(t.TempDir(), "journal")}, slog.New(slog.DiscardHandler)), run
}

// anotherRun is being worked on.
func anotherRun(t *testing.T, db *store.DB, ws ids.Workspace) Run {
	t.Helper()
	run := Run{ID: ids.New[ids.Run](), Workspace: ws, Conversation: ids.New[ids.Conversation](), Agent: "assistant", CreatedAt: time.Now()}
	err := db.InTx(t.Context(), func(tx *store.Tx) error {
		if err := (&Desk{}).insert(t.Context(), tx, run); err != nil {
			return err
		}
		_, err := store.One[started](t.Context(), tx, startRun, Running, time.Now(), run.ID, Queued)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// kept counts what the database has of a run.
func (s *scribe) kept(t *testing.T, run Run) (steps, facts int) {
	t.Helper()
	steps, err := store.One[int](t.Context(), s.db.Read(), `SELECT count(*) FROM runs_steps WHERE run_id = ?`, run.ID)
	if err != nil {
		t.Fatal(err)
	}
	facts, err = store.One[int](t.Context(), s.db.Read(), `SELECT CAST(coalesce(sum(facts), 0) AS BIGINT) FROM events_events WHERE workspace_id = ?`, run.Workspace)
	if err != nil {
		t.Fatal(err)
	}
	return steps, facts
}

func TestWhatAKilledProcessLeftIsWrittenOnce(t *testing.T) {
	t.Parallel()
	s, run := scribeOn(t)
	for n := range int64(3) {
		if _, err := s.spool.Add(sampleEntry(run, n+1).append); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.spool.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := s.spool.Files()
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	left, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // killed again before the file was removed
		if err := os.WriteFile(files[0], left, 0o600); err != nil {
			t.Fatal(err)
		}
		s.spool = spool.New(filepath.Dir(files[0]), "runs") // of the next process
		if err := s.settle(t.Context(), run.ID); err != nil {
			t.Fatal(err)
		}
		if steps, facts := s.kept(t, run); steps != 3 || facts != 3 {
			t.Errorf("%d steps and %d facts of three entries", steps, facts)
		}
	}
	if left, err := s.spool.Files(); err != nil || len(left) != 0 {
		t.Errorf("written, but there: %v, %v", left, err)
	}
}

func TestAnEntryOfAnotherVersionIsPutAside(t *testing.T) {
	t.Parallel()
	s, run := scribeOn(t)
	for _, write := range []func([]byte) []byte{sampleEntry(run, 1).append, func(to []byte) []byte { return append(to, 77, 1, 2, 3) }} {
		if _, err := s.spool.Add(write); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.spool.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := s.spool.Files()
	if err != nil {
		t.Fatal(err)
	}
	s.spool = spool.New(filepath.Dir(files[0]), "runs") // of the next process
	if err := s.settle(t.Context(), run.ID); err != nil {
		t.Fatal(err)
	}
	if steps, _ := s.kept(t, run); steps != 1 {
		t.Errorf("%d steps of the entry before it", steps)
	}
	if _, err := os.Stat(files[0] + ".unread"); err != nil {
		t.Error(err)
	}
}

func TestARunThatMovedOnKeepsNothingMore(t *testing.T) {
	t.Parallel()
	s, run := scribeOn(t)
	a := &attempt{d: &Desk{scribe: s, opts: Options{Hub: s.hub}}, run: run}
	a.run.Attempt = 1
	keep := func(seq int) error {
		e, err := a.entry(totals{usage: providers.Usage{Input: 1}}, []line{fresh(a.blank(StepTool, seq, 1))}, RunCompacted{subject: run.subject()})
		if err != nil {
			t.Fatal(err)
		}
		return s.add(t.Context(), e)
	}
	if err := keep(1); err != nil {
		t.Fatal(err)
	}
	err := s.db.InTx(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(t.Context(), `UPDATE runs_runs SET attempt = 2 WHERE id = ?`, run.ID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := keep(2); err != nil { // nobody knows yet
		t.Fatal(err)
	}
	if err := keep(3); err != errMoved { //nolint:errorlint // as it is
		t.Errorf("keeping a step of another's run: %v", err)
	}
	if steps, facts := s.kept(t, run); steps != 1 || facts != 1 {
		t.Errorf("%d steps, %d facts", steps, facts)
	}
}

// keeper is an attempt of a run that keeps a step each time it is called.
func keeper(t *testing.T, s *scribe, run Run) func() {
	a := &attempt{d: &Desk{scribe: s, opts: Options{Hub: s.hub}}, run: run}
	a.run.Attempt = 1
	return func() {
		t.Helper()
		e, err := a.entry(totals{}, []line{fresh(a.blank(StepTool, a.number(1), 1))}, RunCompacted{subject: run.subject()})
		if err == nil {
			err = s.add(t.Context(), e)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestARunThatIsWaitedForIsWrittenByItself(t *testing.T) {
	t.Parallel()
	s, run := scribeOn(t)
	other := anotherRun(t, s.db, storetest.Workspace())
	s.setRunning(true) // as far as runs know somebody writes behind
	one, two := keeper(t, s, run), keeper(t, s, other)
	for range 3 {
		one()
		two()
	}
	for range 2 {
		if err := s.settle(t.Context(), run.ID); err != nil {
			t.Fatal(err)
		}
		if steps, facts := s.kept(t, run); steps != 3 || facts != 3 {
			t.Errorf("%d steps and %d facts of the run", steps, facts)
		}
		if steps, facts := s.kept(t, other); steps != 0 || facts != 0 {
			t.Errorf("%d steps and %d facts of another", steps, facts)
		}
	}
	one()
	if err := s.drain(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		run  Run
		want int
	}{{run, 4}, {other, 3}} {
		if steps, facts := s.kept(t, tt.run); steps != tt.want || facts != tt.want {
			t.Errorf("%d steps and %d facts, want %d", steps, facts, tt.want)
		}
	}
	if len(s.piles) != 0 || len(s.order) != 0 || s.waiting != 0 {
		t.Errorf("there are %d piles, %d in order, %d entries", len(s.piles), len(s.order), s.waiting)
	}
}

func TestWhatCouldNotBeWrittenIsWrittenLater(t *testing.T) {
	t.Parallel()
	s, run := scribeOn(t)
	other := anotherRun(t, s.db, storetest.Workspace())
	change := func(statement string) {
		err := s.db.InTx(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec(t.Context(), statement)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	s.setRunning(true)
	one, two := keeper(t, s, run), keeper(t, s, other)
	one()
	two()
	one()
	change(`ALTER TABLE runs_steps RENAME TO runs_gone`)
	if s.settle(t.Context(), run.ID) == nil || s.flush() == nil {
		t.Fatal("steps were written without their table")
	}
	if got := s.waiting; got != 3 {
		t.Errorf("%d entries wait", got)
	}
	change(`ALTER TABLE runs_gone RENAME TO runs_steps`)
	if err := s.flush(); err != nil {
		t.Fatal(err)
	}
	one()
	if err := s.settle(t.Context(), run.ID); err != nil {
		t.Fatal(err)
	}
	if steps, facts := s.kept(t, run); steps != 3 || facts != 3 {
		t.Errorf("%d steps and %d facts of three entries", steps, facts)
	}
	if steps, facts := s.kept(t, other); steps != 1 || facts != 1 {
		t.Errorf("%d steps and %d facts of one entry", steps, facts)
	}
}

func TestADeltaWaitsForTheFactsBeforeIt(t *testing.T) {
	t.Parallel()
	s, run := scribeOn(t)
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- s.hub.Run(ctx) }()
	defer func() { cancel(); <-over }()
	sub, err := s.hub.Subscribe(t.Context(), events.Request{Workspace: run.Workspace, Channels: []string{run.channel()}})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	a := &attempt{d: &Desk{scribe: s, opts: Options{Hub: s.hub}}, run: run}
	a.run.Attempt = 1
	s.setRunning(true) // as far as the run knows somebody writes behind
	e, err := a.entry(totals{}, nil, RunCompacted{subject: run.subject()})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.add(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	a.publish(TextDelta{Run: run.ID, Text: "after"})
	g, err := s.take(t.Context(), a) // for an end that comes to nothing
	if err != nil || len(g.entries) != 1 || len(g.deltas) != 1 || len(a.held) != 0 {
		t.Fatalf("%+v, %v", g, err)
	}
	s.finish(g, nil, false)
	if err := s.flush(); err != nil {
		t.Fatal(err)
	}
	a.publish(TextDelta{Run: run.ID, Text: "later"})
	var kinds []string
	for len(kinds) < 3 {
		batch, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range batch.Deliveries {
			kinds = append(kinds, d.Kind)
		}
	}
	if diff := cmp.Diff([]string{"runs.compacted", "runs.text_delta", "runs.text_delta"}, kinds); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
