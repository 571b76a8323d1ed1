package api

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"math"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// ErrorBody is the one shape of a failed answer.
type ErrorBody struct {
	Error ErrorDetail `json:"error"`
}

// ErrorDetail says what happened and what to do next.
type ErrorDetail struct {
	Code      string         `json:"code" doc:"Stable name of the error; programs switch on it."`
	Message   string         `json:"message" doc:"What happened."`
	Hint      string         `json:"hint" doc:"What to do next."`
	Param     string         `json:"param,omitempty" doc:"The field or parameter at fault, such as messages[2].role."`
	Details   map[string]any `json:"details,omitempty" doc:"More, for programs."`
	Retryable bool           `json:"retryable" doc:"The same call may succeed later."`
	RequestID string         `json:"request_id" doc:"Names this request in the server's log."`
}

// hints are what to do next where the fault itself does not say.
var hints = map[fault.Kind]string{
	fault.Invalid:         "Compare the request with the API reference at /docs.",
	fault.Unauthenticated: "Sign in, or send an API key as Authorization: Bearer fx_….",
	fault.Forbidden:       "Ask an administrator of the workspace.",
	fault.NotFound:        "Check the id; the list route shows what exists in this workspace.",
	fault.Conflict:        "Read its current state, then decide again.",
	fault.Gone:            "Start again from a fresh list.",
	fault.TooLarge:        "Send less at once.",
	fault.Exhausted:       "Wait a moment, then try again.",
	fault.Cancelled:       "Send the request again if it is still wanted.",
	fault.Upstream:        "Try again; if it stays, look at the outside service.",
	fault.Unavailable:     "Try again in a moment.",
	fault.Timeout:         "Try again, or ask for less at once.",
}

func errorBody(f *fault.Fault, request string) ErrorBody {
	return ErrorBody{ErrorDetail{
		Code: f.Code, Message: f.Message, Hint: cmp.Or(f.Hint, hints[f.Kind], "Look for the request id in the server's log."),
		Param: f.Param, Details: f.Details, Retryable: f.Retryable, RequestID: request,
	}}
}

// fail renders err, once, and logs what is our side.
func (c *call) fail(err error) {
	f := fault.From(err)
	if f.Kind == fault.Internal {
		c.s.log.ErrorContext(c.ctx, "request failed", "route", c.routeName(), "request", c.origin.Request, "err", err)
	}
	if c.status != 0 { // too late to tell the caller
		return
	}
	h := c.w.Header()
	if wait := retryAfter(f); wait > 0 {
		h.Set("Retry-After", strconv.Itoa(wait))
	}
	if f.Kind == fault.Unauthenticated {
		h.Set("WWW-Authenticate", `Bearer realm="fluxway"`)
	}
	if c.e != nil && c.e.route.Action.dialect != nil {
		c.failForeign(f)
		return
	}
	body, err := json.Marshal(errorBody(f, c.origin.Request))
	if err != nil { // a detail that cannot be encoded must not hide the fault
		c.s.log.ErrorContext(c.ctx, "fault details cannot be encoded", "code", f.Code, "err", err)
		plain := *f
		plain.Details = nil
		body, _ = json.Marshal(errorBody(&plain, c.origin.Request)) // strings and a boolean always encode
	}
	c.writeJSON(f.Status(), append(body, '\n'))
}

// retryAfter is the header in seconds; 0: none.
func retryAfter(f *fault.Fault) int {
	if f.RetryAfter > 0 {
		return max(1, int(math.Ceil(f.RetryAfter.Seconds())))
	}
	if f.Kind == fault.Unavailable {
		return 5
	}
	return 0
}

func (c *call) routeName() string {
	if c.e == nil {
		return c.r.Method + " " + cut(c.r.URL.Path)
	}
	return c.e.name
}

// rescue turns a panic of a handler into a 500.
func (c *call) rescue() {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler { //nolint:errorlint // the standard library compares so, too
		panic(p)
	}
	c.s.panics.Inc()
	c.s.log.LogAttrs(c.ctx, slog.LevelError, "handler panicked", slog.String("route", c.routeName()),
		slog.String("request", c.origin.Request), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
	if c.status != 0 {
		panic(http.ErrAbortHandler) // half an answer must not look whole
	}
	c.fail(fault.New(fault.Internal, "internal", "Something went wrong on our side.").
		WithHint("Try again; if it stays, look for the request id in the server's log."))
}

func stoppingFault() *fault.Fault {
	return fault.New(fault.Unavailable, "stopping", "The server is stopping.").WithHint("Try again once it is back.").RetryIn(5 * time.Second)
}
