package runs_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/providers/scripted"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
)

func TestExpectation(t *testing.T) {
	t.Parallel()
	call := func(tool, args string) runs.ExpectedCall {
		return runs.ExpectedCall{Tool: tool, Args: json.RawMessage(args)}
	}
	whole := runs.Expectation{Answer: "It is 2.", Calls: []runs.ExpectedCall{call("calculator", `{"expression":"1+1","digits":1.0}`)}}
	loose := runs.Expectation{Answer: "It is 2.", Contains: []string{"is 2", "IT"}, Calls: []runs.ExpectedCall{}}
	for name, tt := range map[string]struct {
		expects runs.Expectation
		got     runs.Outcome
		verdict runs.Verdict
		want    []runs.Deviation
	}{
		"the same, with keys in another order": {whole, runs.Outcome{State: runs.Finished, Answer: "It is 2.\n", Calls: []runs.ExpectedCall{call("calculator", `{ "digits": 1.0, "expression": "1+1" }`)}}, runs.VerdictPassed, nil},
		"another answer": {whole, runs.Outcome{State: runs.Finished, Answer: "2", Calls: whole.Calls}, runs.VerdictDiffers,
			[]runs.Deviation{{Kind: "answer", Text: `The answer is "2", not "It is 2.".`}}},
		"other arguments": {whole, runs.Outcome{State: runs.Finished, Answer: "It is 2.", Calls: []runs.ExpectedCall{call("calculator", `{"expression":"2"}`)}}, runs.VerdictDiffers,
			[]runs.Deviation{{Kind: "call", Text: `Call 1 is calculator {"expression":"2"}, not calculator {"expression":"1+1","digits":1.0}.`}}},
		"no call": {whole, runs.Outcome{State: runs.Finished, Answer: "It is 2."}, runs.VerdictDiffers,
			[]runs.Deviation{{Kind: "call", Text: `Call 1 is missing: calculator {"expression":"1+1","digits":1.0}.`}}},
		"the phrases are there": {loose, runs.Outcome{State: runs.Finished, Answer: "Well, it IS 2, you know."}, runs.VerdictPassed, nil},
		"a phrase is missing, and a call is new": {loose, runs.Outcome{State: runs.Finished, Answer: "Two is it.", Calls: []runs.ExpectedCall{call("time", `{}`)}}, runs.VerdictDiffers,
			[]runs.Deviation{{Kind: "call", Text: "Call 1 is new: time {}."}, {Kind: "answer", Text: `The answer does not have "is 2".`}}},
		"it failed": {loose, runs.Outcome{State: runs.Failed, Trouble: &runs.Trouble{Message: "No money."}}, runs.VerdictDiffers,
			[]runs.Deviation{{Kind: "failed", Text: "It failed: No money."}}},
		"it was stopped": {loose, runs.Outcome{State: runs.Cancelled}, runs.VerdictDiffers, []runs.Deviation{{Kind: "failed", Text: "It was stopped."}}},
	} {
		verdict, differences := tt.expects.Judge(tt.got)
		if verdict != tt.verdict {
			t.Errorf("%s: %s, want %s", name, verdict, tt.verdict)
		}
		if diff := cmp.Diff(tt.want, differences); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestACaseIsTriedAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		done := newEffect(false)
		does := func(n int) scripted.Step { return calls("effect", map[string]any{"n": n}) }
		m := script(t, turn(says("Hello.")), turn(does(1)), turn(says("It is done.")), turn(does(1)), turn(says("It is done.")))
		other := script(t, turn(does(2)), turn(says("I did something else.")))
		p := newPlant(t, db, setup{tools: []tools.Tool{done.tool("effect")}, models: map[string]*scripted.Model{"assistant": m, "other": other}})
		stop := p.work()
		defer stop()
		first := p.ask("Hi", "")
		p.over(first.Run.ID)
		a := p.ask("Do it", first.Conversation.ID)
		p.over(a.Run.ID)
		if _, err := p.KeepCase(t.Context(), p.who, runs.NewCase{Run: a.Run.ID, Contains: []string{"nowhere"}}); !fault.HasCode(err, "phrase_missing") {
			t.Errorf("expecting what is not there: %v", err)
		}
		kept, err := p.KeepCase(t.Context(), p.who, runs.NewCase{Run: a.Run.ID, Name: " Doing it ", Contains: []string{"done", "", "done"}})
		if err != nil || kept.Name != "Doing it" || kept.Last != nil || len(kept.Expects.Calls) != 1 || len(kept.Expects.Contains) != 1 {
			t.Fatalf("kept %+v, %v", kept, err)
		}
		// It needs neither the chat nor the journal it came from.
		if err := p.book.Delete(t.Context(), p.who, a.Conversation.ID); err != nil {
			t.Fatal(err)
		}
		try := func(model string) *runs.Trial {
			t.Helper()
			trial, err := p.Try(t.Context(), p.who, kept.ID, model, "")
			if err != nil || trial.Verdict != runs.VerdictRunning {
				t.Fatalf("trying: %+v, %v", trial, err)
			}
			p.over(trial.Run)
			list, err := p.Cases(t.Context(), p.who, page.Query{})
			if err != nil || len(list.Data) != 1 || list.Data[0].Last == nil || list.Data[0].Last.Run != trial.Run {
				t.Fatalf("listed %+v, %v", list, err)
			}
			return list.Data[0].Last
		}
		if last := try(""); last.Verdict != runs.VerdictPassed || last.Model != "scripted/assistant" || last.FinishedAt.IsZero() {
			t.Errorf("the same model: %+v", last)
		}
		if seen := m.Requests()[3].Messages; len(seen) != 3 || seen[1].Text() != "Hello." || seen[2].Text() != "Do it" {
			t.Errorf("it was asked with %+v", seen)
		}
		last := try("scripted/other")
		if last.Verdict != runs.VerdictDiffers || len(last.Differences) != 2 || last.Differences[0].Kind != "call" || last.Differences[1].Kind != "answer" {
			t.Errorf("another model: %+v", last)
		}
		if result := other.Requests()[1].Messages[4].Parts[0]; !result.IsError {
			t.Errorf("a call that was not recorded gave %+v", result)
		}
		if run := p.get(last.Run); run.Origin != a.Run.ID || run.Reason != runs.Tried {
			t.Errorf("the run is %+v", run)
		}
		if done.count() != 1 {
			t.Errorf("the tool ran %d times", done.count())
		}
		if last := try("scripted/nobody"); last.Verdict != runs.VerdictDiffers || last.Differences[0].Kind != "failed" {
			t.Errorf("a model that is not there: %+v", last)
		}
		stranger := conversations.Asker{Workspace: p.who.Workspace, User: ids.New[ids.User]()}
		_, get := p.Case(t.Context(), stranger, kept.ID)
		_, tried := p.Try(t.Context(), stranger, kept.ID, "", "")
		for _, err := range []error{get, tried, p.DeleteCase(t.Context(), stranger, kept.ID)} {
			if !fault.HasCode(err, "case_not_found") {
				t.Errorf("a stranger: %v", err)
			}
		}
		if err := p.DeleteCase(t.Context(), p.who, kept.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Case(t.Context(), p.who, kept.ID); !fault.HasCode(err, "case_not_found") {
			t.Errorf("after its deletion: %v", err)
		}
	})
}
