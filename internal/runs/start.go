package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
)

// Mode says what becomes of a message for a conversation whose run is still going on.
type Mode string

// The modes.
const (
	Steer     Mode = "steer"     // the run gets it at its next turn
	Queue     Mode = "queue"     // a run of its own, after the one that goes on
	Interrupt Mode = "interrupt" // the run is stopped, then a new one starts
)

// Request asks an agent something.
type Request struct {
	Agent        string // "": one is picked
	Message      string
	Attachments  []ids.Attachment // of the message
	Conversation ids.Conversation // "": a new one
	Parent       ids.Message      // the message it follows; "": the last one that is shown
	Model        string           // "": the agent's own
	Mode         Mode             // "": Steer
	Project      string
	Door         string // "": chat
	Key          ids.Key

	id     ids.Run // "": a new one
	reason Reason
	origin ids.Run
	opens  bool // it stands at the beginning of the conversation
}

// Accepted is what the asker is told at once.
type Accepted struct {
	Run          Run                        `json:"run"`
	Conversation conversations.Conversation `json:"conversation"`
	Message      conversations.Message      `json:"message"`
	Steered      bool                       `json:"steered,omitempty" doc:"The run was going on already and gets the message at its next turn."`
	Routing      *Routing                   `json:"routing,omitempty" doc:"Which agent was picked, if none was named."`
}

// Start accepts a request: once it returns, the request survives anything.
func (d *Desk) Start(ctx context.Context, who conversations.Asker, r Request) (Accepted, error) {
	var a Accepted
	if err := checkMessage(r.Message); err != nil {
		return a, err
	}
	var err error
	if r.Conversation != "" {
		if a.Conversation, err = d.opts.Conversations.Get(ctx, who, r.Conversation); err != nil {
			return a, err
		}
	}
	agent, err := d.choose(ctx, who, &r, &a)
	if err != nil {
		return a, err
	}
	existing := a.Conversation
	var interrupted *Run
	err = d.opts.DB.InTx(ctx, func(tx *store.Tx) (err error) {
		a.Conversation, interrupted = existing, nil
		if existing.ID == "" {
			if a.Conversation, err = d.opts.Conversations.Open(ctx, tx, who, agent.Name, r.Message); err != nil {
				return err
			}
		}
		parts, err := d.parts(ctx, tx, who, r, a.Conversation.ID)
		if err != nil {
			return err
		}
		open, err := d.open(ctx, tx, a.Conversation)
		if err != nil {
			return err
		}
		if open != nil && r.reason == "" && cmp.Or(r.Mode, Steer) == Steer {
			return d.steer(ctx, tx, who, *open, parts, &a)
		}
		if open != nil && r.reason == Edited {
			return goingOn(open)
		}
		if r.Mode == Interrupt {
			interrupted = open
		}
		return d.accept(ctx, tx, who, agent, r, parts, &a, open)
	})
	if err != nil {
		return a, fmt.Errorf("starting a run: %w", err)
	}
	if interrupted != nil {
		if err := d.stop(ctx, *interrupted); err != nil && fault.From(err).Code != "run_state" && fault.From(err).Code != "job_state" {
			return a, fmt.Errorf("interrupting %s: %w", interrupted.ID, err)
		}
	}
	return a, nil
}

func goingOn(run *Run) error {
	return fault.New(fault.Conflict, "run_going_on", "The conversation has a run that is still %s.", run.State).
		WithHint("Wait for it, or stop it.").WithDetail("run", run.ID)
}

// choose finds the agent that was named, or picks one.
func (d *Desk) choose(ctx context.Context, who conversations.Asker, r *Request, a *Accepted) (agents.Agent, error) {
	if r.Agent == "" {
		r.Agent = a.Conversation.Agent
	}
	if r.Agent == "" {
		routing := Routing{Agent: "assistant", Why: "It is the one that takes everything.", How: "default"}
		if d.opts.Route != nil {
			var err error
			if routing, err = d.opts.Route(ctx, who, r.Message); err != nil {
				return agents.Agent{}, err
			}
		}
		r.Agent, a.Routing = routing.Agent, &routing
	}
	agent, err := d.opts.Agents.Get(ctx, who.Workspace, r.Agent)
	agent.Model = cmp.Or(r.Model, agent.Model)
	return agent, err
}

// parts is the message with what is attached to it.
func (d *Desk) parts(ctx context.Context, tx *store.Tx, who conversations.Asker, r Request, c ids.Conversation) ([]providers.Part, error) {
	if len(r.Attachments) == 0 {
		return []providers.Part{providers.Text(r.Message)}, nil
	}
	files, err := d.opts.Conversations.Use(ctx, tx, who, c, r.Attachments)
	return append(files, providers.Text(r.Message)), err
}

// open finds the run of a conversation that is not over.
func (d *Desk) open(ctx context.Context, tx *store.Tx, c conversations.Conversation) (*Run, error) {
	run, err := store.One[Run](ctx, tx, selectOpen, c.ID, c.Workspace)
	if errors.Is(err, store.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for the run of %s: %w", c.ID, err)
	}
	return &run, nil
}

// accept makes the run and, unless another goes on, its message and its job.
func (d *Desk) accept(ctx context.Context, tx *store.Tx, who conversations.Asker, agent agents.Agent, r Request, parts []providers.Part, a *Accepted, behind *Run) (err error) {
	run := Run{
		ID: cmp.Or(r.id, ids.New[ids.Run]()), Workspace: who.Workspace, Conversation: a.Conversation.ID, User: who.User, Key: r.Key, Door: cmp.Or(r.Door, "chat"),
		Project: cmp.Or(r.Project, a.Conversation.Project), Agent: agent.Name, Model: agent.Model, State: Queued, Title: clip(r.Message, 200),
		Origin: r.origin, Reason: r.reason, CreatedAt: time.Now().UTC().Truncate(time.Microsecond),
	}
	run.Question = ids.New[ids.Message]()
	a.Message = conversations.Message{
		ID: run.Question, Workspace: who.Workspace, Conversation: run.Conversation, Run: run.ID, Role: providers.RoleUser, Author: string(who.User),
		State: conversations.Complete, Parts: parts, Parent: r.Parent, Opens: r.opens,
	}
	if behind != nil { // the message is said when its turn comes
		run.Task = r.Message
		text, err := encode(parts)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, insertInbox, run.ID, 0, run.Question, text); err != nil {
			return err
		}
	} else {
		if a.Message, err = d.opts.Conversations.Add(ctx, tx, a.Message); err != nil {
			return err
		}
		if run.Job, err = d.enqueue(ctx, tx, run); err != nil {
			return err
		}
	}
	run.Answer = ids.New[ids.Message]()
	if err := d.insert(ctx, tx, run); err != nil {
		return err
	}
	a.Run = run
	if err := d.say(ctx, tx, run, RunQueued{run.subject(), run.Question}); err != nil || a.Routing == nil {
		return err
	}
	return d.routed(ctx, tx, run, *a.Routing)
}

func (d *Desk) insert(ctx context.Context, tx *store.Tx, run Run) error {
	_, err := tx.Exec(ctx, insertRun, run.ID, run.Workspace, run.Conversation, run.Parent, run.User, run.Key, run.Door, run.Project, run.Agent, run.Model,
		run.Question, run.Answer, run.Job, run.Call, run.Depth, run.Title, run.Task, run.Origin, run.Reason, run.Tools, run.CreatedAt)
	if err != nil {
		return fmt.Errorf("adding a run: %w", err)
	}
	return nil
}

// enqueue makes the job of a run's next attempt.
func (d *Desk) enqueue(ctx context.Context, tx *store.Tx, run Run) (ids.Job, error) {
	return d.opts.Jobs.Enqueue(ctx, tx, jobs.Request{
		Workspace: run.Workspace, Kind: jobKind, Args: jobArgs{run.ID}, UniqueKey: fmt.Sprintf("%s/%d", run.ID, run.Attempt),
	})
}

// release lets the next run of a conversation begin, now that the one before it is over.
func (d *Desk) release(ctx context.Context, tx *store.Tx, before Run) error {
	if before.Parent != "" || before.aside() {
		return nil
	}
	run, err := store.One[Run](ctx, tx, selectHeld, before.Conversation)
	if errors.Is(err, store.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking for the next run: %w", err)
	}
	held, err := store.One[letter](ctx, tx, selectInbox, run.ID, -1)
	if err != nil {
		return fmt.Errorf("reading what %s was asked: %w", run.ID, err)
	}
	parts, err := decode[[]providers.Part](held.Parts)
	if err != nil {
		return err
	}
	_, err = d.opts.Conversations.Add(ctx, tx, conversations.Message{
		ID: run.Question, Workspace: run.Workspace, Conversation: run.Conversation, Run: run.ID, Role: providers.RoleUser, Author: string(run.User),
		State: conversations.Complete, Parts: parts,
	})
	if err != nil {
		return err
	}
	job, err := d.enqueue(ctx, tx, run)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, assignJob, job, run.ID)
	return err
}

func checkMessage(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return fault.New(fault.Invalid, "empty_message", "The message is empty.").WithParam("message").WithHint("Say what you want the agent to do.")
	case len(text) > conversations.MaxMessage:
		return fault.New(fault.TooLarge, "message_too_long", "The message has %d bytes; the most is %d.", len(text), conversations.MaxMessage).
			WithParam("message").WithHint("Send long material as a file.")
	case !utf8.ValidString(text):
		return fault.New(fault.Invalid, "bad_text", "The message is not valid UTF-8.").WithParam("message").WithHint("Encode it as UTF-8.")
	}
	return nil
}

// clip keeps the first characters of a text, on one line.
func clip(text string, most int) string {
	if len(text) > 8*most {
		text = strings.ToValidUTF8(text[:8*most], "")
	}
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
