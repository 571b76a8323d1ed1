package costs

import (
	"context"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// Step is how far apart the points of a trend are.
type Step string

// The steps.
const (
	Hourly  Step = "hour"
	PerDay  Step = "day"
	maxStep      = 10_000 // points of one trend
)

// Point is what was spent from a moment on, for one step.
type Point struct {
	At time.Time `json:"at"`
	Sums
}

// quarter is the grain of time that is added up in SQL: clocks differ between
// places by whole quarters of an hour.
type quarter struct {
	At time.Time `db:"at"`
	Sums
}

// Trend adds up by hour or by the days of a place, without gaps, from q.Since
// (if it is not set: 24 hours or 30 days ago) to q.Until (if not set: now).
func (l *Ledger) Trend(ctx context.Context, ws ids.Workspace, step Step, zone string, q Query) ([]Point, error) {
	loc, err := parseZone(zone)
	if err != nil {
		return nil, err
	}
	if step != Hourly && step != PerDay {
		return nil, fault.New(fault.Invalid, "unknown_step", "A trend has a point per hour or day, not per %q.", step).WithParam("step")
	}
	if q.Until.IsZero() {
		q.Until = l.now().Add(time.Microsecond)
	}
	if q.Since.IsZero() {
		q.Since = q.Until.Add(-24 * time.Hour)
		if step == PerDay {
			q.Since = q.Until.AddDate(0, 0, -29)
		}
	}
	q.Since = floor(q.Since, step, loc)
	points, err := emptyPoints(q.Since, q.Until, step, loc)
	if err != nil || len(points) == 0 {
		return points, err
	}
	i := 0
	for row, err := range store.Each[quarter](ctx, l.read(ctx), selectTrend, q.facts(ws)...) {
		if err != nil {
			return nil, fmt.Errorf("reading a trend: %w", err)
		}
		for i+1 < len(points) && !row.At.Before(points[i+1].At) {
			i++
		}
		points[i].add(row.Sums)
	}
	return points, nil
}

func floor(t time.Time, step Step, loc *time.Location) time.Time {
	if step == PerDay {
		return Daily.At(t, loc).Start
	}
	// Truncate counts from UTC; some places are half an hour off.
	_, offset := t.In(loc).Zone()
	shift := time.Duration(offset) * time.Second
	return t.Add(shift).Truncate(time.Hour).Add(-shift).UTC()
}

func emptyPoints(since, until time.Time, step Step, loc *time.Location) ([]Point, error) {
	points := []Point{}
	for at := since; at.Before(until); {
		if len(points) >= maxStep {
			return nil, fault.New(fault.Invalid, "too_many_points", "That trend would have more than %d points.", maxStep).
				WithParam("since").WithHint("Ask for days instead of hours, or for a shorter time.")
		}
		points = append(points, Point{At: at})
		if step == Hourly {
			at = at.Add(time.Hour)
		} else {
			at = Daily.At(at, loc).End
		}
	}
	return points, nil
}

// Burn is how fast money goes.
type Burn struct {
	LastHour Micros `json:"last_hour"`
	LastDay  Micros `json:"last_day"`
	LastWeek Micros `json:"last_week"`
	PerHour  Micros `json:"per_hour"` // over the last day
	PerDay   Micros `json:"per_day"`  // over the last week
	// Month is the calendar month in the zone asked for: spent so far, and what
	// it will be at its end if it goes on as in the last week.
	Month          Span   `json:"month"`
	MonthSpent     Micros `json:"month_spent"`
	MonthProjected Micros `json:"month_projected"`
	Unpriced       int64  `json:"unpriced"` // calls of the last week that are in none of this
}

// Burn tells how fast money goes and where the month will end.
func (l *Ledger) Burn(ctx context.Context, ws ids.Workspace, zone string, q Query) (Burn, error) {
	loc, err := parseZone(zone)
	if err != nil {
		return Burn{}, err
	}
	now := l.now()
	b := Burn{Month: Monthly.At(now, loc)}
	for _, part := range []struct {
		to    *Micros
		since time.Time
	}{{&b.LastHour, now.Add(-time.Hour)}, {&b.LastDay, now.Add(-24 * time.Hour)}, {&b.LastWeek, now.Add(-7 * 24 * time.Hour)}, {&b.MonthSpent, b.Month.Start}} {
		q.Since, q.Until = part.since, time.Time{}
		sums, err := l.Totals(ctx, ws, q)
		if err != nil {
			return b, err
		}
		*part.to = sums.Price
		if part.to == &b.LastWeek {
			b.Unpriced = sums.Unpriced
		}
	}
	b.PerHour, b.PerDay = b.LastDay/24, b.LastWeek/7
	b.MonthProjected = b.MonthSpent + project(b.LastWeek, 7*24*time.Hour, b.Month.End.Sub(now))
	return b, nil
}

// project carries a spending over one stretch of time on over another.
func project(spent Micros, over, rest time.Duration) Micros {
	return Micros(float64(spent) / over.Seconds() * rest.Seconds())
}

// Projection is where a budget will be at the end of its period.
type Projection struct {
	Budget    ids.Budget `json:"budget"`
	Span      Span       `json:"current"`
	Limit     int64      `json:"limit"`
	Spent     int64      `json:"spent"`
	PerDay    int64      `json:"per_day"`
	Projected int64      `json:"projected"`            // at the end; for a total budget, in 30 days
	RunsOut   time.Time  `json:"runs_out_at,omitzero"` // zero: not before the end
}

// Project tells where a budget will be if its period goes on as it began.
func (l *Ledger) Project(ctx context.Context, ws ids.Workspace, id ids.Budget) (Projection, error) {
	s, err := l.Budget(ctx, ws, id)
	if err != nil {
		return Projection{}, err
	}
	now, since := l.now(), s.Span.Start
	if s.Period == Total {
		since = s.CreatedAt
	}
	end := s.Span.End
	if end.IsZero() {
		end = now.AddDate(0, 0, 30)
	}
	// An hour at least, so that one early call does not look like a flood.
	return projection(s, now, end, max(now.Sub(since), time.Hour)), nil
}

func projection(s BudgetStatus, now, end time.Time, elapsed time.Duration) Projection {
	p := Projection{Budget: s.ID, Span: s.Span, Limit: s.Limit, Spent: s.Spent}
	perSecond := float64(s.Spent) / elapsed.Seconds()
	p.PerDay = int64(perSecond * 86400)
	p.Projected = s.Spent + int64(perSecond*end.Sub(now).Seconds())
	switch left := float64(s.Limit - s.Spent); {
	case left <= 0:
		p.RunsOut = now
	case perSecond > 0 && left/perSecond < end.Sub(now).Seconds():
		p.RunsOut = now.Add(time.Duration(left / perSecond * float64(time.Second))).UTC().Truncate(time.Second)
	}
	return p
}
