package config

import (
	"encoding/json"
	"strconv"
)

// schemaPatterns are the formats that a pattern can say something about. The
// schema is never stricter than Load: what it refuses, Load refuses too.
var schemaPatterns = map[string]string{
	"hostport":     `^$|:[0-9]+$`,
	"http_url":     `^$|^https?://`,
	"postgres_url": `^$|^postgres(ql)?://`,
	"nats_url":     `^$|^ ?(nats|tls|wss?)://`,
	"host":         `^[A-Za-z0-9*:.%-]+$`,
	"cidr":         `^[0-9A-Fa-f:.%/a-zA-Z]+$`,
	"name":         namePattern,
	"header":       headerPattern,
	"server":       serverPattern,
	"variable":     variablePattern,
	"provider":     providerPattern,
	"model":        modelPattern,
	"target":       targetPattern,
	"agent":        agentPattern,
}

// Schema is the JSON Schema (2020-12) of the settings file, for editors.
func Schema() []byte {
	doc := schemaOf(root())
	doc["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	doc["title"] = "Fluxway configuration"
	doc["description"] = "Settings of fluxway.yaml and fluxway.json. Any value may hold ${NAME} or ${NAME:-default}."
	doc["type"] = "object" // an empty file has no value at all, but no editor needs to know
	out, err := json.MarshalIndent(doc, "", "  ")
	if err != nil { // maps of strings and numbers only
		panic("config: schema cannot be encoded: " + err.Error())
	}
	return append(out, '\n')
}

type object = map[string]any

func schemaOf(s *section) object {
	properties := object{}
	for _, name := range s.names {
		if f, ok := s.fields[name]; ok {
			properties[name] = f.schema()
			continue
		}
		properties[name] = schemaOf(s.sections[name])
	}
	out := object{"type": []string{"object", "null"}, "additionalProperties": false, "properties": properties}
	if s.doc != "" {
		out["description"] = s.doc
	}
	return out
}

func (f *Field) schema() object {
	var out object
	variable := object{"type": "string", "pattern": `\$\{`}
	switch f.Type {
	case TextList:
		out = object{"anyOf": []object{{"type": "array", "items": f.elementSchema()}, variable, {"type": "null"}}}
	case RecordsTable:
		out = object{"type": []string{"object", "null"}, "propertyNames": object{"pattern": schemaPatterns[f.Keys]}, "additionalProperties": schemaOf(f.each)}
	case NumberTable, TextTable:
		keys := object{"pattern": schemaPatterns[f.Keys]}
		out = object{"anyOf": []object{{"type": "object", "propertyNames": keys, "additionalProperties": f.elementSchema()}, variable, {"type": "null"}}}
	default:
		out = f.elementSchema()
		if either, ok := out["anyOf"].([]object); ok {
			out["anyOf"] = append(either, object{"type": "null"})
		} else {
			out["type"] = []string{"string", "null"}
		}
	}
	out["description"] = f.describe()
	if value := f.schemaDefault(); value != nil {
		out["default"] = value
	}
	return out
}

// describe is the documentation and what a schema has no words for.
func (f *Field) describe() string {
	text := f.Doc
	if f.Type != Number && (f.Min != "" || f.Max != "") {
		switch {
		case f.Max == "":
			text += " At least " + f.Min + "."
		default:
			text += " Between " + f.Min + " and " + f.Max + "."
		}
	}
	if !f.Live && f.Type != RecordsTable {
		text += " A change needs a restart."
	}
	return text
}

func (f *Field) elementSchema() object {
	var own object
	switch f.element() {
	case Number:
		own = object{"type": "integer"}
		if n, ok := f.bound(f.Min); ok {
			own["minimum"] = n
		}
		if n, ok := f.bound(f.Max); ok {
			own["maximum"] = n
		}
	case Switch:
		own = object{"type": "boolean"}
	case Span:
		own = object{"type": "string", "pattern": durationPattern}
	case Size:
		return object{"anyOf": []object{
			{"type": "integer", "minimum": 0}, {"type": "string", "pattern": `^[0-9]+$|` + bytesPattern}, {"type": "string", "pattern": `\$\{`},
		}}
	case Money, Fraction:
		return object{"anyOf": []object{{"type": "number", "minimum": 0}, {"type": "string", "pattern": dollarsPattern}, {"type": "string", "pattern": `\$\{`}}}
	default:
		pattern := schemaPatterns[f.Format]
		switch {
		case len(f.Enum) > 0:
			own = object{"enum": f.Enum}
		case pattern != "":
			own = object{"type": "string", "pattern": pattern}
		default:
			return object{"type": "string"}
		}
	}
	return object{"anyOf": []object{own, {"type": "string", "pattern": `\$\{`}}}
}

func (f *Field) schemaDefault() any {
	if f.Default == "" {
		return nil
	}
	switch f.Type {
	case Number:
		if n, err := strconv.Atoi(f.Default); err == nil {
			return n
		}
	case Switch:
		return f.Default == "true"
	}
	return f.Default
}
