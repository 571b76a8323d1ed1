package runs_test

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/scripted"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/toolstest"
)

func TestContinueFromAReplay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		m := script(t, turn(says("Two.")), turn(says("And more.")), turn(scripted.Step{Fails: "auth"}), turn(says("Gone on.")), turn(says("Gone on again.")))
		other := script(t, turn(calls("calculator", map[string]any{"expression": "1+1"})), turn(says("Two, I calculated.")))
		p := newPlant(t, db, setup{models: map[string]*scripted.Model{"assistant": m, "other": other}})
		stop := p.work()
		defer stop()
		a := p.ask("1+1?", "")
		p.over(a.Run.ID)
		p.over(p.ask("And?", a.Conversation.ID).Run.ID)
		replay, err := p.Repeat(t.Context(), p.who, a.Run.ID, runs.Again{Reason: runs.Replayed, Model: "scripted/other"})
		if err != nil {
			t.Fatal(err)
		}
		p.over(replay.Run.ID)
		if said := p.said(a.Conversation.ID); len(said) != 4 {
			t.Errorf("a replay changed the chat: %d messages", len(said))
		}
		got, err := p.Continue(t.Context(), p.who, replay.Run.ID)
		if err != nil {
			t.Fatal(err)
		}
		said := p.said(a.Conversation.ID)
		if len(said) != 2 || said[1].ID != got.Message || said[1].Run != replay.Run.ID || said[1].Versions != 2 || said[1].Model != "scripted/other" ||
			said[1].State != conversations.Complete || said[1].Usage == nil {
			t.Fatalf("the branch is %+v", said)
		}
		failed := p.ask("Fail", a.Conversation.ID)
		p.over(failed.Run.ID)
		if _, err := p.Continue(t.Context(), p.who, failed.Run.ID); !fault.HasCode(err, "run_state") {
			t.Errorf("continuing from a failure: %v", err)
		}
		p.over(p.ask("Go on", a.Conversation.ID).Run.ID)
		requests := m.Requests()
		seen := requests[len(requests)-1].Messages
		if len(seen) < 4 || seen[1].Parts[0].Kind != providers.PartToolCall || seen[2].Parts[0].Text != "2" || seen[3].Text() != "Two, I calculated." {
			t.Errorf("the next answer was made from %+v", seen)
		}
		// What was said on the branch since stays on it.
		head := p.said(a.Conversation.ID)
		if again, err := p.Continue(t.Context(), p.who, replay.Run.ID); err != nil || again.Conversation.Head != head[len(head)-1].ID {
			t.Errorf("continuing again: %+v, %v", again, err)
		}
		// The first answer's branch is shown again, up to its end.
		back, err := p.Continue(t.Context(), p.who, a.Run.ID)
		if said := p.said(a.Conversation.ID); err != nil || len(said) != 4 || back.Conversation.Head != said[3].ID {
			t.Errorf("going back: %+v, %v, %d messages", back, err, len(said))
		}
		stranger := conversations.Asker{Workspace: p.who.Workspace, User: ids.New[ids.User]()}
		if _, err := p.Continue(t.Context(), stranger, replay.Run.ID); !fault.HasCode(err, "run_not_found") {
			t.Errorf("a stranger continues: %v", err)
		}
		if err := p.book.Delete(t.Context(), p.who, a.Conversation.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Continue(t.Context(), p.who, replay.Run.ID); !fault.HasCode(err, "conversation_not_found") {
			t.Errorf("continuing a deleted chat: %v", err)
		}
	})
}

func TestAReplayIsNotInTheWayOfItsChat(t *testing.T) {
	t.Parallel()
	held := newEffect(true)
	m := script(t, turn(says("One.")), turn(says("Meanwhile.")))
	other := script(t, turn(calls("effect", nil)), turn(says("Never.")))
	p := newPlant(t, storetest.SQLite(t), setup{tools: []tools.Tool{held.tool("effect")}, models: map[string]*scripted.Model{"assistant": m, "other": other}})
	stop := p.work()
	defer stop()
	a := p.ask("Say one", "")
	p.over(a.Run.ID)
	l := p.listen(conversations.Channel(a.Conversation.ID))
	replay, err := p.Repeat(t.Context(), p.who, a.Run.ID, runs.Again{Reason: runs.Replayed, Model: "scripted/other", Tools: runs.ToolsLive})
	if err != nil {
		t.Fatal(err)
	}
	<-held.started
	if _, err := p.Continue(t.Context(), p.who, replay.Run.ID); !fault.HasCode(err, "run_state") {
		t.Errorf("continuing before the end: %v", err)
	}
	if _, err := p.Steer(t.Context(), p.who, replay.Run.ID, "Hurry"); !fault.HasCode(err, "run_aside") {
		t.Errorf("steering a replay: %v", err)
	}
	next := p.ask("And now?", a.Conversation.ID)
	if next.Steered {
		t.Error("the chat spoke to the replay")
	}
	p.over(next.Run.ID)
	if _, err := p.Cancel(t.Context(), p.who, replay.Run.ID); err != nil {
		t.Fatal(err)
	}
	p.over(replay.Run.ID)
	l.until("runs.finished", of(next.Run.ID))
	for _, e := range l.all {
		if of(replay.Run.ID)(e) {
			t.Errorf("the chat heard of the replay: %s", e.Kind)
		}
	}
}

// Nothing of a replay is said in its chat, and nothing of who helps it.
func TestHelpersOfAReplayAreToldOfBesideTheChat(t *testing.T) {
	t.Parallel()
	m := script(t, turn(says("One.")))
	other := script(t, turn(calls("delegate", map[string]any{"agent": "painter", "task": "Paint it"})), turn(says("Painted.")))
	p := newPlant(t, storetest.SQLite(t), setup{
		team:   team{"assistant": {Tools: tools.All(), Helpers: []string{"painter"}}, "painter": {}},
		models: map[string]*scripted.Model{"assistant": m, "other": other, "painter": script(t, turn(says("In blue.")))},
	})
	stop := p.work()
	defer stop()
	a := p.ask("Paint the wall", "")
	p.over(a.Run.ID)
	chat := p.listen(conversations.Channel(a.Conversation.ID))
	beside := p.listen("runs/*")
	replay, err := p.Repeat(t.Context(), p.who, a.Run.ID, runs.Again{Reason: runs.Replayed, Model: "scripted/other", Tools: runs.ToolsLive})
	if err != nil {
		t.Fatal(err)
	}
	beside.until("runs.helper_finished", of(replay.Run.ID))
	p.over(replay.Run.ID)
	if _, err := p.Continue(t.Context(), p.who, replay.Run.ID); err != nil {
		t.Fatal(err)
	}
	chat.until("conversations.message_added")
	for _, e := range chat.all {
		if e.Kind == "runs.helper_finished" || e.Kind == "runs.helper_spawned" {
			t.Errorf("the chat heard of the replay: %s", e.Kind)
		}
	}
}

func TestToolsOfAReplay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var asked atomic.Int32
		happens := newEffect(false)
		counted := happens.tool("effect").(toolstest.Tool)
		do := counted.Do
		counted.Do = func(ctx context.Context, c tools.Call) (tools.Result, error) {
			if c.Asking {
				asked.Add(1)
			}
			return do(ctx, c)
		}
		m := script(t, turn(calls("effect", map[string]any{"n": 1})), turn(says("Done.")))
		other := func() *scripted.Model {
			return script(t,
				turn(calls("effect", map[string]any{"n": 1}), calls("effect", map[string]any{"n": 2}), calls("calculator", map[string]any{"expression": "1+1"})),
				turn(says("Done, too.")))
		}
		models := map[string]*scripted.Model{"assistant": m, "recorded": other(), "live": other(), "ask": other()}
		p := newPlant(t, db, setup{models: models, tools: []tools.Tool{counted}})
		stop := p.work()
		defer stop()
		a := p.ask("Do it", "")
		p.over(a.Run.ID)
		for _, tt := range []struct {
			mode        runs.ToolMode
			more, asked int
			results     []string
		}{
			{"", 0, 0, []string{"It happened.", "This call was not made then", "2"}},
			{runs.ToolsLive, 2, 0, []string{"It happened.", "It happened.", "2"}},
			{runs.ToolsAsk, 2, 2, []string{"It happened.", "It happened.", "2"}},
		} {
			before := happens.count()
			want := cmp.Or(tt.mode, runs.ToolsRecorded)
			replay, err := p.Repeat(t.Context(), p.who, a.Run.ID, runs.Again{Reason: runs.Replayed, Model: "scripted/" + string(want), Tools: tt.mode})
			if err != nil {
				t.Fatal(err)
			}
			p.over(replay.Run.ID)
			if run := p.get(replay.Run.ID); run.State != runs.Finished || run.Tools != want {
				t.Errorf("%q: %s with %q (%v)", tt.mode, run.State, run.Tools, run.Error)
			}
			if more := happens.count() - before; more != tt.more || int(asked.Swap(0)) != tt.asked {
				t.Errorf("%q: the tool ran %d times", tt.mode, more)
			}
			var results []string
			for _, m := range models[string(want)].Requests()[1].Messages {
				for _, part := range m.Parts {
					if part.Kind == providers.PartToolResult {
						results = append(results, part.Text)
					}
				}
			}
			if !slices.EqualFunc(results, tt.results, strings.HasPrefix) {
				t.Errorf("%q: results %q, want %q", tt.mode, results, tt.results)
			}
		}
	})
}

// What a fork takes over is used up: the next of two equal calls gets the second result.
func TestAForkGoesOnWithTheNextResult(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	clock := toolstest.Tool{Is: toolstest.Echo("clock").Is, Do: func(context.Context, tools.Call) (tools.Result, error) {
		return tools.Says(strconv.Itoa(int(n.Add(1)))), nil
	}}
	m := script(t, turn(calls("clock", nil)), turn(calls("clock", nil)), turn(says("Two.")), turn(calls("clock", nil)), turn(says("Two again.")))
	p := newPlant(t, storetest.SQLite(t), setup{models: map[string]*scripted.Model{"assistant": m}, tools: []tools.Tool{clock}})
	stop := p.work()
	defer stop()
	a := p.ask("What time is it?", "")
	p.over(a.Run.ID)
	fork, err := p.Repeat(t.Context(), p.who, a.Run.ID, runs.Again{Reason: runs.Forked, Turn: 1})
	if err != nil {
		t.Fatal(err)
	}
	p.over(fork.Run.ID)
	requests := m.Requests()
	seen := requests[len(requests)-1].Messages
	if last := seen[len(seen)-1].Parts[0]; last.Text != "2" || n.Load() != 2 {
		t.Errorf("the fork got %q, the tool ran %d times", last.Text, n.Load())
	}
}
