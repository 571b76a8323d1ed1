package observe

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	batchSize  = 512
	batchWait  = 2 * time.Second
	flushGrace = 5 * time.Second
)

// destination takes finished spans in batches.
type destination interface {
	deliver(ctx context.Context, spans []Finished) error
}

// pipe is a bounded queue of finished spans before one destination. Whoever ends
// a span only puts it there: its goroutine wakes for the first of a batch and for
// the last, not for each.
type pipe struct {
	name    string
	to      destination
	limit   int
	wake    chan struct{}
	dropped Count
	failed  Count
	log     *slog.Logger

	mu    sync.Mutex // guards the field below
	queue []*span
}

// add queues a span, or counts it as dropped: work never waits for telemetry.
func (p *pipe) add(s *span) {
	p.mu.Lock()
	if len(p.queue) >= p.limit {
		p.mu.Unlock()
		p.dropped.Inc()
		return
	}
	p.queue = append(p.queue, s)
	n := len(p.queue)
	p.mu.Unlock()
	if n == 1 || n == batchSize {
		select {
		case p.wake <- struct{}{}:
		default: // it will look anyway
		}
	}
}

// waiting is how many spans there are.
func (p *pipe) waiting() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.queue)
}

// take gives the next batch.
func (p *pipe) take() []*span {
	p.mu.Lock()
	defer p.mu.Unlock()
	batch := p.queue
	if len(batch) <= batchSize {
		p.queue = make([]*span, 0, len(batch))
		return batch
	}
	p.queue = append(make([]*span, 0, len(batch)), batch[batchSize:]...)
	return batch[:batchSize:batchSize]
}

// run sends batches when they are full or old enough, and the rest when ctx ends.
func (p *pipe) run(ctx context.Context) {
	timer := time.NewTimer(batchWait)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			p.flush(ctx, nil)
			return
		case <-p.wake:
			if p.waiting() < batchSize {
				timer.Reset(batchWait)
				continue
			}
			timer.Stop()
		case <-timer.C:
		}
		for more := true; more; more = p.waiting() >= batchSize {
			if batch := p.take(); !p.send(ctx, batch) {
				p.flush(ctx, batch)
				return
			}
		}
		if p.waiting() > 0 {
			timer.Reset(batchWait)
		}
	}
}

// flush sends a batch that was cut short, and what else there is.
func (p *pipe) flush(ctx context.Context, batch []*span) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushGrace)
	defer cancel()
	p.send(ctx, batch)
	for p.waiting() > 0 {
		p.send(ctx, p.take())
	}
}

// send says whether the batch is done with; one that was cut short by the end
// of ctx is not, and belongs into the flush.
func (p *pipe) send(ctx context.Context, batch []*span) bool {
	if len(batch) == 0 {
		return true
	}
	live := ctx.Err() == nil
	done := make([]Finished, len(batch))
	for i, s := range batch {
		done[i] = s.finished()
	}
	err := p.to.deliver(ctx, done)
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

// toSink hands spans to a Sink.
type toSink struct{ sink Sink }

func (t toSink) deliver(ctx context.Context, spans []Finished) error {
	return t.sink.Receive(ctx, spans)
}
