// Package sse reads server-sent events.
//
// In:    a byte stream in the text/event-stream format, as real servers send it: comments, CRLF, fields without a space, several data lines.
// Out:   events, one at a time, in buffers that are reused.
// Keeps: nothing. Says: nothing.
// Not here: reconnecting; writing events (api).
package sse

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// ErrTooLong is answered for a line or an event above the limit.
var ErrTooLong = errors.New("sse: event is longer than the limit")

// Event is one event. Its slices are valid until the next call of Next.
type Event struct {
	Name  []byte // "event" field, empty for a plain message
	Data  []byte // "data" lines joined by a line feed
	ID    []byte
	Retry time.Duration // 0 unless the server set it in this event
}

// Reader takes events from a stream.
type Reader struct {
	r     io.Reader
	limit int

	buf        []byte // read but not yet consumed: buf[start:end]
	start, end int
	err        error // of r
	begun      bool  // the byte order mark was looked for
	skipLF     bool  // a CR ended the last line; a LF right after belongs to it

	name, data, id []byte
}

// DefaultLimit bounds one event unless NewReader is told otherwise.
const DefaultLimit = 16 << 20

// firstBuffer is small because most streams send small events and many are open
// at once; it grows as needed, up to the limit.
const firstBuffer = 4 << 10

// NewReader reads from r; limit bounds one event in bytes, 0 means DefaultLimit.
func NewReader(r io.Reader, limit int) *Reader {
	if limit <= 0 {
		limit = DefaultLimit
	}
	return &Reader{r: r, limit: limit}
}

// Next fills ev with the next event that has data. At the end of the stream it
// answers io.EOF; an event cut off by the end is dropped, as the format says.
func (r *Reader) Next(ev *Event) error {
	r.name, r.data = r.name[:0], r.data[:0]
	*ev = Event{}
	has := false
	for {
		line, err := r.line()
		if err != nil {
			return err
		}
		if len(line) == 0 {
			if !has {
				r.name = r.name[:0]
				continue
			}
			ev.Name, ev.Data, ev.ID = r.name, r.data[:len(r.data)-1], r.id
			return nil
		}
		field, value := cut(line)
		switch string(field) {
		case "data":
			has = true
			if len(r.data)+len(value)+1 > r.limit {
				return ErrTooLong
			}
			r.data = append(append(r.data, value...), '\n')
		case "event":
			r.name = append(r.name[:0], value...)
		case "id":
			if bytes.IndexByte(value, 0) < 0 {
				r.id = append(r.id[:0], value...)
			}
		case "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				ev.Retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
}

// Ready says whether a whole event was read already, so that Next would not wait.
func (r *Reader) Ready() bool {
	rest := r.buf[r.start:r.end]
	for {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			return false
		}
		rest = rest[i+1:]
		if len(rest) > 0 && rest[0] == '\n' || len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n' {
			return true
		}
	}
}

// cut splits a line at its colon; a comment has an empty field.
func cut(line []byte) (field, value []byte) {
	field, value, _ = bytes.Cut(line, []byte{':'})
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	return field, value
}

// line is the next line without its end: LF, CR LF or CR.
func (r *Reader) line() ([]byte, error) {
	scanned := 0
	for {
		r.dropLF()
		if i := lineEnd(r.buf[r.start+scanned : r.end]); i >= 0 {
			i += scanned
			line := r.buf[r.start : r.start+i]
			r.skipLF = r.buf[r.start+i] == '\r'
			r.start += i + 1
			return r.bom(line), nil
		}
		scanned = r.end - r.start
		if scanned >= r.limit {
			return nil, ErrTooLong
		}
		if r.err != nil {
			return nil, r.err
		}
		r.fill()
	}
}

// lineEnd is where the first line ends, or -1.
func lineEnd(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	if lf >= 0 {
		b = b[:lf]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return lf
}

func (r *Reader) dropLF() {
	if r.skipLF && r.start < r.end {
		if r.buf[r.start] == '\n' {
			r.start++
		}
		r.skipLF = false
	}
}

func (r *Reader) bom(line []byte) []byte {
	if r.begun {
		return line
	}
	r.begun = true
	return bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
}

func (r *Reader) fill() {
	if r.start > 0 {
		r.end = copy(r.buf, r.buf[r.start:r.end])
		r.start = 0
	}
	if r.end == len(r.buf) {
		grown := make([]byte, max(firstBuffer, 2*len(r.buf)))
		copy(grown, r.buf[:r.end])
		r.buf = grown
	}
	for range 100 {
		n, err := r.r.Read(r.buf[r.end:])
		r.end += n
		r.err = err
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}
