package runs

import (
	"context"
	"fmt"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// aside says whether a run works beside its conversation: nothing of it is said there, nobody waits for it there, and
// its answer is put there only by Continue.
func (r Run) aside() bool { return r.Reason == Replayed || r.Reason == Forked || r.Reason == Tried }

// Continued is where a chat goes on.
type Continued struct {
	Conversation conversations.Conversation `json:"conversation"`
	Message      ids.Message                `json:"message" doc:"The answer of the run, now on the branch that is shown."`
}

// Continue shows the branch of a run's answer in its conversation, and puts the answer there first if it is not: beside
// the others, so that showing one of those undoes it. Done twice it changes nothing more.
func (d *Desk) Continue(ctx context.Context, who conversations.Asker, id ids.Run) (Continued, error) {
	run, err := d.visible(ctx, who, id)
	if err != nil {
		return Continued{}, err
	}
	if err := continuable(run); err != nil {
		return Continued{}, err
	}
	if _, err := d.opts.Conversations.Get(ctx, who, run.Conversation); err != nil {
		return Continued{}, err
	}
	if _, err := d.opts.Conversations.Message(ctx, who, run.Conversation, run.Question); err != nil {
		return Continued{}, err
	}
	turns, recall, err := d.past(ctx, run.ID)
	if err != nil {
		return Continued{}, err
	}
	out := Continued{Message: run.Answer}
	show := func(tx *store.Tx) (err error) {
		if err := d.join(ctx, tx, run, turns, recall); err != nil {
			return err
		}
		out.Conversation, err = d.opts.Conversations.Show(ctx, tx, run.Workspace, run.Conversation, run.Answer)
		return err
	}
	err = d.opts.DB.InTx(ctx, show)
	if d.opts.DB.IsUnique(err) { // another process has put it there in the same moment
		err = d.opts.DB.InTx(ctx, show)
	}
	if err != nil {
		return Continued{}, fmt.Errorf("continuing from %s: %w", id, err)
	}
	return out, nil
}

func continuable(run Run) error {
	switch {
	case run.Parent != "":
		return fault.New(fault.Invalid, "helper_run", "A helper's answer is not part of the chat.").WithHint("Continue from the run it worked for: %s.", run.Parent)
	case !run.State.Over():
		return fault.New(fault.Conflict, "run_state", "The run is still %s.", run.State).WithHint("Wait for its answer.").WithDetail("state", run.State)
	case run.State != Finished:
		return fault.New(fault.Conflict, "run_state", "The run has %s, so there is no answer to continue from.", run.State).
			WithHint("Replay it first.").WithDetail("state", run.State)
	}
	return nil
}

// past is what a run that is over has said and done, as far as it is kept.
func (d *Desk) past(ctx context.Context, run ids.Run) ([]*agents.Turn, *recollection, error) {
	j, err := d.read(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	return j.turns, j.recall, nil
}

// errForgotten says that the steps of a run are past their time.
var errForgotten = fault.New(fault.Conflict, "steps_gone", "What this run said and did is not kept any more.").WithHint("Replay the request again.")

// join puts the answer of a run that worked beside its conversation into it, unless it is there.
func (d *Desk) join(ctx context.Context, tx *store.Tx, run Run, turns []*agents.Turn, recall *recollection) error {
	open, err := d.open(ctx, tx, conversations.Conversation{ID: run.Conversation, Workspace: run.Workspace})
	if err != nil {
		return err
	}
	if open != nil {
		return goingOn(open)
	}
	if known, err := d.opts.Conversations.Has(ctx, tx, run.Workspace, run.Conversation, run.Answer); known || err != nil {
		return err
	}
	if len(turns) == 0 {
		return errForgotten
	}
	sum := totals{turns: run.Turns, calls: run.Calls, spent: run.Spent}
	if run.Usage != nil {
		sum.usage = *run.Usage
	}
	added, err := d.keep(ctx, tx, closing{run: run, to: run.State, turns: turns, sum: sum, recall: recall})
	if err == nil && added == "" {
		return fault.New(fault.Conflict, "no_answer", "The run has said nothing to continue from.").WithHint("Replay it with another model.")
	}
	return err
}
