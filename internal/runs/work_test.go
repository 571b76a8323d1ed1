package runs_test

import (
	"slices"
	"testing"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/scripted"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
)

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
		again := func(r runs.Again) runs.Run {
			t.Helper()
			got, err := p.Repeat(t.Context(), p.who, a.Run.ID, r)
			if err != nil {
				t.Fatal(err)
			}
			p.over(got.Run.ID)
			run := p.get(got.Run.ID)
			if run.State != runs.Finished || run.Origin != a.Run.ID || run.Reason != r.Reason || run.Question != a.Run.Question {
				t.Errorf("%s made %+v", r.Reason, run)
			}
			return run
		}
		shown := func() string {
			t.Helper()
			said := p.said(a.Conversation.ID)
			if len(said) != 2 {
				t.Errorf("the branch has %d messages", len(said))
			}
			m := providers.Message{Parts: said[len(said)-1].Parts}
			return m.Text()
		}
		if again(runs.Again{Reason: runs.Retried}); shown() != "Two." {
			t.Errorf("retry answered %q", shown())
		}
		for want, r := range map[string]runs.Again{
			"Other.": {Reason: runs.Replayed, Model: "scripted/other"},
			"Three.": {Reason: runs.Forked, Turn: 1},
		} {
			before := shown()
			run := again(r)
			if shown() != before {
				t.Errorf("%s changed the chat to %q", r.Reason, shown())
			}
			for range 2 { // twice is the same
				got, err := p.Continue(t.Context(), p.who, run.ID)
				if err != nil || got.Message != run.Answer || got.Conversation.Head != run.Answer || shown() != want {
					t.Errorf("continuing from a %s: %+v, %v, shown %q", r.Reason, got, err, shown())
				}
			}
		}
		if said := p.said(a.Conversation.ID); said[1].Versions != 4 {
			t.Errorf("%d answers stand beside each other", said[1].Versions)
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
