package leanhttp

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	heldSize = 2 << 10  // of an answer whose length becomes known if it ends within
	outSize  = 16 << 10 // of what is sent at once without being flushed
	keptSize = 2 * outSize
)

// outs hold what is on its way out; a stream that pauses has none.
var outs = sync.Pool{New: func() any { return new([]byte) }}

// reply is the answer to one request.
type reply struct {
	k       *link
	up      *upload
	header  http.Header
	at      time.Time
	status  int     // 0: not set yet
	out     *[]byte // the body as far as it is held, or what is to be sent; nil: nothing
	begun   bool    // out begins with the head, or that is sent
	chunked bool
	close   bool  // the connection ends with this answer
	left    int64 // bytes of the body that are still missing; -1: nobody said how many
	failed  error // why nothing can be sent any more
}

// Header is what will be sent before the body.
func (w *reply) Header() http.Header { return w.header }

// WriteHeader sets the status, once.
func (w *reply) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
}

// Write holds p until it is flushed, or is enough.
func (w *reply) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	switch {
	case w.failed != nil:
		return 0, w.failed
	case !hasBody(w.status):
		return 0, http.ErrBodyNotAllowed
	case len(p) == 0:
		return 0, nil
	}
	if !w.begun {
		if w.header["Content-Length"] == nil && w.held()+len(p) <= heldSize {
			w.add(p)
			return len(p), nil
		}
		w.begin(p)
	}
	if !w.chunked && int64(len(p)) > w.left {
		return 0, http.ErrContentLength
	}
	w.frame(p)
	if len(*w.out) >= outSize {
		if err := w.send(); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Flush sends what was written so far.
func (w *reply) Flush() { _ = w.FlushError() } // the next write says so again

// FlushError sends what was written so far.
func (w *reply) FlushError() error {
	w.WriteHeader(http.StatusOK)
	if w.failed != nil {
		return w.failed
	}
	if !w.begun {
		w.begin(nil)
	}
	return w.send()
}

// SetReadDeadline bounds reading the request, if anything of it is still to come.
func (w *reply) SetReadDeadline(t time.Time) error {
	if w.up.left == 0 {
		return nil
	}
	w.k.readUntil = time.Time{}
	w.up.slow = true
	return w.k.conn.SetReadDeadline(t)
}

// SetWriteDeadline bounds sending the answer.
func (w *reply) SetWriteDeadline(t time.Time) error {
	w.k.writeUntil = time.Time{}
	return w.k.conn.SetWriteDeadline(t)
}

func hasBody(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

func (w *reply) held() int {
	if w.out == nil {
		return 0
	}
	return len(*w.out)
}

func (w *reply) add(p []byte) {
	if w.out == nil {
		w.out = outs.Get().(*[]byte)
	}
	*w.out = append(*w.out, p...)
}

func (w *reply) drop() {
	if w.out != nil {
		if cap(*w.out) <= keptSize {
			*w.out = (*w.out)[:0]
			outs.Put(w.out)
		}
		w.out = nil
	}
}

// begin puts the head before what is held; p is what follows.
//
//go:noinline
func (w *reply) begin(p []byte) {
	w.begun, w.chunked = true, hasBody(w.status)
	if length := w.header["Content-Length"]; len(length) > 0 && w.chunked {
		if n, err := strconv.ParseUint(length[0], 10, 63); err == nil {
			w.left, w.chunked = int64(n), false
		}
	}
	w.headed(p)
}

// headed makes a new out of the head and what is held.
func (w *reply) headed(p []byte) {
	held := w.out
	w.out = outs.Get().(*[]byte)
	if w.up.left > 0 && !w.up.skip() {
		w.close = true
	}
	w.close = w.close || w.k.s.closing.Load()
	if hasBody(w.status) && w.header["Content-Type"] == nil && w.header["Content-Encoding"] == nil {
		if held != nil && len(*held) > 0 {
			p = *held
		}
		if len(p) > 0 {
			w.header["Content-Type"] = []string{http.DetectContentType(p)}
		}
	}
	*w.out = w.appendHead(*w.out)
	if held != nil {
		w.frame(*held)
		next := w.out
		w.out = held
		w.drop()
		w.out = next
	}
}

func (w *reply) appendHead(to []byte) []byte {
	to = append(strconv.AppendInt(append(to, "HTTP/1.1 "...), int64(w.status), 10), ' ')
	to = append(append(to, http.StatusText(w.status)...), "\r\n"...)
	for name, values := range w.header {
		switch name {
		case "Content-Length", "Transfer-Encoding":
			continue
		case "Connection":
			w.close = w.close || len(values) > 0 && strings.EqualFold(values[0], "close")
			continue
		}
		if !isToken(name) {
			continue
		}
		for _, v := range values {
			to = append(appendValue(append(append(to, name...), ": "...), v), "\r\n"...)
		}
	}
	if w.header["Date"] == nil {
		to = append(append(append(to, "Date: "...), w.k.s.date(w.at)...), "\r\n"...)
	}
	switch {
	case w.chunked:
		to = append(to, "Transfer-Encoding: chunked\r\n"...)
	case w.left >= 0:
		to = append(strconv.AppendInt(append(to, "Content-Length: "...), w.left, 10), "\r\n"...)
	}
	if w.close {
		to = append(to, "Connection: close\r\n"...)
	}
	return append(to, "\r\n"...)
}

// appendValue keeps anyone from writing a header of their own into another's value.
func appendValue(to []byte, v string) []byte {
	if strings.IndexByte(v, '\n') < 0 && strings.IndexByte(v, '\r') < 0 {
		return append(to, v...)
	}
	return append(to, strings.NewReplacer("\n", " ", "\r", " ").Replace(v)...)
}

// frame adds p to what is to be sent.
func (w *reply) frame(p []byte) {
	if len(p) == 0 {
		return
	}
	if !w.chunked {
		w.left -= int64(len(p))
		w.add(p)
		return
	}
	if w.out == nil {
		w.out = outs.Get().(*[]byte)
	}
	out := strconv.AppendInt(*w.out, int64(len(p)), 16)
	out = append(append(append(out, "\r\n"...), p...), "\r\n"...)
	*w.out = out
}

// send writes what is there.
func (w *reply) send() error {
	if w.out == nil {
		return nil
	}
	_, err := w.k.sense.Write(*w.out)
	w.drop()
	w.failed = err
	return err
}

// finish ends the answer and says whether all of it was sent.
func (w *reply) finish() bool {
	w.WriteHeader(http.StatusOK)
	if !w.begun && w.failed == nil {
		w.begun = true
		if hasBody(w.status) {
			w.left = int64(w.held())
		}
		w.headed(nil)
	}
	if w.chunked && w.failed == nil {
		w.add([]byte("0\r\n\r\n"))
	}
	if w.failed == nil {
		_ = w.send() // failed says so
	}
	w.drop()
	if w.up.left > 0 && !w.close && !w.up.skip() {
		w.close = true
	}
	w.up.closed = true
	return w.failed == nil && w.left <= 0
}
