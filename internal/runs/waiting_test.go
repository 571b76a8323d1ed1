package runs_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/providers/scripted"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/toolstest"
)

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
