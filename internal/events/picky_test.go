package events_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/fluxway/fluxway/internal/events"
)

// picky is a sink that takes a random number of bytes each time, checks the
// cursors, and is done at one of them.
type picky struct {
	sub  atomic.Pointer[events.Subscription]
	done chan error
	stop int64

	mu     sync.Mutex // guards the fields below
	random *rand.Rand
	cursor int64
	buf    []byte
	over   bool
}

// Write takes some bytes and asks for more at once when it did not take all.
func (p *picky) Write(frames [][]byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	total := 0
	for _, f := range frames {
		total += len(f)
	}
	take := total
	if p.random.IntN(2) == 0 {
		take = p.random.IntN(total + 1)
	}
	left := take
	for _, f := range frames {
		f = f[:min(len(f), left)]
		left -= len(f)
		p.buf = append(p.buf, f...)
	}
	if err := p.parse(); err != nil && !p.over {
		p.over = true
		p.done <- err
	} else if p.cursor >= p.stop && !p.over {
		p.over = true
		p.done <- nil
	}
	if sub := p.sub.Load(); sub != nil && take < total {
		sub.Ready()
	}
	return take, nil
}

func (p *picky) parse() error {
	for len(p.buf) >= 4 {
		header, size := 2, int(p.buf[1])
		if size == 126 {
			header, size = 4, int(p.buf[2])<<8|int(p.buf[3])
		}
		if len(p.buf) < header+size {
			return nil
		}
		var e struct{ Cursor int64 }
		if err := json.Unmarshal(p.buf[header:header+size], &e); err != nil {
			return fmt.Errorf("%w in %q", err, p.buf[:header+size])
		}
		p.buf = p.buf[header+size:]
		if e.Cursor != p.cursor+1 {
			return fmt.Errorf("cursor %d follows %d", e.Cursor, p.cursor)
		}
		p.cursor++
	}
	return nil
}

func (p *picky) at() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cursor
}

func (p *picky) Notice(events.Notice) []byte { return nil }

func (p *picky) Closed(reason error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over {
		p.over = true
		p.done <- reason
	}
}
