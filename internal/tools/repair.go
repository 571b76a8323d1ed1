package tools

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
)

// repair gives back value with what is plainly a slip of the model put right, guided
// by the plain words of a schema (type, properties, items). It never changes its input, and never a
// value that already has a wanted type, but for whole numbers written with a point.
func repair(schema map[string]any, value any, depth int) any {
	if depth > maxNesting {
		return value
	}
	types := typesOf(schema)
	value = retype(types, value)
	switch v := value.(type) {
	case map[string]any:
		return repairObject(schema, v, depth)
	case []any:
		items, ok := schema["items"].(map[string]any)
		if !ok {
			return v
		}
		out := make([]any, len(v))
		for i := range v {
			out[i] = repair(items, v[i], depth+1)
		}
		return out
	}
	return value
}

// repairObject repairs the known fields and leaves out an optional field that is null.
func repairObject(schema, v map[string]any, depth int) any {
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	out := make(map[string]any, len(v))
	for name, field := range v {
		sub, ok := properties[name].(map[string]any)
		if !ok {
			out[name] = field
			continue
		}
		types := typesOf(sub)
		if field == nil && len(types) > 0 && !slices.Contains(types, "null") && !slices.Contains(required, any(name)) {
			continue
		}
		out[name] = repair(sub, field, depth+1)
	}
	return out
}

// typesOf reads the type word of a schema: one, several or none.
func typesOf(schema any) []string {
	object, _ := schema.(map[string]any)
	switch t := object["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var out []string
		for _, one := range t {
			if s, ok := one.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// typeOf is the JSON Schema word for a value.
func typeOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case json.Number:
		if _, whole := integer(v); whole {
			return "integer"
		}
		return "number"
	}
	return ""
}

func fits(types []string, value any) bool {
	t := typeOf(value)
	return slices.Contains(types, t) || t == "integer" && slices.Contains(types, "number")
}

// retype turns a value of the wrong type into the one it can only have meant.
func retype(types []string, value any) any {
	if len(types) == 0 {
		return value
	}
	if fits(types, value) {
		if n, ok := value.(json.Number); ok && slices.Contains(types, "integer") {
			whole, _ := integer(n)
			if whole != "" {
				return whole
			}
		}
		return value
	}
	switch v := value.(type) {
	case string:
		if inner, ok := unquote(types, v); ok {
			return inner
		}
	case json.Number:
		if slices.Contains(types, "string") {
			return v.String()
		}
	}
	// One thing where a list is wanted; null is nothing, not a list of it.
	if slices.Contains(types, "array") && value != nil {
		return []any{value}
	}
	return value
}

// unquote reads a wanted object, list, number or boolean out of text.
func unquote(types []string, text string) (any, bool) {
	text = strings.TrimSpace(text)
	inner, err := decode([]byte(text))
	if err != nil || inner == nil || typeOf(inner) == "string" || !fits(types, inner) {
		return nil, false
	}
	if n, ok := inner.(json.Number); ok && !slices.Contains(types, "number") {
		whole, _ := integer(n)
		return whole, whole != ""
	}
	return inner, true
}

// integer writes a whole number without point or exponent. Exponents that would make it
// long are left alone.
func integer(n json.Number) (json.Number, bool) {
	text := n.String()
	if !strings.ContainsAny(text, ".eE") {
		return n, true
	}
	if len(text) > 40 {
		return "", false
	}
	if _, exponent, ok := strings.Cut(strings.ToLower(text), "e"); ok && len(strings.TrimLeft(exponent, "+-0")) > 2 {
		return "", false
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() {
		return "", false
	}
	return json.Number(r.Num().String()), true
}
