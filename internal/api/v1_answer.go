package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/api/compat"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

// question is a request for an answer, as far as it was read.
type question struct {
	compat.Head
	door  string
	array bool // Gemini: the stream is a JSON array
}

// answer passes the question on as it is where the model's vendor speaks the
// dialect, and translates it elsewhere.
func (a doorsAPI) answer(c *call, q *question) error {
	d := c.e.route.Action.dialect
	models, err := a.gateway.Router(c.ctx)
	if err != nil {
		return err
	}
	ctx := c.charged(q.door, q.Model)
	if !q.array && models.Relayable(q.Model, d.Name()) {
		resp, err := models.Relay(ctx, a.encoded(c, d, q))
		if err == nil {
			return a.relay(c, &q.Head, resp)
		}
		if !elsewhere(ctx, models, q.Model, err) {
			return err
		}
	}
	return a.translate(ctx, c, models, q)
}

// translate asks in our own words, and answers in the dialect.
func (a doorsAPI) translate(ctx context.Context, c *call, models *providers.Router, q *question) error {
	d := c.e.route.Action.dialect
	req, err := d.Request(c.body)
	if err != nil {
		return err
	}
	req.Model = q.Model
	meta := compat.Meta{ID: c.origin.Request, Model: q.Model, At: c.started, Usage: q.Usage, Array: q.array, Body: c.body}
	if q.Stream {
		return a.stream(ctx, c, models, req, d.Stream(meta), q.array)
	}
	req.Whole = req.MaxTokens > 0 && req.MaxTokens <= shortAnswer
	answer, err := providers.Complete(ctx, models, req)
	if err != nil {
		return err
	}
	body, err := d.Whole(answer, meta)
	if err != nil {
		return err
	}
	c.late()
	c.writeJSON(http.StatusOK, body)
	return nil
}

// shortAnswer is how many tokens are asked for in one piece. Of a longer answer every token is told as it comes: a
// vendor may be silent for minutes otherwise, and an answer that is given up would be counted by guess.
const shortAnswer = 2048

// encoded is the question as the vendor will get it.
func (a doorsAPI) encoded(c *call, d compat.Dialect, q *question) *providers.RawRequest {
	req := &providers.RawRequest{Dialect: d.Name(), Model: q.Model, Body: c.body, Streaming: q.Stream}
	switch d.Name() {
	case providers.DialectMessages:
		if flags := c.r.Header["Anthropic-Beta"]; len(flags) > 0 {
			req.Header = http.Header{"Anthropic-Beta": flags}
		}
	case providers.DialectGemini:
		req.Body = bytes.Clone(c.body) // sent as it is, perhaps still while the answer is read, and ours is reused
	}
	return req
}

// elsewhere says whether another model of the route may succeed, although it
// speaks another dialect.
func elsewhere(ctx context.Context, models *providers.Router, model string, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	switch fault.From(err).Code {
	case providers.CodeRate, providers.CodeQuota, providers.CodeAuth, providers.CodeOverloaded, providers.CodeUnavailable, providers.CodeSlow, providers.CodeNoModel:
	default:
		return false
	}
	plan, planErr := models.Plan(&providers.Request{Model: model})
	return planErr == nil && len(plan) > 1
}

// pieces hold what passes by; they are small because many streams live at once.
// bursts are for a stream that comes faster than that; most answers that are
// wanted whole fit a page.
var (
	pieces = sync.Pool{New: func() any { return new([pieceSize]byte) }}
	pages  = sync.Pool{New: func() any { return new([pageSize]byte) }}
	bursts = sync.Pool{New: func() any { return new([burstSize]byte) }}
)

const (
	pieceSize = 512
	pageSize  = 4 << 10
	burstSize = 16 << 10
)

// burstGap is how close together the pieces of a burst come.
const burstGap = 2 * time.Millisecond

var noBuffering = []string{"no"}

// window is the buffer of one stream: a page for what comes with the vendor's
// head, or a burst if that is more, then a piece, or a burst while there is one.
type window struct {
	page  *[pageSize]byte
	piece *[pieceSize]byte
	burst *[burstSize]byte
	size  int       // of what was last read to; 0: nothing was
	last  time.Time // when something came; zero: nothing yet
}

// next is where to read to after n bytes came.
func (w *window) next(n int) []byte {
	to := w.choose(n)
	w.size = len(to)
	return to
}

func (w *window) choose(n int) []byte {
	if w.size == 0 {
		if w.burst != nil {
			return w.burst[:]
		}
		w.page = pages.Get().(*[pageSize]byte)
		return w.page[:]
	}
	now := time.Now()
	fast := n == w.size || now.Sub(w.last) < burstGap
	if w.last.IsZero() {
		fast = n > pieceSize // more than one piece came with the head
	}
	w.last = now
	if w.page != nil {
		pages.Put(w.page)
		w.page = nil
	}
	switch {
	case fast && w.burst == nil:
		w.burst = bursts.Get().(*[burstSize]byte)
	case !fast && w.burst != nil:
		bursts.Put(w.burst)
		w.burst = nil
	}
	if w.burst != nil {
		return w.burst[:]
	}
	if w.piece == nil {
		w.piece = pieces.Get().(*[pieceSize]byte)
	}
	return w.piece[:]
}

func (w *window) release() {
	if w.page != nil {
		pages.Put(w.page)
	}
	if w.piece != nil {
		pieces.Put(w.piece)
	}
	if w.burst != nil {
		bursts.Put(w.burst)
	}
}

// outlet writes an answer piece by piece, each at once. A reader that stalls is
// given up after a while.
type outlet struct {
	c       *call
	to      io.Writer // past the call, which only wants to know of the first
	flusher http.Flusher
	until   time.Time // the write deadline that was set last
	begun   bool
}

func (a doorsAPI) outlet(c *call, contentType string) *outlet {
	h := c.w.Header()
	// A policy for documents says nothing about a stream, and a map of more than
	// eight headers is twice as large as long as the stream lives.
	delete(h, "Content-Security-Policy")
	h["Content-Type"] = []string{contentType}
	h["X-Accel-Buffering"] = noBuffering
	o := &outlet{c: c, to: c.w}
	if t, ok := c.w.(tracked); ok {
		o.to = t.ResponseWriter
		o.flusher, _ = t.ResponseWriter.(http.Flusher)
	}
	if w, ok := o.to.(interface{ SetReadDeadline(t time.Time) error }); ok { // asked at once: the controller asks for much else before
		_ = w.SetReadDeadline(time.Time{}) // a connection that is gone says so when it is written to
	} else {
		_ = http.NewResponseController(c.w).SetReadDeadline(time.Time{}) // a writer without deadlines never cuts the stream off
	}
	return o
}

// write sends b now.
func (o *outlet) write(b []byte) error {
	if err := o.hold(b); err != nil || len(b) == 0 {
		return err
	}
	if o.flusher != nil {
		o.flusher.Flush()
	}
	return nil
}

// hold sends b with what follows: for what is last, which the end follows at once.
func (o *outlet) hold(b []byte) error {
	if len(b) == 0 && !o.begun {
		return nil
	}
	now := time.Now()
	if !o.begun {
		o.begun = true
		if o.c.status == 0 {
			o.c.status = http.StatusOK
		}
		// A first token that is in a hurry leaves within the server's own limit, which is longer.
		if now.Sub(o.c.started) < stallLimit {
			_, err := o.to.Write(b)
			return err
		}
	}
	if now.Add(stallLimit).After(o.until) {
		o.until = now.Add(2 * stallLimit)
		_ = http.NewResponseController(o.c.w).SetWriteDeadline(o.until) // a writer without deadlines cannot stall either
	}
	_, err := o.to.Write(b)
	return err
}

// relay gives the vendor's bytes to the caller as they come.
func (a doorsAPI) relay(c *call, q *compat.Head, resp *providers.RawResponse) error {
	if !q.Stream {
		return a.relayWhole(c, resp)
	}
	p := a.passage(c, q, resp)
	defer p.end()
	return a.relayed(p, p.run())
}

// passage is a stream on its way through. What it needs is here and not with who
// began it, so that its goroutine has a small stack as long as the stream lives.
type passage struct {
	*outlet
	window
	resp   *providers.RawResponse
	filter *usageFilter // nil: everything passes
}

//go:noinline
func (a doorsAPI) passage(c *call, q *compat.Head, resp *providers.RawResponse) *passage {
	c.release() // a stream may last: the prompt is not held meanwhile
	// The headers are parts of one text: a copy lets go of the rest.
	p := &passage{outlet: a.outlet(c, strings.Clone(resp.Header.Get("Content-Type"))), resp: resp}
	resp.Header = nil // nobody asks again
	if resp.Ready > pageSize {
		p.burst = bursts.Get().(*[burstSize]byte)
	}
	if c.e.route.Action.dialect.Name() == providers.DialectChat && !q.Usage {
		p.filter = new(usageFilter)
	}
	return p
}

func (p *passage) end() {
	p.window.release()
	p.resp.Body.Close()
}

// run passes on until the vendor's bytes end, and says how; nil: the caller is
// gone, and closing the body tells the vendor and the ledger.
func (p *passage) run() error {
	for n := 0; ; {
		to := p.next(n)
		var err error
		n, err = p.resp.Body.Read(to)
		piece := to[:n]
		if p.filter != nil {
			piece = p.filter.pass(piece, err != nil)
		}
		if err != nil {
			_ = p.hold(piece) // the caller is gone, or gets it
			return err
		}
		if p.write(piece) != nil {
			return nil
		}
		if p.burst != nil {
			runtime.Gosched() // others first: more will be here then, and goes out at once
		}
	}
}

// relayed looks at how a stream ended: one that broke says so in its dialect.
func (a doorsAPI) relayed(p *passage, err error) error {
	if err == nil || errors.Is(err, io.EOF) && p.resp.Meter.Tally().Finished {
		return nil
	}
	c := p.c
	if c.r.Context().Err() != nil {
		return err
	}
	broken := providers.Broken(c.ctx, "the provider", err)
	d := c.e.route.Action.dialect
	_ = p.write(d.Stream(compat.Meta{ID: c.origin.Request, At: c.started}).Fail(nil, fault.From(broken))) // gone or told
	return broken
}

func (a doorsAPI) relayWhole(c *call, resp *providers.RawResponse) error {
	defer resp.Body.Close()
	c.release()
	c.late()
	page := pages.Get().(*[pageSize]byte)
	defer pages.Put(page)
	n, err := fill(resp.Body, page[:])
	if err != nil {
		return a.relayShort(c, resp, page[:n], err)
	}
	buf := bursts.Get().(*[burstSize]byte)
	defer bursts.Put(buf)
	copy(buf[:], page[:])
	n, err = fill(resp.Body, buf[pageSize:])
	if err != nil {
		return a.relayShort(c, resp, buf[:pageSize+n], err)
	}
	c.w.Header()["Content-Type"] = []string{resp.Header.Get("Content-Type")}
	to := steady{c}
	if _, err := to.Write(buf[:]); err != nil {
		return nil //nolint:nilerr // the caller is gone
	}
	if _, err := io.CopyBuffer(to, struct{ io.Reader }{resp.Body}, buf[:]); err != nil && c.r.Context().Err() == nil {
		panic(http.ErrAbortHandler) // half an answer must not look whole
	}
	return nil
}

// relayShort sends an answer that was read to its end: it has a length.
func (a doorsAPI) relayShort(c *call, resp *providers.RawResponse, answer []byte, err error) error {
	if !errors.Is(err, io.EOF) {
		return providers.Broken(c.ctx, "the provider", err)
	}
	h := c.w.Header()
	h["Content-Type"] = []string{resp.Header.Get("Content-Type")}
	if len(answer) > smallAnswer { // one header more, and the map of them is twice as large
		h["Content-Length"] = []string{strconv.Itoa(len(answer))}
	}
	c.late()                 // its body may have been long in coming, too
	_, _ = c.w.Write(answer) // the caller is gone, or has it
	return nil
}

// fill reads until the buffer is full or the reader says why it is not: unlike
// io.ReadFull it tells an answer's end from its breaking off.
func fill(from io.Reader, to []byte) (n int, err error) {
	for n < len(to) && err == nil {
		var m int
		m, err = from.Read(to[n:])
		n += m
	}
	return n, err
}

// stream translates an answer while it comes.
func (a doorsAPI) stream(ctx context.Context, c *call, models *providers.Router, req *providers.Request, enc compat.Encoder, array bool) error {
	s, err := models.Stream(ctx, req)
	if err != nil {
		return err
	}
	defer s.Close()
	c.release()
	contentType := "text/event-stream; charset=utf-8"
	if array {
		contentType = "application/json; charset=utf-8"
	}
	out := a.outlet(c, contentType)
	pooled := pieces.Get().(*[pieceSize]byte)
	defer pieces.Put(pooled)
	text := pooled[:0]
	var burst *[burstSize]byte // while many chunks come at once
	defer func() {
		if burst != nil {
			bursts.Put(burst)
		}
	}()
	var chunk providers.Chunk
	for {
		err := s.Next(&chunk)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			if c.r.Context().Err() == nil {
				_ = out.write(enc.Fail(text, fault.From(err))) // gone or told
			}
			return err
		}
		text = enc.Chunk(text, &chunk)
		if chunk.More && len(text) < burstSize-pieceSize {
			if burst == nil {
				burst = bursts.Get().(*[burstSize]byte)
				text = append(burst[:0], text...)
			}
			continue
		}
		switch chunk.Kind {
		case providers.ChunkStart, providers.ChunkUsage, providers.ChunkToolEnd: // more follows at once
			continue
		}
		if chunk.Kind == providers.ChunkFinish {
			err = out.hold(text)
		} else {
			err = out.write(text)
		}
		if err != nil {
			return nil //nolint:nilerr // the caller is gone: closing the stream tells the vendor and the ledger
		}
		if burst != nil {
			bursts.Put(burst)
			burst = nil
		}
		text = pooled[:0] // one large piece must not stay for the whole stream
	}
}

// usageFilter takes the chunk of usage out of a chat stream whose caller did not
// ask for it: the ledger did. Everything else passes untouched.
type usageFilter struct {
	held []byte // the beginning of an event whose end has not come yet
}

var (
	eventEnd   = []byte("\n\n")
	noChoices  = []byte(`"choices":[]`)
	noChoices2 = []byte(`"choices": []`)
	usageMark  = []byte(`"usage"`)
)

// pass answers what of p may go on; at the end it holds nothing back.
func (f *usageFilter) pass(p []byte, end bool) []byte {
	if len(f.held) == 0 && bytes.HasSuffix(p, eventEnd) && !bytes.Contains(p, noChoices) && !bytes.Contains(p, noChoices2) {
		return p
	}
	f.held = append(f.held, p...)
	var out []byte
	for {
		i := bytes.Index(f.held, eventEnd)
		switch {
		case i < 0 && end:
			return append(out, f.held...)
		case i < 0:
			return out
		}
		event := f.held[:i+len(eventEnd)]
		if !isUsage(event) {
			out = append(out, event...)
		}
		f.held = f.held[i+len(eventEnd):]
	}
}

func isUsage(event []byte) bool {
	return (bytes.Contains(event, noChoices) || bytes.Contains(event, noChoices2)) && bytes.Contains(event, usageMark)
}
