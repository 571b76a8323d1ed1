package events

import (
	"context"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
)

// stream is the log of one workspace in memory, with its subscribers.
type stream struct {
	hub     *Hub
	ws      ids.Workspace
	seq     atomic.Int64 // copy of next that publish makes, to look without the lock
	history history

	opening sync.Mutex // held while the head is read for the first time

	mu      sync.RWMutex // guards the fields below
	opened  bool
	segs    []*segment
	names   names
	next    int64 // sequence of the next entry
	end     int64 // bytes ever appended
	bytes   int64 // memory of segs
	tail    int64 // cursor of the newest fact here
	evicted int64 // facts up to this cursor are not in memory
	heard   int64 // highest cursor known to exist
	filling bool
	wide    audience             // subscribers with wildcards
	exact   map[string]*audience // the others, by channel
	touched []*audience          // to be woken by publish
	subs    map[*Subscription]struct{}

	users int       // subscribers, also those being made; guarded by Hub.mu
	left  time.Time // when the last of them left; guarded by Hub.mu
}

func newStream(h *Hub, ws ids.Workspace) *stream {
	st := &stream{hub: h, ws: ws, exact: make(map[string]*audience), subs: make(map[*Subscription]struct{}), left: time.Now()}
	channelIDs := new(atomic.Uint64)
	st.names.ids, st.history.names.ids = channelIDs, channelIDs
	return st
}

// open reads where the log starts. Facts committed meanwhile are only heard of,
// and filled in afterwards.
func (st *stream) open(ctx context.Context) error {
	st.opening.Lock()
	defer st.opening.Unlock()
	st.mu.RLock()
	opened := st.opened
	st.mu.RUnlock()
	if opened {
		return nil
	}
	head, err := st.hub.Head(ctx, st.ws)
	if err != nil {
		return err
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.opened, st.tail, st.evicted = true, head, head
	st.hear(head)
	return nil
}

// accept takes facts in the order of their cursors, without gaps among them.
func (st *stream) accept(ms []message) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if !st.opened {
		st.heard = max(st.heard, ms[len(ms)-1].cursor)
		return
	}
	for len(ms) > 0 && ms[0].cursor <= st.tail {
		ms = ms[1:]
	}
	if len(ms) == 0 {
		return
	}
	if ms[0].cursor == st.tail+1 {
		for i := range ms {
			st.add(&ms[i])
		}
		st.publish()
	}
	st.hear(ms[len(ms)-1].cursor)
}

// acceptDelta takes a delta, which stands behind the newest fact.
func (st *stream) acceptDelta(m *message) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.opened && len(st.subs) > 0 {
		st.add(m)
		st.publish()
	}
}

// hear notes that a fact exists and has missing ones read from the database.
func (st *stream) hear(cursor int64) {
	st.heard = max(st.heard, cursor)
	if st.heard > st.tail && st.opened && !st.filling {
		st.filling = true
		st.hub.slow.push((*fill)(st))
	}
}

// add appends one frame, which publish makes visible.
func (st *stream) add(m *message) {
	var g *segment
	if n := len(st.segs); n > 0 && st.segs[n-1].fits(m) {
		g = st.segs[n-1]
	} else {
		g = st.grow(m)
	}
	size, seq, cursor := len(g.data), st.next, st.tail
	g.add(&st.names, m, cursor)
	if m.cursor != 0 {
		st.tail = m.cursor
	}
	st.next++
	st.end += int64(len(g.data) - size)
	st.charge(entryBytes)
	st.touch(&st.wide, seq, cursor)
	st.touch(st.exact[m.channel], seq, cursor)
}

// grow starts a segment that the message fits in, and drops what is too much.
func (st *stream) grow(m *message) *segment {
	size := firstSegment
	if n := len(st.segs); n > 0 {
		size = min(2*cap(st.segs[n-1].data), largeSegment)
	}
	size = max(size, envelopeRoom(m)+maxHeader+20)
	g := &segment{first: st.next, base: st.end, data: make([]byte, 0, size), touched: time.Now()}
	if n := len(st.segs); n > 0 {
		st.segs[n-1].touched = g.touched
	}
	st.segs = append(st.segs, g)
	st.charge(int64(size))
	limit := st.hub.opts.LogBytes
	if st.hub.meters.logBytes.Load() > st.hub.opts.TotalBytes {
		limit = min(limit, 2*largeSegment)
	}
	for len(st.segs) > 1 && st.bytes > limit {
		st.evict()
	}
	return g
}

func (st *stream) charge(n int64) {
	st.bytes += n
	st.hub.meters.logBytes.Add(n)
}

// evict drops the oldest segment.
func (st *stream) evict() {
	g := st.segs[0]
	st.segs[0] = nil
	st.segs = st.segs[1:]
	st.names.release(g)
	st.charge(-int64(cap(g.data)) - int64(len(g.index))*entryBytes)
	if n := len(g.index); n > 0 {
		st.evicted = max(st.evicted, g.index[n-1].cursor)
	}
}

// reset empties the log: facts up to cursor are in the database only. One
// sequence is left out, so that positions before it are seen to be outside.
func (st *stream) reset(cursor int64) {
	for len(st.segs) > 0 {
		st.evict()
	}
	st.next++
	st.tail, st.evicted = max(st.tail, cursor), max(st.evicted, cursor)
}

// first is the sequence of the oldest entry in memory.
func (st *stream) first() int64 {
	if len(st.segs) == 0 {
		return st.next
	}
	return st.segs[0].first
}

// find is the sequence of the first entry behind a cursor that is in memory.
func (st *stream) find(cursor int64) int64 {
	i := sort.Search(len(st.segs), func(i int) bool {
		index := st.segs[i].index
		return len(index) > 0 && index[len(index)-1].cursor > cursor
	})
	if i == len(st.segs) {
		return st.next
	}
	return st.segs[i].first + int64(after(st.segs[i].index, cursor))
}

// segment is the position of the segment that holds seq.
func (st *stream) segment(seq int64) int {
	return sort.Search(len(st.segs), func(i int) bool { return st.segs[i].next() > seq })
}

// lag is how many bytes of the log lie behind seq, and whether that is known.
func (st *stream) lag(seq int64) (int64, bool) {
	st.mu.RLock()
	defer st.mu.RUnlock()
	if seq < st.first() {
		return st.end + 1, len(st.segs) > 0
	}
	i := st.segment(seq)
	if i == len(st.segs) {
		return 0, true
	}
	g := st.segs[i]
	return st.end - g.base - int64(g.index[seq-g.first].off), true
}

// attach enters a subscriber into the audiences that fit its patterns. The
// caller holds mu.
func (st *stream) attach(s *Subscription, patterns []Pattern) {
	st.detach(s)
	st.subs[s] = struct{}{}
	s.declared = patterns
	if slices.ContainsFunc(patterns, func(p Pattern) bool { return p.wild }) {
		s.groups = append(s.groups, st.wide.join(st, s))
		return
	}
	for _, p := range patterns {
		a := st.exact[p.text]
		if a == nil {
			a = &audience{channel: p.text}
			st.exact[p.text] = a
		}
		s.groups = append(s.groups, a.join(st, s))
	}
}

// detach takes a subscriber out of all audiences. The caller holds mu.
func (st *stream) detach(s *Subscription) {
	delete(st.subs, s)
	for _, g := range s.groups {
		g.leave(s)
		if g.audience.channel != "" && len(g.audience.groups) == 0 {
			delete(st.exact, g.audience.channel)
		}
	}
	s.declared, s.groups = nil, nil
}

// expire drops frames that have been in memory for too long.
func (st *stream) expire(now time.Time) {
	st.mu.Lock()
	defer st.mu.Unlock()
	for len(st.segs) > 1 && now.Sub(st.segs[0].touched) > st.hub.opts.LogTTL {
		st.evict()
	}
	st.history.expire(now)
}
