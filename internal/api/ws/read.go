package ws

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"time"
	"unicode/utf8"
)

// header is the beginning of a frame.
type header struct {
	final  bool
	op     Op
	length uint64
	key    [4]byte
}

// messages are buffers of messages; they are lent only while one is read.
var messages = sync.Pool{New: func() any { return new([]byte) }}

const maxKept = 16 << 10

// Next waits for a message of at most limit bytes and hands it to handle; the
// payload is valid until handle returns. Pings are answered through reply, which
// takes a whole frame. It returns a *Closed when the other side closed, an
// *Error when it broke the rules, what handle returned, or the failure of the
// connection.
func (c *Conn) Next(limit int, reply func(frame []byte) error, handle func(op Op, payload []byte) error) error {
	h, err := c.header()
	if err != nil {
		return err
	}
	for h.op >= opClose {
		if err := c.control(h, reply); err != nil {
			return err
		}
		if h, err = c.header(); err != nil {
			return err
		}
	}
	if h.op == opContinuation {
		return &Error{Protocol, "continuation without a beginning"}
	}
	buffer := messages.Get().(*[]byte)
	defer func() {
		if cap(*buffer) <= maxKept {
			*buffer = (*buffer)[:0]
			messages.Put(buffer)
		}
	}()
	op := h.op
	if *buffer, err = c.gather(h, (*buffer)[:0], limit, reply); err != nil {
		return err
	}
	if op == Text && !utf8.Valid(*buffer) {
		return &Error{BadText, "text is not UTF-8"}
	}
	return handle(op, *buffer)
}

// gather reads the frames of one message, and the control frames among them.
func (c *Conn) gather(h header, payload []byte, limit int, reply func([]byte) error) ([]byte, error) {
	for {
		if h.length > uint64(limit-len(payload)) {
			return payload, &Error{TooBig, "message is too long"}
		}
		var err error
		if payload, err = c.payload(h, payload); err != nil {
			return payload, err
		}
		if h.final {
			return payload, nil
		}
		for {
			if h, err = c.header(); err != nil {
				return payload, err
			}
			if h.op < opClose {
				break
			}
			if err := c.control(h, reply); err != nil {
				return payload, err
			}
		}
		if h.op != opContinuation {
			return payload, &Error{Protocol, "a new message inside another"}
		}
	}
}

// header reads and checks the beginning of a frame.
func (c *Conn) header() (header, error) {
	var h header
	b, err := c.bytes(2)
	if err != nil {
		return h, err
	}
	h.final, h.op = b[0]&0x80 != 0, Op(b[0]&0x0f)
	masked, short := b[1]&0x80 != 0, b[1]&0x7f
	switch {
	case b[0]&0x70 != 0:
		return h, &Error{Protocol, "reserved bits are set"}
	case h.op > Binary && h.op < opClose || h.op > opPong:
		return h, &Error{Protocol, "unknown kind of frame"}
	case !masked:
		return h, &Error{Protocol, "frame is not masked"}
	case h.op >= opClose && (!h.final || short > maxControl):
		return h, &Error{Protocol, "control frame is too long or in pieces"}
	}
	switch short {
	case 126:
		if b, err = c.bytes(2); err == nil {
			h.length = uint64(binary.BigEndian.Uint16(b))
		}
	case 127:
		if b, err = c.bytes(8); err == nil {
			h.length = binary.BigEndian.Uint64(b)
		}
	default:
		h.length = uint64(short)
	}
	if err != nil {
		return h, midway(err)
	}
	if h.length>>63 != 0 || (short == 126 && h.length < 126) || (short == 127 && h.length <= 0xffff) {
		return h, &Error{Protocol, "length is not in its shortest form"}
	}
	if b, err = c.bytes(4); err != nil {
		return h, midway(err)
	}
	copy(h.key[:], b)
	return h, nil
}

// payload appends the payload of a frame, unmasked.
func (c *Conn) payload(h header, to []byte) ([]byte, error) {
	done := 0
	for done < int(h.length) {
		if c.start == c.end {
			if err := c.fill(); err != nil {
				return to, midway(err)
			}
		}
		n := min(int(h.length)-done, c.end-c.start)
		at := len(to)
		to = append(to, c.in[c.start:c.start+n]...)
		mask(to[at:], h.key, done)
		c.start += n
		done += n
		if rest := int(h.length) - done; rest > len(c.in) { // straight into the message, in steps that a liar cannot blow up
			step := min(rest, 32<<10)
			at := len(to)
			to = append(to, make([]byte, step)...)
			if _, err := io.ReadFull(c.conn, to[at:]); err != nil {
				return to, midway(err)
			}
			mask(to[at:], h.key, done)
			done += step
		}
	}
	return to, nil
}

// control reads a control frame and does what it asks for.
func (c *Conn) control(h header, reply func([]byte) error) error {
	var room [maxControl]byte
	payload, err := c.payload(h, room[:0])
	if err != nil {
		return err
	}
	switch h.op {
	case opPing:
		return reply(Pong(payload))
	case opClose:
		closed, bad := parseClose(payload)
		if bad != nil {
			return bad
		}
		return closed
	}
	return nil
}

// bytes are the next n bytes, n being small; valid until the next read.
func (c *Conn) bytes(n int) ([]byte, error) {
	for c.end-c.start < n {
		if c.start > 0 {
			c.end = copy(c.in[:], c.in[c.start:c.end])
			c.start = 0
		}
		if err := c.fill(); err != nil {
			if c.end > c.start {
				err = midway(err)
			}
			return nil, err
		}
	}
	b := c.in[c.start : c.start+n]
	c.start += n
	return b, nil
}

func (c *Conn) fill() error {
	if c.start == c.end {
		c.start, c.end = 0, 0
	}
	n, err := c.conn.Read(c.in[c.end:])
	c.end += n
	if n > 0 {
		c.heard.Store(time.Now().UnixNano())
		return nil
	}
	return err
}

// midway is the end of the connection inside a frame.
func midway(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
