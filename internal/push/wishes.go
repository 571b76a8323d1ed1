package push

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// Finished is which runs of theirs a person wants to hear the end of.
type Finished string

// The choices.
const (
	FinishedNever  Finished = "never"
	FinishedLong   Finished = "long" // those that took longer than longRun
	FinishedAlways Finished = "always"
)

const longRun = time.Minute

// Wishes is what one person wants to be told, and when not.
type Wishes struct {
	Approvals   bool     `json:"approvals" doc:"Somebody has to approve a call, and you may."`
	Questions   bool     `json:"questions" doc:"An agent that works for you asks something."`
	Finished    Finished `json:"finished" enum:"never,long,always" doc:"A run of yours is over; long: only if it took longer than a minute."`
	Budgets     bool     `json:"budgets" doc:"A budget that you may raise, or are told about, is used up."`
	HideCommand bool     `json:"hide_command" doc:"Notifications say that something needs you, and not what: no command, no question, no title."`
	Quiet       bool     `json:"quiet" doc:"Nothing is sent between quiet_from and quiet_until; what needs you is in the inbox."`
	QuietFrom   string   `json:"quiet_from" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" doc:"22:00"`
	QuietUntil  string   `json:"quiet_until" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" doc:"07:00; the next day if that is earlier."`
	TimeZone    string   `json:"time_zone" max:"64" doc:"Whose clocks quiet hours go by: Europe/Berlin. UTC if left out."`
}

// DefaultWishes are those of somebody who has said nothing.
func DefaultWishes() Wishes {
	return Wishes{Approvals: true, Questions: true, Finished: FinishedNever, Budgets: true, QuietFrom: "22:00", QuietUntil: "07:00", TimeZone: "UTC"}
}

// Wishes are those of a person.
func (h *Herald) Wishes(ctx context.Context, user ids.User) (Wishes, error) {
	w := DefaultWishes()
	text, err := store.One[string](ctx, h.db.Read(), selectWishes, user)
	if errors.Is(err, store.ErrNoRows) {
		return w, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &w)
	}
	if err != nil {
		return w, fmt.Errorf("reading the wishes of %s: %w", user, err)
	}
	return w, nil
}

// SetWishes keeps what a person wants.
func (h *Herald) SetWishes(ctx context.Context, user ids.User, w Wishes) (Wishes, error) {
	defaults := DefaultWishes()
	for _, field := range []struct{ value, otherwise *string }{
		{&w.QuietFrom, &defaults.QuietFrom}, {&w.QuietUntil, &defaults.QuietUntil}, {&w.TimeZone, &defaults.TimeZone}, {(*string)(&w.Finished), (*string)(&defaults.Finished)},
	} {
		if *field.value == "" {
			*field.value = *field.otherwise
		}
	}
	if err := w.check(); err != nil {
		return w, err
	}
	return w, h.db.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, upsertWishes, user, store.JSON(w), h.now())
		return err
	})
}

func (w Wishes) check() error {
	for name, at := range map[string]string{"quiet_from": w.QuietFrom, "quiet_until": w.QuietUntil} {
		if _, err := minutes(at); err != nil {
			return fault.New(fault.Invalid, "bad_time", "%q is not a time of day.", at).WithParam(name).WithHint("Write it as 22:00.")
		}
	}
	if w.Quiet && w.QuietFrom == w.QuietUntil {
		return fault.New(fault.Invalid, "bad_time", "Quiet hours begin and end at the same time.").WithParam("quiet_until").WithHint("Choose another end, or turn off the kinds you do not want.")
	}
	if w.Finished != FinishedNever && w.Finished != FinishedLong && w.Finished != FinishedAlways {
		return fault.New(fault.Invalid, "bad_choice", "%q is no choice.", w.Finished).WithParam("finished").WithHint("It is never, long or always.")
	}
	if _, err := time.LoadLocation(w.TimeZone); err != nil || w.TimeZone == "Local" {
		return fault.New(fault.Invalid, "bad_time_zone", "There is no time zone %q.", w.TimeZone).WithParam("time_zone").WithHint("Write it as Europe/Berlin.")
	}
	return nil
}

// QuietAt says whether nothing is to be sent at a moment.
func (w Wishes) QuietAt(at time.Time) bool {
	if !w.Quiet {
		return false
	}
	from, err := minutes(w.QuietFrom)
	until, err2 := minutes(w.QuietUntil)
	if err != nil || err2 != nil {
		return false
	}
	local := at.In(w.zone())
	now := local.Hour()*60 + local.Minute()
	if from <= until {
		return from <= now && now < until
	}
	return now >= from || now < until
}

func (w Wishes) zone() *time.Location {
	zone, err := time.LoadLocation(w.TimeZone)
	if err != nil {
		return time.UTC
	}
	return zone
}

func minutes(text string) (int, error) {
	at, err := time.Parse("15:04", text)
	return at.Hour()*60 + at.Minute(), err
}
