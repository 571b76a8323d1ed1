package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
)

// Run is one request being worked on.
type Run struct {
	ID           ids.Run          `db:"id" json:"id"`
	Workspace    ids.Workspace    `db:"workspace_id" json:"-"`
	Conversation ids.Conversation `db:"conversation_id" json:"conversation"`
	Parent       ids.Run          `db:"parent_id" json:"parent,omitempty"`
	User         ids.User         `db:"user_id" json:"user"`
	Agent        string           `db:"agent" json:"agent"`
	Model        string           `db:"model" json:"model"`
	State        State            `db:"state" json:"state"`
	Question     ids.Message      `db:"question_id" json:"question"`
	Answer       ids.Message      `db:"answer_id" json:"answer"`
	Job          ids.Job          `db:"job_id" json:"job"`
	Attempt      int              `db:"attempt" json:"attempt"`
	Usage        *providers.Usage `db:"usage,json" json:"usage,omitempty"`
	Error        *Trouble         `db:"error,json" json:"error,omitempty"`
	CreatedAt    time.Time        `db:"created_at" json:"created_at"`
	StartedAt    time.Time        `db:"started_at" json:"started_at,omitzero"`
	FirstTokenAt time.Time        `db:"first_token_at" json:"first_token_at,omitzero"`
	FinishedAt   time.Time        `db:"finished_at" json:"finished_at,omitzero"`
	// Partial is the answer so far, while this process works on it.
	Partial *Partial `json:"partial,omitempty"`
}

// Partial is an answer that is still coming.
type Partial struct {
	Attempt int    `json:"attempt"`
	Seq     int    `json:"seq" doc:"The number of the next text_delta."`
	Text    string `json:"text"`
}

// Trouble is why a run failed, in the words of every other error.
type Trouble struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Hint      string `json:"hint,omitempty"`
	Retryable bool   `json:"retryable"`
}

// Options are what a Desk needs.
type Options struct {
	DB            *store.DB           // required
	Hub           *events.Hub         // required
	Jobs          *jobs.Queue         // required; New defines its kind of job there
	Conversations *conversations.Book // required
	Agents        *agents.Roster      // required
	// Model finds who serves "provider/model" for a workspace, and the name they know it by.
	Model       func(ctx context.Context, ws ids.Workspace, name string) (providers.Model, string, error) // required
	Concurrency int                                                                                       // runs at once in this process; 0: 64
	History     int                                                                                       // messages given to the model; 0: 40
	Log         *slog.Logger                                                                              // nil: silent
}

// Desk accepts requests and works on them.
type Desk struct {
	opts Options
	log  *slog.Logger

	mu   sync.Mutex // guards live
	live map[ids.Run]*attempt
}

const jobKind = "runs.execute"

// New makes a Desk and defines its kind of job.
func New(opts Options) (*Desk, error) {
	if opts.DB == nil || opts.Hub == nil || opts.Jobs == nil || opts.Conversations == nil || opts.Agents == nil || opts.Model == nil {
		return nil, errors.New("runs: Options is missing a required part")
	}
	opts.History = cmp.Or(opts.History, 40)
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	d := &Desk{opts: opts, log: log, live: make(map[ids.Run]*attempt)}
	// A crash is repeated by the job; a model's failure ends the run instead.
	kind := jobs.Kind{Name: jobKind, Concurrency: cmp.Or(opts.Concurrency, 64), Attempts: 10, Run: d.execute}
	return d, opts.Jobs.Define(kind)
}

// Request asks an agent something.
type Request struct {
	Agent        string
	Message      string
	Conversation ids.Conversation // "": a new one
}

// Accepted is what the asker is told at once.
type Accepted struct {
	Run          Run                        `json:"run"`
	Conversation conversations.Conversation `json:"conversation"`
	Message      conversations.Message      `json:"message"`
}

// Start accepts a request: once it returns, the request survives anything.
func (d *Desk) Start(ctx context.Context, who conversations.Asker, r Request) (Accepted, error) {
	var a Accepted
	agent, err := d.opts.Agents.Get(ctx, who.Workspace, r.Agent)
	if err != nil {
		return a, err
	}
	if err := checkMessage(r.Message); err != nil {
		return a, err
	}
	if r.Conversation != "" {
		if a.Conversation, err = d.opts.Conversations.Get(ctx, who, r.Conversation); err != nil {
			return a, err
		}
	}
	existing := a.Conversation
	err = d.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		a.Conversation = existing
		if existing.ID == "" {
			if a.Conversation, err = d.opts.Conversations.Open(ctx, tx, who, agent.Name, r.Message); err != nil {
				return err
			}
		}
		return d.accept(ctx, tx, who, agent, r.Message, &a)
	})
	if err != nil {
		return a, fmt.Errorf("starting a run: %w", err)
	}
	return a, nil
}

func (d *Desk) accept(ctx context.Context, tx *store.Tx, who conversations.Asker, agent agents.Agent, text string, a *Accepted) (err error) {
	run := Run{
		ID: ids.New[ids.Run](), Workspace: who.Workspace, Conversation: a.Conversation.ID, User: who.User, Agent: agent.Name, Model: agent.Model,
		State: Queued, CreatedAt: time.Now().UTC().Truncate(time.Microsecond),
	}
	a.Message, err = d.opts.Conversations.Add(ctx, tx, conversations.Message{
		Workspace: who.Workspace, Conversation: run.Conversation, Run: run.ID, Role: providers.RoleUser, Author: string(who.User),
		State: conversations.Complete, Parts: []providers.Part{providers.Text(text)},
	})
	if err != nil {
		return err
	}
	run.Question, run.Answer = a.Message.ID, ids.New[ids.Message]() // in this order: messages are listed by id
	run.Job, err = d.opts.Jobs.Enqueue(ctx, tx, jobs.Request{Workspace: who.Workspace, Kind: jobKind, Args: jobArgs{run.ID}, UniqueKey: string(run.ID)})
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, insertRun, run.ID, run.Workspace, run.Conversation, run.User, run.Agent, run.Model, run.Question, run.Answer, run.Job, run.CreatedAt)
	if err != nil {
		return err
	}
	a.Run = run
	return d.say(ctx, tx, run, RunQueued{run.subject()})
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

// Get reads a run whose conversation the asker may see, with the answer so far.
func (d *Desk) Get(ctx context.Context, who conversations.Asker, id ids.Run) (Run, error) {
	run, err := store.One[Run](ctx, d.opts.DB.Read(), selectVisibleRun, id, who.Workspace)
	if errors.Is(err, store.ErrNoRows) {
		return run, notFound(id)
	}
	if err != nil {
		return run, fmt.Errorf("reading %s: %w", id, err)
	}
	if _, err := d.opts.Conversations.Get(ctx, who, run.Conversation); err != nil && (fault.From(err).Kind != fault.NotFound || run.User != who.User) {
		if fault.From(err).Kind == fault.NotFound {
			return Run{}, notFound(id)
		}
		return Run{}, err
	}
	d.mu.Lock()
	at := d.live[id]
	d.mu.Unlock()
	if at != nil && run.State == Running {
		run.Partial = at.partial()
	}
	return run, nil
}

// Filter narrows a list of runs.
type Filter struct {
	page.Query
	State        State
	Conversation ids.Conversation
}

// List reads the asker's own runs, newest first.
func (d *Desk) List(ctx context.Context, who conversations.Asker, f Filter) (page.Page[Run], error) {
	after, _, err := page.Decode[ids.Run](f.Cursor)
	if err != nil {
		return page.Page[Run]{}, err
	}
	rows, err := store.All[Run](ctx, d.opts.DB.Read(), listRuns, who.Workspace, who.User, f.State, f.State, f.Conversation, f.Conversation, after, after, f.Size()+1)
	if err != nil {
		return page.Page[Run]{}, fmt.Errorf("listing runs: %w", err)
	}
	return page.Of(f.Query, rows, func(r Run) ids.Run { return r.ID }), nil
}

// Cancel stops a run; what was answered so far is kept.
func (d *Desk) Cancel(ctx context.Context, who conversations.Asker, id ids.Run) (Run, error) {
	run, err := d.Get(ctx, who, id)
	if err != nil {
		return run, err
	}
	if _, err := Move(run.State, Cancel); err != nil {
		return run, err
	}
	if run.State == Queued {
		err := d.end(ctx, run, ending{do: Cancel})
		if err == nil || fault.From(err).Code != "run_state" { // else it started meanwhile: stop it below
			return run, errors.Join(err, d.reload(ctx, who, &run))
		}
	}
	if _, err := d.opts.Jobs.Cancel(ctx, run.Workspace, run.Job); err != nil {
		return run, fmt.Errorf("stopping %s: %w", id, err)
	}
	return run, d.reload(ctx, who, &run)
}

func (d *Desk) reload(ctx context.Context, who conversations.Asker, run *Run) (err error) {
	*run, err = d.Get(ctx, who, run.ID)
	return err
}

func (d *Desk) say(ctx context.Context, tx *store.Tx, run Run, ev events.Event) error {
	return d.opts.Hub.Append(ctx, tx, run.Workspace, conversations.Channel(run.Conversation), ev)
}

func (r Run) subject() subject { return subject{r.ID, r.Conversation, r.Agent} }

func notFound(id ids.Run) error {
	return fault.New(fault.NotFound, "run_not_found", "There is no run %s.", id).WithHint("GET /api/v1/runs lists yours.")
}
