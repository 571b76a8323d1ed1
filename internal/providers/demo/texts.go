package demo

import (
	"encoding/json"
	"maps"
	"slices"
)

const tableText = disclaimer + `Here is a table.

| noun | is | example |
|---|---|---|
| agent | a definition | researcher |
| run | one request being worked on | run_01J… |
| budget | a limit on spending | 5 dollars a day |

It has three columns and three rows.`

const codeText = disclaimer + "Here is a program.\n\n```go\npackage main\n\nimport \"fmt\"\n\nfunc main() {\n\tfor i := range 3 {\n\t\tfmt.Println(\"hello\", i)\n\t}\n}\n```\n\nIt prints three lines."

const markdownText = disclaimer + `# A heading

Some **bold**, some _italic_, some ` + "`code`" + ` and a [link](https://example.com).

1. first
2. second
   - nested

> A quotation.

- [x] done
- [ ] to do

` + "```json\n{\"answer\": 42}\n```"

const formulaText = disclaimer + `The roots of $ax^2 + bx + c = 0$ are known when $a \neq 0$:

$$
x_{1,2} = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}
$$

And the area under a bell curve is

\[
\int_{-\infty}^{\infty} e^{-x^2}\,dx = \sqrt{\pi}
\]

Prices such as $5 and $10 stay what they are.`

const diagramText = disclaimer + "This is how a message travels.\n\n```mermaid\nflowchart LR\n  you[You] --> api[API]\n  api --> run[Run]\n  run --> model{{Model}}\n  run --> guard{Guard}\n  guard -->|allowed| tool[Tool]\n  guard -->|asks| you\n  model --> run\n```\n\nThe guard stands between an agent and its tools."

// sample makes the smallest value that fits a schema, for structured output.
func sample(schema json.RawMessage) string {
	var s node
	if len(schema) == 0 || json.Unmarshal(schema, &s) != nil {
		return `{"demo":true}`
	}
	b, err := json.Marshal(s.value(0))
	if err != nil {
		return `{}`
	}
	return string(b)
}

// node is the part of JSON Schema that sample follows.
type node struct {
	Type       any             `json:"type"`
	Enum       []any           `json:"enum"`
	Const      any             `json:"const"`
	Properties map[string]node `json:"properties"`
	Items      *node           `json:"items"`
	AnyOf      []node          `json:"anyOf"`
	MinItems   int             `json:"minItems"`
	Minimum    *float64        `json:"minimum"`
}

const maxDepth = 12

func (n *node) value(depth int) any {
	switch {
	case depth > maxDepth:
		return nil
	case n.Const != nil:
		return n.Const
	case len(n.Enum) > 0:
		return n.Enum[0]
	case len(n.AnyOf) > 0:
		return n.AnyOf[0].value(depth + 1)
	}
	switch n.kind() {
	case "object":
		out := make(map[string]any, len(n.Properties))
		for _, name := range slices.Sorted(maps.Keys(n.Properties)) {
			child := n.Properties[name]
			out[name] = child.value(depth + 1)
		}
		return out
	case "array":
		out := make([]any, 0, n.MinItems)
		for n.Items != nil && len(out) < max(1, n.MinItems) {
			out = append(out, n.Items.value(depth+1))
		}
		return out
	case "integer", "number":
		if n.Minimum != nil {
			return *n.Minimum
		}
		return 1
	case "boolean":
		return true
	case "null":
		return nil
	}
	return "demo"
}

func (n *node) kind() string {
	switch t := n.Type.(type) {
	case string:
		return t
	case []any:
		if len(t) > 0 {
			if s, ok := t[0].(string); ok {
				return s
			}
		}
	}
	if n.Properties != nil {
		return "object"
	}
	return "string"
}
