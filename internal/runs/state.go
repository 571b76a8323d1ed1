package runs

import "github.com/fluxway/fluxway/internal/kit/fault"

// State is where a run stands.
type State string

// The states of a run.
const (
	Queued    State = "queued"
	Running   State = "running"
	Waiting   State = "waiting" // for a person; nothing runs meanwhile
	Finished  State = "finished"
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// Action moves a run on.
type Action string

// The actions on a run.
const (
	Start  Action = "start"
	Resume Action = "resume" // started again after the process died, or with the run it helps
	Park   Action = "wait"
	Wake   Action = "wake" // a person has answered
	Finish Action = "finish"
	Fail   Action = "fail"
	Cancel Action = "cancel"
)

var moves = map[State]map[Action]State{
	Queued:  {Start: Running, Cancel: Cancelled, Fail: Failed},
	Running: {Resume: Running, Park: Waiting, Finish: Finished, Fail: Failed, Cancel: Cancelled},
	Waiting: {Wake: Queued, Resume: Running, Cancel: Cancelled, Fail: Failed},
}

// Move gives the state after an action, or a conflict that says why not.
func Move(from State, do Action) (State, error) {
	if to, ok := moves[from][do]; ok {
		return to, nil
	}
	return from, fault.New(fault.Conflict, "run_state", "A %s run cannot %s.", from, do).
		WithHint("Load the run again: it may have moved on meanwhile.").WithDetail("state", from)
}

// Over says whether nothing more will happen to the run.
func (s State) Over() bool { return len(moves[s]) == 0 }
