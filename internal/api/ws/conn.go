package ws

import (
	"crypto/sha1" //nolint:gosec // the handshake of RFC 6455 names it; nothing is protected by it
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Conn is one connection. One goroutine reads; a worker writes, and the reader
// when it says farewell.
type Conn struct {
	conn net.Conn
	raw  syscall.RawConn // nil: not on this system or not for this connection (TLS); writes may wait

	in         [128]byte // read but not yet used: in[start:end]
	start, end int
	heard      atomic.Int64 // when the last bytes came

	writing sync.Mutex // guards the write in progress, here so that the closures below are made once
	out     []byte
	written int
	failed  error
	try     func(fd uintptr) bool
	ready   func(fd uintptr) bool
}

// Accept makes a WebSocket of the request, or answers nothing and returns a
// fault. The handler must return at once afterwards and leave reading to a fresh
// goroutine: its own, with its stack and buffers, then goes away.
func Accept(w http.ResponseWriter, r *http.Request) (*Conn, error) {
	key, err := check(r)
	if err != nil {
		return nil, err
	}
	nc, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, fmt.Errorf("taking over the connection: %w", err)
	}
	c := &Conn{conn: nc}
	c.heard.Store(time.Now().UnixNano())
	if n := rw.Reader.Buffered(); n > len(c.in) {
		_ = nc.Close()
		return nil, errors.New("ws: the client sent too much before the answer")
	} else if n > 0 {
		if _, err := io.ReadFull(rw.Reader, c.in[:n]); err != nil {
			_ = nc.Close()
			return nil, err
		}
		c.end = n
	}
	if err := c.greet(key, w.Header()); err != nil {
		_ = nc.Close()
		return nil, err
	}
	c.prepare()
	return c, nil
}

// check refuses what is not a proper handshake.
func check(r *http.Request) (key string, err error) {
	bad := func(header, hint string) error {
		return fault.New(fault.Invalid, "bad_handshake", "This is not a WebSocket handshake.").WithParam(header).WithHint("%s", hint)
	}
	switch {
	case r.Method != http.MethodGet || r.ProtoMajor != 1:
		return "", bad("method", "Open a WebSocket with GET over HTTP/1.1.")
	case !hasToken(r.Header["Connection"], "upgrade"):
		return "", bad("Connection", "Send the header Connection: Upgrade.")
	case !hasToken(r.Header["Upgrade"], "websocket"):
		return "", bad("Upgrade", "Send the header Upgrade: websocket; a plain request can use /api/v1/events/stream.")
	case r.Header.Get("Sec-Websocket-Version") != "13":
		return "", bad("Sec-WebSocket-Version", "Send the header Sec-WebSocket-Version: 13.")
	}
	key = r.Header.Get("Sec-Websocket-Key")
	if raw, err := base64.StdEncoding.DecodeString(key); err != nil || len(raw) != 16 {
		return "", bad("Sec-WebSocket-Key", "Send 16 random bytes in base64 as Sec-WebSocket-Key.")
	}
	return key, nil
}

func hasToken(values []string, token string) bool {
	for _, v := range values {
		for part := range strings.SplitSeq(v, ",") {
			if strings.EqualFold(strings.TrimSpace(part), token) {
				return true
			}
		}
	}
	return false
}

const greetTimeout = 10 * time.Second

// greet answers the handshake, with the headers that were set before.
func (c *Conn) greet(key string, h http.Header) error {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) //nolint:gosec // see above
	var b strings.Builder
	b.WriteString("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ")
	b.WriteString(base64.StdEncoding.EncodeToString(sum[:]))
	b.WriteString("\r\n")
	if err := h.Write(&b); err != nil {
		return err
	}
	b.WriteString("\r\n")
	if err := c.conn.SetDeadline(time.Now().Add(greetTimeout)); err != nil {
		return err
	}
	if _, err := io.WriteString(c.conn, b.String()); err != nil {
		return err
	}
	return c.conn.SetDeadline(time.Time{})
}

// TryWrite writes as much of b as the system takes at once and says how much.
// Over TLS it writes all of b and may wait, up to the write deadline.
func (c *Conn) TryWrite(b []byte) (int, error) {
	if c.raw == nil {
		return c.conn.Write(b)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	c.out, c.written, c.failed = b, 0, nil
	err := c.raw.Write(c.try)
	n, failed := c.written, c.failed
	c.out, c.failed = nil, nil
	if failed != nil {
		err = failed
	}
	return n, err
}

// WaitWritable waits until the system would take more, the write deadline
// passes or the connection is closed.
func (c *Conn) WaitWritable() error {
	if c.raw == nil {
		return nil
	}
	return c.raw.Write(c.ready)
}

// SetReadDeadline bounds the wait for the next bytes.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.conn.SetReadDeadline(t) }

// SetWriteDeadline bounds writes that wait.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.conn.SetWriteDeadline(t) }

// Heard is when the other side last sent something.
func (c *Conn) Heard() time.Time { return time.Unix(0, c.heard.Load()) }

// Close ends the connection without another word and wakes its reader.
func (c *Conn) Close() error { return c.conn.Close() }
