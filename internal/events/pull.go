package events

import (
	"context"
	"fmt"
	"iter"
)

// Delivery is one fact or delta for a subscriber.
type Delivery struct {
	Cursor      int64 // 0 for a delta
	Channel     string
	Kind        string
	JSON        []byte // the envelope; must not be changed
	Redelivered bool   // it was delivered before and not acknowledged
}

// Batch is everything that waited for a subscriber, up to a size.
type Batch struct {
	Deliveries []Delivery
	Cursor     int64 // where a new subscription would go on
	Dropped    int   // deltas that were skipped, about: fetch what they belong to again
}

// All yields batches as they come, until ctx ends or the subscription does; the
// reason is the last thing it yields. It closes the subscription.
func (s *Subscription) All(ctx context.Context) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		defer s.Close()
		for {
			b, err := s.Next(ctx)
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// Next waits for something to deliver. It is for one goroutine and for
// subscriptions without a Sink.
func (s *Subscription) Next(ctx context.Context) (Batch, error) {
	if s.sink != nil {
		return Batch{}, fmt.Errorf("events: Next on a subscription with a sink")
	}
	if s.puller == nil {
		s.puller = &worker{hub: s.hub, slow: true}
	}
	for {
		if err := context.Cause(ctx); err != nil {
			return Batch{}, err
		}
		if err := s.enterNext(); err != nil {
			return Batch{}, err
		}
		b, result, err := s.puller.pull(ctx, s)
		if err != nil {
			s.end(err)
			return Batch{}, err
		}
		found := len(b.Deliveries) > 0 || b.Dropped > 0
		if s.leaveNext(result != done); found {
			return b, nil
		}
		if result != done {
			continue
		}
		select {
		case <-s.signal:
		case <-ctx.Done():
		}
	}
}

// enterNext makes the caller the one who runs the subscription.
func (s *Subscription) enterNext() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == ended {
		return s.err
	}
	s.enter()
	return nil
}

// leaveNext gives it back, to wait or to be called again.
func (s *Subscription) leaveNext(more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.state == ended:
	case more:
		s.state, s.news = waiting, true
	case s.state == again || s.news:
		s.state = waiting
		s.nudge()
	default:
		s.state = idle
	}
}

// pull collects one batch.
func (w *worker) pull(ctx context.Context, s *Subscription) (Batch, outcome, error) {
	w.clear(s)
	if !s.working {
		return Batch{}, done, nil
	}
	var b Batch
	if len(s.redo) > 0 {
		rows, err := s.pending(ctx)
		if err != nil {
			return Batch{}, done, fmt.Errorf("reading events to redeliver: %w", err)
		}
		for i := range rows {
			m := rows[i].message()
			b.Deliveries = append(b.Deliveries, Delivery{m.cursor, m.channel, m.kind, appendEnvelope(nil, &m, true), true})
		}
		b.Cursor = s.cursor
		return b, partly, nil
	}
	result, err := w.gather(ctx, s)
	if err != nil {
		return Batch{}, done, err
	}
	w.advance(s, w.total)
	n := 0
	for i := range w.pieces {
		n += len(w.pieces[i].index)
	}
	b.Deliveries = make([]Delivery, 0, n)
	for i := range w.pieces {
		p := &w.pieces[i]
		for j := range p.index {
			b.Deliveries = append(b.Deliveries, p.in.delivery(&p.index[j]))
		}
	}
	b.Cursor, b.Dropped, s.dropped = s.cursor, s.dropped, 0
	if b.Dropped > 0 {
		w.hub.meters.dropped.Add(float64(b.Dropped))
	}
	return b, result, nil
}

func (g *segment) delivery(e *entry) Delivery {
	d := Delivery{Cursor: e.cursor, Channel: g.channels[e.channel].name, Kind: g.kinds[e.kind], JSON: g.data[e.off+uint32(e.header) : e.off+e.size : e.off+e.size]}
	if e.delta {
		d.Cursor = 0
	}
	return d
}
