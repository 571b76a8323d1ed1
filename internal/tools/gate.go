package tools

import (
	"context"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Gate judges every call before it runs. Its error, and a verdict it does not
// know, mean refuse.
type Gate interface {
	// Judge sees the arguments exactly as the tool will get them.
	Judge(ctx context.Context, spec Spec, call Call) (Ruling, error)
}

// Punctual is a Gate or a Tool that promises to end when its ctx does, whatever it waits for. It is then run by the caller itself,
// and not by somebody who can be left behind: handing a call over costs more than most calls.
type Punctual interface{ Punctual() }

// Warms is a Gate that makes something before its first rulings, which the calls that come meanwhile all wait for.
type Warms interface {
	// Cold says whether a ruling on the call needs something that is not made yet.
	Cold(spec Spec, call Call) bool
	// Warm makes it, and returns at the latest when ctx ends. What goes wrong is the ruling's to say.
	Warm(ctx context.Context)
}

// Verdict is the heart of a ruling.
type Verdict string

// The verdicts.
const (
	Allow  Verdict = "allow"
	Ask    Verdict = "ask"    // a person first
	Refuse Verdict = "refuse" // never
)

// Ruling is the gate's answer to a call.
type Ruling struct {
	Verdict Verdict `json:"verdict"`
	Rule    string  `json:"rule,omitempty"`   // the rule that decided
	Reason  string  `json:"reason,omitempty"` // a sentence
	Hint    string  `json:"hint,omitempty"`   // what to do instead
	Ticket  string  `json:"ticket,omitempty"` // of Ask: what a granted approval is called; of Allow: the approval it rests on
}

// Auditor keeps the journal of calls.
type Auditor interface {
	// Started is told before a call runs; if it fails, the call does not run.
	Started(ctx context.Context, e Entry) error
	// Finished is told of every judged call, also one that was refused or waits for a
	// person: then Entry.At is when it was judged. ctx outlives the caller's.
	Finished(ctx context.Context, e Entry) error
}

// Entry is one line of the journal.
type Entry struct {
	ID     ids.ToolCall // the same when a call starts and when it finishes
	Spec   Spec
	Call   Call
	Ruling Ruling
	At     time.Time
	Took   time.Duration // of Finished
	Result Result        // of Finished
}

// closed is the gate of a toolbox that was given none: looking is allowed.
type closed struct{}

func (closed) Judge(_ context.Context, spec Spec, _ Call) (Ruling, error) {
	if spec.Level == Public && spec.ReadOnly && !spec.Network {
		return Ruling{Verdict: Allow, Rule: "tools.reading_only", Reason: "The tool only looks."}, nil
	}
	return Ruling{Verdict: Refuse, Rule: "tools.no_gate", Reason: "No guard is running, so only tools that look may be used.",
		Hint: "Use a tool that reads, or tell the person that the guard is off."}, nil
}

// refusal is what the model reads when a call may not run.
func refusal(spec Spec, r Ruling) Result {
	reason := r.Reason
	if reason == "" {
		reason = "A rule forbids it."
	}
	f := fault.New(fault.Forbidden, "tool_refused", "%s was refused: %s", spec.Name, reason)
	if r.Hint != "" {
		f = f.WithHint("%s", r.Hint)
	}
	return Fails(f)
}

// waiting is the result of a call that a person has to approve first.
func waiting(spec Spec, r Ruling) Result {
	question := r.Reason
	if question == "" {
		question = "May " + spec.Name + " run?"
	}
	return Result{Code: "approval_needed", Needs: &Need{Kind: NeedApproval, Question: question, Rule: r.Rule, Ticket: r.Ticket}}
}
