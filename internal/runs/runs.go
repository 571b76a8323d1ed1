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

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

// Run is one request being worked on.
type Run struct {
	ID           ids.Run          `db:"id" json:"id"`
	Workspace    ids.Workspace    `db:"workspace_id" json:"-"`
	Conversation ids.Conversation `db:"conversation_id" json:"conversation"`
	Parent       ids.Run          `db:"parent_id" json:"parent,omitempty" doc:"Of a helper: the run it works for."`
	User         ids.User         `db:"user_id" json:"user"`
	Key          ids.Key          `db:"key_id" json:"key,omitempty" doc:"The API key it was asked with."`
	Door         string           `db:"door" json:"door"`
	Project      string           `db:"project" json:"project,omitempty"`
	Agent        string           `db:"agent" json:"agent"`
	Model        string           `db:"model" json:"model"`
	State        State            `db:"state" json:"state"`
	Question     ids.Message      `db:"question_id" json:"question"`
	Answer       ids.Message      `db:"answer_id" json:"answer"`
	Job          ids.Job          `db:"job_id" json:"job,omitempty" doc:"Left out while it waits for the run before it."`
	Attempt      int              `db:"attempt" json:"attempt"`
	Call         string           `db:"call_id" json:"call,omitempty" doc:"Of a helper: the call it works for."`
	Depth        int              `db:"depth" json:"depth,omitempty"`
	Title        string           `db:"title" json:"title" doc:"The beginning of what was asked."`
	Task         string           `db:"task" json:"task,omitempty" doc:"What a helper, or a run in the queue, was asked."`
	Result       string           `db:"result" json:"result,omitempty" doc:"What a helper answered."`
	Origin       ids.Run          `db:"origin_id" json:"origin,omitempty" doc:"The run it does again."`
	Reason       Reason           `db:"reason" json:"reason,omitempty"`
	Tools        ToolMode         `db:"replay_tools" json:"tools,omitempty" doc:"Of a replay or a fork: what its tools do."`
	Signals      int64            `db:"signals" json:"-"`
	Turns        int              `db:"turns" json:"turns"`
	Calls        int              `db:"calls" json:"calls"`
	Spent        costs.Micros     `db:"spent" json:"spent_micros" doc:"Helpers included."`
	Needs        []Wait           `db:"needs,json" json:"needs,omitempty" doc:"What it waits for."`
	Usage        *providers.Usage `db:"usage,json" json:"usage,omitempty"`
	Error        *Trouble         `db:"error,json" json:"error,omitempty"`
	CreatedAt    time.Time        `db:"created_at" json:"created_at"`
	StartedAt    time.Time        `db:"started_at" json:"started_at,omitzero"`
	FirstTokenAt time.Time        `db:"first_token_at" json:"first_token_at,omitzero"`
	FinishedAt   time.Time        `db:"finished_at" json:"finished_at,omitzero"`
	// Partial is the answer so far, while the run is not over.
	Partial *Partial `json:"partial,omitempty"`
}

// Reason is why a run does an earlier one again.
type Reason string

// The reasons.
const (
	Retried     Reason = "retry"
	Replayed    Reason = "replay"
	Forked      Reason = "fork"
	Regenerated Reason = "regenerate"
	Edited      Reason = "edit"
	Broadcasted Reason = "broadcast"
	Tried       Reason = "case" // what a case keeps, with the results that were recorded
)

// ToolMode is what the tools of a replay do.
type ToolMode string

// The modes of tools.
const (
	ToolsRecorded ToolMode = "recorded" // they give what they gave then; what was not called then is, if it changes nothing
	ToolsLive     ToolMode = "live"     // as those of any run
	ToolsAsk      ToolMode = "ask"      // a person is asked before each call that changes something
)

// Trouble is why a run failed, in the words of every other error.
type Trouble struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Hint      string `json:"hint,omitempty"`
	Retryable bool   `json:"retryable"`
}

func troubleOf(err error) *Trouble {
	if err == nil {
		return nil
	}
	f := fault.From(err)
	return &Trouble{f.Code, f.Message, f.Hint, f.Retryable}
}

// crew is the part of agents.Roster that a Desk needs.
type crew interface {
	Get(ctx context.Context, ws ids.Workspace, name string) (agents.Agent, error)
	List(ctx context.Context, ws ids.Workspace) ([]agents.Agent, error)
}

// Routing says which agent was picked for a message, and why.
type Routing struct {
	Agent      string  `json:"agent"`
	Why        string  `json:"why"`
	How        string  `json:"how"`        // single, mention, cached, model, words, default
	Confidence float64 `json:"confidence"` // 0 to 1
}

// Options are what a Desk needs.
type Options struct {
	DB            *store.DB           // required
	Hub           *events.Hub         // required
	Jobs          *jobs.Queue         // required; New defines its kind of job there
	Conversations *conversations.Book // required
	Agents        crew                // required
	// Model finds who serves "provider/model" for a workspace, and the name they know it by.
	Model func(ctx context.Context, ws ids.Workspace, name string) (providers.Model, string, error) // required
	Tools *tools.Toolbox                                                                            // nil: agents have no tools
	// Context is how many tokens a model can read; nil or 0: unknown.
	Context func(model string) int64
	// Cheap names a model for titles and summaries beside the run's own; nil or "": they are made by rule.
	Cheap func(ctx context.Context, ws ids.Workspace, model string) string
	// Folder is where the tools of a run work; nil or "": nowhere.
	Folder func(ctx context.Context, ws ids.Workspace, project string) (string, error)
	// Member answers with a fault when a user is not in a workspace any more; nil: all are.
	Member func(ctx context.Context, ws ids.Workspace, user ids.User) error
	// Overdraw says whether a run may spend beyond a budget that asks a person, and asks one if nobody was; nil: nobody can be asked.
	Overdraw func(ctx context.Context, o guard.Overdraft) (tools.Ruling, error)
	// Withdraw takes back what a run asked people, in the transaction that ends the run before it has finished; nil: their deadlines do.
	Withdraw func(ctx context.Context, tx *store.Tx, ws ids.Workspace, run ids.Run) error
	// Over hears of every run that this process has ended, to let go of what was kept for it; it must not wait. nil: nobody.
	Over func(ws ids.Workspace, run ids.Run)
	// Guidance is what a project's own files tell its agents; nil: nothing.
	Guidance func(ctx context.Context, ws ids.Workspace, project string) (string, error)
	// Route picks the agent of a message that names none; nil: the assistant.
	Route func(ctx context.Context, who conversations.Asker, text string) (Routing, error)
	// Hooks gives those who want to be asked and told of a run, for tools that work in folder; nil: nobody does.
	Hooks    func(run Run, folder string) Hooks
	Recaller Recaller // nil: nothing is remembered
	Observer Observer // nil: nobody learns from finished runs
	Picker   Picker   // nil: a model is given the newest messages

	// Journal is a folder for what runs do on its way to the database; only where one process works on it.
	// "": each step is committed at once.
	Journal     string
	Concurrency int           // runs at once in this process; 0: 64
	History     int           // messages given to the model; 0: 40
	Keep        time.Duration // of the journal of finished runs; 0: 90 days
	Log         *slog.Logger  // nil: silent
}

// Desk accepts requests and works on them.
type Desk struct {
	opts   Options
	log    *slog.Logger
	scribe *scribe // nil: steps are committed at once

	answers answers

	mu   sync.Mutex // guards live
	live map[ids.Run]*attempt
}

const (
	jobKind     = "runs.execute"
	keepSteps   = 90 * 24 * time.Hour
	maxAttempts = 1000 // of the job; see maxCrashes
)

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
	if opts.Journal != "" {
		d.scribe = newScribe(opts, log)
	}
	opts.DB.AddRetention(store.Retention{Name: "runs_steps", Keep: cmp.Or(opts.Keep, keepSteps), Prune: func(ctx context.Context, before time.Time) (int64, error) {
		n, err := opts.DB.Prune(ctx, pruneSteps, before)
		if err != nil {
			return n, err
		}
		given, err := opts.Conversations.PruneGiven(ctx, before)
		return n + given, err
	}})
	// A crash is repeated by the job; a model's failure ends the run instead.
	if err := opts.Jobs.Define(jobs.Kind{Name: jobKind, Concurrency: cmp.Or(opts.Concurrency, 64), Attempts: maxAttempts, Run: d.execute}); err != nil {
		return nil, err
	}
	if err := opts.Jobs.Define(jobs.Kind{Name: startKind, Concurrency: 4, Attempts: 3, Run: d.startScheduled, Schedule: d.schedule}); err != nil {
		return nil, err
	}
	return d, opts.Jobs.Define(jobs.Kind{Name: afterKind, Concurrency: 4, Attempts: 3, Run: d.afterwards})
}

// Run writes steps behind the runs that take them until ctx ends. A Desk without a journal has nothing to write.
func (d *Desk) Run(ctx context.Context) error {
	if d.scribe == nil {
		<-ctx.Done()
		return nil
	}
	return d.scribe.run(ctx)
}

// Get reads a run whose conversation the asker may see, with the answer so far.
func (d *Desk) Get(ctx context.Context, who conversations.Asker, id ids.Run) (Run, error) {
	run, err := d.visible(ctx, who, id)
	if err != nil || run.State.Over() || run.State == Queued {
		return run, err
	}
	run.Partial, err = d.partial(ctx, run)
	return run, err
}

// Sees says nil if the asker may see a run.
func (d *Desk) Sees(ctx context.Context, who conversations.Asker, id ids.Run) error {
	_, err := d.visible(ctx, who, id)
	return err
}

// visible reads a run without its partial answer.
func (d *Desk) visible(ctx context.Context, who conversations.Asker, id ids.Run) (Run, error) {
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
	return run, nil
}

// Filter narrows a list of runs.
type Filter struct {
	page.Query
	State        State
	Conversation ids.Conversation
	Parent       ids.Run // the helpers of a run; "": runs that a person started
	Agent        string
	Search       string // in what was asked
	Since        time.Time
	Until        time.Time
}

var likeEscape = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

// List reads the asker's own runs, newest first; of a conversation the asker may see, everyone's.
func (d *Desk) List(ctx context.Context, who conversations.Asker, f Filter) (page.Page[Run], error) {
	after, _, err := page.Decode[ids.Run](f.Cursor)
	if err != nil {
		return page.Page[Run]{}, err
	}
	user := who.User
	if f.Conversation != "" {
		switch _, err := d.opts.Conversations.Get(ctx, who, f.Conversation); {
		case err == nil:
			user = ""
		case fault.From(err).Kind != fault.NotFound:
			return page.Page[Run]{}, err
		}
	}
	like := "%" + likeEscape.Replace(strings.ToLower(f.Search)) + "%"
	since, until := micros(f.Since), micros(f.Until)
	rows, err := store.All[Run](ctx, d.opts.DB.Read(), listRuns, who.Workspace, user, user, f.Parent, f.State, f.State, f.Conversation, f.Conversation,
		f.Agent, f.Agent, f.Search, like, since, since, until, until, after, after, f.Size()+1)
	if err != nil {
		return page.Page[Run]{}, fmt.Errorf("listing runs: %w", err)
	}
	return page.Of(f.Query, rows, func(r Run) ids.Run { return r.ID }), nil
}

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Cancel stops a run and its helpers; what was answered so far is kept.
func (d *Desk) Cancel(ctx context.Context, who conversations.Asker, id ids.Run) (Run, error) {
	run, err := d.visible(ctx, who, id)
	if err != nil {
		return run, err
	}
	if _, err := Move(run.State, Cancel); err != nil {
		return run, err
	}
	if err := d.stop(ctx, run); err != nil {
		return run, fmt.Errorf("stopping %s: %w", id, err)
	}
	return d.Get(ctx, who, id)
}

// errStopped is why the context of a run ends when someone stopped it alone.
var errStopped = fault.New(fault.Cancelled, "run_cancelled", "Someone stopped it.")

func (d *Desk) stop(ctx context.Context, run Run) error {
	if run.State != Running {
		err := d.endIdle(ctx, run, ending{do: Cancel})
		if err == nil || fault.From(err).Code != "run_state" { // else it started meanwhile: stop it below
			return err
		}
	}
	if run.Parent == "" {
		_, err := d.opts.Jobs.Cancel(ctx, run.Workspace, run.Job)
		return err
	}
	d.mu.Lock()
	at := d.live[run.ID]
	d.mu.Unlock()
	if at == nil {
		return fault.New(fault.Conflict, "helper_elsewhere", "This helper works in another process.").WithHint("Stop the run it works for: %s.", run.Parent)
	}
	at.stop(errStopped)
	return nil
}

// Helpers lists the helpers of a run, oldest first.
func (d *Desk) Helpers(ctx context.Context, who conversations.Asker, id ids.Run) ([]Run, error) {
	if _, err := d.visible(ctx, who, id); err != nil {
		return nil, err
	}
	return store.All[Run](ctx, d.opts.DB.Read(), selectHelpers, id)
}

// say appends facts of a run where its listeners are.
func (d *Desk) say(ctx context.Context, tx *store.Tx, run Run, facts ...events.Event) error {
	return d.opts.Hub.Append(ctx, tx, run.Workspace, run.channel(), facts...)
}

// Channel is where the facts of a helper are said, and of a run that works beside its conversation.
func Channel(id ids.Run) string { return "runs/" + string(id) }

// channel is the conversation's for a run that a person started: a helper has its own, so that nothing
// it says is taken for the answer, and so has a run that works beside the conversation.
func (r Run) channel() string {
	if r.Parent != "" || r.aside() {
		return Channel(r.ID)
	}
	return conversations.Channel(r.Conversation)
}

func (r Run) subject() subject { return subject{r.ID, r.Conversation, r.Agent} }

// attribution says whose money a model's answer costs.
func (r Run) attribution(allowance *costs.Allowance) costs.Attribution {
	return costs.Attribution{
		Workspace: r.Workspace, User: r.User, Key: r.Key, Agent: r.Agent, Run: r.ID, Conversation: r.Conversation, Project: r.Project,
		Door: cmp.Or(r.Door, "chat"), Asked: r.Model, Allowance: allowance,
	}
}

func notFound(id ids.Run) error {
	return fault.New(fault.NotFound, "run_not_found", "There is no run %s.", id).WithHint("GET /api/v1/runs lists yours.")
}
