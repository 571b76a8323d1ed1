package memory

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/words"
	"github.com/fluxway/fluxway/internal/memory/chunks"
	"github.com/fluxway/fluxway/internal/store"
)

// Said is one message of a conversation that may have to be left out for room.
type Said struct {
	Message ids.Message // what it is remembered as; "": by its words alone
	Text    string
	Tokens  int  // 0: estimated
	Keep    bool // it stays whatever it costs
}

// Window is how much of a conversation a model is given.
type Window struct {
	Tokens       int              // room for messages; 0: without bound
	Messages     int              // how many at most; 0: without bound
	Recent       int              // the newest messages that stay before others, as far as there is room; 0: 6, or half of Messages
	Bias         float64          // how far being recent counts against being about the question; 0: 0.3
	Conversation ids.Conversation // whose turns are compared by meaning; "": none
}

// Pick chooses which messages of a conversation, oldest first, a model is given when not all fit: the newest, then
// those that are most about the question, with the ones beside them. It gives their places in order. Without an
// embedder, or with one that is too slow, words decide; where they say nothing either, the newest are taken.
func (m *Mind) Pick(ctx context.Context, o Owner, said []Said, question string, w Window) []int {
	w.Tokens, w.Messages = cmp.Or(w.Tokens, math.MaxInt), cmp.Or(w.Messages, math.MaxInt)
	w.Recent, w.Bias = cmp.Or(w.Recent, recentOf(w.Messages)), cmp.Or(w.Bias, 0.3)
	costs, sum := make([]int, len(said)), 0
	for i, s := range said {
		costs[i] = cmp.Or(s.Tokens, chunks.Tokens(s.Text)+4)
		sum += costs[i]
	}
	if sum <= w.Tokens && len(said) <= w.Messages {
		return places(len(said))
	}
	scores := relevance(said, question)
	if near := m.nearness(ctx, o, said, question, w.Conversation); near != nil {
		for i := range scores {
			scores[i] = (scores[i] + near[i]) / 2
		}
	}
	return fill(said, costs, blended(scores, w.Bias), w)
}

func recentOf(messages int) int {
	if messages == math.MaxInt {
		return 6
	}
	return max(1, messages/2)
}

func places(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// relevance is how much of what a question says each message holds, smoothed over the messages beside it.
func relevance(said []Said, question string) []float64 {
	asked := words.Asked(question)
	bags := make([]map[string]bool, len(said))
	counts := map[string]int64{}
	for i, s := range said {
		bags[i] = bag(words.Cut(cut(s.Text, 8000)))
		for _, w := range asked {
			if bags[i][w] {
				counts[w]++
			}
		}
	}
	raw := make([]float64, len(said))
	for i := range said {
		for _, w := range asked {
			if bags[i][w] {
				raw[i] += idf(counts[w], int64(len(said)))
			}
		}
	}
	return smoothed(raw)
}

// smoothed is a list as shares of its largest, with what stands beside each added to it.
func smoothed(raw []float64) []float64 {
	most := slices.Max(append([]float64{0}, raw...))
	if most == 0 {
		return raw
	}
	out := make([]float64, len(raw))
	for i := range raw {
		out[i] = raw[i] / most
		if i > 0 {
			out[i] += neighbourShare / 2 * raw[i-1] / most
		}
		if i+1 < len(raw) {
			out[i] += neighbourShare / 2 * raw[i+1] / most
		}
	}
	return out
}

// turnOf is a turn that can be compared, and the message it is.
type turnOf struct {
	ID    string `db:"id"`
	Space string `db:"space"`
	Place Place  `db:"place,json"`
}

// nearness compares the question with the vectors that turns of the conversation have, from 0 to 1 among the
// messages; nil where that cannot be done in time.
func (m *Mind) nearness(ctx context.Context, o Owner, said []Said, question string, conversation ids.Conversation) []float64 {
	if m.index == nil || conversation == "" {
		return nil
	}
	e, err := m.serving(ctx)
	if err != nil || e == nil {
		return nil
	}
	if own, ok := e.(Weigher); ok && own.Weight(KindTurn, words.English) == 0 {
		return nil
	}
	turns, err := store.All[turnOf](ctx, m.db.Read(), selectTurns, conversation, o.Workspace, o.User)
	if err != nil || len(turns) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, recallDeadline)
	defer cancel()
	asked, err := e.Embed(ctx, []string{cut(question, 2000)}, QueryText)
	if err != nil || len(asked) != 1 {
		return nil
	}
	q := VectorQuery{Vector: asked[0], Limit: len(turns)}
	messages := map[string]ids.Message{}
	for _, t := range turns {
		messages[t.ID] = t.Place.Message
		q.Only = append(q.Only, t.ID)
		part := Partition{Workspace: o.Workspace, Scope: t.Space, Embedder: e.Name()}
		if !slices.Contains(q.Partitions, part) {
			q.Partitions = append(q.Partitions, part)
		}
	}
	matches, err := m.index.Search(ctx, q)
	if err != nil || len(matches) == 0 {
		return nil
	}
	near := map[ids.Message]float64{}
	least := float64(matches[len(matches)-1].Score)
	for _, match := range matches {
		near[messages[match.ID]] = float64(match.Score) - least
	}
	raw := make([]float64, len(said))
	for i, s := range said {
		if s.Message != "" {
			raw[i] = near[s.Message]
		}
	}
	return smoothed(raw)
}

// blended joins relevance with how recent a message is.
func blended(scores []float64, bias float64) []float64 {
	out := make([]float64, len(scores))
	for i, s := range scores {
		recent := float64(i+1) / float64(len(scores))
		out[i] = (1-bias)*s + bias*recent
	}
	return out
}

// fill takes what must stay, then the newest, then the best, until the room is used up.
func fill(said []Said, costs []int, scores []float64, w Window) []int {
	taken := make([]bool, len(said))
	room, left := w.Tokens, w.Messages
	take := func(i int) {
		taken[i] = true
		room -= costs[i]
		left--
	}
	for i, s := range said {
		if s.Keep {
			take(i)
		}
	}
	for i := len(said) - 1; i >= max(0, len(said)-w.Recent); i-- {
		if !taken[i] && costs[i] <= room && left > 0 {
			take(i)
		}
	}
	order := places(len(said))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	for _, i := range order {
		if !taken[i] && costs[i] <= room && left > 0 {
			take(i)
		}
	}
	return slices.DeleteFunc(places(len(said)), func(i int) bool { return !taken[i] })
}
