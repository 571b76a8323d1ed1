package events

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
)

// Fanout carries events between processes on one database. It may lose, repeat
// and reorder messages: cursors show what is missing, and it is read from the
// database.
type Fanout interface {
	// Send tells the other processes. It must not wait.
	Send(ws ids.Workspace, message []byte) error
	// Receive calls take for every message of other processes until ctx ends.
	// listening is called whenever messages begin to arrive, also again after an
	// interruption.
	Receive(ctx context.Context, listening func(), take func(ws ids.Workspace, message []byte)) error
	// MaxBytes is the largest message it takes.
	MaxBytes() int
}

// The first byte of a message between processes.
const wireVersion = 1

// announce sends what was said to other processes. What does not fit is left
// out: they hear of a later cursor and read it.
func (h *Hub) announce(ws ids.Workspace, ms []message) {
	if h.opts.Fanout == nil {
		return
	}
	limit := h.opts.Fanout.MaxBytes()
	for len(ms) > 0 {
		buf, n := appendWire(nil, ms, limit)
		ms = ms[n:]
		if err := h.opts.Fanout.Send(ws, buf); err != nil {
			h.meters.unsent.Inc()
			h.log.Debug("events not sent to other processes", "part", "events", "workspace", ws, "err", err)
		}
	}
}

// appendWire encodes as many messages as fit, at least one; a message that is
// too large by itself is sent without its data, as a hint that it exists.
func appendWire(b []byte, ms []message, limit int) ([]byte, int) {
	b = append(b, wireVersion)
	for i := range ms {
		m := &ms[i]
		size := len(m.channel) + len(m.kind) + len(m.data) + 40
		if len(b)+size > limit {
			if i > 0 {
				return b, i
			}
			hint := message{cursor: m.cursor, at: m.at}
			return appendOne(b, &hint), 1
		}
		b = appendOne(b, m)
	}
	return b, len(ms)
}

func appendOne(b []byte, m *message) []byte {
	b = binary.AppendUvarint(b, uint64(m.cursor))
	b = binary.AppendVarint(b, m.at.UnixMicro())
	for _, text := range []string{m.channel, m.kind} {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	return append(binary.AppendUvarint(b, uint64(len(m.data))), m.data...)
}

var errWire = errors.New("events: a message of another process cannot be read")

// parseWire is the opposite of appendWire.
func parseWire(b []byte) ([]message, error) {
	if len(b) == 0 || b[0] != wireVersion {
		return nil, errWire
	}
	b = b[1:]
	var ms []message
	for len(b) > 0 {
		var m message
		cursor, n := binary.Uvarint(b)
		if n <= 0 || int64(cursor) < 0 {
			return nil, errWire
		}
		b = b[n:]
		micros, n := binary.Varint(b)
		if n <= 0 {
			return nil, errWire
		}
		b = b[n:]
		var fields [3][]byte
		for i := range fields {
			size, n := binary.Uvarint(b)
			if n <= 0 || size > uint64(len(b)-n) {
				return nil, errWire
			}
			fields[i], b = b[n:n+int(size)], b[n+int(size):]
		}
		m.cursor, m.at = int64(cursor), time.UnixMicro(micros).UTC()
		m.channel, m.kind, m.data = string(fields[0]), string(fields[1]), fields[2]
		if err := checkWire(&m); err != nil {
			return nil, err
		}
		ms = append(ms, m)
	}
	return ms, nil
}

// checkWire refuses what could break a frame. A fact without data is a hint.
func checkWire(m *message) error {
	if m.cursor != 0 && len(m.data) == 0 {
		return nil
	}
	if _, ok := checkName(m.channel, false); !ok || !checkKind(m.kind) || !json.Valid(m.data) {
		return errWire
	}
	return nil
}

// receive takes a message of another process.
func (h *Hub) receive(ws ids.Workspace, wire []byte) {
	st := h.known(ws)
	if st == nil {
		return
	}
	ms, err := parseWire(wire)
	if err != nil {
		h.log.Warn("message of another process ignored", "part", "events", "workspace", ws, "err", err)
		return
	}
	st.take(ms)
}

// take takes facts and deltas in their order.
func (st *stream) take(ms []message) {
	for from := 0; from < len(ms); {
		m := &ms[from]
		if m.cursor == 0 {
			st.acceptDelta(m)
			from++
			continue
		}
		if len(m.data) == 0 {
			st.hint(m.cursor)
			from++
			continue
		}
		to := from + 1
		for to < len(ms) && ms[to].cursor == ms[to-1].cursor+1 && len(ms[to].data) > 0 {
			to++
		}
		st.accept(ms[from:to])
		from = to
	}
}

// hint says that a fact exists.
func (st *stream) hint(cursor int64) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if cursor > st.tail {
		st.hear(cursor)
	}
}
