package jobs

import "github.com/fluxway/fluxway/internal/kit/fault"

// State is where a job stands.
type State string

// The states of a job.
const (
	Queued    State = "queued"
	Running   State = "running"
	Paused    State = "paused"
	Finished  State = "finished"
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// Action is what may be done to a job.
type Action string

// The actions on a job.
const (
	Start  Action = "start"
	Finish Action = "finish"
	Fail   Action = "fail"  // for good
	Retry  Action = "retry" // back to the queue: after a failure, or asked for by a person
	Cancel Action = "cancel"
	Pause  Action = "pause"
	Resume Action = "resume"
)

var moves = map[State]map[Action]State{
	Queued:    {Start: Running, Cancel: Cancelled, Pause: Paused},
	Running:   {Finish: Finished, Fail: Failed, Retry: Queued, Cancel: Cancelled},
	Paused:    {Resume: Queued, Cancel: Cancelled},
	Failed:    {Retry: Queued},
	Cancelled: {Retry: Queued},
}

// Move gives the state after an action, or a conflict that says why not.
func Move(from State, do Action) (State, error) {
	if to, ok := moves[from][do]; ok {
		return to, nil
	}
	return from, fault.New(fault.Conflict, "job_state", "A %s job cannot %s.", from, do).
		WithHint("Load the job again: it may have moved on meanwhile.").WithDetail("state", from)
}
