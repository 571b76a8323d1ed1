package spool

import (
	"encoding/binary"
	"errors"
	"time"
)

// ErrEntry says that an entry is not what AppendText and AppendNumber have written.
var ErrEntry = errors.New("spool: an entry is not understood")

// AppendText adds a text to an entry.
func AppendText[T ~string | ~[]byte](to []byte, text T) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}

// AppendNumber adds a number to an entry.
func AppendNumber[T ~int | ~int64](to []byte, n T) []byte { return binary.AppendVarint(to, int64(n)) }

// AppendTime adds a time in microseconds to an entry; the zero time is one too.
func AppendTime(to []byte, t time.Time) []byte {
	if t.IsZero() {
		return AppendNumber(to, 0)
	}
	return AppendNumber(to, t.UnixMicro())
}

// Reader reads an entry in the order in which it was written; after a mistake it reads nothing more.
type Reader struct {
	Rest []byte
	bad  bool
}

// Text reads a text.
func (in *Reader) Text() string { return string(in.Bytes()) }

// Bytes reads a text without copying it.
func (in *Reader) Bytes() []byte {
	n, size := binary.Uvarint(in.Rest)
	if size <= 0 || n > uint64(len(in.Rest)-size) {
		in.Rest, in.bad = nil, true
		return nil
	}
	text := in.Rest[size : size+int(n) : size+int(n)]
	in.Rest = in.Rest[size+int(n):]
	return text
}

// Number reads a number.
func (in *Reader) Number() int64 {
	n, size := binary.Varint(in.Rest)
	if size <= 0 {
		in.Rest, in.bad = nil, true
		return 0
	}
	in.Rest = in.Rest[size:]
	return n
}

// Time reads a time.
func (in *Reader) Time() time.Time {
	if n := in.Number(); n != 0 {
		return time.UnixMicro(n).UTC()
	}
	return time.Time{}
}

// Count reads how many things follow, each of at least one byte.
func (in *Reader) Count() int {
	n := in.Number()
	if n < 0 || n > int64(len(in.Rest)) {
		in.Rest, in.bad = nil, true
		return 0
	}
	return int(n)
}

// End says whether all was read and understood.
func (in *Reader) End() error {
	if in.bad || len(in.Rest) > 0 {
		return ErrEntry
	}
	return nil
}
