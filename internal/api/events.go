package api

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

// eventsAPI is the log of facts: to read, to follow, to acknowledge.
type eventsAPI struct {
	s   *Server
	hub *events.Hub
}

func (a eventsAPI) routes() []route {
	return []route{
		{"GET", "/api/v1/events", "events:read", "Stored events, the oldest first.", handler(a.list)},
		{"GET", "/api/v1/events/stream", "events:read", "Follow events as server-sent events; resumable with Last-Event-ID.", door(a.stream, media("text/event-stream"))},
		{"GET", "/api/v1/ws", "events:read", "Follow events over a WebSocket: subscribe, unsubscribe, backfill, ack, ping.", door(a.socket, status(101))},
		{"GET", "/api/v1/events/acks", "events:read", "Events that the caller has still to acknowledge.", handler(a.pending)},
		{"POST", "/api/v1/events/acks", "events:read", "Acknowledge events, so that they are not delivered again.", handler(a.ack, quiet)},
	}
}

// families whose channels are read with another permission than their name and ":read".
var families = map[string]string{
	"approvals":     "guard:read",
	"identity":      "users:read",
	"mail":          "coordination:read",
	"notifications": "events:read",
}

// mayFollow says whether the caller may read a channel. A conversation may be
// private, and so may its runs, so their parts are asked; what a person is told is for nobody else.
func (s *Server) mayFollow(id *identity.Identity, channel string) bool {
	family, rest, _ := strings.Cut(channel, "/")
	permission := families[family]
	if permission == "" {
		permission = family + ":read"
	}
	if !id.May(permission) {
		return false
	}
	switch {
	case rest == "":
		return true
	case family == "notifications":
		return rest == string(id.User)
	case family == "conversations":
		return s.visible.ask(sight{id.User, id.Workspace, rest}, func() bool { return s.maySee(id, rest) })
	case family == "runs":
		return s.visible.ask(sight{id.User, id.Workspace, rest}, func() bool { return s.mayWatch(id, rest) })
	}
	return true
}

// mayWatch says whether the caller may see the conversation that a run belongs to.
func (s *Server) mayWatch(id *identity.Identity, run string) bool {
	return s.opts.Runs != nil && s.certain("run", run, func(ctx context.Context) error { return s.opts.Runs.Sees(ctx, askerOf(id), ids.Run(run)) })
}

func (s *Server) maySee(id *identity.Identity, conversation string) bool {
	return s.opts.Conversations != nil && s.certain("conversation", conversation, func(ctx context.Context) error {
		_, err := s.opts.Conversations.Get(ctx, askerOf(id), ids.Conversation(conversation))
		return err
	})
}

// certain asks until the answer is yes or no: who is told no because a busy database did not answer misses an event
// for good.
func (s *Server) certain(what, which string, look func(context.Context) error) bool {
	for {
		ctx, cancel := context.WithTimeout(s.stopping, sightTimeout)
		err := look(ctx)
		cancel()
		if err == nil || fault.From(err).Kind == fault.NotFound || s.stopping.Err() != nil {
			return err == nil
		}
		s.log.WarnContext(ctx, "not known yet who may see it", what, which, "err", err)
		select {
		case <-s.stopping.Done():
		case <-time.After(sightPause):
		}
	}
}

// allow is mayFollow for one caller.
func (s *Server) allow(id *identity.Identity) func(channel string) bool {
	return func(channel string) bool { return s.mayFollow(id, channel) }
}

// consumer is who acknowledges: a person, or a program with a key of its own.
func consumer(id *identity.Identity) events.Consumer {
	return events.Consumer{Workspace: id.Workspace, Name: limitKey(id)}
}

// EventPage is a piece of the log.
type EventPage struct {
	Data       []events.Record `json:"data"`
	HasMore    bool            `json:"has_more"`
	NextCursor string          `json:"next_cursor,omitempty" doc:"Send it as after to go on."`
}

func pageOf(list events.List, err error) (EventPage, error) {
	out := EventPage{Data: list.Data, HasMore: list.HasMore}
	if list.HasMore {
		out.NextCursor = strconv.FormatInt(list.Next, 10)
	}
	return out, err
}

type eventsQuery struct {
	Channel []string `query:"channel" max:"64" doc:"Channels or patterns: runs/*, conversations/**; all if left out."`
	Kind    string   `query:"kind" max:"128"`
	After   int64    `query:"after" min:"0" doc:"Only events with a greater cursor."`
	Limit   int      `query:"limit" min:"1" max:"500" doc:"100 if left out."`
}

func (a eventsAPI) list(ctx context.Context, in eventsQuery) (EventPage, error) {
	id := identity.From(ctx)
	return pageOf(a.hub.List(ctx, events.Query{
		Workspace: id.Workspace, Channels: in.Channel, Kind: in.Kind, After: in.After, Limit: in.Limit,
		Allow: a.s.allow(id),
	}))
}

type acksQuery struct {
	Channel []string `query:"channel" max:"64"`
	After   int64    `query:"after" min:"0"`
	Limit   int      `query:"limit" min:"1" max:"500"`
}

func (a eventsAPI) pending(ctx context.Context, in acksQuery) (EventPage, error) {
	id := identity.From(ctx)
	return pageOf(a.hub.PendingAcks(ctx, events.AckQuery{
		Consumer: consumer(id), Channels: in.Channel, After: in.After, Limit: in.Limit,
		Allow: a.s.allow(id),
	}))
}

type ackRequest struct {
	Cursors []int64 `json:"cursors" required:"true" min:"1" max:"1000" doc:"The cursors of the events."`
}

func (a eventsAPI) ack(ctx context.Context, in ackRequest) (events.Acked, error) {
	return a.hub.Ack(ctx, consumer(identity.From(ctx)), in.Cursors...)
}

type streamQuery struct {
	Channels []string `query:"channels" required:"true" max:"64" doc:"Channels or patterns, separated by commas."`
	After    *int64   `query:"after" min:"0" doc:"Start behind this cursor; only what comes if left out."`
	LastID   *int64   `header:"Last-Event-ID" doc:"What a browser sends when it connects again; wins over after."`
}

// heartbeat keeps proxies from closing a quiet stream, and finds dead ones.
const heartbeat = 15 * time.Second

func (a eventsAPI) stream(c *call, in streamQuery) error {
	after := in.After
	if in.LastID != nil {
		after = in.LastID
	}
	id := c.caller
	ctx, leave, err := a.s.streams.join(c.ctx)
	if err != nil {
		return err
	}
	defer leave()
	sub, err := a.hub.Subscribe(ctx, events.Request{
		Workspace: id.Workspace, Channels: in.Channels, After: after, Consumer: consumer(id).Name,
		Allow: a.s.allow(id),
	})
	if err != nil {
		return err
	}
	defer sub.Close()
	out := newEventWriter(c)
	if err := out.flush(); err != nil {
		return nil //nolint:nilerr // the reader is gone
	}
	return a.follow(ctx, out, sub)
}

// follow carries events to the reader until one of both ends. A stream that has
// begun tells its end inside itself.
func (a eventsAPI) follow(ctx context.Context, out *eventWriter, sub *events.Subscription) error {
	for {
		batch, err := next(ctx, sub)
		switch {
		case errors.Is(err, errQuiet):
			if err = out.c.stillThere(ctx); err == nil {
				out.text.WriteString(": still here\n\n")
				err = out.flush()
			}
		case err == nil:
			err = out.batch(batch)
		}
		if err != nil {
			if out.c.r.Context().Err() == nil {
				out.last(err)
			}
			return nil
		}
	}
}

// errQuiet means that nothing happened for a heartbeat.
var errQuiet = errors.New("nothing to send")

func next(ctx context.Context, sub *events.Subscription) (events.Batch, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, heartbeat, errQuiet)
	defer cancel()
	return sub.Next(ctx)
}

// stillThere says whether the caller of a long stream may still have it.
func (c *call) stillThere(ctx context.Context) error {
	credentials, err := c.credentials()
	if err != nil {
		return err
	}
	id, err := c.s.directory.Authenticate(ctx, credentials)
	if err != nil {
		return err
	}
	if id.Workspace != c.caller.Workspace || id.Permissions != c.caller.Permissions {
		return fault.New(fault.Unauthenticated, "identity_changed", "What you may see has changed.").WithHint("Connect again.").RetryIn(0)
	}
	return nil
}

// eventWriter puts deliveries into the format of server-sent events.
type eventWriter struct {
	c    *call
	to   steady
	text bytes.Buffer
}

// newEventWriter begins a stream that may last.
func newEventWriter(c *call) *eventWriter {
	h := c.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store, no-transform")
	h.Set("X-Accel-Buffering", "no")
	h.Del("Content-Length")
	w := &eventWriter{c: c, to: steady{c}}
	w.to.endless()
	w.text.WriteString("retry: 2000\n\n")
	return w
}

func (w *eventWriter) batch(b events.Batch) error {
	for i := range b.Deliveries {
		d := &b.Deliveries[i]
		if d.Cursor > 0 && !d.Redelivered {
			w.text.WriteString("id: ")
			w.text.Write(strconv.AppendInt(w.text.AvailableBuffer(), d.Cursor, 10))
			w.text.WriteByte('\n')
		}
		w.event(d.Kind, d.JSON)
	}
	if b.Dropped > 0 {
		w.event("dropped", []byte(`{"dropped":`+strconv.Itoa(b.Dropped)+`}`))
	}
	return w.flush()
}

func (w *eventWriter) event(kind string, data []byte) {
	w.text.WriteString("event: ")
	w.text.WriteString(kind)
	w.text.WriteString("\ndata: ")
	w.text.Write(data)
	w.text.WriteString("\n\n")
}

// last says why the stream ends.
func (w *eventWriter) last(err error) {
	w.text.Reset()
	w.event("error", errorJSON(err, w.c.origin.Request))
	_ = w.flush() // the reader is gone or stuck: the connection closes anyway
}

func (w *eventWriter) flush() error {
	_, err := w.to.Write(w.text.Bytes())
	w.text.Reset()
	if err == nil {
		w.c.w.(tracked).Flush()
	}
	return err
}
