package runs

import (
	"context"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
)

// Partial is an answer that is still coming.
type Partial struct {
	Attempt      int                      `json:"attempt"`
	Turn         int                      `json:"turn" doc:"The turn whose pieces come."`
	Seq          int                      `json:"seq" doc:"The number of the next text_delta."`
	Text         string                   `json:"text" doc:"All text so far."`
	Reasoning    string                   `json:"reasoning,omitempty" doc:"Of the turn whose pieces come."`
	ReasoningSeq int                      `json:"reasoning_seq"`
	Parts        []providers.Part         `json:"parts" doc:"Of the finished turns."`
	Calls        []OpenCall               `json:"calls" doc:"Calls without a result."`
	Done         []conversations.CallNote `json:"done" doc:"Of the calls with a result: what is known beside it."`
	Helpers      []HelperShown            `json:"helpers"`
}

// OpenCall is a call that has no result yet.
type OpenCall struct {
	CallShown
	State     string    `json:"state"`
	StartedAt time.Time `json:"started_at,omitzero"`
}

// HelperShown is a helper in short.
type HelperShown struct {
	Run   ids.Run `json:"run"`
	Agent string  `json:"agent"`
	Call  string  `json:"call"`
	State State   `json:"state"`
	Task  string  `json:"task" doc:"The beginning of what it was asked."`
}

// partial is what a run has answered so far: its journal, and the pieces that came since.
func (d *Desk) partial(ctx context.Context, run Run) (*Partial, error) {
	p := &Partial{Attempt: run.Attempt, Parts: []providers.Part{}, Calls: []OpenCall{}, Done: []conversations.CallNote{}, Helpers: []HelperShown{}}
	d.mu.Lock()
	at := d.live[run.ID]
	d.mu.Unlock()
	turns := 0
	var text string
	if at != nil { // before the journal is read: a turn kept meanwhile is then not counted twice
		at.mu.Lock()
		turns, p.Turn, text = len(at.turns), at.turn, at.text.String()
		p.Reasoning, p.Seq, p.ReasoningSeq = at.thought.String(), at.pieces, at.thoughts
		at.mu.Unlock()
	}
	j, err := d.read(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	if at != nil && len(j.turns) > turns {
		text = ""
	}
	var all strings.Builder
	for _, t := range j.turns {
		m := providers.Message{Parts: t.Parts}
		all.WriteString(m.Text())
	}
	all.WriteString(text)
	p.Text, p.Turn = all.String(), max(p.Turn, len(j.turns))
	p.add(j.turns)
	p.Done = append(p.Done, callNotes(j.turns)...)
	helpers, err := store.All[Run](ctx, d.opts.DB.Read(), selectHelpers, run.ID)
	if err != nil {
		return nil, err
	}
	for _, h := range helpers {
		p.Helpers = append(p.Helpers, HelperShown{h.ID, h.Agent, h.Call, h.State, clip(h.Task, maxTask)})
	}
	return p, nil
}

func (p *Partial) add(turns []*agents.Turn) {
	for _, t := range turns {
		p.Parts = append(p.Parts, t.Parts...)
		for _, c := range t.Calls {
			if c.State != agents.CallFinished {
				p.Calls = append(p.Calls, OpenCall{shownCall(c), string(c.State), c.Began})
				continue
			}
			part := c.ResultPart()
			part.Text, part.Parts = preview(part.ResultText()), references(c)
			p.Parts = append(p.Parts, part)
		}
	}
}
