// Package leanhttp is an HTTP/1.1 round-tripper and a server that cost little per request and per stream.
//
// In:    requests over plain http with a body of known length.
// Out:   to send, responses as net/http's own transport gives them, gzip undone; to answer, requests as net/http's own server gives them.
// Keeps: idle connections. Says: nothing.
// Not here: HTTP/2, TLS, redirects, cookies, and whatever else is not plain: a Transport leaves it to Next, a Server to Rest.
//
// The standard transport has two goroutines and two buffers for each connection,
// and hands every request and response over between them. Here the caller's
// goroutine does all of it, and no buffer stays with a stream. The standard server
// begins a goroutine with every request, to see its caller leave, and has two
// buffers for each connection; here the kernel tells of those who leave.
package leanhttp

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Defaults of a Transport.
const (
	maxIdle     = 64
	idleTimeout = 90 * time.Second
)

// Transport is a http.RoundTripper. Its fields are set before the first use.
type Transport struct {
	Next http.RoundTripper // required: for what is not plain http
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	mu   sync.Mutex // guards the field below
	idle map[string][]*conn
}

type conn struct {
	net.Conn
	sense *sense    // nil: none
	since time.Time // when it was last put aside; zero: it is new
}

// Read waits for something to be said.
func (c *conn) Read(p []byte) (int, error) {
	if c.sense == nil {
		return c.Conn.Read(p)
	}
	return c.sense.Read(p)
}

// Write sends all of p.
func (c *conn) Write(p []byte) (int, error) {
	if c.sense == nil {
		return c.Conn.Write(p)
	}
	return c.sense.Write(p)
}

// RoundTrip sends a request and reads the head of its answer.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !plain(r) {
		return t.Next.RoundTrip(r)
	}
	ctx := r.Context()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	address := r.URL.Host
	if r.URL.Port() == "" {
		address = net.JoinHostPort(r.URL.Hostname(), "80")
	}
	c, err := t.take(ctx, address)
	if err != nil {
		return nil, err
	}
	b := &body{t: t, c: c, address: address}
	resp, err := c.ask(r, b)
	if err != nil {
		b.part()
		c.Close()
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case !c.since.IsZero() && repeatable(r): // the server may have closed it just then
			return t.RoundTrip(r)
		}
		return nil, err
	}
	if strings.EqualFold(first(resp.Header["Content-Encoding"]), "gzip") && first(r.Header["Accept-Encoding"]) == "" {
		resp.Body = &unzipped{from: b}
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength, resp.Uncompressed = -1, true
	}
	return resp, nil
}

// plain says whether the request is one that this package sends itself.
func plain(r *http.Request) bool {
	if r.URL.Scheme != "http" || r.URL.Host == "" || r.Header["Upgrade"] != nil || r.Header["Expect"] != nil || len(r.TransferEncoding) > 0 || r.Trailer != nil {
		return false
	}
	if r.Body != nil && r.Body != http.NoBody && r.ContentLength <= 0 {
		return false
	}
	proxy, err := http.ProxyFromEnvironment(r)
	return err == nil && proxy == nil
}

// repeatable says whether sending a request twice does no harm.
func repeatable(r *http.Request) bool {
	return (r.Method == "" || r.Method == http.MethodGet || r.Method == http.MethodHead) && (r.Body == nil || r.Body == http.NoBody)
}

// take gives an idle connection that still lives, or a new one.
func (t *Transport) take(ctx context.Context, address string) (*conn, error) {
	for {
		c := t.pop(address)
		if c == nil {
			break
		}
		if time.Since(c.since) < idleTimeout && c.sense.alive() {
			return c, nil
		}
		c.Close()
	}
	dial := t.Dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	made, err := dial(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: made}
	if c.sense, err = newSense(made); err != nil {
		return nil, errors.Join(err, made.Close())
	}
	return c, nil
}

func (t *Transport) pop(address string) *conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.idle[address]
	if len(list) == 0 {
		return nil
	}
	c := list[len(list)-1]
	list[len(list)-1] = nil
	t.idle[address] = list[:len(list)-1]
	return c
}

func (t *Transport) put(address string, c *conn) {
	c.since = time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.idle == nil {
		t.idle = make(map[string][]*conn)
	}
	list := t.idle[address]
	if len(list) >= maxIdle {
		c.Close()
		return
	}
	t.idle[address] = append(list, c)
}

// CloseIdleConnections closes what nobody uses.
func (t *Transport) CloseIdleConnections() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, list := range t.idle {
		for _, c := range list {
			c.Close()
		}
	}
	clear(t.idle)
	if next, ok := t.Next.(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
}

var heads = sync.Pool{New: func() any { return new([]byte) }}

// maxJoined is how large a body is sent in one piece with its head.
const maxJoined = 16 << 10

// ask writes the request and reads the head of the answer; b becomes its body. What is small goes to a connection that
// is empty, so nobody need be heeded before it is sent.
func (c *conn) ask(r *http.Request, b *body) (*http.Response, error) {
	if r.ContentLength > maxJoined {
		b.heed(r.Context())
	}
	head := heads.Get().(*[]byte)
	text, err := appendHead((*head)[:0], r)
	if err != nil {
		return nil, err
	}
	text, sent := c.send(text, r)
	if cap(text) <= 2*maxJoined {
		*head = text[:0]
	}
	heads.Put(head)
	b.heed(r.Context())
	in, err := c.listen()
	var resp *http.Response
	var rest []byte
	if err == nil {
		resp, rest, err = c.answer(in)
	}
	if err != nil {
		in.release()
		if sent != nil {
			return nil, sent // why there is no answer
		}
		return nil, err
	}
	resp.Close = resp.Close || sent != nil // an answer to half a request ends the connection
	resp.Body, b.keep, b.left = b, !resp.Close, resp.ContentLength
	if resp.TransferEncoding != nil {
		b.chunks = new(dechunk)
	}
	if len(rest) > 0 {
		b.in, b.rest = in, rest
	} else {
		in.release()
	}
	if bodyless(r.Method, resp) {
		b.keep = b.keep && len(rest) == 0
		b.finish(true)
	}
	return resp, nil
}

// listen waits for the beginning of the answer.
func (c *conn) listen() (*intake, error) {
	if c.sense == nil {
		return intakes.Get().(*intake), nil
	}
	in, err := c.sense.receive()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return in, err
}

// answer reads the head of the final answer.
func (c *conn) answer(in *intake) (*http.Response, []byte, error) {
	for {
		head, rest, err := c.readHead(in)
		if err != nil {
			return nil, nil, err
		}
		resp, err := parseHead(head)
		if err != nil || resp.StatusCode >= 200 {
			return resp, rest, err
		}
		in.bytes = in.bytes[:copy(in.bytes, rest)]
	}
}

// send writes the head in text, and the body; text is given back as it grew.
func (c *conn) send(text []byte, r *http.Request) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		_, err := c.Write(text)
		return text, err
	}
	defer r.Body.Close()
	if r.ContentLength <= maxJoined {
		at, size := len(text), int(r.ContentLength)
		text = slices.Grow(text, size)[:at+size]
		if _, err := io.ReadFull(r.Body, text[at:]); err != nil {
			return text, fmt.Errorf("leanhttp: reading the request's body: %w", err)
		}
		_, err := c.Write(text)
		return text, err
	}
	if _, err := c.Write(text); err != nil {
		return text, err
	}
	n, err := io.Copy(c.Conn, io.LimitReader(r.Body, r.ContentLength))
	if err == nil && n < r.ContentLength {
		err = io.ErrUnexpectedEOF
	}
	return text, err
}

func appendHead(to []byte, r *http.Request) ([]byte, error) {
	method, host := r.Method, r.Host
	if method == "" {
		method = http.MethodGet
	}
	if host == "" {
		host = r.URL.Host
	}
	if !clean(method) || !clean(host) {
		return nil, errors.New("leanhttp: the method or the host has control characters")
	}
	to = append(append(append(to, method...), ' '), r.URL.RequestURI()...)
	to = append(append(append(to, " HTTP/1.1\r\nHost: "...), host...), "\r\n"...)
	for name, values := range r.Header {
		switch name {
		case "Host", "Content-Length", "Transfer-Encoding", "Connection":
			continue
		}
		for _, v := range values {
			if !clean(name) || !clean(v) {
				return nil, fmt.Errorf("leanhttp: the header %q has control characters", name)
			}
			to = append(append(append(append(to, name...), ": "...), v...), "\r\n"...)
		}
	}
	if first(r.Header["User-Agent"]) == "" {
		to = append(to, "User-Agent: fluxway\r\n"...)
	}
	if first(r.Header["Accept-Encoding"]) == "" && first(r.Header["Range"]) == "" && method != http.MethodHead {
		to = append(to, "Accept-Encoding: gzip\r\n"...)
	}
	if r.ContentLength > 0 || method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch {
		to = append(strconv.AppendInt(append(to, "Content-Length: "...), max(r.ContentLength, 0), 10), "\r\n"...)
	}
	return append(to, "\r\n"...), nil
}

// first is the first value of a header, without looking for its name's spelling.
func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// clean keeps anyone from writing a header of their own into another's value.
func clean(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' && s[i] != '\t' || s[i] == 0x7f {
			return false
		}
	}
	return true
}

// unzipped undoes gzip, beginning with the first read: a stream's first bytes
// may be long in coming.
type unzipped struct {
	from *body
	zip  *gzip.Reader
	err  error
}

// Read gives what was compressed.
func (u *unzipped) Read(p []byte) (int, error) {
	if u.zip == nil && u.err == nil {
		u.zip, u.err = gzip.NewReader(u.from)
	}
	if u.err != nil {
		return 0, u.err
	}
	return u.zip.Read(p)
}

// Close closes the answer.
func (u *unzipped) Close() error { return u.from.Close() }
