package runs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools"
)

// patient are the doors whose callers can wait for a person; programs that talk to agents as to models cannot.
var patient = map[string]bool{"chat": true, "mcp": true, scheduleDoor: true}

// short asks a person whether the run may spend beyond the budget that refused its turn. The run waits for the answer; a no
// ends it, with what it has done so far.
func (a *attempt) short(ctx context.Context, refused error) error {
	b, asks := costs.Asks(refused)
	root := a.root().run
	if !asks || a.d.opts.Overdraw == nil || !patient[root.Door] {
		return refused
	}
	ruling, err := a.d.opts.Overdraw(ctx, guard.Overdraft{
		Workspace: a.run.Workspace, User: a.run.User, Agent: a.run.Agent, Run: a.run.ID, Root: root.ID, Conversation: a.run.Conversation, Door: root.Door,
		Unattended: root.unattended(), Budget: b.Budget, Reason: overdraft(b), Standing: b, Resets: b.Resets,
	})
	if err != nil {
		return err
	}
	switch ruling.Verdict {
	case tools.Allow:
		a.allowance.Overdraw(b.Budget)
		return nil
	case tools.Ask:
		return a.waitForMoney(ctx, ruling)
	case tools.Refuse:
	}
	f := fault.From(refused)
	return fault.New(f.Kind, f.Code, "%s %s", f.Message, ruling.Reason).WithHint("%s", f.Hint).Because(refused)
}

// overdraft is what the person is asked.
func overdraft(b *costs.Short) string {
	text := fmt.Sprintf("The %s budget %q is used up: %s of %s are spent.", b.Period, strings.TrimSpace(b.Name), b.Unit.Show(b.Spent), b.Unit.Show(b.Limit.Limit))
	if b.Needs > 1 { // what has no price counts as the smallest amount
		text += fmt.Sprintf(" The next call may cost up to %s.", b.Unit.Show(b.Needs))
	}
	return text + " May this run, with its helpers, spend beyond it? All others are held to the budget as before. A no ends the run; what it has done is kept."
}

// waitForMoney parks the run, or says with nil that there is news and the budget is asked again.
func (a *attempt) waitForMoney(ctx context.Context, r tools.Ruling) error {
	ctx = context.WithoutCancel(ctx)
	need := tools.Need{Kind: tools.NeedApproval, Question: r.Reason, Rule: r.Rule, Ticket: r.Ticket}
	l, err := a.asking(StepApproval, guard.BudgetTool, len(a.turns)+1, need, time.Now())
	if err != nil {
		return err
	}
	news, err := a.park(ctx, []Wait{{Run: a.run.ID, Tool: guard.BudgetTool, Title: "Budget", Need: need}}, []line{l})
	if err != nil || news {
		return err
	}
	return agents.ErrParked
}
