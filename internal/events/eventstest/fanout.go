package eventstest

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
)

// Wire connects hubs of one test as a message server would.
type Wire struct {
	// Lose, if set, decides which messages are lost.
	Lose func(message []byte) bool

	mu   sync.Mutex // guards the field below
	ends []*end
}

// end is one process on a wire.
type end struct {
	wire *Wire

	mu      sync.Mutex // guards the fields below
	waiting []wired
	more    chan struct{} // closed when something waits
}

type wired struct {
	ws      ids.Workspace
	message []byte
}

// Join gives the fanout of one more process.
func (w *Wire) Join() events.Fanout {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := &end{wire: w, more: make(chan struct{}, 1)}
	w.ends = append(w.ends, e)
	return e
}

// Send puts the message before all other ends.
func (e *end) Send(ws ids.Workspace, message []byte) error {
	if e.wire.Lose != nil && e.wire.Lose(message) {
		return nil
	}
	e.wire.mu.Lock()
	defer e.wire.mu.Unlock()
	for _, other := range e.wire.ends {
		if other != e {
			other.put(wired{ws, bytes.Clone(message)})
		}
	}
	return nil
}

func (e *end) put(m wired) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiting = append(e.waiting, m)
	select {
	case e.more <- struct{}{}:
	default:
	}
}

// Receive takes what the others send.
func (e *end) Receive(ctx context.Context, listening func(), take func(ws ids.Workspace, message []byte)) error {
	listening()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-e.more:
		}
		e.mu.Lock()
		waiting := e.waiting
		e.waiting = nil
		e.mu.Unlock()
		for _, m := range waiting {
			take(m.ws, m.message)
		}
	}
}

// MaxBytes is small, so that tests see messages that do not fit.
func (e *end) MaxBytes() int { return 64 << 10 }

// Fanout is the contract of events.Fanout: open gives two processes on one bus.
func Fanout(t *testing.T, open func(t *testing.T) (a, b events.Fanout)) {
	t.Run("the others receive in order, oneself does not", func(t *testing.T) {
		a, b := open(t)
		inA, inB := receive(t, a), receive(t, b)
		ws := ids.New[ids.Workspace]()
		const n = 100
		for i := range n {
			send(t, a, ws, fmt.Appendf(nil, "message %d", i))
		}
		for i := range n {
			if got := <-inB; got.ws != ws || string(got.message) != fmt.Sprint("message ", i) {
				t.Fatalf("message %d is %s %q", i, got.ws, got.message)
			}
		}
		send(t, b, ws, []byte("answer"))
		if got := <-inA; string(got.message) != "answer" {
			t.Errorf("the sender received %q, want only the answer", got.message)
		}
	})
	t.Run("the largest message passes", func(t *testing.T) {
		a, b := open(t)
		in := receive(t, b)
		large := bytes.Repeat([]byte{7}, a.MaxBytes())
		send(t, a, "ws_large", large)
		if got := <-in; !bytes.Equal(got.message, large) {
			t.Errorf("%d bytes arrived, want %d", len(got.message), len(large))
		}
	})
}

func send(t *testing.T, f events.Fanout, ws ids.Workspace, message []byte) {
	t.Helper()
	if err := f.Send(ws, message); err != nil {
		t.Fatal(err)
	}
}

// receive listens until the test ends.
func receive(t *testing.T, f events.Fanout) <-chan wired {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	in, listening, ended := make(chan wired, 1000), make(chan struct{}, 10), make(chan error, 1)
	go func() {
		ended <- f.Receive(ctx, func() { listening <- struct{}{} }, func(ws ids.Workspace, message []byte) {
			in <- wired{ws, bytes.Clone(message)}
		})
	}()
	<-listening
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Receive = %v after its context ended", err)
		}
	})
	return in
}
