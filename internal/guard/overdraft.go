package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

// BudgetTool is what an approval about money names instead of a tool.
const BudgetTool = "budget"

const (
	// budgetDeadline is how long a question about money is asked at the least: work that waits for it costs nothing.
	budgetDeadline = day
	// budgetGrant is how long the run has to go on after a yes, so that a stopped server does not lose it.
	budgetGrant = 30 * day
)

// Overdraft is a run that has come to the limit of a budget which asks a person.
type Overdraft struct {
	Workspace    ids.Workspace
	User         ids.User
	Agent        string
	Run          ids.Run // whose call it is: the run's own, or a helper's
	Root         ids.Run // the run that a person started: a yes is for all of it
	Conversation ids.Conversation
	Door         string
	Unattended   bool
	Budget       ids.Budget
	Reason       string
	Standing     any       // the budget and the amounts, kept as JSON; "budget" is its id
	Resets       time.Time // when the budget begins anew; zero: never
}

// Overdraw asks a person whether a run may spend beyond a budget, or says what was answered. A yes is for this run with its
// helpers, whatever else they will spend; everybody else is held to the budget as before.
func (g *Guard) Overdraw(ctx context.Context, o Overdraft) (tools.Ruling, error) {
	policy, err := g.Policy(ctx, o.Workspace)
	if err != nil {
		return tools.Ruling{}, err
	}
	if o.Unattended && policy.Unattended != WaitUnattended {
		return refusedAs("guard.unattended", "Nobody watches this run who could be asked.", ""), nil
	}
	fresh, err := g.overdraft(o, policy)
	if err != nil {
		return tools.Ruling{}, err
	}
	var ruling tools.Ruling
	err = g.db.InTx(ctx, func(tx *store.Tx) error {
		a, err := store.One[Approval](ctx, tx, selectNewest, o.Workspace, fresh.Hash)
		if errors.Is(err, store.ErrNoRows) || err == nil && a.State == StateWithdrawn { // nobody was asked, or nobody is any more
			ruling, err = g.askMoney(ctx, tx, fresh)
			return err
		}
		if err != nil {
			return err
		}
		ruling = moneyRuling(a, g.now())
		if ruling.Verdict == tools.Allow && a.State == StateApproved {
			_, err = tx.Exec(ctx, useApproval, g.now(), o.Workspace, a.ID)
		}
		return err
	})
	if err != nil {
		return tools.Ruling{}, fmt.Errorf("asking a person about %s: %w", o.Budget, err)
	}
	return ruling, nil
}

func (g *Guard) askMoney(ctx context.Context, tx *store.Tx, fresh Approval) (tools.Ruling, error) {
	a, err := g.insertApproval(ctx, tx, fresh)
	if err != nil {
		return tools.Ruling{}, err
	}
	tx.AfterCommit(g.nudge)
	return moneyRuling(a, a.AskedAt), g.hub.Append(ctx, tx, a.Workspace, ApprovalsChannel, Asked{
		About: a.about(), Code: a.Code, Question: a.Reason, Rule: a.Rule, TwoPerson: a.TwoPerson, Deadline: a.Deadline,
	})
}

// overdraft is the question. Where the budget begins anew before the deadline, that is the deadline: the run then has what it wants.
func (g *Guard) overdraft(o Overdraft, policy Policy) (Approval, error) {
	args, err := json.Marshal(o.Standing)
	if err != nil {
		return Approval{}, fmt.Errorf("writing where %s stands: %w", o.Budget, err)
	}
	now := g.now()
	deadline := now.Add(max(policy.Deadline.Std(), budgetDeadline))
	if o.Unattended {
		deadline = now.Add(max(policy.UnattendedDeadline.Std(), budgetDeadline))
	}
	if o.Resets.After(now) && o.Resets.Before(deadline) {
		deadline = o.Resets
	}
	hash := digest("budget", string(o.Workspace), string(o.Budget), string(o.Root))
	return Approval{
		ID: ids.New[ids.Approval](), Workspace: o.Workspace, Kind: KindBudget, State: StateAsked, Hash: hash, Anywhere: hash, Tool: BudgetTool, Args: string(args),
		Agent: o.Agent, Run: o.Run, Conversation: o.Conversation, Door: o.Door, Unattended: o.Unattended, RequestedBy: o.User, Rule: "costs.budget",
		Reason: shown(o.Reason, maxWords), AskedAt: now, Deadline: deadline,
	}, nil
}

// moneyRuling is what an approval means for the run that asked for it.
func moneyRuling(a Approval, now time.Time) tools.Ruling {
	if a.expired(now) {
		a.State = StateExpired
	}
	switch a.State {
	case StateApproved, StateUsed:
		return tools.Ruling{Verdict: tools.Allow, Rule: "guard.approved", Reason: because("A person approved it", a.Words), Ticket: string(a.ID)}
	case StateAsked:
		return tools.Ruling{Verdict: tools.Ask, Rule: a.Rule, Reason: a.Reason, Ticket: string(a.ID)}
	case StateDenied:
		return refusedAs("guard.denied", because("A person said no", a.Words), "")
	case StateExpired, StateWithdrawn:
	}
	return refusedAs("guard.expired", "Nobody answered in time.", "")
}

// Room takes back what runs ask about a budget that has room again, in the caller's transaction: they go on by themselves.
func (g *Guard) Room(ctx context.Context, tx *store.Tx, ws ids.Workspace, budget ids.Budget) error {
	open, err := store.All[Approval](ctx, tx, selectMoney, ws)
	if err != nil {
		return fmt.Errorf("reading the questions about money: %w", err)
	}
	for _, a := range open {
		var about struct {
			Budget ids.Budget `json:"budget"`
		}
		if err := json.Unmarshal([]byte(a.Args), &about); err != nil {
			return fmt.Errorf("reading what %s is about: %w", a.ID, err)
		}
		if about.Budget != budget {
			continue
		}
		if err := g.withdraw(ctx, tx, a, "The budget has room again, so the run went on."); err != nil {
			return err
		}
	}
	return nil
}
