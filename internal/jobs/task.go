package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/retry"
	"github.com/fluxway/fluxway/internal/store"
)

// errCancelled and errLost are the causes a handler's context ends with.
var (
	errCancelled = errors.New("the job was cancelled")
	errLost      = errors.New("the job's lease was lost to another worker")
)

// Task is a job in the hands of its handler.
type Task struct {
	Job
	q    *Queue
	stop context.CancelCauseFunc

	mu    sync.Mutex // guards saved
	saved time.Time  // when progress was last written
}

// Decode reads the arguments.
func (t *Task) Decode(args any) error {
	if err := json.Unmarshal(t.Args, args); err != nil {
		return fault.New(fault.Invalid, "bad_job_arguments", "The arguments of %s cannot be read.", t.Kind).Because(err)
	}
	return nil
}

// Cancelled says whether the handler was told to stop because someone cancelled
// the job, and not because the program stops.
func (t *Task) Cancelled(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), errCancelled)
}

// Progress tells how far the work is. Subscribers hear each call; the row is
// written at most once a second.
func (t *Task) Progress(ctx context.Context, done, total int64, note string) error {
	if t.Workspace != "" {
		t.q.hub.Publish(t.Workspace, Channel(t.ID), JobProgressed{t.subject(), done, total, note})
	}
	t.mu.Lock()
	due := time.Since(t.saved) >= time.Second || done == total
	if due {
		t.saved = time.Now()
	}
	t.mu.Unlock()
	if !due {
		return nil
	}
	return t.q.db.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, saveProgress, done, total, note, t.ID, t.Attempt)
		return err
	})
}

// run is one attempt, from the handler's start to the row's next state.
func (t *Task) run(work context.Context, k Kind) error {
	var ctx context.Context
	ctx, t.stop = context.WithCancelCause(work)
	defer t.stop(nil)
	if k.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, k.Timeout, fault.New(fault.Timeout, "job_timeout", "It took longer than %s.", k.Timeout))
		defer cancel()
	}
	t.q.mu.Lock()
	t.q.running[t.ID] = t
	t.q.mu.Unlock()
	result, err := t.call(ctx, k)
	err = t.end(work, ctx, k, result, err)
	t.q.mu.Lock()
	delete(t.q.running, t.ID)
	t.q.mu.Unlock()
	return err
}

func (t *Task) call(ctx context.Context, k Kind) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the handler panicked: %v", p)
		}
	}()
	return k.Run(ctx, t)
}

// outcome is what became of an attempt.
type outcome struct {
	do       Action
	runAt    time.Time // when to try again
	result   any
	failure  string
	giveBack bool // the attempt does not count against the job
	say      events.Event
}

// saving is how an outcome is written that could not be at once, as on a full disk.
var saving = retry.Policy{First: 100 * time.Millisecond, Max: 10 * time.Second}

// end writes what became of the attempt, however long that takes: work that is done is not done again. Only a program that stops
// leaves it to the next start.
func (t *Task) end(work, ctx context.Context, k Kind, result any, err error) error {
	if errors.Is(context.Cause(ctx), errLost) {
		return nil // whoever holds it now decides
	}
	outcome := t.judge(k, context.Cause(ctx), result, err)
	for n := 1; ; n++ {
		err := t.write(ctx, outcome)
		if err == nil || work.Err() != nil || errors.Is(context.Cause(ctx), errLost) {
			return err
		}
		if n == 1 {
			t.q.log.ErrorContext(ctx, "a job's outcome could not be saved yet", "part", "jobs", "job", t.ID, "err", err)
		}
		timer := time.NewTimer(saving.Wait(n))
		select {
		case <-work.Done():
			timer.Stop()
		case <-timer.C:
		}
	}
}

// judge decides between done, cancelled, again and never again. A stopping
// program leaves the job queued for the next start.
func (t *Task) judge(k Kind, cause error, result any, err error) outcome {
	switch {
	case err == nil:
		return outcome{do: Finish, result: result, say: JobFinished{t.subject()}}
	case errors.Is(cause, errCancelled):
		return outcome{do: Cancel, failure: err.Error(), say: JobCancelled{t.subject()}}
	case errors.Is(cause, errStopping):
		return outcome{do: Retry, runAt: time.Now(), giveBack: true, say: JobRetried{t.subject(), "the server stopped", time.Now().UTC()}}
	}
	var f *fault.Fault
	hopeless := errors.As(err, &f) && !f.Retryable && f.Kind != fault.Internal
	if hopeless || t.Attempt >= t.MaxAttempts {
		return outcome{do: Fail, failure: err.Error(), say: JobFailed{t.subject(), err.Error()}}
	}
	wait := k.Backoff.Wait(t.Attempt)
	if f != nil {
		wait = max(wait, f.RetryAfter)
	}
	at := time.Now().Add(wait)
	return outcome{do: Retry, runAt: at, failure: err.Error(), say: JobRetried{t.subject(), err.Error(), at.UTC()}}
}

func (t *Task) write(ctx context.Context, o outcome) error {
	to, err := Move(Running, o.do)
	if err != nil {
		return err
	}
	runAt, finished, back := t.RunAt, time.Now(), 0
	if to == Queued {
		runAt, finished = o.runAt, time.Time{}
	}
	if o.giveBack {
		back = 1
	}
	ctx = context.WithoutCancel(ctx) // the outcome is written even when the work was told to stop
	return t.q.db.InTx(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, endAttempt, to, back, runAt, store.JSON(o.result), o.failure, finished, t.ID, t.Attempt)
		if err != nil || n == 0 { // no row: the lease was lost, the other worker decides
			return err
		}
		if to == Queued {
			tx.AfterCommit(t.q.poke)
		}
		return t.q.say(ctx, tx, t.Workspace, t.ID, o.say)
	})
}
