package events

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// errStopping is what subscribers are told when the hub stops.
var errStopping = fault.New(fault.Unavailable, "stopping", "The server is stopping.").
	WithHint("Connect again in a moment with the last cursor; nothing is lost.")

// Run delivers to subscribers until ctx ends, then closes them. Nothing ticks
// while there are none.
func (h *Hub) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for range h.opts.Workers {
		wg.Go(func() { h.work(ctx, &h.fast, &worker{hub: h}) })
	}
	for range h.opts.Readers {
		wg.Go(func() { h.work(ctx, &h.slow, &worker{hub: h, slow: true}) })
	}
	failed := make(chan error, 1)
	if h.opts.Fanout != nil {
		wg.Go(func() { failed <- h.opts.Fanout.Receive(ctx, h.checkSoon, h.receive) })
	}
	err := h.housekeep(ctx, failed)
	h.mu.Lock()
	h.stopped = true
	streams := h.streams
	h.streams = make(map[ids.Workspace]*stream)
	h.mu.Unlock()
	h.fast.close()
	h.slow.close()
	wg.Wait()
	for _, st := range streams {
		for _, s := range st.subscribers() {
			s.fail(errStopping)
		}
		st.close()
	}
	return err
}

func (h *Hub) work(ctx context.Context, q *queue, w *worker) {
	for {
		t, ok := q.pop()
		if !ok {
			return
		}
		t.do(ctx, w)
	}
}

// housekeep looks for facts of other processes and for subscribers that do not
// read. It sleeps while there are no streams.
func (h *Hub) housekeep(ctx context.Context, failed <-chan error) error {
	ticker := time.NewTicker(h.opts.HeadCheck)
	defer ticker.Stop()
	for {
		tick := ticker.C
		if h.quiet() {
			ticker.Stop()
			tick = nil
		}
		select {
		case <-ctx.Done():
			return nil
		case err := <-failed:
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("receiving events of other processes: %w", errors.Join(err, errors.New("the connection ended")))
		case <-h.kick:
			ticker.Reset(h.opts.HeadCheck)
			h.checkHeads(ctx)
		case <-tick:
			h.checkHeads(ctx)
			h.tend(time.Now())
		}
	}
}

// checkSoon has the heads checked without waiting for the next tick.
func (h *Hub) checkSoon() {
	select {
	case h.kick <- struct{}{}:
	default:
	}
}

func (h *Hub) quiet() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.streams) == 0
}

// checkHeads hears of facts that came without a message: from a process without
// fanout, a message that was lost, a commit whose answer was lost.
func (h *Hub) checkHeads(ctx context.Context) {
	streams := slices.DeleteFunc(h.all(), func(st *stream) bool { return !st.watched() })
	err := h.hearHeads(ctx, streams)
	if err != nil && ctx.Err() == nil {
		h.log.WarnContext(ctx, "head of the log not read", "part", "events", "err", err)
	}
}

// manyStreams is where one statement for all heads beats one for each.
const manyStreams = 16

func (h *Hub) hearHeads(ctx context.Context, streams []*stream) error {
	if len(streams) < manyStreams {
		for _, st := range streams {
			head, err := h.Head(ctx, st.ws)
			if err != nil {
				return err
			}
			st.hint(head)
		}
		return nil
	}
	byWorkspace := make(map[ids.Workspace]*stream, len(streams))
	for _, st := range streams {
		byWorkspace[st.ws] = st
	}
	for hd, err := range store.Each[head](ctx, h.db.Read(), selectHeads) {
		if err != nil {
			return err
		}
		if st := byWorkspace[hd.Workspace]; st != nil {
			st.hint(hd.Last)
		}
	}
	return nil
}

// head is the newest cursor of a workspace.
type head struct {
	Workspace ids.Workspace `db:"workspace_id"`
	Last      int64         `db:"last"`
}

func (st *stream) watched() bool {
	st.mu.RLock()
	defer st.mu.RUnlock()
	return st.opened && len(st.subs) > 0
}

func (h *Hub) isStopped() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stopped
}

// tend closes subscribers that do not read and frees what nobody needs.
func (h *Hub) tend(now time.Time) {
	for _, st := range h.all() {
		if h.meters.blocked.Load() > 0 {
			for _, s := range st.subscribers() {
				s.check(now)
			}
		}
		st.expire(now)
		h.dropIdle(st, now)
	}
}

// check closes a subscriber that has been blocked for too long or is too far behind.
func (s *Subscription) check(now time.Time) {
	s.mu.Lock()
	stuck, since, pos := s.state == blocked, s.since, s.pos
	s.mu.Unlock()
	if !stuck {
		return
	}
	lag, known := int64(0), false
	if pos != byCursor {
		lag, known = s.st.lag(pos)
	}
	if reason := judge(now.Sub(since), lag, known, &s.hub.opts); reason != nil {
		s.hub.meters.closed.Inc()
		s.fail(reason)
	}
}

// judge says, as a fault, whether a blocked subscriber has had enough patience.
func judge(stalled time.Duration, lag int64, known bool, o *Options) error {
	switch {
	case stalled >= o.StallTime:
		return tooSlow("The client has not read for too long.")
	case known && lag > o.CloseLag && stalled >= o.LagTime:
		return tooSlow("The client is too far behind.")
	}
	return nil
}

func (h *Hub) all() []*stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	streams := make([]*stream, 0, len(h.streams))
	for _, st := range h.streams {
		streams = append(streams, st)
	}
	return streams
}

func (st *stream) subscribers() []*Subscription {
	st.mu.RLock()
	defer st.mu.RUnlock()
	subs := make([]*Subscription, 0, len(st.subs))
	for s := range st.subs {
		subs = append(subs, s)
	}
	return subs
}

// enter gives the stream of a workspace to a new subscriber.
func (h *Hub) enter(ctx context.Context, ws ids.Workspace) (*stream, error) {
	h.mu.Lock()
	if h.stopped {
		h.mu.Unlock()
		return nil, errStopping
	}
	st := h.streams[ws]
	if st == nil {
		st = newStream(h, ws)
		h.streams[ws] = st
		if len(h.streams) == 1 {
			h.checkSoon() // housekeeping sleeps
		}
	}
	st.users++
	h.subs++
	h.mu.Unlock()
	if err := st.open(ctx); err != nil {
		h.leave(st)
		return nil, fmt.Errorf("opening the log of %s: %w", ws, err)
	}
	return st, nil
}

// leave takes a subscriber off the count.
func (h *Hub) leave(st *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	st.users--
	h.subs--
	if st.users == 0 {
		st.left = time.Now()
	}
}

// dropIdle forgets a stream that has had no subscriber for a while.
func (h *Hub) dropIdle(st *stream, now time.Time) {
	h.mu.Lock()
	idle := st.users == 0 && now.Sub(st.left) > time.Minute
	if idle {
		delete(h.streams, st.ws)
	}
	h.mu.Unlock()
	if idle {
		st.close()
	}
}

// drop ends the stream of a workspace that is gone.
func (h *Hub) drop(ws ids.Workspace) {
	h.mu.Lock()
	st := h.streams[ws]
	delete(h.streams, ws)
	h.mu.Unlock()
	if st == nil {
		return
	}
	for _, s := range st.subscribers() {
		s.fail(fault.New(fault.Gone, "workspace_gone", "The workspace was deleted."))
	}
	st.close()
}

// close gives the memory of a stream back.
func (st *stream) close() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.opened = false // a late commit must not fill it again
	for len(st.segs) > 0 {
		st.evict()
	}
}
