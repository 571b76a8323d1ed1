package agents

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/tools"
)

// Compaction replaces the older part of a run by a summary.
type Compaction struct {
	Step    int       `json:"-"`
	Upto    int       `json:"upto"`   // turns up to this one are in the summary
	Results int       `json:"cut_at"` // bytes that stay of older results; 0: all
	Summary string    `json:"summary"`
	Before  int64     `json:"before"` // tokens
	After   int64     `json:"after"`
	Began   time.Time `json:"-"`
	Ended   time.Time `json:"-"`
}

// pressure is how near the context is to its limit.
type pressure int

const (
	pressureNone pressure = iota
	pressureHigh          // 75 %
	pressureMore          // 85 %
	pressureFull          // 95 %
)

// pressureOf judges how full the context is.
func pressureOf(used, limit int64) pressure {
	switch {
	case limit <= 0 || used*100 < limit*75:
		return pressureNone
	case used*100 < limit*85:
		return pressureHigh
	case used*100 < limit*95:
		return pressureMore
	}
	return pressureFull
}

// keeps is how many of the last turns stay as they were, and how much of their results.
func (p pressure) keeps() (turns, results int) {
	switch p {
	case pressureHigh:
		return 4, 0
	case pressureMore:
		return 2, 0
	}
	return 1, 4000
}

// makeRoom compacts when the context nears its limit.
func (l *Loop) makeRoom(ctx context.Context) error {
	if l.used == 0 {
		req := l.Request
		req.Messages, req.Tools = l.said, l.offered
		l.used = providers.EstimateRequest(&req)
	}
	p := pressureOf(l.used, l.Context)
	if p == pressureNone {
		return nil
	}
	_, err := l.compact(ctx, p)
	return err
}

// compact summarises what is older than the last turns; made says whether there was anything to summarise.
func (l *Loop) compact(ctx context.Context, p pressure) (made bool, err error) {
	keep, results := p.keeps()
	c := &Compaction{Upto: max(l.turns-keep, 0), Results: results, Before: l.used, Began: time.Now()}
	older := l.older(c.Upto)
	if older == "" && results == 0 {
		return false, nil
	}
	if older != "" {
		c.Summary = l.summarise(ctx, older)
	}
	l.entries = append(l.entries, Entry{Compact: c})
	if err := l.shrink(c); err != nil {
		return false, err
	}
	c.After, c.Ended = l.used, time.Now()
	if c.After >= c.Before { // it would not help, and would be tried again each turn
		return false, nil
	}
	return true, l.Journal.Compact(ctx, c)
}

func (l *Loop) summarise(ctx context.Context, transcript string) string {
	if l.Summarise != nil {
		if text, err := l.Summarise(ctx, transcript); err == nil && strings.TrimSpace(text) != "" {
			return strings.TrimSpace(text)
		}
	}
	return Extract(transcript)
}

// older is the transcript of what a summary would replace; empty if that is nothing new.
func (l *Loop) older(upto int) string {
	var b strings.Builder
	had := 0
	for _, e := range l.entries {
		if e.Compact != nil {
			had = max(had, e.Compact.Upto)
			if e.Compact.Summary != "" {
				b.Reset()
				b.WriteString(e.Compact.Summary + "\n")
			}
		}
	}
	fresh := false
	if b.Len() == 0 && len(l.Request.Messages) > 1 {
		fresh = true
		for _, m := range l.Request.Messages[:len(l.Request.Messages)-1] {
			writeMessage(&b, m)
		}
	}
	for _, e := range l.entries {
		if e.Turn == nil || e.Turn.Number <= had || e.Turn.Number > upto {
			continue
		}
		fresh = true
		writeMessage(&b, providers.Message{Role: providers.RoleModel, Parts: e.Turn.Parts})
		for _, c := range e.Turn.Calls {
			p := c.ResultPart()
			fmt.Fprintf(&b, "result of %s: %s\n", c.Tool, tools.Middle(p.ResultText(), 1500))
		}
	}
	if !fresh {
		return ""
	}
	return b.String()
}

func writeMessage(b *strings.Builder, m providers.Message) {
	who := "person"
	if m.Role == providers.RoleModel {
		who = "agent"
	}
	for i := range m.Parts {
		switch p := &m.Parts[i]; p.Kind {
		case providers.PartText:
			fmt.Fprintf(b, "%s: %s\n", who, tools.Middle(p.Text, 4000))
		case providers.PartToolCall:
			fmt.Fprintf(b, "%s called %s %s\n", who, p.Name, tools.Middle(string(p.Args), 500))
		case providers.PartToolResult:
			fmt.Fprintf(b, "result of %s: %s\n", p.Name, tools.Middle(p.ResultText(), 1500))
		case providers.PartReasoning, providers.PartImage, providers.PartDocument, providers.PartAudio:
		}
	}
}

// shrink rebuilds what the model sees: the summary and the question, then what came after.
func (l *Loop) shrink(c *Compaction) error {
	question := l.Request.Messages
	if n := len(question); n > 1 && c.Summary != "" {
		question = question[n-1:]
	}
	l.said, l.watch = slices.Clone(question), watch{}
	if c.Summary != "" && len(l.said) > 0 {
		summary := providers.Text("[Earlier parts of this conversation were summarised to save room:]\n" + c.Summary + "\n[End of the summary.]")
		l.said[0].Parts = append([]providers.Part{summary}, l.said[0].Parts...)
	}
	var stop error
	for _, e := range l.entries {
		switch {
		case e.Said != nil:
			l.say(providers.RoleUser, e.Said)
		case e.Turn != nil && (e.Turn.Number > c.Upto || c.Summary == ""):
			stop = l.show(e.Turn)
		}
	}
	if c.Results > 0 {
		l.cutResults(c.Results)
	}
	req := l.Request
	req.Messages, req.Tools = l.said, l.offered
	l.used = providers.EstimateRequest(&req)
	return stop
}

// cutResults shortens the results that the model sees.
func (l *Loop) cutResults(limit int) {
	for i := range l.said {
		m := &l.said[i]
		if !slices.ContainsFunc(m.Parts, func(p providers.Part) bool { return p.Kind == providers.PartToolResult }) {
			continue
		}
		parts := slices.Clone(m.Parts)
		for j := range parts {
			if parts[j].Kind == providers.PartToolResult {
				parts[j].Text, parts[j].Parts = tools.Middle(parts[j].ResultText(), limit), nil
			}
		}
		m.Parts = parts
	}
}

const (
	extractLine  = 240
	extractTotal = 6000
)

// Extract makes a summary by rule: what the person said, decisions, what the agent said first each time, and which
// tools were used.
func Extract(transcript string) string {
	var kept, decided []string
	used := map[string]int{}
	var order []string
	for line := range strings.Lines(transcript) {
		line = strings.TrimSpace(line)
		low := strings.ToLower(line)
		switch {
		case strings.HasPrefix(low, "decision:") || strings.HasPrefix(low, "decided:") || strings.Contains(low, ": decision:"):
			decided = append(decided, cutLine(line))
		case strings.HasPrefix(line, "person: "), strings.HasPrefix(line, "agent: "):
			kept = append(kept, cutLine(line))
		case strings.HasPrefix(line, "agent called "):
			name, _, _ := strings.Cut(strings.TrimPrefix(line, "agent called "), " ")
			if used[name]++; used[name] == 1 {
				order = append(order, name)
			}
		}
	}
	var b strings.Builder
	for _, d := range decided {
		b.WriteString(d + "\n")
	}
	if len(order) > 0 {
		b.WriteString("tools used:")
		for _, name := range order {
			fmt.Fprintf(&b, " %s (%d)", name, used[name])
		}
		b.WriteString("\n")
	}
	b.WriteString(tools.Middle(strings.Join(kept, "\n"), extractTotal))
	return strings.TrimSpace(b.String())
}

func cutLine(line string) string {
	if len(line) <= extractLine {
		return line
	}
	return strings.ToValidUTF8(line[:extractLine], "") + "…"
}
