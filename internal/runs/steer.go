package runs

import (
	"cmp"
	"context"
	"fmt"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

// Steered is what the sender of a message to a run is told.
type Steered struct {
	Run     Run         `json:"run"`
	Message ids.Message `json:"message" doc:"Its id: among the message_ids of runs.steered once the model gets it."`
}

// Steer gives a message to a run that is not over; the model gets it at the next turn. What a helper is told is said to it
// alone: the conversation does not show it, the helper's own log does.
func (d *Desk) Steer(ctx context.Context, who conversations.Asker, id ids.Run, text string) (Steered, error) {
	var s Steered
	if err := checkMessage(text); err != nil {
		return s, err
	}
	if _, err := d.visible(ctx, who, id); err != nil {
		return s, err
	}
	parts := []providers.Part{providers.Text(text)}
	err := d.opts.DB.InTx(ctx, func(tx *store.Tx) (err error) {
		if s.Run, err = store.One[Run](ctx, tx, selectRun, id); err != nil {
			return err
		}
		if err := steerable(s.Run); err != nil {
			return err
		}
		if s.Run.Parent == "" {
			var a Accepted
			err := d.steer(ctx, tx, who, s.Run, parts, &a)
			s.Message = a.Message.ID
			return err
		}
		s.Message = ids.New[ids.Message]()
		told := RunTold{s.Run.subject(), s.Message, who.User, tools.Middle(text, maxTold)}
		if err := d.say(ctx, tx, s.Run, told); err != nil {
			return err
		}
		return d.deliver(ctx, tx, s.Run, s.Message, parts)
	})
	if err != nil {
		return s, fmt.Errorf("steering %s: %w", id, err)
	}
	return s, nil
}

// maxTold bounds how much of a message to a helper its event shows.
const maxTold = 2000

// steerable answers with a fault when a run cannot be told anything any more, or not yet.
func steerable(run Run) error {
	switch {
	case run.State.Over() && run.Parent != "":
		return fault.New(fault.Conflict, "helper_over", "The helper is over: it has %s.", run.State).
			WithHint("Say it to the run it worked for: %s.", run.Parent).WithDetail("state", run.State)
	case run.State.Over():
		return fault.New(fault.Conflict, "run_state", "The run is over: it has %s.", run.State).
			WithHint("Send a message to its conversation to ask more.").WithDetail("state", run.State)
	case run.aside():
		return fault.New(fault.Conflict, "run_aside", "A replay is not told anything: it answers what was asked.").
			WithHint("Continue the chat from it once it is over.")
	case run.Job == "":
		return fault.New(fault.Conflict, "run_held", "The run waits for the one before it in its conversation.").
			WithHint("Wait for it to begin, or steer the one that goes on.").WithDetail("state", run.State)
	}
	return nil
}

// steer hands a message to the run that goes on.
func (d *Desk) steer(ctx context.Context, tx *store.Tx, who conversations.Asker, run Run, parts []providers.Part, a *Accepted) (err error) {
	parent, err := d.lastSaid(ctx, tx, run)
	if err != nil {
		return err
	}
	a.Run, a.Steered, a.Routing = run, true, nil
	a.Message, err = d.opts.Conversations.Add(ctx, tx, conversations.Message{
		Workspace: who.Workspace, Conversation: run.Conversation, Run: run.ID, Role: providers.RoleUser, Author: string(who.User),
		State: conversations.Complete, Parts: parts, Parent: parent,
	})
	if err != nil {
		return err
	}
	return d.deliver(ctx, tx, run, a.Message.ID, parts)
}

// deliver puts a message where the run looks before its next turn; to one that waits for an answer, it is the answer.
func (d *Desk) deliver(ctx context.Context, tx *store.Tx, run Run, id ids.Message, parts []providers.Part) error {
	n, err := store.One[int64](ctx, tx, signalRun, run.ID)
	if err != nil {
		return fmt.Errorf("telling %s: %w", run.ID, err)
	}
	text, err := encode(parts)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, insertInbox, run.ID, n, id, text); err != nil {
		return err
	}
	d.tell(tx, run.ID, n)
	if run.State == Waiting {
		return d.answerFreely(ctx, tx, run, parts)
	}
	return nil
}

// tell lets the attempt that works here know of a signal, once it is durable.
func (d *Desk) tell(tx *store.Tx, id ids.Run, n int64) {
	tx.AfterCommit(func() {
		d.mu.Lock()
		at := d.live[id]
		d.mu.Unlock()
		if at != nil {
			at.signal(n)
		}
	})
}

// lastSaid is the message that the answer follows: the question, or what was said since.
func (d *Desk) lastSaid(ctx context.Context, tx *store.Tx, run Run) (ids.Message, error) {
	id, err := store.One[ids.Message](ctx, tx, lastInbox, run.ID)
	return cmp.Or(id, run.Question), err
}
