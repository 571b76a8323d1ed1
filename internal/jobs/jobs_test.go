package jobs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/kit/retry"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// bench is a queue with what tests look at.
type bench struct {
	*jobs.Queue
	t  *testing.T
	db *store.DB
	ws ids.Workspace
}

func newBench(t *testing.T, db *store.DB, worker string, opts jobs.Options) *bench {
	t.Helper()
	hub, err := events.New(events.Options{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	opts.DB, opts.Hub, opts.Worker = db, hub, worker
	q, err := jobs.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return &bench{q, t, db, storetest.Workspace()}
}

func (b *bench) define(k jobs.Kind) {
	b.t.Helper()
	if err := b.Define(k); err != nil {
		b.t.Fatal(err)
	}
}

// start runs the queue until the returned function is called.
func (b *bench) start() (stop func()) {
	ctx, cancel := context.WithCancel(b.t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := b.Run(ctx); err != nil {
			b.t.Error(err)
		}
	})
	return sync.OnceFunc(func() { cancel(); wg.Wait() })
}

func (b *bench) add(r jobs.Request) ids.Job {
	b.t.Helper()
	r.Workspace = b.ws
	var id ids.Job
	if err := b.db.InTx(b.t.Context(), func(tx *store.Tx) (err error) { id, err = b.Enqueue(b.t.Context(), tx, r); return err }); err != nil {
		b.t.Fatal(err)
	}
	return id
}

func (b *bench) get(id ids.Job) jobs.Job {
	b.t.Helper()
	job, err := b.Get(b.t.Context(), b.ws, id)
	if err != nil {
		b.t.Fatal(err)
	}
	return job
}

// kinds are the events said so far about a job.
func (b *bench) kinds(id ids.Job) []string {
	b.t.Helper()
	var said []string
	for _, r := range eventstest.Stored(b.t, b.db, b.ws, jobs.Channel(id)) {
		said = append(said, r.Kind)
	}
	return said
}

var quick = retry.Policy{First: time.Millisecond, Max: time.Millisecond}

func TestAJobRunsAfterItsCommit(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, "w", jobs.Options{Sole: true})
		got := make(chan string, 2)
		b.define(jobs.Kind{Name: "test.echo", Run: func(_ context.Context, task *jobs.Task) (any, error) {
			var args struct{ Text string }
			if err := task.Decode(&args); err != nil {
				return nil, err
			}
			got <- args.Text
			return map[string]string{"said": args.Text}, nil
		}})
		stop := b.start()
		defer stop()
		undone := errors.New("undone")
		err := db.InTx(t.Context(), func(tx *store.Tx) error {
			if _, err := b.Enqueue(t.Context(), tx, jobs.Request{Workspace: b.ws, Kind: "test.echo", Args: map[string]string{"text": "never"}}); err != nil {
				return err
			}
			return undone
		})
		if !errors.Is(err, undone) {
			t.Fatal(err)
		}
		id := b.add(jobs.Request{Kind: "test.echo", Args: map[string]string{"text": "hello"}})
		if text := <-got; text != "hello" {
			t.Errorf("ran %q; a job of an undone transaction must not run", text)
		}
		stop()
		job := b.get(id)
		if job.State != jobs.Finished || string(job.Result) == "" || job.FinishedAt.IsZero() {
			t.Errorf("job = %+v", job)
		}
		if said := fmt.Sprint(b.kinds(id)); said != "[jobs.queued jobs.started jobs.finished]" {
			t.Errorf("said %s", said)
		}
	})
}

func TestRetries(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, "w", jobs.Options{Sole: true})
		ended := make(chan struct{}, 8)
		var tries atomic.Int64
		b.define(jobs.Kind{Name: "test.flaky", Backoff: quick, Attempts: 3, Run: func(_ context.Context, task *jobs.Task) (any, error) {
			tries.Add(1)
			if task.Attempt < 3 {
				panic("not yet") // a panic is a failed attempt, not the end of the program
			}
			ended <- struct{}{}
			return nil, nil
		}})
		b.define(jobs.Kind{Name: "test.broken", Backoff: quick, Attempts: 2, Run: func(_ context.Context, task *jobs.Task) (any, error) {
			if task.Attempt == 2 {
				defer func() { ended <- struct{}{} }()
			}
			return nil, errors.New("no luck")
		}})
		b.define(jobs.Kind{Name: "test.hopeless", Backoff: quick, Run: func(context.Context, *jobs.Task) (any, error) {
			defer func() { ended <- struct{}{} }()
			return nil, fault.New(fault.Invalid, "bad", "This will not get better.")
		}})
		flaky, broken, hopeless := b.add(jobs.Request{Kind: "test.flaky"}), b.add(jobs.Request{Kind: "test.broken"}), b.add(jobs.Request{Kind: "test.hopeless"})
		stop := b.start()
		defer stop()
		for range 3 {
			<-ended
		}
		stop()
		if job := b.get(flaky); job.State != jobs.Finished || tries.Load() != 3 {
			t.Errorf("flaky: %s after %d tries", job.State, tries.Load())
		}
		if job := b.get(broken); job.State != jobs.Failed || job.Attempt != 2 || job.Error != "no luck" {
			t.Errorf("broken: %+v", job)
		}
		if job := b.get(hopeless); job.State != jobs.Failed || job.Attempt != 1 {
			t.Errorf("hopeless: %+v", job)
		}
		if _, err := b.Retry(t.Context(), b.ws, hopeless); err != nil {
			t.Error(err)
		}
		if job := b.get(hopeless); job.State != jobs.Queued || job.Attempt != 0 || job.Error != "" {
			t.Errorf("after Retry: %+v", job)
		}
		if _, err := b.Retry(t.Context(), b.ws, flaky); !fault.HasCode(err, "job_state") {
			t.Errorf("retrying a finished job: %v", err)
		}
		if _, err := b.Retry(t.Context(), storetest.Workspace(), hopeless); !fault.HasCode(err, "job_not_found") {
			t.Errorf("a job of another workspace: %v", err)
		}
	})
}

func TestUniqueJobs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, "w", jobs.Options{Sole: true})
		b.define(jobs.Kind{Name: "test.once", Run: func(context.Context, *jobs.Task) (any, error) { return nil, nil }})
		first := b.add(jobs.Request{Kind: "test.once", UniqueKey: "k"})
		if again := b.add(jobs.Request{Kind: "test.once", UniqueKey: "k"}); again != first {
			t.Errorf("a second job %s was made beside %s", again, first)
		}
		if _, err := b.Cancel(t.Context(), b.ws, first); err != nil {
			t.Fatal(err)
		}
		if next := b.add(jobs.Request{Kind: "test.once", UniqueKey: "k"}); next == first {
			t.Error("the key of a cancelled job is still taken")
		}
	})
}

func TestCancelPauseResume(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, "w", jobs.Options{Sole: true})
		began, ended := make(chan struct{}, 4), make(chan struct{}, 4)
		b.define(jobs.Kind{Name: "test.long", Concurrency: 1, Run: func(ctx context.Context, task *jobs.Task) (any, error) {
			began <- struct{}{}
			<-ctx.Done()
			if !task.Cancelled(ctx) {
				t.Error("the handler cannot tell a cancel")
			}
			ended <- struct{}{}
			return nil, ctx.Err()
		}})
		running := b.add(jobs.Request{Kind: "test.long"})
		waiting := b.add(jobs.Request{Kind: "test.long"})
		stop := b.start()
		defer stop()
		<-began
		if job := b.get(waiting); job.State != jobs.Queued {
			t.Errorf("two jobs of a kind with room for one: %s", job.State)
		}
		for _, step := range []struct {
			do   func(context.Context, ids.Workspace, ids.Job) (jobs.Job, error)
			want jobs.State
		}{{b.Pause, jobs.Paused}, {b.Resume, jobs.Queued}, {b.Pause, jobs.Paused}} {
			if job, err := step.do(t.Context(), b.ws, waiting); err != nil || job.State != step.want {
				t.Fatalf("job = %s, %v; want %s", job.State, err, step.want)
			}
		}
		if _, err := b.Cancel(t.Context(), b.ws, running); err != nil {
			t.Fatal(err)
		}
		<-ended
		stop()
		if job := b.get(running); job.State != jobs.Cancelled {
			t.Errorf("running one: %s", job.State)
		}
		if job := b.get(waiting); job.State != jobs.Paused {
			t.Errorf("a paused job ran: %s", job.State)
		}
	})
}

func TestPausedKinds(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, "w", jobs.Options{Sole: true})
		ran := make(chan string, 4)
		for _, name := range []string{"test.held", "test.free"} {
			b.define(jobs.Kind{Name: name, Run: func(context.Context, *jobs.Task) (any, error) { ran <- name; return nil, nil }})
		}
		if err := b.PauseKind(t.Context(), "test.held"); err != nil {
			t.Fatal(err)
		}
		held := b.add(jobs.Request{Kind: "test.held", Priority: 9})
		b.add(jobs.Request{Kind: "test.free"})
		stop := b.start()
		defer stop()
		if first := <-ran; first != "test.free" {
			t.Errorf("%s ran while its kind was paused", first)
		}
		kinds, err := b.Kinds(t.Context(), b.ws)
		if err != nil || len(kinds) != 2 || kinds[0].Kind != "test.free" || !kinds[1].Paused || kinds[1].Counts[jobs.Queued] != 1 {
			t.Errorf("Kinds = %+v, %v", kinds, err)
		}
		if err := b.ResumeKind(t.Context(), "test.held"); err != nil {
			t.Fatal(err)
		}
		<-ran
		stop()
		if job := b.get(held); job.State != jobs.Finished {
			t.Errorf("after resuming: %s", job.State)
		}
		if err := b.PauseKind(t.Context(), "test.hold"); !fault.HasCode(err, "unknown_job_kind") {
			t.Errorf("pausing a kind that does not exist: %v", err)
		}
	})
}

func TestAStoppingProgramGivesItsJobsBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, "w", jobs.Options{Sole: true})
		began := make(chan int, 4)
		b.define(jobs.Kind{Name: "test.long", Attempts: 1, Run: func(ctx context.Context, task *jobs.Task) (any, error) {
			began <- task.Attempt
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		id := b.add(jobs.Request{Kind: "test.long"})
		for range 3 { // more stops than attempts: a stop does not use one up
			stop := b.start()
			if attempt := <-began; attempt != 1 {
				t.Errorf("attempt %d, want 1", attempt)
			}
			stop()
			if job := b.get(id); job.State != jobs.Queued {
				t.Fatalf("after a stop: %s", job.State)
			}
		}
	})
}

func TestLostJobsAreTakenUp(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		dead := newBench(t, db, "dead", jobs.Options{})
		var runs atomic.Int64
		done := make(chan struct{}, 4)
		kind := jobs.Kind{Name: "test.work", Attempts: 3, Run: func(context.Context, *jobs.Task) (any, error) {
			runs.Add(1)
			done <- struct{}{}
			return nil, nil
		}}
		dead.define(kind)
		fresh, spent := dead.add(jobs.Request{Kind: "test.work"}), dead.add(jobs.Request{Kind: "test.work"})
		// As a process leaves them that was killed in the middle.
		err := db.InTx(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec(t.Context(), `UPDATE jobs_jobs SET state = 'running', worker = 'dead', attempt = CASE WHEN id = ? THEN 3 ELSE 1 END, lease_until = ?`,
				spent, time.Now().Add(time.Hour))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		next := newBench(t, db, "next", jobs.Options{Sole: true})
		next.ws = dead.ws
		next.define(kind)
		stop := next.start()
		defer stop()
		<-done
		stop()
		if job := next.get(fresh); job.State != jobs.Finished || job.Attempt != 2 {
			t.Errorf("lost job: %+v", job)
		}
		if job := next.get(spent); job.State != jobs.Failed {
			t.Errorf("a job that killed its worker three times: %s", job.State)
		}
		if runs.Load() != 1 {
			t.Errorf("ran %d times", runs.Load())
		}
	})
}

func TestTwoWorkersNeverShareAJob(t *testing.T) {
	t.Parallel()
	db := storetest.Postgres(t)
	const count = 300
	var mu sync.Mutex
	ran := make(map[ids.Job]int)
	finished := make(chan struct{}, count)
	var stops []func()
	var first *bench
	for i := range 3 {
		b := newBench(t, db, fmt.Sprint("worker ", i), jobs.Options{})
		b.define(jobs.Kind{Name: "test.count", Concurrency: 8, Run: func(_ context.Context, task *jobs.Task) (any, error) {
			mu.Lock()
			ran[task.ID]++
			mu.Unlock()
			finished <- struct{}{}
			return nil, nil
		}})
		if first == nil {
			first = b
			for range count {
				b.add(jobs.Request{Kind: "test.count"})
			}
		}
		stops = append(stops, b.start())
	}
	for range count {
		<-finished
	}
	for _, stop := range stops {
		stop()
	}
	for id, times := range ran {
		if times != 1 {
			t.Errorf("%s ran %d times", id, times)
		}
	}
	if len(ran) != count {
		t.Errorf("%d jobs ran, want %d", len(ran), count)
	}
}

func TestAWorkerThatLostItsLeaseCannotFinish(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, "slow", jobs.Options{Sole: true})
		began, release := make(chan struct{}), make(chan struct{})
		b.define(jobs.Kind{Name: "test.slow", Run: func(context.Context, *jobs.Task) (any, error) {
			close(began)
			<-release
			return "mine", nil
		}})
		id := b.add(jobs.Request{Kind: "test.slow"})
		stop := b.start()
		defer stop()
		<-began
		err := db.InTx(t.Context(), func(tx *store.Tx) error { // another worker took it over
			_, err := tx.Exec(t.Context(), `UPDATE jobs_jobs SET attempt = attempt + 1, worker = 'other' WHERE id = ?`, id)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		close(release)
		stop()
		if job := b.get(id); job.State != jobs.Running || job.Worker != "other" {
			t.Errorf("the old worker changed the job: %+v", job)
		}
	})
}

func TestSchedulesFireOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, "w", jobs.Options{Sole: true})
		ran := make(chan ids.Job, 8)
		b.define(jobs.Kind{Name: "test.tick", Run: func(_ context.Context, task *jobs.Task) (any, error) { ran <- task.ID; return nil, nil },
			Schedule: func(_ context.Context, ws ids.Workspace, args json.RawMessage) (any, error) {
				return map[string]any{"for": ws, "told": args}, nil
			}})
		b.define(jobs.Kind{Name: "test.inner", Run: func(context.Context, *jobs.Task) (any, error) { return nil, nil }})
		if _, err := b.AddSchedule(t.Context(), jobs.Schedule{Workspace: b.ws, Name: "inner", Kind: "test.inner", Cron: "@daily", Enabled: true}); !fault.HasCode(err, "not_schedulable") {
			t.Errorf("work that is no business of people: %v", err)
		}
		s, err := b.AddSchedule(t.Context(), jobs.Schedule{Workspace: b.ws, Name: "tick", Kind: "test.tick", Cron: "@yearly", Enabled: true})
		if err != nil {
			t.Fatal(err)
		}
		if want := `{"for":"` + string(b.ws) + `","told":{}}`; string(s.Args) != want {
			t.Errorf("the work is told %s, want %s", s.Args, want)
		}
		if _, err := b.AddSchedule(t.Context(), jobs.Schedule{Workspace: b.ws, Name: "tick", Kind: "test.tick", Cron: "@daily", Enabled: true}); !fault.HasCode(err, "schedule_exists") {
			t.Errorf("a second schedule of that name: %v", err)
		}
		// It was due long ago, several times over: it is made up for once.
		err = db.InTx(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec(t.Context(), `UPDATE jobs_schedules SET next_at = ?`, time.Now().AddDate(-3, 0, 0))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		stop := b.start()
		defer stop()
		job := <-ran
		stop()
		got, err := b.Schedule(t.Context(), b.ws, s.ID)
		if err != nil || got.LastJob != job || !got.NextAt.After(time.Now()) {
			t.Errorf("schedule = %+v, %v; want its last job %s and a future next_at", got, err, job)
		}
		list, err := b.List(t.Context(), b.ws, jobs.Filter{Kind: "test.tick"})
		if err != nil || len(list.Data) != 1 || list.Data[0].Schedule != s.ID {
			t.Errorf("jobs = %+v, %v; want one, made by the schedule", list, err)
		}
		off := false
		if got, err = b.ChangeSchedule(t.Context(), b.ws, s.ID, func(s *jobs.Schedule) { s.Enabled = off }); err != nil || !got.NextAt.IsZero() {
			t.Errorf("a disabled schedule is due at %s (%v)", got.NextAt, err)
		}
		if err := b.DeleteSchedule(t.Context(), b.ws, s.ID); err != nil {
			t.Error(err)
		}
		if left, err := b.Schedules(t.Context(), b.ws, page.Query{}); err != nil || len(left.Data) != 0 {
			t.Errorf("left: %+v, %v", left, err)
		}
	})
}

func TestProgressAndPruning(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, "w", jobs.Options{Sole: true})
		done := make(chan struct{})
		b.define(jobs.Kind{Name: "test.steps", Run: func(ctx context.Context, task *jobs.Task) (any, error) {
			defer close(done)
			for i := range int64(10) {
				if err := task.Progress(ctx, i+1, 10, "step"); err != nil {
					return nil, err
				}
			}
			return nil, nil
		}})
		id := b.add(jobs.Request{Kind: "test.steps"})
		stop := b.start()
		defer stop()
		<-done
		stop()
		if job := b.get(id); job.Done != 10 || job.Total != 10 || job.Note != "step" {
			t.Errorf("progress = %d of %d %q", job.Done, job.Total, job.Note)
		}
		if n, err := b.Prune(t.Context(), time.Now().Add(-time.Hour)); n != 0 || err != nil {
			t.Errorf("pruned %d young jobs, %v", n, err)
		}
		if n, err := b.Prune(t.Context(), time.Now().Add(time.Hour)); n != 1 || err != nil {
			t.Errorf("pruned %d, %v; want 1", n, err)
		}
	})
}

// TestAnOutcomeThatCannotBeSavedIsSavedLater: as on a disk that is full for a while. The work is done once.
func TestAnOutcomeThatCannotBeSavedIsSavedLater(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	trouble := make(chan string, 16)
	b := newBench(t, db, "w", jobs.Options{Sole: true, Log: slog.New(heard{slog.DiscardHandler, trouble})})
	began := make(chan struct{}, 4)
	b.define(jobs.Kind{Name: "test.work", Attempts: 3, Concurrency: 1, Run: func(context.Context, *jobs.Task) (any, error) {
		began <- struct{}{}
		return nil, nil
	}})
	change := func(statement string) {
		t.Helper()
		if err := db.InTx(t.Context(), func(tx *store.Tx) error { _, err := tx.Exec(t.Context(), statement); return err }); err != nil {
			t.Fatal(err)
		}
	}
	change(`CREATE TRIGGER full BEFORE UPDATE ON jobs_jobs WHEN NEW.state = 'finished' BEGIN SELECT RAISE(FAIL, 'full'); END`)
	id := b.add(jobs.Request{Kind: "test.work"})
	stop := b.start()
	defer stop()
	<-began
	if said := <-trouble; !strings.Contains(said, "could not be saved yet") {
		t.Fatalf("heard %q", said)
	}
	if job := b.get(id); job.State != jobs.Running {
		t.Errorf("it is %s before its outcome is saved", job.State)
	}
	change(`DROP TRIGGER full`)
	b.add(jobs.Request{Kind: "test.work"})
	<-began // one at a time: the first is over
	if job := b.get(id); job.State != jobs.Finished || job.Attempt != 1 {
		t.Errorf("%s, attempt %d", job.State, job.Attempt)
	}
}

// heard tells what is logged.
type heard struct {
	slog.Handler
	said chan<- string
}

func (h heard) Enabled(context.Context, slog.Level) bool { return true }

func (h heard) Handle(_ context.Context, r slog.Record) error {
	h.said <- r.Message
	return nil
}
