package jobs

import (
	"testing"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

func TestMoveWalksTheTable(t *testing.T) {
	t.Parallel()
	states := []State{Queued, Running, Paused, Finished, Failed, Cancelled}
	actions := []Action{Start, Finish, Fail, Retry, Cancel, Pause, Resume}
	for _, from := range states {
		for _, do := range actions {
			to, err := Move(from, do)
			want, allowed := moves[from][do]
			if allowed && (to != want || err != nil) {
				t.Errorf("Move(%s, %s) = %s, %v; want %s", from, do, to, err, want)
			}
			if !allowed && (to != from || !fault.HasCode(err, "job_state")) {
				t.Errorf("Move(%s, %s) = %s, %v; want a conflict", from, do, to, err)
			}
		}
	}
	if len(moves[Finished]) != 0 {
		t.Error("a finished job can be changed")
	}
}
