package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/store"
)

// Schedule starts a job again and again.
type Schedule struct {
	ID        ids.Schedule    `db:"id" json:"id"`
	Workspace ids.Workspace   `db:"workspace_id" json:"-"`
	Name      string          `db:"name" json:"name"`
	Kind      string          `db:"kind" json:"kind"`
	Args      json.RawMessage `db:"args" json:"args"`
	Cron      string          `db:"cron" json:"cron"`
	TimeZone  string          `db:"time_zone" json:"time_zone"`
	Enabled   bool            `db:"enabled" json:"enabled"`
	NextAt    time.Time       `db:"next_at" json:"next_at,omitzero"`
	LastAt    time.Time       `db:"last_at" json:"last_at,omitzero"`
	LastJob   ids.Job         `db:"last_job" json:"last_job,omitempty"`
	CreatedAt time.Time       `db:"created_at" json:"created_at"`
}

var parser = cron.NewParser(cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)

// Next is when the schedule fires after a moment, in its own time zone, so that
// "every day at 9" stays at 9 when the clocks change.
func Next(spec, zone string, after time.Time) (time.Time, error) {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return time.Time{}, fault.New(fault.Invalid, "unknown_time_zone", "There is no time zone called %q.", zone).
			WithParam("time_zone").WithHint("Use a name such as Europe/Berlin or UTC.")
	}
	s, err := parser.Parse(spec)
	if err != nil {
		return time.Time{}, fault.New(fault.Invalid, "bad_cron", "%q is not a schedule: %s.", spec, err).
			WithParam("cron").WithHint("Five fields (minute hour day month weekday) such as \"0 9 * * 1-5\", or @daily, or @every 15m.")
	}
	next := s.Next(after.In(loc))
	if next.IsZero() {
		return next, fault.New(fault.Invalid, "bad_cron", "%q never comes.", spec).WithParam("cron").WithHint("Check the day and the month.")
	}
	return next.UTC(), nil
}

// AddSchedule stores a new schedule that a person wants; its kind has a say in what it tells the work.
func (q *Queue) AddSchedule(ctx context.Context, s Schedule) (Schedule, error) {
	if err := q.complete(&s); err != nil {
		return s, err
	}
	kind, err := q.kind(s.Kind)
	if err != nil {
		return s, err
	}
	if kind.Schedule == nil {
		return s, fault.New(fault.Invalid, "not_schedulable", "Work of the kind %s is never done on a schedule.", s.Kind).WithParam("kind").
			WithHint("GET /api/v1/jobs/kinds says which kinds are; runs.start asks an agent.")
	}
	args, err := kind.Schedule(ctx, s.Workspace, s.Args)
	if err != nil {
		return s, err
	}
	if s.Args, err = json.Marshal(args); err != nil {
		return s, fmt.Errorf("writing down what %s is told: %w", s.Name, err)
	}
	err = q.db.InTx(ctx, func(tx *store.Tx) error {
		tx.AfterCommit(q.poke)
		_, err := tx.Exec(ctx, insertSchedule, s.ID, s.Workspace, s.Name, s.Kind, s.Args, s.Cron, s.TimeZone, s.Enabled, s.NextAt, s.CreatedAt)
		return err
	})
	if q.db.IsUnique(err) {
		return s, fault.New(fault.Conflict, "schedule_exists", "There is a schedule called %q already.", s.Name).WithParam("name").WithHint("Choose another name, or change that one.")
	}
	return s, err
}

// KeepSchedule makes a schedule of this name be as given: for schedules that
// come from the configuration.
func (q *Queue) KeepSchedule(ctx context.Context, s Schedule) error {
	if err := q.complete(&s); err != nil {
		return err
	}
	kept, err := store.One[bool](ctx, q.db.Read(), sameSchedule, s.Workspace, s.Name, s.Kind, s.Args, s.Cron, s.TimeZone, s.Enabled)
	if err != nil || kept { // as after nearly every start, which then writes nothing
		return err
	}
	return q.db.InTx(ctx, func(tx *store.Tx) error {
		tx.AfterCommit(q.poke)
		_, err := tx.Exec(ctx, upsertSchedule, s.ID, s.Workspace, s.Name, s.Kind, s.Args, s.Cron, s.TimeZone, s.Enabled, s.NextAt, s.CreatedAt)
		return err
	})
}

func (q *Queue) complete(s *Schedule) error {
	if s.Name == "" {
		return fault.New(fault.Invalid, "missing_name", "A schedule needs a name.").WithParam("name").WithHint("Say in a few words what it does.")
	}
	if _, err := q.kind(s.Kind); err != nil {
		return err
	}
	if s.TimeZone == "" {
		s.TimeZone = "UTC"
	}
	if len(s.Args) == 0 {
		s.Args = json.RawMessage("{}")
	}
	s.ID, s.CreatedAt = ids.New[ids.Schedule](), time.Now().UTC().Truncate(time.Microsecond)
	return s.plan()
}

// plan sets when the schedule fires next.
func (s *Schedule) plan() error {
	next, err := Next(s.Cron, s.TimeZone, time.Now())
	if err != nil {
		return err
	}
	s.NextAt = next
	if !s.Enabled {
		s.NextAt = time.Time{}
	}
	return nil
}

// ChangeSchedule applies change to a schedule.
func (q *Queue) ChangeSchedule(ctx context.Context, ws ids.Workspace, id ids.Schedule, change func(*Schedule)) (Schedule, error) {
	s, err := q.Schedule(ctx, ws, id)
	if err != nil {
		return s, err
	}
	change(&s)
	if err := s.plan(); err != nil {
		return s, err
	}
	err = q.db.InTx(ctx, func(tx *store.Tx) error {
		tx.AfterCommit(q.poke)
		_, err := tx.Exec(ctx, updateSchedule, s.Name, s.Args, s.Cron, s.TimeZone, s.Enabled, s.NextAt, id, ws)
		return err
	})
	return s, err
}

// DeleteSchedule removes a schedule; jobs it made stay.
func (q *Queue) DeleteSchedule(ctx context.Context, ws ids.Workspace, id ids.Schedule) error {
	return q.db.InTx(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, deleteSchedule, id, ws)
		if err == nil && n == 0 {
			return scheduleNotFound(id)
		}
		return err
	})
}

// Schedule reads one schedule.
func (q *Queue) Schedule(ctx context.Context, ws ids.Workspace, id ids.Schedule) (Schedule, error) {
	s, err := store.One[Schedule](ctx, q.db.Read(), selectSchedule, id, ws)
	if errors.Is(err, store.ErrNoRows) {
		return s, scheduleNotFound(id)
	}
	return s, err
}

// Schedules lists a workspace's schedules, oldest first.
func (q *Queue) Schedules(ctx context.Context, ws ids.Workspace, p page.Query) (page.Page[Schedule], error) {
	after, _, err := page.Decode[string](p.Cursor)
	if err != nil {
		return page.Page[Schedule]{}, err
	}
	rows, err := store.All[Schedule](ctx, q.db.Read(), listSchedules, ws, after, after, p.Size()+1)
	if err != nil {
		return page.Page[Schedule]{}, fmt.Errorf("listing schedules: %w", err)
	}
	return page.Of(p, rows, func(s Schedule) string { return string(s.ID) }), nil
}

// fire makes a job for every schedule that is due. What was missed while no
// server ran is made up for once, not once per miss.
func (q *Queue) fire(ctx context.Context) error {
	now := time.Now()
	due, err := store.All[Schedule](ctx, q.db.Read(), selectDueSchedules, now)
	if err != nil {
		return fmt.Errorf("looking for due schedules: %w", err)
	}
	for _, s := range due {
		next, err := Next(s.Cron, s.TimeZone, now)
		if err != nil {
			return fmt.Errorf("schedule %s: %w", s.Name, err)
		}
		err = q.db.InTx(ctx, func(tx *store.Tx) error {
			job, err := q.Enqueue(ctx, tx, Request{Workspace: s.Workspace, Kind: s.Kind, Args: s.Args, UniqueKey: "schedule " + string(s.ID), schedule: s.ID})
			if err != nil {
				return err
			}
			n, err := tx.Exec(ctx, advanceSchedule, next, now, job, s.ID, s.NextAt)
			if err == nil && n == 0 {
				return errRaced // another process fired it: undo our job
			}
			return err
		})
		if err != nil && !errors.Is(err, errRaced) {
			return fmt.Errorf("firing schedule %s: %w", s.Name, err)
		}
	}
	return nil
}

var errRaced = errors.New("another process was first")

func scheduleNotFound(id ids.Schedule) error {
	return fault.New(fault.NotFound, "schedule_not_found", "There is no schedule %s.", id).WithHint("GET /api/v1/jobs/schedules lists yours.")
}
