package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/observe"
)

// endpoint is a route with all that is worked out before the first request.
type endpoint struct {
	route   route
	name    string
	action  string // in the audit
	limit   int64
	timeout time.Duration
	tooLong error // what a request is told that takes longer
	door    bool
	mutates bool
	replays bool
	took    [6]func() observer // by class of status
}

type observer interface{ Observe(float64) }

// ServeHTTP is the walk of every request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{s: s, w: w, r: r, ctx: r.Context(), started: time.Now()}
	c.origin.Request = requestID(r)
	c.origin.Agent = r.UserAgent()
	w.Header()["X-Request-Id"] = []string{c.origin.Request}
	node := s.router.find(r.URL.Path, &c.params)
	if node == nil {
		s.serveOther(c)
		return
	}
	dataHeaders(w.Header())
	defer c.finish()
	defer c.rescue()
	if r.Method == http.MethodOptions {
		w.Header().Set("Allow", node.allow)
		c.writeEmpty(http.StatusNoContent)
		return
	}
	c.e = node.endpoint(r.Method)
	if c.e == nil {
		c.wrongMethod(node.allow)
		return
	}
	if err := c.walk(); err != nil {
		c.fail(err)
	}
	c.audit()
}

func (c *call) wrongMethod(allowed string) {
	c.w.Header().Set("Allow", allowed)
	c.fail(fault.New(fault.NotAllowed, "method_not_allowed", "%s does not exist here.", cut(c.r.Method)).WithHint("Allowed are: %s.", allowed))
}

// requestID takes over a caller's id if it is harmless, or makes one.
func requestID(r *http.Request) string {
	given := r.Header["X-Request-Id"]
	if len(given) != 1 || given[0] == "" || len(given[0]) > 64 {
		return string(ids.New[ids.Request]())
	}
	for i := range len(given[0]) {
		c := given[0][i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return string(ids.New[ids.Request]())
		}
	}
	return given[0]
}

// walk takes the request to its function; what it returns is rendered.
func (c *call) walk() error {
	if !c.e.route.Action.whileDown {
		if err := c.s.down(); err != nil {
			return err
		}
	}
	if err := c.admit(); err != nil {
		return err
	}
	if c.e.route.Permission != public {
		if err := c.identify(); err != nil {
			return err
		}
	}
	ctx := identity.WithOrigin(c.ctx, c.origin)
	if c.caller != nil {
		ctx = identity.With(ctx, c.caller)
	}
	if c.e.mutates {
		ctx = identity.WithTrail(ctx)
	}
	c.ctx = ctx
	if err := c.permit(); err != nil {
		return err
	}
	if err := c.readBody(); err != nil {
		return err
	}
	return c.perform()
}

// admit looks at where the request comes from: name, address, page.
func (c *call) admit() error {
	if !c.s.hosts.allow(c.r.Host) {
		return wrongHost(c.r.Host)
	}
	c.origin.IP, c.secure = c.s.remote(c.r)
	c.origin.Host = c.r.Host
	if l := c.s.perAddress; l != nil {
		a := l.take(network(c.origin.IP), c.started.UnixNano())
		if !a.ok || c.e.route.Permission == public {
			a.tell(c.w.Header(), l.limit)
		}
		if !a.ok {
			return tooManyRequests(a.wait)
		}
	}
	return c.sameSite()
}

// sameSite refuses what a page of another origin makes a browser send.
func (c *call) sameSite() error {
	if c.r.Method == http.MethodGet && !c.e.door {
		return nil
	}
	if err := c.s.origins.Check(c.r); err != nil {
		return fault.New(fault.Forbidden, "cross_origin", "A page of another origin may not do this.").
			WithParam("Origin").WithHint("Use the page of this server, or call the API from a program with an API key.").Because(err)
	}
	return nil
}

func (c *call) permit() error {
	if c.caller == nil || c.e.route.Permission == signedIn {
		return nil
	}
	return c.caller.Must(c.e.route.Permission)
}

// readBody reads the whole body into a buffer that is reused.
func (c *call) readBody() error {
	c.buffer = buffers.Get().(*bytes.Buffer)
	if c.e.route.Action.ownBody || c.r.Method == http.MethodGet || c.r.Method == http.MethodHead || c.r.Body == nil || c.r.Body == http.NoBody {
		return nil
	}
	limit := c.e.limit
	if c.r.ContentLength > limit {
		c.w.Header().Set("Connection", "close")
		return tooLarge(limit)
	}
	if encoding := c.r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return fault.New(fault.Unsupported, "unsupported_encoding", "A body encoded as %q is not read.", cut(encoding)).
			WithParam("Content-Encoding").WithHint("Send the body uncompressed.")
	}
	n, err := c.buffer.ReadFrom(io.LimitReader(c.r.Body, limit+1))
	switch {
	case n > limit:
		c.w.Header().Set("Connection", "close")
		return tooLarge(limit)
	case err != nil:
		return fault.New(fault.Invalid, "body_cut_off", "The body ended before it was complete.").
			WithParam("body").WithHint("Send the request again.").Because(err)
	}
	c.body = c.buffer.Bytes()
	if n == 0 {
		return nil
	}
	return c.checkMedia()
}

func (c *call) checkMedia() error {
	if given := c.r.Header["Content-Type"]; len(given) > 0 && given[0] == "application/json" {
		return nil
	}
	given := c.r.Header.Get("Content-Type")
	kind, params, err := mime.ParseMediaType(given)
	charset := strings.ToLower(params["charset"])
	if err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json")) && (charset == "" || charset == "utf-8") {
		return nil
	}
	return fault.New(fault.Unsupported, "unsupported_media_type", "A body of type %q is not read here.", cut(given)).
		WithParam("Content-Type").WithHint("Send JSON with the header Content-Type: application/json.")
}

func tooLarge(limit int64) error {
	return fault.New(fault.TooLarge, "body_too_large", "The body is larger than %s.", size(limit)).
		WithParam("body").WithHint("Send at most %s at once.", size(limit))
}

func size(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// writeGrace is how long an answer may take to reach the caller once it is made.
const writeGrace = time.Minute

// perform runs the function within its time, its span and its idempotency key.
func (c *call) perform() (err error) {
	if c.e.timeout > c.s.opts.Timeout {
		deadlines := http.NewResponseController(c.w)
		_ = deadlines.SetReadDeadline(time.Time{}) // a writer without deadlines never cuts the route off
		_ = deadlines.SetWriteDeadline(c.started.Add(c.e.timeout + writeGrace))
	}
	streams := c.e.route.Action.streamed != nil && wantsStream(c.r)
	if c.e.timeout > 0 && !streams {
		ctx, cancel := context.WithTimeoutCause(c.ctx, c.e.timeout, c.e.tooLong)
		defer cancel()
		c.ctx = ctx
	}
	if c.s.observe.Listening() {
		span := c.trace()
		defer func() { observe.End(span, serverSide(err)) }()
	}
	c.ctx = callContext{c.ctx, c}
	if c.e.door || streams {
		c.w = tracked{c.w, c}
	}
	if streams {
		return c.e.route.Action.streamed(c, c.start)
	}
	return c.start()
}

// trace begins the request's span. It is apart from perform because what it
// needs on the stack would otherwise stay there as long as a stream lives.
func (c *call) trace() trace.Span {
	ctx, span := c.s.observe.Start(c.s.observe.Extract(c.ctx, c.r.Header), c.e.name,
		attribute.String("http.request.method", c.r.Method), attribute.String("http.route", c.e.route.Pattern), attribute.String("request", c.origin.Request))
	c.ctx = ctx
	if c.r.Header["Traceparent"] != nil { // those who trace hear where their trace goes on
		c.w.Header()["Traceparent"] = []string{traceparent(span)}
	}
	return span
}

// start runs the function, once if the caller gave a key for that.
func (c *call) start() error {
	if key := c.r.Header["Idempotency-Key"]; len(key) > 0 && c.e.replays {
		return c.once(key[0])
	}
	return c.invoke()
}

func (c *call) invoke() error {
	err := c.e.route.Action.invoke(c)
	if err != nil && c.ctx.Err() != nil {
		if f := new(fault.Fault); errors.As(context.Cause(c.ctx), &f) && errors.Is(err, c.ctx.Err()) {
			return f
		}
	}
	return err
}

func timedOut(after time.Duration) error {
	return fault.New(fault.Timeout, "timeout", "This took longer than %s and was stopped.", after).WithHint("Try again, or ask for less at once.")
}

// serverSide keeps callers' mistakes from marking a span as failed.
func serverSide(err error) error {
	if err == nil || fault.From(err).Status() < 500 {
		return nil
	}
	return err
}

func traceparent(span trace.Span) string {
	sc := span.SpanContext()
	return "00-" + sc.TraceID().String() + "-" + sc.SpanID().String() + "-" + sc.TraceFlags().String()
}

// audit records a mutation that its part did not record itself. Strangers are
// not recorded: they could fill the disk.
func (c *call) audit() {
	if !c.e.mutates || c.caller == nil || identity.Recorded(c.ctx) {
		return
	}
	result := identity.OK
	switch {
	case c.status == http.StatusUnauthorized || c.status == http.StatusForbidden:
		result = identity.Denied
	case c.status >= 400:
		result = identity.Failure
	}
	ctx := context.WithoutCancel(c.ctx)
	entry := identity.Entry{Action: c.e.action, Resource: resource(c.r.URL.Path), Result: result, Note: http.StatusText(c.status),
		Before: c.before, After: c.after}
	if err := c.s.directory.Record(ctx, entry); err != nil {
		c.s.log.ErrorContext(ctx, "audit row lost", "action", entry.Action, "request", c.origin.Request, "err", err)
	}
}

// resource is the path behind the version, as the audit names things.
func resource(path string) string { return strings.TrimPrefix(path, "/api/v1/") }

// auditAction names what a route does: keys.create, keys.rotate, users.update.
func auditAction(method, pattern string) string {
	var words []string
	names := 0
	for segment := range strings.SplitSeq(strings.TrimPrefix(pattern, "/api/v1/"), "/") {
		if strings.HasPrefix(segment, "{") {
			names++
			continue
		}
		words = append(words, segment)
	}
	verbs := map[string]string{http.MethodPut: "replace", http.MethodPatch: "update", http.MethodDelete: "delete"}
	if verb := verbs[method]; verb != "" {
		words = append(words, verb)
	} else if len(words) == 1 {
		words = append(words, "create")
	}
	return strings.Join(words, ".")
}

// finish counts and logs the request.
func (c *call) finish() {
	took := time.Since(c.started)
	if c.e != nil {
		if class := c.status / 100; class > 0 && class < len(c.e.took) {
			c.e.took[class]().Observe(took.Seconds())
		}
	}
	if c.s.log.Enabled(c.ctx, slog.LevelDebug) {
		c.s.log.LogAttrs(c.ctx, slog.LevelDebug, "request", slog.String("route", c.routeName()), slog.Int("status", c.status),
			slog.Duration("took", took), slog.String("ip", addrText(c.origin.IP)), slog.String("request", c.origin.Request), slog.String("user", c.user()))
	}
	c.release()
}

func addrText(ip netip.Addr) string {
	if !ip.IsValid() {
		return ""
	}
	return ip.String()
}

func (c *call) user() string {
	if c.caller == nil {
		return ""
	}
	return string(c.caller.User)
}

// serveOther answers what is not in the table: an unknown API path, or the web UI.
func (s *Server) serveOther(c *call) {
	path := c.r.URL.Path
	if !strings.HasPrefix(path, "/api/") && path != "/api" && !strings.HasPrefix(path, "/v1/") && !strings.HasPrefix(path, "/v1beta/") {
		s.serveWeb(c)
		return
	}
	dataHeaders(c.w.Header())
	f := fault.New(fault.NotFound, "no_such_route", "There is no route %s.", cut(path)).WithHint("The API reference at /docs lists all routes.")
	if near, ok := s.router.closest(path); ok {
		f = f.WithHint("Did you mean %s?", cut(near))
	}
	c.fail(f)
	c.finish()
}
