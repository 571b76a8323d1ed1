package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fluxway/fluxway/internal/tools"
)

// What a person says instead of an answer.
const (
	sayAccept  = "Accept"
	sayDecline = "Decline"
	sayOpened  = "I have been there"
	sayAllow   = "Allow"
)

// field is one thing that a form asks for.
type field struct {
	name     string
	title    string
	about    string
	kind     string // string, number, integer, boolean or array
	choices  []choice
	fallback json.RawMessage
	required bool
}

// choice is one value of a field, and what people see of it.
type choice struct{ value, label string }

// schemaOf is the part of JSON Schema that forms are written in.
type schemaOf struct {
	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Default     json.RawMessage `json:"default"`
	Enum        []string        `json:"enum"`
	EnumNames   []string        `json:"enumNames"`
	OneOf       []constOf       `json:"oneOf"`
	AnyOf       []constOf       `json:"anyOf"`
	Items       *schemaOf       `json:"items"`
}

type constOf struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

func (s schemaOf) choices() []choice {
	var out []choice
	for i, value := range s.Enum {
		label := value
		if i < len(s.EnumNames) {
			label = s.EnumNames[i]
		}
		out = append(out, choice{value, label})
	}
	for _, c := range append(s.OneOf, s.AnyOf...) {
		label := c.Title
		if label == "" {
			label = c.Const
		}
		out = append(out, choice{c.Const, label})
	}
	if s.Type == "boolean" {
		out = []choice{{"true", "Yes"}, {"false", "No"}}
	}
	if s.Items != nil {
		out = s.Items.choices()
	}
	return out
}

// fields reads a form: what is required first, then by name.
func (q Question) fields() ([]field, error) {
	if len(q.Schema) == 0 {
		return nil, nil
	}
	var form struct {
		Properties map[string]schemaOf `json:"properties"`
		Required   []string            `json:"required"`
	}
	if err := json.Unmarshal(q.Schema, &form); err != nil {
		return nil, fmt.Errorf("reading a form: %w", err)
	}
	var out []field
	for name, s := range form.Properties {
		out = append(out, field{
			name: name, title: s.Title, about: s.Description, kind: s.Type, choices: s.choices(), fallback: s.Default, required: slices.Contains(form.Required, name),
		})
	}
	slices.SortFunc(out, func(a, b field) int {
		if a.required != b.required {
			return map[bool]int{true: -1, false: 1}[a.required]
		}
		return strings.Compare(a.name, b.name)
	})
	return out, nil
}

// need is a server's question as people are asked it. problem is what was wrong with the last answer.
func (q Question) need(server, problem string) (tools.Need, error) {
	fields, err := q.fields()
	if err != nil {
		return tools.Need{}, err
	}
	text := fmt.Sprintf("The MCP server %s asks: %s", server, q.Text)
	if problem != "" {
		text = problem + "\n\n" + text
	}
	need := tools.Need{}
	switch {
	case q.URL != "":
		text += "\n\nIt wants you to open this page: " + q.URL
		need.Options = options(sayOpened)
	case len(fields) == 0:
		need.Options = options(sayAccept)
	case len(fields) == 1 && len(fields[0].choices) > 0:
		for _, c := range fields[0].choices {
			need.Options = append(need.Options, tools.Option{Label: c.label})
		}
		need.Options = append(need.Options, tools.Option{Label: sayDecline})
		need.Multiple = fields[0].kind == "array"
		text += "\n\n" + fields[0].line()
	default:
		text += "\n\n" + howToFill(fields)
	}
	need.Question = text
	return need, nil
}

func options(yes string) []tools.Option { return []tools.Option{{Label: yes}, {Label: sayDecline}} }

func howToFill(fields []field) string {
	var b strings.Builder
	for _, f := range fields {
		b.WriteString(f.line() + "\n")
	}
	if len(fields) == 1 {
		return b.String() + "\nAnswer with the value, or say decline."
	}
	return b.String() + "\nAnswer with a line for each, such as " + fields[0].name + ": …; say accept to take what is preset, or decline."
}

// line describes a field.
func (f field) line() string {
	facts := []string{f.kind}
	if f.required {
		facts = append(facts, "required")
	}
	if len(f.fallback) > 0 {
		facts = append(facts, "preset "+string(f.fallback))
	}
	var labels []string
	for _, c := range f.choices {
		labels = append(labels, c.label)
	}
	if len(labels) > 0 {
		facts = append(facts, "one of "+strings.Join(labels, ", "))
	}
	words := strings.TrimSpace(strings.Join([]string{f.title, f.about}, " "))
	return strings.TrimSuffix("- "+f.name+" ("+strings.Join(facts, ", ")+"): "+words, ": ")
}

// read takes a person's words as the answer; problem says what is wrong with them.
func (q Question) read(words string) (answer Answer, problem string) {
	words = strings.TrimSpace(words)
	switch strings.ToLower(words) {
	case "decline":
		return Answer{Action: "decline"}, ""
	case "cancel":
		return Answer{Action: "cancel"}, ""
	}
	fields, err := q.fields()
	if err != nil {
		return Answer{Action: "cancel"}, ""
	}
	said := spoken(fields, words)
	content := map[string]any{}
	for _, f := range fields {
		value, ok := said[f.name]
		if !ok && len(f.fallback) > 0 {
			var preset any
			if json.Unmarshal(f.fallback, &preset) == nil {
				content[f.name] = preset
			}
			continue
		}
		if !ok && f.required {
			return Answer{}, f.name + " is missing."
		}
		if !ok {
			continue
		}
		if content[f.name], problem = f.parse(value); problem != "" {
			return Answer{}, problem
		}
	}
	return Answer{Action: "accept", Content: content}, ""
}

// spoken finds the value of each field in what a person said: the whole for a single field, else lines of name: value, or JSON.
func spoken(fields []field, words string) map[string]string {
	said := map[string]string{}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(words), &object) == nil {
		for name, raw := range object {
			said[name] = plainly(raw)
		}
		return said
	}
	if len(fields) == 1 {
		said[fields[0].name] = strings.TrimPrefix(words, fields[0].name+": ")
		return said
	}
	for line := range strings.Lines(words) {
		name, value, ok := strings.Cut(line, ":")
		name = strings.TrimSpace(strings.TrimLeft(name, "-* "))
		at := slices.IndexFunc(fields, func(f field) bool { return strings.EqualFold(f.name, name) || strings.EqualFold(f.title, name) })
		if ok && at >= 0 {
			said[fields[at].name] = strings.TrimSpace(value)
		}
	}
	return said
}

// plainly is a JSON value as a person would have written it.
func plainly(raw json.RawMessage) string {
	var text string
	var list []string
	switch {
	case json.Unmarshal(raw, &text) == nil:
		return text
	case json.Unmarshal(raw, &list) == nil:
		return strings.Join(list, "\n")
	}
	return string(raw)
}

// parse makes a value of what a person wrote.
func (f field) parse(text string) (value any, problem string) {
	text = strings.TrimSpace(text)
	if f.kind == "array" {
		values := []string{}
		for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == ',' }) {
			v, ok := f.choose(strings.TrimSpace(part))
			if !ok {
				return nil, fmt.Sprintf("%q is none of the choices for %s.", part, f.name)
			}
			values = append(values, v)
		}
		return values, ""
	}
	picked, ok := f.choose(text)
	if !ok {
		return nil, fmt.Sprintf("%q is none of the choices for %s.", text, f.name)
	}
	var err error
	switch f.kind {
	case "boolean":
		return picked == "true", ""
	case "integer":
		value, err = strconv.ParseInt(picked, 10, 64)
	case "number":
		value, err = strconv.ParseFloat(picked, 64)
	default:
		value = picked
	}
	if err != nil {
		return nil, fmt.Sprintf("%s is a number, and %q is none.", f.name, text)
	}
	return value, ""
}

// choose finds the value that people know by this text; where there are no choices, any will do.
func (f field) choose(text string) (string, bool) {
	for _, c := range f.choices {
		if strings.EqualFold(c.label, text) || strings.EqualFold(c.value, text) {
			return c.value, true
		}
	}
	return text, len(f.choices) == 0
}
