package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/scripted"
)

const disclaimer = "_I am the built-in demonstration model: no intelligence, no network, no cost._\n\n"

// value is an argument and the names a tool may have for it.
type value struct {
	names []string
	value any
}

// rule turns words into tool calls.
type rule struct {
	example string // as help shows it
	tools   []string
	intro   string
	pattern *regexp.Regexp
	values  func(match []string) [][]value // one list of arguments per call
}

func re(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?is)` + pattern) }

func one(names ...string) func([]string) [][]value {
	return func(m []string) [][]value { return [][]value{{{names, trim(m[len(m)-1])}}} }
}

func none([]string) [][]value { return [][]value{nil} }

func trim(s string) string { return strings.Trim(strings.TrimSpace(s), "`\"'“”‘’ \t\n") }

// trimEnd also drops the sentence's own full stop or question mark.
func trimEnd(s string) string { return trim(strings.TrimRight(strings.TrimSpace(s), ".?! \t\n")) }

var delegates = []string{"delegate", "delegate_to_agent", "ask_agent"}

// rules is the whole table, first match wins.
var rules = []rule{
	{"ask the researcher and the coder: why is it slow?", delegates, "I ask them at the same time.",
		re(`^\s*(?:please\s+)?(?:ask|delegate to)\s+(?:the\s+)?([\w-]+(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:the\s+)?[\w-]+)+)\s*:\s*(.+)$`), delegateMany},
	{"delegate to researcher: find the release date", delegates, "I hand this over.",
		re(`^\s*(?:please\s+)?(?:delegate\s+to|ask|hand\s+over\s+to)\s+(?:the\s+)?([\w-]+)\s*:\s*(.+)$`), delegateOne},
	{"read the file README.md", []string{"read_file", "file_read", "fs_read"}, "I read it.",
		re(`\b(?:read|open|show)\s+(?:me\s+)?(?:the\s+)?file\s+([^\s,]+)`), oneEnd("path", "file", "file_path", "filename")},
	{"write \"hello\" to the file notes.txt", []string{"write_file", "file_write"}, "I write it.",
		re(`\bwrite\s+["“'](.+?)["”']\s+(?:in)?to\s+(?:the\s+)?file\s+([^\s,]+)`), writeFile},
	{"list files in src", []string{"list_files", "list_directory", "ls"}, "I look.",
		re(`\blist\s+(?:the\s+|all\s+)?files(?:\s+(?:in|of|under)\s+([^\s,]+))?`), listFiles},
	{"run `go test ./...`", []string{"run_command", "bash", "shell", "run_shell", "bash_execute", "exec"}, "I run it.",
		re("\\b(?:run|execute)\\s+(?:the\\s+command\\s+)?`([^`]+)`"), one("command", "cmd", "script")},
	{"calculate 2+2", []string{"calculate", "calculator", "calc", "math"}, "I calculate.",
		re(`\b(?:calculate|compute)\s+(.+)$|\bwhat\s+is\s+([-\d(][-\d\s.+*/^%()]*)\??\s*$`), calculate},
	{"what time is it", []string{"current_time", "get_current_time", "time", "now", "clock", "datetime"}, "I look at the clock.",
		re(`\bwhat(?:'s| is)?\s+(?:the\s+)?(?:current\s+)?(?:time|date)\b|\bwhat\s+day\b`), none},
	{"what do you remember about coffee", []string{"recall", "memory_recall", "memory_search", "search_memory"}, "I look in my memory.",
		re(`\bwhat\s+do\s+you\s+(?:remember|know)\s+(?:about|of)\s+(.+)$|\brecall\s+(.+)$`), lastGroup("query", "q", "text")},
	{"remember that I like tea", []string{"remember", "memory_save", "memory_add", "save_memory"}, "I keep that.",
		re(`\bremember\s+(?:that\s+|this:\s*)(.+)$`), oneEnd("text", "fact", "content", "memory")},
	{"fetch https://example.com", []string{"fetch_url", "fetch", "http_request", "web_fetch", "browse"}, "I fetch it.",
		re(`\b(?:fetch|open|download|get|browse)\s+(?:the\s+(?:page|url|site)\s+)?(https?://\S+)`), oneEnd("url", "uri", "address")},
	{"search for TODO", []string{"web_search", "search", "search_web", "search_text", "search_files", "grep"}, "I search.",
		re(`\bsearch\s+(?:the\s+\w+\s+)?for\s+(.+)$`), oneEnd("query", "q", "pattern", "text")},
}

func oneEnd(names ...string) func([]string) [][]value {
	return func(m []string) [][]value { return [][]value{{{names, trimEnd(m[len(m)-1])}}} }
}

func lastGroup(names ...string) func([]string) [][]value {
	return func(m []string) [][]value {
		for _, g := range slices.Backward(m) {
			if g != "" {
				return [][]value{{{names, trimEnd(g)}}}
			}
		}
		return [][]value{nil}
	}
}

func listFiles(m []string) [][]value {
	dir := trimEnd(m[1])
	if dir == "" {
		dir = "."
	}
	return [][]value{{{[]string{"path", "dir", "directory", "folder"}, dir}}}
}

func calculate(m []string) [][]value {
	expr := strings.TrimRight(strings.TrimSpace(m[1]+m[2]), ".?! ")
	return [][]value{{{[]string{"expression", "expr", "input"}, trim(expr)}}}
}

func writeFile(m []string) [][]value {
	return [][]value{{
		{[]string{"path", "file", "file_path", "filename"}, trimEnd(m[2])},
		{[]string{"content", "text", "contents"}, m[1]},
	}}
}

func delegateOne(m []string) [][]value { return [][]value{delegation(m[1], m[2])} }

var listSeparators = re(`\s*,\s*(?:and\s+)?|\s+and\s+`)

func delegateMany(m []string) [][]value {
	var calls [][]value
	for _, name := range listSeparators.Split(m[1], -1) {
		calls = append(calls, delegation(strings.TrimPrefix(strings.ToLower(strings.TrimSpace(name)), "the "), m[2]))
	}
	return calls
}

func delegation(agent, task string) []value {
	return []value{
		{[]string{"agent", "agent_id", "to", "name"}, strings.ToLower(trim(agent))},
		{[]string{"task", "message", "prompt", "instructions"}, strings.TrimSpace(task)},
	}
}

// fit gives values the names that the tool's schema uses; without a schema the
// first name stands. Required strings that the words did not give stay empty,
// so that the tool itself says what it misses.
func fit(tool *providers.Tool, values []value) map[string]any {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if len(tool.Schema) > 0 && json.Unmarshal(tool.Schema, &schema) != nil {
		schema.Properties = nil
	}
	args := make(map[string]any, len(values))
	for _, v := range values {
		name := v.names[0]
		for _, n := range v.names {
			if _, ok := schema.Properties[n]; ok {
				name = n
				break
			}
		}
		if _, known := schema.Properties[name]; !known && len(schema.Required) > 0 && len(values) == 1 {
			name = schema.Required[0]
		}
		args[name] = v.value
	}
	return args
}

// saying answers with text.
type saying struct {
	example string
	pattern *regexp.Regexp
	answer  func(said string) []scripted.Step
}

func text(s string) func(string) []scripted.Step {
	return func(string) []scripted.Step { return []scripted.Step{{Says: s}} }
}

// helpPattern stands apart from the table because its answer prints the table.
var helpPattern = re(`^\s*(?:please\s+)?(?:/?help|what can you do)\b.*$`)

// questionPattern is what is answered from what the instructions say is remembered.
var questionPattern = re(`\?\s*$|^\s*(?:who|whom|whose|what|which|when|where|why|how|do|does|did|is|are|was|were|can|tell me)\b`)

// sayings is what it says without tools.
var sayings = []saying{
	{"think about …", re(`^\s*(?:please\s+)?think\b`), think},
	{"show a table", re(`\btable\b`), text(tableText)},
	{"show code", re(`\bcode\b`), text(codeText)},
	{"show me a formula", re(`\bformulas?\b`), text(formulaText)},
	{"draw a diagram", re(`\bdiagrams?\b`), text(diagramText)},
	{"show markdown", re(`\bmarkdown\b`), text(markdownText)},
	{"tell a long story", re(`\blong\s+(?:story|text|answer)\b`), story(40)},
	{"tell a story of 500 sentences", storyLength, story(0)},
	{"hello", re(`^\s*(?:hi|hello|hey|good (?:morning|evening|day))\b`), text(disclaimer + "Hello! Say **help** to see what I understand.")},
}

// storyLength is how long a story is wanted: nobody has to hurry to stop one that is long enough.
var storyLength = re(`\bstory\s+of\s+(\d{1,3})\s+sentences\b`)

// story goes on for so many sentences, or for as many as are asked for.
func story(sentences int) func(string) []scripted.Step {
	return func(said string) []scripted.Step {
		n := sentences
		if m := storyLength.FindStringSubmatch(said); m != nil {
			n, _ = strconv.Atoi(m[1]) // three digits at most
		}
		return []scripted.Step{{Says: disclaimer + strings.Repeat("Word after word the demonstration goes on, so that scrolling, stopping and resuming can be tried. ", n)}}
	}
}

func think(said string) []scripted.Step {
	return []scripted.Step{
		{Thinks: "The user wants to see reasoning. I restate the question, find that no rule needs a tool, and answer plainly."},
		{Says: disclaimer + "I showed some (scripted) reasoning about: “" + said + "”."},
	}
}

// Help is the documented table of everything the model understands.
func Help() string {
	var b strings.Builder
	b.WriteString(disclaimer + "I understand plain English that fits one of these patterns. The first group calls tools, if the agent has them.\n\n")
	b.WriteString("| say something like | I call one of |\n|---|---|\n")
	for _, r := range rules {
		fmt.Fprintf(&b, "| %s | `%s` |\n", strings.ReplaceAll(r.example, "|", `\|`), strings.Join(r.tools, "`, `"))
	}
	b.WriteString("\nWithout tools: **help**")
	for _, s := range sayings {
		b.WriteString(", **" + s.example + "**")
	}
	b.WriteString(".\n\nAfter a tool has answered I summarise what it said. To talk to a real model, add a key: `fluxway auth` shows how.")
	return b.String()
}
