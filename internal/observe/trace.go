package observe

import (
	"context"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

const scope = "github.com/fluxway/fluxway"

// Start begins a span; the caller ends it. While nobody listens it returns ctx
// unchanged and a span that does nothing, without allocating.
func (o *Observe) Start(ctx context.Context, name string, attrs ...attribute.KeyValue) (context.Context, trace.Span) {
	if o == nil {
		return ctx, noop.Span{}
	}
	live := o.tracer.Load()
	if live == nil {
		return ctx, noop.Span{}
	}
	return start(ctx, live, name, attrs)
}

// start copies attrs so that the slice made by Start's caller stays on its stack.
func start(ctx context.Context, live *liveTracer, name string, attrs []attribute.KeyValue) (context.Context, trace.Span) {
	return live.Start(ctx, name, trace.WithAttributes(append([]attribute.KeyValue(nil), attrs...)...))
}

// End finishes a span with the outcome of the work: nil is success.
func End(span trace.Span, err error) {
	if err != nil && span.IsRecording() {
		span.RecordError(err)
		span.SetStatus(codes.Error, fault.From(err).Message)
	}
	span.End()
}

// Listening says whether spans are recorded at all.
func (o *Observe) Listening() bool { return o != nil && o.tracer.Load() != nil }

// Tracer is for libraries that take an OpenTelemetry tracer; our own code uses Start.
func (o *Observe) Tracer() trace.Tracer {
	if o == nil {
		return noop.Tracer{}
	}
	if live := o.tracer.Load(); live != nil {
		return live.Tracer
	}
	return noop.Tracer{}
}

// Extract continues the trace that a request's traceparent header names.
func (o *Observe) Extract(ctx context.Context, header http.Header) context.Context {
	if !o.Listening() || header.Get("Traceparent") == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(header))
}

// Inject names the current trace in a request to someone else.
func (o *Observe) Inject(ctx context.Context, header http.Header) {
	if o.Listening() {
		propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(header))
	}
}

// SetContent puts what was said (a prompt, an answer, tool arguments) on a span,
// if content capture is on; secrets in it are hidden on the way out.
func (o *Observe) SetContent(span trace.Span, key, text string) {
	if o != nil && o.content.Load() && span.IsRecording() {
		span.SetAttributes(attribute.String(key, text))
	}
}

// SetCaptureContent turns content capture on or off, at once.
func (o *Observe) SetCaptureContent(on bool) {
	if o != nil {
		o.content.Store(on)
	}
}

// CapturesContent says whether content capture is on.
func (o *Observe) CapturesContent() bool { return o != nil && o.content.Load() }

// Sink receives finished spans in batches, from one goroutine. An error is
// logged and the batch is not offered again.
type Sink interface {
	Receive(ctx context.Context, spans []Finished) error
}

// Finished is one span after its end, with secrets hidden.
type Finished struct {
	Trace, ID, Parent string // hexadecimal; Parent is "" at the root
	Name              string
	Kind              trace.SpanKind
	Start, End        time.Time
	Attributes        []attribute.KeyValue
	Events            []FinishedEvent
	Failed            bool
	Message           string // why it failed
}

// FinishedEvent is something that happened at one moment of a span.
type FinishedEvent struct {
	Name       string
	At         time.Time
	Attributes []attribute.KeyValue
}

// newTracer records every span and hands it to all pipes.
func newTracer(opts Options, pipes []*pipe) trace.Tracer {
	options := []sdktrace.TracerProviderOption{
		sdktrace.WithSampler(sdktrace.AlwaysSample()),
		sdktrace.WithResource(resource.NewSchemaless(resourceAttributes(opts)...)),
		sdktrace.WithRawSpanLimits(sdktrace.SpanLimits{
			AttributeValueLengthLimit: 64 << 10, AttributeCountLimit: 128, EventCountLimit: 128,
			LinkCountLimit: 128, AttributePerEventCountLimit: 128, AttributePerLinkCountLimit: 128,
		}),
	}
	for _, p := range pipes {
		options = append(options, sdktrace.WithSpanProcessor(p))
	}
	return sdktrace.NewTracerProvider(options...).Tracer(scope, trace.WithInstrumentationVersion(opts.Version))
}

func resourceAttributes(opts Options) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String("service.name", opts.Service),
		attribute.String("service.version", opts.Version),
	}
}

// finished copies a span and hides its secrets.
func finished(s sdktrace.ReadOnlySpan) Finished {
	f := Finished{
		Trace: s.SpanContext().TraceID().String(), ID: s.SpanContext().SpanID().String(),
		Name: Redact(s.Name()), Kind: s.SpanKind(), Start: s.StartTime(), End: s.EndTime(),
		Attributes: hideAttributes(s.Attributes()),
		Failed:     s.Status().Code == codes.Error, Message: Redact(s.Status().Description),
	}
	if s.Parent().HasSpanID() {
		f.Parent = s.Parent().SpanID().String()
	}
	for _, e := range s.Events() {
		f.Events = append(f.Events, FinishedEvent{Name: Redact(e.Name), At: e.Time, Attributes: hideAttributes(e.Attributes)})
	}
	return f
}
