package events

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

// maxPatterns and maxSent bound what one subscriber can make us keep.
const (
	maxPatterns  = 64
	maxChanges   = 64
	maxSent      = 64
	maxSentBytes = 256 << 10
)

// byCursor is the position of a subscriber that is not in the log in memory.
const byCursor = -1

// Request asks for a subscription.
type Request struct {
	Workspace ids.Workspace
	Channels  []string                  // patterns; may be empty, and added later
	After     *int64                    // deliver facts with a greater cursor; nil: only what comes
	Allow     func(channel string) bool // asked once per channel and not by those that deliver from memory, but still quick; nil: everything
	Consumer  string                    // who acknowledges; "": nobody
	Sink      Sink                      // nil: the owner calls Next or All
}

// Sink takes the frames of one subscriber. Its methods are called by one worker
// at a time and must not wait, nor close the Subscription's hub.
type Sink interface {
	// Write takes what fits now and says how many bytes of all frames that were.
	// Less than all means that the sink is full: the rest is offered again after
	// Subscription.Ready. It may consume frames, as net.Buffers does, but must
	// neither change nor keep their bytes. An error ends the subscription.
	Write(frames [][]byte) (n int, err error)
	// Notice makes the frame that tells the client about n; nil tells nothing.
	Notice(n Notice) []byte
	// Closed says that the hub has ended the subscription, and why.
	Closed(reason error)
}

// Notice is something a subscriber should tell its client.
type Notice struct {
	Kind    NoticeKind
	Dropped int   // deltas that were skipped since the last notice, about
	Lag     int64 // bytes that wait for this subscriber
}

// NoticeKind says what a notice is about.
type NoticeKind string

// The notices there are.
const (
	Dropped   NoticeKind = "dropped"   // deltas were skipped: fetch what they belong to again
	Throttled NoticeKind = "throttled" // the client reads too slowly and will be closed if it goes on
)

// Subscription is one subscriber: patterns, and an offset into the log.
type Subscription struct {
	hub      *Hub
	st       *stream
	sink     Sink
	allow    func(channel string) bool
	consumer string
	signal   chan struct{} // wakes Next

	declared []Pattern // guarded by stream.mu
	groups   []*group  // guarded by stream.mu

	mu        sync.Mutex // guards the fields below
	state     state
	news      bool // there may be frames behind the position
	ready     bool // Ready was called while a worker was writing
	forget    bool // Reauthorise was called
	throttled bool
	changes   []change
	out       [][]byte // frames that go before those of the log
	since     time.Time
	err       error

	// Below here: guarded by mu while no worker runs it, else the worker's own.
	working  bool // this run looks at the log
	slow     bool // has blocked since it last saw everything
	mixed    bool // some rules start behind the position
	rules    []rule
	verdicts verdicts
	pos      int64 // sequence of the next entry, or byCursor
	cursor   int64 // of the last fact looked at
	dropped  int
	redo     []redo
	confirms []confirm
	puller   *worker // scratch space of Next
}

// rule is a pattern and where it starts.
type rule struct {
	pattern Pattern
	after   int64 // facts with a greater cursor
	from    int64 // deltas from this sequence on
}

// change is a change of the rules that the next run applies.
type change struct {
	add    []Pattern
	remove []Pattern
	after  *int64
	tail   int64 // where the log ended when it was asked for
	seq    int64
	redo   *redo
	tell   func(cursor int64) []byte
}

// confirm is a frame that goes before the first event of added channels.
type confirm struct {
	tell   func(cursor int64) []byte
	cursor int64
}

// Subscribe starts a subscription. A cursor whose successors are no longer kept
// is refused as cursor_expired.
func (h *Hub) Subscribe(ctx context.Context, r Request) (*Subscription, error) {
	if r.Workspace == "" {
		return nil, errors.New("events: Subscribe without a workspace")
	}
	st, err := h.enter(ctx, r.Workspace)
	if err != nil {
		return nil, err
	}
	s := &Subscription{hub: h, st: st, sink: r.Sink, allow: r.Allow, consumer: r.Consumer, pos: byCursor}
	if r.Sink == nil {
		s.signal = make(chan struct{}, 1)
	}
	if len(r.Channels) > 0 {
		if err := s.Add(ctx, r.After, r.Channels...); err != nil {
			s.Close()
			return nil, err
		}
	} else {
		st.mu.Lock()
		st.attach(s, nil)
		s.cursor, s.pos = st.tail, st.next
		st.mu.Unlock()
	}
	if h.isStopped() { // Run may have ended before it could see s
		s.Close()
		return nil, errStopping
	}
	return s, nil
}

// Add follows more channels, from a cursor on or, with nil, from now. What the
// subscription already followed is not delivered twice.
func (s *Subscription) Add(ctx context.Context, after *int64, channels ...string) error {
	return s.AddConfirmed(ctx, after, nil, channels...)
}

// AddConfirmed is Add for a Sink whose client is told first: tell makes the
// frame that goes before the first event of the channels, and is given the
// cursor behind which they start.
func (s *Subscription) AddConfirmed(ctx context.Context, after *int64, tell func(cursor int64) []byte, channels ...string) error {
	patterns, err := ParsePatterns(channels...)
	if err != nil {
		return err
	}
	for _, p := range patterns {
		if p.Literal() && s.allow != nil && !s.allow(p.text) {
			return fault.New(fault.Forbidden, "channel_forbidden", "You may not follow %s.", p).WithParam("channels").
				WithHint("Ask an administrator for the permission, or follow another channel.")
		}
	}
	if after != nil {
		if err := s.hub.checkCursor(ctx, s.st, patterns, *after); err != nil {
			return err
		}
	}
	c := change{add: patterns, after: after, tell: tell}
	if s.consumer != "" {
		if c.redo, err = s.hub.startConsumer(ctx, s.st, s.consumer, patterns, after); err != nil {
			return err
		}
	}
	return s.change(c)
}

// Remove stops following patterns, written as they were added.
func (s *Subscription) Remove(channels ...string) error {
	patterns, err := ParsePatterns(channels...)
	if err != nil {
		return err
	}
	return s.change(change{remove: patterns})
}

// change puts the subscriber into the right audiences and has it run.
func (s *Subscription) change(c change) error {
	st := s.st
	st.mu.Lock()
	defer st.mu.Unlock()
	declared := slices.DeleteFunc(slices.Concat(s.declared, c.add), func(p Pattern) bool { return slices.Contains(c.remove, p) })
	slices.SortFunc(declared, func(a, b Pattern) int { return compareText(a.text, b.text) })
	declared = slices.Compact(declared)
	if len(declared) > maxPatterns {
		return fault.New(fault.Invalid, "too_many_channels", "A connection can follow %d patterns of channels.", maxPatterns).
			WithHint("Use wildcards, such as conversations/*.")
	}
	caughtUp := s.caughtUp()
	c.tail, c.seq = st.tail, st.next
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == ended {
		return s.err
	}
	if len(s.changes) >= maxChanges {
		return tooSlow("The client does not read its answers.")
	}
	st.attach(s, declared)
	if caughtUp && !s.news && s.state != running && s.state != again && len(s.rules) > 0 {
		s.pos, s.cursor = st.next, st.tail
	}
	s.changes = append(s.changes, c)
	s.news = true
	s.wake()
	return nil
}

// caughtUp says that no group has news this subscriber has not heard. The
// caller holds stream.mu.
func (s *Subscription) caughtUp() bool {
	for _, g := range s.groups {
		g.mu.Lock()
		still := g.state == idle
		g.mu.Unlock()
		if !still {
			return false
		}
	}
	return true
}

// wake has a worker, or the owner, look at the subscription. The caller holds mu.
func (s *Subscription) wake() {
	switch s.state {
	case idle:
		s.state = waiting
		if s.sink != nil {
			s.hub.fast.push(s)
		} else {
			s.nudge()
		}
	case running:
		s.state = again
	}
}

func (s *Subscription) nudge() {
	select {
	case s.signal <- struct{}{}:
	default:
	}
}

// Send puts a frame of the owner's before everything that waits. It fails when
// the client does not read.
func (s *Subscription) Send(frame []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == ended {
		return s.err
	}
	bytes := len(frame)
	for _, f := range s.out {
		bytes += len(f)
	}
	if len(s.out) >= maxSent || bytes > maxSentBytes {
		return tooSlow("The client does not read its answers.")
	}
	s.out = append(s.out, frame)
	s.wake()
	return nil
}

// Ready says that a full sink can take more.
func (s *Subscription) Ready() {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.state {
	case blocked:
		s.state = waiting
		s.hub.meters.blocked.Add(-1)
		s.hub.fast.push(s)
	case running, again:
		s.ready = true
	}
}

// Reauthorise has Allow asked again for every channel. Nothing that a worker
// picks up afterwards is of a channel that was revoked.
func (s *Subscription) Reauthorise() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget = true
}

// Cursor is the cursor of the last fact that was looked at for this subscriber:
// where it would continue.
func (s *Subscription) Cursor() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.changes) > 0 && len(s.rules) == 0 {
		if c := s.changes[0]; c.after != nil {
			return *c.after
		}
		return s.changes[0].tail
	}
	return s.cursor
}

// Err is why the subscription ended, or nil.
func (s *Subscription) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// errClosed is what the owner gets after it closed the subscription itself.
var errClosed = fault.New(fault.Cancelled, "subscription_closed", "The subscription was closed.")

// Close ends the subscription; Sink.Closed is not called. A write that a worker
// has begun may still finish.
func (s *Subscription) Close() { s.end(errClosed) }

// fail ends the subscription on the hub's behalf.
func (s *Subscription) fail(reason error) {
	if s.end(reason) && s.sink != nil {
		s.sink.Closed(reason)
	}
}

func (s *Subscription) end(reason error) bool {
	s.mu.Lock()
	if s.state == ended {
		s.mu.Unlock()
		return false
	}
	if s.state == blocked {
		s.hub.meters.blocked.Add(-1)
	}
	s.state, s.err, s.out, s.changes = ended, reason, nil, nil
	s.mu.Unlock()
	s.st.mu.Lock()
	s.st.detach(s)
	s.st.mu.Unlock()
	s.hub.leave(s.st)
	if s.signal != nil {
		s.nudge()
	}
	return true
}

func tooSlow(message string) *fault.Fault {
	return fault.New(fault.Exhausted, "too_slow", "%s", message).
		WithHint("Connect again with the last cursor; nothing is lost.").RetryIn(time.Second)
}
