package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/fluxway/fluxway/client"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

// The exit codes, for scripts.
const (
	exitOK          = 0
	exitFailure     = 1   // anything not below
	exitUsage       = 2   // unknown command or flag, wrong arguments
	exitRefused     = 3   // no credentials, or not allowed
	exitNotFound    = 4   // what was asked for does not exist
	exitConflict    = 5   // it exists already, or is in the wrong state
	exitUnavailable = 6   // the server or the database does not answer; may work later
	exitProblems    = 7   // a check ran and found something wrong (doctor, config validate, audit verify)
	exitWaits       = 8   // a run waits for a person's answer
	exitInterrupted = 130 // stopped with Ctrl+C
)

const exitHelp = `Exit codes:
    0  all went well
    1  something failed
    2  the command line cannot be understood
    3  no credentials, or not allowed
    4  what was asked for does not exist
    5  it exists already, or is in the wrong state
    6  the server or the database does not answer; it may work later
    7  a check ran and found something wrong
    8  a run waits for a person's answer
  130  stopped with Ctrl+C`

// usageError is a mistake on the command line.
type usageError struct{ err error }

// Error is the mistake.
func (u usageError) Error() string { return u.err.Error() }

// Unwrap gives the cause.
func (u usageError) Unwrap() error { return u.err }

// problemsError says that a check found something; it was printed already.
type problemsError struct{ count int }

// Error counts.
func (p problemsError) Error() string { return fmt.Sprintf("%d problems found", p.count) }

// printed reports whether the command told about the error itself.
func printed(err error) bool {
	var problems problemsError
	var verdict verdictError
	var hook hookError
	return errors.As(err, &problems) || errors.As(err, &verdict) || errors.As(err, &hook)
}

// exitCode maps an error to the code that scripts see.
func exitCode(err error) int {
	var usage usageError
	var problems problemsError
	var verdict verdictError
	var hook hookError
	var run runError
	var answered *client.Error
	var f *fault.Fault
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &problems):
		return exitProblems
	case errors.As(err, &verdict):
		return verdict.code()
	case errors.As(err, &hook):
		return exitHookBlock
	case errors.As(err, &run):
		return run.code()
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &answered):
		return codeOfStatus(answered.Status)
	case errors.As(err, &f):
		return codeOfStatus(f.Status())
	}
	return exitFailure
}

func codeOfStatus(status int) int {
	switch status {
	case 401, 403:
		return exitRefused
	case 404, 410:
		return exitNotFound
	case 409:
		return exitConflict
	case 429, 502, 503, 504:
		return exitUnavailable
	}
	return exitFailure
}
