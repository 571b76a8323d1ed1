package observe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

func TestSpanKeepsTheLastWordsAndNoMoreThanItMay(t *testing.T) {
	t.Parallel()
	o := newTest(t, Options{})
	sink := collect{make(chan Finished, 1)}
	if err := o.Attach("sink", sink); err != nil {
		t.Fatal(err)
	}
	stop := runUntil(t, o)
	ctx, span := o.Start(context.Background(), "first name", attribute.String("a", "one"), attribute.KeyValue{})
	span.SetName("last name")
	span.SetAttributes(attribute.String("a", "two"), attribute.String("long", strings.Repeat("x", maxValue-1)+"ä"))
	for i := range 2 * maxAttributes {
		span.SetAttributes(attribute.Int(fmt.Sprint("n", i), i))
		span.AddEvent(fmt.Sprint("event ", i))
	}
	span.RecordError(errors.New("it slipped"))
	span.RecordError(nil)
	span.AddLink(trace.Link{})
	span.SetStatus(codes.Ok, "ignored")
	span.SetStatus(codes.Error, "too late")
	at := time.Now().Add(time.Hour)
	span.End(trace.WithTimestamp(at))
	span.End()
	span.SetName("too late")
	span.SetAttributes(attribute.String("a", "too late"))
	span.AddEvent("too late")
	if span.IsRecording() || trace.SpanFromContext(ctx) != span || !span.SpanContext().IsSampled() || span.TracerProvider() == nil {
		t.Error("the span is not what its interface says")
	}
	stop()
	got := <-sink.spans
	if got.Name != "last name" || got.Failed || got.Message != "" || !got.End.Equal(at) || len(got.Attributes) != maxAttributes || len(got.Events) != maxEvents {
		t.Errorf("%s, failed %v %q, end %v, %d attributes, %d events", got.Name, got.Failed, got.Message, got.End, len(got.Attributes), len(got.Events))
	}
	if a, long := got.Attributes[0], got.Attributes[1].Value.AsString(); a.Value.AsString() != "two" || len(long) != maxValue-1 {
		t.Errorf("a is %v, long has %d bytes", a, len(long))
	}
	if last := got.Events[maxEvents-1]; last.Name != "exception" || len(last.Attributes) != 2 || last.Attributes[1].Value.AsString() != "it slipped" {
		t.Errorf("the last event is %+v", last)
	}
}

func TestSpansLeaveInBatches(t *testing.T) {
	t.Parallel()
	o := newTest(t, Options{QueueSize: 4 * batchSize})
	sink := collect{make(chan Finished, 4*batchSize)}
	if err := o.Attach("sink", sink); err != nil {
		t.Fatal(err)
	}
	for range 2*batchSize + 1 {
		_, span := o.Start(context.Background(), "x")
		span.End()
	}
	stop := runUntil(t, o)
	for range 2 * batchSize { // the full batches do not wait
		<-sink.spans
	}
	stop()
	if n := len(sink.spans); n != 1 {
		t.Errorf("%d spans are left for the flush, want 1", n)
	}
}
