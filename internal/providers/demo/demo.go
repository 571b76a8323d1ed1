package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/scripted"
)

// Vendor is the provider's name, Name the one model it has.
const (
	Vendor = "demo"
	Name   = "assistant"
)

// Options sets the model up.
type Options struct {
	Pace time.Duration // pause after each word; 0: none
}

// Model answers by rules.
type Model struct{ pace time.Duration }

// New makes the model.
func New(opts Options) *Model { return &Model{pace: opts.Pace} }

// Models lists the one model.
func (m *Model) Models(context.Context) ([]providers.Listed, error) {
	return []providers.Listed{{ID: Name, Name: "Demonstration", Context: 32_000, MaxOutput: 8_000}}, nil
}

// CountTokens counts as the stream does.
func (m *Model) CountTokens(_ context.Context, req *providers.Request) (int64, error) {
	return max(1, providers.EstimateRequest(req)), nil
}

// Stream answers the last message.
func (m *Model) Stream(ctx context.Context, req *providers.Request) (providers.Stream, error) {
	if err := ctx.Err(); err != nil {
		return nil, providers.Unreachable(ctx, Vendor, err)
	}
	return scripted.Play(ctx, Vendor, req, Answer(req), m.pace)
}

// Answer decides what to do; it is a plain function of the request.
func Answer(req *providers.Request) []scripted.Step {
	if results := lastResults(req); len(results) > 0 {
		return []scripted.Step{{Says: summarise(results)}}
	}
	said := lastSaid(req)
	if req.Format != nil {
		return []scripted.Step{{Says: sample(req.Format.Schema)}}
	}
	if req.ToolChoice.Mode != providers.ToolNone {
		if steps := callTools(said, req.Tools); steps != nil {
			return steps
		}
	}
	if helpPattern.MatchString(said) {
		return []scripted.Step{{Says: Help()}}
	}
	for _, s := range sayings {
		if s.pattern.MatchString(said) {
			return s.answer(said)
		}
	}
	if known := known(req); len(known) > 0 && questionPattern.MatchString(said) {
		return []scripted.Step{{Says: fromMemory(known)}}
	}
	return []scripted.Step{{Says: fallback(said, len(req.Tools))}}
}

// Known begins the part of the instructions that says what is remembered, a line each.
const Known = "What is known from earlier"

// known is what the instructions say is remembered, best first.
func known(req *providers.Request) []string {
	for _, p := range req.System {
		if !strings.HasPrefix(p.Text, Known) {
			continue
		}
		var list []string
		for line := range strings.SplitSeq(p.Text, "\n") {
			if fact, ok := strings.CutPrefix(line, "- "); ok {
				list = append(list, fact)
			}
		}
		return list
	}
	return nil
}

// shownFacts bounds how much of what is remembered an answer repeats.
const shownFacts = 3

func fromMemory(known []string) string {
	var b strings.Builder
	b.WriteString(disclaimer + "I do not know, but this is what I remember about it:\n\n")
	for _, fact := range known[:min(len(known), shownFacts)] {
		text, source, ok := strings.Cut(strings.TrimSuffix(fact, "]"), " [")
		if ok {
			source = " — _" + source + "_"
		}
		b.WriteString("- **" + text + "**" + source + "\n")
	}
	return b.String()
}

func callTools(said string, offered []providers.Tool) []scripted.Step {
	for _, r := range rules {
		match := r.pattern.FindStringSubmatch(said)
		if match == nil {
			continue
		}
		tool := pick(offered, r.tools)
		if tool == nil {
			return []scripted.Step{{Says: missing(r)}}
		}
		steps := []scripted.Step{{Says: r.intro + "\n\n"}}
		for _, values := range r.values(match) {
			steps = append(steps, scripted.Step{Calls: tool.Name, Args: fit(tool, values)})
		}
		return steps
	}
	return nil
}

func missing(r rule) string {
	return fmt.Sprintf("%sThat needs a tool, as **%s** does, but none that fits is offered to me here (%s). "+
		"Give the agent one of them and ask again.", disclaimer, r.example, "`"+strings.Join(r.tools, "`, `")+"`")
}

func pick(offered []providers.Tool, names []string) *providers.Tool {
	for _, name := range names {
		for i := range offered {
			if offered[i].Name == name || strings.HasSuffix(offered[i].Name, "__"+name) {
				return &offered[i]
			}
		}
	}
	return nil
}

func lastSaid(req *providers.Request) string {
	for _, msg := range slices.Backward(req.Messages) {
		if msg.Role == providers.RoleUser {
			if text := strings.TrimSpace(msg.Text()); text != "" {
				return text
			}
		}
	}
	return ""
}

// lastResults are the tool results of the last message, with no words after them.
func lastResults(req *providers.Request) []providers.Part {
	if len(req.Messages) == 0 {
		return nil
	}
	lastMsg := req.Messages[len(req.Messages)-1]
	if lastMsg.Role != providers.RoleUser || strings.TrimSpace(lastMsg.Text()) != "" {
		return nil
	}
	var results []providers.Part
	for _, p := range lastMsg.Parts {
		if p.Kind == providers.PartToolResult {
			results = append(results, p)
		}
	}
	return results
}

// shownLines bounds what a summary repeats of a result.
const shownLines = 12

func summarise(results []providers.Part) string {
	var b strings.Builder
	for i := range results {
		p := &results[i]
		text := strings.TrimSpace(p.ResultText())
		lines := strings.Split(text, "\n")
		switch {
		case p.IsError:
			fmt.Fprintf(&b, "**%s did not work:** %s\n\n", cmpName(p.Name), text)
			continue
		case text == "" && pictures(p) > 0:
			fmt.Fprintf(&b, "**%s** gave %s.\n\n", cmpName(p.Name), counted(pictures(p)))
			continue
		case text == "":
			fmt.Fprintf(&b, "**%s** finished and returned nothing.\n\n", cmpName(p.Name))
			continue
		case len(lines) == 1 && len(text) <= 200:
			fmt.Fprintf(&b, "**%s** says: %s\n\n", cmpName(p.Name), text)
			continue
		}
		fmt.Fprintf(&b, "**%s** returned %d lines (%d characters)", cmpName(p.Name), len(lines), len(text))
		if len(lines) > shownLines {
			fmt.Fprintf(&b, "; the first %d:", shownLines)
			lines = lines[:shownLines]
		} else {
			b.WriteString(":")
		}
		fmt.Fprintf(&b, "\n\n```text\n%s\n```\n\n", strings.ReplaceAll(strings.Join(lines, "\n"), "```", "'''"))
	}
	b.WriteString("_A demonstration model wrote this summary by rule; connect a real model for judgement._")
	return b.String()
}

func pictures(p *providers.Part) int {
	n := 0
	for i := range p.Parts {
		if p.Parts[i].Kind == providers.PartImage {
			n++
		}
	}
	return n
}

func counted(pictures int) string {
	if pictures == 1 {
		return "a picture, which I cannot see"
	}
	return fmt.Sprintf("%d pictures, which I cannot see", pictures)
}

// Canned says whether an answer holds nothing but words of this package: there is nothing in it to remember.
func Canned(answer string) bool { return strings.HasPrefix(answer, disclaimer) }

func cmpName(name string) string {
	if name == "" {
		return "The tool"
	}
	return name
}

func fallback(said string, tools int) string {
	quoted := said
	if r := []rune(quoted); len(r) > 160 {
		quoted = string(r[:160]) + "…"
	}
	if quoted == "" {
		quoted = "(nothing)"
	}
	text := disclaimer + "You said: “" + quoted + "”.\n\nI follow a short table of rules and cannot reason about this. Say **help** to see what I understand"
	if tools > 0 {
		text += fmt.Sprintf("; %d tools are offered to me here", tools)
	}
	return text + "."
}
