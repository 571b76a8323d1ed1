package memory

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/fluxway/fluxway/internal/kit/words"
	"github.com/fluxway/fluxway/internal/memory/chunks"
)

// Said is one message of a conversation that may have to be left out for room.
type Said struct {
	Text   string
	Tokens int  // 0: estimated
	Keep   bool // it stays whatever it costs
}

// Window is how much of a conversation a model is given.
type Window struct {
	Tokens int     // room for messages; required
	Recent int     // the newest messages that always stay, as far as there is room; 0: 6
	Bias   float64 // how far being recent counts against being about the question; 0: 0.3
}

// Pick chooses which messages of a conversation, oldest first, a model is given when not all fit: the newest, then
// those that are most about the question, with the ones beside them. It gives their places in order. Without an
// embedder, or with one that is too slow, words decide.
func (m *Mind) Pick(ctx context.Context, said []Said, question string, w Window) []int {
	w.Recent, w.Bias = cmp.Or(w.Recent, 6), cmp.Or(w.Bias, 0.3)
	costs, sum := make([]int, len(said)), 0
	for i, s := range said {
		costs[i] = cmp.Or(s.Tokens, chunks.Tokens(s.Text)+4)
		sum += costs[i]
	}
	if sum <= w.Tokens {
		return places(len(said))
	}
	scores := relevance(said, question)
	if near := m.nearness(ctx, said, question); near != nil {
		for i := range scores {
			scores[i] = (scores[i] + near[i]) / 2
		}
	}
	return fill(said, costs, blended(scores, w.Bias), w)
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
		bags[i] = bag(words.Cut(s.Text))
		for _, w := range asked {
			if bags[i][w] {
				counts[w]++
			}
		}
	}
	raw, most := make([]float64, len(said)), 0.0
	for i := range said {
		for _, w := range asked {
			if bags[i][w] {
				raw[i] += idf(counts[w], int64(len(said)))
			}
		}
		most = max(most, raw[i])
	}
	if most == 0 {
		return raw
	}
	out := make([]float64, len(said))
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

// mostCompared bounds how many messages are embedded for one choice.
const mostCompared = 64

// nearness compares meanings, from 0 to 1 among the messages; nil where that cannot be done in time.
func (m *Mind) nearness(ctx context.Context, said []Said, question string) []float64 {
	if m.embedder == nil || len(said) > mostCompared {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, recallDeadline)
	defer cancel()
	texts := make([]string, len(said))
	for i, s := range said {
		texts[i] = cut(s.Text, 800)
	}
	asked, err := m.embedder.Embed(ctx, []string{question}, QueryText)
	if err != nil || len(asked) != 1 {
		return nil
	}
	vectors, err := m.embedder.Embed(ctx, texts, PassageText)
	if err != nil || len(vectors) != len(said) {
		return nil
	}
	out := make([]float64, len(said))
	least, most := math.Inf(1), math.Inf(-1)
	for i, v := range vectors {
		for j := range min(len(v), len(asked[0])) {
			out[i] += float64(v[j]) * float64(asked[0][j])
		}
		least, most = min(least, out[i]), max(most, out[i])
	}
	for i := range out {
		if most > least {
			out[i] = (out[i] - least) / (most - least)
		}
	}
	return out
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
	room := w.Tokens
	for i, s := range said {
		if s.Keep {
			taken[i] = true
			room -= costs[i]
		}
	}
	for i := len(said) - 1; i >= max(0, len(said)-w.Recent); i-- {
		if !taken[i] && costs[i] <= room {
			taken[i] = true
			room -= costs[i]
		}
	}
	order := places(len(said))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	for _, i := range order {
		if !taken[i] && costs[i] <= room {
			taken[i] = true
			room -= costs[i]
		}
	}
	return slices.DeleteFunc(places(len(said)), func(i int) bool { return !taken[i] })
}
