package leanhttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
)

// The size of a buffer for heads and what came with them, and the longest head that is read.
const (
	headSize = 16 << 10
	maxHead  = 256 << 10
)

// intake holds the head of an answer, and what came with it, until it is used.
type intake struct{ bytes []byte }

var intakes = sync.Pool{New: func() any { return &intake{make([]byte, 0, headSize)} }}

func (in *intake) release() {
	if in != nil && cap(in.bytes) <= 2*headSize {
		in.bytes = in.bytes[:0]
		intakes.Put(in)
	}
}

var (
	headEnd = []byte("\r\n\r\n")
	errHead = errors.New("leanhttp: the answer is not HTTP/1.1")
)

// readHead reads up to the end of a head; rest is what came behind it.
func (c *conn) readHead(in *intake) (head string, rest []byte, err error) {
	seen := 0
	for {
		if i := bytes.Index(in.bytes[seen:], headEnd); i >= 0 {
			end := seen + i + len(headEnd)
			return string(in.bytes[:end]), in.bytes[end:], nil
		}
		seen = max(0, len(in.bytes)-len(headEnd)+1)
		if len(in.bytes) == cap(in.bytes) {
			if len(in.bytes) >= maxHead {
				return "", nil, fmt.Errorf("%w: its head is too long", errHead)
			}
			in.bytes = append(make([]byte, 0, 2*cap(in.bytes)), in.bytes...)
		}
		n, err := c.Read(in.bytes[len(in.bytes):cap(in.bytes)])
		in.bytes = in.bytes[:len(in.bytes)+n]
		if err == io.EOF && n == 0 {
			return "", nil, io.ErrUnexpectedEOF
		}
		if err != nil && n == 0 {
			return "", nil, err
		}
	}
}

// parseHead makes a response of a head, without a body.
func parseHead(head string) (*http.Response, error) {
	line, rest, _ := strings.Cut(head, "\r\n")
	proto, status, ok := strings.Cut(line, " ")
	if !ok || proto != "HTTP/1.1" && proto != "HTTP/1.0" || len(status) < 3 || len(status) > 3 && status[3] != ' ' {
		return nil, errHead
	}
	code, err := strconv.Atoi(status[:3])
	if err != nil || code < 100 {
		return nil, errHead
	}
	var codings []string
	resp := &http.Response{Status: status, StatusCode: code, Proto: proto, ProtoMajor: 1, ProtoMinor: int(proto[7] - '0'), ContentLength: -1}
	if resp.Header, codings, err = parseFields(rest, "Transfer-Encoding"); err != nil {
		return nil, err
	}
	return resp, frame(resp, codings)
}

// parseFields reads a head's fields; those of one name, which others need not see, are given apart.
func parseFields(text, apart string) (header http.Header, of []string, err error) {
	n := strings.Count(text, "\r\n") - 1
	header = make(http.Header, n)
	values := make([]string, 0, n)
	for {
		line, rest, ok := strings.Cut(text, "\r\n")
		if !ok || line == "" {
			return header, of, nil
		}
		text = rest
		name, value, ok := strings.Cut(line, ":")
		if !ok || !isToken(name) {
			return nil, nil, fmt.Errorf("%w: a line of its head is not a field", errHead)
		}
		value = strings.Trim(value, " \t")
		if !clean(value) {
			return nil, nil, fmt.Errorf("%w: the field %q has control characters", errHead, name)
		}
		name = textproto.CanonicalMIMEHeaderKey(name)
		values = append(values, value)
		one := values[len(values)-1 : len(values) : len(values)]
		switch old := header[name]; {
		case name == apart && of == nil:
			of = one
		case name == apart:
			of = append(of, value)
		case old == nil:
			header[name] = one
		default:
			header[name] = append(old, value)
		}
	}
}

// isToken says whether s can be the name of a field; a line that goes on from
// the one before, as nobody may send any more, begins with a space and is not.
func isToken(s string) bool {
	for i := range len(s) {
		if !tokens[s[i]] {
			return false
		}
	}
	return s != ""
}

// tokens says which bytes the name of a field may have.
var tokens = func() (t [256]bool) {
	for c := '!'; c < 0x7f; c++ {
		t[c] = !strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c)
	}
	return t
}()

// frame finds out how the body ends; codings are the values of Transfer-Encoding.
func frame(resp *http.Response, codings []string) error {
	h := resp.Header
	for _, v := range h["Connection"] {
		resp.Close = resp.Close || strings.Contains(strings.ToLower(v), "close")
	}
	resp.Close = resp.Close || resp.ProtoMinor == 0
	if len(codings) > 0 {
		if len(codings) > 1 || !strings.EqualFold(codings[0], "chunked") {
			return fmt.Errorf("%w: a body coded as %q is not read", errHead, codings)
		}
		resp.TransferEncoding = codings
		// Both is how requests are smuggled; the connection is not used again.
		if h["Content-Length"] != nil {
			resp.Close = true
			delete(h, "Content-Length")
		}
		return nil
	}
	for i, v := range h["Content-Length"] {
		n, err := strconv.ParseUint(v, 10, 63)
		if err != nil || i > 0 && int64(n) != resp.ContentLength {
			return fmt.Errorf("%w: its length is %q", errHead, h["Content-Length"])
		}
		resp.ContentLength = int64(n)
	}
	return nil
}

// bodyless says whether there is no body, whatever the head says.
func bodyless(method string, resp *http.Response) bool {
	return method == http.MethodHead || resp.StatusCode == http.StatusNoContent || resp.StatusCode == http.StatusNotModified || resp.ContentLength == 0
}

// body is the answer's body. It reads from the connection straight into the
// caller's buffer and takes the framing out in place.
type body struct {
	t       *Transport
	c       *conn
	address string
	stop    func() bool // ends heeding; nil: nobody is heeded
	in      *intake     // holds rest; nil: given back
	rest    []byte      // came with the head
	left    int64       // bytes to come; -1: until the connection ends
	chunks  *dechunk
	keep    bool
	over    bool
}

// Read passes on. The last bytes come together with io.EOF.
func (b *body) Read(p []byte) (int, error) {
	for {
		if b.over {
			return 0, io.EOF
		}
		if len(p) == 0 {
			return 0, nil
		}
		into := p
		if b.chunks == nil && b.left >= 0 {
			into = p[:min(int64(len(p)), b.left)]
		}
		var n int
		var err error
		if len(b.rest) > 0 {
			n = b.early(into)
		} else {
			n, err = b.c.Read(into)
		}
		end := false
		if b.chunks != nil {
			var bad error
			if n, bad = b.chunks.strip(p[:n]); bad != nil {
				err = bad
			}
			end = b.chunks.state == chunksDone
		} else if b.left >= 0 {
			b.left -= int64(n)
			end = b.left == 0
		}
		switch {
		case end:
			b.keep = b.keep && len(b.rest) == 0 && (b.chunks == nil || !b.chunks.more)
			b.finish(true)
			return n, io.EOF
		case err == io.EOF && b.chunks == nil && b.left < 0:
			b.finish(false)
			return n, io.EOF
		case err != nil:
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			b.finish(false)
			return n, err
		case n > 0:
			return n, nil
		}
	}
}

// Buffered says how many bytes are here already, framing included.
func (b *body) Buffered() int { return len(b.rest) }

// early gives bytes that came with the head.
func (b *body) early(p []byte) int {
	n := copy(p, b.rest)
	if b.rest = b.rest[n:]; len(b.rest) == 0 {
		b.in.release()
		b.in = nil
	}
	return n
}

// Close ends an answer that was not read to its end together with its connection.
func (b *body) Close() error {
	b.finish(false)
	return nil
}

// heed closes the connection when ctx ends.
func (b *body) heed(ctx context.Context) {
	if b.stop == nil && ctx.Done() != nil {
		b.stop = context.AfterFunc(ctx, func() { b.c.Close() })
	}
}

// part ends heeding, and says whether the connection was left alone.
func (b *body) part() bool { return b.stop == nil || b.stop() }

func (b *body) finish(whole bool) {
	if b.over {
		return
	}
	b.over = true
	if b.in != nil {
		b.in.release()
		b.in, b.rest = nil, nil
	}
	if b.part() && whole && b.keep {
		b.t.put(b.address, b.c)
		return
	}
	b.c.Close()
}

// chunkState is where in the framing the next byte stands.
type chunkState uint8

const (
	chunkSize  chunkState = iota // in the hexadecimal number
	chunkNote                    // behind it, up to the end of its line
	chunkData                    // in the data
	chunkEnd                     // in the line's end behind the data
	chunkTail                    // at the beginning of a line of the trailer
	chunkField                   // within one
	chunksDone
)

// dechunk takes the framing of chunks out of bytes as they come.
type dechunk struct {
	state  chunkState
	digits int
	left   int64 // of the chunk's data
	cr     bool  // the last byte of the framing was a carriage return
	more   bool  // something came behind the end
}

var errChunk = errors.New("leanhttp: the answer's chunks are malformed")

// strip moves the data in p to its beginning and says how much it is.
func (d *dechunk) strip(p []byte) (int, error) {
	n := 0
	for i := 0; i < len(p); {
		if d.state == chunkData {
			m := int(min(int64(len(p)-i), d.left))
			n += copy(p[n:], p[i:i+m])
			i += m
			if d.left -= int64(m); d.left == 0 {
				d.state = chunkEnd
			}
			continue
		}
		if d.state == chunksDone {
			d.more = true
			break
		}
		if err := d.step(p[i]); err != nil {
			return n, err
		}
		i++
	}
	return n, nil
}

// step takes one byte of the framing, whose lines end with both characters.
func (d *dechunk) step(c byte) error {
	if (c == '\n') != d.cr {
		return errChunk
	}
	d.cr = c == '\r'
	switch d.state {
	case chunkSize:
		digit, ok := unhex(c)
		if ok && d.digits < 15 {
			d.left, d.digits = d.left<<4|int64(digit), d.digits+1
			return nil
		}
		if ok || d.digits == 0 || c != '\r' && c != ';' && c != ' ' && c != '\t' {
			return errChunk
		}
		d.state = chunkNote
	case chunkNote:
		if c != '\n' {
			return nil
		}
		d.digits = 0
		if d.state = chunkData; d.left == 0 {
			d.state = chunkTail
		}
	case chunkEnd:
		switch c {
		case '\r':
		case '\n':
			d.state = chunkSize
		default:
			return errChunk
		}
	case chunkTail:
		switch c {
		case '\r':
		case '\n':
			d.state = chunksDone
		default:
			d.state = chunkField
		}
	case chunkField:
		if c == '\n' {
			d.state = chunkTail
		}
	}
	return nil
}

func unhex(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
