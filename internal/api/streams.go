package api

import (
	"context"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// streams are the connections that stay: sockets and event streams.
type streams struct {
	s       *Server
	waiting sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	closed  bool
	sockets map[*socket]struct{}
	readers map[*context.CancelCauseFunc]struct{}
}

func newStreams(s *Server) *streams {
	return &streams{s: s, sockets: make(map[*socket]struct{}), readers: make(map[*context.CancelCauseFunc]struct{})}
}

// spawn runs f unless the server has stopped.
func (st *streams) spawn(f func()) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.closed {
		return false
	}
	st.waiting.Go(f)
	return true
}

// join gives an event stream a context that also ends when the server drains.
func (st *streams) join(ctx context.Context) (context.Context, func(), error) {
	ctx, cancel := context.WithCancelCause(ctx)
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.closed {
		cancel(nil)
		return nil, nil, stoppingFault()
	}
	st.readers[&cancel] = struct{}{}
	return ctx, func() {
		st.mu.Lock()
		delete(st.readers, &cancel)
		st.mu.Unlock()
		cancel(nil)
	}, nil
}

func (st *streams) count() (sockets, readers int64) {
	st.mu.Lock()
	defer st.mu.Unlock()
	return int64(len(st.sockets)), int64(len(st.readers))
}

func (st *streams) all() []*socket {
	st.mu.Lock()
	defer st.mu.Unlock()
	list := make([]*socket, 0, len(st.sockets))
	for k := range st.sockets {
		list = append(list, k)
	}
	return list
}

// drain asks every stream to leave and to come back elsewhere.
func (st *streams) drain() {
	reason := fault.New(fault.Unavailable, "draining", "This server is about to stop.").
		WithHint("Connect again with the last cursor; nothing is lost.").RetryIn(time.Second)
	st.mu.Lock()
	for cancel := range st.readers {
		(*cancel)(reason)
	}
	st.mu.Unlock()
	for _, k := range st.all() {
		k.leave(reason)
	}
}

// tendEvery is how often sockets are asked whether they live.
const tendEvery = 30 * time.Second

// keep looks after the sockets until ctx ends: dead ones go, and those whose
// credentials are no longer good.
func (st *streams) keep(ctx context.Context) {
	ticker := time.NewTicker(tendEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		st.s.Tend(ctx)
	}
}

// wait gives the streams a moment to leave, closes what is left and waits for
// its goroutines.
func (st *streams) wait() {
	st.mu.Lock()
	st.closed = true
	st.mu.Unlock()
	left := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		st.waiting.Wait()
		close(left)
	})
	timer := time.NewTimer(closeGrace)
	defer timer.Stop()
	select {
	case <-left:
	case <-timer.C:
		for _, k := range st.all() {
			k.close()
		}
	}
	watch.Wait()
}

// Tend looks after all sockets now instead of at the next tick.
func (s *Server) Tend(ctx context.Context) {
	now := time.Now()
	for _, k := range s.streams.all() {
		k.tend(ctx, now)
	}
}
