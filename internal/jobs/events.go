package jobs

import (
	"time"

	"github.com/fluxway/fluxway/internal/ids"
)

// Channel is where the facts about a job are said.
func Channel(job ids.Job) string { return "jobs/" + string(job) }

// subject is what every fact about a job carries.
type subject struct {
	Job     ids.Job `json:"job"`
	Work    string  `json:"work"` // the job's kind; the envelope's kind is the event's
	Attempt int     `json:"attempt,omitempty"`
}

type (
	// JobQueued: a job waits to be run.
	JobQueued struct {
		subject
		RunAt time.Time `json:"run_at"`
	}
	// JobStarted: a worker took it.
	JobStarted struct{ subject }
	// JobProgressed: how far it is; droppable.
	JobProgressed struct {
		subject
		Done  int64  `json:"done"`
		Total int64  `json:"total"`
		Note  string `json:"note,omitempty"`
	}
	// JobRetried: an attempt failed, or was lost, and another will follow.
	JobRetried struct {
		subject
		Error string    `json:"error"`
		RunAt time.Time `json:"run_at"`
	}
	// JobFinished: it is done.
	JobFinished struct{ subject }
	// JobFailed: it will not be tried again by itself.
	JobFailed struct {
		subject
		Error string `json:"error"`
	}
	// JobCancelled: someone stopped it.
	JobCancelled struct{ subject }
	// JobPaused: someone put it aside.
	JobPaused struct{ subject }
	// JobResumed: it is back in the queue.
	JobResumed struct{ subject }
)

// Kind names the fact.
func (JobQueued) Kind() string     { return "jobs.queued" }
func (JobStarted) Kind() string    { return "jobs.started" }
func (JobProgressed) Kind() string { return "jobs.progressed" }
func (JobRetried) Kind() string    { return "jobs.retried" }
func (JobFinished) Kind() string   { return "jobs.finished" }
func (JobFailed) Kind() string     { return "jobs.failed" }
func (JobCancelled) Kind() string  { return "jobs.cancelled" }
func (JobPaused) Kind() string     { return "jobs.paused" }
func (JobResumed) Kind() string    { return "jobs.resumed" }
