package memory

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/words"
	"github.com/fluxway/fluxway/internal/store"
)

// hit is a text with what speaks for it.
type hit struct {
	text
	words, coverage    float64
	cosine             float64
	byWords, byMeaning float64 // both 0 to 1
	around, boost      float64
	weight             float64
	score, fit         float64
}

// weights say how far the meaning counts against the words: models know English best and
// scripts they were not trained on least.
var weights = map[words.Language]float64{words.English: 0.5, words.Latin: 0.3, words.Han: 0.3, words.Other: 0.1, words.Code: 0.7}

// mix joins what was found by words and by meaning. Each side is put on a scale from 0 to 1 among what
// it found, because neither BM25 nor cosines mean anything across questions or models.
func mix(q Query, list []scored, near map[string]float64, embedder Embedder) []hit {
	hits := make([]hit, 0, len(list))
	for _, s := range list {
		hits = append(hits, hit{text: s.text, words: s.Score, coverage: s.Coverage})
	}
	best, covered := 0.0, 0.0
	for _, h := range hits {
		best, covered = max(best, h.words), max(covered, h.coverage)
	}
	least, most := span(near)
	wordsTell, meaningTells := min(1, covered/wellCovered), min(1, (most-least)/toldApart)
	asked, name := words.Guess(q.Text), nameOf(embedder)
	own, _ := embedder.(Weigher)
	for i := range hits {
		h := &hits[i]
		if best > 0 {
			h.byWords = h.words / best
		}
		if cosine, ok := near[h.ID]; ok {
			h.cosine = cosine
			h.byMeaning = 1
			if most > least {
				h.byMeaning = (cosine - least) / (most - least)
			}
		}
		h.weight = weightOf(asked, h.text, name, own)
		if len(near) > 0 && best > 0 && own == nil {
			h.weight = balance(h.weight*meaningTells, (1-h.weight)*wordsTell)
		}
		h.score = (1-h.weight)*h.byWords + h.weight*h.byMeaning
		h.fit = h.coverage
		if own == nil {
			h.fit = fit(h.coverage, h.cosine, least, most)
		}
	}
	return hits
}

// What either side must show to be believed as far as its weight goes.
const (
	wellCovered = 0.8  // how much of what the question says the best text holds
	toldApart   = 0.05 // how far the cosines of what was found lie apart
)

// balance is the share of the meaning: where no text holds much of the question the words say little, and where all that was
// found is equally near the meaning does.
func balance(meaning, words float64) float64 {
	if meaning+words == 0 {
		return 0
	}
	return meaning / (meaning + words)
}

// weightOf is 0 for a text that waits for its vector: nothing but its words can speak for it.
func weightOf(asked words.Language, t text, embedder string, own Weigher) float64 {
	switch {
	case embedder == "" || t.Embedder != embedder:
		return 0
	case own != nil:
		return own.Weight(t.Kind, t.Language)
	case t.Language == words.Code:
		return weights[words.Code]
	}
	return min(weights[asked], weights[t.Language])
}

func span(near map[string]float64) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, cosine := range near {
		least, most = min(least, cosine), max(most, cosine)
	}
	return least, most
}

// related is the cosine above which two texts have something to do with each other, and same the one of
// paraphrases, for models whose cosines sit high, as those of most small models do.
const (
	related = 0.80
	same    = 0.95
)

// fit says how much a text has to do with a question, whatever else was found.
func fit(coverage, cosine, least, most float64) float64 {
	meaning := 0.0
	if cosine > related && (most == least || cosine > least) {
		meaning = min(1, (cosine-related)/(same-related))
	}
	return max(coverage, meaning)
}

// neighbourShare is what the turns before and after a turn add to it.
const neighbourShare = 0.3

// What a reply gets of what speaks for the turn it replies to: all of it if that asks, for what was asked for stands in the reply.
const (
	answerShare  = 1.0
	commentShare = 0.5
)

func replyShare(before, reply text) float64 {
	switch {
	case before.Place.Author != "user" || reply.Place.Author != "agent":
		return 0
	case asksOnly(before.Text):
		return answerShare
	}
	return commentShare
}

// asksOnly says whether a turn is a question and nothing else.
func asksOnly(text string) bool {
	body, asks := strings.CutSuffix(strings.TrimSpace(text), "?")
	return asks && !strings.ContainsAny(body, ".!?\n")
}

// smooth lets turns speak for the turns next to them: the answer to a question often stands beside
// the words that were looked for.
func (m *Mind) smooth(ctx context.Context, q Query, hits []hit) ([]hit, error) {
	at := map[turn]int{}
	var top []int
	for i, h := range hits {
		if h.Kind == KindTurn {
			at[turn{h.Thread, h.Seq}] = i
			top = append(top, i)
		}
	}
	if len(top) == 0 {
		return hits, nil
	}
	slices.SortFunc(top, func(a, b int) int { return cmp.Compare(hits[b].score, hits[a].score) })
	for _, i := range top[:min(len(top), 10)] {
		h := hits[i]
		rows, err := store.All[text](ctx, m.db.Read(), neighbours, h.Thread, h.Seq-1, h.Seq+1, q.Workspace, q.User, q.Agent, q.Project)
		if err != nil {
			return nil, fmt.Errorf("reading the turns beside: %w", err)
		}
		for _, row := range rows {
			key := turn{row.Thread, row.Seq}
			if _, known := at[key]; !known {
				at[key] = len(hits)
				hits = append(hits, hit{text: row, weight: h.weight})
			}
		}
	}
	before := make([]float64, len(hits))
	for i, h := range hits {
		before[i] = h.score
	}
	for key, i := range at {
		var sum float64
		for _, d := range []int64{-1, 1} {
			if j, ok := at[turn{key.thread, key.seq + d}]; ok {
				sum += before[j]
				hits[i].fit = max(hits[i].fit, hits[j].coverage*neighbourShare)
			}
		}
		hits[i].around = neighbourShare * sum / 2
		if j, ok := at[turn{key.thread, key.seq - 1}]; ok {
			hits[i].around = max(hits[i].around, replyShare(hits[j].text, hits[i].text)*before[j])
		}
		hits[i].score += hits[i].around
	}
	return hits, nil
}

type turn struct {
	thread string
	seq    int64
}

// filter drops what the question rules out.
func filter(q Query, known map[ids.Source]bool, hits []hit) []hit {
	return slices.DeleteFunc(hits, func(h hit) bool {
		switch {
		case !q.Since.IsZero() && h.At.Before(q.Since), !q.Until.IsZero() && !h.At.Before(q.Until):
			return true
		case q.Source != "" && h.Place.Source != q.Source, known != nil && h.Kind == KindKnowledge && !known[h.Place.Source]:
			return true
		}
		return q.Not != "" && h.Kind == KindTurn && h.Thread == string(q.Not)
	})
}

// What being recent, pinned and used adds to a score of at most 1.
const (
	mostBoost = 0.1
	halfLife  = 30 * day
)

// boost prefers, among equals, what is recent and what proved useful.
func (m *Mind) boost(ctx context.Context, q Query, hits []hit) error {
	slices.SortStableFunc(hits, byScore)
	top := hits[:min(len(hits), 3*q.Limit)]
	if len(top) > q.Limit { // what cannot reach the last one shown is not looked at
		reach := top[q.Limit-1].score / (1 + mostBoost)
		for len(top) > q.Limit && top[len(top)-1].score < reach {
			top = top[:len(top)-1]
		}
	}
	facts, err := m.factsOf(ctx, q, top)
	if err != nil {
		return err
	}
	now := time.Now()
	for i := range top {
		h := &top[i]
		if h.Kind == KindKnowledge || h.Kind == KindEntity {
			continue
		}
		value := 0.3 * math.Exp2(-float64(now.Sub(h.At))/float64(halfLife))
		if f, ok := facts[h.ID]; ok {
			value += importance(f)
		}
		h.boost = mostBoost * value * h.score
		h.score += h.boost
	}
	slices.SortStableFunc(hits, byScore)
	return nil
}

// factsOf reads what is known of facts besides their text.
func (m *Mind) factsOf(ctx context.Context, q Query, hits []hit) (map[string]Fact, error) {
	var list []string
	for _, h := range hits {
		if h.Kind == KindFact {
			list = append(list, h.ID)
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	rows, err := store.All[Fact](ctx, m.db.Read(), m.engine.facts, m.engine.list(list), q.Workspace, q.User)
	if err != nil {
		return nil, fmt.Errorf("reading facts: %w", err)
	}
	facts := make(map[string]Fact, len(rows))
	for _, f := range rows {
		facts[string(f.ID)] = f
	}
	return facts, nil
}

// importance is how much a fact was used and whether a person stands behind it, at most 0.7.
func importance(f Fact) float64 {
	value := min(0.3, 0.1*math.Log1p(float64(f.Useful)+0.3*float64(f.Uses)))
	if f.Pinned {
		return value + 0.4
	}
	if f.Origin != FromTalk {
		value += 0.2
	}
	return value + 0.2*f.Confidence
}

func byScore(a, b hit) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.Num, a.Num)) }

// alike is the share of words two texts have in common above which the second says nothing new.
const alike = 0.85

// choose takes the best that say something each. Texts that hold other words of the question are not alike, however much else they
// have in common: "the manual of the one" and "the manual of the other".
func choose(q Query, hits []hit) []Found {
	asked := words.Asked(q.Text)
	asked = asked[:min(len(asked), mostWords)]
	best := 0.0
	for _, h := range hits {
		best = max(best, h.score)
	}
	list := []Found{}
	var bags []content
	for _, h := range hits {
		if len(list) == q.Limit {
			break
		}
		score := h.score / max(1, best)
		if score <= 0 || score < q.MinScore || h.fit < q.MinFit || h.Kind == KindEntity && saidBy(h, hits[:min(len(hits), q.Limit)]) {
			continue
		}
		b := contentOf(h, asked)
		if same := slices.IndexFunc(bags, func(other content) bool { return b.asked == other.asked && overlap(b.words, other.words) > alike }); same >= 0 {
			if h.Kind == KindFact && (list[same].Kind == KindEntity || list[same].Kind == KindTurn) { // a fact knows best where it comes from
				first := list[same].Score
				list[same] = h.found(q, first)
			}
			continue
		}
		bags = append(bags, b)
		list = append(list, h.found(q, score))
	}
	return list
}

// saidBy says whether an entity holds only what is said by what it was drawn from, which is shown as well and knows its source.
func saidBy(entity hit, others []hit) bool {
	for line := range strings.SplitSeq(entity.Text, "\n") {
		line = strings.TrimRight(line, ".! ")
		if !slices.ContainsFunc(others, func(o hit) bool { return o.Kind != KindEntity && strings.Contains(o.Text, line) }) {
			return false
		}
	}
	return true
}

// content is the words of a text, and which of those of the question are among them, as bits.
type content struct {
	words map[string]bool
	asked uint64
}

func contentOf(h hit, asked []string) content {
	c := content{words: bag(strings.Split(h.Words, " "))}
	for i, w := range asked {
		if c.words[w] {
			c.asked |= 1 << i
		}
	}
	return c
}

func (h hit) found(q Query, score float64) Found {
	f := Found{ID: h.ID, Kind: h.Kind, Text: h.Text, Title: h.Title, Source: h.Place, Scope: h.Scope, At: h.At, Score: round(score), Fit: round(h.fit)}
	if q.Explain {
		f.Explain = &Explain{
			Words: round(h.words), Coverage: round(h.coverage), Cosine: round(h.cosine), ByWords: round(h.byWords), ByMeaning: round(h.byMeaning),
			Weight: h.weight, Language: string(h.Language), Around: round(h.around), Boost: round(h.boost),
		}
	}
	return f
}

func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }

func overlap(a, b map[string]bool) float64 {
	common := 0
	for w := range a {
		if b[w] {
			common++
		}
	}
	return float64(common) / float64(max(1, len(a)+len(b)-common))
}
