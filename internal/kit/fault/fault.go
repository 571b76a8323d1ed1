// Package fault is the one shape of an error that a person can act on.
//
// In:    what happened, as a code and a sentence, where the remedy is known.
// Out:   an error that every door renders the same way; From turns any other
//
//	error into "our side".
//
// Keeps: nothing. Says: nothing.
// Not here: HTTP (api renders), logging (the edge logs).
package fault

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Kind groups faults by what they mean to the caller; each has one HTTP status.
type Kind string

// The kinds, from the caller's mistakes to ours.
const (
	Invalid         Kind = "invalid"         // 400: the request cannot be understood
	Unauthenticated Kind = "unauthenticated" // 401: who are you?
	Forbidden       Kind = "forbidden"       // 403: you may not
	NotFound        Kind = "not_found"       // 404: no such thing, or not yours
	NotAllowed      Kind = "not_allowed"     // 405: the path exists, the method does not
	Conflict        Kind = "conflict"        // 409: it changed, or is in the wrong state
	Gone            Kind = "gone"            // 410: it was here, and expired
	TooLarge        Kind = "too_large"       // 413
	Unsupported     Kind = "unsupported"     // 415: a media type we do not read
	Exhausted       Kind = "exhausted"       // 429: a limit or a budget is used up
	Cancelled       Kind = "cancelled"       // 499: the caller went away
	Internal        Kind = "internal"        // 500: our side
	Upstream        Kind = "upstream"        // 502: someone we asked failed
	Unavailable     Kind = "unavailable"     // 503: not now
	Timeout         Kind = "timeout"         // 504: took too long
)

var statuses = map[Kind]int{
	Invalid: http.StatusBadRequest, Unauthenticated: http.StatusUnauthorized, Forbidden: http.StatusForbidden,
	NotFound: http.StatusNotFound, NotAllowed: http.StatusMethodNotAllowed, Conflict: http.StatusConflict,
	Gone: http.StatusGone, TooLarge: http.StatusRequestEntityTooLarge, Unsupported: http.StatusUnsupportedMediaType,
	Exhausted: http.StatusTooManyRequests, Cancelled: 499, Internal: http.StatusInternalServerError,
	Upstream: http.StatusBadGateway, Unavailable: http.StatusServiceUnavailable, Timeout: http.StatusGatewayTimeout,
}

// Fault is an error with a remedy. Build one with New and the With methods,
// which return copies.
type Fault struct {
	Kind       Kind
	Code       string         // stable, snake_case: programs switch on it
	Message    string         // what happened, a sentence
	Hint       string         // what to do next, a sentence
	Param      string         // the field or parameter at fault
	Details    map[string]any // anything a program may want besides
	Retryable  bool           // the same call may succeed later
	RetryAfter time.Duration  // when, if known
	cause      error
}

// New makes a fault; the message is a sentence that says what happened.
func New(kind Kind, code, format string, args ...any) *Fault {
	return &Fault{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...), Retryable: kind == Unavailable || kind == Timeout}
}

// Error joins the message and the cause, for logs.
func (f *Fault) Error() string {
	if f.cause == nil {
		return f.Message
	}
	return f.Message + " (" + f.cause.Error() + ")"
}

// Unwrap gives the cause.
func (f *Fault) Unwrap() error { return f.cause }

// Is lets errors.Is compare faults by code.
func (f *Fault) Is(target error) bool {
	var other *Fault
	return errors.As(target, &other) && other.Code == f.Code
}

// Status is the HTTP status of the fault's kind.
func (f *Fault) Status() int {
	if status, ok := statuses[f.Kind]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// WithHint says what the person can do next.
func (f *Fault) WithHint(format string, args ...any) *Fault {
	c := *f
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// WithParam names the field at fault.
func (f *Fault) WithParam(param string) *Fault {
	c := *f
	c.Param = param
	return &c
}

// WithDetail adds one named detail.
func (f *Fault) WithDetail(name string, value any) *Fault {
	c := *f
	c.Details = make(map[string]any, len(f.Details)+1)
	for k, v := range f.Details {
		c.Details[k] = v
	}
	c.Details[name] = value
	return &c
}

// RetryIn marks the fault as worth repeating after a while; 0 means any time.
func (f *Fault) RetryIn(after time.Duration) *Fault {
	c := *f
	c.Retryable, c.RetryAfter = true, after
	return &c
}

// Because keeps the error underneath, for logs; people never see it.
func (f *Fault) Because(err error) *Fault {
	c := *f
	c.cause = err
	return &c
}

// From finds the fault in err. An error without one is our side: its text stays
// in the log and the caller is told so. From(nil) is nil.
func From(err error) *Fault {
	if err == nil {
		return nil
	}
	var f *Fault
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, context.DeadlineExceeded):
		return New(Timeout, "timeout", "This took too long and was stopped.").WithHint("Try again, or ask for less at once.").Because(err)
	case errors.Is(err, context.Canceled):
		return New(Cancelled, "cancelled", "The request was cancelled.").Because(err)
	}
	return New(Internal, "internal", "Something went wrong on our side.").
		WithHint("Try again; if it stays, look for the request id in the server's log.").Because(err)
}

// HasCode says whether err carries a fault with this code.
func HasCode(err error, code string) bool {
	var f *Fault
	return errors.As(err, &f) && f.Code == code
}
