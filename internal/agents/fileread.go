package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/yamlnode"
)

// Style is whose way of writing an agent down it is.
type Style string

// The styles that are understood.
const (
	StyleOurs       Style = "fluxway"
	StyleMUXI       Style = "muxi"
	StyleFluxmaster Style = "fluxmaster"
)

// Draft is an agent of a file, as fields of a definition.
type Draft struct {
	Name   string
	Style  Style
	Fields json.RawMessage
}

// Note is something in a file that was not understood, or not taken over.
type Note struct {
	Agent   string `json:"agent,omitempty"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

// importNotes collects notes about one agent after the other.
type importNotes struct {
	agent string
	notes []Note
}

func (n *importNotes) add(field, format string, args ...any) {
	n.notes = append(n.notes, Note{n.agent, field, fmt.Sprintf(format, args...)})
}

// The bounds of a file.
const (
	MaxFile       = 1 << 20
	maxFileTokens = 20_000
	maxFileDepth  = 50
	maxFileAgents = 200
)

// ParseFile reads the agents of a file, YAML or JSON, ours, MUXI's or Fluxmaster's.
func ParseFile(text []byte) ([]Draft, []Note, error) {
	v, err := decodeFile(text)
	if err != nil {
		return nil, nil, err
	}
	notes := &importNotes{notes: []Note{}}
	items, err := itemsOf(v, notes)
	if err != nil {
		return nil, nil, err
	}
	if len(items) == 0 || len(items) > maxFileAgents {
		return nil, nil, badFile("The file has %d agents; it may have 1 to %d.", len(items), maxFileAgents)
	}
	var drafts []Draft
	for i, it := range items {
		d := it.draft(notes)
		if slices.ContainsFunc(drafts, func(o Draft) bool { return o.Name == d.Name }) {
			return nil, nil, badFile("Two agents of the file are called %q.", cut(d.Name, 64)).WithParam(fmt.Sprintf("agents[%d].name", i))
		}
		variables(d, notes)
		drafts = append(drafts, d)
	}
	return drafts, notes.notes, nil
}

func badFile(format string, args ...any) *fault.Fault {
	return fault.New(fault.Invalid, "file_invalid", format, args...).WithParam("text").
		WithHint("A file has a list of agents, as GET /api/v1/agents/{agent}/export writes it; files of MUXI and Fluxmaster are read too.")
}

func decodeFile(text []byte) (v any, _ error) {
	if len(text) > MaxFile {
		return nil, badFile("The file has %d bytes; the most is %d.", len(text), MaxFile)
	}
	trimmed := bytes.TrimSpace(text)
	if len(trimmed) == 0 {
		return nil, badFile("The file is empty.")
	}
	if trimmed[0] == '{' || trimmed[0] == '[' {
		dec := json.NewDecoder(bytes.NewReader(trimmed))
		dec.UseNumber()
		if err := dec.Decode(&v); err == nil {
			return v, nil
		} // else it may be YAML that starts so
	}
	n, bad := yamlnode.Parse(text, yamlnode.Limits{Tokens: maxFileTokens, Depth: maxFileDepth})
	if bad != nil {
		return nil, badFile("The file is neither JSON nor YAML: line %d %s.", bad.At.Line, strings.TrimSuffix(bad.Message, "."))
	}
	return n.Value(), nil
}

// item is one agent of a file with what its file says around it.
type item struct {
	style  Style
	fields map[string]any
	around map[string]any
}

// itemsOf finds the agents in whatever shape the file has.
func itemsOf(v any, notes *importNotes) ([]item, error) {
	switch v := v.(type) {
	case []any:
		return listed(v, nil)
	case map[string]any:
		switch inner := v["agents"].(type) {
		case []any:
			noteAround(v, notes, "agents", "fluxway")
			return listed(inner, v)
		case map[string]any:
			if list, ok := inner["list"].([]any); ok {
				noteAround(v, notes, "agents", "personas", "security")
				return listed(list, v)
			}
		case nil:
			return listed([]any{v}, nil)
		}
	}
	return nil, badFile("No agents were found in the file.")
}

// noteAround notes the sections of a file that are not about agents.
func noteAround(file map[string]any, notes *importNotes, used ...string) {
	for _, name := range sortedNames(file) {
		if !slices.Contains(used, name) {
			notes.add(name, "Only agents are taken over, not this section.")
		}
	}
}

func listed(list []any, around map[string]any) ([]item, error) {
	var items []item
	for i, v := range list {
		fields, ok := v.(map[string]any)
		if !ok {
			return nil, badFile("Agent %d of the file is not a table of fields.", i+1).WithParam(fmt.Sprintf("agents[%d]", i))
		}
		items = append(items, item{styleOf(fields, around), fields, around})
	}
	return items, nil
}

// styleOf tells by its words whose file it is.
func styleOf(fields, around map[string]any) Style {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { _, ok := fields[n]; return ok })
	}
	_, modelIsTable := fields["model"].(map[string]any)
	_, personaIsTable := fields["persona"].(map[string]any)
	agents, _ := around["agents"].(map[string]any)
	switch {
	case around["fluxway"] != nil:
		return StyleOurs
	case agents != nil, has("systemPrompt", "maxTokens", "mcpServers", "personaRef"), personaIsTable:
		return StyleFluxmaster
	case modelIsTable, has("system_message", "mcp_servers", "llm_models", "system_behavior", "schema"):
		return StyleMUXI
	case has("id") && !has("name"):
		return StyleFluxmaster
	}
	return StyleOurs
}

func (it item) draft(notes *importNotes) Draft {
	switch it.style {
	case StyleMUXI:
		return fromMUXI(it.fields, notes)
	case StyleFluxmaster:
		return fromFluxmaster(it.fields, it.around, notes)
	default:
		return ours(it.fields, notes)
	}
}

var variable = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// variables notes what would have come from the environment.
func variables(d Draft, notes *importNotes) {
	notes.agent = d.Name
	for _, v := range unique(variable.FindAllString(string(d.Fields), -1)) {
		notes.add("", "%s is not filled in from the environment.", v)
	}
}

func sortedNames(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
