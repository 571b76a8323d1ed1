package events

import (
	"context"
	"fmt"
	"slices"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
)

// Publish says a delta, which is worth something only now: it is never stored,
// has no cursor, and is the first thing a slow subscriber loses. A delta that
// cannot be encoded is a mistake in the program and is logged.
func (h *Hub) Publish(ws ids.Workspace, channel string, ev Event) {
	kind, data, ok := h.delta(channel, ev)
	if !ok {
		return
	}
	m := message{channel: channel, kind: kind, at: now(), data: data}
	if st := h.known(ws); st != nil {
		st.acceptDelta(&m)
	}
	h.announce(ws, []message{m})
	h.meters.deltas.Inc()
}

// AppendDeltas says deltas as Publish does, in the order of what is appended in the transaction, once it commits.
func (h *Hub) AppendDeltas(tx *store.Tx, ws ids.Workspace, channel string, deltas []Event) error {
	items := make([]queued, 0, len(deltas))
	for _, ev := range deltas {
		if kind, data, ok := h.delta(channel, ev); ok {
			items = append(items, queued{ws, channel, kind, data, true})
		}
	}
	return h.enlist(tx, ws, channel, items)
}

// delta makes the JSON of a delta; one that cannot be said is logged.
func (h *Hub) delta(channel string, ev Event) (kind string, data []byte, ok bool) {
	kind, data, err := h.encode(ev)
	if _, ok := checkName(channel, false); !ok && err == nil {
		err = fmt.Errorf("events: %q is not a channel", channel)
	}
	if err != nil {
		h.log.Error("delta not published", "part", "events", "channel", channel, "err", err)
	}
	return kind, data, err == nil
}

// keep writes the facts among what is said, and gives them their cursors.
func (h *Hub) keep(ctx context.Context, tx *store.Tx, ws ids.Workspace, ms []message) error {
	if !slices.ContainsFunc(ms, func(m message) bool { return m.delta }) {
		return h.write(ctx, tx, ws, ms)
	}
	facts := make([]message, 0, len(ms))
	for i := range ms {
		if !ms[i].delta {
			facts = append(facts, ms[i])
		}
	}
	if len(facts) == 0 {
		return nil
	}
	if err := h.write(ctx, tx, ws, facts); err != nil {
		return err
	}
	for i := range ms {
		if !ms[i].delta {
			ms[i].cursor, facts = facts[0].cursor, facts[1:]
		}
	}
	return nil
}
