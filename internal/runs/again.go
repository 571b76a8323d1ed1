package runs

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
)

// Again asks for an earlier run to be done once more.
type Again struct {
	Reason Reason
	Model  string // "": the same
	Turn   int    // of Forked: what was done up to this turn is taken over
	// Tools is what they do in a replay or a fork; "": they give what was recorded, so that nothing is done twice.
	Tools ToolMode
	Key   ids.Key
}

// Repeat answers the question of an earlier run again: beside the old answer, not instead of it. A replay and a fork
// are worked on beside the conversation, too: Continue puts their answer there.
func (d *Desk) Repeat(ctx context.Context, who conversations.Asker, id ids.Run, again Again) (Accepted, error) {
	var a Accepted
	old, err := d.visible(ctx, who, id)
	if err != nil {
		return a, err
	}
	if old.Parent != "" {
		return a, fault.New(fault.Invalid, "helper_run", "A helper cannot work alone.").WithHint("Do it with the run it worked for: %s.", old.Parent)
	}
	if !old.State.Over() {
		return a, fault.New(fault.Conflict, "run_state", "The run is still %s.", old.State).WithHint("Stop it first.").WithDetail("state", old.State)
	}
	if a.Conversation, err = d.opts.Conversations.Get(ctx, who, old.Conversation); err != nil {
		return a, err
	}
	if a.Message, err = d.opts.Conversations.Message(ctx, who, old.Conversation, old.Question); err != nil {
		return a, err
	}
	agent, err := d.opts.Agents.Get(ctx, who.Workspace, old.Agent)
	if err != nil {
		return a, err
	}
	if again.Reason == Forked && (again.Turn < 1 || again.Turn > old.Turns) {
		return a, fault.New(fault.Invalid, "no_such_turn", "The run has the turns 1 to %d.", old.Turns).WithParam("turn")
	}
	run := Run{
		ID: ids.New[ids.Run](), Workspace: who.Workspace, Conversation: old.Conversation, User: who.User, Key: again.Key, Door: old.Door, Project: old.Project,
		Agent: agent.Name, Model: cmp.Or(again.Model, old.Model), State: Queued, Question: old.Question, Answer: ids.New[ids.Message](), Title: old.Title,
		Origin: old.ID, Reason: again.Reason, Tools: again.tools(), CreatedAt: time.Now().UTC().Truncate(time.Microsecond),
	}
	err = d.opts.DB.InTx(ctx, func(tx *store.Tx) error { return d.repeat(ctx, tx, &a, &run, again.Turn) })
	if err != nil {
		return a, fmt.Errorf("repeating %s: %w", id, err)
	}
	a.Run = run
	return a, nil
}

// tools is what the tools of the new run do; only those of one that works beside the conversation can do anything but work.
func (a Again) tools() ToolMode {
	if a.Reason != Replayed && a.Reason != Forked {
		return ""
	}
	return cmp.Or(a.Tools, ToolsRecorded)
}

func (d *Desk) repeat(ctx context.Context, tx *store.Tx, a *Accepted, run *Run, turn int) error {
	if !run.aside() {
		open, err := d.open(ctx, tx, a.Conversation)
		if err != nil {
			return err
		}
		if open != nil {
			return goingOn(open)
		}
	}
	if turn > 0 {
		if _, err := tx.Exec(ctx, copySteps, run.ID, run.Origin, turn); err != nil {
			return fmt.Errorf("taking over the journal of %s: %w", run.Origin, err)
		}
	}
	var err error
	if run.Job, err = d.enqueue(ctx, tx, *run); err != nil {
		return err
	}
	if err := d.insert(ctx, tx, *run); err != nil {
		return err
	}
	return d.say(ctx, tx, *run, RunQueued{run.subject(), run.Question})
}

// Regenerate answers a message again. For an answer that is its own question; for a question, itself.
func (d *Desk) Regenerate(ctx context.Context, who conversations.Asker, c ids.Conversation, m ids.Message, again Again) (Accepted, error) {
	message, err := d.opts.Conversations.Message(ctx, who, c, m)
	if err != nil {
		return Accepted{}, err
	}
	if message.Run == "" {
		return Accepted{}, fault.New(fault.Conflict, "no_run", "No run belongs to this message.").WithHint("Edit it to have it answered.")
	}
	return d.Repeat(ctx, who, message.Run, again)
}

// Edit asks something else in place of an earlier message: a new branch that begins where the old message stood.
func (d *Desk) Edit(ctx context.Context, who conversations.Asker, c ids.Conversation, m ids.Message, r Request) (Accepted, error) {
	message, err := d.opts.Conversations.Message(ctx, who, c, m)
	if err != nil {
		return Accepted{}, err
	}
	if message.Role != providers.RoleUser {
		return Accepted{}, fault.New(fault.Invalid, "not_a_question", "Only what a person said can be edited.").WithHint("Regenerate an answer instead.")
	}
	r.Conversation, r.Parent, r.opens, r.reason, r.origin = c, message.Parent, message.Parent == "", Edited, message.Run
	if r.Agent == "" && message.Run != "" {
		if old, err := d.visible(ctx, who, message.Run); err == nil {
			r.Agent = old.Agent
		}
	}
	return d.Start(ctx, who, r)
}

// MaxBroadcast is how many agents one message can be sent to.
const MaxBroadcast = 16

// Broadcast asks several agents the same, each in a conversation of its own.
func (d *Desk) Broadcast(ctx context.Context, who conversations.Asker, names []string, r Request) ([]Accepted, error) {
	if len(names) == 0 || len(names) > MaxBroadcast {
		return nil, fault.New(fault.Invalid, "how_many_agents", "A message can be sent to 1 to %d agents.", MaxBroadcast).WithParam("agents")
	}
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			return nil, fault.New(fault.Invalid, "agent_twice", "%s is there twice.", name).WithParam("agents")
		}
		seen[name] = true
		if _, err := d.opts.Agents.Get(ctx, who.Workspace, name); err != nil {
			return nil, err
		}
	}
	var all []Accepted
	for _, name := range names {
		r.Agent, r.Conversation, r.reason = name, "", Broadcasted
		a, err := d.Start(ctx, who, r)
		if err != nil {
			return all, err
		}
		if r.origin == "" {
			r.origin = a.Run.ID
		}
		all = append(all, a)
	}
	return all, nil
}
