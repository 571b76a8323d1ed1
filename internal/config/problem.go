package config

import (
	"fmt"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Problem is one thing that is wrong with the settings.
type Problem struct {
	Where   string `json:"where"`            // fluxway.yaml:12:3, .env:4, FLUXWAY_LISTEN, --listen
	File    string `json:"file,omitempty"`   // the file, if it is in one
	Line    int    `json:"line,omitempty"`   // from 1
	Column  int    `json:"column,omitempty"` // from 1
	Key     string `json:"key,omitempty"`    // security.session_days
	Message string `json:"message"`          // a clause: must be at least 1
	Hint    string `json:"hint,omitempty"`   // a sentence: Did you mean "level"?
}

// String is one line for a terminal, in the form editors and compilers share.
func (p Problem) String() string {
	parts := []string{p.Where}
	if p.Where == "" {
		parts = nil
	}
	if p.Key != "" {
		parts = append(parts, p.Key)
	}
	line := strings.Join(append(parts, p.Message), ": ")
	if p.Hint != "" {
		line += ". " + p.Hint
	}
	return line
}

// hintLines is how many problems a fault's hint repeats; its details have all.
const hintLines = 5

// Problems is every Problem found, in the order of the places read.
type Problems []Problem

// Error lists the problems, one to a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Fault is the problems as every door shows them.
func (ps Problems) Fault() *fault.Fault {
	count := "a problem"
	if len(ps) != 1 {
		count = fmt.Sprintf("%d problems", len(ps))
	}
	hint := ps[:min(len(ps), hintLines)].Error()
	if more := len(ps) - hintLines; more > 0 {
		hint += fmt.Sprintf("\nand %d more.", more)
	}
	f := fault.New(fault.Invalid, "config_invalid", "The configuration has %s.", count).
		WithDetail("problems", []Problem(ps)).WithHint("%s", hint)
	if len(ps) > 0 {
		f = f.WithParam(ps[0].Key)
	}
	return f
}

// As lets fault.From find the fault in the problems.
func (ps Problems) As(target any) bool {
	f, ok := target.(**fault.Fault)
	if ok {
		*f = ps.Fault()
	}
	return ok
}
