package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
)

type ports struct{}

func (ports) Sample(_ context.Context, from From, req Sample) (Sampled, error) {
	return Sampled{Model: "demo", Text: from.Server + " " + req.System + " " + req.Messages[0].Text, Stop: "endTurn"}, nil
}

func (ports) Ask(_ context.Context, _ From, q Question) (Answer, error) {
	if !strings.Contains(string(q.Schema), "colour") {
		return Answer{Action: "cancel"}, nil
	}
	return Answer{Action: "accept", Content: map[string]any{"colour": "green"}}, nil
}

func (ports) Folders(context.Context, From) ([]Folder, error) {
	return []Folder{{"home", "/srv/my project"}}, nil
}

func TestServersMayAskBack(t *testing.T) {
	t.Parallel()
	with := newDesk(t, storetest.SQLite(t), func(o *Options) { o.Sampler, o.Asker, o.Roots = ports{}, ports{}, ports{} })
	without := newDesk(t, storetest.SQLite(t))
	for _, d := range []*desk{with, without} {
		older := program(t, "test", "older")
		older.Sampling = SamplingAllow
		d.add(older)
		d.start("test")
		d.add(program(t, "newer", "good"))
		d.start("newer")
	}
	if old, young := with.state("test").Protocol, with.state("newer").Protocol; old != "2025-11-25" || young < "2026" {
		t.Errorf("the eras are %s and %s", old, young)
	}
	for tool, want := range map[string]string{
		"test__think": "demo: test Be short. hello", "test__wonder": "accept green", "test__where": "home=file:///srv/my%20project",
		"newer__choose": "accept green",
	} {
		if r := with.call(tool, `{"text":"hello"}`); r.Text() != want || r.IsError {
			t.Errorf("%s: %+v, want %q", tool, r, want)
		}
	}
	for _, tool := range []string{"test__think", "test__wonder", "newer__choose"} {
		if r := without.call(tool, `{"text":"hello"}`); !r.IsError {
			t.Errorf("%s without a port: %+v", tool, r)
		}
	}
}

// inRun makes a call of a run.
func (d *desk) inRun(call tools.Call) tools.Result {
	d.t.Helper()
	r, err := d.belt().Call(d.t.Context(), call)
	if err != nil {
		d.t.Fatalf("%s: %v", call.Tool, err)
	}
	return r
}

func TestQuestionsWaitForThePersonOfTheRun(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.SQLite(t), func(o *Options) { o.Sampler, o.Parks = ports{}, true })
	d.add(program(t, "test", "older"))
	d.start("test")
	d.add(program(t, "newer", "good"))
	d.start("newer")
	for i, tool := range []string{"test__wonder", "newer__choose"} {
		call := tools.Call{ID: fmt.Sprint("c", i), Run: ids.New[ids.Run](), Tool: tool, Args: json.RawMessage(`{}`)}
		r := d.inRun(call)
		if r.Needs == nil || r.Needs.Kind != tools.NeedAnswer || !r.Needs.Again || !strings.Contains(r.Needs.Question, "Which colour?") {
			t.Fatalf("%s: %+v, want a question", tool, r)
		}
		if got := d.call("test__echo", `{"text":"still there"}`); got.Text() != "still there" {
			t.Errorf("while it waits: %+v", got)
		}
		call.Answer = "dark green"
		if r = d.inRun(call); r.Text() != "accept dark green" {
			t.Errorf("%s after the answer: %+v", tool, r)
		}
		if r = d.inRun(call); r.Code != "mcp_question_lost" {
			t.Errorf("%s answered twice: %+v", tool, r)
		}
	}
	think := tools.Call{ID: "c9", Run: ids.New[ids.Run](), Tool: "test__think", Args: json.RawMessage(`{"text":"hello"}`)}
	for answer, want := range map[string]string{"Allow": "demo: test Be short. hello", "Decline": "did not allow"} {
		think.Answer = ""
		if r := d.inRun(think); r.Needs == nil || !strings.Contains(r.Needs.Help, "user: hello") || len(r.Needs.Options) != 2 {
			t.Fatalf("sampling is not asked about: %+v", r)
		}
		think.Answer = answer
		if r := d.inRun(think); !strings.Contains(r.Text(), want) {
			t.Errorf("sampling after %s: %+v, want %q", answer, r, want)
		}
	}
	if r := d.call("test__think", `{"text":"hello"}`); !r.IsError || !strings.Contains(r.Text(), "did not allow") {
		t.Errorf("sampling where nobody can be asked: %+v", r)
	}
	if r := d.call("test__wonder", `{}`); r.Text() != "cancel <nil>" {
		t.Errorf("a question where nobody can be asked: %+v", r)
	}
}

func TestAHeldCallEndsWithItsRun(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.SQLite(t), func(o *Options) { o.Parks = true })
	d.add(program(t, "test", "older"))
	d.start("test")
	call := tools.Call{ID: "c1", Run: ids.New[ids.Run](), Tool: "test__wonder"}
	if r := d.inRun(call); r.Needs == nil {
		t.Fatalf("%+v", r)
	}
	if n := d.state("test").Calls; n != 1 {
		t.Errorf("%d calls under way, want 1", n)
	}
	d.m.holding.Lock()
	w := d.m.held[callKey{call.Run, call.ID}]
	d.m.holding.Unlock()
	d.m.Withdraw(call.Run)
	<-w.done
	if n := d.state("test").Calls; n != 0 {
		t.Errorf("%d calls under way after the run was over", n)
	}
	call.Answer = "green"
	if r := d.inRun(call); r.Code != "mcp_question_lost" {
		t.Errorf("%+v", r)
	}
}

func TestAnAnswerOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.SQLite(t), func(o *Options) { o.Parks = true })
	def := program(t, "test", "older")
	def.ReadOnly = []string{"wonder"} // so that it may be called again
	d.add(def)
	d.start("test")
	call := tools.Call{ID: "c1", Run: ids.New[ids.Run](), Tool: "test__wonder"}
	if r := d.inRun(call); r.Needs == nil {
		t.Fatalf("%+v", r)
	}
	d.restart()
	call.Answer = "green"
	if r := d.inRun(call); r.Text() != "accept green" {
		t.Errorf("%+v", r)
	}
}
