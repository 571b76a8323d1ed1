package tools

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/fluxway/fluxway/internal/kit/rawjson"
)

// plain is a schema that says nothing but which fields of simple types there are, as most do. Arguments that are spelt in the one
// way and fit it are told by looking at their bytes; all others take the long road, which has the same answer to these.
type plain struct {
	fields   map[string]plainField
	required int
	others   bool // fields that are not listed may be there
}

// plainField is what a value must be.
type plainField struct {
	kinds    uint8    // by bit
	enum     []string // raw; nil: any
	min, max int64    // of whole numbers
	bounded  bool
	required bool
}

const anyKind = 1<<rawjson.KindNull | 1<<rawjson.KindBool | 1<<rawjson.KindWhole | 1<<rawjson.KindNumber | 1<<rawjson.KindText

// remarks are words of a schema that say nothing about values.
var remarks = []string{"title", "description", "default", "examples", "deprecated", "$comment", "$schema", "format"}

// newPlain is the plain form of a schema; nil if it has none.
func newPlain(doc map[string]any) *plain {
	p := &plain{fields: map[string]plainField{}, others: true}
	for word, value := range doc {
		switch word {
		case "type", "properties", "required":
		case "additionalProperties":
			others, ok := value.(bool)
			if !ok {
				return nil
			}
			p.others = others
		default:
			if !slices.Contains(remarks, word) {
				return nil
			}
		}
	}
	properties, _ := doc["properties"].(map[string]any)
	required, _ := doc["required"].([]any)
	for name, sub := range properties {
		f, ok := newPlainField(sub)
		if !ok {
			f = plainField{} // nothing fits, so the long road is taken
		}
		f.required = slices.Contains(required, any(name))
		if f.required {
			p.required++
		}
		p.fields[name] = f
	}
	for _, name := range required {
		if name, ok := name.(string); !ok || !p.fields[name].required {
			return nil
		}
	}
	return p
}

func newPlainField(schema any) (f plainField, ok bool) {
	object, ok := schema.(map[string]any)
	if !ok {
		return f, false
	}
	f.kinds = plainKinds(typesOf(object))
	f.min, f.max = -1<<63, 1<<63-1
	for word, value := range object {
		switch word {
		case "type":
		case "enum":
			if f.enum, ok = plainWords(value); !ok {
				return f, false
			}
			f.kinds &= 1 << rawjson.KindText
		case "minimum", "maximum":
			n, _ := value.(json.Number)
			bound, err := strconv.ParseInt(n.String(), 10, 64)
			if err != nil {
				return f, false
			}
			f.bounded = true
			if word == "minimum" {
				f.min = bound
			} else {
				f.max = bound
			}
		default:
			if !slices.Contains(remarks, word) {
				return f, false
			}
		}
	}
	if f.bounded { // other numbers have to be compared in another way
		f.kinds &^= 1 << rawjson.KindNumber
	}
	return f, true
}

// plainWords are the values of an enum of texts that need no escapes.
func plainWords(enum any) (raw []string, ok bool) {
	list, _ := enum.([]any)
	for _, one := range list {
		text, ok := one.(string)
		if !ok || strconv.QuoteToASCII(text) != `"`+text+`"` {
			return nil, false
		}
		raw = append(raw, `"`+text+`"`)
	}
	return raw, len(raw) > 0
}

// plainKinds are the kinds that values of these types have and that nobody would repair.
func plainKinds(types []string) (kinds uint8) {
	if len(types) == 0 {
		return anyKind
	}
	for _, t := range types {
		switch t {
		case "null":
			kinds |= 1 << rawjson.KindNull
		case "boolean":
			kinds |= 1 << rawjson.KindBool
		case "integer":
			kinds |= 1 << rawjson.KindWhole
		case "number":
			kinds |= 1<<rawjson.KindWhole | 1<<rawjson.KindNumber
		case "string":
			kinds |= 1 << rawjson.KindText
		}
	}
	if slices.Contains(types, "integer") { // 1.0 becomes 1
		kinds &^= 1 << rawjson.KindNumber
	}
	return kinds
}

// takes says whether arguments fit as they are; if not, they may still.
func (p *plain) takes(args []byte) bool {
	required := 0
	ok := rawjson.Plain(args, func(key, value []byte, kind rawjson.Kind) bool {
		f, known := p.fields[string(key)]
		if !known {
			return p.others
		}
		if f.required {
			required++
		}
		return f.takes(value, kind)
	})
	return ok && required == p.required
}

func (f *plainField) takes(value []byte, kind rawjson.Kind) bool {
	if f.kinds&(1<<kind) == 0 {
		return false
	}
	if f.enum != nil {
		for _, one := range f.enum {
			if one == string(value) {
				return true
			}
		}
		return false
	}
	if f.bounded && kind == rawjson.KindWhole {
		n, err := strconv.ParseInt(string(value), 10, 64)
		return err == nil && n >= f.min && n <= f.max
	}
	return true
}
