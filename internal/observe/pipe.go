package observe

import (
	"context"
	"log/slog"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

const (
	batchSize  = 512
	batchWait  = 2 * time.Second
	flushGrace = 5 * time.Second
)

// pipe is a bounded queue of finished spans before one destination. It is a
// span processor that starts nothing by itself: Run does.
type pipe struct {
	name     string
	exporter sdktrace.SpanExporter
	queue    chan sdktrace.ReadOnlySpan
	dropped  Count
	failed   Count
	log      *slog.Logger
}

// OnStart does nothing; only finished spans matter.
func (p *pipe) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

// OnEnd queues the span, or counts it as dropped: work never waits for telemetry.
func (p *pipe) OnEnd(s sdktrace.ReadOnlySpan) {
	select {
	case p.queue <- s:
	default:
		p.dropped.Inc()
	}
}

// Shutdown does nothing; the pipe ends with Run.
func (p *pipe) Shutdown(context.Context) error { return nil }

// ForceFlush does nothing; Run flushes when it ends.
func (p *pipe) ForceFlush(context.Context) error { return nil }

// run sends batches when they are full or old enough, and the rest when ctx ends.
func (p *pipe) run(ctx context.Context) {
	batch := make([]sdktrace.ReadOnlySpan, 0, batchSize)
	timer := time.NewTimer(batchWait)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			p.flush(ctx, batch)
			return
		case s := <-p.queue:
			if len(batch) == 0 {
				timer.Reset(batchWait)
			}
			batch = append(batch, s)
			if len(batch) < batchSize {
				continue
			}
			timer.Stop()
		case <-timer.C:
		}
		if p.send(ctx, batch) {
			clear(batch)
			batch = batch[:0]
		}
	}
}

func (p *pipe) flush(ctx context.Context, batch []sdktrace.ReadOnlySpan) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushGrace)
	defer cancel()
	for {
		select {
		case s := <-p.queue:
			if batch = append(batch, s); len(batch) < batchSize {
				continue
			}
			p.send(ctx, batch)
			batch = batch[:0]
		default:
			p.send(ctx, batch)
			return
		}
	}
}

// send says whether the batch is done with; one that was cut short by the end
// of ctx is not, and belongs into the flush.
func (p *pipe) send(ctx context.Context, batch []sdktrace.ReadOnlySpan) bool {
	if len(batch) == 0 {
		return true
	}
	live := ctx.Err() == nil
	err := p.exporter.ExportSpans(ctx, batch)
	if err == nil {
		return true
	}
	if live && ctx.Err() != nil {
		return false
	}
	p.failed.Inc()
	p.log.WarnContext(ctx, "spans not delivered", "destination", p.name, "spans", len(batch), "err", err)
	return true
}

// sinkExporter hands spans to a Sink.
type sinkExporter struct{ sink Sink }

// ExportSpans converts the batch and hands it on.
func (e sinkExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	batch := make([]Finished, len(spans))
	for i, s := range spans {
		batch[i] = finished(s)
	}
	return e.sink.Receive(ctx, batch)
}

// Shutdown does nothing; the sink's owner closes it.
func (e sinkExporter) Shutdown(context.Context) error { return nil }
