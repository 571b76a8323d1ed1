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
type field struct{ tools.Field }

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

func (s schemaOf) choices() []tools.Choice {
	var out []tools.Choice
	for i, value := range s.Enum {
		label := value
		if i < len(s.EnumNames) {
			label = s.EnumNames[i]
		}
		out = append(out, tools.Choice{Value: value, Label: label})
	}
	for _, c := range append(s.OneOf, s.AnyOf...) {
		label := c.Title
		if label == "" {
			label = c.Const
		}
		out = append(out, tools.Choice{Value: c.Const, Label: label})
	}
	if s.Type == "boolean" {
		out = []tools.Choice{{Value: "true", Label: "Yes"}, {Value: "false", Label: "No"}}
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
		out = append(out, field{tools.Field{
			Name: name, Title: s.Title, Description: s.Description, Type: s.Type, Choices: s.choices(), Preset: s.Default, Required: slices.Contains(form.Required, name),
		}})
	}
	slices.SortFunc(out, func(a, b field) int {
		if a.Required != b.Required {
			return map[bool]int{true: -1, false: 1}[a.Required]
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out, nil
}

// need is a server's question as people are asked it. problem is what was wrong with the last answer.
func (q Question) need(server, problem string) (tools.Need, error) {
	fields, err := q.fields()
	if err != nil {
		return tools.Need{}, err
	}
	need := tools.Need{Question: fmt.Sprintf("The MCP server %s asks: %s", server, q.Text), Help: problem}
	help := func(text string) { need.Help = strings.TrimSpace(need.Help + "\n\n" + text) }
	switch {
	case q.URL != "":
		help("It wants you to open this page: " + q.URL)
		need.Options = options(sayOpened)
	case len(fields) == 0:
		need.Options = options(sayAccept)
	case len(fields) == 1 && len(fields[0].Choices) > 0:
		for _, c := range fields[0].Choices {
			need.Options = append(need.Options, tools.Option{Label: c.Label})
		}
		need.Options = append(need.Options, tools.Option{Label: sayDecline})
		need.Multiple = fields[0].Type == "array"
		help(fields[0].line())
	default:
		for _, f := range fields {
			need.Fields = append(need.Fields, f.Field)
		}
		help(howToFill(fields))
	}
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
	return b.String() + "\nAnswer with a line for each, such as " + fields[0].Name + ": …; say accept to take what is preset, or decline."
}

// line describes a field.
func (f field) line() string {
	facts := []string{f.Type}
	if f.Required {
		facts = append(facts, "required")
	}
	if len(f.Preset) > 0 {
		facts = append(facts, "preset "+string(f.Preset))
	}
	var labels []string
	for _, c := range f.Choices {
		labels = append(labels, c.Label)
	}
	if len(labels) > 0 {
		facts = append(facts, "one of "+strings.Join(labels, ", "))
	}
	words := strings.TrimSpace(strings.Join([]string{f.Title, f.Description}, " "))
	return strings.TrimSuffix("- "+f.Name+" ("+strings.Join(facts, ", ")+"): "+words, ": ")
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
		value, ok := said[f.Name]
		if !ok && len(f.Preset) > 0 {
			var preset any
			if json.Unmarshal(f.Preset, &preset) == nil {
				content[f.Name] = preset
			}
			continue
		}
		if !ok && f.Required {
			return Answer{}, f.Name + " is missing."
		}
		if !ok {
			continue
		}
		if content[f.Name], problem = f.parse(value); problem != "" {
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
		said[fields[0].Name] = strings.TrimPrefix(words, fields[0].Name+": ")
		return said
	}
	for _, f := range fields { // on one line, too
		words = strings.NewReplacer(", "+f.Name+":", "\n"+f.Name+":", "; "+f.Name+":", "\n"+f.Name+":").Replace(words)
	}
	for line := range strings.Lines(words) {
		name, value, ok := strings.Cut(line, ":")
		name = strings.TrimSpace(strings.TrimLeft(name, "-* "))
		at := slices.IndexFunc(fields, func(f field) bool { return strings.EqualFold(f.Name, name) || strings.EqualFold(f.Title, name) })
		if ok && at >= 0 {
			said[fields[at].Name] = strings.TrimSpace(value)
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
	if f.Type == "array" {
		values := []string{}
		for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == ',' }) {
			v, ok := f.choose(strings.TrimSpace(part))
			if !ok {
				return nil, fmt.Sprintf("%q is none of the choices for %s.", part, f.Name)
			}
			values = append(values, v)
		}
		return values, ""
	}
	picked, ok := f.choose(text)
	if !ok {
		return nil, fmt.Sprintf("%q is none of the choices for %s.", text, f.Name)
	}
	var err error
	switch f.Type {
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
		return nil, fmt.Sprintf("%s is a number, and %q is none.", f.Name, text)
	}
	return value, ""
}

// choose finds the value that people know by this text; where there are no choices, any will do.
func (f field) choose(text string) (string, bool) {
	for _, c := range f.Choices {
		if strings.EqualFold(c.Label, text) || strings.EqualFold(c.Value, text) {
			return c.Value, true
		}
	}
	return text, len(f.Choices) == 0
}
