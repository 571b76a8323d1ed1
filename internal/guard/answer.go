package guard

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// Scope is how far an approval reaches.
type Scope string

// The scopes.
const (
	Once       Scope = "once"    // this call
	ForRun     Scope = "run"     // this call again in the same run
	ForProject Scope = "project" // this call again in the same folder
	ForTime    Scope = "time"    // this call again in the same folder, for a while
	Always     Scope = "always"  // this call again in any folder
)

// Answer is a person's answer to an approval.
type Answer struct {
	Approve bool
	Scope   Scope         // of a yes; "": Once
	Covers  Covers        // of a scope beyond Once; "": CoversCall
	For     time.Duration // how long the scope lasts; 0: as Options.Always says, an hour with ForTime
	Words   string        // for the agent
	By      ids.User
	Via     string // web, phone, cli, api
}

// Answer answers an approval that is asked, by its id or its code.
func (g *Guard) Answer(ctx context.Context, ws ids.Workspace, ref string, answer Answer) (Approval, error) {
	if answer.Scope == "" {
		answer.Scope = Once
	}
	if answer.Covers == "" {
		answer.Covers = CoversCall
	}
	answer.Words = shown(strings.TrimSpace(answer.Words), maxWords)
	policy, err := g.Policy(ctx, ws)
	if err != nil {
		return Approval{}, err
	}
	var a Approval
	err = g.db.InTx(ctx, func(tx *store.Tx) (err error) {
		if a, err = g.find(ctx, tx, ws, ref); err != nil {
			return err
		}
		a.asOf(policy, g.now())
		if err := g.mayAnswer(a, answer); err != nil {
			return err
		}
		return g.answer(ctx, tx, &a, answer)
	})
	return a, err
}

// find reads an approval by its id or, while it is asked, its code.
func (g *Guard) find(ctx context.Context, q store.Querier, ws ids.Workspace, ref string) (Approval, error) {
	statement, key := selectApproval, ref
	if !strings.HasPrefix(ref, ids.Approval("").Prefix()+"_") {
		statement, key = selectApprovalCode, strings.ToUpper(strings.TrimSpace(ref))
	}
	a, err := store.One[Approval](ctx, q, statement, ws, key)
	if errors.Is(err, store.ErrNoRows) {
		return a, noApproval(ref)
	}
	if err != nil {
		return a, fmt.Errorf("reading an approval: %w", err)
	}
	return a, nil
}

// mayAnswer checks the states and the rule of two persons.
func (g *Guard) mayAnswer(a Approval, answer Answer) error {
	move := MoveDeny
	if answer.Approve {
		move = MoveApprove
	}
	if _, ok := a.State.Move(move); !ok {
		f := fault.New(fault.Conflict, "approval_"+string(a.State), "The approval %s is %s already.", a.Code, a.State)
		if a.State == StateExpired {
			f = fault.New(fault.Gone, "approval_expired", "The approval %s has expired.", a.Code)
		}
		return f.WithHint("The agent asks again if it still wants to.").WithDetail("state", a.State)
	}
	if !answer.Approve {
		return nil
	}
	if a.TwoPerson && (answer.By == "" || answer.By == a.RequestedBy) {
		return fault.New(fault.Forbidden, "second_person_needed", "This is critical, so somebody other than the person who asked for the work has to approve it.").
			WithHint("Ask another operator or administrator of the workspace. If you work here alone, turn the rule off and answer again: fluxway guard policy --two-person off, or Safety, Policy in the browser.")
	}
	if a.Kind == KindBudget && answer.Scope != Once && answer.Scope != ForRun {
		return fault.New(fault.Invalid, "budget_for_run", "Spending beyond a budget is approved for the run that asks, and for no other.").WithParam("scope").
			WithHint("Leave the scope out, or raise the budget.")
	}
	switch answer.Scope {
	case Once:
	case ForRun, ForProject, ForTime, Always:
		if a.Severity == "critical" {
			return fault.New(fault.Invalid, "critical_once", "A critical call can be approved once only.").WithParam("scope").WithHint("Leave the scope out.")
		}
		if answer.Scope == ForRun && a.Run == "" {
			return fault.New(fault.Invalid, "no_run", "The call belongs to no run.").WithParam("scope").WithHint("Choose once, project, time or always.")
		}
	default:
		return fault.New(fault.Invalid, "bad_scope", "There is no scope %q.", answer.Scope).WithParam("scope").WithHint("It is once, run, project, time or always.")
	}
	return nil
}

func (g *Guard) answer(ctx context.Context, tx *store.Tx, a *Approval, answer Answer) error {
	now := g.now()
	move, deadline := MoveDeny, a.Deadline
	a.Scope = ""
	if answer.Approve {
		move, deadline, a.Scope = MoveApprove, now.Add(g.opts.Grant), answer.Scope
	}
	if answer.Approve && a.Kind == KindBudget {
		deadline, a.Scope = now.Add(budgetGrant), ForRun
	}
	a.State, _ = a.State.Move(move)
	a.AnsweredBy, a.AnsweredVia, a.AnsweredAt, a.Words, a.Deadline = answer.By, cut(answer.Via, 40), now, answer.Words, deadline
	n, err := tx.Exec(ctx, answerApproval, a.State, a.AnsweredBy, a.AnsweredVia, now, a.Scope, a.Words, a.Deadline, a.Workspace, a.ID)
	if err != nil {
		return fmt.Errorf("answering an approval: %w", err)
	}
	if n == 0 {
		return fault.New(fault.Conflict, "approval_answered", "Somebody else has just answered.").WithHint("Look at the approval again.")
	}
	if answer.Approve && answer.Scope != Once && a.Kind != KindBudget {
		if err := g.allowFrom(ctx, tx, *a, answer, now); err != nil {
			return err
		}
	}
	tx.AfterCommit(g.nudge)
	if err := g.tell(ctx, tx, *a); err != nil {
		return err
	}
	return g.hub.Append(ctx, tx, a.Workspace, ApprovalsChannel, Answered{About: a.about(), State: a.State, Scope: a.Scope, By: a.AnsweredBy, Via: a.AnsweredVia, Words: a.Words})
}

// Wait returns once an approval is no longer asked, or ctx ends. It hears answers that other processes took.
func (g *Guard) Wait(ctx context.Context, ws ids.Workspace, id ids.Approval) (Approval, error) {
	sub, err := g.hub.Subscribe(ctx, events.Request{Workspace: ws, Channels: []string{ApprovalsChannel}})
	if err != nil {
		return Approval{}, err
	}
	defer sub.Close()
	for {
		a, err := g.Approval(ctx, ws, id)
		if err != nil || a.State != StateAsked {
			return a, err
		}
		until, cancel := context.WithDeadline(ctx, a.Deadline)
		_, err = sub.Next(until)
		cancel()
		if err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
			return a, err
		}
	}
}

// Withdraw takes back what a run asked, in the caller's transaction: the run is over.
func (g *Guard) Withdraw(ctx context.Context, tx *store.Tx, ws ids.Workspace, run ids.Run) error {
	if run == "" {
		return nil
	}
	open, err := store.All[Approval](ctx, tx, selectOfRun, run, ws)
	if err != nil {
		return fmt.Errorf("reading the questions of %s: %w", run, err)
	}
	for _, a := range open {
		if err := g.withdraw(ctx, tx, a, "The run is over."); err != nil {
			return fmt.Errorf("withdrawing the questions of %s: %w", run, err)
		}
	}
	return nil
}

func (g *Guard) withdraw(ctx context.Context, tx *store.Tx, a Approval, words string) error {
	n, err := tx.Exec(ctx, endApproval, StateWithdrawn, words, a.ID, a.State)
	if err != nil || n == 0 || a.Kind == KindException {
		return err
	}
	a.State, a.Words = StateWithdrawn, words
	if err := g.tell(ctx, tx, a); err != nil {
		return err
	}
	return g.hub.Append(ctx, tx, a.Workspace, ApprovalsChannel, Withdrawn{a.about(), words})
}

func (g *Guard) expire(ctx context.Context, tx *store.Tx, a Approval, words string) error {
	n, err := tx.Exec(ctx, endApproval, StateExpired, words, a.ID, a.State)
	if err != nil || n == 0 || a.Kind == KindException {
		return err
	}
	a.State, a.Words = StateExpired, words
	if err := g.tell(ctx, tx, a); err != nil {
		return err
	}
	return g.hub.Append(ctx, tx, a.Workspace, ApprovalsChannel, Expired{a.about()})
}
