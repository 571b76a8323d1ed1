package runs_test

import (
	"encoding/json"
	"testing"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestAScheduleAsksAnAgent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		m := newModel("Nothing is new.")
		o := newOffice(t, db, m)
		ctx := identity.With(t.Context(), &identity.Identity{Workspace: o.who.Workspace, User: o.who.User})
		add := func(name, args string) (jobs.Schedule, error) {
			return o.queue.AddSchedule(ctx, jobs.Schedule{Workspace: o.who.Workspace, Name: name, Kind: "runs.start", Args: json.RawMessage(args), Cron: "@yearly", Enabled: true})
		}
		write := func(statement string) {
			t.Helper()
			err := db.InTx(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Exec(t.Context(), statement)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for args, code := range map[string]string{
			`[]`: "bad_schedule", `{"message":"x"}`: "missing_agent", `{"agent":"assistant"}`: "empty_message", `{"agent":"nobody","message":"x"}`: "agent_not_found",
		} {
			if _, err := add("bad", args); !fault.HasCode(err, code) {
				t.Errorf("%s: %v, want %s", args, err, code)
			}
		}
		s, err := add("news", `{"agent":"assistant","message":"What is new?","user":"`+string(ids.New[ids.User]())+`"}`)
		if err != nil {
			t.Fatal(err)
		}
		var told runs.Scheduled
		if err := json.Unmarshal(s.Args, &told); err != nil || told.User != o.who.User {
			t.Fatalf("it asks for %s (%v), want %s who made it", told.User, err, o.who.User)
		}
		write(`UPDATE jobs_schedules SET next_at = 1`)
		stop := o.work()
		<-m.asked
		list, err := o.List(t.Context(), o.who, runs.Filter{})
		if err != nil || len(list.Data) != 1 || list.Data[0].Door != "schedule" || list.Data[0].Agent != "assistant" {
			t.Fatalf("runs = %+v, %v; want one of the schedule", list, err)
		}
		o.over(list.Data[0].ID)
		stop()
		// A job that is done again after a crash does not ask twice: the next one of its kind comes after it.
		write(`UPDATE jobs_jobs SET state = 'queued', run_at = 1 WHERE kind = 'runs.start'`)
		if _, err := add("more", `{"agent":"assistant","message":"And else?"}`); err != nil {
			t.Fatal(err)
		}
		write(`UPDATE jobs_schedules SET next_at = 1 WHERE name = 'more'`)
		o.queue.SetConcurrency("runs.start", 1)
		stop = o.work()
		defer stop()
		<-m.asked
		if list, err = o.List(t.Context(), o.who, runs.Filter{}); err != nil || len(list.Data) != 2 {
			t.Errorf("%d runs, %v; want one of each schedule", len(list.Data), err)
		}
	})
}
