package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/scripted"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/toolstest"
)

// notebook is a journal in memory.
type notebook struct {
	mu     sync.Mutex // guards the fields below
	lines  []string
	past   []Entry
	news   [][]providers.Part
	last   *Turn
	parked []*Call
}

func (n *notebook) write(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

func (n *notebook) Turn(_ context.Context, t *Turn) error {
	var started []string
	for _, c := range t.Calls {
		if c.State == CallStarted {
			started = append(started, c.ID)
		}
	}
	n.write("turn %d starts %v", t.Number, started)
	n.past = append(n.past, Entry{Turn: t})
	return nil
}

func (n *notebook) Start(_ context.Context, calls []*Call) error {
	for _, c := range calls {
		n.write("start %s", c.ID)
	}
	return nil
}

func (n *notebook) Finish(_ context.Context, c *Call, next []*Call) error {
	line := fmt.Sprintf("%s %s", c.State, c.ID)
	for _, x := range next {
		line += " then " + x.ID
	}
	n.write("%s", line)
	return nil
}

func (n *notebook) Compact(_ context.Context, c *Compaction) error {
	n.write("compact upto %d", c.Upto)
	n.past = append(n.past, Entry{Compact: c})
	return nil
}

func (n *notebook) News(context.Context) ([]providers.Part, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.news) == 0 || n.news[0] == nil {
		if len(n.news) > 0 {
			n.news = n.news[1:]
		}
		return nil, nil
	}
	parts := n.news[0]
	n.news = n.news[1:]
	return parts, nil
}

func (n *notebook) End(_ context.Context, t *Turn) (bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.news) > 0 && n.news[0] != nil {
		return true, nil
	}
	n.last = t
	n.lines = append(n.lines, fmt.Sprintf("end with turn %d", t.Number))
	return false, nil
}

func (n *notebook) Park(_ context.Context, waiting []*Call) (bool, error) {
	n.parked = waiting
	n.write("park")
	return false, nil
}

func (n *notebook) Text(int, string)               {}
func (n *notebook) Reasoning(int, string)          {}
func (n *notebook) Progress(*Call, tools.Progress) {}

func says(text string) scripted.Turn { return scripted.Turn{Steps: []scripted.Step{{Says: text}}} }

func calls(steps ...scripted.Step) scripted.Turn { return scripted.Turn{Steps: steps} }

func script(t *testing.T, turns ...scripted.Turn) *scripted.Model {
	t.Helper()
	m, err := scripted.New(scripted.Script{Turns: turns})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// changer is a tool that must not run twice.
func changer(name string, do func(ctx context.Context, call tools.Call) (tools.Result, error)) tools.Tool {
	return toolstest.Tool{Is: tools.Spec{Name: name, Level: tools.Restricted, Schema: json.RawMessage(`{"type":"object"}`)}, Do: do}
}

func loop(t *testing.T, m providers.Model, gate tools.Gate, list ...tools.Tool) (*Loop, *notebook) {
	t.Helper()
	if gate == nil {
		gate = toolstest.Open()
	}
	box, err := tools.New(tools.Options{Gate: gate})
	if err != nil {
		t.Fatal(err)
	}
	if err := box.Put("test", list...); err != nil {
		t.Fatal(err)
	}
	belt, err := box.For(tools.All())
	if err != nil {
		t.Fatal(err)
	}
	n := &notebook{}
	return &Loop{Model: m, Request: providers.Request{Model: "m", Messages: []providers.Message{providers.UserText("Do it")}}, Tools: belt, Journal: n, Voice: n}, n
}

func ok(_ context.Context, call tools.Call) (tools.Result, error) {
	return tools.Says("done " + call.ID), nil
}

func TestSafeCallsRunTogetherAndTheOthersInOrder(t *testing.T) {
	t.Parallel()
	var both sync.WaitGroup
	both.Add(2)
	meet := toolstest.Tool{Is: toolstest.Echo("look").Is, Do: func(ctx context.Context, call tools.Call) (tools.Result, error) {
		both.Done()
		both.Wait() // returns only when the other one runs too
		return ok(ctx, call)
	}}
	m := script(t,
		calls(scripted.Step{Calls: "look"}, scripted.Step{Calls: "look", Args: map[string]any{"n": 2}}, scripted.Step{Calls: "change"}, scripted.Step{Calls: "change", Args: map[string]any{"n": 2}}),
		says("All done."))
	l, n := loop(t, m, nil, meet, changer("change", ok))
	if _, err := l.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	slices.Sort(n.lines[1:3]) // they finish in any order
	want := []string{
		"turn 1 starts [call_1 call_2]", "finished call_1", "finished call_2", "start call_3", "finished call_3 then call_4", "finished call_4", "end with turn 2",
	}
	if !slices.Equal(n.lines, want) {
		t.Errorf("journal:\n%s\nwant:\n%s", strings.Join(n.lines, "\n"), strings.Join(want, "\n"))
	}
	requests := m.Requests()
	results := requests[1].Messages[2].Parts
	if len(results) != 4 || results[3].ID != "call_4" || results[3].Text != "done call_4" {
		t.Errorf("the model read %+v", results)
	}
}

func TestMistakesOfTheModelAreResults(t *testing.T) {
	t.Parallel()
	m := script(t,
		calls(scripted.Step{Calls: "look", RawArgs: json.RawMessage(`{"path": oops`)}, scripted.Step{Calls: "no_such_tool"}),
		says("I see."))
	strict := toolstest.Echo("look")
	l, n := loop(t, m, nil, strict)
	if _, err := l.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range n.past[0].Turn.Calls {
		if !c.Result.IsError {
			t.Errorf("%s: %+v", c.Tool, c.Result)
		}
	}
	if n.last == nil || n.last.Parts[0].Text != "I see." {
		t.Errorf("the last turn is %+v", n.last)
	}
}

func TestARunThatGoesRoundInCirclesIsStopped(t *testing.T) {
	t.Parallel()
	broken := toolstest.Tool{Is: toolstest.Echo("broken").Is, Do: func(context.Context, tools.Call) (tools.Result, error) {
		return tools.Result{}, fault.New(fault.NotFound, "no_file", "There is no such file.")
	}}
	forever := scripted.Turn{Match: ".", Steps: []scripted.Step{{Calls: "broken"}}}
	after := scripted.Turn{After: "broken", Steps: []scripted.Step{{Calls: "broken"}}}
	m := script(t, forever, after)
	l, n := loop(t, m, nil, broken)
	_, err := l.Run(t.Context(), nil)
	if !fault.HasCode(err, "repeated_error") || len(n.past) != stopFailures {
		t.Errorf("err = %v after %d turns", err, len(n.past))
	}
	last := m.Requests()[len(m.Requests())-1]
	if text := last.Messages[len(last.Messages)-1].Text(); !strings.Contains(text, "failed 3 times") {
		t.Errorf("before the end the model read %q", text)
	}
	same := toolstest.Echo("same")
	m = script(t, scripted.Turn{Match: ".", Steps: []scripted.Step{{Calls: "same"}}}, scripted.Turn{After: "same", Steps: []scripted.Step{{Calls: "same"}}})
	l, n = loop(t, m, nil, same)
	if _, err := l.Run(t.Context(), nil); !fault.HasCode(err, "no_progress") || len(n.past) != stopSame {
		t.Errorf("err = %v after %d turns", err, len(n.past))
	}
}

func TestTheLastTurnAnswersWithoutTools(t *testing.T) {
	t.Parallel()
	m := script(t, calls(scripted.Step{Calls: "look"}), says("What I have."))
	l, n := loop(t, m, nil, toolstest.Echo("look"))
	l.Limits.Turns = 2
	if _, err := l.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if r := m.Requests()[1]; r.ToolChoice.Mode != providers.ToolNone || n.last == nil {
		t.Errorf("the last turn was asked with %+v", r.ToolChoice)
	}
}

func TestACallThatNeedsAPersonParksTheRun(t *testing.T) {
	t.Parallel()
	granted := false
	gate := toolstest.Gate(func(_ tools.Spec, call tools.Call) (tools.Ruling, error) {
		if granted && call.Approval == "apr_1" {
			return tools.Ruling{Verdict: tools.Allow}, nil
		}
		return tools.Ruling{Verdict: tools.Ask, Ticket: "apr_1", Reason: "May it?"}, nil
	})
	ran := 0
	tool := changer("change", func(ctx context.Context, call tools.Call) (tools.Result, error) { ran++; return ok(ctx, call) })
	m := script(t, calls(scripted.Step{Calls: "change"}, scripted.Step{Calls: "change", Args: map[string]any{"n": 2}}), says("Done."))
	l, n := loop(t, m, gate, tool)
	if _, err := l.Run(t.Context(), nil); !errors.Is(err, ErrParked) {
		t.Fatalf("err = %v", err)
	}
	if ran != 0 || len(n.parked) != 1 || n.parked[0].Approval != "apr_1" {
		t.Fatalf("ran %d, parked %+v", ran, n.parked)
	}
	past := n.past
	granted = true
	again, more := loop(t, m, gate, tool)
	if _, err := again.Run(t.Context(), past); err != nil && !errors.Is(err, ErrParked) {
		t.Fatal(err)
	}
	want := []string{"start call_1", "finished call_1 then call_2", "waiting call_2", "park"}
	if ran != 1 || !slices.Equal(more.lines, want) {
		t.Errorf("ran %d; journal %v, want %v", ran, more.lines, want)
	}
}

// TestAfterACrash goes on from every state that a call can be left in.
func TestAfterACrash(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		state  CallState
		safe   bool
		reply  string
		ran    int
		parked bool
		text   string
	}{
		"finished is not repeated":                       {CallFinished, false, "", 0, false, "earlier"},
		"planned is made":                                {CallPlanned, false, "", 1, false, "done c1"},
		"started and safe is made again":                 {CallStarted, true, "", 1, false, "done c1"},
		"started and not safe is asked about":            {CallStarted, false, "", 0, true, ""},
		"the person wants it again":                      {CallWaiting, false, AnswerRepeat, 1, false, "done c1"},
		"the person does not want it again":              {CallWaiting, false, AnswerSkip, 0, false, "outcome is unknown"},
		"nobody has answered yet, so it goes on waiting": {CallWaiting, false, "", 0, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ran := 0
			m := script(t, says("Done."))
			l, n := loop(t, m, nil, changer("change", func(ctx context.Context, call tools.Call) (tools.Result, error) { ran++; return ok(ctx, call) }))
			c := &Call{Step: 2, Turn: 1, ID: "c1", Tool: "change", Args: json.RawMessage(`{}`), Safe: tt.safe, State: tt.state}
			if tt.state == CallFinished {
				r := tools.Says("earlier")
				c.Result = &r
			}
			if tt.state == CallWaiting {
				c.lost()
				if tt.reply != "" {
					c.Reply = &Reply{Text: tt.reply}
				}
			}
			turn := &Turn{Step: 1, Number: 1, Calls: []*Call{c}, Parts: []providers.Part{{Kind: providers.PartToolCall, ID: "c1", Name: "change", Args: c.Args}}}
			_, err := l.Run(t.Context(), []Entry{{Turn: turn}})
			if errors.Is(err, ErrParked) != tt.parked || (err != nil && !tt.parked) || ran != tt.ran {
				t.Fatalf("err = %v, ran %d times; journal %v", err, ran, n.lines)
			}
			if tt.parked {
				if n.parked[0].Need.Kind != NeedRepeat {
					t.Errorf("it waits for %+v", n.parked[0].Need)
				}
				return
			}
			messages := m.Requests()[0].Messages
			if got := messages[len(messages)-1].Parts[0].Text; !strings.Contains(got, tt.text) {
				t.Errorf("the model read %q, want %q", got, tt.text)
			}
		})
	}
}

func TestSteering(t *testing.T) {
	t.Parallel()
	m := script(t, calls(scripted.Step{Calls: "look"}), says("First."), says("Second."))
	l, n := loop(t, m, nil, toolstest.Echo("look"))
	n.news = [][]providers.Part{nil, {providers.Text("And in blue.")}, {providers.Text("One more thing.")}}
	if _, err := l.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	r := m.Requests()
	if len(r) != 3 || r[1].Messages[len(r[1].Messages)-1].Text() != "And in blue." || r[2].Messages[len(r[2].Messages)-1].Text() != "One more thing." {
		t.Fatalf("the model was asked %d times", len(r))
	}
	if last := n.last.Parts[0].Text; last != "Second." {
		t.Errorf("it ended with %q", last)
	}
	for _, req := range r {
		for i := 1; i < len(req.Messages); i++ {
			if req.Messages[i].Role == req.Messages[i-1].Role {
				t.Errorf("two messages of one side in a row: %+v", req.Messages)
			}
		}
	}
}

func TestCompaction(t *testing.T) {
	t.Parallel()
	long := toolstest.Tool{Is: toolstest.Echo("look").Is, Do: func(_ context.Context, call tools.Call) (tools.Result, error) {
		return tools.Says(strings.Repeat("words ", 400) + call.ID), nil
	}}
	var turns []scripted.Turn
	for i := range 8 {
		turns = append(turns, calls(scripted.Step{Says: fmt.Sprintf("Decision: number %d.", i)}, scripted.Step{Calls: "look", Args: map[string]any{"n": i}}))
	}
	m := script(t, append(turns, says("Done."))...)
	l, n := loop(t, m, nil, long)
	l.Context = 4000
	if _, err := l.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	last := m.Requests()[len(m.Requests())-1]
	if got := providers.EstimateRequest(last); got > 4000 {
		t.Errorf("the last request has %d tokens", got)
	}
	text := last.Messages[0].Text()
	if !strings.Contains(text, "Decision: number 0.") || !strings.HasSuffix(text, "Do it") {
		t.Errorf("the summary lost a decision or the question:\n%s", text)
	}
	if !slices.ContainsFunc(n.lines, func(s string) bool { return strings.HasPrefix(s, "compact") }) {
		t.Error("nothing was compacted")
	}
	resumed := script(t, says("Done again."))
	again, _ := loop(t, resumed, nil, long)
	if _, err := again.Run(t.Context(), n.past); err != nil {
		t.Fatal(err)
	}
	if got, want := resumed.Requests()[0].Messages, last.Messages; len(got) != len(want) || got[0].Text() != want[0].Text() {
		t.Errorf("after a crash the model sees %d messages, before %d", len(got), len(want))
	}
}

func TestPressure(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		used, limit int64
		want        pressure
	}{{0, 0, pressureNone}, {1000, 0, pressureNone}, {74, 100, pressureNone}, {75, 100, pressureHigh}, {85, 100, pressureMore}, {95, 100, pressureFull}, {200, 100, pressureFull}} {
		if got := pressureOf(tt.used, tt.limit); got != tt.want {
			t.Errorf("pressureOf(%d, %d) = %d, want %d", tt.used, tt.limit, got, tt.want)
		}
	}
}

func TestStages(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ safe, want string }{
		"all safe run together":      {"sss", "sss"},
		"every other one is alone":   {"uu", "u u"},
		"order between both is kept": {"ssuss", "ss u ss"},
		"no calls":                   {"", ""},
		"a change at both ends":      {"usu", "u s u"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all []*Call
			for _, s := range tt.safe {
				all = append(all, &Call{Safe: s == 's'})
			}
			var got []string
			for _, stage := range stages(all) {
				text := ""
				for _, c := range stage {
					if c.Safe {
						text += "s"
					} else {
						text += "u"
					}
				}
				got = append(got, text)
			}
			if joined := strings.Join(got, " "); joined != tt.want {
				t.Errorf("stages(%s) = %s, want %s", tt.safe, joined, tt.want)
			}
		})
	}
}

func TestIDsOfCallsAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{"a": true}
	parts := []providers.Part{{Kind: providers.PartToolCall, ID: "a"}, {Kind: providers.PartToolCall}, {Kind: providers.PartToolCall, ID: "b"}}
	got := newCalls(3, parts, seen)
	if got[0].ID == "a" || got[1].ID == "" || got[2].ID != "b" || parts[0].ID != got[0].ID || got[0].ID == got[1].ID {
		t.Errorf("calls %+v, parts %+v", got, parts)
	}
}
