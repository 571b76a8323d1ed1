package events

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/observe"
	"github.com/fluxway/fluxway/internal/store"
)

// Options are what a Hub needs. The zero value of every size is a sound default.
type Options struct {
	DB      *store.DB        // required
	Log     *slog.Logger     // nil: silent
	Observe *observe.Observe // nil: nothing is counted
	Fanout  Fanout           // nil: this is the only process

	Classes     []Class  // how long facts are kept; nil: DefaultClasses
	AckChannels []string // patterns of channels whose facts wait for an acknowledgement; nil: DefaultAckChannels

	LogBytes   int64         // memory of one workspace's log; 0: 8 MB
	TotalBytes int64         // memory of all logs, beyond which each shrinks; 0: 64 MB
	LogTTL     time.Duration // how long a frame stays in memory; 0: 10 minutes
	EventBytes int           // largest fact or delta; 0: 256 kB
	BatchBytes int           // about what one write carries; 0: 256 kB
	Workers    int           // deliver from memory; 0: one per core
	Readers    int           // deliver from the database; 0: 4

	DropLag     int64         // a subscriber this many bytes behind gets no older deltas; 0: 256 kB
	ThrottleLag int64         // a subscriber that blocked and is this far behind is told so; 0: 1 MB
	CloseLag    int64         // a subscriber this far behind and blocked for LagTime is closed; 0: LogBytes
	LagTime     time.Duration // spares those that a burst has overtaken; 0: 1 s
	StallTime   time.Duration // a subscriber blocked for this long is closed, however little waits for it; 0: 30 s
	HeadCheck   time.Duration // how often the database is asked for facts of other processes; 0: 1 s
}

// DefaultAckChannels are the families whose facts wait for an acknowledgement.
var DefaultAckChannels = []string{"approvals/**", "mail/**", "notifications/**"}

// NotificationChannel is where a user is told what waits for an acknowledgement.
func NotificationChannel(user ids.User) string { return "notifications/" + string(user) }

// A Hub appends facts, keeps them and delivers them to subscribers.
// Lock order: Hub.mu, stream.mu, Subscription.mu, queue.mu.
type Hub struct {
	opts    Options
	db      *store.DB
	log     *slog.Logger
	meters  meters
	classes []class
	acks    []Pattern
	fast    queue // of what is in memory
	slow    queue // of what asks the database
	kick    chan struct{}
	hearers map[string][]Hearer // by kind; set before the first fact is said

	mu      sync.Mutex // guards the fields below
	streams map[ids.Workspace]*stream
	subs    int
	stopped bool
}

// New checks the options. Append works at once; subscribers are served while
// Run runs.
func New(opts Options) (*Hub, error) {
	if opts.DB == nil {
		return nil, errors.New("events: Options.DB is nil")
	}
	opts = opts.filled()
	h := &Hub{opts: opts, db: opts.DB, log: opts.Log, kick: make(chan struct{}, 1), streams: make(map[ids.Workspace]*stream)}
	var err error
	if h.classes, err = compile(opts.Classes); err != nil {
		return nil, err
	}
	if h.acks, err = ParsePatterns(opts.AckChannels...); err != nil {
		return nil, fmt.Errorf("events: Options.AckChannels: %w", err)
	}
	h.fast.init()
	h.slow.init()
	h.meters = newMeters(opts.Observe, h)
	opts.DB.OnRestore(h.onRestore())
	return h, nil
}

func (o Options) filled() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Classes == nil {
		o.Classes = DefaultClasses()
	}
	if o.AckChannels == nil {
		o.AckChannels = DefaultAckChannels
	}
	o.LogBytes = cmp.Or(o.LogBytes, 8<<20)
	o.TotalBytes = cmp.Or(o.TotalBytes, 64<<20)
	o.LogTTL = cmp.Or(o.LogTTL, 10*time.Minute)
	o.EventBytes = cmp.Or(o.EventBytes, 256<<10)
	o.BatchBytes = cmp.Or(o.BatchBytes, 256<<10)
	o.Workers = cmp.Or(o.Workers, defaultWorkers())
	o.Readers = cmp.Or(o.Readers, 4)
	o.DropLag = cmp.Or(o.DropLag, 256<<10)
	o.ThrottleLag = cmp.Or(o.ThrottleLag, 1<<20)
	o.CloseLag = cmp.Or(o.CloseLag, o.LogBytes)
	o.LagTime = cmp.Or(o.LagTime, time.Second)
	o.StallTime = cmp.Or(o.StallTime, 30*time.Second)
	o.HeadCheck = cmp.Or(o.HeadCheck, time.Second)
	return o
}

// queued is a fact between Append and the commit.
type queued struct {
	workspace ids.Workspace
	channel   string
	kind      string
	data      []byte
	delta     bool // is not kept
}

// Append says facts on a channel, as part of the caller's transaction. They get
// their cursors when it commits and reach subscribers right after; if it does
// not commit they were never said.
func (h *Hub) Append(ctx context.Context, tx *store.Tx, ws ids.Workspace, channel string, events ...Event) error {
	items := make([]queued, 0, len(events))
	for _, ev := range events {
		kind, data, err := h.encode(ev)
		if err != nil {
			return err
		}
		items = append(items, queued{ws, channel, kind, hide(data), false})
	}
	if err := h.enlist(tx, ws, channel, items); err != nil {
		return err
	}
	return h.hear(ctx, tx, items)
}

// AppendEncoded is Append for events that Encode has made.
func (h *Hub) AppendEncoded(tx *store.Tx, ws ids.Workspace, channel string, events []Encoded) error {
	items := make([]queued, len(events))
	for i, ev := range events {
		items[i] = queued{ws, channel, ev.Kind, hide(ev.Data), false}
	}
	return h.enlist(tx, ws, channel, items)
}

// enlist hands facts to the commit.
func (h *Hub) enlist(tx *store.Tx, ws ids.Workspace, channel string, items []queued) error {
	if ws == "" {
		return errors.New("events: Append without a workspace")
	}
	if _, ok := checkName(channel, false); !ok {
		return fmt.Errorf("events: %q is not a channel", channel)
	}
	if len(items) > 0 {
		tx.BeforeCommit(h, items, h.flush)
	}
	return nil
}

// Encode checks an event and makes its JSON, for one that is appended later.
func (h *Hub) Encode(ev Event) (Encoded, error) {
	kind, data, err := h.encode(ev)
	return Encoded{kind, data}, err
}

// encode checks an event and makes its JSON.
func (h *Hub) encode(ev Event) (kind string, data []byte, err error) {
	if ev == nil {
		return "", nil, errors.New("events: the event is nil")
	}
	kind = ev.Kind()
	if !checkKind(kind) {
		return "", nil, fmt.Errorf("events: kind %q of %T is not of the form part.past_tense", kind, ev)
	}
	if own, ok := ev.(Appender); ok {
		data, err = own.AppendJSON(make([]byte, 0, 384))
	} else {
		data, err = json.Marshal(ev)
	}
	if err != nil {
		return "", nil, fmt.Errorf("encoding %s: %w", kind, err)
	}
	if len(data) > h.opts.EventBytes {
		return "", nil, fault.New(fault.TooLarge, "event_too_large", "The event %s is %d bytes; %d is the limit.", kind, len(data), h.opts.EventBytes).
			WithHint("Keep large texts in their own rows and say only their id.")
	}
	return kind, data, nil
}

// hide masks what looks like a secret, since facts stay for a long time.
func hide(data []byte) []byte {
	clean, changed := observe.RedactBytes(data)
	if !changed || json.Valid(clean) {
		return clean
	}
	// The mask cut through the syntax: mask each text by itself.
	var v any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		return []byte(`{}`)
	}
	masked, err := json.Marshal(hideValue(v))
	if err != nil {
		return []byte(`{}`)
	}
	return masked
}

func hideValue(v any) any {
	switch v := v.(type) {
	case string:
		return observe.Redact(v)
	case []any:
		for i := range v {
			v[i] = hideValue(v[i])
		}
	case map[string]any:
		for key, value := range v {
			if _, text := value.(string); text && observe.SecretKey(key) {
				v[key] = "•••"
			} else {
				v[key] = hideValue(value)
			}
		}
	}
	return v
}

// flush gives the facts of one commit their cursors and rows, workspace by
// workspace in a fixed order, so that two processes cannot deadlock here.
func (h *Hub) flush(ctx context.Context, tx *store.Tx, items []any) error {
	at := now()
	sizes := make(map[ids.Workspace]int)
	for _, item := range items {
		all := item.([]queued)
		sizes[all[0].workspace] += len(all) // they are of one Append
	}
	byWorkspace := make(map[ids.Workspace][]message, len(sizes))
	for ws, n := range sizes {
		byWorkspace[ws] = make([]message, 0, n)
	}
	for _, item := range items {
		for _, q := range item.([]queued) {
			byWorkspace[q.workspace] = append(byWorkspace[q.workspace], message{channel: q.channel, kind: q.kind, at: at, data: q.data, delta: q.delta})
		}
	}
	order := make([]ids.Workspace, 0, len(byWorkspace))
	for ws := range byWorkspace {
		order = append(order, ws)
	}
	slices.Sort(order)
	for _, ws := range order {
		if err := h.keep(ctx, tx, ws, byWorkspace[ws]); err != nil {
			return fmt.Errorf("appending events: %w", err)
		}
	}
	tx.AfterCommit(func() {
		for _, ws := range order {
			h.committed(ws, byWorkspace[ws])
		}
	})
	return nil
}

func (h *Hub) write(ctx context.Context, tx *store.Tx, ws ids.Workspace, ms []message) error {
	last, err := store.One[int64](ctx, tx, takeCursors, ws, len(ms))
	if err != nil {
		return err
	}
	for i := range ms {
		ms[i].cursor = last - int64(len(ms)-1-i)
	}
	rows := h.rows(ms)
	args := make([]any, 0, eventColumns*min(len(rows), insertSizes[0]))
	for len(rows) > 0 {
		n := insertSizes[slices.IndexFunc(insertSizes[:], func(size int) bool { return size <= len(rows) })]
		args = args[:0]
		for i := range rows[:n] {
			r := &rows[i]
			args = append(args, string(ws), r.cursor, r.facts, r.channel, r.kinds, r.class, r.needsAck, r.at.UnixMicro(), r.data)
		}
		if _, err := tx.Exec(ctx, insertEvents[n], args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// committed delivers what is durable now; calls come in the order of commits.
func (h *Hub) committed(ws ids.Workspace, ms []message) {
	if st := h.known(ws); st != nil {
		st.take(ms)
	}
	h.announce(ws, ms)
	deltas := 0
	for i := range ms {
		if ms[i].delta {
			deltas++
		}
	}
	h.meters.facts.Add(float64(len(ms) - deltas))
	h.meters.deltas.Add(float64(deltas))
}

func (h *Hub) needsAck(channel string) bool {
	return slices.ContainsFunc(h.acks, func(p Pattern) bool { return p.Match(channel) })
}

// known is the stream of a workspace that has, or lately had, subscribers.
func (h *Hub) known(ws ids.Workspace) *stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.streams[ws]
}

// Head is the cursor of the newest fact of a workspace; 0 when there is none.
func (h *Hub) Head(ctx context.Context, ws ids.Workspace) (int64, error) {
	head, err := store.One[int64](ctx, h.db.Read(), selectHead, ws)
	if errors.Is(err, store.ErrNoRows) {
		return 0, nil
	}
	return head, err
}

// Forget deletes every fact of a workspace, with the workspace itself.
func (h *Hub) Forget(ctx context.Context, tx *store.Tx, ws ids.Workspace) error {
	for _, statement := range forget {
		if _, err := tx.Exec(ctx, statement, ws); err != nil {
			return fmt.Errorf("forgetting the events of %s: %w", ws, err)
		}
	}
	tx.AfterCommit(func() { h.drop(ws) })
	return nil
}

// now has the precision that the database keeps.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }
