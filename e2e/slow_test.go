package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
)

const (
	readers  = 99
	bursts   = 30
	perBurst = 40
)

// TestOneStoppedReaderHarmsNobody has one of a hundred WebSocket clients stop
// reading. The others must get everything, in order; the one gets it too, when
// it comes back with its cursor, although the server kept nothing for it: what
// it missed is more than the server holds in memory.
func TestOneStoppedReaderHarmsNobody(t *testing.T) {
	t.Parallel()
	s := newServer(t, "FLUXWAY_LIMITS_PER_IDENTITY=1000000", "FLUXWAY_LIMITS_PER_IP=1000000", "FLUXWAY_EVENTS_MEMORY=1MB")
	s.start()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var all []*reader
	for range readers {
		all = append(all, newReader(ctx, t, s, ""))
	}
	stopped := newReader(ctx, t, s, "") // subscribed, and not read from for now
	for burst := range bursts {
		var writing sync.WaitGroup
		for n := range perBurst {
			writing.Go(func() {
				title := fmt.Sprintf("%d-%d", burst, n)
				if _, err := s.call(ctx, "POST", "/api/v1/conversations", map[string]string{"title": title}, nil); err != nil {
					t.Error(err)
				}
			})
		}
		writing.Wait()
		var reading sync.WaitGroup
		for _, r := range all {
			reading.Go(func() { r.take(ctx, t, perBurst) })
		}
		reading.Wait()
		if t.Failed() {
			t.FailNow()
		}
	}
	got := stopped.drain(ctx, t)
	for got < bursts*perBurst { // it was closed for being slow: as a client does, it comes back
		stopped.conn.CloseNow()
		next := newReader(ctx, t, s, fmt.Sprintf(`,"after":%d`, stopped.last))
		next.last = stopped.last
		stopped = next
		n := stopped.drain(ctx, t)
		if n == 0 {
			t.Fatalf("the stopped reader got %d of %d events", got, bursts*perBurst)
		}
		got += n
	}
	if got != bursts*perBurst {
		t.Errorf("the stopped reader got %d events, want %d", got, bursts*perBurst)
	}
}

// reader is a client that checks what it gets.
type reader struct {
	conn *websocket.Conn
	last int64
}

// newReader subscribes; its socket takes little, so that it is soon full when
// nobody reads. after goes into the subscription as it is.
func newReader(ctx context.Context, t *testing.T, s *server, after string) *reader {
	t.Helper()
	conn, _, err := websocket.Dial(ctx, "ws://"+s.address+"/api/v1/ws", &websocket.DialOptions{
		HTTPHeader: map[string][]string{"Authorization": {"Bearer " + s.key}},
		HTTPClient: &http.Client{Transport: &http.Transport{DialContext: dialNarrow}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.CloseNow() })
	conn.SetReadLimit(1 << 20)
	if err := conn.Write(ctx, websocket.MessageText, []byte(`{"op":"subscribe","id":"a","channels":["conversations/*"]`+after+`}`)); err != nil {
		t.Fatal(err)
	}
	_, text, err := conn.Read(ctx)
	if err != nil || !strings.Contains(string(text), `"subscribed"`) {
		t.Fatalf("subscribing: %s, %v", text, err)
	}
	return &reader{conn: conn}
}

// take reads n events and checks their order.
func (r *reader) take(ctx context.Context, t *testing.T, n int) {
	for range n {
		_, text, err := r.conn.Read(ctx)
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("a reader failed: %v", err)
			}
			return
		}
		var e envelope
		if err := json.Unmarshal(text, &e); err != nil || e.Kind != "conversations.created" {
			t.Errorf("a reader got %s (%v)", text, err)
			return
		}
		if e.Cursor <= r.last {
			t.Errorf("cursor %d after %d", e.Cursor, r.last)
			return
		}
		r.last = e.Cursor
	}
}

// drain reads events until none comes for a while or the server closes, and
// says how many came.
func (r *reader) drain(ctx context.Context, t *testing.T) (n int) {
	for {
		waiting, cancel := context.WithTimeout(ctx, 3*time.Second)
		_, text, err := r.conn.Read(waiting)
		cancel()
		if err != nil {
			return n
		}
		var e envelope
		if err := json.Unmarshal(text, &e); err != nil {
			t.Fatalf("a reader got %s (%v)", text, err)
		}
		if e.Kind == "" {
			continue // a notice that it is slow
		}
		if e.Cursor <= r.last {
			t.Fatalf("cursor %d after %d", e.Cursor, r.last)
		}
		r.last = e.Cursor
		n++
	}
}

func dialNarrow(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096) // a wish; more only makes the test weaker
		})
	}}
	return d.DialContext(ctx, network, address)
}
