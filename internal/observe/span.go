package observe

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/embedded"
	"go.opentelemetry.io/otel/trace/noop"
)

// The most that one span keeps; events make room for newer ones.
const (
	maxAttributes = 128
	maxEvents     = 128
	maxValue      = 64 << 10 // bytes of a text
)

// span is work that is being recorded, as OpenTelemetry's interface wants it. The
// stock one samples, links and snapshots, which nobody here asks of it, at twice
// the price.
type span struct {
	embedded.Span
	pipes  []*pipe
	self   trace.SpanContext
	parent trace.SpanID
	start  time.Time

	mu      sync.Mutex // guards the fields below
	name    string
	attrs   []attribute.KeyValue
	events  []FinishedEvent
	status  codes.Code
	message string
	end     time.Time // zero: it goes on
}

// begin starts a span under the one in ctx.
func begin(ctx context.Context, pipes []*pipe, name string, attrs []attribute.KeyValue) (context.Context, trace.Span) {
	above := trace.SpanContextFromContext(ctx)
	s := &span{pipes: pipes, name: name, start: time.Now()}
	id := trace.SpanContextConfig{TraceFlags: above.TraceFlags() | trace.FlagsSampled}
	if above.TraceID().IsValid() {
		id.TraceID, id.TraceState, s.parent = above.TraceID(), above.TraceState(), above.SpanID()
	} else {
		binary.NativeEndian.PutUint64(id.TraceID[:8], rand.Uint64()|1) // never all zeros
		binary.NativeEndian.PutUint64(id.TraceID[8:], rand.Uint64())
	}
	binary.NativeEndian.PutUint64(id.SpanID[:], rand.Uint64()|1)
	s.self = trace.NewSpanContext(id)
	s.set(attrs)
	return trace.ContextWithSpan(ctx, s), s
}

// End hands the span to those who listen; later calls do nothing.
func (s *span) End(opts ...trace.SpanEndOption) {
	now := time.Now()
	if len(opts) > 0 {
		if config := trace.NewSpanEndConfig(opts...); !config.Timestamp().IsZero() {
			now = config.Timestamp()
		}
	}
	s.mu.Lock()
	over := !s.end.IsZero()
	if !over {
		s.end = now
	}
	s.mu.Unlock()
	if over {
		return
	}
	for _, p := range s.pipes {
		p.add(s)
	}
}

// SetAttributes adds what was learnt; the last value of a key counts.
func (s *span) SetAttributes(attrs ...attribute.KeyValue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end.IsZero() {
		s.set(attrs)
	}
}

func (s *span) set(attrs []attribute.KeyValue) {
	s.attrs = slices.Grow(s.attrs, len(attrs)) // an attribute is large: there is no room to spare
	for _, a := range attrs {
		if !a.Valid() {
			continue
		}
		if a.Value.Type() == attribute.STRING && len(a.Value.AsString()) > maxValue {
			a = a.Key.String(shortened(a.Value.AsString()))
		}
		if i := slices.IndexFunc(s.attrs, func(b attribute.KeyValue) bool { return b.Key == a.Key }); i >= 0 {
			s.attrs[i] = a
		} else if len(s.attrs) < maxAttributes {
			s.attrs = append(s.attrs, a)
		}
	}
}

// shortened cuts a text between its letters.
func shortened(text string) string {
	cut := maxValue
	for cut > maxValue-utf8.UTFMax && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strings.Clone(text[:cut])
}

// AddEvent notes something that happened now.
func (s *span) AddEvent(name string, opts ...trace.EventOption) {
	config := trace.NewEventConfig(opts...)
	s.event(name, config.Timestamp(), config.Attributes())
}

// RecordError notes an error in the words of OpenTelemetry.
func (s *span) RecordError(err error, opts ...trace.EventOption) {
	if err == nil {
		return
	}
	config := trace.NewEventConfig(opts...)
	s.event("exception", config.Timestamp(), append(config.Attributes(),
		attribute.String("exception.type", fmt.Sprintf("%T", err)), attribute.String("exception.message", err.Error())))
}

func (s *span) event(name string, at time.Time, attrs []attribute.KeyValue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.end.IsZero() {
		return
	}
	if len(s.events) == maxEvents {
		s.events = slices.Delete(s.events, 0, 1)
	}
	s.events = append(s.events, FinishedEvent{Name: name, At: at, Attributes: attrs[:min(len(attrs), maxAttributes)]})
}

// SetStatus says how it went; what went well stays so.
func (s *span) SetStatus(code codes.Code, description string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.end.IsZero() || s.status > code {
		return
	}
	s.status, s.message = code, ""
	if code == codes.Error {
		s.message = description
	}
}

// SetName calls it otherwise.
func (s *span) SetName(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end.IsZero() {
		s.name = name
	}
}

// IsRecording says whether it goes on.
func (s *span) IsRecording() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end.IsZero()
}

// SpanContext is what others need to know to go on from here.
func (s *span) SpanContext() trace.SpanContext { return s.self }

// AddLink does nothing: no destination of ours shows links.
func (s *span) AddLink(trace.Link) {}

// TracerProvider gives none: our own code uses Start.
func (s *span) TracerProvider() trace.TracerProvider { return noop.NewTracerProvider() }

// finished hides the secrets of a span that has ended: nothing changes it any more.
func (s *span) finished() Finished {
	f := Finished{
		Trace: s.self.TraceID().String(), ID: s.self.SpanID().String(),
		Name: Redact(s.name), Kind: trace.SpanKindInternal, Start: s.start, End: s.end,
		Attributes: hideAttributes(s.attrs),
		Failed:     s.status == codes.Error, Message: Redact(s.message),
	}
	if s.parent.IsValid() {
		f.Parent = s.parent.String()
	}
	for _, e := range s.events {
		f.Events = append(f.Events, FinishedEvent{Name: Redact(e.Name), At: e.At, Attributes: hideAttributes(e.Attributes)})
	}
	return f
}
