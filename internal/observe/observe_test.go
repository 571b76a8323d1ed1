package observe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/fluxway/fluxway/internal/kit/secret"
)

func newTest(t *testing.T, opts Options) *Observe {
	t.Helper()
	if opts.Log.Writer == nil {
		opts.Log.Writer = io.Discard
	}
	o, err := New(opts)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return o
}

// runUntil starts Run and gives the function that ends it and waits.
func runUntil(t *testing.T, o *Observe) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- o.Run(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	}
}

func TestLogHidesSecrets(t *testing.T) {
	t.Parallel()
	type body struct {
		User     string `json:"user"`
		Password string `json:"password"`
	}
	for _, format := range []string{FormatJSON, FormatText} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			var buf bytes.Buffer
			o := newTest(t, Options{Log: LogOptions{Writer: &buf, Format: format}})
			o.Log().With("api_key", "hunter1").WithGroup("request").Info("called with Bearer hunter2AAAA",
				"token", "hunter3", "url", "postgres://u:hunter4@h/d",
				slog.Group("headers", "Cookie", "hunter5", "accept", "text/html"),
				slog.Group("credentials", "user", "hunter6"),
				"err", fmt.Errorf("dialing: %w", errors.New("password=hunter7")),
				"secret", secret.New("hunter8"), "totp", true, "otp", 123456)
			if format == FormatJSON {
				o.Log().Info("struct", "body", body{"ann", "hunter9"})
			}
			got := buf.String()
			if strings.Contains(got, "hunter") || strings.Contains(got, "123456") {
				t.Errorf("a secret was logged: %s", got)
			}
			for _, want := range []string{"•••", "text/html", "called with Bearer", "dialing"} {
				if !strings.Contains(got, want) {
					t.Errorf("log line misses %q: %s", want, got)
				}
			}
			if strings.Contains(got, "\x1b") {
				t.Errorf("colour where there is no terminal: %q", got)
			}
		})
	}
}

func TestLogLevelChangesLive(t *testing.T) {
	t.Parallel()
	var buf bytes.Buffer
	o := newTest(t, Options{Log: LogOptions{Writer: &buf, Level: slog.LevelWarn}})
	log := o.Log().With("part", "test")
	log.Info("one")
	o.SetLevel(slog.LevelDebug)
	log.Debug("two")
	if got := buf.String(); strings.Contains(got, "one") || !strings.Contains(got, "two") {
		t.Errorf("log after SetLevel = %q, want only two", got)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]Options{
		"an unknown format":       {Log: LogOptions{Format: "xml"}},
		"an endpoint without URL": {OTLPEndpoint: "localhost:4318"},
		"another scheme":          {OTLPEndpoint: "grpc://localhost:4317"},
	} {
		if _, err := New(opts); err == nil {
			t.Errorf("New with %s = nil error, want one", name)
		}
	}
	if _, err := ParseLevel("loud"); err == nil {
		t.Error("ParseLevel(loud) = nil error, want one")
	}
}

func TestStartWithoutListenersCostsNothing(t *testing.T) {
	o := newTest(t, Options{})
	ctx := context.Background()
	n := testing.AllocsPerRun(100, func() {
		_, span := o.Start(ctx, "work", attribute.String("agent", "a"), attribute.Int("n", 1))
		span.End()
	})
	if n != 0 {
		t.Errorf("a span nobody listens to costs %v allocations, want 0", n)
	}
	if same, span := o.Start(ctx, "work"); same != ctx || span.IsRecording() {
		t.Error("Start recorded although nobody listens")
	}
}

// collect is a Sink that keeps what it receives.
type collect struct{ spans chan Finished }

func (c collect) Receive(_ context.Context, spans []Finished) error {
	for _, s := range spans {
		c.spans <- s
	}
	return nil
}

func TestSinkReceivesFinishedSpans(t *testing.T) {
	t.Parallel()
	var buf bytes.Buffer
	o := newTest(t, Options{Log: LogOptions{Writer: &buf}})
	sink := collect{make(chan Finished, 10)}
	if err := o.Attach("traces", sink); err != nil {
		t.Fatal(err)
	}
	stop := runUntil(t, o)
	ctx, parent := o.Start(context.Background(), "outer")
	_, child := o.Start(ctx, "inner", attribute.String("password", "hunter2"))
	o.SetContent(child, "gen_ai.prompt", "not captured")
	o.SetCaptureContent(true)
	o.SetContent(child, "gen_ai.answer", "the key is "+fxKey)
	o.Log().InfoContext(ctx, "inside")
	End(child, errors.New("token=hunter3"))
	End(parent, nil)
	stop()

	inner, outer := <-sink.spans, <-sink.spans
	if inner.Name != "inner" || outer.Name != "outer" || inner.Parent != outer.ID || inner.Trace != outer.Trace || outer.Parent != "" {
		t.Errorf("spans do not fit together: %+v, %+v", inner, outer)
	}
	if !inner.Failed || outer.Failed {
		t.Errorf("failed: inner %v, outer %v; want true, false", inner.Failed, outer.Failed)
	}
	text := fmt.Sprintf("%+v", inner)
	if strings.Contains(text, "hunter") || strings.Contains(text, fxKey) || strings.Contains(text, "not captured") {
		t.Errorf("the span shows what it must not: %s", text)
	}
	if !strings.Contains(text, "the key is •••") {
		t.Errorf("captured content is missing: %s", text)
	}
	if !strings.Contains(buf.String(), `"trace":"`+outer.Trace+`"`) {
		t.Errorf("the log line does not name its trace: %s", buf.String())
	}
	if err := o.Attach("late", sink); err == nil {
		t.Error("Attach after Run = nil error, want one")
	}
}

func TestTraceContextTravels(t *testing.T) {
	t.Parallel()
	o := newTest(t, Options{})
	if err := o.Attach("sink", collect{make(chan Finished, 10)}); err != nil {
		t.Fatal(err)
	}
	ctx, span := o.Start(context.Background(), "client")
	defer span.End()
	header := http.Header{}
	o.Inject(ctx, header)
	got := trace.SpanContextFromContext(o.Extract(context.Background(), header))
	if got.TraceID() != span.SpanContext().TraceID() || !got.IsRemote() {
		t.Errorf("trace behind %v = %v, want %v", header, got.TraceID(), span.SpanContext().TraceID())
	}
}

func TestOTLPExport(t *testing.T) {
	t.Parallel()
	bodies, calls := make(chan []byte, 4), atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if calls.Add(1) == 1 { // the first attempt is to be repeated
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-Team") != "blue" {
			t.Errorf("request %s %v", r.URL.Path, r.Header)
		}
		bodies <- body
	}))
	defer server.Close()
	o := newTest(t, Options{
		Version: "1.2.3", OTLPEndpoint: server.URL, OTLPClient: server.Client(),
		OTLPHeaders: map[string]secret.Text{"X-Team": secret.New("blue")},
	})
	stop := runUntil(t, o)
	_, span := o.Start(context.Background(), "chat demo", attribute.Int("n", 7), attribute.Float64("f", 0.5),
		attribute.Bool("b", true), attribute.StringSlice("list", []string{"x", fxKey}), attribute.String("token", "hunter2"))
	span.AddEvent("first token", trace.WithAttributes(attribute.Int64("at", 1)))
	End(span, errors.New("it broke"))
	stop()

	var got struct {
		ResourceSpans []struct {
			Resource   struct{ Attributes []map[string]any }
			ScopeSpans []struct{ Spans []map[string]any }
		}
	}
	body := <-bodies
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatalf("body %s: %v", body, err)
	}
	s := got.ResourceSpans[0].ScopeSpans[0].Spans[0]
	if s["name"] != "chat demo" || len(s["traceId"].(string)) != 32 || len(s["spanId"].(string)) != 16 || s["kind"] != 1.0 {
		t.Errorf("span = %v", s)
	}
	for _, want := range []string{
		`{"key":"service.version","value":{"stringValue":"1.2.3"}}`, `{"key":"n","value":{"intValue":"7"}}`,
		`{"key":"f","value":{"doubleValue":0.5}}`, `{"key":"b","value":{"boolValue":true}}`,
		`{"arrayValue":{"values":[{"stringValue":"x"},{"stringValue":"•••"}]}}`, `{"key":"token","value":{"stringValue":"•••"}}`,
		`"name":"first token"`, `"status":{"code":2`,
	} {
		if !bytes.Contains(body, []byte(want)) {
			t.Errorf("body misses %s: %s", want, body)
		}
	}
}

func TestOTLPDoesNotRepeatWhatWasRefused(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		http.Error(w, "no such tenant", http.StatusBadRequest)
	}))
	defer server.Close()
	var buf bytes.Buffer
	o := newTest(t, Options{OTLPEndpoint: server.URL, OTLPClient: server.Client(), Log: LogOptions{Writer: &buf}})
	stop := runUntil(t, o)
	_, span := o.Start(context.Background(), "x")
	span.End()
	stop()
	if calls.Load() != 1 {
		t.Errorf("the receiver was called %d times, want once", calls.Load())
	}
	if !strings.Contains(buf.String(), "no such tenant") {
		t.Errorf("the log does not say why: %s", buf.String())
	}
	if page := metricsPage(t, o); !strings.Contains(page, `fluxway_telemetry_exports_failed_total{destination="otlp"} 1`) {
		t.Error("the failed export was not counted")
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{"": 0, "3": 3 * time.Second, "-1": 0, "9999": 30 * time.Second, "Sun, 15 Nov 2026": 0} {
		if got := retryAfter(header); got != want {
			t.Errorf("retryAfter(%q) = %v, want %v", header, got, want)
		}
	}
}

// stuck is a Sink that waits until it is let go.
type stuck struct {
	entered chan int
	leave   chan struct{}
}

func (s stuck) Receive(_ context.Context, spans []Finished) error {
	s.entered <- len(spans)
	<-s.leave
	return nil
}

func TestSlowSinkDropsAndCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newTest(t, Options{QueueSize: 2})
		sink := stuck{make(chan int, 8), make(chan struct{})}
		if err := o.Attach("slow", sink); err != nil {
			t.Fatal(err)
		}
		stop := runUntil(t, o)
		finish := func(n int) {
			for range n {
				_, span := o.Start(context.Background(), "x")
				span.End()
			}
		}
		finish(1)
		if n := <-sink.entered; n != 1 { // after batchWait, while Receive hangs
			t.Errorf("the first batch has %d spans, want 1", n)
		}
		finish(5)
		if page := metricsPage(t, o); !strings.Contains(page, `fluxway_telemetry_spans_dropped_total{destination="slow"} 3`) {
			t.Error("5 spans before a queue of 2: want 3 dropped")
		}
		close(sink.leave)
		stop()
		if n := <-sink.entered; n != 2 {
			t.Errorf("the flush has %d spans, want 2", n)
		}
	})
}

func metricsPage(t *testing.T, o *Observe) string {
	t.Helper()
	rec := httptest.NewRecorder()
	o.MetricsHandler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if rec.Code != http.StatusOK {
		t.Fatalf("GET /metrics = %d %s", rec.Code, rec.Body)
	}
	return rec.Body.String()
}

func TestNilObserveWorks(t *testing.T) {
	t.Parallel()
	var o *Observe
	o.Log().Info("x")
	o.SetLevel(slog.LevelDebug)
	o.SetCaptureContent(true)
	o.Counter("x_total", "X.", "a").Inc("b")
	o.Gauge("x", "X.").Set(1)
	o.Histogram("x_seconds", "X.").Observe(1)
	o.GaugeFunc("y", "Y.", func() float64 { return 1 })
	ctx, span := o.Start(context.Background(), "x")
	o.SetContent(span, "a", "b")
	o.Inject(ctx, http.Header{})
	o.Extract(ctx, http.Header{})
	End(span, errors.New("x"))
	rec := httptest.NewRecorder()
	o.MetricsHandler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if rec.Code != http.StatusNotFound || o.Level() != slog.LevelInfo {
		t.Errorf("metrics of nil = %d, want 404", rec.Code)
	}
}

func BenchmarkStartIdle(b *testing.B) {
	o, err := New(Options{Log: LogOptions{Writer: io.Discard}})
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		_, span := o.Start(ctx, "work", attribute.String("agent", "a"))
		span.End()
	}
}

func BenchmarkLogLine(b *testing.B) {
	o, err := New(Options{Log: LogOptions{Writer: io.Discard}})
	if err != nil {
		b.Fatal(err)
	}
	log := o.Log()
	b.ReportAllocs()
	for b.Loop() {
		log.Info("request finished", "method", "GET", "path", "/api/v1/runs", "status", 200)
	}
}
