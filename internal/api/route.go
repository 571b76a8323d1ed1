package api

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/fluxway/fluxway/internal/api/compat"
)

// Instead of a permission a route may name one of these.
const (
	public   = "public"    // anyone, without credentials
	signedIn = "signed_in" // anyone with an identity
)

// route is one line of the table.
type route struct {
	Method     string
	Pattern    string // "/api/v1/keys/{key}"
	Permission string // of identity, or public, or signedIn
	Summary    string // one sentence for people
	Action     action
}

// action is what a route does, and all that the walk around it needs to know.
type action struct {
	in     reflect.Type // nil for raw doors
	out    reflect.Type // nil: no body
	invoke func(c *call) error
	input  *input

	// streamed answers with events when Accept asks for them; start does what
	// the route does, its answer held back.
	streamed func(c *call, start func() error) error

	status  int           // of success
	media   string        // of the answer, when it is not JSON
	also    string        // a second media type the route can answer with
	limit   int64         // of the body; 0: the server's
	timeout time.Duration // 0: the server's; negative: none, a stream

	raw        bool // writes its answer itself
	rotates    bool // replaying an answer would be wrong: it sets cookies
	whileDown  bool // answers in maintenance and while draining
	looseQuery bool // parameters that nobody declared are ignored
	quiet      bool // not written to the audit: it changes nothing
	ownBody    bool // the door reads the body itself, as it comes

	dialect compat.Dialect // whose shape errors have; nil: ours
}

// option changes an action.
type option func(*action)

// status sets the status of success.
func status(code int) option { return func(a *action) { a.status = code } }

// whileDown keeps the route open in maintenance and while draining.
func whileDown(a *action) { a.whileDown = true }

// rotates keeps the answer from being stored for Idempotency-Key.
func rotates(a *action) { a.rotates = true }

// looseQuery lets others add parameters, as an OpenID issuer does.
func looseQuery(a *action) { a.looseQuery = true }

// quiet keeps a POST that changes nothing out of the audit.
func quiet(a *action) { a.quiet = true }

// bodyLimit allows other bodies than the server's limit does.
func bodyLimit(n int64) option { return func(a *action) { a.limit = n } }

// timeout gives the route its own time; negative: as long as it takes.
func timeout(d time.Duration) option { return func(a *action) { a.timeout = d } }

// media says what the route answers with instead of JSON.
func media(kind string) option { return func(a *action) { a.media = kind } }

// streamedBy lets the route answer with events when asked by Accept.
func streamedBy(f func(c *call, start func() error) error) option {
	return func(a *action) { a.streamed, a.also = f, "text/event-stream" }
}

// also says what else the route answers with when asked by Accept.
func also(kind string) option { return func(a *action) { a.also = kind } }

// nothing is the Out of a route without a body; its status is 204.
type nothing struct{}

// none is the In of a route without parameters.
type none struct{}

// handler makes an action of a typed function. In is a struct whose fields are
// bound by their tags: path, query, header, and json for the body. Out becomes
// the JSON of the answer.
func handler[In, Out any](f func(context.Context, In) (Out, error), opts ...option) action {
	a := action{in: reflect.TypeFor[In](), out: bodyOf(reflect.TypeFor[Out]()), status: http.StatusOK}
	if a.out == nil {
		a.status = http.StatusNoContent
	}
	for _, o := range opts {
		o(&a)
	}
	in := new(input)
	a.input = in
	a.invoke = func(c *call) error {
		var v In
		if err := in.bind(c, reflect.ValueOf(&v).Elem(), &v); err != nil {
			return err
		}
		out, err := f(c.ctx, v)
		if err != nil {
			return err
		}
		return c.answer(out)
	}
	return a
}

// door makes an action of a function that writes the answer itself; In is
// bound as for handler. An error is rendered if nothing was written yet.
func door[In any](f func(c *call, in In) error, opts ...option) action {
	a := action{in: reflect.TypeFor[In](), status: http.StatusOK, timeout: -1, raw: true}
	for _, o := range opts {
		o(&a)
	}
	in := new(input)
	a.input = in
	a.invoke = func(c *call) error {
		var v In
		if err := in.bind(c, reflect.ValueOf(&v).Elem(), &v); err != nil {
			return err
		}
		return f(c, v)
	}
	return a
}

// reply is an Out that says more than a body.
type reply[T any] struct {
	Body    T
	Status  int // 0: the route's
	Cookies []*http.Cookie
}

func (r reply[T]) split() (any, int, []*http.Cookie) { return r.Body, r.Status, r.Cookies }
func (reply[T]) bodyType() reflect.Type              { return reflect.TypeFor[T]() }

type splitter interface {
	split() (body any, status int, cookies []*http.Cookie)
	bodyType() reflect.Type
}

// bodyOf is the type that is written as JSON; nil for none.
func bodyOf(t reflect.Type) reflect.Type {
	if t.Implements(reflect.TypeFor[splitter]()) {
		t = reflect.Zero(t).Interface().(splitter).bodyType()
	}
	if t == reflect.TypeFor[nothing]() {
		return nil
	}
	return t
}

// mutates says whether the route changes something: such routes are audited.
func (r route) mutates() bool {
	return r.Method != http.MethodGet && !r.Action.quiet
}

// replayable says whether an Idempotency-Key is honoured.
func (r route) replayable() bool {
	return r.Method == http.MethodPost && r.Permission != public && !r.Action.raw && !r.Action.rotates && !r.Action.quiet
}

// name is the route in logs, spans and metrics.
func (r route) name() string { return r.Method + " " + r.Pattern }

// prepare works out how the In of the route is bound.
func (r route) prepare() error {
	if err := r.Action.input.prepare(r); err != nil {
		return fmt.Errorf("api: %s: %w", r.name(), err)
	}
	return nil
}
