package memory

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
)

// Recalled is something known that an agent should know for its answer.
type Recalled struct {
	ID     string    `json:"id"`
	Kind   Kind      `json:"kind"`
	Text   string    `json:"text"`
	Title  string    `json:"title,omitempty"`
	Source Place     `json:"source"`
	Score  float64   `json:"score"`
	At     time.Time `json:"at"`
}

// From says in a few words where it comes from.
func (r Recalled) From() string {
	day := r.At.Format("2 January 2006")
	switch {
	case r.Kind == KindKnowledge:
		return strings.TrimSpace(r.Title + " " + r.Source.String())
	case r.Kind == KindProfile:
		return "the profile"
	case r.Kind == KindEntity:
		return "the knowledge graph: " + r.Title
	case r.Kind == KindTurn && r.Source.Author == "agent":
		return "answered on " + day
	case r.Source.Conversation != "":
		return "said on " + day
	}
	return "noted on " + day
}

// What recalling before a turn takes and gives.
const (
	recallLimit    = 8
	recallPinned   = 5
	recallFit      = 0.3
	documentFit    = 0.5  // a passage costs more room than a fact
	turnScore      = 0.35 // what was said by the way is worth less than what was kept
	saidFit        = 0.6  // people begin many wishes with the same words
	recallDeadline = 400 * time.Millisecond
)

// Recall gives what an agent should know before a turn: what is pinned, then what has to do with
// the text, best first. It is quick, and gives what it found when a part of the search fails; the error is for the log.
func (m *Mind) Recall(ctx context.Context, q Query) ([]Recalled, error) {
	if q.Limit <= 0 {
		q.Limit = recallLimit
	}
	if q.MinFit == 0 {
		q.MinFit = recallFit
	}
	if q.Deadline == 0 {
		q.Deadline = recallDeadline
	}
	list := []Recalled{}
	if q.Workspace == "" {
		return list, nil
	}
	pinned, err := store.All[Fact](ctx, m.db.Read(), selectPinned, q.Workspace, q.User, q.Agent, q.Project, min(recallPinned, q.Limit))
	if err != nil {
		return list, err
	}
	have := map[string]bool{}
	for _, f := range pinned {
		have[string(f.ID)] = true
		list = append(list, Recalled{ID: string(f.ID), Kind: KindFact, Text: f.Text, Source: f.Source, Score: 1, At: f.UpdatedAt})
	}
	answer, err := m.Search(ctx, q)
	learned := learnedFrom(answer.Found)
	for _, f := range answer.Found {
		if len(list) == q.Limit {
			break
		}
		if !have[f.ID] && f.tells() && !(f.Kind == KindTurn && learned[f.Source.Message]) {
			r := Recalled{ID: f.ID, Kind: f.Kind, Text: f.Text, Title: f.Title, Source: f.Source, Score: f.Score, At: f.At}
			if !saysNothing(r, list) {
				list = append(list, r)
			}
		}
	}
	for _, r := range list {
		if r.Kind == KindFact {
			m.used.add(q.Workspace, r.ID, 1, 0)
		}
	}
	return list, err
}

// tells says whether something that was found is worth its room: a passage has to fit well, and something that was said
// has to be near the question and not a question itself.
func (f Found) tells() bool {
	switch f.Kind {
	case KindKnowledge:
		return f.Fit >= documentFit
	case KindTurn:
		return f.Score >= turnScore && (f.Source.Author != "user" || f.Fit >= saidFit && !asksOnly(f.Text))
	}
	return true
}

// saysNothing says whether an entity holds only what is recalled already: it was drawn from the same words.
func saysNothing(r Recalled, list []Recalled) bool {
	if r.Kind != KindEntity {
		return false
	}
	for line := range strings.SplitSeq(r.Text, "\n") {
		if !slices.ContainsFunc(list, func(have Recalled) bool { return strings.Contains(have.Text, strings.TrimRight(line, ".! ")) }) {
			return false
		}
	}
	return true
}

// learnedFrom are the messages that facts among what was found were learned from: they say nothing more.
func learnedFrom(found []Found) map[ids.Message]bool {
	messages := map[ids.Message]bool{}
	for _, f := range found {
		if f.Kind == KindFact && f.Source.Message != "" {
			messages[f.Source.Message] = true
		}
	}
	return messages
}
