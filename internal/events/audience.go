package events

import (
	"context"
	"slices"
	"sync"
)

// groupSize is how many subscribers one worker serves in a row.
const groupSize = 256

// audience is everyone who may want a frame: those with wildcards, or those of
// one channel. It is guarded by stream.mu.
type audience struct {
	channel string // "" for those with wildcards
	groups  []*group
	touched bool  // has news that its groups have not heard of
	seq     int64 // the first of it
	cursor  int64 // of the fact before
}

// group is a part of an audience that is served by one worker at a time. While
// it is served new frames gather, and the next pass carries them all.
type group struct {
	st       *stream
	audience *audience
	members  []*Subscription // guarded by stream.mu; replaced, never changed

	mu     sync.Mutex // guards the fields below
	state  state
	news   bool  // frames from seq on have not been looked at
	seq    int64 // the first of them
	cursor int64 // of the fact before it
}

// state is where a group or a subscriber stands with the workers.
type state uint8

const (
	idle    state = iota // has seen everything that concerns it
	waiting              // in a queue, or its owner has to call Next
	running              // with a worker
	again                // with a worker, and something came meanwhile
	blocked              // its sink takes no more until Ready
	ended
)

func (a *audience) join(st *stream, s *Subscription) *group {
	for _, g := range slices.Backward(a.groups) {
		if len(g.members) < groupSize {
			g.members = append(slices.Clip(g.members), s)
			return g
		}
	}
	g := &group{st: st, audience: a, members: []*Subscription{s}}
	a.groups = append(a.groups, g)
	return g
}

func (g *group) leave(s *Subscription) {
	i := slices.Index(g.members, s)
	if i < 0 {
		return
	}
	g.members = slices.Concat(g.members[:i], g.members[i+1:])
	if len(g.members) == 0 {
		a := g.audience
		a.groups = slices.DeleteFunc(a.groups, func(other *group) bool { return other == g })
	}
}

// touch notes that the frame at seq concerns the audience.
func (st *stream) touch(a *audience, seq, cursor int64) {
	if a != nil && !a.touched {
		a.touched, a.seq, a.cursor = true, seq, cursor
		st.touched = append(st.touched, a)
	}
}

// publish makes new frames visible and wakes those they concern, once each.
// The order matters: see worker.look.
func (st *stream) publish() {
	st.seq.Store(st.next)
	for i, a := range st.touched {
		a.wake(a.seq, a.cursor)
		a.touched, st.touched[i] = false, nil
	}
	st.touched = st.touched[:0]
}

// wake has the groups look at the frames from seq on.
func (a *audience) wake(seq, cursor int64) {
	for _, g := range a.groups {
		g.wake(seq, cursor)
	}
}

func (g *group) wake(seq, cursor int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.news {
		g.news, g.seq, g.cursor = true, seq, cursor
	}
	switch g.state {
	case idle:
		g.state = waiting
		g.st.hub.fast.push(g)
	case running:
		g.state = again
	}
}

// do serves all members once.
func (g *group) do(ctx context.Context, w *worker) {
	g.mu.Lock()
	seq, cursor := g.seq, g.cursor
	g.news, g.state = false, running
	g.mu.Unlock()
	g.st.mu.RLock()
	members := g.members
	g.st.mu.RUnlock()
	for _, s := range members {
		if s.beginNews(seq, cursor) {
			w.serve(ctx, s)
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.state == again {
		g.state = waiting
		g.st.hub.fast.push(g)
	} else {
		g.state = idle
	}
}
