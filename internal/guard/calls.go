package guard

import (
	"context"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

// Outcome is how a call ended.
type Outcome string

// The outcomes.
const (
	OutcomeStarted   Outcome = "started" // it runs, or the process died meanwhile
	OutcomeOK        Outcome = "ok"
	OutcomeError     Outcome = "error"
	OutcomeRefused   Outcome = "refused"
	OutcomeWaiting   Outcome = "waiting" // for a person
	OutcomeCancelled Outcome = "cancelled"
)

// maxArgs is how much of the arguments a row keeps.
const maxArgs = 8 << 10

// ToolCall is one row of the journal.
type ToolCall struct {
	ID            ids.ToolCall     `db:"id" json:"id"`
	Workspace     ids.Workspace    `db:"workspace_id" json:"-"`
	At            time.Time        `db:"at" json:"at"`
	Door          string           `db:"door" json:"door,omitempty"`
	User          ids.User         `db:"user_id" json:"user,omitempty"`
	Agent         string           `db:"agent" json:"agent,omitempty"`
	Run           ids.Run          `db:"run_id" json:"run,omitempty"`
	Conversation  ids.Conversation `db:"conversation_id" json:"conversation,omitempty"`
	Turn          string           `db:"turn" json:"turn,omitempty"`
	Call          string           `db:"call_id" json:"call,omitempty"` // the model's id for it
	Tool          string           `db:"tool" json:"tool"`
	Origin        string           `db:"origin" json:"origin"`
	Level         tools.Level      `db:"level" json:"level"`
	Folder        string           `db:"folder" json:"folder,omitempty"`
	Args          string           `db:"args" json:"args"` // redacted and cut
	ArgsSize      int64            `db:"args_size" json:"args_size"`
	Verdict       tools.Verdict    `db:"verdict" json:"verdict"`
	Rule          string           `db:"rule" json:"rule,omitempty"`
	Reason        string           `db:"reason" json:"reason,omitempty"`
	Ticket        string           `db:"ticket" json:"ticket,omitempty"` // the approval or the entry it rests on or waits for
	ApprovedBy    ids.User         `db:"approved_by" json:"approved_by,omitempty"`
	Outcome       Outcome          `db:"outcome" json:"outcome"`
	Code          string           `db:"code" json:"code,omitempty"`
	Took          int64            `db:"took" json:"took_us"`
	ResultSize    int64            `db:"result_size" json:"result_size"`
	Truncated     bool             `db:"truncated" json:"truncated"`
	Feedback      Feedback         `db:"feedback" json:"feedback,omitempty"`
	FeedbackBy    ids.User         `db:"feedback_by" json:"feedback_by,omitempty"`
	FeedbackWords string           `db:"feedback_words" json:"feedback_words,omitempty"`
}

// row makes the row of an entry, without secrets.
func row(e *tools.Entry, outcome Outcome) ToolCall {
	c := ToolCall{
		ID: e.ID, Workspace: e.Call.Workspace, At: e.At, Door: e.Call.Door, User: e.Call.User, Agent: e.Call.Agent, Run: e.Call.Run,
		Conversation: e.Call.Conversation, Turn: e.Call.Turn, Call: e.Call.ID, Tool: e.Spec.Name, Origin: e.Spec.Origin, Level: e.Spec.Level,
		Folder: e.Call.Folder, Args: shown(string(e.Call.Args), maxArgs), ArgsSize: int64(len(e.Call.Args)), Verdict: e.Ruling.Verdict,
		Rule: e.Ruling.Rule, Reason: shown(e.Ruling.Reason, maxWords), Ticket: e.Ruling.Ticket, Outcome: outcome, Took: e.Took.Microseconds(),
	}
	if outcome != OutcomeStarted {
		c.Code, c.Truncated, c.ResultSize = e.Result.Code, e.Result.Truncated, size(&e.Result)
	}
	return c
}

func outcomeOf(e *tools.Entry) Outcome {
	switch {
	case e.Ruling.Verdict == tools.Ask:
		return OutcomeWaiting
	case e.Ruling.Verdict != tools.Allow:
		return OutcomeRefused
	case e.Result.Code == "cancelled":
		return OutcomeCancelled
	case e.Result.IsError:
		return OutcomeError
	}
	return OutcomeOK
}

// size is how much a result carries; of one that was cut, how much it was.
func size(r *tools.Result) int64 {
	if r.Full != nil {
		return r.Full.Size
	}
	n := 0
	for i := range r.Parts {
		p := &r.Parts[i]
		n += len(p.Text) + len(p.JSON) + len(p.Data)
	}
	return int64(n)
}

// journals says whether a call has a row before it runs: if it can leave traces, somebody must be able to see that
// it was begun. What only looks, or writes notes that it may write again, has one row, written when it ended.
func journals(spec *tools.Spec) bool {
	return !spec.ReadOnly && (spec.Level != tools.Public || !spec.Repeatable)
}

// Started writes the row of a call that may change something, and keeps what it may change.
func (g *Guard) Started(ctx context.Context, e tools.Entry) error {
	if !journals(&e.Spec) {
		return nil
	}
	c := row(&e, OutcomeStarted)
	if err := g.write(ctx, &c); err != nil {
		return err
	}
	g.snapshot(ctx, &e)
	return nil
}

// Finished writes how a call ended, also one that never ran.
func (g *Guard) Finished(ctx context.Context, e tools.Entry) error {
	if e.Ruling.Verdict == tools.Allow {
		g.snapped(ctx, &e)
	}
	c := row(&e, outcomeOf(&e))
	if c.Outcome == OutcomeRefused {
		return g.refused(ctx, c)
	}
	return g.write(ctx, &c)
}

// refused writes the row of a call that may not run, and says so.
func (g *Guard) refused(ctx context.Context, c ToolCall) error {
	err := g.db.InTx(ctx, func(tx *store.Tx) error {
		if err := putRows(ctx, tx, []*ToolCall{&c}); err != nil {
			return err
		}
		if c.Rule == "guard.rate" { // a loop that is slowed down is no news
			return nil
		}
		return g.hub.Append(ctx, tx, c.Workspace, Channel, Refused{
			About: About{Approval: approvalOf(c.Ticket), Tool: c.Tool, Agent: c.Agent, Run: c.Run, Conversation: c.Conversation, User: c.User},
			Rule:  c.Rule, Reason: c.Reason, Door: c.Door,
		})
	})
	if err != nil {
		return fmt.Errorf("writing the journal of calls: %w", err)
	}
	return nil
}

// write keeps a row: in the journal if there is one, else in the database.
func (g *Guard) write(ctx context.Context, c *ToolCall) error {
	if g.journal == nil {
		return g.writeRows(ctx, []ToolCall{*c})
	}
	waiting, err := g.journal.add(c)
	if err != nil || waiting < journalRows {
		return err
	}
	return g.Flush(ctx)
}

func approvalOf(ticket string) ids.Approval {
	id, err := ids.Parse[ids.Approval](ticket)
	if err != nil {
		return ""
	}
	return id
}
