package ws

import (
	"encoding/binary"
	"unicode/utf8"
)

// Op is the kind of a frame.
type Op byte

// The kinds of frames.
const (
	opContinuation Op = 0x0
	Text           Op = 0x1
	Binary         Op = 0x2
	opClose        Op = 0x8
	opPing         Op = 0x9
	opPong         Op = 0xA
)

// Code is why a connection is closed.
type Code uint16

// The codes we send.
const (
	Normal      Code = 1000
	GoingAway   Code = 1001
	Protocol    Code = 1002
	Unsupported Code = 1003
	BadText     Code = 1007
	Policy      Code = 1008
	TooBig      Code = 1009
	Internal    Code = 1011
	Restarting  Code = 1012
	TryLater    Code = 1013
)

// maxControl is the longest payload of a control frame.
const maxControl = 125

// Append appends an unmasked, final frame.
func Append(b []byte, op Op, payload []byte) []byte {
	b = append(b, 0x80|byte(op))
	switch n := len(payload); {
	case n <= maxControl:
		b = append(b, byte(n))
	case n <= 0xffff:
		b = binary.BigEndian.AppendUint16(append(b, 126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 127), uint64(n))
	}
	return append(b, payload...)
}

// Pong answers a ping.
func Pong(payload []byte) []byte { return Append(nil, opPong, payload) }

// Ping asks the other side whether it is there.
func Ping() []byte { return Append(nil, opPing, nil) }

// Close says why the connection ends; the reason is cut to what fits.
func Close(code Code, reason string) []byte {
	payload := binary.BigEndian.AppendUint16(make([]byte, 0, 2+len(reason)), uint16(code))
	for len(reason) > maxControl-2 {
		_, size := utf8.DecodeLastRuneInString(reason)
		reason = reason[:len(reason)-size]
	}
	return Append(nil, opClose, append(payload, reason...))
}

// Error is a connection that ends because of what the other side sent.
type Error struct {
	Code   Code
	Reason string
}

// Error says why.
func (e *Error) Error() string { return "ws: " + e.Reason }

// Closed is what Next answers once the other side closed in good order.
type Closed struct {
	Code   Code // 1005 when it gave none
	Reason string
}

// Error says how it was closed.
func (c *Closed) Error() string { return "ws: closed by the other side" }

// parseClose checks the payload of a close frame.
func parseClose(payload []byte) (*Closed, *Error) {
	if len(payload) == 0 {
		return &Closed{Code: 1005}, nil
	}
	if len(payload) == 1 {
		return nil, &Error{Protocol, "close frame of one byte"}
	}
	code := Code(binary.BigEndian.Uint16(payload))
	if !code.allowed() {
		return nil, &Error{Protocol, "close code that must not be sent"}
	}
	if !utf8.Valid(payload[2:]) {
		return nil, &Error{BadText, "close reason is not UTF-8"}
	}
	return &Closed{Code: code, Reason: string(payload[2:])}, nil
}

// allowed says whether a peer may send the code.
func (c Code) allowed() bool {
	switch {
	case c >= 3000 && c <= 4999:
		return true
	case c < 1000 || c > 1014 || c == 1004 || c == 1005 || c == 1006:
		return false
	}
	return true
}

// mask undoes a client's masking; pos is how many bytes came before b.
func mask(b []byte, key [4]byte, pos int) {
	for ; len(b) > 0 && pos&3 != 0; pos++ {
		b[0] ^= key[pos&3]
		b = b[1:]
	}
	word := uint64(binary.LittleEndian.Uint32(key[:]))
	word |= word << 32
	for len(b) >= 8 {
		binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)^word)
		b = b[8:]
	}
	for i := range b {
		b[i] ^= key[i&3]
	}
}
