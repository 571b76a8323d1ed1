package guard

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/guard/command"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

// settle turns what the chain found into a ruling, with earlier answers of people.
func (g *Guard) settle(ctx context.Context, j *judging, f finding) (tools.Ruling, error) {
	onlyAllowed := j.call.Unattended && j.policy.Unattended == OnlyAllowed && !j.spec.ReadOnly
	if f.action == Permit && !onlyAllowed {
		return tools.Ruling{Verdict: tools.Allow, Rule: f.rule, Reason: f.reason}, nil
	}
	if f.final {
		return tools.Ruling{Verdict: tools.Refuse, Rule: f.rule, Reason: f.reason, Hint: f.hint}, nil
	}
	lasting := *j // what asks people outlives the call, which would then be no call of the stack
	return g.consult(ctx, &lasting, f)
}

// consult looks for earlier answers of people, and asks where there are none.
func (g *Guard) consult(ctx context.Context, j *judging, f finding) (tools.Ruling, error) {
	critical := f.severity == command.Critical
	hash, anywhere, err := j.hashes()
	if err != nil {
		return tools.Ruling{}, err
	}
	if j.call.Approval != "" && f.action != Permit {
		if !strings.HasPrefix(j.call.Approval, ids.Approval("").Prefix()+"_") {
			return refusedAs("guard.approval_unknown", "There is no approval "+cut(j.call.Approval, 40)+".", ""), nil
		}
		return g.redeem(ctx, j, hash, ids.Approval(j.call.Approval))
	}
	entry, ok, err := g.allowed(ctx, j, anywhere)
	if err != nil {
		return tools.Ruling{}, err
	}
	if ok && !critical {
		return tools.Ruling{Verdict: tools.Allow, Rule: "guard.allowed", Reason: "Somebody allowed it: " + entry.Note, Ticket: string(entry.ID)}, nil
	}
	if f.action == Permit { // and only what is listed may run
		return tools.Ruling{Verdict: tools.Refuse, Rule: "guard.unattended", Reason: "Nobody watches this run, so it may change only what is on the list of what is allowed.",
			Hint: "Do without it, or leave it for a person."}, nil
	}
	return g.ask(ctx, j, f, hash, anywhere)
}

func refusedAs(rule, reason, hint string) tools.Ruling {
	return tools.Ruling{Verdict: tools.Refuse, Rule: rule, Reason: reason, Hint: hint}
}

// redeem looks at the answer to a call that was asked about before.
func (g *Guard) redeem(ctx context.Context, j *judging, hash string, id ids.Approval) (tools.Ruling, error) {
	var ruling tools.Ruling
	err := g.db.InTx(ctx, func(tx *store.Tx) error {
		a, err := store.One[Approval](ctx, tx, selectApproval, j.call.Workspace, id)
		if errors.Is(err, store.ErrNoRows) {
			ruling = refusedAs("guard.approval_unknown", "There is no approval "+cut(string(id), 40)+".", "")
			return nil
		}
		if err != nil {
			return err
		}
		ruling = answerTo(a, hash, g.now())
		if ruling.Verdict != tools.Allow {
			return nil
		}
		n, err := tx.Exec(ctx, useApproval, g.now(), j.call.Workspace, a.ID)
		if err == nil && n == 0 { // another process was quicker
			ruling = usedUp(a)
		}
		return err
	})
	if err != nil {
		return tools.Ruling{}, fmt.Errorf("looking up an approval: %w", err)
	}
	return ruling, nil
}

// answerTo is what an approval means for a call with this hash.
func answerTo(a Approval, hash string, now time.Time) tools.Ruling {
	if a.Hash != hash {
		return refusedAs("guard.approval_mismatch", "The approval is for another call: the command, the arguments, the folder or the agent differ.", "Make exactly the call that was approved, or ask again.")
	}
	if a.expired(now) {
		a.State = StateExpired
	}
	switch a.State {
	case StateApproved:
		return tools.Ruling{Verdict: tools.Allow, Rule: "guard.approved", Reason: because("A person approved it", a.Words), Ticket: string(a.ID)}
	case StateAsked:
		return tools.Ruling{Verdict: tools.Ask, Rule: a.Rule, Reason: a.Reason, Ticket: string(a.ID)}
	case StateDenied:
		return refusedAs("guard.denied", because("A person said no", a.Words), "Do not try it again in another way; ask the person what they want instead.")
	case StateUsed:
		return usedUp(a)
	case StateWithdrawn:
		return refusedAs("guard.withdrawn", because("The question was taken back", a.Words), "Make the call without it to ask again.")
	case StateExpired:
	}
	return refusedAs("guard.expired", "Nobody answered in time, or the approval was not used in time.", "Go on without it, or ask again later.")
}

func usedUp(Approval) tools.Ruling {
	return refusedAs("guard.approval_used", "The approval was for one call and is used up.", "Make the call without it to ask again.")
}

func because(what, words string) string {
	if words == "" {
		return what + "."
	}
	return what + ": " + words
}

// ask finds or makes the question to a person. A call that is refused leaves one too, for an exception.
func (g *Guard) ask(ctx context.Context, j *judging, f finding, hash, anywhere string) (tools.Ruling, error) {
	now := g.now()
	kind := KindAsk
	if f.action == Forbid {
		kind = KindException
	}
	if kind == KindAsk && j.call.Unattended && j.policy.Unattended != WaitUnattended {
		return refusedAs("guard.unattended", "Nobody watches this run who could be asked: "+f.reason, "Do without it, or leave it for a person."), nil
	}
	fresh := g.newApproval(j, f, kind, now)
	fresh.Hash, fresh.Anywhere = hash, anywhere
	var ruling tools.Ruling
	err := g.db.InTx(ctx, func(tx *store.Tx) error {
		open, err := store.One[Approval](ctx, tx, selectOpen, j.call.Workspace, hash, now, j.call.Run)
		switch {
		case err == nil && open.State == StateApproved:
			ruling = answerTo(open, hash, now)
			n, err := tx.Exec(ctx, useApproval, now, j.call.Workspace, open.ID)
			if err == nil && n == 0 {
				ruling = usedUp(open)
			}
			return err
		case err == nil:
			ruling = open.question(f)
			return nil
		case !errors.Is(err, store.ErrNoRows):
			return err
		}
		a, err := g.insertApproval(ctx, tx, fresh)
		if err != nil {
			return err
		}
		ruling = a.question(f)
		if kind == KindException {
			return nil
		}
		tx.AfterCommit(g.nudge)
		return g.hub.Append(ctx, tx, a.Workspace, ApprovalsChannel, Asked{
			About: a.about(), Code: a.Code, Question: a.Reason, Command: cut(a.Command, 4000), Rule: a.Rule, Severity: a.Severity, TwoPerson: a.TwoPerson, Deadline: a.Deadline,
		})
	})
	if err != nil {
		return tools.Ruling{}, fmt.Errorf("asking a person: %w", err)
	}
	return ruling, nil
}

// question is the ruling of a call that waits for this approval, or that was refused beside it.
func (a Approval) question(f finding) tools.Ruling {
	r := tools.Ruling{Verdict: tools.Ask, Rule: a.Rule, Reason: a.Reason, Hint: f.hint, Ticket: string(a.ID)}
	if a.Kind == KindException {
		r.Verdict = tools.Refuse
		exception := "A person can make an exception with the code " + a.Code + "."
		if a.TwoPerson {
			exception = "A person other than the one who asked for this can make an exception with the code " + a.Code + "."
		}
		r.Hint = strings.TrimSpace(f.hint + "\n" + exception)
	}
	return r
}

func (g *Guard) newApproval(j *judging, f finding, kind string, now time.Time) Approval {
	deadline := j.policy.Deadline.Std()
	switch {
	case kind == KindException:
		deadline = max(deadline, time.Hour)
	case j.call.Unattended:
		deadline = j.policy.UnattendedDeadline.Std()
	}
	a := Approval{
		ID: ids.New[ids.Approval](), Workspace: j.call.Workspace, Kind: kind, State: StateAsked, Tool: j.spec.Name, RunsCommand: j.runs,
		Args: shown(string(j.call.Args), maxShown), Folder: j.call.Folder, Dir: j.dir, Agent: j.call.Agent, Run: j.call.Run, Conversation: j.call.Conversation,
		Call: j.call.ID, Door: j.call.Door, Unattended: j.call.Unattended, RequestedBy: j.call.User, Rule: f.rule, Reason: shown(f.reason, maxWords),
		Alternative: shown(f.alternative, maxWords), TwoPerson: j.policy.TwoPerson && f.severity == command.Critical, AskedAt: now, Deadline: now.Add(deadline),
	}
	if f.severity != command.None {
		a.Severity = f.severity.String()
	}
	if j.runs {
		a.Command = shown(j.command, maxShown)
	}
	if a.Reason == "" {
		a.Reason = "May " + j.spec.Name + " run?"
	}
	return a
}

// insertApproval gives the approval a code that no other open one has.
func (g *Guard) insertApproval(ctx context.Context, tx *store.Tx, a Approval) (Approval, error) {
	for range 20 {
		a.Code = newCode()
		n, err := tx.Exec(ctx, insertApproval, a.ID, a.Workspace, a.Code, a.Kind, a.State, a.Hash, a.Anywhere, a.RunsCommand, a.Tool, a.Args, a.Command, a.Folder, a.Dir, a.Agent, a.Run,
			a.Conversation, a.Call, a.Door, a.Unattended, a.RequestedBy, a.Rule, a.Severity, a.Reason, a.Alternative, a.TwoPerson, a.AskedAt, a.Deadline)
		if err != nil || n > 0 {
			return a, err
		}
	}
	return a, errors.New("no free code for an approval was found")
}
