package runs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/scripted"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
)

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
		for _, h := range run.Partial.Helpers {
			if want := map[string]string{"asker": "Ask", "actor": "Act"}[h.Agent]; h.Task != want {
				t.Errorf("%s was asked %q, want %q", h.Agent, h.Task, want)
			}
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

func TestAHelperThatFailsOrOverspendsLeavesTheParentAbleToAnswer(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		catalogue, err := providers.NewCatalogue(nil)
		if err != nil {
			t.Fatal(err)
		}
		ledger, err := costs.New(costs.Options{DB: db, Hub: eventstest.New(t, db), Catalogue: catalogue})
		if err != nil {
			t.Fatal(err)
		}
		p := newPlant(t, db, setup{
			ledger: ledger,
			team: team{
				"assistant": {Tools: tools.All(), Helpers: []string{"broken", "dear"}}, "broken": {Tools: tools.All()},
				"dear": {Tools: tools.All(), Limits: agents.Limits{Money: 1}},
			},
			models: map[string]*scripted.Model{
				"assistant": script(t, turn(calls("delegate", map[string]any{"agent": "broken", "task": "Break"}), calls("delegate", map[string]any{"agent": "dear", "task": "Spend"})),
					turn(says("I answer anyway."))),
				"broken": script(t, turn(scripted.Step{Fails: "auth"})),
				"dear":   script(t, turn(calls("calculator", map[string]any{"expression": "1+1"})), turn(says("Never said."))),
			},
		})
		stop := p.work()
		defer stop()
		a := p.ask("Try", "")
		l := p.listen(conversations.Channel(a.Conversation.ID))
		l.until("runs.finished", of(a.Run.ID))
		results := p.models["assistant"].Requests()[1].Messages[2].Parts
		if len(results) != 2 || !results[0].IsError || !results[1].IsError || !strings.Contains(results[0].Text, "broken could not do it") || !strings.Contains(results[1].Text, "dear could not do it") {
			t.Errorf("the parent read %+v", results)
		}
		if n := len(p.models["dear"].Requests()); n != 1 {
			t.Errorf("a helper that had spent all asked its model %d times", n)
		}
		helpers, err := p.Helpers(t.Context(), p.who, a.Run.ID)
		if err != nil || len(helpers) != 2 {
			t.Fatalf("helpers %+v, %v", helpers, err)
		}
		for _, h := range helpers {
			if want := map[string]string{"broken": providers.CodeAuth, "dear": "run_money_limit"}[h.Agent]; h.State != runs.Failed || h.Error.Code != want {
				t.Errorf("%s %s: %+v", h.Agent, h.State, h.Error)
			}
		}
		if said := p.said(a.Conversation.ID); said[len(said)-1].State != conversations.Complete {
			t.Errorf("said %+v", said)
		}
	})
}
