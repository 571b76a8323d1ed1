package events

import (
	"context"
	"time"
)

// worker runs subscribers. Its buffers are used again for each of them.
type worker struct {
	hub  *Hub
	slow bool // may ask the database

	view   view
	pieces []piece
	frames [][]byte
	total  int // bytes of frames
	sent   int // frames at the front that are the subscriber's own

	// What a complete write means for the subscriber.
	pos    int64
	cursor int64
	more   bool // there is more to look at
	unsure bool // it must be asked whether a channel is allowed
}

// piece is a run of frames that lie one behind the other and are all wanted.
type piece struct {
	in    *segment
	index []entry
	first int64 // sequence of index[0]
	data  []byte
}

// outcome is how a run ended.
type outcome uint8

const (
	done    outcome = iota // nothing is left
	partly                 // there is more
	toSlow                 // the database must be asked
	full                   // the sink is full
	stopped                // the subscription has ended
)

// do runs a subscriber that was queued by itself.
func (s *Subscription) do(ctx context.Context, w *worker) {
	if s.begin() {
		w.serve(ctx, s)
	}
}

// serve writes what waits for a subscriber that has begun.
func (w *worker) serve(ctx context.Context, s *Subscription) {
	result := partly
	for round := 0; result == partly && round < 4; round++ {
		result = w.once(ctx, s)
	}
	s.finish(result, w.slow)
}

// once makes one write.
func (w *worker) once(ctx context.Context, s *Subscription) outcome {
	w.clear(s)
	for _, c := range s.confirms {
		s.own(c.tell(c.cursor))
	}
	s.confirms = nil
	result := done
	if s.working {
		var err error
		if result, err = w.gather(ctx, s); err != nil {
			s.fail(err)
			return stopped
		}
	}
	w.assemble(s)
	if w.total == 0 {
		w.advance(s, 0)
		return result
	}
	n, err := s.sink.Write(w.frames)
	w.hub.meters.writes.Inc()
	w.hub.meters.bytes.Add(float64(n))
	if err != nil {
		s.fail(err)
		return stopped
	}
	w.advance(s, n)
	if n < w.total {
		return full
	}
	return result
}

func (w *worker) clear(s *Subscription) {
	w.pieces, w.frames, w.total, w.sent, w.more, w.unsure = w.pieces[:0], w.frames[:0], 0, 0, false, false
	w.pos, w.cursor = s.pos, s.cursor
}

// gather collects what the subscriber wants from behind its position.
func (w *worker) gather(ctx context.Context, s *Subscription) (outcome, error) {
	if len(s.redo) > 0 {
		if !w.slow {
			return toSlow, nil
		}
		return partly, s.redeliver(ctx)
	}
	if w.look(s) {
		w.live(s)
		switch {
		case w.unsure:
			return toSlow, nil
		case w.more:
			return partly, nil
		}
		return done, nil
	}
	if !w.slow {
		return toSlow, nil
	}
	c, err := s.st.history.load(ctx, s.st, s.cursor)
	if err != nil {
		if ctx.Err() != nil { // not its fault: it stays where it is
			return partly, nil
		}
		return done, err
	}
	if err := s.hub.expired(s.st, s.rules, c.floors, s.cursor); err != nil {
		return done, err
	}
	w.past(s, c)
	return partly, nil
}

// live collects from the view.
func (w *worker) live(s *Subscription) {
	v, budget := &w.view, w.hub.opts.BatchBytes
	w.pos = s.pos
	for i := range v.segs {
		g := &v.segs[i]
		if w.pos >= g.next() {
			continue
		}
		if w.pos == s.pos {
			w.notice(s, v.end-g.base-int64(g.index[w.pos-g.first].off))
		}
		from := int(w.pos - g.first)
		if read := w.take(s, g, from, budget, v.end); read > from {
			w.pos, w.cursor = g.first+int64(read), g.index[read-1].cursor
		}
		budget = w.hub.opts.BatchBytes - w.total
		if budget <= 0 || len(w.frames) >= maxFrames || w.unsure {
			break
		}
	}
	w.more = w.pos < v.next
}

// past collects from a chunk of the database.
func (w *worker) past(s *Subscription, c *chunk) {
	i := after(c.index, s.cursor)
	w.pos, w.cursor = byCursor, c.upto
	if read := w.take(s, &c.segment, i, w.hub.opts.BatchBytes, 0); read < len(c.index) {
		w.cursor = c.index[read-1].cursor
	}
}

// maxFrames bounds the slices of one write; neighbours share one.
const maxFrames = 512

// take collects the wanted frames of a segment from an entry on, until the
// budget is used up, and says up to which entry it looked. end is the log's
// end, to see how far behind a delta is.
func (w *worker) take(s *Subscription, g *segment, from, budget int, end int64) int {
	var last *channel
	wanted, start := false, -1
	i := from
	for ; i < len(g.index) && budget > 0 && len(w.frames) < maxFrames; i++ {
		e := &g.index[i]
		if ch := g.channels[e.channel]; ch != last {
			var known bool
			if wanted, known = s.wants(ch, w.slow); !known {
				w.unsure = true
				break
			}
			last = ch
		}
		take := wanted && (!s.mixed || s.passes(last.name, e, g.first+int64(i)))
		if take && e.delta && end-g.base-int64(e.off) > w.hub.opts.DropLag {
			s.dropped++
			take = false
		}
		switch {
		case take && start < 0:
			start = i
		case !take && start >= 0:
			w.piece(g, start, i)
			start = -1
		}
		if take {
			budget -= int(e.size)
		}
	}
	if start >= 0 {
		w.piece(g, start, i)
	}
	return i
}

func (w *worker) piece(g *segment, from, to int) {
	last := &g.index[to-1]
	data := g.data[g.index[from].off : last.off+last.size]
	w.pieces = append(w.pieces, piece{g, g.index[from:to], g.first + int64(from), data})
	w.frames = append(w.frames, data)
	w.total += len(data)
}

// notice tells a client that blocked that it is far behind.
func (w *worker) notice(s *Subscription, lag int64) {
	if !s.slow || s.throttled || s.sink == nil || lag <= w.hub.opts.ThrottleLag {
		return
	}
	s.mu.Lock()
	s.throttled = true
	s.mu.Unlock()
	w.hub.meters.throttled.Inc()
	s.own(s.sink.Notice(Notice{Kind: Throttled, Lag: lag}))
}

// own queues a frame of the hub's, besides those of Send.
func (s *Subscription) own(frame []byte) {
	if frame == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out = append(s.out, frame)
}

// assemble puts the subscriber's own frames before those of the log.
func (w *worker) assemble(s *Subscription) {
	if s.dropped > 0 && s.sink != nil {
		w.hub.meters.dropped.Add(float64(s.dropped))
		s.own(s.sink.Notice(Notice{Kind: Dropped, Dropped: s.dropped}))
		s.dropped = 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.out) == 0 {
		return
	}
	w.sent = len(s.out)
	logged := len(w.frames)
	w.frames = append(w.frames, s.out...) // make room, then move the log's frames back
	copy(w.frames[w.sent:], w.frames[:logged])
	copy(w.frames, s.out)
	for _, f := range s.out {
		w.total += len(f)
	}
}

// advance moves the subscriber behind the n bytes that were written. The rest of
// a frame that was cut is kept, since the log may drop it.
func (w *worker) advance(s *Subscription, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == ended {
		return
	}
	complete := n >= w.total
	for i := range w.sent { // not by w.frames, which the sink may have consumed
		size := len(s.out[i])
		if n < size {
			s.out = s.out[i:]
			s.out[0] = s.out[0][n:]
			return
		}
		n -= size
	}
	if s.out = s.out[w.sent:]; len(s.out) == 0 {
		s.out = nil
	}
	if complete {
		s.move(w.pos, w.cursor)
		return
	}
	for k := range w.pieces {
		p := &w.pieces[k]
		if n < len(p.data) {
			if rest := s.cut(p, n, w.pos != byCursor); rest != nil {
				s.out = append([][]byte{rest}, s.out...)
			}
			return
		}
		n -= len(p.data)
		s.move(p.position(len(p.index), w.pos != byCursor))
	}
}

// move puts the subscriber behind what it was given.
func (s *Subscription) move(pos, cursor int64) {
	s.pos, s.cursor = pos, cursor
	if s.mixed {
		s.settle()
	}
}

// cut moves the subscriber behind n bytes of a piece and answers the rest of the
// frame that was cut.
func (s *Subscription) cut(p *piece, n int, live bool) []byte {
	done := 0
	for i := range p.index {
		if done == n {
			return nil
		}
		s.move(p.position(i+1, live))
		if done += int(p.index[i].size); done > n {
			return append([]byte(nil), p.data[n:done]...)
		}
	}
	return nil
}

// position is where a subscriber stands behind n entries of the piece.
func (p *piece) position(n int, live bool) (pos, cursor int64) {
	if live {
		return p.first + int64(n), p.index[n-1].cursor
	}
	return byCursor, p.index[n-1].cursor
}

// finish gives the subscriber back.
func (s *Subscription) finish(result outcome, slow bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == ended {
		return
	}
	to := &s.hub.fast
	switch result {
	case done:
		if s.state != again && !s.news {
			s.state, s.slow, s.throttled = idle, false, false
			return
		}
	case partly:
		s.news = true
		if slow {
			to = &s.hub.slow
		}
	case toSlow:
		s.news = true
		to = &s.hub.slow
	case full:
		s.news = s.news || s.working
		s.slow = true
		if !s.ready {
			s.state, s.since = blocked, time.Now()
			s.hub.meters.blocked.Add(1)
			return
		}
	}
	s.state = waiting
	to.push(s)
}
