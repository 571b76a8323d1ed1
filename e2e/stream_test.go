package e2e

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// envelope is an event as every stream carries it.
type envelope struct {
	Cursor  int64           `json:"cursor"`
	Channel string          `json:"channel"`
	Kind    string          `json:"kind"`
	Data    json.RawMessage `json:"data"`
}

// follower reads the event stream as a browser does: it remembers the last
// cursor and reconnects with it, for as long as the test lasts.
type follower struct {
	s        *server
	channels string
	deltas   bool          // keep what has no cursor too
	opened   chan struct{} // closed when the first connection stands

	mu     sync.Mutex // guards the fields below
	events []envelope
	last   string
	drops  int        // how often the connection ended
	more   *sync.Cond // an event came
}

func follow(ctx context.Context, s *server, channels string) *follower {
	f := &follower{s: s, channels: channels, last: "0", opened: make(chan struct{})}
	f.more = sync.NewCond(&f.mu)
	context.AfterFunc(ctx, f.more.Broadcast)
	return f
}

// run reconnects until ctx ends.
func (f *follower) run(ctx context.Context) {
	for ctx.Err() == nil {
		_ = f.read(ctx) // the server was killed, or is not up yet: that is the test
		f.mu.Lock()
		f.drops++
		f.mu.Unlock()
		pause(ctx, 5*time.Millisecond)
	}
}

func (f *follower) read(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, "GET", f.s.url("/api/v1/events/stream?channels="+f.channels), nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+f.s.key)
	f.mu.Lock()
	req.Header.Set("Last-Event-ID", f.last)
	f.mu.Unlock()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("stream: %s", resp.Status)
	}
	f.mu.Lock()
	select {
	case <-f.opened:
	default:
		close(f.opened)
	}
	f.mu.Unlock()
	var id, data string
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "id":
			id = value
		case "data":
			data = value
		case "":
			if lines.Text() == "" && (id != "" || f.deltas) && data != "" {
				f.take(id, data)
			}
			if lines.Text() == "" {
				id, data = "", ""
			}
		}
	}
	return lines.Err()
}

func (f *follower) take(id, data string) {
	var e envelope
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		f.s.t.Errorf("an event that is not JSON: %q", data)
		return
	}
	if id != "" && strconv.FormatInt(e.Cursor, 10) != id {
		f.s.t.Errorf("id %s, cursor %d", id, e.Cursor)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events, f.last = append(f.events, e), cmp.Or(id, f.last)
	f.more.Broadcast()
}

// until waits until the events seen satisfy ok, or ctx ends.
func (f *follower) until(ctx context.Context, ok func([]envelope) bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for !ok(f.events) {
		if ctx.Err() != nil {
			return false
		}
		f.more.Wait()
	}
	return true
}
