package leanhttp

import (
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	firstRead  = 4 << 10          // bytes of a head, and of what comes with it; the standard server's buffer is not smaller
	maxSkipped = 256 << 10        // of a body that its handler did not read
	linger     = time.Second / 2  // for a caller to take the answer before the connection is gone
	slack      = 10 * time.Second // by how much a deadline may be late, so that not every request moves it
)

// The states of a link.
const (
	linkIdle   int32 = iota // waits for a request
	linkBusy                // answers one
	linkClosed              // is sent away
)

// link is the connection of one caller.
type link struct {
	s     *Server
	rest  *handover
	conn  *net.TCPConn
	sense *sense
	from  string // the address of the caller
	state atomic.Int32
	watch uint64 // its number there; 0: none

	buf                   *[firstRead]byte // nil: nothing is held
	in                    []byte           // the bytes of buf that nobody took yet
	readUntil, writeUntil time.Time        // the deadlines; zero: not known

	mu     sync.Mutex // guards the fields below
	cancel context.CancelFunc
	left   bool // the caller has gone
}

var firsts = sync.Pool{New: func() any { return new([firstRead]byte) }}

// serve answers requests until there are no more, or one that is not plain.
func (k *link) serve() {
	for k.next() {
	}
	if k.watch != 0 {
		k.s.watch.remove(k.watch)
	}
	k.release()
	k.s.leave(k)
}

// next answers one request and says whether another may follow. Otherwise the
// connection is closed, or belongs to someone else.
func (k *link) next() bool {
	if len(k.in) == 0 && !k.wait() {
		_ = k.conn.Close() // there is nobody to tell
		return false
	}
	if !k.state.CompareAndSwap(linkIdle, linkBusy) {
		return false // closed by who sent it away
	}
	a, ok := k.s.plain(k.in)
	if ok && k.watch == 0 {
		k.watch, ok = k.s.watch.add(k)
	}
	if !ok {
		k.handOver()
		return false
	}
	if k.in = k.in[a.size:]; len(k.in) == 0 {
		k.release()
	}
	if !k.answer(&a) {
		return false
	}
	k.state.Store(linkIdle)
	if k.s.closing.Load() {
		_ = k.conn.Close() // that was the last one
		return false
	}
	return true
}

// wait reads the beginning of a request.
func (k *link) wait() bool {
	if k.buf == nil {
		k.buf = firsts.Get().(*[firstRead]byte)
	}
	if !k.patience() {
		return false
	}
	n, err := k.sense.Read(k.buf[:])
	k.in = k.buf[:n]
	return err == nil && n > 0
}

// patience bounds the wait for a request: the first must come soon.
func (k *link) patience() bool {
	now, idle := time.Now(), k.s.Rest.IdleTimeout
	if k.watch == 0 {
		idle = min(k.s.Rest.ReadHeaderTimeout, idle)
	}
	if idle <= 0 || k.readUntil.Sub(now) >= idle {
		return true
	}
	k.readUntil = now.Add(idle)
	if k.watch != 0 {
		k.readUntil = k.readUntil.Add(slack)
	}
	return k.conn.SetReadDeadline(k.readUntil) == nil
}

// release gives the buffer back once nothing in it is needed.
func (k *link) release() {
	if k.buf != nil {
		firsts.Put(k.buf)
		k.buf, k.in = nil, nil
	}
}

// handOver gives the connection to the standard server.
func (k *link) handOver() {
	if k.watch != 0 {
		k.s.watch.remove(k.watch)
		k.watch = 0
	}
	if k.conn.SetDeadline(time.Time{}) != nil {
		_ = k.conn.Close() // it is gone
		return
	}
	k.rest.give(&handed{TCPConn: k.conn, first: bytes.Clone(k.in)})
}

// handed is a connection of which something was read already.
type handed struct {
	*net.TCPConn
	first []byte
}

// Read gives what was read already, and then what comes.
func (h *handed) Read(p []byte) (int, error) {
	if len(h.first) == 0 {
		return h.TCPConn.Read(p)
	}
	n := copy(p, h.first)
	if h.first = h.first[n:]; len(h.first) == 0 {
		h.first = nil
	}
	return n, nil
}

// WriteTo does the same for who copies.
func (h *handed) WriteTo(w io.Writer) (int64, error) {
	var n int
	if len(h.first) > 0 {
		var err error
		if n, err = w.Write(h.first); err != nil {
			h.first = h.first[n:]
			return int64(n), err
		}
		h.first = nil
	}
	m, err := h.TCPConn.WriteTo(w)
	return int64(n) + m, err
}

// asked is the head of a plain request.
type asked struct {
	path, host string
	header     http.Header
	length     int64
	size       int // of the head itself
}

var post = []byte("POST /")

// plain reads a head; ok is false for everything that is not as plain as said at
// Server, and for everything malformed: the standard server knows what to say.
func (s *Server) plain(in []byte) (a asked, ok bool) {
	if !bytes.HasPrefix(in, post) {
		return a, false
	}
	end := bytes.Index(in, headEnd)
	if end < 0 {
		return a, false
	}
	a.size = end + len(headEnd)
	line, fields, _ := strings.Cut(string(in[:a.size]), "\r\n")
	if a.path, ok = strings.CutSuffix(line[len(post)-1:], " HTTP/1.1"); !ok || !plainPath(a.path) || !s.Plain(a.path) {
		return a, false
	}
	var err error
	var host []string
	if a.header, host, err = parseFields(fields, "Host"); err != nil { // as the standard server does
		return a, false
	}
	for _, name := range [...]string{"Transfer-Encoding", "Expect", "Upgrade", "Trailer", "Te"} {
		if a.header[name] != nil {
			return a, false
		}
	}
	if kept := a.header["Connection"]; len(kept) > 1 || len(kept) == 1 && !strings.EqualFold(kept[0], "keep-alive") {
		return a, false
	}
	length := a.header["Content-Length"]
	if len(host) != 1 || !plainHost(host[0]) || len(length) != 1 {
		return a, false
	}
	size, err := strconv.ParseUint(length[0], 10, 63)
	if err != nil || size == 0 {
		return a, false
	}
	a.host, a.length = host[0], int64(size)
	return a, true
}

// plainPath says whether a path means itself: no query, nothing escaped, no
// second host in it.
func plainPath(path string) bool {
	for i := range len(path) {
		if c := path[i]; !isAlnum(c) && strings.IndexByte("-._:/", c) < 0 || c == '/' && i > 0 && path[i-1] == '/' {
			return false
		}
	}
	return true
}

func plainHost(host string) bool {
	for i := range len(host) {
		if c := host[i]; !isAlnum(c) && strings.IndexByte("-._:[]", c) < 0 {
			return false
		}
	}
	return host != ""
}

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// exchange is a request and its answer, in one piece.
type exchange struct {
	url  url.URL
	up   upload
	down reply
}

// answer has the handler answer, and says whether the connection can go on;
// otherwise it is closed.
func (k *link) answer(a *asked) bool {
	now := time.Now()
	if limit := k.s.Rest.WriteTimeout; limit > 0 && k.writeUntil.Sub(now) < limit {
		k.writeUntil = now.Add(limit + slack)
		_ = k.conn.SetWriteDeadline(k.writeUntil) // on a connection that is gone writing fails
	}
	x, r := k.request(a, now)
	ok := k.call(&x.down, r)
	k.mu.Lock()
	cancel := k.cancel
	k.cancel = nil
	k.mu.Unlock()
	cancel()
	ok = ok && x.down.finish()
	if ok && !x.down.close {
		return true
	}
	k.close(ok && x.up.left > 0)
	return false
}

// request is apart from answer because what it needs on the stack would
// otherwise stay there as long as an answer lasts.
//
//go:noinline
func (k *link) request(a *asked, now time.Time) (*exchange, *http.Request) {
	if k.from == "" {
		k.from = k.conn.RemoteAddr().String()
	}
	x := &exchange{url: url.URL{Path: a.path}, up: upload{k: k, left: a.length, began: now}}
	x.down = reply{k: k, up: &x.up, header: make(http.Header, 8), at: now, left: -1}
	ctx, cancel := context.WithCancel(context.Background())
	k.mu.Lock()
	k.cancel = cancel
	if k.left {
		cancel()
	}
	k.mu.Unlock()
	r := http.Request{
		Method: http.MethodPost, URL: &x.url, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: a.header, Body: &x.up,
		ContentLength: a.length, Host: a.host, RemoteAddr: k.from, RequestURI: a.path,
	}
	return x, r.WithContext(ctx)
}

// call keeps a handler's panic from ending the program.
func (k *link) call(w http.ResponseWriter, r *http.Request) (ok bool) {
	defer func() {
		if p := recover(); p != nil && p != http.ErrAbortHandler { //nolint:errorlint // the standard library compares so, too
			k.logger().Printf("http: panic serving %s: %v\n%s", k.from, p, debug.Stack())
		}
	}()
	k.s.Rest.Handler.ServeHTTP(w, r)
	return true
}

func (k *link) logger() *log.Logger {
	if l := k.s.Rest.ErrorLog; l != nil {
		return l
	}
	return log.Default()
}

// gone tells the handler that its caller has left.
func (k *link) gone() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.left = true
	if k.cancel != nil {
		k.cancel()
	}
}

// close ends the connection. If the caller may still be sending, they have a
// moment to take the answer: a reset would reach them before it.
func (k *link) close(sending bool) {
	until := time.Now().Add(linger)
	if sending && k.conn.CloseWrite() == nil && k.conn.SetReadDeadline(until) == nil {
		if _, err := io.CopyN(io.Discard, struct{ io.Reader }{k.conn}, maxSkipped); err == nil {
			time.Sleep(time.Until(until)) // they send on: enough was taken
		}
	}
	_ = k.conn.Close() // there is nobody to tell
}
