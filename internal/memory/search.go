package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// Query asks what is known.
type Query struct {
	Workspace    ids.Workspace
	User         ids.User
	Agent        string
	Project      string
	Text         string
	Limit        int              // 0: 10; at most 100
	Kinds        []Kind           // none: all
	Since, Until time.Time        // when it was said or written; zero: any time
	Source       ids.Source       // knowledge of this source only
	Knowledge    []string         // knowledge of sources with these titles only, or globs over them; none: all
	Not          ids.Conversation // turns of this conversation are left out, for its history is known
	MinScore     float64          // 0 to 1
	MinFit       float64          // how much a text must have to do with the question at all, 0 to 1; see Found.Fit
	By           By               // "": both
	Explain      bool
	Deadline     time.Duration // how long the meaning of the question may take to work out; 0: 5 s
}

// By is what things are found by.
type By string

// What things can be found by.
const (
	ByWords   By = "words"
	ByMeaning By = "meaning"
)

func (q Query) scope() Scope { return Scope{q.User, q.Agent, q.Project} }

// Found is something known that fits a question.
type Found struct {
	ID     string    `json:"id"`
	Kind   Kind      `json:"kind"`
	Text   string    `json:"text"`
	Title  string    `json:"title,omitempty"`
	Source Place     `json:"source"`
	Scope  Scope     `json:"scope"`
	At     time.Time `json:"at"`
	Score  float64   `json:"score"` // among what was found: 1 is the best by every measure
	Fit    float64   `json:"fit"`   // by itself: 0 has nothing to do with the question
	// Explain tells how the score came about, if that was asked for.
	Explain *Explain `json:"explain,omitempty"`
}

// Explain is how a score came about.
type Explain struct {
	Words     float64 `json:"words"`      // BM25
	Coverage  float64 `json:"coverage"`   // how much of what the question says the text holds
	Cosine    float64 `json:"cosine"`     // with the question's vector; 0: not compared
	ByWords   float64 `json:"by_words"`   // BM25 as a share of the best
	ByMeaning float64 `json:"by_meaning"` // the cosine between the least and the best
	Weight    float64 `json:"weight"`     // of the meaning; the words have the rest
	Language  string  `json:"language"`
	Around    float64 `json:"around"` // what the turns before and after add
	Boost     float64 `json:"boost"`  // what being recent, pinned and used adds
}

// Answer is what a search found, and how well it could look.
type Answer struct {
	Found []Found `json:"data"`
	// Embedder whose vectors were compared; "": found by words alone.
	Embedder string `json:"embedder,omitempty"`
	Degraded string `json:"degraded,omitempty"` // why meaning was not compared, if it should have been
}

// The bounds of a search.
const (
	usualLimit = 10
	mostLimit  = 100
	vectorTop  = 50 // texts that are looked at for their meaning
	vectorSure = 10 // of which so many are the nearest for certain
)

// Search finds what someone may see that fits a question, best first.
func (m *Mind) Search(ctx context.Context, q Query) (Answer, error) {
	if q.Workspace == "" {
		return Answer{}, errors.New("memory: Query.Workspace is empty")
	}
	q = q.withDefaults()
	names := spaces(q.Workspace, q.scope(), q.Kinds)
	var byWords []scored
	var lexicon lexicon
	var err error
	if q.By != ByMeaning {
		if byWords, lexicon, err = m.byWords(ctx, q, names); err != nil {
			return Answer{}, err
		}
	}
	var near map[string]float64
	var asked Embedder
	var degraded string
	if q.By != ByWords {
		near, asked, degraded = m.byMeaning(ctx, q)
	}
	rows, err := m.missing(ctx, q, byWords, near)
	if err != nil {
		return Answer{}, err
	}
	mixed := mix(q, append(byWords, lexicon.rank(rows)...), near, asked)
	if mixed, err = m.smooth(ctx, q, mixed); err != nil {
		return Answer{}, err
	}
	known, err := m.titled(ctx, q)
	if err != nil {
		return Answer{}, err
	}
	mixed = filter(q, known, mixed)
	if err := m.boost(ctx, q, mixed); err != nil {
		return Answer{}, err
	}
	return Answer{Found: choose(q, mixed), Embedder: nameOf(asked), Degraded: degraded}, nil
}

func (q Query) withDefaults() Query {
	if q.Limit <= 0 {
		q.Limit = usualLimit
	}
	q.Limit = min(q.Limit, mostLimit)
	if len(q.Kinds) == 0 {
		q.Kinds = allKinds
	}
	if q.Deadline == 0 {
		q.Deadline = 5 * time.Second
	}
	return q
}

// byMeaning compares vectors. Whatever goes wrong leaves the search by words,
// and is told.
func (m *Mind) byMeaning(ctx context.Context, q Query) (near map[string]float64, embedder Embedder, degraded string) {
	if m.index == nil || q.Text == "" {
		return nil, nil, ""
	}
	e, err := m.serving(ctx)
	if err != nil || e == nil {
		return nil, nil, reason(ctx, m.log, "which embedder serves is not known", err)
	}
	late := fault.New(fault.Timeout, "embedder_slow", "The embedder took longer than %s.", q.Deadline)
	embedCtx, cancel := context.WithTimeoutCause(ctx, q.Deadline, late)
	defer cancel()
	asked, err := questions(embedCtx, e, q)
	if err != nil {
		return nil, nil, reason(ctx, m.log, "the question could not be embedded", err)
	}
	var matches []Match
	for _, a := range asked {
		found, err := m.index.Search(ctx, a)
		if err != nil {
			return nil, nil, reason(ctx, m.log, "vectors could not be searched", err)
		}
		matches = append(matches, found...)
	}
	near = make(map[string]float64, len(matches))
	for _, match := range matches {
		if match.Score > 0 { // what lies at a right angle has nothing to do with it
			near[match.ID] = float64(match.Score)
		}
	}
	return near, e, ""
}

// questions are what the index is asked: once, or, where what a word means depends on whose it is, once for the texts of the user
// and once for those that are open to all.
func questions(ctx context.Context, e Embedder, q Query) ([]VectorQuery, error) {
	parts := partitions(q.Workspace, q.scope(), q.Kinds, e.Name())
	own, ok := e.(OwnEmbedder)
	if !ok {
		vector, err := only(e.Embed(ctx, []string{q.Text}, QueryText))
		return []VectorQuery{{Partitions: slices.Concat(slices.Collect(maps.Values(parts))...), Vector: vector, Limit: max(vectorTop, q.Limit), Sure: max(vectorSure, q.Limit)}}, err
	}
	var list []VectorQuery
	for user, of := range parts {
		vector, err := only(own.EmbedFor(ctx, Owner{q.Workspace, user}, []string{q.Text}, QueryText))
		if err != nil {
			return nil, err
		}
		list = append(list, VectorQuery{Partitions: of, Vector: vector, Limit: max(vectorTop, q.Limit), Sure: max(vectorSure, q.Limit)})
	}
	return list, nil
}

// only is the vector of the one text that was embedded.
func only(vectors [][]float32, err error) ([]float32, error) {
	if err != nil {
		return nil, err
	}
	if len(vectors) != 1 {
		return nil, fmt.Errorf("%d vectors for one question", len(vectors))
	}
	return vectors[0], nil
}

func nameOf(e Embedder) string {
	if e == nil {
		return ""
	}
	return e.Name()
}

func reason(ctx context.Context, log *slog.Logger, what string, err error) string {
	if err == nil {
		return ""
	}
	log.WarnContext(ctx, "searched by words alone: "+what, "part", "memory", "err", err)
	return what
}

// missing reads the texts that only their meaning found, as the asker may see them: those that are near enough to be shown.
func (m *Mind) missing(ctx context.Context, q Query, byWords []scored, near map[string]float64) ([]text, error) {
	have := make(map[string]bool, len(byWords))
	for _, s := range byWords {
		have[s.ID] = true
	}
	var list []string
	for id := range near {
		if !have[id] {
			list = append(list, id)
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(near[b], near[a]), cmp.Compare(a, b)) })
	list = list[:min(len(list), 3*q.Limit)]
	rows, err := store.All[text](ctx, m.db.Read(), m.engine.fetch, m.engine.list(list), q.Workspace, q.User, q.Agent, q.Project)
	if err != nil {
		return nil, fmt.Errorf("reading what was found: %w", err)
	}
	return rows, nil
}

// titled are the sources whose titles a question asks for; nil if it asks for none.
func (m *Mind) titled(ctx context.Context, q Query) (map[ids.Source]bool, error) {
	if len(q.Knowledge) == 0 {
		return nil, nil
	}
	rows, err := store.All[titledSource](ctx, m.db.Read(), selectTitles, q.Workspace, q.User)
	if err != nil {
		return nil, fmt.Errorf("listing the titles of sources: %w", err)
	}
	known := map[ids.Source]bool{}
	for _, r := range rows {
		known[r.ID] = slices.ContainsFunc(q.Knowledge, func(glob string) bool {
			fits, err := path.Match(glob, r.Title)
			return glob == r.Title || glob == string(r.ID) || err == nil && fits
		})
	}
	return known, nil
}

type titledSource struct {
	ID    ids.Source `db:"id"`
	Title string     `db:"title"`
}
