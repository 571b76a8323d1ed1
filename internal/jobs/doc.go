// Package jobs runs durable background work.
//
// In:    a kind of work with its handler; requests enqueued inside the caller's
// transaction; schedules (cron with a time zone).
// Out:   each job run to its end at least once, retried with back-off, resumed
// after a crash; two workers never hold the same job.
// Keeps: jobs_jobs, jobs_pauses, jobs_schedules.
// Says:  jobs.queued, jobs.started, jobs.progressed (droppable), jobs.retried,
// jobs.finished, jobs.failed, jobs.cancelled, jobs.paused, jobs.resumed.
// Not here: what the work is (the part that defines the kind); workflows.
//
// A running job holds a lease that its worker renews. A worker that dies stops
// renewing; the job goes back to the queue when the lease ends, or at once when
// the same data directory starts again. A worker that lost its lease cannot
// finish the job: every change it makes names the attempt it belongs to.
package jobs
