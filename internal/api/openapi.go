package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"
)

// document is the OpenAPI 3.1 description of the table.
func document(routes []route, version string) ordered {
	s := &schemas{named: map[string]ordered{}, types: map[string]reflect.Type{}}
	failure := s.of(reflect.TypeFor[ErrorBody]())
	var paths ordered
	for _, r := range routes {
		op := s.operation(r, failure)
		method := strings.ToLower(r.Method)
		at := -1
		for i := range paths {
			if paths[i].name == r.Pattern {
				at = i
			}
		}
		if at < 0 {
			paths = append(paths, pair{r.Pattern, ordered{{method, op}}})
		} else {
			paths[at].value = append(paths[at].value.(ordered), pair{method, op})
		}
	}
	var components ordered
	for _, name := range s.order {
		components = append(components, pair{name, s.named[name]})
	}
	return ordered{
		{"openapi", "3.1.0"},
		{"info", ordered{
			{"title", "Fluxway"}, {"version", version},
			{"description", "REST under /api/v1. Lists answer data, has_more and next_cursor; errors answer error with code, message, hint and request_id."},
		}},
		{"paths", paths},
		{"components", ordered{
			{"schemas", components},
			{"securitySchemes", ordered{
				{"key", ordered{{"type", "http"}, {"scheme", "bearer"}, {"description", "An API key, fx_…; the header x-api-key works too."}}},
				{"session", ordered{{"type", "apiKey"}, {"in", "cookie"}, {"name", SessionCookie}}},
			}},
		}},
	}
}

func (s *schemas) operation(r route, failure ordered) ordered {
	a := r.Action
	op := ordered{
		{"operationId", operationID(r)}, {"summary", r.Summary}, {"tags", []string{tag(r.Pattern)}},
		{"x-permission", r.Permission},
	}
	if r.Permission == public {
		op = append(op, pair{"security", []any{}})
	} else {
		op = append(op, pair{"security", []any{ordered{{"key", []string{}}}, ordered{{"session", []string{}}}}})
	}
	if params := s.parameters(r); len(params) > 0 {
		op = append(op, pair{"parameters", params})
	}
	if a.input != nil && a.input.body {
		s.asked = true
		body := s.of(a.in)
		s.asked = false
		op = append(op, pair{"requestBody", ordered{{"required", a.input.mustHave}, {"content", ordered{{"application/json", ordered{{"schema", body}}}}}}})
	}
	if a.dialect != nil {
		return append(op, pair{"responses", ordered{
			{strconv.Itoa(a.status), s.success(a)},
			{"default", ordered{{"description", "What went wrong, in the shape of the vendor's own errors."}}},
		}})
	}
	return append(op, pair{"responses", ordered{
		{strconv.Itoa(a.status), s.success(a)},
		{"default", ordered{{"description", "What went wrong, and what to do next."}, {"content", ordered{{"application/json", ordered{{"schema", failure}}}}}}},
	}})
}

func (s *schemas) success(a action) ordered {
	answer := ordered{{"description", http.StatusText(a.status)}}
	var content ordered
	switch {
	case a.media != "":
		content = append(content, pair{a.media, ordered{{"schema", ordered{{"type", "string"}}}}})
	case a.out != nil:
		content = append(content, pair{"application/json", ordered{{"schema", s.of(a.out)}}})
	}
	if a.also != "" {
		content = append(content, pair{a.also, ordered{{"schema", ordered{{"type", "string"}}}}})
	}
	if content != nil {
		answer = append(answer, pair{"content", content})
	}
	return answer
}

func (s *schemas) parameters(r route) []ordered {
	var list []ordered
	for _, p := range r.Action.input.params {
		schema := bounded(s.of(p.typ), p.rules)
		o := ordered{{"name", p.name}, {"in", p.in}, {"required", p.in == "path" || p.rules.Required}, {"schema", schema}}
		if p.many {
			o = append(o, pair{"explode", false})
		}
		list = append(list, described(o, p.doc))
	}
	if r.replayable() {
		list = append(list, ordered{
			{"name", "Idempotency-Key"}, {"in", "header"}, {"required", false}, {"schema", ordered{{"type", "string"}, {"maxLength", maxKeyLength}}},
			{"description", "A fresh random text; the same request with the same key within a day gets the same answer instead of being done twice."},
		})
	}
	return list
}

// operationID makes getKeysKey of GET /api/v1/keys/{key}.
func operationID(r route) string {
	id := strings.ToLower(r.Method)
	for segment := range strings.FieldsFuncSeq(strings.TrimPrefix(r.Pattern, "/api/v1"), func(c rune) bool { return strings.ContainsRune("/{}.-_", c) }) {
		id += upper(segment)
	}
	return id
}

// tag is the part a route belongs to.
func tag(pattern string) string {
	rest, ok := strings.CutPrefix(pattern, "/api/v1/")
	if !ok {
		return "operations"
	}
	first, _, _ := strings.Cut(rest, "/")
	return first
}

// indented is JSON for people and for diffs.
func indented(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("api: the description cannot be encoded: " + err.Error())
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		panic("api: the description is not JSON: " + err.Error())
	}
	b.WriteByte('\n')
	return b.Bytes()
}
