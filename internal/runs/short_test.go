package runs_test

import (
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/costs/coststest"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/providers/scripted"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
)

// atTheLimit is a plant whose workspace has a budget that is used up by the first call, and asks.
func atTheLimit(t *testing.T, db *store.DB, s setup) (*plant, costs.BudgetStatus) {
	t.Helper()
	s.ledger, s.asks = coststest.New(t, db, costs.Options{Sole: true}), true
	p := newPlant(t, db, s)
	b, err := s.ledger.CreateBudget(t.Context(), p.who.Workspace, costs.Budget{Name: "Team", Amount: 1, AtLimit: costs.AskPerson, Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	return p, b
}

// asked is the one question about money that is open for a run that waits.
func (p *plant) asked(id ids.Run) guard.Approval {
	p.t.Helper()
	run := p.get(id)
	if run.State != runs.Waiting || len(run.Needs) != 1 || run.Needs[0].Kind != tools.NeedApproval || run.Needs[0].Tool != guard.BudgetTool {
		p.t.Fatalf("the run is %s and waits for %+v", run.State, run.Needs)
	}
	a, err := p.guard.Approval(p.t.Context(), p.who.Workspace, ids.Approval(run.Needs[0].Ticket))
	if err != nil || a.State != guard.StateAsked || a.Kind != guard.KindBudget {
		p.t.Fatalf("%+v, %v", a, err)
	}
	return a
}

func (p *plant) answerMoney(a guard.Approval, yes bool) {
	p.t.Helper()
	if _, err := p.guard.Answer(p.t.Context(), p.who.Workspace, string(a.ID), guard.Answer{Approve: yes, Words: "because", By: p.who.User}); err != nil {
		p.t.Fatal(err)
	}
}

func TestABudgetThatAsks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		sum := func() scripted.Turn {
			return turn(says("I calculate. "), calls("calculator", map[string]any{"expression": "6*7"}))
		}
		p, b := atTheLimit(t, db, setup{models: map[string]*scripted.Model{"assistant": script(t, sum())}})
		a := p.ask("What is 6*7?", "")
		stop := p.work()
		p.listen(conversations.Channel(a.Conversation.ID)).until("runs.waiting")
		stop()

		// The question and the work so far survive the process.
		m := script(t, turn(calls("calculator", map[string]any{"expression": "42+1"})), turn(says("It is 43.")), sum())
		next := newPlant(t, db, setup{who: p.who, models: map[string]*scripted.Model{"assistant": m}, asks: true, ledger: coststest.New(t, db, costs.Options{Sole: true})})
		defer next.work()()
		l := next.listen(conversations.Channel(a.Conversation.ID))
		question := next.asked(a.Run.ID)
		for _, words := range []string{`"budget":"` + string(b.ID) + `"`, `"limit":1`, `"spent":`, `"needs":`} {
			if !strings.Contains(question.Args, words) {
				t.Errorf("the card says %s, without %s", question.Args, words)
			}
		}
		if !strings.Contains(question.Reason, `"Team" is used up`) {
			t.Errorf("the question is %s", question.Reason)
		}
		if _, err := next.guard.Answer(t.Context(), p.who.Workspace, string(question.ID), guard.Answer{Approve: true, Scope: guard.Always}); !fault.HasCode(err, "budget_for_run") {
			t.Errorf("approving it for good: %v", err)
		}
		next.answerMoney(question, true)
		l.until("runs.finished")
		if got := next.get(a.Run.ID); got.Turns != 3 || got.Spent == 0 { // several calls beyond the limit on one yes
			t.Errorf("run %+v", got)
		}
		if said := next.said(a.Conversation.ID)[1]; said.State != conversations.Complete || len(said.Parts) != 6 {
			t.Errorf("the answer is %+v", said)
		}

		// The yes was for that run: the next one asks again, and a no ends it with what it has.
		refused := next.ask("And again?", a.Conversation.ID)
		l.until("runs.waiting", of(refused.Run.ID))
		next.answerMoney(next.asked(refused.Run.ID), false)
		l.until("runs.failed", of(refused.Run.ID))
		got := next.get(refused.Run.ID)
		if got.Error == nil || got.Error.Code != costs.CodeBudget || !strings.Contains(got.Error.Message, "A person said no: because") {
			t.Errorf("it failed with %+v", got.Error)
		}
		steps, err := next.Steps(t.Context(), p.who, a.Run.ID, page.Query{})
		if err != nil || steps.Data[2].Kind != runs.StepApproval || steps.Data[2].State != "finished" || steps.Data[2].Name != guard.BudgetTool {
			t.Errorf("steps %+v, %v", steps.Data, err)
		}
	})
}

func TestAHelperAtTheLimitOfABudget(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		m := script(t, turn(calls("delegate_to_helper", map[string]any{"task": "Count"})), turn(says("It counted.")))
		helper := script(t, turn(says("Three.")))
		p, _ := atTheLimit(t, db, setup{
			team:   team{"assistant": {Tools: tools.All(), Helpers: []string{"helper"}}, "helper": agents.Agent{}},
			models: map[string]*scripted.Model{"assistant": m, "helper": helper},
		})
		a := p.ask("Count with help", "")
		defer p.work()()
		l := p.listen(conversations.Channel(a.Conversation.ID))
		l.until("runs.waiting")
		p.answerMoney(p.asked(a.Run.ID), true)
		l.until("runs.finished", of(a.Run.ID))
		list, err := p.guard.Approvals(t.Context(), p.who.Workspace, guard.ApprovalFilter{})
		if err != nil || len(list.Data) != 1 || list.Data[0].State != guard.StateUsed || list.Data[0].Run == a.Run.ID {
			t.Errorf("one yes is for the run and its helpers: %+v, %v", list.Data, err)
		}
	})
}

func TestARunGoesOnWhenItsBudgetIsRaised(t *testing.T) {
	t.Parallel()
	raises := map[string]func(l *costs.Ledger, ws ids.Workspace, b ids.Budget) error{
		"granted": func(l *costs.Ledger, ws ids.Workspace, b ids.Budget) error {
			_, err := l.Grant(t.Context(), ws, b, 1_000_000)
			return err
		},
		"changed": func(l *costs.Ledger, ws ids.Workspace, b ids.Budget) error {
			_, err := l.ChangeBudget(t.Context(), ws, b, costs.Change{Amount: new(int64(1_000_000))})
			return err
		},
		"deleted": func(l *costs.Ledger, ws ids.Workspace, b ids.Budget) error { return l.DeleteBudget(t.Context(), ws, b) },
	}
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for name, raise := range raises {
			m := script(t, turn(says("I calculate. "), calls("calculator", map[string]any{"expression": "6*7"})), turn(says("It is 42.")))
			p, b := atTheLimit(t, db, setup{models: map[string]*scripted.Model{"assistant": m}})
			stop := p.work()
			a := p.ask("What is 6*7?", "")
			l := p.listen(conversations.Channel(a.Conversation.ID))
			l.until("runs.waiting")
			question := p.asked(a.Run.ID)
			if _, err := p.ledger.Grant(t.Context(), p.who.Workspace, b.ID, 1); err != nil { // far from enough
				t.Fatal(err)
			}
			if got := p.asked(a.Run.ID); got.ID != question.ID {
				t.Errorf("%s: asked again as %s", name, got.ID)
			}
			if err := raise(p.ledger, p.who.Workspace, b.ID); err != nil {
				t.Fatal(err)
			}
			l.until("runs.finished", of(a.Run.ID))
			got, err := p.guard.Approval(t.Context(), p.who.Workspace, question.ID)
			if err != nil || got.State != guard.StateWithdrawn || !strings.Contains(got.Words, "room") {
				t.Errorf("%s: the question is %s, %q, %v", name, got.State, got.Words, err)
			}
			stop()
		}
	})
}

func TestCancellingARunWithdrawsWhatItsHelpersAsk(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		m := script(t, turn(calls("delegate_to_helper", map[string]any{"task": "Count"})))
		p, _ := atTheLimit(t, db, setup{
			team:   team{"assistant": {Tools: tools.All(), Helpers: []string{"helper"}}, "helper": agents.Agent{}},
			models: map[string]*scripted.Model{"assistant": m, "helper": script(t, turn(says("Three.")))},
		})
		defer p.work()()
		a := p.ask("Count with help", "")
		l := p.listen(conversations.Channel(a.Conversation.ID))
		l.until("runs.waiting", of(a.Run.ID))
		question := p.asked(a.Run.ID)
		if question.Run == a.Run.ID {
			t.Fatalf("the helper does not ask: %+v", question)
		}
		inbox := p.listen(guard.ApprovalsChannel)
		if _, err := p.Cancel(t.Context(), p.who, a.Run.ID); err != nil {
			t.Fatal(err)
		}
		inbox.until("guard.withdrawn")
		got, err := p.guard.Approval(t.Context(), p.who.Workspace, question.ID)
		if err != nil || got.State != guard.StateWithdrawn || got.Words != "The run is over." {
			t.Errorf("the question is %s, %q, %v", got.State, got.Words, err)
		}
		if _, err := p.guard.Answer(t.Context(), p.who.Workspace, string(question.ID), guard.Answer{Approve: true, By: p.who.User}); !fault.HasCode(err, "approval_withdrawn") {
			t.Errorf("answering it: %v", err)
		}
		if run := p.get(a.Run.ID); run.State != runs.Cancelled {
			t.Errorf("the run is %s", run.State)
		}
	})
}
