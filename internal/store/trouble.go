package store

import (
	"context"
	"errors"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// trouble is a failure of the engine that a person can do something about.
type trouble struct {
	is    func(error) bool
	fault func(*Engine) *fault.Fault
}

var troubles = []trouble{
	{unknown, func(e *Engine) *fault.Fault {
		f := fault.New(fault.Unavailable, "outcome_unknown", "The connection to %s broke while saving, so it is not known whether it was saved.", e.Where).
			WithHint("Look whether it is there before trying again.")
		f.Retryable = false
		return f
	}},
	{says("database or disk is full", "no space left on device", "disk full"), func(e *Engine) *fault.Fault {
		return fault.New(fault.Unavailable, "disk_full", "The disk that holds %s is full; nothing was saved.", e.Where).
			WithHint("Free some space, then try again. Nothing acknowledged before is lost.")
	}},
	{says("database is locked", "SQLITE_BUSY"), func(e *Engine) *fault.Fault {
		return fault.New(fault.Unavailable, "database_busy", "Another program holds %s.", e.Where).
			WithHint("Close other programs that have the file open, then try again.")
	}},
	{says("attempt to write a readonly database", "permission denied", "cannot execute insert in a read-only"), func(e *Engine) *fault.Fault {
		return fault.New(fault.Unavailable, "database_readonly", "%s cannot be written.", e.Where).
			WithHint("Check who owns the file and its folder, or the rights of the database user.")
	}},
	{says("database disk image is malformed", "file is not a database"), func(e *Engine) *fault.Fault {
		return fault.New(fault.Unavailable, "database_damaged", "%s is damaged.", e.Where).
			WithHint("Run fluxway doctor, then fluxway restore with the newest backup.")
	}},
	{says("connection refused", "failed to connect", "server closed the connection", "conn closed", "connection reset",
		"broken pipe", "unexpected eof", "terminating connection", "the database system is", "sql: connection is already closed"), func(e *Engine) *fault.Fault {
		return fault.New(fault.Unavailable, "database_unreachable", "The database %s does not answer.", e.Where).
			WithHint("Check that the server runs and that database.url is right.")
	}},
}

func unknown(err error) bool {
	var u *unknownOutcome
	return errors.As(err, &u)
}

// says matches an error by its words: the drivers share no error values.
func says(words ...string) func(error) bool {
	return func(err error) bool {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return false
		}
		text := strings.ToLower(err.Error())
		for _, w := range words {
			if strings.Contains(text, strings.ToLower(w)) {
				return true
			}
		}
		return false
	}
}
