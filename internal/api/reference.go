package api

import (
	"bytes"
	"html/template"
	"net/http"
	"strings"
)

// reference renders the API reference: one page without script, so that it
// works under the strictest policy and without the web UI.
func reference(doc ordered, version string) []byte {
	type field struct{ Name, Type, Must, Doc string }
	type op struct {
		Method, Path, Summary, Permission, ID string
		Params, Body                          []field
		Answer                                string
	}
	type group struct {
		Name string
		Ops  []op
	}
	var groups []*group
	byName := map[string]*group{}
	components := doc.get("components").(ordered).get("schemas").(ordered)
	for _, p := range doc.get("paths").(ordered) {
		for _, m := range p.value.(ordered) {
			o := m.value.(ordered)
			entry := op{
				Method: strings.ToUpper(m.name), Path: p.name, Summary: o.get("summary").(string),
				Permission: o.get("x-permission").(string), ID: o.get("operationId").(string),
			}
			params, _ := o.get("parameters").([]ordered)
			for _, param := range params {
				text, _ := param.get("description").(string)
				entry.Params = append(entry.Params, field{param.get("name").(string) + " (" + param.get("in").(string) + ")", tsType(param.get("schema").(ordered)), must(param.get("required") == true), text})
			}
			if body, ok := o.get("requestBody").(ordered); ok {
				name := refName(schemaOf(body))
				for _, f := range propertiesOf(components, name) {
					entry.Body = append(entry.Body, field(f))
				}
			}
			for _, r := range o.get("responses").(ordered) {
				if r.name != "default" {
					entry.Answer = r.name
					if s := schemaOf(r.value.(ordered)); s != nil {
						entry.Answer += " " + shape(s)
					}
				}
			}
			name := o.get("tags").([]string)[0]
			if byName[name] == nil {
				byName[name] = &group{Name: name}
				groups = append(groups, byName[name])
			}
			byName[name].Ops = append(byName[name].Ops, entry)
		}
	}
	type object struct {
		Name   string
		Fields []property
	}
	var objects []object
	for _, c := range components {
		objects = append(objects, object{c.name, propertiesOf(components, c.name)})
	}
	var b bytes.Buffer
	err := referencePage.Execute(&b, map[string]any{"Version": version, "Groups": groups, "Objects": objects})
	if err != nil {
		panic("api: the reference page cannot be rendered: " + err.Error())
	}
	return b.Bytes()
}

// property is one field of a component, as a line of a table.
type property struct{ Name, Type, Must, Doc string }

func propertiesOf(components ordered, name string) []property {
	schema, _ := components.get(name).(ordered)
	if schema == nil {
		return nil
	}
	required, _ := schema.get("required").([]string)
	properties, _ := schema.get("properties").(ordered)
	var list []property
	for _, p := range properties {
		text, _ := p.value.(ordered).get("description").(string)
		isMust := false
		for _, r := range required {
			isMust = isMust || r == p.name
		}
		list = append(list, property{p.name, shape(p.value.(ordered)), must(isMust), text})
	}
	return list
}

func schemaOf(holder ordered) ordered {
	content, _ := holder.get("content").(ordered)
	if len(content) == 0 {
		return nil
	}
	schema, _ := content[0].value.(ordered).get("schema").(ordered)
	return schema
}

func refName(schema ordered) string {
	ref, _ := schema.get("$ref").(string)
	return strings.TrimPrefix(ref, "#/components/schemas/")
}

// shape is a type in a few words: Key, Key[], string.
func shape(schema ordered) string {
	text := tsType(schema)
	text = strings.ReplaceAll(text, `components["schemas"]["`, "")
	return strings.ReplaceAll(text, `"]`, "")
}

func must(is bool) string {
	if is {
		return "required"
	}
	return ""
}

var referencePage = template.Must(template.New("reference").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Fluxway API</title>
<style>
:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 18%,transparent);--dim:color-mix(in srgb,currentColor 65%,transparent)}
*{box-sizing:border-box}body{font:15px/1.55 system-ui,sans-serif;margin:0;display:grid;grid-template-columns:15rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem 1rem;border-right:1px solid var(--line)}
nav a{display:block;color:inherit;text-decoration:none;padding:.15rem 0}nav a:hover{text-decoration:underline}
main{padding:1.5rem 2rem;max-width:64rem}h2{margin-top:2.5rem;border-bottom:1px solid var(--line)}
code,.m{font:13px/1.5 ui-monospace,monospace}details{border:1px solid var(--line);border-radius:8px;margin:.5rem 0}
summary{padding:.5rem .75rem;cursor:pointer;display:flex;gap:.75rem;flex-wrap:wrap}
.m{font-weight:700;min-width:4rem}.dim{color:var(--dim)}.in{padding:0 .75rem .75rem}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-top:1px solid var(--line)}
@media(max-width:48rem){body{display:block}nav{position:static;height:auto;border:0}main{padding:1rem}}
</style></head><body>
<nav aria-label="Parts"><strong>Fluxway API</strong> <span class="dim">{{.Version}}</span>
{{range .Groups}}<a href="#{{.Name}}">{{.Name}}</a>{{end}}<a href="#objects">Objects</a><a href="/openapi.json">openapi.json</a></nav>
<main><h1>API reference</h1>
<p>Send an API key as <code>Authorization: Bearer fx_…</code> or <code>x-api-key</code>. Bodies are JSON; unknown fields are refused.
Lists answer <code>data</code>, <code>has_more</code> and <code>next_cursor</code>. Errors answer <code>error</code> with <code>code</code>, <code>message</code>, <code>hint</code> and <code>request_id</code>.</p>
{{range .Groups}}<h2 id="{{.Name}}">{{.Name}}</h2>
{{range .Ops}}<details id="{{.ID}}"><summary><span class="m">{{.Method}}</span><code>{{.Path}}</code><span class="dim">{{.Summary}}</span></summary>
<div class="in"><p>Permission: <code>{{.Permission}}</code>. Answer: <code>{{.Answer}}</code>.</p>
{{if .Params}}<table><tr><th scope="col">Parameter<th scope="col">Type<th scope="col"><th scope="col"></tr>{{range .Params}}<tr><td><code>{{.Name}}</code><td><code>{{.Type}}</code><td>{{.Must}}<td>{{.Doc}}</tr>{{end}}</table>{{end}}
{{if .Body}}<table><tr><th scope="col">Body<th scope="col">Type<th scope="col"><th scope="col"></tr>{{range .Body}}<tr><td><code>{{.Name}}</code><td><code>{{.Type}}</code><td>{{.Must}}<td>{{.Doc}}</tr>{{end}}</table>{{end}}
</div></details>{{end}}{{end}}
<h2 id="objects">Objects</h2>
{{range .Objects}}<details id="object-{{.Name}}"><summary><code>{{.Name}}</code></summary><div class="in"><table>{{range .Fields}}<tr><td><code>{{.Name}}</code><td><code>{{.Type}}</code><td>{{.Must}}<td>{{.Doc}}</tr>{{end}}</table></div></details>{{end}}
</main></body></html>
`))

// describe serves the documents made from the table; each is made when first asked for.
func (s *Server) serveOpenAPI(c *call, _ none) error {
	body := s.openapi()
	c.w.Header()["Cache-Control"] = noCache
	c.writeJSON(http.StatusOK, body)
	return nil
}

func (s *Server) serveReference(c *call, _ none) error {
	h := c.w.Header()
	pageHeaders(h)
	h.Set("Content-Type", kinds[".html"])
	_, err := c.w.Write(s.docs())
	return err
}
