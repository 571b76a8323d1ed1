package api

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fluxway/fluxway/internal/api/ws"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

const (
	maxMessage   = 64 << 10         // bytes of one message of a client
	deadAfter    = 75 * time.Second // without a sign of life
	closeGrace   = 2 * time.Second  // for the client's half of a close
	opTimeout    = 30 * time.Second
	maxBackfill  = 192 << 10 // bytes sent for one backfill
	maxCoalesced = 64 << 10  // small frames are put together up to this before they are written
)

// socket is one client on a WebSocket. It keeps little: thousands may be idle.
type socket struct {
	s           *Server
	conn        *ws.Conn
	sub         *events.Subscription
	caller      atomic.Pointer[identity.Identity]
	credentials identity.Credentials
	request     string
	cut         atomic.Bool // the last write ended inside a frame
}

func (a eventsAPI) socket(c *call, _ none) error {
	if err := sameHost(c.r.Header.Get("Origin"), c.r.Host, a.s.publicHost); err != nil {
		return err
	}
	credentials, err := c.credentials()
	if err != nil {
		return err
	}
	conn, err := ws.Accept(c.w, c.r)
	if err != nil {
		return err
	}
	c.status = 101
	k := &socket{s: a.s, conn: conn, credentials: credentials, request: strings.Clone(c.origin.Request)}
	k.credentials.Session, k.credentials.Key = strings.Clone(credentials.Session), strings.Clone(credentials.Key)
	k.credentials.Agent = "" // already noted; the header is not kept
	k.caller.Store(c.caller)
	id := c.caller
	k.sub, err = a.hub.Subscribe(c.ctx, events.Request{
		Workspace: id.Workspace, Consumer: consumer(id).Name, Sink: k,
		Allow: func(channel string) bool { return a.s.mayFollow(k.caller.Load(), channel) },
	})
	if err != nil {
		k.refuse(err)
		return nil
	}
	a.s.streams.enter(k)
	return nil
}

// sameHost refuses a page of another origin: browsers do not protect sockets.
func sameHost(origin, host, public string) error {
	if origin == "" {
		return nil
	}
	if u, err := url.Parse(origin); err == nil && u.Host != "" && (strings.EqualFold(u.Host, host) || strings.EqualFold(u.Host, public)) {
		return nil
	}
	return fault.New(fault.Forbidden, "cross_origin", "A page of another origin may not connect.").
		WithParam("Origin").WithHint("Use the page of this server, or connect from a program with an API key.")
}

// enter has a fresh goroutine read the socket: that of the request ends, with
// its stack and its buffers.
func (st *streams) enter(k *socket) {
	st.mu.Lock()
	if !st.closed {
		st.sockets[k] = struct{}{}
		st.waiting.Go(k.read)
		st.mu.Unlock()
		return
	}
	st.mu.Unlock()
	k.refuse(stoppingFault())
}

// read takes messages until the connection ends.
func (k *socket) read() {
	err := error(nil)
	for err == nil {
		err = k.conn.Next(maxMessage, k.sub.Send, k.handle)
	}
	switch e := err.(type) { //nolint:errorlint // Next gives these as they are
	case *ws.Error:
		k.farewell(ws.Close(e.Code, e.Reason))
	case *ws.Closed:
		code := e.Code
		if code == 1005 {
			code = ws.Normal
		}
		k.farewell(ws.Close(code, ""))
	}
	k.sub.Close()
	k.close()
	k.s.streams.mu.Lock()
	delete(k.s.streams.sockets, k)
	k.s.streams.mu.Unlock()
}

// farewell writes a last frame, if the stream of frames is at a boundary and
// the system takes it at once.
func (k *socket) farewell(frame []byte) {
	k.sub.Close()
	if !k.cut.Load() {
		_, _ = k.conn.TryWrite(frame) // the other side may be gone already
	}
}

// refuse ends a connection that never began.
func (k *socket) refuse(err error) {
	frame := ws.Append(nil, ws.Text, control{Op: "error", Error: detail(err, k.request)}.encode())
	_, _ = k.conn.TryWrite(append(frame, ws.Close(ws.TryLater, fault.From(err).Code)...)) // see farewell
	k.close()
}

func (k *socket) close() { _ = k.conn.Close() } // a second time answers an error that says nothing

// leave tells the client to connect elsewhere; its reader ends soon after.
func (k *socket) leave(reason error) {
	k.say(control{Op: "error", Error: detail(reason, k.request)})
	_ = k.sub.Send(ws.Close(ws.Restarting, fault.From(reason).Code)) // a client that does not read is closed below
	_ = k.conn.SetReadDeadline(time.Now().Add(closeGrace))
}

// tend closes a dead connection or one whose credentials are no longer good,
// and asks the others for a sign of life.
func (k *socket) tend(ctx context.Context, now time.Time) {
	if now.Sub(k.conn.Heard()) > deadAfter {
		k.close()
		return
	}
	id, err := k.s.directory.Authenticate(ctx, k.credentials)
	was := k.caller.Load()
	switch {
	case ctx.Err() != nil:
		return
	case err != nil && fault.From(err).Kind == fault.Internal: // our side: not the client's fault
		k.s.log.WarnContext(ctx, "socket not checked", "request", k.request, "err", err)
	case err != nil:
		k.leave(err)
		return
	case id.Workspace != was.Workspace:
		k.leave(fault.New(fault.Unauthenticated, "identity_changed", "The session moved to another workspace.").WithHint("Connect again.").RetryIn(0))
		return
	default:
		k.caller.Store(id)
		k.sub.Reauthorise() // also for what another process changed
	}
	_ = k.sub.Send(pingFrame) // a full queue is the hub's to judge
}

var pingFrame = ws.Ping()

// coalesced are buffers for writes that carry several frames.
var coalesced = sync.Pool{New: func() any { b := make([]byte, 0, maxCoalesced); return &b }}

// Write gives frames to the system as they are; it never waits.
func (k *socket) Write(frames [][]byte) (int, error) {
	total, written := 0, 0
	for _, f := range frames {
		total += len(f)
	}
	for len(frames) > 0 {
		piece, rest, buffer := gather(frames)
		n, err := k.conn.TryWrite(piece)
		size := len(piece)
		if buffer != nil {
			coalesced.Put(buffer)
		}
		written += n
		if err != nil {
			return written, err
		}
		if n < size {
			break
		}
		frames = rest
	}
	full := written < total
	k.cut.Store(full)
	if full && !k.s.streams.spawn(k.whenWritable) {
		return written, stoppingFault()
	}
	return written, nil
}

// gather puts small frames together, so that one write carries all of them.
func gather(frames [][]byte) (piece []byte, rest [][]byte, buffer *[]byte) {
	if len(frames) == 1 || len(frames[0])+len(frames[1]) > maxCoalesced {
		return frames[0], frames[1:], nil
	}
	buffer = coalesced.Get().(*[]byte)
	b := (*buffer)[:0]
	for len(frames) > 0 && len(b)+len(frames[0]) <= maxCoalesced {
		b = append(b, frames[0]...)
		frames = frames[1:]
	}
	*buffer = b
	return b, frames, buffer
}

// whenWritable waits for a slow client; it exists only while one is slow.
func (k *socket) whenWritable() {
	if err := k.conn.WaitWritable(); err != nil {
		k.close()
	}
	k.sub.Ready()
}

// Notice tells the client what the hub says about it.
func (k *socket) Notice(n events.Notice) []byte {
	return events.Frame(control{Op: string(n.Kind), Dropped: n.Dropped, Lag: n.Lag}.encode())
}

// Closed ends the connection because the hub ended the subscription.
func (k *socket) Closed(reason error) {
	if !k.cut.Load() {
		code := ws.TryLater
		if fault.From(reason).Kind == fault.Gone {
			code = ws.Policy
		}
		frame := events.Frame(expiredOr(reason, k.request, "").encode())
		_, _ = k.conn.TryWrite(append(frame, ws.Close(code, fault.From(reason).Code)...)) // a stuck client hears nothing anyway
	}
	k.close()
}

// control is a message of the server that is no event.
type control struct {
	Op           string       `json:"op"`
	ID           string       `json:"id,omitempty"`
	Cursor       *int64       `json:"cursor,omitempty"`
	HasMore      bool         `json:"has_more,omitempty"`
	Acknowledged []int64      `json:"acknowledged,omitempty"`
	Unknown      []int64      `json:"unknown,omitempty"`
	Snapshot     string       `json:"snapshot,omitempty"`
	Dropped      int          `json:"dropped,omitempty"`
	Lag          int64        `json:"lag,omitempty"`
	Error        *ErrorDetail `json:"error,omitempty"`
}

func (c control) encode() []byte {
	text, err := json.Marshal(c)
	if err != nil { // only a fault's details could do that
		c.Error.Details = nil
		text, _ = json.Marshal(c) // strings and numbers always encode
	}
	return text
}

func (k *socket) say(c control) {
	_ = k.sub.Send(events.Frame(c.encode())) // a client that does not read is closed by the hub
}

func detail(err error, request string) *ErrorDetail {
	d := errorBody(fault.From(err), request).Error
	return &d
}

func errorJSON(err error, request string) []byte {
	return control{Op: "error", Error: detail(err, request)}.encode()
}

// expiredOr tells a client with an old cursor where to start again; any other
// error is told as it is.
func expiredOr(err error, request, id string, channels ...string) control {
	f := fault.From(err)
	if f.Code != "cursor_expired" {
		return control{Op: "error", ID: id, Error: detail(err, request)}
	}
	c := control{Op: "cursor_expired", ID: id, Snapshot: "GET /api/v1/events", Error: detail(err, request)}
	if len(channels) > 0 {
		family, _, _ := strings.Cut(channels[0], "/")
		if !strings.ContainsAny(family, "*") {
			c.Snapshot = "GET /api/v1/" + family
		}
	}
	if head, ok := f.Details["head"].(int64); ok {
		c.Cursor = &head
	}
	return c
}

// message is what a client can say.
type message struct {
	Op       string          `json:"op" required:"true" enum:"subscribe,unsubscribe,backfill,ack,ping"`
	ID       string          `json:"id" max:"64"`
	Channels []string        `json:"channels" max:"64"`
	After    *int64          `json:"after" min:"0"`
	Limit    int             `json:"limit" min:"1" max:"500"`
	Cursor   json.RawMessage `json:"cursor"`
}

// handle does what a message asks for; a mistake is answered, not punished.
func (k *socket) handle(op ws.Op, payload []byte) error {
	if op != ws.Text {
		return &ws.Error{Code: ws.Unsupported, Reason: "messages are JSON text"}
	}
	if l := k.s.perCaller; l != nil {
		if a := l.take(limitKey(k.caller.Load()), time.Now().UnixNano()); !a.ok {
			k.say(control{Op: "error", Error: detail(tooManyRequests(a.wait), k.request)})
			return nil
		}
	}
	var m message
	if err := decoder.Unmarshal(payload, &m); err != nil {
		k.say(control{Op: "error", ID: m.ID, Error: detail(err, k.request)})
		return nil
	}
	ctx, cancel := context.WithTimeout(identity.With(k.s.stopping, k.caller.Load()), opTimeout)
	defer cancel()
	if err := k.do(ctx, &m); err != nil {
		if fault.From(err).Kind == fault.Internal {
			k.s.log.ErrorContext(ctx, "socket message failed", "op", m.Op, "request", k.request, "err", err)
		}
		k.say(expiredOr(err, k.request, m.ID, m.Channels...))
	}
	return nil
}

func (k *socket) do(ctx context.Context, m *message) error {
	switch m.Op {
	case "subscribe":
		if err := needChannels(m); err != nil {
			return err
		}
		return k.sub.AddConfirmed(ctx, m.After, func(cursor int64) []byte {
			return events.Frame(control{Op: "subscribed", ID: m.ID, Cursor: &cursor}.encode())
		}, m.Channels...)
	case "unsubscribe":
		if err := needChannels(m); err != nil {
			return err
		}
		if err := k.sub.Remove(m.Channels...); err != nil {
			return err
		}
		k.say(control{Op: "unsubscribed", ID: m.ID})
	case "backfill":
		return k.backfill(ctx, m)
	case "ack":
		return k.ack(ctx, m)
	case "ping":
		k.say(control{Op: "pong", ID: m.ID})
	}
	return nil
}

func needChannels(m *message) error {
	if len(m.Channels) > 0 {
		return nil
	}
	return fault.New(fault.Invalid, "required", "channels is missing.").WithParam("channels").
		WithHint(`Name at least one, for example {"op":%q,"channels":["runs/*"]}.`, m.Op)
}

// backfill sends stored events once, without following their channels.
func (k *socket) backfill(ctx context.Context, m *message) error {
	id := k.caller.Load()
	after := int64(0)
	if m.After != nil {
		after = *m.After
	}
	list, err := k.s.hub.List(ctx, events.Query{
		Workspace: id.Workspace, Channels: m.Channels, After: after, Limit: m.Limit,
		Allow: k.s.allow(id),
	})
	if err != nil {
		return err
	}
	var frames []byte
	for i := range list.Data {
		text, err := json.Marshal(list.Data[i])
		if err != nil {
			return err
		}
		if len(frames) > 0 && len(frames)+len(text) > maxBackfill {
			list.HasMore, list.Next = true, list.Data[i-1].Cursor
			break
		}
		frames = ws.Append(frames, ws.Text, text)
	}
	done := control{Op: "backfilled", ID: m.ID, Cursor: &list.Next, HasMore: list.HasMore}
	return k.sub.Send(ws.Append(frames, ws.Text, done.encode()))
}

func (k *socket) ack(ctx context.Context, m *message) error {
	var cursors []int64
	err := decoder.Unmarshal(m.Cursor, &cursors)
	if err != nil {
		var one int64
		if err = decoder.Unmarshal(m.Cursor, &one); err == nil {
			cursors = []int64{one}
		}
	}
	if err != nil {
		return fault.New(fault.Invalid, "wrong_type", "cursor must be a whole number or an array of them.").
			WithParam("cursor").WithHint(`Send {"op":"ack","cursor":%s}.`, strconv.Itoa(123))
	}
	acked, err := k.s.hub.Ack(ctx, consumer(k.caller.Load()), cursors...)
	if err != nil {
		return err
	}
	k.say(control{Op: "acked", ID: m.ID, Acknowledged: acked.Acknowledged, Unknown: acked.Unknown})
	return nil
}
