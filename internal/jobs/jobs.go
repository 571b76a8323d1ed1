package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/kit/retry"
	"github.com/fluxway/fluxway/internal/kit/suggest"
	"github.com/fluxway/fluxway/internal/store"
)

// Job is one piece of work.
type Job struct {
	ID          ids.Job         `db:"id" json:"id"`
	Workspace   ids.Workspace   `db:"workspace_id" json:"-"`
	Kind        string          `db:"kind" json:"kind"`
	State       State           `db:"state" json:"state"`
	Priority    int             `db:"priority" json:"priority"`
	Args        json.RawMessage `db:"args" json:"args"`
	UniqueKey   string          `db:"unique_key" json:"unique_key,omitempty"`
	Schedule    ids.Schedule    `db:"schedule_id" json:"schedule,omitempty"`
	Attempt     int             `db:"attempt" json:"attempt"`
	MaxAttempts int             `db:"max_attempts" json:"max_attempts"`
	RunAt       time.Time       `db:"run_at" json:"run_at"`
	LeaseUntil  time.Time       `db:"lease_until" json:"-"`
	Worker      string          `db:"worker" json:"worker,omitempty"`
	Cancelling  bool            `db:"cancelling" json:"cancelling"`
	Done        int64           `db:"done" json:"done"`
	Total       int64           `db:"total" json:"total"`
	Note        string          `db:"note" json:"note,omitempty"`
	Result      json.RawMessage `db:"result" json:"result,omitempty"`
	Error       string          `db:"error" json:"error,omitempty"`
	CreatedAt   time.Time       `db:"created_at" json:"created_at"`
	StartedAt   time.Time       `db:"started_at" json:"started_at,omitzero"`
	FinishedAt  time.Time       `db:"finished_at" json:"finished_at,omitzero"`
}

// Kind is a sort of work this process can do.
type Kind struct {
	Name        string        // "store.backup": the part, then what it does
	Concurrency int           // how many at once in this process; 0: 4
	Attempts    int           // in all; 0: 5
	Backoff     retry.Policy  // between attempts; zero: 5 s doubling to 10 min
	Timeout     time.Duration // for one attempt; 0: none
	// Run does the work. It is told to stop through ctx and may run again after
	// a crash, so it must be safe to repeat.
	Run func(ctx context.Context, task *Task) (result any, err error)
	// Schedule checks what a person wants the work to be told again and again, and completes it, with who they are for
	// instance; nil: people cannot make schedules of it.
	Schedule func(ctx context.Context, ws ids.Workspace, args json.RawMessage) (any, error)
}

// Request asks for a job.
type Request struct {
	Workspace ids.Workspace // "": the machine's own work
	Kind      string
	Args      any
	UniqueKey string    // while one with this key is queued or running, no second is made
	RunAt     time.Time // zero: now
	Priority  int       // higher first
	schedule  ids.Schedule
}

// Options are what a Queue needs.
type Options struct {
	DB     *store.DB    // required
	Hub    *events.Hub  // required
	Log    *slog.Logger // nil: silent
	Worker string       // names this process in leases; must differ between processes
	// Sole says that no other process works on this database, so that jobs found
	// running at start were left by a dead one and are taken up at once.
	Sole        bool
	Lease       time.Duration  // 0: 30 s
	Poll        time.Duration  // how often to look for other processes' jobs; 0: 1 s, or 10 s when Sole
	Concurrency map[string]int // per kind, overrides Kind.Concurrency
}

// Queue holds jobs and runs them.
type Queue struct {
	db          *store.DB
	hub         *events.Hub
	log         *slog.Logger
	worker      string
	sole        bool
	lease, poll time.Duration
	claim       string
	wake        chan struct{} // holds one: something may be due

	mu      sync.Mutex // guards the fields below
	kinds   map[string]Kind
	limits  map[string]int
	running map[ids.Job]*Task
	busy    map[string]int // running jobs per kind
}

// New makes a queue without kinds; Define adds them before Run.
func New(opts Options) (*Queue, error) {
	if opts.DB == nil || opts.Hub == nil {
		return nil, errors.New("jobs: Options.DB and Options.Hub are required")
	}
	poll := time.Second
	if opts.Sole {
		poll = 10 * time.Second
	}
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Queue{
		db: opts.DB, hub: opts.Hub, log: log, worker: cmp.Or(opts.Worker, string(ids.New[ids.Job]())), sole: opts.Sole,
		lease: cmp.Or(opts.Lease, 30*time.Second), poll: cmp.Or(opts.Poll, poll),
		claim: fmt.Sprintf(claimJobs, opts.DB.SkipLocked()), wake: make(chan struct{}, 1),
		kinds: make(map[string]Kind), limits: maps.Clone(opts.Concurrency),
		running: make(map[ids.Job]*Task), busy: make(map[string]int),
	}, nil
}

// Define adds a kind of work.
func (q *Queue) Define(k Kind) error {
	if k.Name == "" || k.Run == nil {
		return errors.New("jobs: a kind needs a name and Run")
	}
	if n := q.limits[k.Name]; n > 0 {
		k.Concurrency = n
	}
	k.Concurrency, k.Attempts = cmp.Or(k.Concurrency, 4), cmp.Or(k.Attempts, 5)
	k.Backoff.First, k.Backoff.Max = cmp.Or(k.Backoff.First, 5*time.Second), cmp.Or(k.Backoff.Max, 10*time.Minute)
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, twice := q.kinds[k.Name]; twice {
		return fmt.Errorf("jobs: kind %s is defined twice", k.Name)
	}
	q.kinds[k.Name] = k
	return nil
}

// SetConcurrency changes how many jobs of a kind run at once; running ones go on.
func (q *Queue) SetConcurrency(kind string, n int) {
	q.mu.Lock()
	if k, ok := q.kinds[kind]; ok && n > 0 {
		k.Concurrency = n
		q.kinds[kind] = k
	}
	q.mu.Unlock()
	q.poke()
}

// Enqueue adds a job in the caller's transaction; it starts after the commit.
// With a unique key it gives the id of the job that already waits or runs.
func (q *Queue) Enqueue(ctx context.Context, tx *store.Tx, r Request) (ids.Job, error) {
	k, err := q.kind(r.Kind)
	if err != nil {
		return "", err
	}
	args, err := json.Marshal(r.Args)
	if err != nil {
		return "", fmt.Errorf("encoding the arguments of %s: %w", r.Kind, err)
	}
	id, now := ids.New[ids.Job](), time.Now()
	runAt := r.RunAt
	if runAt.IsZero() {
		runAt = now
	}
	n, err := tx.Exec(ctx, insertJob, id, r.Workspace, r.Kind, r.Priority, json.RawMessage(args), r.UniqueKey, r.schedule, k.Attempts, runAt, now)
	if err != nil {
		return "", fmt.Errorf("adding a %s job: %w", r.Kind, err)
	}
	if n == 0 {
		return store.One[ids.Job](ctx, tx, selectUnique, r.Workspace, r.Kind, r.UniqueKey)
	}
	tx.AfterCommit(q.poke)
	return id, q.say(ctx, tx, r.Workspace, id, JobQueued{subject{Job: id, Work: r.Kind}, runAt.UTC()})
}

// Get reads one job of a workspace.
func (q *Queue) Get(ctx context.Context, ws ids.Workspace, id ids.Job) (Job, error) {
	job, err := store.One[Job](ctx, q.db.Read(), selectJob, id, ws)
	if errors.Is(err, store.ErrNoRows) {
		return job, notFound(id)
	}
	return job, err
}

// Filter narrows a list of jobs.
type Filter struct {
	page.Query
	State State  `json:"state,omitempty"`
	Kind  string `json:"kind,omitempty"`
}

// List reads a workspace's jobs, newest first.
func (q *Queue) List(ctx context.Context, ws ids.Workspace, f Filter) (page.Page[Job], error) {
	after, _, err := page.Decode[string](f.Cursor)
	if err != nil {
		return page.Page[Job]{}, err
	}
	rows, err := store.All[Job](ctx, q.db.Read(), listJobs, ws, f.State, f.State, f.Kind, f.Kind, after, after, f.Size()+1)
	if err != nil {
		return page.Page[Job]{}, fmt.Errorf("listing jobs: %w", err)
	}
	return page.Of(f.Query, rows, func(j Job) string { return string(j.ID) }), nil
}

// Cancel stops a job: a waiting one at once, a running one as soon as its
// handler heeds the context, also when another process runs it.
func (q *Queue) Cancel(ctx context.Context, ws ids.Workspace, id ids.Job) (Job, error) {
	job, err := q.Get(ctx, ws, id)
	if err != nil {
		return job, err
	}
	if job.State != Running {
		return q.move(ctx, job, Cancel, JobCancelled{job.subject()})
	}
	err = q.db.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, askCancel, id)
		return err
	})
	if err != nil {
		return job, fmt.Errorf("cancelling %s: %w", id, err)
	}
	q.mu.Lock()
	task := q.running[id]
	q.mu.Unlock()
	if task != nil {
		task.stop(errCancelled)
	}
	return q.Get(ctx, ws, id)
}

// Retry puts a failed or cancelled job back into the queue with fresh attempts.
func (q *Queue) Retry(ctx context.Context, ws ids.Workspace, id ids.Job) (Job, error) {
	return q.act(ctx, ws, id, Retry, func(j Job) events.Event { return JobQueued{j.subject(), time.Now().UTC()} })
}

// Pause puts a waiting job aside.
func (q *Queue) Pause(ctx context.Context, ws ids.Workspace, id ids.Job) (Job, error) {
	return q.act(ctx, ws, id, Pause, func(j Job) events.Event { return JobPaused{j.subject()} })
}

// Resume lets a paused job run again.
func (q *Queue) Resume(ctx context.Context, ws ids.Workspace, id ids.Job) (Job, error) {
	return q.act(ctx, ws, id, Resume, func(j Job) events.Event { return JobResumed{j.subject()} })
}

func (q *Queue) act(ctx context.Context, ws ids.Workspace, id ids.Job, do Action, say func(Job) events.Event) (Job, error) {
	job, err := q.Get(ctx, ws, id)
	if err != nil {
		return job, err
	}
	return q.move(ctx, job, do, say(job))
}

// move changes a job that no worker holds.
func (q *Queue) move(ctx context.Context, job Job, do Action, say events.Event) (Job, error) {
	to, err := Move(job.State, do)
	if err != nil {
		return job, err
	}
	runAt, finished := job.RunAt, time.Time{}
	switch to {
	case Queued:
		runAt = time.Now()
	case Cancelled:
		finished = time.Now()
	}
	err = q.db.InTx(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, moveJob, to, runAt, do == Retry, finished, "", job.ID, job.State)
		if err != nil {
			return err
		}
		if n == 0 {
			_, err := Move(Running, do) // it moved on under our eyes; say so
			return cmp.Or(err, error(fault.New(fault.Conflict, "job_state", "The job moved on meanwhile.").WithHint("Load it again.")))
		}
		tx.AfterCommit(q.poke)
		return q.say(ctx, tx, job.Workspace, job.ID, say)
	})
	if err != nil {
		return job, fmt.Errorf("%s of %s: %w", do, job.ID, err)
	}
	return q.Get(ctx, job.Workspace, job.ID)
}

// KindInfo is a kind as a person sees it.
type KindInfo struct {
	Kind        string        `json:"kind"`
	Paused      bool          `json:"paused"`
	Concurrency int           `json:"concurrency"`
	MaxAttempts int           `json:"max_attempts"`
	Schedulable bool          `json:"schedulable"`
	Counts      map[State]int `json:"counts"`
}

// Kinds lists the kinds this process knows, with a workspace's counts.
func (q *Queue) Kinds(ctx context.Context, ws ids.Workspace) ([]KindInfo, error) {
	type count struct {
		Kind  string `db:"kind"`
		State State  `db:"state"`
		N     int    `db:"n"`
	}
	counts, err := store.All[count](ctx, q.db.Read(), countKinds, ws)
	if err != nil {
		return nil, fmt.Errorf("counting jobs: %w", err)
	}
	paused, err := store.All[string](ctx, q.db.Read(), selectPauses)
	if err != nil {
		return nil, fmt.Errorf("reading paused kinds: %w", err)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	infos := []KindInfo{}
	for _, name := range slices.Sorted(maps.Keys(q.kinds)) {
		k := q.kinds[name]
		info := KindInfo{Kind: name, Paused: slices.Contains(paused, name), Concurrency: k.Concurrency, MaxAttempts: k.Attempts, Schedulable: k.Schedule != nil, Counts: map[State]int{}}
		for _, c := range counts {
			if c.Kind == name {
				info.Counts[c.State] = c.N
			}
		}
		infos = append(infos, info)
	}
	return infos, nil
}

// PauseKind stops starting jobs of a kind, in every process; running ones go on.
func (q *Queue) PauseKind(ctx context.Context, kind string) error {
	return q.setPaused(ctx, kind, pauseKind, kind, time.Now())
}

// ResumeKind lets jobs of a kind start again.
func (q *Queue) ResumeKind(ctx context.Context, kind string) error {
	return q.setPaused(ctx, kind, resumeKind, kind)
}

func (q *Queue) setPaused(ctx context.Context, kind, statement string, args ...any) error {
	if _, err := q.kind(kind); err != nil {
		return err
	}
	return q.db.InTx(ctx, func(tx *store.Tx) error {
		tx.AfterCommit(q.poke)
		_, err := tx.Exec(ctx, statement, args...)
		return err
	})
}

// Prune deletes jobs that ended before a time.
func (q *Queue) Prune(ctx context.Context, before time.Time) (int64, error) {
	return q.db.Prune(ctx, pruneJobs, before)
}

func (q *Queue) kind(name string) (Kind, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	k, ok := q.kinds[name]
	if !ok {
		f := fault.New(fault.Invalid, "unknown_job_kind", "There is no kind of job called %q.", name).WithParam("kind")
		if close, ok := suggest.Closest(name, slices.Collect(maps.Keys(q.kinds))); ok {
			return k, f.WithHint("Did you mean %s?", close)
		}
		return k, f.WithHint("GET /api/v1/jobs/kinds lists them.")
	}
	return k, nil
}

// say appends a fact; the machine's own work belongs to no workspace and is
// not said.
func (q *Queue) say(ctx context.Context, tx *store.Tx, ws ids.Workspace, id ids.Job, ev events.Event) error {
	if ws == "" {
		return nil
	}
	return q.hub.Append(ctx, tx, ws, Channel(id), ev)
}

// poke makes the loop look for due jobs.
func (q *Queue) poke() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (j Job) subject() subject { return subject{Job: j.ID, Work: j.Kind, Attempt: j.Attempt} }

func notFound(id ids.Job) error {
	return fault.New(fault.NotFound, "job_not_found", "There is no job %s.", id).WithHint("GET /api/v1/jobs lists yours.")
}
