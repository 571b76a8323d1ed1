package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	osexec "os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/scripted"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/builtin"
	"github.com/fluxway/fluxway/internal/tools/toolstest"
)

// team is agents by name.
type team map[string]agents.Agent

func (t team) Get(_ context.Context, _ ids.Workspace, name string) (agents.Agent, error) {
	a, ok := t[name]
	if !ok {
		return a, fault.New(fault.NotFound, "agent_not_found", "There is no agent %s.", name)
	}
	a.Name = name
	if a.Model == "" {
		a.Model = "scripted/" + name
	}
	return a, nil
}

func (t team) List(ctx context.Context, ws ids.Workspace) ([]agents.Agent, error) {
	var all []agents.Agent
	for name := range t {
		a, err := t.Get(ctx, ws, name)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// plant is a desk whose agents have tools, on a database that survives it.
type plant struct {
	*office
	hub    *events.Hub
	models map[string]*scripted.Model
}

// setup says what a plant is made of.
type setup struct {
	who    conversations.Asker
	team   team
	models map[string]*scripted.Model // by agent
	gate   tools.Gate
	tools  []tools.Tool
	over   func(ids.Workspace, ids.Run)
}

func newPlant(t *testing.T, db *store.DB, s setup) *plant {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	hub, err := events.New(events.Options{DB: db})
	must(err)
	queue, err := jobs.New(jobs.Options{DB: db, Hub: hub, Sole: true, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	must(err)
	book, err := conversations.New(conversations.Options{DB: db, Hub: hub})
	must(err)
	if s.gate == nil {
		s.gate = toolstest.Open()
	}
	box, err := tools.New(tools.Options{Gate: s.gate, Grace: time.Second})
	must(err)
	basics, err := builtin.All(builtin.Options{})
	must(err)
	must(box.Put("builtin", basics...))
	must(box.Put("test", s.tools...))
	if s.team == nil {
		s.team = team{"assistant": {Tools: tools.All()}}
	}
	desk, err := runs.New(runs.Options{
		DB: db, Hub: hub, Jobs: queue, Conversations: book, Agents: s.team, Tools: box, Journal: journalOf(db), Over: s.over, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Model: func(_ context.Context, _ ids.Workspace, name string) (providers.Model, string, error) {
			m := s.models[strings.TrimPrefix(name, "scripted/")]
			if m == nil {
				return nil, "", fault.New(fault.NotFound, "model_not_found", "There is no model %s.", name)
			}
			return m, name, nil
		},
	})
	must(err)
	if s.who.Workspace == "" {
		s.who = conversations.Asker{Workspace: storetest.Workspace(), User: ids.New[ids.User]()}
	}
	return &plant{&office{desk, t, db, queue, book, s.who}, hub, s.models}
}

// work runs the queue and the hub until the returned function is called.
func (p *plant) work() (stop func()) { return p.together(p.Run, p.queue.Run, p.hub.Run) }

// heard is an event as a client gets it.
type heard struct {
	Cursor  int64           `json:"cursor"`
	Channel string          `json:"channel"`
	Kind    string          `json:"kind"`
	Data    json.RawMessage `json:"data"`
}

// listener follows channels from the beginning.
type listener struct {
	t   *testing.T
	sub *events.Subscription
	all []heard
}

func (p *plant) listen(channels ...string) *listener {
	p.t.Helper()
	sub, err := p.hub.Subscribe(p.t.Context(), events.Request{Workspace: p.who.Workspace, Channels: channels, After: new(int64)})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(sub.Close)
	return &listener{t: p.t, sub: sub}
}

// until reads on until an event fits, and gives it.
func (l *listener) until(kind string, fits ...func(heard) bool) heard {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), 20*time.Second)
	defer cancel()
	for from := 0; ; {
		for _, e := range l.all[from:] {
			from++
			if e.Kind == kind && (len(fits) == 0 || fits[0](e)) {
				return e
			}
		}
		batch, err := l.sub.Next(ctx)
		if err != nil {
			l.t.Fatalf("waiting for %s: %v; heard %v", kind, err, l.kinds())
		}
		for _, d := range batch.Deliveries {
			var e heard
			if err := json.Unmarshal(d.JSON, &e); err != nil {
				l.t.Fatal(err)
			}
			l.all = append(l.all, e)
		}
	}
}

func of(run ids.Run) func(heard) bool {
	return func(e heard) bool { return strings.Contains(string(e.Data), `"run":"`+string(run)+`"`) }
}

// kinds are the facts about runs, without those that may be dropped.
func (l *listener) kinds() []string {
	var all []string
	for _, e := range l.all {
		if e.Cursor > 0 && strings.HasPrefix(e.Kind, "runs.") && !strings.Contains(e.Kind, "delta") && !strings.Contains(e.Kind, "progress") {
			all = append(all, strings.TrimPrefix(e.Kind, "runs."))
		}
	}
	return all
}

func script(t *testing.T, turns ...scripted.Turn) *scripted.Model {
	t.Helper()
	m, err := scripted.New(scripted.Script{Turns: turns})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func turn(steps ...scripted.Step) scripted.Turn { return scripted.Turn{Steps: steps} }

func says(text string) scripted.Step { return scripted.Step{Says: text} }

func calls(tool string, args map[string]any) scripted.Step {
	return scripted.Step{Calls: tool, Args: args}
}

// effect is a tool that must not run twice without being asked; it counts and may block.
type effect struct {
	mu      sync.Mutex // guards n
	n       int
	started chan struct{}
	hold    bool // until the context ends
}

func newEffect(hold bool) *effect { return &effect{started: make(chan struct{}, 16), hold: hold} }

func (e *effect) tool(name string) tools.Tool {
	return toolstest.Tool{Is: tools.Spec{Name: name, Title: "Effect", Level: tools.Restricted, Schema: json.RawMessage(`{"type":"object"}`)},
		Do: func(ctx context.Context, _ tools.Call) (tools.Result, error) {
			e.mu.Lock()
			e.n++
			e.mu.Unlock()
			e.started <- struct{}{}
			if e.hold {
				<-ctx.Done()
				return tools.Result{}, ctx.Err()
			}
			return tools.Says("It happened."), nil
		}}
}

func (e *effect) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.n
}

func TestATurnWithATool(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		m := script(t, turn(says("I calculate. "), calls("calculator", map[string]any{"expression": "6*7"})), turn(says("It is 42.")), turn(says("As I said: 42.")))
		over := make(chan ids.Run, 2)
		p := newPlant(t, db, setup{models: map[string]*scripted.Model{"assistant": m}, over: func(_ ids.Workspace, run ids.Run) { over <- run }})
		a := p.ask("What is 6*7?", "")
		stop := p.work()
		defer stop()
		l := p.listen(conversations.Channel(a.Conversation.ID))
		l.until("runs.suggested")
		want := []string{"queued", "started", "turn_finished", "tool_started", "tool_finished", "finished", "suggested"}
		if got := l.kinds(); !slices.Equal(got, want) {
			t.Errorf("facts %v, want %v", got, want)
		}
		parts := p.said(a.Conversation.ID)[1].Parts
		var kinds []string
		for _, part := range parts {
			kinds = append(kinds, string(part.Kind))
		}
		if !slices.Equal(kinds, []string{"text", "tool_call", "tool_result", "text"}) || parts[2].Text != "42" {
			t.Errorf("the answer has %v: %+v", kinds, parts)
		}
		steps, err := p.Steps(t.Context(), p.who, a.Run.ID, page.Query{})
		if err != nil || len(steps.Data) != 3 || steps.Data[1].Kind != runs.StepTool || steps.Data[1].Preview != "42" || steps.Data[1].State != "finished" ||
			string(steps.Data[1].Input) != `{"expression":"6*7"}` || steps.Data[0].Usage == nil {
			t.Errorf("steps %+v, %v", steps.Data, err)
		}
		run := p.get(a.Run.ID)
		if run.Turns != 2 || run.Calls != 1 || run.State != runs.Finished || <-over != run.ID {
			t.Errorf("run %+v", run)
		}
		// The next question sees the call and its result in their places.
		b := p.ask("Say it again", a.Conversation.ID)
		l.until("runs.finished", of(b.Run.ID))
		messages := m.Requests()[2].Messages
		if len(messages) != 5 || messages[1].Parts[1].Kind != providers.PartToolCall || messages[2].Parts[0].Kind != providers.PartToolResult || messages[4].Text() != "Say it again" {
			t.Errorf("the model saw %+v", messages)
		}
	})
}

func TestAfterARestart(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{"the call is made again": "repeat", "the call is left": "skip", "the run is ended": "stop"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				first, second := newEffect(true), newEffect(false)
				m := script(t, turn(calls("calculator", map[string]any{"expression": "1+1"}), calls("act", nil)))
				p := newPlant(t, db, setup{models: map[string]*scripted.Model{"assistant": m}, tools: []tools.Tool{first.tool("act")}})
				a := p.ask("Act", "")
				stop := p.work()
				<-first.started
				stop()
				m = script(t, turn(says("Acted.")))
				p = newPlant(t, db, setup{who: p.who, models: map[string]*scripted.Model{"assistant": m}, tools: []tools.Tool{second.tool("act")}})
				stop = p.work()
				defer stop()
				l := p.listen(conversations.Channel(a.Conversation.ID))
				l.until("runs.waiting")
				run := p.get(a.Run.ID)
				if run.State != runs.Waiting || len(run.Needs) != 1 || run.Needs[0].Kind != agents.NeedRepeat || second.count() != 0 || len(run.Partial.Calls) != 1 {
					t.Fatalf("it is %s and waits for %+v; partial %+v", run.State, run.Needs, run.Partial)
				}
				if _, err := p.Answer(t.Context(), p.who, a.Run.ID, runs.Answer{Reply: agents.Reply{Text: "perhaps"}}); !fault.HasCode(err, "bad_answer") {
					t.Errorf("a wrong answer: %v", err)
				}
				if _, err := p.Answer(t.Context(), p.who, a.Run.ID, runs.Answer{Reply: agents.Reply{Text: answer}}); err != nil {
					t.Fatal(err)
				}
				if answer == "stop" {
					l.until("runs.cancelled")
					return
				}
				l.until("runs.finished")
				if want := map[string]int{"repeat": 1, "skip": 0}[answer]; second.count() != want {
					t.Errorf("it ran %d times, want %d", second.count(), want)
				}
				results := m.Requests()[0].Messages[2].Parts
				if len(results) != 2 || results[0].Text != "2" || results[1].IsError != (answer == "skip") {
					t.Errorf("the model read %+v", results)
				}
				if _, err := p.Answer(t.Context(), p.who, a.Run.ID, runs.Answer{Reply: agents.Reply{Text: answer}}); !fault.HasCode(err, "run_state") {
					t.Errorf("answering twice: %v", err)
				}
			})
		})
	}
}

func TestAQuestionToThePerson(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		m := script(t, turn(calls("ask_user", map[string]any{"question": "Which colour?"})), turn(says("Blue it is.")),
			turn(calls("ask_user", map[string]any{"question": "Which size?"})), turn(says("Large it is.")))
		p := newPlant(t, db, setup{models: map[string]*scripted.Model{"assistant": m}})
		stop := p.work()
		defer stop()
		a := p.ask("Paint it", "")
		l := p.listen(conversations.Channel(a.Conversation.ID))
		l.until("runs.waiting")
		stranger := conversations.Asker{Workspace: p.who.Workspace, User: ids.New[ids.User]()}
		if _, err := p.Answer(t.Context(), stranger, a.Run.ID, runs.Answer{Reply: agents.Reply{Text: "red"}}); !fault.HasCode(err, "run_not_found") {
			t.Errorf("a stranger answered: %v", err)
		}
		if _, err := p.Answer(t.Context(), p.who, a.Run.ID, runs.Answer{Reply: agents.Reply{Text: "blue"}}); err != nil {
			t.Fatal(err)
		}
		l.until("runs.finished")
		requests := m.Requests()
		if got := requests[1].Messages[2].Parts[0].Text; got != "blue" {
			t.Errorf("the model read %q", got)
		}
		// A message while it waits is the answer too.
		b := p.ask("And now?", a.Conversation.ID)
		l.until("runs.waiting", of(b.Run.ID))
		c := p.ask("large", a.Conversation.ID)
		if !c.Steered || c.Run.ID != b.Run.ID {
			t.Errorf("accepted %+v", c)
		}
		l.until("runs.finished", of(b.Run.ID))
		requests = m.Requests()
		last := requests[3].Messages[len(requests[3].Messages)-1]
		if last.Parts[0].Text != "large" {
			t.Errorf("the model read %+v", last)
		}
		steps, err := p.Steps(t.Context(), p.who, a.Run.ID, page.Query{})
		if err != nil || !slices.ContainsFunc(steps.Data, func(s runs.Step) bool { return s.Kind == runs.StepQuestion && s.State == "finished" }) {
			t.Errorf("steps %+v, %v", steps.Data, err)
		}
	})
}

func TestAnApproval(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var mu sync.Mutex
		granted := false
		gate := toolstest.Gate(func(_ tools.Spec, call tools.Call) (tools.Ruling, error) {
			mu.Lock()
			defer mu.Unlock()
			if granted && call.Approval == "apr_1" {
				return tools.Ruling{Verdict: tools.Allow}, nil
			}
			return tools.Ruling{Verdict: tools.Ask, Ticket: "apr_1", Reason: "May it act?"}, nil
		})
		e := newEffect(false)
		m := script(t, turn(calls("act", nil)), turn(says("Done.")))
		p := newPlant(t, db, setup{models: map[string]*scripted.Model{"assistant": m}, gate: gate, tools: []tools.Tool{e.tool("act")}})
		stop := p.work()
		defer stop()
		a := p.ask("Act", "")
		l := p.listen(conversations.Channel(a.Conversation.ID))
		l.until("runs.waiting")
		if _, err := p.Answer(t.Context(), p.who, a.Run.ID, runs.Answer{Reply: agents.Reply{Text: "yes"}}); !fault.HasCode(err, "approval_needed") {
			t.Errorf("answering an approval here: %v", err)
		}
		mu.Lock()
		granted = true
		mu.Unlock()
		if err := db.InTx(t.Context(), func(tx *store.Tx) error { return p.Wake(t.Context(), tx, a.Run.ID) }); err != nil {
			t.Fatal(err)
		}
		l.until("runs.finished")
		if e.count() != 1 {
			t.Errorf("it ran %d times", e.count())
		}
		want := []string{"queued", "started", "turn_finished", "tool_started", "waiting", "started", "tool_finished", "finished"}
		if got := l.kinds(); !slices.Equal(got[:min(len(got), len(want))], want) {
			t.Errorf("facts %v, want %v", got, want)
		}
	})
}

func TestHelpers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		boss := script(t,
			turn(says("I ask them. "), calls("delegate_to_researcher", map[string]any{"task": "Find it"}), calls("delegate", map[string]any{"agent": "coder", "task": "Write it"}),
				calls("delegate", map[string]any{"agent": "broken", "task": "Break"})),
			turn(calls("fan_out", map[string]any{"tasks": []any{map[string]any{"agent": "researcher", "task": "More"}, map[string]any{"agent": "coder", "task": "Less"}}})),
			turn(says("All is well.")))
		researcher := script(t, turn(calls("calculator", map[string]any{"expression": "2+2"})), turn(says("SECRET research words.")), turn(says("More words.")))
		coder := script(t, turn(says("SECRET code words.")), turn(says("Less words.")))
		broken := script(t, turn(scripted.Step{Fails: "auth"}))
		p := newPlant(t, db, setup{
			team: team{
				"assistant":  {Tools: tools.All(), Helpers: []string{"researcher", "coder", "broken"}},
				"researcher": {Tools: tools.Filter{Allow: []string{"calculator"}}, Description: "Finds things."}, "coder": {}, "broken": {},
			},
			models: map[string]*scripted.Model{"assistant": boss, "researcher": researcher, "coder": coder, "broken": broken},
		})
		stop := p.work()
		defer stop()
		a := p.ask("Do all of it", "")
		l := p.listen(conversations.Channel(a.Conversation.ID))
		l.until("runs.finished")
		count := map[string]int{}
		for _, k := range l.kinds() {
			count[k]++
		}
		if count["helper_spawned"] != 5 || count["helper_finished"] != 4 || count["helper_failed"] != 1 {
			t.Errorf("facts %v", l.kinds())
		}
		for _, e := range l.all {
			if strings.Contains(string(e.Data), "SECRET") && (strings.Contains(e.Kind, "delta") || strings.Contains(e.Kind, "turn_finished")) {
				t.Errorf("a helper's words in %s: %s", e.Kind, e.Data)
			}
		}
		answer := providers.Message{Parts: p.said(a.Conversation.ID)[1].Parts}
		if answer.Text() != "I ask them. All is well." {
			t.Errorf("the answer is %q", answer.Text())
		}
		results := boss.Requests()[1].Messages[2].Parts
		if results[0].Text != "SECRET research words." || results[1].Text != "SECRET code words." || !results[2].IsError || !strings.Contains(results[2].Text, "broken could not do it") {
			t.Errorf("the parent read %+v", results)
		}
		fan := boss.Requests()[2].Messages[4].Parts[0].Text
		if !strings.Contains(fan, "## 1. researcher\n\nMore words.") || !strings.Contains(fan, "## 2. coder\n\nLess words.") {
			t.Errorf("fan_out gave %q", fan)
		}
		if first := researcher.Requests()[0]; len(first.Messages) != 1 || first.Messages[0].Text() != "Find it" || len(first.Tools) != 1 || first.Model != "scripted/researcher" {
			t.Errorf("the researcher was asked %+v", first)
		}
		helpers, err := p.Helpers(t.Context(), p.who, a.Run.ID)
		if err != nil || len(helpers) != 5 || helpers[0].Depth != 1 || helpers[0].Parent != a.Run.ID {
			t.Errorf("helpers %+v, %v", helpers, err)
		}
		i := slices.IndexFunc(helpers, func(h runs.Run) bool { return h.Agent == "researcher" })
		p.listen(runs.Channel(helpers[i].ID)).until("runs.finished")
	})
}

func TestAHelperThatWaitsAndAHelperThatIsResumed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		staff := team{"assistant": {Tools: tools.All(), Helpers: []string{"*"}}, "asker": {Tools: tools.All()}, "actor": {Tools: tools.All()}}
		held := newEffect(true)
		models := map[string]*scripted.Model{
			"assistant": script(t, turn(calls("delegate", map[string]any{"agent": "asker", "task": "Ask"}), calls("delegate", map[string]any{"agent": "actor", "task": "Act"}))),
			"asker":     script(t, turn(calls("ask_user", map[string]any{"question": "Why?"}))),
			"actor":     script(t, turn(calls("current_time", nil)), turn(calls("act", nil))),
		}
		p := newPlant(t, db, setup{team: staff, models: models, tools: []tools.Tool{held.tool("act")}})
		a := p.ask("Both", "")
		stop := p.work()
		<-held.started
		p.listen("runs/*").until("runs.waiting")
		stop()
		free := newEffect(false)
		models = map[string]*scripted.Model{
			"assistant": script(t, turn(says("Both done."))), "asker": script(t, turn(says("Because."))), "actor": script(t, turn(says("Acted."))),
		}
		p = newPlant(t, db, setup{who: p.who, team: staff, models: models, tools: []tools.Tool{free.tool("act")}})
		stop = p.work()
		defer stop()
		l := p.listen(conversations.Channel(a.Conversation.ID))
		l.until("runs.waiting")
		run := p.get(a.Run.ID)
		if len(run.Needs) != 2 {
			t.Fatalf("it waits for %+v", run.Needs)
		}
		for _, n := range run.Needs {
			text := map[tools.NeedKind]string{tools.NeedAnswer: "because", agents.NeedRepeat: "repeat"}[n.Kind]
			if _, err := p.Answer(t.Context(), p.who, n.Run, runs.Answer{Call: n.Call, Reply: agents.Reply{Text: text}}); err != nil && !fault.HasCode(err, "run_state") {
				t.Fatal(err)
			}
		}
		l.until("runs.finished")
		if free.count() != 1 || held.count() != 1 {
			t.Errorf("it ran %d and %d times", held.count(), free.count())
		}
		results := models["assistant"].Requests()[0].Messages[2].Parts
		if results[0].Text != "Because." || results[1].Text != "Acted." {
			t.Errorf("the parent read %+v", results)
		}
		if n := len(models["actor"].Requests()); n != 1 {
			t.Errorf("the resumed helper's model was asked %d times", n)
		}
	})
}

func TestSteerQueueAndInterrupt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		gate := make(chan struct{})
		slow := toolstest.Tool{Is: toolstest.Echo("slow").Is, Do: func(ctx context.Context, _ tools.Call) (tools.Result, error) {
			select {
			case <-gate:
			case <-ctx.Done():
			}
			return tools.Says("at last"), ctx.Err()
		}}
		m := script(t, turn(calls("slow", nil)), turn(says("In blue.")), turn(says("Queued answer.")), turn(calls("slow", map[string]any{"n": 2})), turn(says("Instead.")))
		p := newPlant(t, db, setup{models: map[string]*scripted.Model{"assistant": m}, tools: []tools.Tool{slow}})
		stop := p.work()
		defer stop()
		a := p.ask("Paint it", "")
		l := p.listen(conversations.Channel(a.Conversation.ID))
		l.until("runs.tool_started")
		start := func(text string, mode runs.Mode) runs.Accepted {
			got, err := p.Start(t.Context(), p.who, runs.Request{Agent: "assistant", Message: text, Conversation: a.Conversation.ID, Mode: mode})
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		if s := start("In blue please", ""); !s.Steered || s.Run.ID != a.Run.ID {
			t.Errorf("steering made %+v", s)
		}
		queued := start("And then this", runs.Queue)
		if queued.Run.State != runs.Queued || queued.Run.Job != "" {
			t.Errorf("queueing made %+v", queued.Run)
		}
		close(gate)
		l.until("runs.finished", of(queued.Run.ID))
		requests := m.Requests()
		if got := requests[1].Messages[len(requests[1].Messages)-1].Text(); got != "In blue please" {
			t.Errorf("the second turn was asked with %q", got)
		}
		var order []string
		for _, s := range p.said(a.Conversation.ID) {
			msg := providers.Message{Parts: s.Parts}
			order = append(order, msg.Text())
		}
		if want := []string{"Paint it", "In blue please", "In blue.", "And then this", "Queued answer."}; !slices.Equal(order, want) {
			t.Errorf("said %q, want %q", order, want)
		}
		gate = make(chan struct{})
		b := start("Go slowly", "")
		l.until("runs.tool_started", of(b.Run.ID))
		c := start("No, this instead", runs.Interrupt)
		l.until("runs.cancelled", of(b.Run.ID))
		l.until("runs.finished", of(c.Run.ID))
		if p.get(b.Run.ID).State != runs.Cancelled {
			t.Errorf("the interrupted run is %s", p.get(b.Run.ID).State)
		}
	})
}

func TestAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		m := script(t, turn(calls("calculator", map[string]any{"expression": "1+1"})), turn(says("One.")), turn(says("Two.")), turn(says("Three.")), turn(says("Four.")))
		other := script(t, turn(says("Other.")))
		p := newPlant(t, db, setup{models: map[string]*scripted.Model{"assistant": m, "other": other}})
		stop := p.work()
		defer stop()
		a := p.ask("Count", "")
		l := p.listen(conversations.Channel(a.Conversation.ID))
		l.until("runs.finished")
		again := func(r runs.Again) string {
			t.Helper()
			got, err := p.Repeat(t.Context(), p.who, a.Run.ID, r)
			if err != nil {
				t.Fatal(err)
			}
			l.until("runs.finished", of(got.Run.ID))
			if run := p.get(got.Run.ID); run.Origin != a.Run.ID || run.Reason != r.Reason || run.Question != a.Run.Question {
				t.Errorf("%s made %+v", r.Reason, run)
			}
			said := p.said(a.Conversation.ID)
			m := providers.Message{Parts: said[len(said)-1].Parts}
			if len(said) != 2 {
				t.Errorf("%s: the branch has %d messages", r.Reason, len(said))
			}
			return m.Text()
		}
		if got := again(runs.Again{Reason: runs.Retried}); got != "Two." {
			t.Errorf("retry answered %q", got)
		}
		if got := again(runs.Again{Reason: runs.Replayed, Model: "scripted/other"}); got != "Other." {
			t.Errorf("replay answered %q", got)
		}
		if got := again(runs.Again{Reason: runs.Forked, Turn: 1}); got != "Three." {
			t.Errorf("fork answered %q", got)
		}
		requests := m.Requests()
		if forked := requests[len(requests)-1].Messages; len(forked) != 3 || forked[2].Parts[0].Text != "2" {
			t.Errorf("the fork's model saw %+v", forked)
		}
		if _, err := p.Repeat(t.Context(), p.who, a.Run.ID, runs.Again{Reason: runs.Forked, Turn: 9}); !fault.HasCode(err, "no_such_turn") {
			t.Errorf("forking from nowhere: %v", err)
		}
		edited, err := p.Edit(t.Context(), p.who, a.Conversation.ID, a.Message.ID, runs.Request{Message: "Count differently"})
		if err != nil {
			t.Fatal(err)
		}
		l.until("runs.finished", of(edited.Run.ID))
		said := p.said(a.Conversation.ID)
		if len(said) != 2 || said[0].Parts[0].Text != "Count differently" || said[0].Versions != 2 {
			t.Errorf("after an edit: %+v", said)
		}
	})
}

func TestStopIsQuick(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		e := newEffect(true)
		m := script(t, turn(says("I act. "), calls("act", nil)))
		p := newPlant(t, db, setup{models: map[string]*scripted.Model{"assistant": m}, tools: []tools.Tool{e.tool("act")}})
		stop := p.work()
		defer stop()
		a := p.ask("Act", "")
		<-e.started
		l := p.listen(conversations.Channel(a.Conversation.ID))
		began := time.Now()
		if _, err := p.Cancel(t.Context(), p.who, a.Run.ID); err != nil {
			t.Fatal(err)
		}
		l.until("runs.cancelled")
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("stopping took %s", took)
		}
		parts := p.said(a.Conversation.ID)[1].Parts
		if len(parts) != 3 || parts[2].Kind != providers.PartToolResult || !parts[2].IsError {
			t.Errorf("what is kept: %+v", parts)
		}
	})
}

func TestBroadcast(t *testing.T) {
	t.Parallel()
	p := newPlant(t, storetest.SQLite(t), setup{team: team{"a": {}, "b": {}}, models: map[string]*scripted.Model{"a": script(t, turn(says("A."))), "b": script(t, turn(says("B.")))}})
	stop := p.work()
	defer stop()
	if _, err := p.Broadcast(t.Context(), p.who, []string{"a", "nobody"}, runs.Request{Message: "Hi"}); !fault.HasCode(err, "agent_not_found") {
		t.Errorf("broadcasting to nobody: %v", err)
	}
	all, err := p.Broadcast(t.Context(), p.who, []string{"a", "b"}, runs.Request{Message: "Hi"})
	if err != nil || len(all) != 2 || all[1].Run.Origin != all[0].Run.ID {
		t.Fatalf("broadcast %+v, %v", all, err)
	}
	for _, a := range all {
		p.listen(conversations.Channel(a.Conversation.ID)).until("runs.finished")
	}
}

func TestStopEndsTheProcessOfATool(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		pids := make(chan int, 1)
		sleeper := toolstest.Tool{Is: tools.Spec{Name: "sleep", Level: tools.Dangerous, Schema: json.RawMessage(`{"type":"object"}`)},
			Do: func(ctx context.Context, _ tools.Call) (tools.Result, error) {
				cmd := osexec.CommandContext(ctx, "sleep", "60")
				if err := cmd.Start(); err != nil {
					return tools.Result{}, err
				}
				pids <- cmd.Process.Pid
				return tools.Says("slept"), cmd.Wait()
			}}
		m := script(t, turn(calls("delegate", map[string]any{"agent": "sleeper", "task": "Sleep"})))
		p := newPlant(t, db, setup{
			team:   team{"assistant": {Tools: tools.All(), Helpers: []string{"sleeper"}}, "sleeper": {Tools: tools.All()}},
			models: map[string]*scripted.Model{"assistant": m, "sleeper": script(t, turn(calls("sleep", nil)))}, tools: []tools.Tool{sleeper},
		})
		stop := p.work()
		defer stop()
		a := p.ask("Have someone sleep", "")
		pid := <-pids
		l := p.listen(conversations.Channel(a.Conversation.ID))
		if _, err := p.Cancel(t.Context(), p.who, a.Run.ID); err != nil {
			t.Fatal(err)
		}
		l.until("runs.cancelled")
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("the process lives on: %v", err)
		}
		helpers, err := p.Helpers(t.Context(), p.who, a.Run.ID)
		if err != nil || len(helpers) != 1 || helpers[0].State != runs.Cancelled {
			t.Errorf("helpers %+v, %v", helpers, err)
		}
	})
}

func TestAHelperThatLoopsOrIsRefusedLeavesTheParentAbleToAnswer(t *testing.T) {
	t.Parallel()
	p := newPlant(t, storetest.SQLite(t), setup{
		team: team{
			"assistant": {Tools: tools.All(), Helpers: []string{"looper", "deep"}, Limits: agents.Limits{Helpers: 2, Depth: 1}},
			"looper":    {Tools: tools.All()}, "deep": {Tools: tools.All(), Helpers: []string{"looper"}},
		},
		models: map[string]*scripted.Model{
			"assistant": script(t, turn(calls("delegate", map[string]any{"agent": "looper", "task": "Loop"}), calls("delegate", map[string]any{"agent": "deep", "task": "Go deeper"})),
				turn(calls("delegate", map[string]any{"agent": "looper", "task": "One too many"})), turn(says("I answer anyway."))),
			"looper": script(t, scripted.Turn{Match: ".", Steps: []scripted.Step{calls("current_time", nil)}}, scripted.Turn{After: "current_time", Steps: []scripted.Step{calls("read_file", map[string]any{"path": "x"})}},
				scripted.Turn{After: "read_file", Steps: []scripted.Step{calls("read_file", map[string]any{"path": "x"})}}),
			"deep": script(t, turn(calls("delegate", map[string]any{"agent": "looper", "task": "Deeper still"})), turn(says("Not deeper."))),
		},
	})
	stop := p.work()
	defer stop()
	a := p.ask("Try", "")
	l := p.listen(conversations.Channel(a.Conversation.ID))
	l.until("runs.finished", of(a.Run.ID))
	requests := p.models["assistant"].Requests()
	first := requests[1].Messages[2].Parts
	if !first[0].IsError || !strings.Contains(first[0].Text, "failed each time") || first[1].Text != "Not deeper." {
		t.Errorf("the parent read %+v", first)
	}
	if third := requests[2].Messages[4].Parts[0]; !third.IsError || !strings.Contains(third.Text, "2 helpers") {
		t.Errorf("a third helper: %+v", third)
	}
	if refused := p.models["deep"].Requests()[1].Messages[2].Parts[0]; !refused.IsError || !strings.Contains(refused.Text, "no tool called") {
		t.Errorf("a helper of a helper: %+v", refused)
	}
}

func TestAnAgentAsAModel(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		m := script(t, turn(says("I calculate. "), calls("calculator", map[string]any{"expression": "6*7"})), turn(says("It is 42.")), turn(scripted.Step{Fails: "auth"}))
		p := newPlant(t, db, setup{models: map[string]*scripted.Model{"assistant": m}})
		stop := p.work()
		defer stop()
		ctx := costs.With(t.Context(), costs.Attribution{Workspace: p.who.Workspace, User: p.who.User, Door: "openai"})
		request := &providers.Request{Model: "assistant", Messages: []providers.Message{
			providers.UserText("Hi"), {Role: providers.RoleModel, Parts: []providers.Part{providers.Text("Hello.")}}, providers.UserText("What is 6*7?"),
		}}
		got, err := providers.Complete(ctx, p.Agents(), request)
		if err != nil || got.Text() != "I calculate. It is 42." || got.Stop != providers.StopEnd || got.Usage.Output == 0 || got.Model != "agent/assistant" {
			t.Errorf("it answered %+v, %v", got, err)
		}
		if seen := m.Requests()[0].Messages; len(seen) != 3 || seen[1].Text() != "Hello." {
			t.Errorf("its model saw %+v", seen)
		}
		if _, err := providers.Complete(ctx, p.Agents(), request); fault.From(err).Code != providers.CodeAuth {
			t.Errorf("a failed run: %v", err)
		}
		for code, r := range map[string]*providers.Request{
			"agent_tools": {Model: "assistant", Messages: request.Messages, Tools: []providers.Tool{{Name: "x"}}}, "no_question": {Model: "assistant"},
			"agent_not_found": {Model: "nobody", Messages: request.Messages}, "empty_message": {Model: "assistant", Messages: []providers.Message{providers.UserText(" ")}},
		} {
			if _, err := p.Agents().Stream(ctx, r); !fault.HasCode(err, code) {
				t.Errorf("%s: %v", code, err)
			}
		}
	})
}
