package runs_test

import (
	"context"
	"slices"
	"strings"
	"testing"

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

func TestAHelperIsSteeredAlone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		gate := make(chan struct{})
		slow := toolstest.Tool{Is: toolstest.Echo("slow").Is, Do: func(ctx context.Context, _ tools.Call) (tools.Result, error) {
			select {
			case <-gate:
			case <-ctx.Done():
			}
			r := tools.Says("at last")
			r.Meta = map[string]any{"path": "x"}
			return r, ctx.Err()
		}}
		boss := script(t, turn(calls("delegate", map[string]any{"agent": "painter", "task": "Paint it"})), turn(says("Painted.")))
		painter := script(t, turn(calls("slow", nil)), turn(says("In blue.")))
		p := newPlant(t, db, setup{
			team:   team{"assistant": {Tools: tools.All(), Helpers: []string{"painter"}}, "painter": {Tools: tools.All()}},
			models: map[string]*scripted.Model{"assistant": boss, "painter": painter}, tools: []tools.Tool{slow},
		})
		stop := p.work()
		defer stop()
		a := p.ask("Paint the wall", "")
		p.listen("runs/*").until("runs.tool_started")
		helpers, err := p.Helpers(t.Context(), p.who, a.Run.ID)
		if err != nil || len(helpers) != 1 {
			t.Fatalf("helpers %+v, %v", helpers, err)
		}
		helper := helpers[0].ID
		stranger := conversations.Asker{Workspace: p.who.Workspace, User: ids.New[ids.User]()}
		if _, err := p.Steer(t.Context(), stranger, helper, "In red"); !fault.HasCode(err, "run_not_found") {
			t.Errorf("a stranger steered: %v", err)
		}
		told, err := p.Steer(t.Context(), p.who, helper, "In blue\nplease")
		if err != nil || told.Run.ID != helper || told.Message == "" {
			t.Fatalf("steering made %+v, %v", told, err)
		}
		if shown := p.get(helper).Partial; len(shown.Calls) != 1 || len(shown.Done) != 0 {
			t.Errorf("so far %+v", shown)
		}
		close(gate)
		p.listen(conversations.Channel(a.Conversation.ID)).until("runs.finished", of(a.Run.ID))
		l := p.listen(runs.Channel(helper))
		l.until("runs.finished")
		if want := []string{"started", "turn_finished", "tool_started", "told", "tool_finished", "steered", "finished"}; !slices.Equal(l.kinds(), want) {
			t.Errorf("facts %v, want %v", l.kinds(), want)
		}
		if e := l.until("runs.told"); !strings.Contains(string(e.Data), `"text":"In blue\nplease"`) || !strings.Contains(string(e.Data), string(told.Message)) {
			t.Errorf("said %s", e.Data)
		}
		if e := l.until("runs.steered"); !strings.Contains(string(e.Data), string(told.Message)) {
			t.Errorf("said %s", e.Data)
		}
		requests := painter.Requests()
		if got := requests[1].Messages[len(requests[1].Messages)-1].Text(); got != "In blue\nplease" {
			t.Errorf("the helper's second turn was asked with %q", got)
		}
		steps, err := p.Steps(t.Context(), p.who, helper, page.Query{})
		if err != nil || !slices.ContainsFunc(steps.Data, func(s runs.Step) bool {
			return s.Kind == runs.StepSteering && strings.Contains(string(s.Output), "In blue")
		}) {
			t.Errorf("steps %+v, %v", steps.Data, err)
		}
		said := p.said(a.Conversation.ID)
		if len(said) != 2 {
			t.Fatalf("the conversation has %+v", said)
		}
		if notes := said[1].Notes; notes == nil || len(notes.Calls) != 1 || notes.Calls[0].Call != said[1].Parts[0].ID || notes.Calls[0].StartedAt.IsZero() {
			t.Errorf("noted of the call: %+v", notes)
		}
		if _, err := p.Steer(t.Context(), p.who, helper, "Too late"); !fault.HasCode(err, "helper_over") || !strings.Contains(fault.From(err).Hint, string(a.Run.ID)) {
			t.Errorf("steering a helper that is over: %v", err)
		}
		if _, err := p.Steer(t.Context(), p.who, a.Run.ID, "Too late"); !fault.HasCode(err, "run_state") {
			t.Errorf("steering a run that is over: %v", err)
		}
	})
}

func TestWhatIsSaidToAHelperThatAsksIsTheAnswer(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		boss := script(t, turn(calls("delegate", map[string]any{"agent": "asker", "task": "Ask"})), turn(says("Asked.")))
		asker := script(t, turn(calls("ask_user", map[string]any{"question": "Why?"})), turn(says("I see.")))
		p := newPlant(t, db, setup{
			team:   team{"assistant": {Tools: tools.All(), Helpers: []string{"asker"}}, "asker": {Tools: tools.All()}},
			models: map[string]*scripted.Model{"assistant": boss, "asker": asker},
		})
		stop := p.work()
		defer stop()
		a := p.ask("Go", "")
		l := p.listen(conversations.Channel(a.Conversation.ID))
		l.until("runs.waiting")
		helper := p.get(a.Run.ID).Needs[0].Run
		if _, err := p.Steer(t.Context(), p.who, helper, "Because"); err != nil {
			t.Fatal(err)
		}
		l.until("runs.finished", of(a.Run.ID))
		requests := asker.Requests()
		if got := requests[1].Messages[2].Parts[0].Text; got != "Because" {
			t.Errorf("the helper read %q", got)
		}
	})
}
