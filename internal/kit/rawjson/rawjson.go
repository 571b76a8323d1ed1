// Package rawjson looks at and edits the top level of a JSON object without decoding it.
//
// In:    the bytes of one JSON object.
// Out:   its fields as slices of those bytes; a copy with one field set.
// Keeps: nothing. Says: nothing.
// Not here: validation; what is inside a field is skipped by bracket and quote, and stays as it is.
package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"
)

// ErrNotObject is answered for bytes that are not one JSON object.
var ErrNotObject = errors.New("rawjson: not a JSON object")

// Fields calls f with each top-level key (without quotes, escapes left alone)
// and value, until f answers false.
func Fields(body []byte, f func(key, value []byte) bool) error {
	return walk(body, func(key []byte, start, end int) bool { return f(key, body[start:end]) })
}

// Find is the raw value of a top-level field, or nil. Of a repeated field it is
// the last one, which is the one that decoders keep.
func Find(body []byte, key string) []byte {
	found, err := Look(body, key)
	if err != nil {
		return nil
	}
	return found
}

// Look is Find that tells a missing field from bytes that are no object.
func Look(body []byte, key string) (found []byte, err error) {
	err = walk(body, func(k []byte, start, end int) bool {
		if string(k) == key {
			found = body[start:end]
		}
		return true
	})
	return found, err
}

// String is a top-level field that holds a string.
func String(body []byte, key string) (string, bool) {
	return Text(Find(body, key))
}

// Field is a top-level field to be set to a raw value.
type Field struct {
	Key   string
	Value []byte
}

// Quoted is a field with a string value.
func Quoted(key, value string) Field {
	if plain(value) {
		return Field{key, append(append(append(make([]byte, 0, len(value)+2), '"'), value...), '"')}
	}
	quoted, err := json.Marshal(value)
	if err != nil {
		panic("rawjson: a string cannot be encoded: " + err.Error()) // json encodes every string
	}
	return Field{key, quoted}
}

// plain says whether a string needs nothing but quotes around it.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// Set is a copy of body with top-level fields set: replaced wherever they are
// (every time one is repeated), or added at the end.
func Set(body []byte, fields ...Field) ([]byte, error) {
	size := len(body)
	for _, f := range fields {
		size += len(f.Key) + len(f.Value) + 4
	}
	out := make([]byte, 0, size)
	copied, empty := 0, true
	var found uint64
	if err := walk(body, func(k []byte, start, end int) bool {
		empty = false
		if i := index(fields, k); i >= 0 {
			out = append(append(out, body[copied:start]...), fields[i].Value...)
			copied, found = end, found|1<<i
		}
		return true
	}); err != nil {
		return nil, err
	}
	end := bytes.LastIndexByte(body, '}')
	out = append(out, body[copied:end]...)
	for i, f := range fields {
		if found&(1<<i) != 0 {
			continue
		}
		if !empty {
			out = append(out, ',')
		}
		empty = false
		out = append(append(strconv.AppendQuote(out, f.Key), ':'), f.Value...)
	}
	return append(out, body[end:]...), nil
}

func index(fields []Field, key []byte) int {
	for i := range fields {
		if fields[i].Key == string(key) {
			return i
		}
	}
	return -1
}

// SetString is Set of one field with a string value.
func SetString(body []byte, key, value string) ([]byte, error) {
	return Set(body, Quoted(key, value))
}

func walk(b []byte, f func(key []byte, start, end int) bool) error {
	i := space(b, 0)
	if i >= len(b) || b[i] != '{' {
		return ErrNotObject
	}
	i = space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return tail(b, i+1)
	}
	for {
		keyEnd := skipString(b, i)
		if keyEnd < 0 {
			return ErrNotObject
		}
		colon := space(b, keyEnd)
		if colon >= len(b) || b[colon] != ':' {
			return ErrNotObject
		}
		start := space(b, colon+1)
		end := skipValue(b, start)
		if end < 0 {
			return ErrNotObject
		}
		if !f(b[i+1:keyEnd-1], start, end) {
			return nil
		}
		next := space(b, end)
		if next >= len(b) {
			return ErrNotObject
		}
		if b[next] == '}' {
			return tail(b, next+1)
		}
		if b[next] != ',' {
			return ErrNotObject
		}
		i = space(b, next+1)
	}
}

func tail(b []byte, i int) error {
	if space(b, i) != len(b) {
		return ErrNotObject
	}
	return nil
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skipString is the index after the string at i, or -1.
func skipString(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	for i++; i < len(b); i++ {
		j := bytes.IndexByte(b[i:], '"')
		if j < 0 {
			return -1
		}
		slashes := 0
		for k := i + j - 1; k >= i && b[k] == '\\'; k-- {
			slashes++
		}
		i += j
		if slashes%2 == 0 {
			return i + 1
		}
	}
	return -1
}

// skipValue is the index after the value at i, or -1.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	start := i
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && b[i] > ' ' {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

func skipNested(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			if i = skipString(b, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

// Text is the string that a raw value holds; most strings have no escapes and
// are copied as they are.
func Text(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1]), true
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// Only is the single element of an array, or nil when it has none or several.
func Only(raw []byte) []byte {
	i := space(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return nil
	}
	start := space(raw, i+1)
	end := skipValue(raw, start)
	if end < 0 || raw[start] == ']' {
		return nil
	}
	if close := space(raw, end); close >= len(raw) || raw[close] != ']' {
		return nil
	}
	return raw[start:end]
}
