package store

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"
)

// JSON is a value kept as JSON text.
func JSON(v any) any {
	if v == nil {
		return nil
	}
	return jsonValue{v}
}

// JSONOf is JSON of what v points to; nil is NULL.
func JSONOf[T any](v *T) any {
	if v == nil {
		return nil
	}
	return JSON(v)
}

type jsonValue struct{ v any }

// plain turns our argument types into what the drivers take: times become
// microseconds (the zero time NULL), JSON becomes text. Text is kept as valid
// UTF-8 without NUL on both engines, because PostgreSQL takes nothing else.
// A pointer to a text or a number is what it points to, and saves who writes many
// rows an allocation for each.
// The caller's slice is left alone: it may use it again.
func plain(args []any) []any {
	out := args
	for i, a := range args {
		v, changed := plainOne(a)
		if !changed {
			continue
		}
		if &out[0] == &args[0] {
			out = append([]any(nil), args...)
		}
		out[i] = v
	}
	return out
}

func plainOne(a any) (v any, changed bool) {
	switch v := a.(type) {
	case string:
		if clean(v) {
			return a, false
		}
		return cleaned(v), true
	case *string:
		if v == nil || clean(*v) {
			return a, false
		}
		return cleaned(*v), true
	case time.Time:
		return micros(v), true
	case *time.Time:
		if v == nil {
			return nil, true
		}
		return micros(*v), true
	case time.Duration:
		return v.Microseconds(), true
	case jsonValue:
		text, err := json.Marshal(v.v)
		if err != nil {
			return badArgument{err}, true
		}
		return withoutNUL(text), true
	case json.RawMessage:
		if v == nil {
			return nil, true
		}
		return cleaned(withoutNUL(v)), true
	}
	return a, false
}

func micros(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

// clean says whether a text can be kept as it is. Most have only ASCII in them, and of that eight letters are looked at together.
func clean(s string) bool {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for len(s) >= 8 {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		if (w|(w-ones))&high != 0 {
			return strings.IndexByte(s, 0) < 0 && utf8.ValidString(s)
		}
		s = s[8:]
	}
	for i := range len(s) {
		if c := s[i]; c == 0 || c >= utf8.RuneSelf {
			return strings.IndexByte(s, 0) < 0 && utf8.ValidString(s)
		}
	}
	return true
}

func cleaned(s string) string {
	if clean(s) {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// withoutNUL replaces the escape \u0000, which JSONB refuses.
func withoutNUL(text []byte) string {
	nul := []byte(`\u0000`)
	if !bytes.Contains(text, nul) {
		return string(text)
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] != '\\' || i+1 == len(text):
			out.WriteByte(text[i])
		case bytes.HasPrefix(text[i:], nul):
			out.WriteString(`\ufffd`)
			i += len(nul) - 1
		default: // any other escape, an escaped backslash among them, goes as a pair
			out.Write(text[i : i+2])
			i++
		}
	}
	return out.String()
}
