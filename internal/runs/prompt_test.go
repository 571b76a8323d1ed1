package runs

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/providers"
)

// sketch writes messages as "user: text | assistant: text call(id) | user: result(id)".
func sketch(messages []providers.Message) string {
	var all []string
	for _, m := range messages {
		line := []string{string(m.Role) + ":"}
		for _, p := range m.Parts {
			switch p.Kind {
			case providers.PartToolCall:
				line = append(line, "call("+p.ID+")")
			case providers.PartToolResult:
				word := "result("
				if p.IsError {
					word = "error("
				}
				line = append(line, word+p.ID+")")
			case providers.PartText, providers.PartReasoning, providers.PartImage, providers.PartDocument, providers.PartAudio:
				line = append(line, p.Text)
			}
		}
		all = append(all, strings.Join(line, " "))
	}
	return strings.Join(all, " | ")
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	user := func(text string) conversations.Message {
		return conversations.Message{Role: providers.RoleUser, Parts: []providers.Part{providers.Text(text)}}
	}
	model := func(parts ...providers.Part) conversations.Message {
		return conversations.Message{Role: providers.RoleModel, Parts: parts}
	}
	text := providers.Text
	call := func(id string) providers.Part {
		return providers.Part{Kind: providers.PartToolCall, ID: id, Name: "x", Args: json.RawMessage(`{}`)}
	}
	result := func(id string) providers.Part { return providers.ToolResult(id, "x", "done") }
	for name, tt := range map[string]struct {
		history []conversations.Message
		want    string
	}{
		"an answer of several turns": {
			[]conversations.Message{user("q"), model(text("a"), call("1"), call("2"), result("1"), result("2"), text("b"))},
			"user: q | assistant: a call(1) call(2) | user: result(1) result(2) | assistant: b",
		},
		"a call without a result gets one": {
			[]conversations.Message{user("q"), model(text("a"), call("1")), user("and?")},
			"user: q | assistant: a call(1) | user: error(1) and?",
		},
		"a result of no call is left out": {
			[]conversations.Message{user("q"), model(result("9"), text("a"))},
			"user: q | assistant: a",
		},
		"one of two results is missing": {
			[]conversations.Message{user("q"), model(call("1"), call("2"), result("2"), text("b"))},
			"user: q | assistant: call(1) call(2) | user: result(2) error(1) | assistant: b",
		},
		"nothing empty, nothing twice in a row, the person first": {
			[]conversations.Message{model(text("late")), user("a"), user("b"), model(), user("c")},
			"user: a b c",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := sketch(prompt(tt.history)); got != tt.want {
				t.Errorf("prompt = %s\nwant     %s", got, tt.want)
			}
		})
	}
}

func TestShorten(t *testing.T) {
	t.Parallel()
	long, err := json.Marshal(map[string]any{"path": "a.txt", "content": strings.Repeat("word ", 10_000), "more": []string{strings.Repeat("x", 5000)}})
	if err != nil {
		t.Fatal(err)
	}
	got := shorten(long)
	var back map[string]any
	if err := json.Unmarshal(got, &back); err != nil || len(got) > shortArgs || back["path"] != "a.txt" {
		t.Errorf("shorten gave %d bytes: %s (%v)", len(got), got, err)
	}
	if short := json.RawMessage(`{"a":1}`); string(shorten(short)) != string(short) {
		t.Error("short arguments were changed")
	}
}
