package events

import (
	"encoding/binary"
	"encoding/json"
	"strconv"
	"time"
)

// Event is a fact with a kind such as guard.refused; it is kept and sent as JSON.
type Event interface{ Kind() string }

// Appender is an event that writes its JSON itself, byte for byte as json.Marshal would: those of which there are many.
type Appender interface {
	AppendJSON(to []byte) ([]byte, error)
}

// Encoded is an event that Hub.Encode has checked and made JSON of.
type Encoded struct {
	Kind string
	Data json.RawMessage
}

// Record is one stored fact.
type Record struct {
	Cursor  int64           `json:"cursor"`
	Channel string          `json:"channel"`
	Kind    string          `json:"kind"`
	At      time.Time       `json:"at"`
	Data    json.RawMessage `json:"data"`
}

// message is a fact or a delta on its way into a log; cursor is 0 for a delta.
type message struct {
	cursor  int64
	channel string
	kind    string
	at      time.Time
	data    []byte
	delta   bool // has no cursor; before facts have theirs, only this tells
}

// timeFormat is RFC 3339 in UTC with microseconds, which is what the database keeps.
const timeFormat = "2006-01-02T15:04:05.999999Z07:00"

// maxHeader is the longest header of a WebSocket frame that a server sends.
const maxHeader = 10

// appendHeader appends the header of an unmasked, final text frame.
func appendHeader(b []byte, size int) []byte {
	const finalText = 0x81
	switch {
	case size <= 125:
		return append(b, finalText, byte(size))
	case size <= 0xffff:
		return binary.BigEndian.AppendUint16(append(b, finalText, 126), uint16(size))
	default:
		return binary.BigEndian.AppendUint64(append(b, finalText, 127), uint64(size))
	}
}

// Frame wraps one JSON text as a WebSocket text frame, for Subscription.Send.
func Frame(text []byte) []byte {
	return append(appendHeader(make([]byte, 0, len(text)+maxHeader), len(text)), text...)
}

// appendEnvelope appends the JSON of m. Channels and kinds need no escaping.
func appendEnvelope(b []byte, m *message, redelivered bool) []byte {
	b = append(b, '{')
	if m.cursor != 0 {
		b = append(b, `"cursor":`...)
		b = strconv.AppendInt(b, m.cursor, 10)
		b = append(b, ',')
	}
	if redelivered {
		b = append(b, `"redelivered":true,`...)
	}
	b = append(b, `"channel":"`...)
	b = append(b, m.channel...)
	b = append(b, `","kind":"`...)
	b = append(b, m.kind...)
	b = append(b, `","at":"`...)
	b = m.at.UTC().AppendFormat(b, timeFormat)
	b = append(b, `","data":`...)
	b = append(b, m.data...)
	return append(b, '}')
}

// envelopeRoom is at least what the envelope of m takes besides the cursor's digits.
func envelopeRoom(m *message) int {
	return len(m.channel) + len(m.kind) + len(m.data) + 140
}

func (r *Record) message() message {
	return message{cursor: r.Cursor, channel: r.Channel, kind: r.Kind, at: r.At, data: r.Data}
}
