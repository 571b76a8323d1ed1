package guard_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/toolstest"
)

// doors are where calls come from.
var doors = []string{"chat", "api", "mcp", "v1", "workflow", "schedule", "hook"}

// belt puts tools that say what they were given behind a gate.
func belt(t *testing.T, gate tools.Gate, auditor tools.Auditor, specs ...tools.Spec) *tools.Belt {
	t.Helper()
	box, err := tools.New(tools.Options{Gate: gate, Auditor: auditor, Patience: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	byOrigin := map[string][]tools.Tool{}
	for _, spec := range specs {
		spec.Schema = json.RawMessage(`{"type":"object"}`)
		byOrigin[spec.Origin] = append(byOrigin[spec.Origin], toolstest.Tool{Is: spec, Do: func(_ context.Context, c tools.Call) (tools.Result, error) {
			return tools.Says("ran " + string(c.Args)), nil
		}})
	}
	for origin, list := range byOrigin {
		if err := box.Put(origin, list...); err != nil {
			t.Fatal(err)
		}
	}
	b, err := box.For(tools.All())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (w *world) calls(t *testing.T, f guard.CallFilter) []guard.ToolCall {
	t.Helper()
	p, err := w.Calls(t.Context(), w.ws, f)
	if err != nil {
		t.Fatal(err)
	}
	return p.Data
}

func TestARefusalAtEveryDoorIsInTheJournal(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		b := belt(t, w, w, runCommand, readFile)
		for _, door := range doors {
			call := w.command(critical)
			call.Door = door
			r, err := b.Call(t.Context(), call)
			if err != nil || r.Code != "tool_refused" {
				t.Errorf("%s: %+v, %v; want tool_refused", door, r, err)
			}
			rows := w.calls(t, guard.CallFilter{Door: door})
			if len(rows) != 1 || rows[0].Verdict != tools.Refuse || rows[0].Outcome != guard.OutcomeRefused || rows[0].Rule == "" || rows[0].Agent != "coder" {
				t.Errorf("%s: rows = %+v", door, rows)
			}
		}
	})
}

// faulty is a guard that breaks when it is asked.
type faulty struct{ judge func() }

func (f faulty) Judge(context.Context, tools.Spec, tools.Call) (tools.Ruling, error) {
	f.judge()
	return tools.Ruling{Verdict: tools.Allow}, nil
}

func TestABrokenGuardRefusesAtEveryDoor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	b := belt(t, faulty{func() { panic("broken") }}, w, readFile, runCommand)
	for _, door := range doors {
		call := w.call(readFile, object{"path": "x"})
		call.Door = door
		r, err := b.Call(t.Context(), call)
		if err != nil || r.Code != "tool_refused" {
			t.Errorf("%s: %+v, %v; want tool_refused", door, r, err)
		}
		rows := w.calls(t, guard.CallFilter{Door: door})
		if len(rows) != 1 || rows[0].Rule != "tools.gate_broken" || rows[0].Outcome != guard.OutcomeRefused {
			t.Errorf("%s: rows = %+v", door, rows)
		}
	}
}

func TestAGuardThatHangsRefusesAtEveryDoor(t *testing.T) {
	t.Parallel()
	for _, door := range doors {
		synctest.Test(t, func(t *testing.T) {
			free := make(chan struct{})
			defer close(free)
			journal := &toolstest.Journal{}
			b := belt(t, faulty{func() { <-free }}, journal, readFile)
			r, err := b.Call(t.Context(), tools.Call{Tool: "read_file", Door: door, Args: []byte(`{"path":"x"}`)})
			if _, done := journal.Lines(); err != nil || r.Code != "tool_refused" || len(done) != 1 || done[0].Call.Door != door {
				t.Errorf("%s: %+v, %v; want tool_refused and a row", door, r, err)
			}
		})
	}
}

func TestTheFirstCommandWaitsUntilItsJudgeIsBuilt(t *testing.T) {
	t.Parallel()
	asked, built := make(chan struct{}, 8), make(chan struct{})
	var tried atomic.Int64
	w := newWorld(t, storetest.SQLite(t), func(o *guard.Options) {
		o.Commands = func() (*guard.Commands, error) {
			asked <- struct{}{}
			<-built
			return analyser()
		}
		o.Isolation = func() string { tried.Add(1); return "" }
	})
	if w.Cold(readFile, w.call(readFile, object{"path": "a"})) {
		t.Error("a call that runs no command needs something made")
	}
	command := w.command("ls")
	if !w.Cold(runCommand, command) {
		t.Fatal("the judge of commands was there before anybody asked")
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	w.Warm(gone) // who cannot wait does not
	<-asked
	warmed := make(chan struct{})
	go func() { w.Warm(t.Context()); close(warmed) }()
	<-asked
	select {
	case <-warmed:
		t.Error("Warm did not wait")
	default:
	}
	close(built)
	<-warmed
	if w.Cold(runCommand, command) || tried.Load() == 0 {
		t.Errorf("after Warm something is still to be made; confinement was tried %d times", tried.Load())
	}
	if r, err := belt(t, w, w, runCommand).Call(t.Context(), command); err != nil || r.IsError {
		t.Errorf("Call = %+v, %v", r, err)
	}
}

func TestJournal(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		t.Run("at once", func(t *testing.T) { journalOf(t, newWorld(t, db)) })
		t.Run("in groups", func(t *testing.T) {
			dir := t.TempDir()
			journalOf(t, newWorld(t, db, func(o *guard.Options) { o.Journal = dir }))
		})
	})
}

func TestAKilledProcessLosesNoCall(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		dir := t.TempDir()
		keeps := func(o *guard.Options) { o.Journal = dir }
		w := newWorld(t, db, keeps)
		b := belt(t, w, w, readFile, writeFile)
		for _, spec := range []tools.Spec{readFile, writeFile} {
			if _, err := b.Call(t.Context(), w.call(spec, object{"path": "a", "content": "x"})); err != nil {
				t.Fatal(err)
			}
		}
		begun := tools.Entry{ID: ids.New[ids.ToolCall](), Spec: writeFile, Call: w.call(writeFile, object{"path": "b"}), Ruling: tools.Ruling{Verdict: tools.Allow}, At: time.Now()}
		if err := w.Started(t.Context(), begun); err != nil {
			t.Fatal(err)
		}
		w.open(t) // without the journal: what is not in the database yet is not seen
		if rows := w.calls(t, guard.CallFilter{}); len(rows) != 0 {
			t.Fatalf("%d rows are in the database already", len(rows))
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.journal"))
		if err != nil || len(files) != 1 {
			t.Fatalf("journals: %v, %v", files, err)
		}
		f, err := os.OpenFile(files[0], os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(`{"workspace":"ws_1","id":"tcl_`); err != nil { // the line that was being written
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		w.open(t, keeps)
		running(t, w)
		next := w.call(readFile, object{"path": "c"})
		if _, err := belt(t, w, w, readFile).Call(t.Context(), next); err != nil {
			t.Fatal(err)
		}
		if err := w.Replayed(t.Context()); err != nil {
			t.Fatal(err)
		}
		rows := w.calls(t, guard.CallFilter{})
		if len(rows) != 4 || rows[1].ID != begun.ID || rows[1].Outcome != guard.OutcomeStarted || rows[2].Outcome != guard.OutcomeOK {
			t.Errorf("rows = %+v, want all four, one of them never ended", rows)
		}
	})
}

// Whether a call has a row already is remembered, and found out where it is not.
func TestACallThatEndsLaterHasOneRow(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		dir := t.TempDir()
		w := newWorld(t, db, func(o *guard.Options) { o.Journal = dir })
		var begun []tools.Entry
		for range 4 {
			e := tools.Entry{ID: ids.New[ids.ToolCall](), Spec: writeFile, Call: w.call(writeFile, object{"path": "b"}), Ruling: tools.Ruling{Verdict: tools.Allow}, At: time.Now()}
			if err := w.Started(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			begun = append(begun, e)
		}
		finish := func(entries []tools.Entry, want int) {
			t.Helper()
			for _, e := range entries {
				e.Result = tools.Says("done")
				if err := w.Finished(t.Context(), e); err != nil {
					t.Fatal(err)
				}
			}
			if rows := w.calls(t, guard.CallFilter{Outcome: string(guard.OutcomeOK)}); len(rows) != want {
				t.Errorf("%d calls have ended, want %d", len(rows), want)
			}
		}
		if rows := w.calls(t, guard.CallFilter{Outcome: string(guard.OutcomeStarted)}); len(rows) != len(begun) {
			t.Fatalf("%d calls run, want %d", len(rows), len(begun))
		}
		finish(begun[:2], 2)
		w.ForgetBegun()
		finish(begun[2:], 4)
		if rows := w.calls(t, guard.CallFilter{}); len(rows) != len(begun) {
			t.Errorf("%d rows, want one for each of %d calls", len(rows), len(begun))
		}
	})
}

func TestOldCallsAreDeleted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w, ctx := newWorld(t, db), t.Context()
		keep := func(ws ids.Workspace, at time.Time) {
			t.Helper()
			call := w.call(readFile, object{"path": "a"})
			call.Workspace = ws
			if err := w.Finished(ctx, tools.Entry{ID: ids.New[ids.ToolCall](), Spec: readFile, Call: call, Ruling: tools.Ruling{Verdict: tools.Allow}, At: at}); err != nil {
				t.Fatal(err)
			}
		}
		other, now := ids.New[ids.Workspace](), time.Now()
		for i := range 12 {
			keep([]ids.Workspace{w.ws, other}[i%2], now.Add(time.Duration(i-8)*time.Hour))
		}
		if n, err := w.PruneCalls(ctx, now); err != nil || n != 8 {
			t.Fatalf("%d calls were deleted, %v; want 8", n, err)
		}
		if n, err := w.PruneCalls(ctx, now); err != nil || n != 0 {
			t.Errorf("%d more, %v", n, err)
		}
		if rows := w.calls(t, guard.CallFilter{}); len(rows) != 2 {
			t.Errorf("%d of two young calls are left", len(rows))
		}
	})
}

func journalOf(t *testing.T, w *world) {
	t.Helper()
	heard := eventstest.Listen(t, w.hub, w.ws, guard.Channel)
	b := belt(t, w, w, runCommand, readFile, writeFile, foreign)
	do := func(call tools.Call) tools.Result {
		t.Helper()
		r, err := b.Call(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	do(w.call(readFile, object{"path": "a"}))
	do(w.call(writeFile, object{"path": "a", "content": "password=hunter22 and sk-abcdefghijklmnopqrstuvwx"}))
	do(w.call(writeFile, object{"path": "big", "content": strings.Repeat("é", 20_000)}))
	do(w.command(critical))
	waiting := do(w.command(asked))
	w.answer(t, waiting.Needs.Ticket, guard.Answer{Approve: true, By: w.other})
	granted := w.command(asked)
	granted.Approval = waiting.Needs.Ticket
	do(granted)

	rows := w.calls(t, guard.CallFilter{})
	var got []string
	for _, r := range rows {
		got = append(got, r.Tool+" "+string(r.Verdict)+" "+string(r.Outcome))
	}
	want := []string{"run_command allow ok", "run_command ask waiting", "run_command refuse refused", "write_file allow ok", "write_file allow ok", "read_file allow ok"}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		t.Errorf("rows = %q, want %q", got, want)
	}
	if rows[0].ApprovedBy != w.other || rows[0].Ticket != waiting.Needs.Ticket || rows[0].ResultSize == 0 {
		t.Errorf("the approved call = %+v, want who approved it", rows[0])
	}
	if long := rows[3]; len(long.Args) > 9<<10 || long.ArgsSize < 40_000 {
		t.Errorf("arguments of %d bytes are kept with %d", long.ArgsSize, len(long.Args))
	}
	if a := rows[4].Args; strings.Contains(a, "hunter22") || strings.Contains(a, "sk-abcdef") || !strings.Contains(a, "•••") {
		t.Errorf("arguments are not redacted: %s", a)
	}
	var said guard.Refused
	eventstest.Decode(t, heard.Next(), &said)
	if said.Tool != "run_command" || said.Rule != rows[2].Rule || said.Approval == "" {
		t.Errorf("said %+v", said)
	}
	lists(t, w, rows)
}

// lists checks filters, pages, counts, feedback and exports over the rows of a journal.
func lists(t *testing.T, w *world, rows []guard.ToolCall) {
	t.Helper()
	if denied := w.calls(t, guard.CallFilter{Verdict: "refuse"}); len(denied) != 1 || denied[0].ID != rows[2].ID {
		t.Errorf("denied = %+v", denied)
	}
	if of := w.calls(t, guard.CallFilter{Tool: "write_file", Agent: "coder", Run: "run_1", Since: rows[5].At, Until: rows[0].At.Add(time.Second)}); len(of) != 2 {
		t.Errorf("filtered = %d rows, want 2", len(of))
	}
	first, err := w.Calls(t.Context(), w.ws, guard.CallFilter{Query: page.Query{Limit: 4}})
	if err != nil || len(first.Data) != 4 || !first.HasMore {
		t.Fatalf("the first page = %+v, %v", first, err)
	}
	f := guard.CallFilter{}
	f.Cursor = first.NextCursor
	if second := w.calls(t, f); len(second) != 2 || second[0].ID != rows[4].ID {
		t.Errorf("the second page = %+v", second)
	}
	marked, err := w.GiveFeedback(t.Context(), w.ws, rows[2].ID, w.user, guard.FeedbackWrong, "it was a test")
	if err != nil || marked.Feedback != guard.FeedbackWrong || marked.FeedbackBy != w.user {
		t.Errorf("feedback = %+v, %v", marked, err)
	}
	if _, err := w.GiveFeedback(t.Context(), ids.New[ids.Workspace](), rows[2].ID, w.user, guard.FeedbackWrong, ""); !fault.HasCode(err, "call_not_found") {
		t.Errorf("feedback from another workspace: %v", err)
	}
	counts, err := w.Rules(t.Context(), w.ws, guard.CallFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range counts {
		if c.Rule == rows[2].Rule && (c.Calls != 1 || c.Wrong != 1) {
			t.Errorf("count = %+v, want one call, wrong", c)
		}
	}
	var table, lines bytes.Buffer
	if err := w.ExportCSV(t.Context(), w.ws, guard.CallFilter{}, &table); err != nil {
		t.Fatal(err)
	}
	if err := w.ExportJSONL(t.Context(), w.ws, guard.CallFilter{}, &lines); err != nil {
		t.Fatal(err)
	}
	cells, err := csv.NewReader(&table).ReadAll()
	if err != nil || len(cells) != 7 || strings.Count(lines.String(), "\n") != 6 {
		t.Errorf("exports: %d rows of CSV (%v), %d lines of JSON", len(cells), err, strings.Count(lines.String(), "\n"))
	}
}

func TestRates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.policy(t, func(p *guard.Policy) {
		p.Rates = []guard.Rate{{Per: guard.PerAgent, Limit: 3, Every: 60}, {Per: guard.PerTool, Tool: "write_*", Limit: 1, Every: 60}}
	})
	take := func(spec tools.Spec, agent string) tools.Ruling {
		call := w.call(spec, object{"path": "x"})
		call.Agent = agent
		return w.judge(t, spec, call)
	}
	for i := range 3 {
		if r := take(readFile, "a"); r.Verdict != tools.Allow {
			t.Errorf("call %d: %+v", i, r)
		}
		w.clock.move(20 * time.Second)
	}
	if r := take(readFile, "a"); r.Verdict != tools.Allow {
		t.Errorf("the first has left the window: %+v", r)
	}
	if r := take(readFile, "a"); r.Rule != "guard.rate" || r.Hint == "" {
		t.Errorf("a fourth within a minute: %+v, want guard.rate", r)
	}
	if r := take(readFile, "b"); r.Verdict != tools.Allow {
		t.Errorf("another agent: %+v", r)
	}
	take(writeFile, "b")
	if r := take(writeFile, "b"); r.Rule != "guard.rate" {
		t.Errorf("the tool's own rate: %+v", r)
	}
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		for name, change := range map[string]func(*guard.Policy){
			"a mode":     func(p *guard.Policy) { p.Mode = "loose" },
			"an action":  func(p *guard.Policy) { p.Levels.Public = "maybe" },
			"a glob":     func(p *guard.Policy) { p.Tools = []guard.ToolRule{{Tool: "[", Action: guard.Permit}} },
			"a rate":     func(p *guard.Policy) { p.Rates = []guard.Rate{{Per: "moon", Limit: 1, Every: 1}} },
			"a path":     func(p *guard.Policy) { p.Paths.Allow = []string{"relative"} },
			"a deadline": func(p *guard.Policy) { p.Deadline = 0 },
			"a filter":   func(p *guard.Policy) { p.Agents = map[string]tools.Filter{"a": {Deny: []string{"["}}} },
		} {
			p := guard.DefaultPolicy()
			change(&p)
			if err := w.SetPolicy(t.Context(), w.ws, w.user, p); !fault.HasCode(err, "bad_policy") {
				t.Errorf("%s: %v, want bad_policy", name, err)
			}
		}
		w.policy(t, func(p *guard.Policy) { p.Mode = guard.Careful })
		w.open(t)
		if p, err := w.Policy(t.Context(), w.ws); err != nil || p.Mode != guard.Careful {
			t.Errorf("after a restart: %s, %v", p.Mode, err)
		}
		if p, err := w.Policy(t.Context(), ids.New[ids.Workspace]()); err != nil || p.Mode != guard.Standard {
			t.Errorf("another workspace: %s, %v", p.Mode, err)
		}
		if err := w.ResetPolicy(t.Context(), w.ws, w.user); err != nil {
			t.Fatal(err)
		}
		if p, err := w.Policy(t.Context(), w.ws); err != nil || p.Mode != guard.Standard {
			t.Errorf("after a reset: %s, %v", p.Mode, err)
		}
	})
}
