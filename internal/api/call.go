package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/identity"
)

// call is one request on its way through the server.
type call struct {
	s       *Server
	e       *endpoint
	w       http.ResponseWriter
	r       *http.Request
	ctx     context.Context
	started time.Time

	params [maxParams]string
	caller *identity.Identity // nil on public routes
	origin identity.Origin
	secure bool // the browser came over TLS

	body    []byte        // of the request, read whole; valid during the call
	buffer  *bytes.Buffer // where body and answer are put together
	encoded []byte        // of the answer, for idempotency; valid during the call
	status  int           // of the answer; 0: nothing was written yet

	before, after any // what a mutation changed, for the audit
}

type callKey struct{}

// callContext is the request's context with the call in it, in one piece.
type callContext struct {
	context.Context
	c *call
}

// Value finds the call, or asks the context below.
func (x callContext) Value(key any) any {
	if key == (callKey{}) {
		return x.c
	}
	return x.Context.Value(key)
}

// callOf is the call a typed function runs in.
func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// changed tells the audit what a mutation changed, where its part does not
// record that itself.
func (c *call) changed(before, after any) { c.before, c.after = before, after }

// buffers are reused between requests; large ones are left to the collector.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const maxKeptBuffer = 64 << 10

func (c *call) release() {
	if c.buffer != nil && c.buffer.Cap() <= maxKeptBuffer {
		c.buffer.Reset()
		buffers.Put(c.buffer)
	}
	c.buffer, c.body, c.encoded = nil, nil, nil
}

// smallAnswer is what the standard library measures by itself.
const smallAnswer = 2000

var jsonType = []string{"application/json; charset=utf-8"}

// answer writes what a typed function returned.
func (c *call) answer(out any) error {
	code := c.e.route.Action.status
	if s, ok := out.(splitter); ok {
		body, special, cookies := s.split()
		for _, cookie := range cookies {
			http.SetCookie(c.w, cookie)
		}
		if special != 0 {
			code = special
		}
		out = body
	}
	if c.e.route.Action.out == nil {
		c.writeEmpty(code)
		return nil
	}
	start := c.buffer.Len()
	encoder := json.NewEncoder(c.buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(out); err != nil {
		return fmt.Errorf("encoding the answer: %w", err)
	}
	c.encoded = c.buffer.Bytes()[start:]
	c.writeJSON(code, c.encoded)
	return nil
}

func (c *call) writeEmpty(code int) {
	c.status = code
	c.w.WriteHeader(code)
}

func (c *call) writeJSON(code int, body []byte) {
	h := c.w.Header()
	h["Content-Type"] = jsonType
	if len(body) > smallAnswer || c.r.Method == http.MethodHead {
		h["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	c.status = code
	c.w.WriteHeader(code)
	if c.r.Method != http.MethodHead {
		_, _ = c.w.Write(body) // the caller is gone: nobody is left to tell
	}
}

// tracked is a ResponseWriter for doors: it notes what was answered.
type tracked struct {
	http.ResponseWriter
	c *call
}

// WriteHeader notes the status.
func (t tracked) WriteHeader(code int) {
	if t.c.status == 0 && code >= 200 {
		t.c.status = code
	}
	t.ResponseWriter.WriteHeader(code)
}

// Write notes the implied status.
func (t tracked) Write(b []byte) (int, error) {
	if t.c.status == 0 {
		t.c.status = http.StatusOK
	}
	return t.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (t tracked) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// Flush sends what was written so far.
func (t tracked) Flush() {
	_ = http.NewResponseController(t.ResponseWriter).Flush() // a writer that cannot flush has nothing to hold back
}
