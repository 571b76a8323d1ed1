package jobs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
)

// errStopping is the cause a handler's context ends with when Run's ends.
var errStopping = errors.New("the server is stopping")

// Run works until ctx ends, then tells the handlers to stop and waits for them.
func (q *Queue) Run(ctx context.Context) error {
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop(errStopping)
	wg.Go(func() { q.renew(work) })
	if err := q.recover(ctx, q.sole); err != nil {
		q.log.ErrorContext(ctx, "lost jobs could not be taken up", "part", "jobs", "err", err)
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-q.wake:
		case <-timer.C:
		}
		next, err := q.round(ctx, work, &wg)
		if err != nil && ctx.Err() == nil {
			q.log.ErrorContext(ctx, "looking for due jobs", "part", "jobs", "err", err)
		}
		timer.Reset(min(next, q.poll))
	}
}

// round fires due schedules, takes up lost jobs, starts what is due and says
// how long nothing else will be.
func (q *Queue) round(ctx, work context.Context, wg *sync.WaitGroup) (time.Duration, error) {
	if err := q.fire(ctx); err != nil {
		return q.poll, err
	}
	if !q.sole {
		if err := q.recover(ctx, false); err != nil {
			return q.poll, err
		}
	}
	due, err := store.All[Job](ctx, q.db.Read(), selectDue)
	if err != nil {
		return q.poll, err
	}
	now, next := time.Now(), q.poll
	for _, first := range due {
		if wait := first.RunAt.Sub(now); wait > 0 {
			next = min(next, wait)
			continue
		}
		if err := q.start(ctx, work, wg, first.Kind); err != nil {
			return q.poll, err
		}
	}
	at, err := store.One[time.Time](ctx, q.db.Read(), nextSchedule)
	if err == nil {
		next = min(next, max(time.Until(at), 0))
	} else if !errors.Is(err, store.ErrNoRows) {
		return q.poll, err
	}
	return next, nil
}

// start claims as many jobs of a kind as there is room for and runs them.
func (q *Queue) start(ctx, work context.Context, wg *sync.WaitGroup, kind string) error {
	q.mu.Lock()
	k, known := q.kinds[kind]
	room := k.Concurrency - q.busy[kind]
	q.mu.Unlock()
	if !known || room <= 0 { // a kind of another version, or all hands busy: the end of one pokes us
		return nil
	}
	var claimed []Job
	err := q.db.InTx(ctx, func(tx *store.Tx) error {
		now := time.Now()
		var err error
		claimed, err = store.All[Job](ctx, tx, q.claim, q.worker, now.Add(q.lease), now, kind, now, room)
		if err != nil {
			return err
		}
		for _, job := range claimed {
			if err := q.say(ctx, tx, job.Workspace, job.ID, JobStarted{job.subject()}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("claiming %s jobs: %w", kind, err)
	}
	for _, job := range claimed {
		q.mu.Lock()
		q.busy[kind]++
		q.mu.Unlock()
		wg.Go(func() {
			task := &Task{Job: job, q: q}
			if err := task.run(work, k); err != nil {
				q.log.ErrorContext(work, "a job's outcome could not be saved", "part", "jobs", "job", job.ID, "err", err)
			}
			q.mu.Lock()
			q.busy[kind]--
			q.mu.Unlock()
			q.poke()
		})
	}
	return nil
}

// renew keeps the leases of running jobs and hears of cancels and losses.
func (q *Queue) renew(ctx context.Context) {
	ticker := time.NewTicker(q.lease / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for _, task := range q.tasks() {
			if err := q.renewOne(ctx, task); err != nil {
				q.log.WarnContext(ctx, "a lease could not be renewed", "part", "jobs", "job", task.ID, "err", err)
			}
		}
	}
}

func (q *Queue) tasks() []*Task {
	q.mu.Lock()
	defer q.mu.Unlock()
	tasks := make([]*Task, 0, len(q.running))
	for _, t := range q.running {
		tasks = append(tasks, t)
	}
	return tasks
}

func (q *Queue) renewOne(ctx context.Context, task *Task) error {
	var cancelling bool
	err := q.db.InTx(ctx, func(tx *store.Tx) (err error) {
		cancelling, err = store.One[bool](ctx, tx, renewLease, time.Now().Add(q.lease), task.ID, task.Attempt)
		return err
	})
	switch {
	case errors.Is(err, store.ErrNoRows):
		task.stop(errLost)
		return nil
	case err == nil && cancelling:
		task.stop(errCancelled)
	}
	return err
}

// recover puts jobs whose worker is gone back into the queue, or fails those
// that have used up their attempts. all takes every running job, for a process
// that knows it is alone.
func (q *Queue) recover(ctx context.Context, all bool) error {
	before := time.Now()
	if all {
		before = before.AddDate(100, 0, 0)
	}
	lost, err := store.All[Job](ctx, q.db.Read(), selectLost, before)
	if err != nil {
		return fmt.Errorf("looking for lost jobs: %w", err)
	}
	q.mu.Lock()
	mine := make(map[ids.Job]bool, len(q.running))
	for id := range q.running {
		mine[id] = true
	}
	q.mu.Unlock()
	for _, job := range lost {
		if mine[job.ID] {
			continue
		}
		task := &Task{Job: job, q: q}
		reason := "the worker " + job.Worker + " died"
		switch {
		case job.Cancelling:
			err = task.write(ctx, outcome{do: Cancel, failure: reason, say: JobCancelled{job.subject()}})
		case job.Attempt >= job.MaxAttempts:
			err = task.write(ctx, outcome{do: Fail, failure: reason, say: JobFailed{job.subject(), reason}})
		default:
			err = task.write(ctx, outcome{do: Retry, runAt: time.Now(), failure: reason, say: JobRetried{job.subject(), reason, time.Now().UTC()}})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
