package eventstest

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/fluxway/fluxway/internal/events"
)

// Sink is a client at the end of a pipe with room for some bytes. It reads the
// frames it was sent as a WebSocket client would.
type Sink struct {
	mu      sync.Mutex // guards the fields below
	room    int        // bytes it takes before it is full; negative: no limit
	buf     []byte
	texts   [][]byte
	notices []events.Notice
	reason  error
	changed chan struct{} // closed at the next change
}

// NewSink makes a sink that is full after room bytes; a negative room has no limit.
func NewSink(room int) *Sink { return &Sink{room: room, changed: make(chan struct{})} }

// Write takes what there is room for.
func (s *Sink) Write(frames [][]byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, f := range frames {
		if s.room >= 0 {
			f = f[:min(len(f), s.room)]
			s.room -= len(f)
		}
		s.buf = append(s.buf, f...)
		n += len(f)
		if s.room == 0 {
			break
		}
	}
	if err := s.parse(); err != nil {
		return n, err
	}
	s.change()
	return n, nil
}

// parse splits complete frames off.
func (s *Sink) parse() error {
	for len(s.buf) >= 2 {
		if s.buf[0] != 0x81 {
			return errors.New("not the header of a text frame")
		}
		header, size := 2, int(s.buf[1])
		switch {
		case size == 126 && len(s.buf) >= 4:
			header, size = 4, int(binary.BigEndian.Uint16(s.buf[2:]))
		case size == 127 && len(s.buf) >= 10:
			header, size = 10, int(binary.BigEndian.Uint64(s.buf[2:]))
		case size > 125:
			return nil
		}
		if len(s.buf) < header+size {
			return nil
		}
		text := append([]byte(nil), s.buf[header:header+size]...)
		if !json.Valid(text) {
			return errors.New("a frame that is not JSON")
		}
		s.texts = append(s.texts, text)
		s.buf = append(s.buf[:0], s.buf[header+size:]...)
	}
	return nil
}

// Notice keeps the notice and sends it on as {"op":…}.
func (s *Sink) Notice(n events.Notice) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notices = append(s.notices, n)
	return events.Frame([]byte(`{"op":"` + string(n.Kind) + `"}`))
}

// Closed keeps the reason.
func (s *Sink) Closed(reason error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reason = reason
	s.change()
}

func (s *Sink) change() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Open makes room for more bytes; the caller then calls Subscription.Ready.
func (s *Sink) Open(room int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room = room
}

// Notices are what the hub asked to tell the client.
func (s *Sink) Notices() []events.Notice {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]events.Notice(nil), s.notices...)
}

// Texts are the frames received so far.
func (s *Sink) Texts() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([][]byte(nil), s.texts...)
}

// Wait waits until n frames were received and gives them.
func (s *Sink) Wait(t testing.TB, n int) [][]byte {
	t.Helper()
	s.wait(t, func() bool { return len(s.texts) >= n || s.reason != nil })
	texts := s.Texts()
	if len(texts) < n {
		t.Fatalf("closed after %d of %d frames: %v", len(texts), n, s.Reason())
	}
	return texts
}

// WaitFull waits until the sink has no room left.
func (s *Sink) WaitFull(t testing.TB) {
	t.Helper()
	s.wait(t, func() bool { return s.room == 0 })
}

// WaitClosed waits until the hub ended the subscription and gives the reason.
func (s *Sink) WaitClosed(t testing.TB) error {
	t.Helper()
	s.wait(t, func() bool { return s.reason != nil })
	return s.Reason()
}

// Reason is why the hub ended the subscription, or nil.
func (s *Sink) Reason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reason
}

func (s *Sink) wait(t testing.TB, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		s.mu.Lock()
		ok, changed := done(), s.changed
		s.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("waited %s; %d frames so far", patience, len(s.Texts()))
		}
	}
}
