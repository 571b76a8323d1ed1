package agents

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

// Problem is one thing that is wrong with a definition, or only odd.
type Problem struct {
	Param   string `json:"param"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// MaxInstructions is how long an agent's instructions may be, in bytes.
const MaxInstructions = 128 << 10

// namePattern keeps names fit for URLs, for @mentions and for delegate_to_<name>.
var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,47}$`)

// Hues are the colours an agent can have.
var Hues = []string{"iris", "azure", "teal", "green", "lime", "amber", "coral", "pink"}

// reserved are names that routes and commands have another meaning for.
var reserved = []string{"presets", "import", "export", "route"}

// invalid is all problems as one fault; the first is in its sentence.
func invalid(problems []Problem) error {
	first := problems[0]
	f := fault.New(fault.Invalid, "agent_invalid", "%s", first.Message).WithParam(first.Param).WithDetail("problems", problems)
	if len(problems) > 1 {
		f.Message = fmt.Sprintf("%s And %d more problems.", first.Message, len(problems)-1)
	}
	if first.Hint == "" {
		return f.WithHint("Mend it and send it again.")
	}
	return f.WithHint("%s", first.Hint)
}

// checker collects what is wrong.
type checker struct{ problems []Problem }

func (c *checker) wrong(param, hint, format string, args ...any) {
	c.problems = append(c.problems, Problem{param, fmt.Sprintf(format, args...), hint})
}

// check finds everything that is wrong with the definition by itself.
func (a *Agent) check() []Problem {
	var c checker
	if !namePattern.MatchString(a.Name) {
		c.wrong("name", "Use small letters, digits, - and _, at most 48, a letter first: code-reviewer.", "%q cannot be an agent's name.", cut(a.Name, 64))
	}
	if slices.Contains(reserved, a.Name) {
		c.wrong("name", "Choose another name.", "The name %s means something else here.", a.Name)
	}
	c.texts(a)
	c.globs("tools.allow", a.Tools.Allow)
	c.globs("tools.deny", a.Tools.Deny)
	c.globs("helpers", a.Helpers)
	c.globs("memory.knowledge", a.Memory.Knowledge)
	c.params(a.Params)
	c.limits(a.Limits)
	if a.Driver != Native {
		c.wrong("driver", "Leave it out, or write native.", "There is no driver %q.", cut(a.Driver, 64))
	}
	if a.Hue != "" && !slices.Contains(Hues, a.Hue) {
		c.wrong("hue", "The colours are "+strings.Join(Hues, ", ")+".", "There is no colour %q.", cut(a.Hue, 64))
	}
	if len(a.Users) > 1000 {
		c.wrong("users", "Leave it empty to let everyone use it.", "%d users are too many; the most is 1000.", len(a.Users))
	}
	for i, u := range a.Users {
		if strings.TrimSpace(u) == "" || len(u) > 200 {
			c.wrong(fmt.Sprintf("users[%d]", i), "Write a user's name.", "An entry of users is empty or too long.")
		}
	}
	return c.problems
}

func (c *checker) texts(a *Agent) {
	for _, t := range []struct {
		param, text string
		most        int
	}{
		{"title", a.Title, 100}, {"description", a.Description, 2000}, {"model", a.Model, 200},
		{"instructions", a.Instructions, MaxInstructions}, {"persona", a.Persona, 16 << 10},
	} {
		switch {
		case len(t.text) > t.most:
			c.wrong(t.param, "Shorten it.", "The %s has %d bytes; the most is %d.", t.param, len(t.text), t.most)
		case !utf8.ValidString(t.text) || strings.ContainsRune(t.text, 0):
			c.wrong(t.param, "Encode it as UTF-8.", "The %s is not valid text.", t.param)
		}
	}
	if a.Model != strings.TrimSpace(a.Model) {
		c.wrong("model", "Write it as provider/model.", "The model has spaces around it.")
	}
}

func (c *checker) globs(param string, globs []string) {
	if len(globs) > 200 {
		c.wrong(param, "A pattern such as git_* stands for many.", "%s has %d entries; the most is 200.", param, len(globs))
	}
	for i, g := range globs {
		at := fmt.Sprintf("%s[%d]", param, i)
		if g == "" || len(g) > 128 {
			c.wrong(at, "Write a name or a pattern such as git_*.", "A pattern is empty or too long.")
		} else if _, err := path.Match(g, ""); err != nil {
			c.wrong(at, `Close every [, and write \ before a character that stands for itself.`, "The pattern %q cannot be read.", g)
		}
	}
}

func (c *checker) params(p Params) {
	if t := p.Temperature; t != nil && (*t < 0 || *t > 2) {
		c.wrong("params.temperature", "0 is the most predictable, 1 is usual.", "The temperature is from 0 to 2, not %g.", *t)
	}
	if t := p.TopP; t != nil && (*t <= 0 || *t > 1) {
		c.wrong("params.top_p", "Leave it out to let the model decide.", "top_p is above 0 and at most 1, not %g.", *t)
	}
	if p.MaxTokens < 0 {
		c.wrong("params.max_tokens", "Leave it out to let the model decide.", "max_tokens cannot be negative.")
	}
	efforts := []providers.Effort{
		"", providers.EffortNone, providers.EffortMinimal, providers.EffortLow, providers.EffortMedium, providers.EffortHigh, providers.EffortMax,
	}
	if !slices.Contains(efforts, providers.Effort(p.Effort)) {
		c.wrong("params.effort", "It is none, minimal, low, medium, high or max.", "There is no effort %q.", cut(p.Effort, 64))
	}
}

// The highest limits.
const (
	maxTurns     = 1000
	maxToolCalls = 10_000
	maxHelpers   = 64
	maxDepth     = 5 // helpers may form circles; this ends them
	maxTime      = 7 * 24 * time.Hour
	maxWindow    = 1000
)

func (c *checker) limits(l Limits) {
	for _, n := range []struct {
		param    string
		is, most int
	}{
		{"turns", l.Turns, maxTurns}, {"tool_calls", l.ToolCalls, maxToolCalls}, {"helpers", l.Helpers, maxHelpers},
		{"depth", l.Depth, maxDepth}, {"window", l.Window, maxWindow},
	} {
		if n.is < 0 || n.is > n.most {
			c.wrong("limits."+n.param, "Leave it out for the default.", "limits.%s is from 0 to %d, not %d.", n.param, n.most, n.is)
		}
	}
	if l.Time < 0 || l.Time > maxTime {
		c.wrong("limits.time_ns", "Leave it out for half an hour.", "The time is at most %s, not %s.", maxTime, l.Time)
	}
	if l.Money < 0 {
		c.wrong("limits.money_micros", "Leave it out for no limit of its own.", "The money cannot be negative.")
	}
}

// odd finds what is accepted and may still be a mistake: models and agents that
// nobody knows.
func (r *Roster) odd(ctx context.Context, ws ids.Workspace, a *Agent, s *shelf) []Problem {
	var c checker
	if a.Model != "" && r.opts.Known != nil && !r.opts.Known(ctx, ws, a.Model) {
		c.wrong("model", "GET /api/v1/models lists those that are known.", "Nobody knows the model %s here.", a.Model)
	}
	for i, h := range a.Helpers {
		if _, ok := s.agents[h]; !ok && h != a.Name && !strings.ContainsAny(h, `*?[\`) {
			c.wrong(fmt.Sprintf("helpers[%d]", i), "Make that agent, or take the helper out.", "There is no agent called %q.", h)
		}
	}
	if len(a.Tools.Allow) == 0 && len(a.Tools.Deny) > 0 {
		c.wrong("tools.deny", `Allow some first: "*" is all.`, "No tools are allowed, so none need to be denied.")
	}
	return c.problems
}

// cut keeps a text from outside presentable in a message.
func cut(text string, most int) string {
	if len(text) <= most {
		return strings.ToValidUTF8(text, "�")
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
