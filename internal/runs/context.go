package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
)

// Context is what a model reads before the next message of a conversation, by where it comes from.
type Context struct {
	Agent    string           `json:"agent"`
	Model    string           `json:"model"`
	Limit    int64            `json:"limit,omitempty" doc:"Tokens the model can read; left out when unknown."`
	Used     int64            `json:"used" doc:"Tokens, estimated."`
	Messages int              `json:"messages" doc:"How many messages the model gets at the most; older ones stay behind."`
	Sections []ContextSection `json:"sections"`
}

// ContextSection is one kind of what fills a context.
type ContextSection struct {
	Kind   string `json:"kind" enum:"instructions,guidance,memory,tools,messages,results,files"`
	Tokens int64  `json:"tokens"`
	Count  int    `json:"count" doc:"Messages, tools, files: whatever it holds."`
	Text   string `json:"text,omitempty" doc:"What it says, cut where it is long; only when asked for."`
}

// The kinds of section, in the order the model gets them.
const (
	sectionInstructions = "instructions"
	sectionGuidance     = "guidance"
	sectionMemory       = "memory"
	sectionTools        = "tools"
	sectionMessages     = "messages"
	sectionResults      = "results"
	sectionFiles        = "files"
)

// lastRecall is what was remembered for the newest run of a conversation that remembered something.
const lastRecall = `
	SELECT s.output FROM runs_runs r JOIN runs_steps s ON s.run_id = r.id AND s.kind = 'recall'
	WHERE r.conversation_id = ? AND r.workspace_id = ? AND r.parent_id = '' AND s.output IS NOT NULL
	ORDER BY r.id DESC, s.seq DESC LIMIT 1`

// sectionText bounds the text of one section.
const sectionText = 32 << 10

// sections adds up what fills a context.
type sections struct {
	of    map[string]*ContextSection
	words map[string]*strings.Builder // nil: nobody asked for them
}

func (s *sections) add(kind, words string, tokens int64) {
	if tokens == 0 {
		return
	}
	one := s.of[kind]
	if one == nil {
		one = &ContextSection{Kind: kind}
		s.of[kind] = one
	}
	one.Tokens += tokens
	one.Count++
	if s.words == nil || words == "" {
		return
	}
	b := s.words[kind]
	if b == nil {
		b = new(strings.Builder)
		s.words[kind] = b
	}
	if b.Len() < sectionText {
		b.WriteString(words + "\n\n")
	}
}

func (s *sections) text(kind, words string) { s.add(kind, words, providers.EstimateText(words)) }

// list gives the sections in their order.
func (s *sections) list() (all []ContextSection, used int64) {
	for _, kind := range []string{sectionInstructions, sectionGuidance, sectionMemory, sectionTools, sectionMessages, sectionResults, sectionFiles} {
		one := s.of[kind]
		if one == nil {
			continue
		}
		if b := s.words[kind]; b != nil {
			one.Text = strings.TrimSpace(clip(b.String(), sectionText))
		}
		all = append(all, *one)
		used += one.Tokens
	}
	return all, used
}

// ContextOf says what fills the context of a conversation's next message. Agent and model are the conversation's if
// they are empty; words asks for the texts as well.
func (d *Desk) ContextOf(ctx context.Context, who conversations.Asker, id ids.Conversation, agent, model string, words bool) (Context, error) {
	c, err := d.opts.Conversations.Get(ctx, who, id)
	if err != nil {
		return Context{}, err
	}
	known, err := d.opts.Agents.Get(ctx, who.Workspace, cmp.Or(agent, c.Agent, "assistant"))
	if err != nil {
		return Context{}, err
	}
	known.Model = cmp.Or(model, known.Model)
	out := Context{Agent: known.Name, Model: known.Model, Messages: d.opts.History}
	if d.opts.Context != nil {
		out.Limit = d.opts.Context(known.Model)
	}
	s := &sections{of: make(map[string]*ContextSection)}
	if words {
		s.words = make(map[string]*strings.Builder)
	}
	for _, fill := range []func(context.Context, *sections, conversations.Conversation, agents.Agent) error{d.fillSystem, d.fillTools, d.fillMessages} {
		if err := fill(ctx, s, c, known); err != nil {
			return Context{}, err
		}
	}
	out.Sections, out.Used = s.list()
	return out, nil
}

func (d *Desk) fillSystem(ctx context.Context, s *sections, c conversations.Conversation, agent agents.Agent) error {
	s.text(sectionInstructions, agent.Instructions)
	s.text(sectionInstructions, agent.Persona)
	if d.opts.Guidance != nil {
		text, err := d.opts.Guidance(ctx, c.Workspace, c.Project)
		if err != nil {
			return err
		}
		s.text(sectionGuidance, text)
	}
	raw, err := store.One[string](ctx, d.opts.DB.Read(), lastRecall, c.ID, c.Workspace)
	if errors.Is(err, store.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading what was remembered for %s: %w", c.ID, err)
	}
	last, err := decode[recollection](raw)
	if err != nil {
		return err
	}
	s.text(sectionMemory, last.Prompt)
	if one := s.of[sectionMemory]; one != nil {
		one.Count = len(last.Facts)
	}
	return nil
}

func (d *Desk) fillTools(ctx context.Context, s *sections, c conversations.Conversation, agent agents.Agent) error {
	belt, err := d.belt(ctx, &attempt{d: d, run: Run{Workspace: c.Workspace}, agent: agent, below: agent.Limits.Defaults().Depth})
	if err != nil || belt == nil {
		return err
	}
	for _, spec := range belt.Specs() {
		tool := providers.Tool{Name: spec.Name, Description: spec.Description, Schema: spec.Schema}
		s.add(sectionTools, spec.Name+": "+spec.Description, providers.EstimateRequest(&providers.Request{Tools: []providers.Tool{tool}}))
	}
	return nil
}

func (d *Desk) fillMessages(ctx context.Context, s *sections, c conversations.Conversation, _ agents.Agent) error {
	if c.Head == "" {
		return nil
	}
	rows, err := d.opts.Conversations.Path(ctx, c.Workspace, c.ID, c.Head, d.opts.History)
	if err != nil {
		return err
	}
	forgetPictures(rows)
	for i := range rows {
		loaded, err := d.opts.Conversations.Load(ctx, c.Workspace, rows[i].Parts)
		if err != nil {
			return err
		}
		said := 0
		for n, part := range loaded {
			kind := partSection(rows[i].Parts[n])
			s.add(kind, partWords(rows[i].Role, part), providers.EstimateRequest(&providers.Request{System: []providers.Part{part}}))
			if kind == sectionMessages {
				said++
			}
		}
		if said > 1 { // a message is counted once, however many pieces it has
			s.of[sectionMessages].Count -= said - 1
		}
	}
	return nil
}

// partSection says what a piece of a message counts as. It looks at the piece as it is kept: a text file is loaded as text.
func partSection(p providers.Part) string {
	switch {
	case p.Kind == providers.PartToolCall || p.Kind == providers.PartToolResult:
		return sectionResults
	case p.Kind == providers.PartImage || p.Kind == providers.PartDocument || p.Kind == providers.PartAudio:
		return sectionFiles
	}
	return sectionMessages
}

func partWords(role providers.Role, p providers.Part) string {
	switch p.Kind {
	case providers.PartToolCall:
		return p.Name + " " + string(p.Args)
	case providers.PartText, providers.PartReasoning:
		return string(role) + ": " + p.Text
	case providers.PartToolResult:
		text, err := json.Marshal(p.Parts)
		if p.Text != "" || err != nil {
			return p.Text
		}
		return string(text)
	}
	return p.Name
}
