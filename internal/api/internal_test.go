package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/identity/identitytest"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/observe"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// serverWith is a server with one more route, for everybody.
func serverWith(t *testing.T, opts Options, a action) *Server {
	t.Helper()
	opts.DB = storetest.SQLite(t)
	opts.Directory, opts.Hub = identitytest.New(t, opts.DB), eventstest.New(t, opts.DB)
	s, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	s.routes = []route{{"POST", "/api/v1/test/{name}", public, "A test.", a}}
	if err := s.prepare(); err != nil {
		t.Fatal(err)
	}
	return s
}

func call1(s *Server, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "http://localhost/api/v1/test/x", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

type testPath struct {
	Name string `path:"name"`
}

func TestAPanicIsAnswered(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := serverWith(t, Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, handler(func(context.Context, testPath) (nothing, error) { panic("ouch") }))
	w := call1(s, "")
	if w.Code != 500 || !strings.Contains(w.Body.String(), `"code":"internal"`) || strings.Contains(w.Body.String(), "ouch") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	id := w.Header().Get("X-Request-Id")
	if !strings.Contains(log.String(), "ouch") || !strings.Contains(log.String(), id) || !strings.Contains(log.String(), "internal_test.go") {
		t.Errorf("the log does not tell: %s", log.String())
	}
}

func TestErrorsAreRenderedOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err    error
		status int
		want   string
	}{
		{errors.New("disk on fire"), 500, `"code":"internal"`},
		{fmt.Errorf("reading: %w", fault.New(fault.NotFound, "gone_fishing", "Not here.")), 404, `"hint":"Check the id`},
		{fault.New(fault.Invalid, "odd", "Odd.").WithDetail("f", func() {}), 400, `"code":"odd"`},
		{context.DeadlineExceeded, 504, `"retryable":true`},
		{fault.New(fault.Unavailable, "later", "Later."), 503, `"code":"later"`},
	} {
		s := serverWith(t, Options{}, handler(func(context.Context, testPath) (nothing, error) { return nothing{}, tt.err }))
		w := call1(s, "")
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) || strings.Contains(w.Body.String(), "fire") {
			t.Errorf("%v: %d %s", tt.err, w.Code, w.Body)
		}
		if tt.status == 503 && w.Header().Get("Retry-After") == "" {
			t.Error("503 without Retry-After")
		}
	}
}

func TestARouteHasItsTime(t *testing.T) {
	t.Parallel()
	s := serverWith(t, Options{Timeout: time.Millisecond}, handler(func(ctx context.Context, _ testPath) (nothing, error) {
		<-ctx.Done()
		return nothing{}, ctx.Err()
	}))
	if w := call1(s, ""); w.Code != 504 || !strings.Contains(w.Body.String(), `"code":"timeout"`) || !strings.Contains(w.Body.String(), "1ms") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// spans keeps what it is given.
type spans struct{ got chan observe.Finished }

func (s spans) Receive(_ context.Context, batch []observe.Finished) error {
	for _, f := range batch {
		s.got <- f
	}
	return nil
}

func TestARequestIsASpan(t *testing.T) {
	t.Parallel()
	o, err := observe.New(observe.Options{Log: observe.LogOptions{Writer: new(bytes.Buffer)}})
	if err != nil {
		t.Fatal(err)
	}
	sink := spans{make(chan observe.Finished, 8)}
	if err := o.Attach("test", sink); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- o.Run(ctx) }()
	s := serverWith(t, Options{Observe: o}, handler(func(context.Context, testPath) (nothing, error) { return nothing{}, nil }))
	r := httptest.NewRequest("POST", "http://localhost/api/v1/test/x", nil)
	r.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	cancel()
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	span := <-sink.got
	if span.Name != "POST /api/v1/test/{name}" || span.Trace != "0af7651916cd43dd8448eb211c80319c" || span.Parent != "b7ad6b7169203331" {
		t.Errorf("%+v", span)
	}
	if got := w.Header().Get("Traceparent"); !strings.HasPrefix(got, "00-0af7651916cd43dd8448eb211c80319c-") {
		t.Errorf("traceparent %q", got)
	}
}

func TestRouter(t *testing.T) {
	t.Parallel()
	var rt router
	for _, p := range []string{"/a", "/a/{x}", "/a/fixed", "/a/{x}/b", "/a/fixed/c", "/a/{x}/b/{y}"} {
		if err := rt.add(&endpoint{route: route{Method: "GET", Pattern: p}}); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"/a": "/a", "/a/1": "/a/{x}", "/a/fixed": "/a/fixed", "/a/1/b": "/a/{x}/b", "/a/fixed/b": "/a/{x}/b", "/a/fixed/c": "/a/fixed/c",
		"/a/1/b/2": "/a/{x}/b/{y}", "/a/": "", "/": "", "": "", "/a/1/c": "", "/a//b": "", "/a/1/b/2/3": "",
	} {
		var params [maxParams]string
		got := ""
		if n := rt.find(path, &params); n != nil {
			got = n.endpoint("HEAD").route.Pattern
		}
		if got != want {
			t.Errorf("find(%q) = %q, want %q", path, got, want)
		}
	}
	if err := rt.add(&endpoint{route: route{Method: "GET", Pattern: "/a"}}); err == nil {
		t.Error("a second GET /a was taken")
	}
	if near, ok := rt.closest("/a/1/d"); !ok || near != "/a/1/b" {
		t.Errorf("closest: %q %v", near, ok)
	}
}

func TestLimiter(t *testing.T) {
	t.Parallel()
	l := newLimiter[string](Rate{PerMinute: 60}, 0)
	now := time.Now().UnixNano()
	for i := range 60 {
		if a := l.take("k", now); !a.ok || a.left != 59-i {
			t.Fatalf("request %d: %+v", i, a)
		}
	}
	if a := l.take("k", now); a.ok || a.wait != time.Second {
		t.Errorf("one too many: %+v", a)
	}
	if a := l.take("other", now); !a.ok {
		t.Error("another key is refused")
	}
	if a := l.take("k", now+int64(time.Second)); !a.ok || a.left != 0 {
		t.Errorf("a second later: %+v", a)
	}
	if a := l.take("k", now+int64(10*time.Minute)); !a.ok || a.left != 59 {
		t.Errorf("ten minutes later: %+v", a)
	}
	if newLimiter[string](Rate{PerMinute: -1}, 5) != nil {
		t.Error("a negative rate limits")
	}
}

func TestLimiterIsBounded(t *testing.T) {
	t.Parallel()
	l := newLimiter[netip.Addr](Rate{PerMinute: 10}, 0)
	now := time.Now().UnixNano()
	for i := range 300_000 {
		l.take(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), now)
	}
	total := 0
	for i := range l.shards {
		total += len(l.shards[i].full)
	}
	if total > limitShards*maxPerShard {
		t.Errorf("%d keys are kept", total)
	}
}

func TestHosts(t *testing.T) {
	t.Parallel()
	h := newHosts("Fluxway.Example.", "", "*.team.example")
	for host, want := range map[string]bool{
		"localhost": true, "localhost:7777": true, "LOCALHOST": true, "127.0.0.1:1": true, "[::1]:80": true, "[::1]": true, "192.168.0.7": true,
		"fluxway.example:443": true, "app.localhost:7": true, "a.team.example": true, "a.b.team.example": false, ".team.example": false, "team.example": false, "evil.example": false, "": false, "localhost.evil.example": false, "127.0.0.1.evil.example": false,
	} {
		if h.allow(host) != want {
			t.Errorf("allow(%q) = %v", host, !want)
		}
	}
}

func TestRemote(t *testing.T) {
	t.Parallel()
	s := &Server{opts: Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}}
	for _, tt := range []struct{ peer, forwarded, want string }{
		{"1.2.3.4:5", "9.9.9.9", "1.2.3.4"}, // a stranger's word
		{"10.0.0.1:5", "9.9.9.9", "9.9.9.9"},
		{"10.0.0.1:5", "6.6.6.6, 9.9.9.9, 10.0.0.2", "9.9.9.9"}, // the client's own header is not believed
		{"10.0.0.1:5", "nonsense", "10.0.0.1"},
		{"10.0.0.1:5", "", "10.0.0.1"},
		{"[::ffff:1.2.3.4]:5", "", "1.2.3.4"},
	} {
		r := &http.Request{RemoteAddr: tt.peer, Header: http.Header{"X-Forwarded-Proto": {"https"}}}
		if tt.forwarded != "" {
			r.Header["X-Forwarded-For"] = []string{tt.forwarded}
		}
		ip, secure := s.remote(r)
		if ip.String() != tt.want || secure != strings.HasPrefix(tt.peer, "10.") {
			t.Errorf("%+v: %s %v", tt, ip, secure)
		}
	}
}

func TestPublicURL(t *testing.T) {
	t.Parallel()
	s := serverWith(t, Options{PublicURL: "https://flux.example:8443"}, handler(func(ctx context.Context, _ testPath) (reply[nothing], error) {
		return reply[nothing]{Cookies: []*http.Cookie{callOf(ctx).cookie("c", "v", 0)}}, nil
	}))
	for _, tt := range []struct {
		host, origin string
		status       int
		secure       bool
	}{
		{"flux.example:8443", "https://flux.example:8443", 204, true},
		{"127.0.0.1:7777", "https://flux.example:8443", 204, false}, // a proxy that sends its own Host
		{"127.0.0.1:7777", "", 204, false},
		{"127.0.0.1:7777", "https://evil.example", 403, false},
		{"other.example", "", 403, false},
	} {
		r := httptest.NewRequest("POST", "http://localhost/api/v1/test/x", nil)
		r.Host = tt.host
		if tt.origin != "" {
			r.Header.Set("Origin", tt.origin)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != tt.status || strings.Contains(w.Header().Get("Set-Cookie"), "Secure") != tt.secure {
			t.Errorf("%+v: %d %v", tt, w.Code, w.Header())
		}
	}
}

// Whatever the query is, binding answers with a fault or a value, never a panic.
func FuzzQuery(f *testing.F) {
	for _, q := range []string{"a=1&b=x,y&c=true", "a=%zz", "%61=1", "a=1&a=2", "&&=&", "d=2026-11-15T00:00:00Z", "c=\xff"} {
		f.Add(q)
	}
	type in struct {
		A int       `query:"a" min:"0" max:"10"`
		B []string  `query:"b" max:"3"`
		C *bool     `query:"c"`
		D time.Time `query:"d"`
	}
	plan := new(input)
	r := route{Method: "GET", Pattern: "/x", Action: action{in: reflect.TypeFor[in](), input: plan}}
	if err := r.prepare(); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		var v in
		err := plan.bindQuery(raw, reflect.ValueOf(&v).Elem())
		if err == nil {
			if v.A < 0 || v.A > 10 || len(v.B) > 3 {
				t.Fatalf("%q: %+v", raw, v)
			}
			return
		}
		var bad *fault.Fault
		if !errors.As(err, &bad) || bad.Kind != fault.Invalid || bad.Hint == "" {
			t.Fatalf("%q: %v", raw, err)
		}
	})
}
