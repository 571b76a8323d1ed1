package runs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
)

type jobArgs struct {
	Run ids.Run `json:"run"`
}

// attempt is a run being worked on in this process.
type attempt struct {
	run   Run
	first time.Time

	mu   sync.Mutex // guards the fields below
	text strings.Builder
	seq  int
}

func (a *attempt) partial() *Partial {
	a.mu.Lock()
	defer a.mu.Unlock()
	return &Partial{Attempt: a.run.Attempt, Seq: a.seq, Text: a.text.String()}
}

// add takes a piece of text and gives its number.
func (a *attempt) add(text string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text.WriteString(text)
	a.seq++
	return a.seq - 1
}

// execute is the job: it may be called again after a crash.
func (d *Desk) execute(ctx context.Context, task *jobs.Task) (any, error) {
	var args jobArgs
	if err := task.Decode(&args); err != nil {
		return nil, err
	}
	run, err := store.One[Run](ctx, d.opts.DB.Read(), selectRun, args.Run)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", args.Run, err)
	}
	if run.State.Over() {
		return nil, nil // it ended just before the process died
	}
	a, err := d.begin(ctx, run)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	d.live[run.ID] = a
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		delete(d.live, run.ID)
		d.mu.Unlock()
	}()
	response, err := d.answer(ctx, a)
	e := ending{do: Finish, first: a.first, response: response}
	if err != nil {
		e.do, e.trouble = Fail, err
		if ctx.Err() != nil {
			if !task.Cancelled(ctx) {
				return nil, err // the server is stopping: the next start works on it again
			}
			e.do, e.trouble = Cancel, nil
		}
	}
	return nil, d.end(context.WithoutCancel(ctx), a.run, e)
}

func (d *Desk) begin(ctx context.Context, run Run) (*attempt, error) {
	do := Start
	if run.State == Running {
		do = Resume
	}
	to, err := Move(run.State, do)
	if err != nil {
		return nil, err
	}
	from := run.State
	err = d.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		run.Attempt, err = store.One[int](ctx, tx, startRun, to, time.Now(), run.ID, from)
		if errors.Is(err, store.ErrNoRows) {
			_, err := Move(Cancelled, do) // cancelled between reading and starting
			return err
		}
		if err != nil {
			return err
		}
		run.State = to
		return d.say(ctx, tx, run, RunStarted{run.subject(), run.Attempt, run.Answer})
	})
	if err != nil {
		return nil, fmt.Errorf("beginning %s: %w", run.ID, err)
	}
	return &attempt{run: run}, nil
}

// answer asks the model and passes on what it says as it says it.
func (d *Desk) answer(ctx context.Context, a *attempt) (*providers.Response, error) {
	agent, err := d.opts.Agents.Get(ctx, a.run.Workspace, a.run.Agent)
	if err != nil {
		return nil, err
	}
	model, name, err := d.opts.Model(ctx, a.run.Workspace, a.run.Model)
	if err != nil {
		return nil, err
	}
	history, err := d.opts.Conversations.History(ctx, a.run.Workspace, a.run.Conversation, d.opts.History)
	if err != nil {
		return nil, err
	}
	request := &providers.Request{Model: name, System: []providers.Part{providers.Text(agent.Instructions)}, Messages: prompt(history, a.run.Question)}
	stream, err := model.Stream(costs.With(ctx, a.run.attribution()), request)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	var gather providers.Gather
	var chunk providers.Chunk
	for {
		err := stream.Next(&chunk)
		if err == io.EOF {
			return gather.Response(), nil
		}
		if err != nil {
			return gather.Response(), err
		}
		gather.Add(&chunk)
		if chunk.Kind != providers.ChunkText {
			continue
		}
		if a.first.IsZero() {
			a.first = time.Now()
		}
		d.opts.Hub.Publish(a.run.Workspace, conversations.Channel(a.run.Conversation),
			TextDelta{a.run.ID, a.run.Answer, a.run.Attempt, a.add(chunk.Text), chunk.Text})
	}
}

// attribution says whose money a model's answer costs.
func (r Run) attribution() costs.Attribution {
	return costs.Attribution{
		Workspace: r.Workspace, User: r.User, Agent: r.Agent, Run: r.ID, Conversation: r.Conversation, Door: "chat", Asked: r.Model,
	}
}

// prompt is the history up to the question, without what broke off empty; two
// messages of one side in a row are joined, since vendors want turns.
func prompt(history []conversations.Message, question ids.Message) []providers.Message {
	var messages []providers.Message
	for _, m := range history {
		if len(m.Parts) == 0 {
			continue
		}
		if n := len(messages); n > 0 && messages[n-1].Role == m.Role {
			messages[n-1].Parts = append(messages[n-1].Parts[:len(messages[n-1].Parts):len(messages[n-1].Parts)], m.Parts...)
		} else {
			messages = append(messages, providers.Message{Role: m.Role, Parts: m.Parts})
		}
		if m.ID == question {
			break
		}
	}
	return messages
}

// ending is how a run ends.
type ending struct {
	do       Action
	first    time.Time
	response *providers.Response
	trouble  error
}

// end keeps the answer, or what came of it, and closes the run, in one transaction.
func (d *Desk) end(ctx context.Context, run Run, e ending) error {
	to, err := Move(run.State, e.do)
	if err != nil {
		return err
	}
	var trouble *Trouble
	if e.trouble != nil {
		f := fault.From(e.trouble)
		trouble = &Trouble{f.Code, f.Message, f.Hint, f.Retryable}
		d.log.WarnContext(ctx, "run failed", "part", "runs", "run", run.ID, "err", e.trouble)
	}
	err = d.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		usage := usageOf(e.response)
		n, err := tx.Exec(ctx, endRun, to, jsonOf(usage), jsonOf(trouble), e.first, time.Now(), run.ID, run.State, run.Attempt)
		if err != nil {
			return err
		}
		if n == 0 {
			return fault.New(fault.Conflict, "run_state", "The run moved on meanwhile.").WithHint("Load it again.")
		}
		answer, err := d.keep(ctx, tx, run, to, e.response)
		if err != nil {
			return err
		}
		switch to {
		case Finished:
			return d.say(ctx, tx, run, RunFinished{run.subject(), answer, *usage})
		case Failed:
			return d.say(ctx, tx, run, RunFailed{run.subject(), answer, trouble})
		}
		return d.say(ctx, tx, run, RunCancelled{run.subject(), answer})
	})
	if err != nil {
		return fmt.Errorf("ending %s: %w", run.ID, err)
	}
	return nil
}

// keep stores the answer if there is one and its conversation still exists.
func (d *Desk) keep(ctx context.Context, tx *store.Tx, run Run, to State, r *providers.Response) (ids.Message, error) {
	if r == nil || len(r.Parts) == 0 {
		return "", nil
	}
	if gone, err := d.opts.Conversations.Gone(ctx, tx, run.Workspace, run.Conversation); gone || err != nil {
		return "", err
	}
	state := map[State]conversations.MessageState{Finished: conversations.Complete, Failed: conversations.Failed, Cancelled: conversations.Stopped}[to]
	_, err := d.opts.Conversations.Add(ctx, tx, conversations.Message{
		ID: run.Answer, Workspace: run.Workspace, Conversation: run.Conversation, Parent: run.Question, Run: run.ID,
		Role: providers.RoleModel, Author: run.Agent, State: state, Model: run.Model, Parts: r.Parts, Usage: usageOf(r),
	})
	return run.Answer, err
}

func usageOf(r *providers.Response) *providers.Usage {
	if r == nil {
		return &providers.Usage{}
	}
	return &r.Usage
}

// jsonOf keeps a nil pointer NULL.
func jsonOf[T any](v *T) any {
	if v == nil {
		return nil
	}
	return store.JSON(v)
}
