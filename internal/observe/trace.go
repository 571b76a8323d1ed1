package observe

import (
	"context"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
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
	pipes := o.listeners.Load()
	if pipes == nil {
		return ctx, noop.Span{}
	}
	return begin(ctx, *pipes, name, attrs)
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
func (o *Observe) Listening() bool { return o != nil && o.listeners.Load() != nil }

// Extract continues the trace that a request's traceparent header names.
func (o *Observe) Extract(ctx context.Context, header http.Header) context.Context {
	if !o.Listening() || header["Traceparent"] == nil {
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

func resourceAttributes(opts Options) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String("service.name", opts.Service),
		attribute.String("service.version", opts.Version),
	}
}
