package compat

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/rawjson"
)

// object is JSON made by hand; its fields are sorted on the wire.
type object = map[string]any

// bad is the refusal of a request that cannot be understood.
func bad(param, format string, args ...any) *fault.Fault {
	return fault.New(fault.Invalid, "invalid_request", format, args...).WithParam(param)
}

// untranslatable is the refusal of something that only its own vendor can do.
func untranslatable(param, format string, args ...any) *fault.Fault {
	return fault.New(fault.Invalid, "not_translatable", format, args...).WithParam(param)
}

// Decode reads a body; unknown fields are ignored, wrong types are refused.
func Decode(body []byte, into any) error { return decode(body, into) }

func decode(body []byte, into any) error {
	if !utf8.Valid(body) {
		return bad("body", "The body is not valid UTF-8.").WithHint("Encode the text as UTF-8.")
	}
	err := json.Unmarshal(body, into)
	if err == nil {
		return nil
	}
	var f *fault.Fault
	if errors.As(err, &f) {
		return f
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return bad(wrong.Field, "%q has the wrong type: a %s does not fit here.", wrong.Field, wrong.Value).
			WithHint("Compare the request with the vendor's API reference.")
	}
	return bad("body", "The body is not JSON.").WithHint("Send one JSON object.").Because(err)
}

// head shows the top-level fields, until one is refused.
func head(body []byte, field func(key string, value []byte) error) error {
	var failed error
	err := rawjson.Fields(body, func(key, value []byte) bool {
		switch string(key) { // names of ours: a key of the caller's is not copied
		case "model":
			failed = field("model", value)
		case "stream":
			failed = field("stream", value)
		case "stream_options":
			failed = field("stream_options", value)
		}
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	if err != nil {
		return notObject()
	}
	return nil
}

func notObject() error {
	return bad("body", "The body is not a JSON object.").WithHint("Send one JSON object.")
}

// common reads what the dialects share.
func (h *Head) common(key string, value []byte) error {
	switch key {
	case "model":
		text, ok := rawjson.Text(value)
		if !ok {
			return bad(key, "%q must be a string.", key)
		}
		h.Model = text
	case "stream":
		return readBool(key, value, &h.Stream)
	}
	return nil
}

func readBool(name string, value []byte, to *bool) error {
	switch string(value) {
	case "true", "false", "null":
		*to = string(value) == "true"
		return nil
	}
	return bad(name, "%q must be true or false.", name)
}

// named checks what every routed request needs.
func named(h Head) (Head, error) {
	if h.Model == "" {
		return h, bad("model", "The request names no model.").WithHint("Set model to provider/model, an alias, or a vendor's own name; GET /v1/models lists them.")
	}
	return h, nil
}

// either is a string or a list.
type either[P any] struct {
	text string
	list []P
	isText,
	isList bool
}

// UnmarshalJSON takes a string, a list or null.
func (e *either[P]) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '"':
		e.isText = true
		return json.Unmarshal(b, &e.text)
	case '[':
		e.isList = true
		return json.Unmarshal(b, &e.list)
	case 'n':
		return nil
	}
	return bad("", "A string or a list is expected where an object or a number stands.").WithHint("Compare the request with the vendor's API reference.")
}

// encode writes v; what cannot be encoded (only a vendor's broken arguments
// could) becomes null.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return text
}

const hexDigits = "0123456789abcdef"

// quote appends s as a JSON string.
func quote(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s[start:i]...), `\ufffd`...)
				start = i + 1
			}
			i += size
			continue
		}
		if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

// dataFrame appends a message without a name.
func dataFrame(dst, data []byte) []byte {
	return append(append(append(dst, "data: "...), data...), "\n\n"...)
}

// eventFrame appends a named event.
func eventFrame(dst []byte, name string, data []byte) []byte {
	dst = append(append(dst, "event: "...), name...)
	return append(append(append(dst, "\ndata: "...), data...), "\n\n"...)
}

// raw is a value's own bytes, or a fallback when it is missing.
func raw(body []byte, key, fallback string) json.RawMessage {
	if found := rawjson.Find(body, key); found != nil && json.Valid(found) {
		return bytes.Clone(found)
	}
	return json.RawMessage(fallback)
}

func number(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }
