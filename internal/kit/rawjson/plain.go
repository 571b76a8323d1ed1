package rawjson

import (
	"bytes"
	"unicode/utf8"
)

// Kind is what a raw value of a plain object is.
type Kind byte

// The kinds of value of a plain object.
const (
	KindNull Kind = iota
	KindBool
	KindWhole  // a number without point and exponent
	KindNumber // any other
	KindText
)

// Plain calls f with each field of an object that is spelt as encoding/json would spell it again, without escaping
// for HTML: keys sorted and each there once, nothing between them, values that hold no others. It answers
// false for anything else, and when f does; f may have been called by then.
func Plain(b []byte, f func(key, value []byte, kind Kind) bool) bool {
	if len(b) < 2 || b[0] != '{' {
		return false
	}
	if b[1] == '}' {
		return len(b) == 2
	}
	var last []byte
	for i := 1; ; i++ {
		end := plainString(b, i)
		if end < 0 || end >= len(b) || b[end] != ':' {
			return false
		}
		key := b[i+1 : end-1]
		if bytes.IndexByte(key, '\\') >= 0 || (last != nil && bytes.Compare(last, key) >= 0) {
			return false
		}
		last = key
		start := end + 1
		end, kind := plainValue(b, start)
		if end < 0 || end >= len(b) || !f(key, b[start:end:end], kind) {
			return false
		}
		if b[end] == '}' {
			return end+1 == len(b)
		}
		if b[end] != ',' {
			return false
		}
		i = end
	}
}

// plainValue is the index after the value at i and what it is, or -1.
func plainValue(b []byte, i int) (int, Kind) {
	if i >= len(b) {
		return -1, KindNull
	}
	switch c := b[i]; {
	case c == '"':
		return plainString(b, i), KindText
	case c == '-' || c >= '0' && c <= '9':
		return plainNumber(b, i)
	case bytes.HasPrefix(b[i:], []byte("true")):
		return i + 4, KindBool
	case bytes.HasPrefix(b[i:], []byte("false")):
		return i + 5, KindBool
	case bytes.HasPrefix(b[i:], []byte("null")):
		return i + 4, KindNull
	}
	return -1, KindNull
}

// plainNumber is the index after the number at i, or -1.
func plainNumber(b []byte, i int) (int, Kind) {
	kind := KindWhole
	if b[i] == '-' {
		i++
	}
	start := i
	if i = digits(b, i); i == start || (b[start] == '0' && i > start+1) {
		return -1, kind
	}
	if i < len(b) && b[i] == '.' {
		kind, start = KindNumber, i+1
		if i = digits(b, start); i == start {
			return -1, kind
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		kind = KindNumber
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		start = i
		if i = digits(b, i); i == start {
			return -1, kind
		}
	}
	return i, kind
}

func digits(b []byte, i int) int {
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}

// plainString is the index after the string at i, or -1. The escapes that encoding/json writes itself may be in it, those of
// control characters without a letter excepted; the two line separators, which it escapes, may not.
func plainString(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	for i++; i < len(b); {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			if i+1 >= len(b) || bytes.IndexByte([]byte(`"\bfnrt`), b[i+1]) < 0 {
				return -1
			}
			i += 2
		case c < ' ':
			return -1
		case c < utf8.RuneSelf:
			i++
		default:
			r, size := utf8.DecodeRune(b[i:])
			if size == 1 || r == '\u2028' || r == '\u2029' {
				return -1
			}
			i += size
		}
	}
	return -1
}
