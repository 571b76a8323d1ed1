package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

const (
	readers  = 99
	bursts   = 60
	perBurst = 40
)

// TestOneStoppedReaderHarmsNobody has one of a hundred WebSocket clients stop
// reading. The others must get everything, in order, and the server's memory
// must not grow with what the one misses.
func TestOneStoppedReaderHarmsNobody(t *testing.T) {
	t.Parallel()
	s := newServer(t, "FLUXWAY_LIMITS_PER_IDENTITY=1000000", "FLUXWAY_LIMITS_PER_IP=1000000", "FLUXWAY_EVENTS_MEMORY=2MB")
	s.start()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var all []*reader
	for range readers {
		all = append(all, newReader(ctx, t, s))
	}
	stopped := newReader(ctx, t, s) // subscribed, and never read from again
	defer stopped.conn.CloseNow()

	// Titles are long, so that the stopped one's socket buffers fill up soon.
	padding := strings.Repeat("x", 400)
	var before int64
	for burst := range bursts {
		var writing sync.WaitGroup
		for n := range perBurst {
			writing.Go(func() {
				title := fmt.Sprintf("%d-%d %s", burst, n, padding)
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
		if burst == bursts/2 { // caches and the log in memory are full by now
			before = memoryOf(t, s)
		}
	}
	if grown := memoryOf(t, s) - before; grown > 16<<20 {
		t.Errorf("memory grew by %d MB in the second half", grown>>20)
	}
}

// reader is a client that checks what it gets.
type reader struct {
	conn *websocket.Conn
	last int64
}

func newReader(ctx context.Context, t *testing.T, s *server) *reader {
	t.Helper()
	conn, _, err := websocket.Dial(ctx, "ws://"+s.address+"/api/v1/ws", &websocket.DialOptions{
		HTTPHeader: map[string][]string{"Authorization": {"Bearer " + s.key}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.CloseNow() })
	conn.SetReadLimit(1 << 20)
	if err := conn.Write(ctx, websocket.MessageText, []byte(`{"op":"subscribe","id":"a","channels":["conversations/*"]}`)); err != nil {
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

// memoryOf is the resident memory of the server.
func memoryOf(t *testing.T, s *server) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n << 10
		}
	}
	t.Fatal("no VmRSS")
	return 0
}
