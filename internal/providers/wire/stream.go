package wire

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/sse"
	"github.com/fluxway/fluxway/internal/providers"
)

// Decoder turns a vendor's events into chunks. Event may push any number of
// chunks; pushing a ChunkFinish ends the stream well. An event that it does not
// know it ignores.
type Decoder interface {
	Event(name, data []byte, out *Queue) error
}

// Ender is a Decoder that knows only at the end of the body whether the answer
// was complete; it pushes the ChunkFinish then, or nothing.
type Ender interface {
	End(out *Queue)
}

// Queue holds decoded chunks until they are asked for.
type Queue struct {
	chunks   []providers.Chunk
	head     int
	finished bool
}

// Push adds a chunk.
func (q *Queue) Push(c providers.Chunk) {
	if q.finished {
		return
	}
	q.finished = c.Kind == providers.ChunkFinish
	q.chunks = append(q.chunks, c)
}

func (q *Queue) empty() bool { return q.head == len(q.chunks) }

func (q *Queue) pop(c *providers.Chunk) bool {
	if q.empty() {
		return false
	}
	*c = q.chunks[q.head]
	if q.head++; q.head == len(q.chunks) {
		q.chunks, q.head = q.chunks[:0], 0
	}
	return true
}

// Stream reads a response body as chunks.
type Stream struct {
	ctx    context.Context // bounds this one response
	vendor string
	body   io.ReadCloser
	next   func(ev *sse.Event) error
	ready  func() bool // whether next would not wait; nil: never known
	dec    Decoder
	queue  Queue
	err    error
	closed bool
}

// Events streams a text/event-stream body.
func Events(ctx context.Context, vendor string, resp *http.Response, dec Decoder) *Stream {
	r := sse.NewReader(resp.Body, 0)
	return &Stream{ctx: ctx, vendor: vendor, body: resp.Body, dec: dec, next: r.Next, ready: r.Ready}
}

// Lines streams a body of one JSON value a line.
func Lines(ctx context.Context, vendor string, resp *http.Response, dec Decoder) *Stream {
	scan := bufio.NewScanner(resp.Body)
	scan.Buffer(make([]byte, 0, 4<<10), sse.DefaultLimit)
	next := func(ev *sse.Event) error {
		for scan.Scan() {
			if line := bytes.TrimSpace(scan.Bytes()); len(line) > 0 {
				*ev = sse.Event{Data: line}
				return nil
			}
		}
		if scan.Err() != nil {
			return scan.Err()
		}
		return io.EOF
	}
	return &Stream{ctx: ctx, vendor: vendor, body: resp.Body, dec: dec, next: next}
}

// Next gives the next chunk, and says with it whether another is here already.
func (s *Stream) Next(c *providers.Chunk) error {
	if err := s.take(c); err != nil {
		return err
	}
	for s.queue.empty() && !s.queue.finished && s.err == nil && s.ready != nil && s.ready() {
		s.err = s.read()
	}
	c.More = !s.queue.empty()
	return nil
}

func (s *Stream) take(c *providers.Chunk) error {
	for !s.queue.pop(c) {
		*c = providers.Chunk{}
		if s.queue.finished {
			return io.EOF
		}
		if s.err == nil {
			s.err = s.read()
		}
		if s.err != nil && s.queue.empty() {
			return s.err
		}
	}
	return nil
}

func (s *Stream) read() error {
	if s.closed {
		return providers.Broken(s.ctx, s.vendor, io.ErrClosedPipe)
	}
	var ev sse.Event
	err := s.next(&ev)
	if err == nil {
		err = s.dec.Event(ev.Name, ev.Data, &s.queue)
		var f *fault.Fault
		if err == nil || errors.As(err, &f) {
			return err
		}
		return providers.Broken(s.ctx, s.vendor, err)
	}
	if errors.Is(err, io.EOF) {
		if ender, ok := s.dec.(Ender); ok {
			ender.End(&s.queue)
			if s.queue.finished {
				return nil
			}
		}
		err = fmt.Errorf("the stream ended without a finish: %w", io.ErrUnexpectedEOF)
	}
	return providers.Broken(s.ctx, s.vendor, err)
}

// drainTime bounds how long Close waits for a finished body's end, which lets
// the connection be used again.
const drainTime = 200 * time.Millisecond

// Close gives the connection back.
func (s *Stream) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	if s.queue.finished && s.ctx.Err() == nil {
		timer := time.AfterFunc(drainTime, func() { _ = s.body.Close() })
		_, _ = io.Copy(io.Discard, io.LimitReader(s.body, 64<<10)) // only to reuse the connection
		timer.Stop()
	}
	return s.body.Close()
}

// Accept is the media type an answer is asked in.
func Accept(req *providers.Request) string {
	if req.Whole {
		return "application/json"
	}
	return "text/event-stream"
}

// IsEvents says whether a response really is an event stream; some servers
// answer a stream request with one JSON body.
func IsEvents(resp *http.Response) bool {
	return strings.Contains(resp.Header.Get("Content-Type"), "text/event-stream")
}

// Whole treats one JSON body as a single event.
func Whole(ctx context.Context, vendor string, resp *http.Response, dec Decoder) *Stream {
	done := false
	next := func(ev *sse.Event) error {
		if done {
			return io.EOF
		}
		done = true
		body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
		if err != nil {
			return err
		}
		*ev = sse.Event{Data: body}
		return nil
	}
	return &Stream{ctx: ctx, vendor: vendor, body: resp.Body, dec: dec, next: next}
}
