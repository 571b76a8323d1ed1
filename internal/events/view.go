package events

// viewSegments is how many segments a worker looks at in one go.
const viewSegments = 8

// view is what a worker sees of a log: copies of segment headers, whose bytes
// do not change any more.
type view struct {
	st       *stream
	segs     []segment
	next     int64 // sequence behind the last entry of the log
	end      int64
	complete bool // segs reach the log's end
}

// look makes the view contain the subscriber's position, unless that is no
// longer in memory. A view is used again only if nothing was added since: a
// frame added before the run began must be seen by it.
func (w *worker) look(s *Subscription) bool {
	v, st := &w.view, s.st
	if v.st == st && v.next == st.seq.Load() && v.holds(s.pos) {
		return true
	}
	st.mu.RLock()
	defer st.mu.RUnlock()
	if first := st.first(); s.pos < first {
		if s.pos != byCursor {
			s.dropped += max(0, int(first-s.pos-(st.evicted-s.cursor)))
			s.pos = byCursor
		}
		if s.cursor < st.evicted {
			return false
		}
		s.pos = st.find(s.cursor)
	}
	v.st, v.next, v.end, v.segs = st, st.next, st.end, v.segs[:0]
	i := st.segment(s.pos)
	to := min(i+viewSegments, len(st.segs))
	for _, g := range st.segs[i:to] {
		v.segs = append(v.segs, *g)
	}
	v.complete = to == len(st.segs)
	return true
}

// holds says whether the view can serve a position.
func (v *view) holds(pos int64) bool {
	if pos == v.next {
		return true
	}
	if len(v.segs) == 0 || pos < v.segs[0].first {
		return false
	}
	return v.complete || pos < v.segs[len(v.segs)-1].next()
}
