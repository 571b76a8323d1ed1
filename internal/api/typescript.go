package api

import (
	"fmt"
	"strconv"
	"strings"
)

// typescript prints the document as types, in the shape that openapi-typescript
// prints and openapi-fetch reads.
func typescript(doc ordered) []byte {
	var t tsWriter
	t.line("/** Generated from the route table of internal/api by `make generate`; do not edit. */")
	t.line("")
	t.open("export interface paths {")
	for _, p := range doc.get("paths").(ordered) {
		t.path(p.name, p.value.(ordered))
	}
	t.close("}")
	t.line("")
	t.open("export interface components {")
	t.open("schemas: {")
	for _, c := range doc.get("components").(ordered).get("schemas").(ordered) {
		t.value(key(c.name)+": ", c.value.(ordered), ";")
	}
	t.close("};")
	t.close("}")
	return []byte(t.String())
}

type tsWriter struct {
	strings.Builder
	depth int
}

func (t *tsWriter) line(text string) {
	if text != "" {
		text = strings.Repeat("  ", t.depth) + text
	}
	t.WriteString(text + "\n")
}

func (t *tsWriter) open(text string) {
	t.line(text)
	t.depth++
}

func (t *tsWriter) close(text string) {
	t.depth--
	t.line(text)
}

var tsMethods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

const tsNoParameters = "{ query?: never; header?: never; path?: never; cookie?: never }"

func (t *tsWriter) path(pattern string, methods ordered) {
	t.open(strconv.Quote(pattern) + ": {")
	t.line("parameters: " + tsNoParameters + ";")
	for _, m := range tsMethods {
		op, ok := methods.get(m).(ordered)
		if !ok {
			t.line(m + "?: never;")
			continue
		}
		if summary, _ := op.get("summary").(string); summary != "" {
			t.line("/** " + summary + " */")
		}
		t.open(m + ": {")
		t.parameters(op)
		t.body(op)
		t.responses(op.get("responses").(ordered))
		t.close("};")
	}
	t.close("};")
}

func (t *tsWriter) parameters(op ordered) {
	list, _ := op.get("parameters").([]ordered)
	t.open("parameters: {")
	for _, in := range []string{"query", "header", "path", "cookie"} {
		var own []ordered
		must := false
		for _, p := range list {
			if p.get("in") == in {
				own = append(own, p)
				must = must || p.get("required") == true
			}
		}
		switch {
		case own == nil:
			t.line(in + "?: never;")
			continue
		case must:
			t.open(in + ": {")
		default:
			t.open(in + "?: {")
		}
		for _, p := range own {
			t.comment(p)
			t.value(key(p.get("name").(string))+optional(p.get("required") == true)+": ", p.get("schema").(ordered), ";")
		}
		t.close("};")
	}
	t.close("};")
}

func (t *tsWriter) body(op ordered) {
	body, ok := op.get("requestBody").(ordered)
	if !ok {
		t.line("requestBody?: never;")
		return
	}
	t.open("requestBody" + optional(body.get("required") == true) + ": {")
	t.content(body.get("content").(ordered))
	t.close("};")
}

func (t *tsWriter) responses(responses ordered) {
	t.open("responses: {")
	for _, r := range responses {
		t.open(r.name + ": {")
		t.line("headers: { [name: string]: unknown };")
		if content, ok := r.value.(ordered).get("content").(ordered); ok {
			t.content(content)
		} else {
			t.line("content?: never;")
		}
		t.close("};")
	}
	t.close("};")
}

func (t *tsWriter) content(content ordered) {
	t.open("content: {")
	for i, c := range content {
		if i > 0 && c.name == "text/event-stream" { // read by hand, never by the typed client
			continue
		}
		t.value(strconv.Quote(c.name)+": ", c.value.(ordered).get("schema").(ordered), ";")
	}
	t.close("};")
}

// value prints a property with its type; objects take several lines.
func (t *tsWriter) value(before string, schema ordered, after string) {
	properties, ok := schema.get("properties").(ordered)
	if !ok {
		t.line(before + tsType(schema) + after)
		return
	}
	if len(properties) == 0 {
		t.line(before + "Record<string, never>" + after)
		return
	}
	required, _ := schema.get("required").([]string)
	t.open(before + "{")
	for _, p := range properties {
		must := false
		for _, name := range required {
			must = must || name == p.name
		}
		t.comment(p.value.(ordered))
		t.value(key(p.name)+optional(must)+": ", p.value.(ordered), ";")
	}
	t.close("}" + after)
}

func (t *tsWriter) comment(o ordered) {
	if text, _ := o.get("description").(string); text != "" {
		t.line("/** " + strings.ReplaceAll(text, "*/", "* /") + " */")
	}
}

func optional(must bool) string {
	if must {
		return ""
	}
	return "?"
}

// tsType is a type that fits on a line.
func tsType(schema ordered) string {
	if ref, ok := schema.get("$ref").(string); ok {
		return fmt.Sprintf("components[%q][%q]", "schemas", strings.TrimPrefix(ref, "#/components/schemas/"))
	}
	if enum, ok := schema.get("enum").([]string); ok {
		quoted := make([]string, len(enum))
		for i, e := range enum {
			quoted[i] = strconv.Quote(e)
		}
		return strings.Join(quoted, " | ")
	}
	switch schema.get("type") {
	case "string":
		return "string"
	case "boolean":
		return "boolean"
	case "integer", "number":
		return "number"
	case "array":
		return arrayOf(schema.get("items").(ordered))
	case "object":
		return objectType(schema)
	}
	return "unknown"
}

func arrayOf(items ordered) string {
	inner := tsType(items)
	if strings.ContainsAny(inner, " |") {
		inner = "(" + inner + ")"
	}
	return inner + "[]"
}

func objectType(schema ordered) string {
	if more, ok := schema.get("additionalProperties").(ordered); ok {
		return "{ [key: string]: " + tsType(more) + " }"
	}
	properties, _ := schema.get("properties").(ordered)
	required, _ := schema.get("required").([]string)
	var fields []string
	for _, p := range properties {
		must := false
		for _, name := range required {
			must = must || name == p.name
		}
		fields = append(fields, key(p.name)+optional(must)+": "+tsType(p.value.(ordered)))
	}
	return "{ " + strings.Join(fields, "; ") + " }"
}

// key quotes a property's name where TypeScript wants it.
func key(name string) string {
	for i, c := range name {
		letter := c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
		if !letter && (i == 0 || c < '0' || c > '9') {
			return strconv.Quote(name)
		}
	}
	return name
}
