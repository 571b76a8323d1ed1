package rawjson

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// AppendKey begins the next field of the object that was begun at the end of to.
func AppendKey(to []byte, key string) []byte {
	if to[len(to)-1] != '{' {
		to = append(to, ',')
	}
	return append(append(append(to, '"'), key...), '"', ':')
}

// AppendString adds a text as json.Marshal writes it.
func AppendString[T ~string](to []byte, text T) []byte {
	s := string(text)
	to = append(to, '"')
	done, begun := 0, len(to)-1
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&' {
			continue
		}
		escaped := byte(0)
		switch c {
		case '"', '\\':
			escaped = c
		case '\n':
			escaped = 'n'
		case '\t':
			escaped = 't'
		case '\r':
			escaped = 'r'
		default:
			return append(to[:begun], Quoted("", s).Value...)
		}
		to = append(append(to, s[done:i]...), '\\', escaped)
		done = i + 1
	}
	return append(append(to, s[done:]...), '"')
}

// AppendText adds a field that holds a text, unless that is empty.
func AppendText[T ~string](to []byte, key string, text T) []byte {
	if text == "" {
		return to
	}
	return AppendString(AppendKey(to, key), text)
}

// AppendNumber adds a field that holds a number, unless that is 0.
func AppendNumber(to []byte, key string, n int64) []byte {
	if n == 0 {
		return to
	}
	return strconv.AppendInt(AppendKey(to, key), n, 10)
}

// AppendTrue adds a field that says yes, or none.
func AppendTrue(to []byte, key string, yes bool) []byte {
	if !yes {
		return to
	}
	return append(AppendKey(to, key), "true"...)
}

// AppendRaw adds a value as json.Marshal writes it: what is not JSON is an error.
func AppendRaw(to []byte, raw json.RawMessage) ([]byte, error) {
	if bytes.ContainsAny(raw, "<>&") || !Plain(raw, func([]byte, []byte, Kind) bool { return true }) {
		compact, err := json.Marshal(raw)
		return append(to, compact...), err
	}
	return append(to, raw...), nil
}
