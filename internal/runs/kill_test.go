package runs_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/scripted"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/postgres"
	"github.com/fluxway/fluxway/internal/store/sqlite"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/toolstest"
)

var kills = flag.Int("kills", 10, "how often each database's process is killed")

// perLife is how many requests each process adds to those that it finds.
const perLife = 3

// TestKilledAgainAndAgain kills the process at random moments. Every run must end as if nothing had happened, no call
// that is unsafe to repeat may be made twice, and what subscribers are told has neither gap nor duplicate.
func TestKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, _ *store.DB) {
		engine, where := "sqlite", filepath.Join(t.TempDir(), "fluxway.db")
		if strings.HasSuffix(t.Name(), "postgres") {
			engine, where = "postgres", storetest.EmptyPostgresURL(t)
		}
		p := &process{t: t, engine: engine, where: where, ws: storetest.Workspace(), effects: filepath.Join(t.TempDir(), "effects"), total: perLife * *kills}
		for range *kills {
			p.live(time.Duration(5+rand.IntN(120)) * time.Millisecond)
		}
		p.live(0)
		p.check()
	})
}

// process is a desk that is started and killed.
type process struct {
	t       *testing.T
	engine  string
	where   string
	ws      ids.Workspace
	effects string
	total   int
}

// live starts the process and kills it after a while, or when it says that all is done.
func (p *process) live(life time.Duration) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	cmd := osexec.CommandContext(ctx, os.Args[0], "child", p.engine, p.where, string(p.ws), p.effects, strconv.Itoa(p.asks(life)), strconv.Itoa(p.total))
	var trouble strings.Builder
	cmd.Stderr = &trouble
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	done := false
	for lines := bufio.NewScanner(out); lines.Scan() && !done; {
		switch lines.Text() {
		case "ready":
			if life > 0 {
				timer := time.AfterFunc(life, func() { _ = cmd.Process.Kill() }) // at a random moment: there is nothing to wait for
				defer timer.Stop()
			}
		case "done":
			done = life == 0
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if trouble.Len() > 0 || (life == 0 && !done) {
		p.t.Fatalf("the process failed: %s (done: %v)", trouble.String(), done)
	}
}

// asks is how many requests a process makes: the last one all that are missing.
func (p *process) asks(life time.Duration) int {
	if life == 0 {
		return p.total
	}
	return perLife
}

// child works until it is killed: it asks what has not been asked yet and answers what a run waits for, as a
// person would who looks first whether the call was made.
func child(engine, where string, ws ids.Workspace, effects string, asks, total int) error {
	ctx := context.Background()
	db, err := openAt(ctx, engine, where)
	if err != nil {
		return err
	}
	hub, err := events.New(events.Options{DB: db})
	if err != nil {
		return err
	}
	queue, err := jobs.New(jobs.Options{DB: db, Hub: hub, Sole: true})
	if err != nil {
		return err
	}
	book, err := conversations.New(conversations.Options{DB: db, Hub: hub})
	if err != nil {
		return err
	}
	box, err := tools.New(tools.Options{Gate: toolstest.Open()})
	if err != nil {
		return err
	}
	if err := box.Put("test", toolstest.Echo("look"), recorder(effects)); err != nil {
		return err
	}
	desk, err := runs.New(runs.Options{
		DB: db, Hub: hub, Jobs: queue, Conversations: book, Tools: box, Journal: journalOf(db),
		Agents: team{"assistant": {Tools: tools.All(), Helpers: []string{"one", "two"}}, "one": {Tools: tools.All()}, "two": {Tools: tools.All()}},
		Model: func(_ context.Context, _ ids.Workspace, name string) (providers.Model, string, error) {
			return reflex{}, name, nil
		},
	})
	if err != nil {
		return err
	}
	failed := make(chan error, 4)
	go func() { failed <- hub.Run(ctx) }()
	go func() { failed <- desk.Run(ctx) }()
	go func() { failed <- queue.Run(ctx) }()
	go func() {
		failed <- attend(ctx, desk, hub, conversations.Asker{Workspace: ws, User: "usr_killer"}, effects, asks, total)
	}()
	fmt.Println("ready")
	return <-failed
}

func openAt(ctx context.Context, engine, where string) (*store.DB, error) {
	open := sqlite.Open
	if engine == "postgres" {
		open = postgres.Open
	}
	e, err := open(where)
	if err != nil {
		return nil, err
	}
	db, err := store.New(store.Options{Engine: e})
	if err != nil {
		return nil, err
	}
	return db, db.Migrate(ctx)
}

// attend is the person: it asks, answers, and says when all runs are over.
func attend(ctx context.Context, desk *runs.Desk, hub *events.Hub, who conversations.Asker, effects string, asks, total int) error {
	sub, err := hub.Subscribe(ctx, events.Request{Workspace: who.Workspace, Channels: []string{"conversations/*"}})
	if err != nil {
		return err
	}
	all, err := everyRun(ctx, desk, who)
	if err != nil {
		return err
	}
	for n := len(all); n < min(len(all)+asks, total); n++ {
		if _, err := desk.Start(ctx, who, runs.Request{Agent: "assistant", Message: fmt.Sprintf("task%d", n)}); err != nil {
			return err
		}
	}
	for {
		if all, err = everyRun(ctx, desk, who); err != nil {
			return err
		}
		over := 0
		for _, run := range all {
			if run.State == runs.Finished {
				over++
			}
			for _, need := range run.Needs {
				if err := answer(ctx, desk, who, need, effects); err != nil {
					return err
				}
			}
		}
		if over == total {
			fmt.Println("done")
		}
		if _, err := sub.Next(ctx); err != nil {
			return err
		}
	}
}

func everyRun(ctx context.Context, desk *runs.Desk, who conversations.Asker) (all []runs.Run, err error) {
	for q := (page.Query{Limit: 100}); ; {
		list, err := desk.List(ctx, who, runs.Filter{Query: q})
		if err != nil {
			return nil, err
		}
		all = append(all, list.Data...)
		if q.Cursor = list.NextCursor; !list.HasMore {
			return all, nil
		}
	}
}

// answer looks whether a call was made and says what to do about it.
func answer(ctx context.Context, desk *runs.Desk, who conversations.Asker, need runs.Wait, effects string) error {
	steps, err := desk.Steps(ctx, who, need.Run, page.Query{Limit: 100})
	if err != nil {
		return err
	}
	i := slices.IndexFunc(steps.Data, func(s runs.Step) bool { return s.Call == need.Call && s.Kind == runs.StepTool })
	var args struct{ ID string }
	if err := json.Unmarshal(steps.Data[i].Input, &args); err != nil {
		return err
	}
	made, err := os.ReadFile(effects)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	reply := agents.AnswerRepeat
	if slices.Contains(strings.Fields(string(made)), args.ID) {
		reply = agents.AnswerSkip
	}
	_, err = desk.Answer(ctx, who, need.Run, runs.Answer{Call: need.Call, Reply: agents.Reply{Text: reply}})
	if err != nil && strings.Contains(err.Error(), "answered already") || err != nil && strings.Contains(err.Error(), "does not wait") {
		return nil // this list was read before the last answer
	}
	return err
}

// recorder is the call that must not be made twice: it leaves a line behind.
func recorder(path string) tools.Tool {
	return toolstest.Tool{Is: tools.Spec{Name: "act", Level: tools.Restricted, Schema: json.RawMessage(`{"type":"object"}`)},
		Do: func(ctx context.Context, call tools.Call) (tools.Result, error) {
			var args struct{ ID string }
			if err := json.Unmarshal(call.Args, &args); err != nil {
				return tools.Result{}, err
			}
			f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				return tools.Result{}, err
			}
			defer f.Close()
			linger(ctx)
			if _, err := f.WriteString(args.ID + "\n"); err != nil {
				return tools.Result{}, err
			}
			linger(ctx)
			return tools.Says("made"), nil
		}}
}

// linger gives the killer a chance.
func linger(ctx context.Context) {
	timer := time.NewTimer(time.Duration(rand.IntN(3000)) * time.Microsecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// reflex is a model whose every turn follows from what it sees, whatever process asks.
type reflex struct{}

// Stream decides by the task and the number of turns before.
func (reflex) Stream(ctx context.Context, req *providers.Request) (providers.Stream, error) {
	task, turn := req.Messages[0].Text(), 0
	for _, m := range req.Messages {
		if m.Role == providers.RoleModel {
			turn++
		}
	}
	boss := !strings.Contains(task, "/")
	at := func(what string) map[string]any { return map[string]any{"id": task + "." + what} }
	var steps []scripted.Step
	switch {
	case turn == 0:
		steps = []scripted.Step{says("I look at it. "), calls("look", at("a")), calls("look", at("b"))}
	case turn == 1:
		steps = []scripted.Step{calls("act", at("c")), calls("look", at("d")), calls("act", at("e"))}
	case turn == 2 && boss:
		steps = []scripted.Step{says("I ask both. "), calls("delegate_to_one", map[string]any{"task": task + "/one"}), calls("delegate", map[string]any{"agent": "two", "task": task + "/two"})}
	default:
		steps = []scripted.Step{says("That was " + task + " in the end.")}
	}
	return scripted.Play(ctx, "reflex", req, steps, 200*time.Microsecond)
}

// check compares what is there with what would be there without any kill.
func (p *process) check() {
	t := p.t
	t.Helper()
	db, err := openAt(t.Context(), p.engine, p.where)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	made, err := os.ReadFile(p.effects)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for n := range p.total {
		for _, who := range []string{"", "/one", "/two"} {
			want = append(want, fmt.Sprintf("task%d%s.c", n, who), fmt.Sprintf("task%d%s.e", n, who))
		}
	}
	got := strings.Fields(string(made))
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("calls were made %v, want each of %v once", got, want)
	}
	type message struct {
		Conversation string           `db:"conversation_id"`
		Role         providers.Role   `db:"role"`
		State        string           `db:"state"`
		Parts        []providers.Part `db:"parts,json"`
	}
	messages, err := store.All[message](t.Context(), db.Read(), `SELECT conversation_id, role, state, parts FROM conversations_messages ORDER BY id`)
	if err != nil || len(messages) != 2*p.total {
		t.Fatalf("%d messages, %v", len(messages), err)
	}
	for _, m := range messages {
		if m.Role != providers.RoleModel {
			continue
		}
		text := providers.Message{Parts: m.Parts}
		var shape []string
		for _, part := range m.Parts {
			shape = append(shape, string(part.Kind)+" "+part.Name)
		}
		line := strings.Join(shape, ", ")
		const whole = "text , tool_call look, tool_call look, tool_result look, tool_result look, tool_call act, tool_call look, tool_call act, tool_result act, tool_result look, tool_result act, " +
			"text , tool_call delegate_to_one, tool_call delegate, tool_result delegate_to_one, tool_result delegate, text "
		if m.State != "complete" || line != whole || !strings.HasPrefix(text.Text(), "I look at it. I ask both. That was task") {
			t.Errorf("an answer is %s: %q\n%s", m.State, text.Text(), line)
		}
		p.checkFacts(db, m.Conversation)
	}
}

// checkFacts looks at what a subscriber was told: each thing once, in order.
func (p *process) checkFacts(db *store.DB, conversation string) {
	p.t.Helper()
	count, suggested := map[string]int{}, 0
	for _, r := range eventstest.Stored(p.t, db, p.ws, "conversations/"+conversation) {
		var f struct {
			Turn int    `json:"turn"`
			Call string `json:"call"`
		}
		_ = json.Unmarshal(r.Data, &f) // facts of other kinds look different
		switch r.Kind {
		case "runs.suggested":
			suggested++ // by a job of its own, perhaps not yet
		case "runs.turn_finished":
			count[fmt.Sprintf("turn %d", f.Turn)]++
		case "runs.tool_started", "runs.tool_finished":
			count[r.Kind+" "+f.Call]++
		case "runs.helper_spawned", "runs.helper_finished":
			count[r.Kind+" "+f.Call]++
		case "runs.queued", "runs.finished", "conversations.created":
			count[r.Kind]++
		case "runs.failed", "runs.cancelled", "runs.helper_failed":
			p.t.Errorf("%s was told in %s", r.Kind, conversation)
		}
	}
	if suggested > 1 {
		p.t.Errorf("suggestions were told %d times in %s", suggested, conversation)
	}
	for what, n := range count {
		if n != 1 {
			p.t.Errorf("%s was told %d times in %s", what, n, conversation)
		}
	}
	if want := 3 + 2*7 + 2*2 + 3; len(count) != want {
		p.t.Errorf("%s was told %d things, want %d: %v", conversation, len(count), want, count)
	}
}
