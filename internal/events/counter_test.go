package events_test

import (
	"context"
	"encoding/binary"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
)

// counter is a sink without limits that only counts frames.
type counter struct {
	frames atomic.Int64
	bytes  atomic.Int64
	want   atomic.Int64
	done   chan struct{}
}

func newCounter(want int64) *counter {
	c := &counter{done: make(chan struct{}, 1)}
	c.want.Store(want)
	return c
}

func (c *counter) Write(frames [][]byte) (int, error) {
	n, count := 0, int64(0)
	for _, f := range frames {
		n += len(f)
		for len(f) > 0 {
			size, header := int(f[1]), 2
			switch size {
			case 126:
				size, header = int(binary.BigEndian.Uint16(f[2:])), 4
			case 127:
				return 0, errors.New("a frame of this size was not sent")
			}
			f = f[header+size:]
			count++
		}
	}
	c.bytes.Add(int64(n))
	if total, want := c.frames.Add(count), c.want.Load(); total >= want && total-count < want {
		c.done <- struct{}{}
	}
	return n, nil
}

func (c *counter) Notice(events.Notice) []byte { return nil }

func (c *counter) Closed(error) {}

func (c *counter) wait(t testing.TB) int64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	select {
	case <-c.done:
	case <-ctx.Done():
	}
	return c.frames.Load()
}

func subscribe(t testing.TB, hub *events.Hub, ws ids.Workspace, sink events.Sink) *events.Subscription {
	t.Helper()
	sub, err := hub.Subscribe(context.Background(), events.Request{Workspace: ws, Channels: []string{"**"}, Sink: sink})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sub.Close)
	return sub
}
