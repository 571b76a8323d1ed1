package costs

import (
	"fmt"
	"sort"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Period is how long a budget's amount lasts.
type Period string

// The periods; weeks begin on Monday.
const (
	Daily   Period = "daily"
	Weekly  Period = "weekly"
	Monthly Period = "monthly"
	Total   Period = "total"
)

// Span is a stretch of time: from Start, up to but without End; a zero End
// never comes.
type Span struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end,omitzero"`
}

// Contains says whether t is within the span.
func (s Span) Contains(t time.Time) bool {
	return !t.Before(s.Start) && (s.End.IsZero() || t.Before(s.End))
}

// At is the span of the period around t, by the clocks of a place. Days there
// may have 23 or 25 hours, and begin after midnight when midnight is skipped.
func (p Period) At(t time.Time, loc *time.Location) Span {
	y, m, d := t.In(loc).Date()
	switch p {
	case Daily:
		return span(y, m, d, 0, 1, loc)
	case Weekly:
		back := (int(t.In(loc).Weekday()) + 6) % 7
		return span(y, m, d-back, 0, 7, loc)
	case Monthly:
		return span(y, m, 1, 1, 0, loc)
	}
	return Span{Start: time.Unix(0, 0).UTC()}
}

// Before is the span of the period that ended where s starts; ok is false for Total.
func (p Period) Before(s Span, loc *time.Location) (before Span, ok bool) {
	if p == Total {
		return Span{}, false
	}
	return p.At(s.Start.Add(-time.Hour), loc), true
}

func span(y int, m time.Month, d, months, days int, loc *time.Location) Span {
	return Span{Start: dayStart(y, m, d, loc), End: dayStart(y, m+time.Month(months), d+days, loc)}
}

// dayStart is the first instant of a local date. time.Date alone is not it where
// clocks change at midnight: that midnight may not exist, or come twice.
func dayStart(y int, m time.Month, d int, loc *time.Location) time.Time {
	noon := time.Date(y, m, d, 12, 0, 0, 0, loc)
	y, m, d = noon.Date()
	from := noon.Add(-18 * time.Hour)
	// Seconds since from, at the first of which the date is reached.
	n := sort.Search(18*3600, func(sec int) bool {
		ty, tm, td := from.Add(time.Duration(sec) * time.Second).Date()
		return ty > y || ty == y && (tm > m || tm == m && td >= d)
	})
	return from.Add(time.Duration(n) * time.Second).UTC()
}

func parsePeriod(text string) (Period, error) {
	switch p := Period(text); p {
	case Daily, Weekly, Monthly, Total:
		return p, nil
	}
	return "", fault.New(fault.Invalid, "unknown_period", "There is no period %q.", text).
		WithParam("period").WithHint("The periods are daily, weekly, monthly and total.")
}

// parseZone finds a place's clocks; "" is UTC. The machine's own are refused,
// since they differ between machines that share a database.
func parseZone(name string) (*time.Location, error) {
	loc, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, fault.New(fault.Invalid, "unknown_zone", "There is no time zone %q.", name).
			WithParam("zone").WithHint("Use a name such as Europe/Berlin, or UTC.").Because(fmt.Errorf("loading a time zone: %w", err))
	}
	return loc, nil
}
