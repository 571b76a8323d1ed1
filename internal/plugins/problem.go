package plugins

import (
	"fmt"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Problem is one thing that is wrong with a plugin's files.
type Problem struct {
	File    string `json:"file" doc:"Below the plugin's folder."`
	Line    int    `json:"line,omitempty" doc:"From 1."`
	Column  int    `json:"column,omitempty" doc:"From 1."`
	Key     string `json:"key,omitempty" doc:"Such as contributes.hooks[0].event."`
	Message string `json:"message" doc:"A clause: must be at least 1."`
	Hint    string `json:"hint,omitempty"`
}

// String is one line for a terminal, in the form editors and compilers share.
func (p Problem) String() string {
	line := p.File
	if p.Line > 0 {
		line += fmt.Sprintf(":%d:%d", p.Line, p.Column)
	}
	if p.Key != "" {
		line += ": " + p.Key
	}
	line += ": " + p.Message
	if p.Hint != "" {
		line += ". " + p.Hint
	}
	return line
}

// hintLines is how many problems a fault's hint repeats; its details have all.
const hintLines = 5

// invalid is the problems as every door shows them.
func invalid(name string, problems []Problem) error {
	count := "a problem"
	if len(problems) != 1 {
		count = fmt.Sprintf("%d problems", len(problems))
	}
	lines := make([]string, 0, hintLines+1)
	for i, p := range problems {
		if i == hintLines {
			lines = append(lines, fmt.Sprintf("and %d more.", len(problems)-hintLines))
			break
		}
		lines = append(lines, p.String())
	}
	return fault.New(fault.Invalid, "plugin_invalid", "The plugin %s has %s.", name, count).WithDetail("problems", problems).WithHint("%s", strings.Join(lines, "\n"))
}
