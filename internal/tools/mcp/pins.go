package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/tools"
)

// Bounds of what one server may offer.
const (
	maxTools       = 500
	maxDescription = 16 << 10
	maxSchema      = 256 << 10
)

// Described is what a server says of a tool: this is what a person agrees to.
type Described struct {
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

func (d *Described) equal(o *Described) bool {
	if d == nil || o == nil {
		return d == o
	}
	return d.Title == o.Title && d.Description == o.Description && bytes.Equal(canonical(d.Schema), canonical(o.Schema))
}

// canonical is JSON with one order of keys and no spaces.
func canonical(text json.RawMessage) []byte {
	var v any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return text
	}
	out, err := json.Marshal(v)
	if err != nil {
		return text
	}
	return out
}

// pin is what is kept of a tool.
type pin struct {
	Tool    string     `db:"tool"`
	Pinned  *Described `db:"pinned,json"`
	Offered *Described `db:"offered,json"`
	Gone    bool       `db:"gone"`
}

func (p pin) equal(o pin) bool {
	return p.Tool == o.Tool && p.Gone == o.Gone && p.Pinned.equal(o.Pinned) && p.Offered.equal(o.Offered)
}

// settle decides what becomes of the pins when a server lists these tools. A server that is
// met for the first time is believed; later, what is new or different waits for a person.
func settle(old []pin, offered map[string]Described) []pin {
	before := make(map[string]pin, len(old))
	for _, p := range old {
		before[p.Tool] = p
	}
	var out []pin
	for tool, d := range offered {
		p, known := before[tool]
		p.Tool, p.Gone, p.Offered = tool, false, nil
		switch {
		case len(old) == 0:
			p.Pinned = &d
		case !known || p.Pinned == nil || !p.Pinned.equal(&d):
			p.Offered = &d
		}
		out = append(out, p)
	}
	for _, p := range old {
		if _, still := offered[p.Tool]; !still {
			p.Gone = true
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b pin) int { return cmp.Compare(a.Tool, b.Tool) })
	return out
}

// ToolState is whether a tool of a server can be used, and if not, why.
type ToolState string

// The states of a tool.
const (
	ToolReady    ToolState = "ready"
	ToolNew      ToolState = "new"      // the server did not have it when it was met
	ToolChanged  ToolState = "changed"  // it says something else of itself than what was agreed to
	ToolGone     ToolState = "gone"     // the server does not list it any more
	ToolDenied   ToolState = "denied"   // the server's allow and deny patterns leave it out
	ToolUnusable ToolState = "unusable" // its schema cannot be used
)

// ServerTool is a tool of a server as people see it.
type ServerTool struct {
	Name        string          `json:"name" doc:"What agents call it."`
	Tool        string          `json:"tool" doc:"What the server calls it."`
	State       ToolState       `json:"state" enum:"ready,new,changed,gone,denied,unusable" doc:"new and changed wait for consent; until then agents do not have the tool."`
	Reason      string          `json:"reason,omitempty"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Level       tools.Level     `json:"level" enum:"public,restricted,dangerous"`
	Offered     *Described      `json:"offered,omitempty" doc:"What the server says now, where that waits for consent."`
	Diff        string          `json:"diff,omitempty" doc:"From what was agreed to, to what the server says now: lines that begin with - and +."`
}

// state works out what people are told of a pin.
func (d *Definition) state(p pin) (ToolState, string) {
	switch {
	case p.Gone:
		return ToolGone, "The server does not list it any more."
	case !d.has(p.Tool):
		return ToolDenied, "The server's allow and deny patterns leave it out."
	case p.Pinned == nil:
		return ToolNew, "The server added it after it was met; agree to it to give it to agents."
	case p.Offered != nil:
		return ToolChanged, "The server describes it differently now; agree to the change to give it back to agents."
	}
	if _, err := usable(p.Pinned.Schema); err != nil {
		return ToolUnusable, "Its schema cannot be used: " + err.Error() + "."
	}
	return ToolReady, ""
}

// usable turns a server's schema into one that the toolbox takes: servers leave the type out, or write null.
func usable(schema json.RawMessage) (json.RawMessage, error) {
	var object map[string]json.RawMessage
	if trimmed := bytes.TrimSpace(schema); len(trimmed) == 0 || bytes.Equal(trimmed, []byte("null")) {
		return json.RawMessage(`{"type":"object"}`), nil
	}
	if err := json.Unmarshal(schema, &object); err != nil {
		return nil, err
	}
	if t, ok := object["type"]; !ok || string(t) != `"object"` {
		object["type"] = json.RawMessage(`"object"`)
		var err error
		if schema, err = json.Marshal(object); err != nil {
			return nil, err
		}
	}
	return schema, tools.CheckSchema(schema)
}

// text is what a diff compares.
func (d *Described) text() []string {
	if d == nil {
		return nil
	}
	var b strings.Builder
	if d.Title != "" {
		b.WriteString("title: " + d.Title + "\n")
	}
	b.WriteString(d.Description + "\n")
	var pretty bytes.Buffer
	if json.Indent(&pretty, canonical(d.Schema), "", "  ") == nil {
		b.Write(pretty.Bytes())
	} else {
		b.Write(d.Schema)
	}
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	return lines[:min(len(lines), maxDiff)]
}

// maxDiff bounds the lines that are compared.
const maxDiff = 600

// diff writes lines that went with -, lines that came with + and those that stayed.
func diff(from, to []string) string {
	rest := make([][]int, len(from)+1) // the longest common rest from here on
	for i := range rest {
		rest[i] = make([]int, len(to)+1)
	}
	for i := len(from) - 1; i >= 0; i-- {
		for j := len(to) - 1; j >= 0; j-- {
			rest[i][j] = max(rest[i+1][j], rest[i][j+1])
			if from[i] == to[j] {
				rest[i][j] = rest[i+1][j+1] + 1
			}
		}
	}
	var b strings.Builder
	i, j := 0, 0
	for i < len(from) || j < len(to) {
		switch {
		case i < len(from) && j < len(to) && from[i] == to[j]:
			b.WriteString("  " + from[i] + "\n")
			i++
			j++
		case j == len(to) || i < len(from) && rest[i+1][j] >= rest[i][j+1]:
			b.WriteString("- " + from[i] + "\n")
			i++
		default:
			b.WriteString("+ " + to[j] + "\n")
			j++
		}
	}
	return b.String()
}
