package memory

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/words"
	"github.com/fluxway/fluxway/internal/store"
)

// engine is what differs between the full-text indexes of the databases: how
// they are asked, not how what they answer is ranked.
type engine struct {
	find  string // texts that hold any of the words: (query, words only, limit, workspace, user, agent, project)
	count string // how many there are, up to a limit: (query, limit)
	size  string // how much spaces hold: (spaces)
	fetch string // texts by their ids: (ids, workspace, user, agent, project)
	facts string // facts by their ids: (ids, workspace, user)
	// openNodes reads entities by names: (workspace, user, session, JSON list, limit)
	openNodes string
	query     func(spaces, words []string) string
	any       func(words []string) string
	list      func(ids []string) string
}

func engineOf(db *store.DB) engine {
	if db.Engine().Name == "postgres" {
		return engine{findPostgres, countPostgres, sizePostgres, fetchPostgres, factsPostgres, openPostgres, tsquery, tswords, commas}
	}
	return engine{findSQLite, countSQLite, sizeSQLite, fetchSQLite, factsSQLite, openSQLite, match, matchWords, quotedJSON}
}

// match asks FTS5. Words are letters and digits only, so quotes hold them.
func match(spaces, list []string) string {
	return "space : (" + quoteAll(spaces, `"`, " OR ") + ") AND words : (" + quoteAll(list, `"`, " OR ") + ")"
}

// matchWords is not needed by FTS5, which ranks by the query itself.
func matchWords([]string) string { return "" }

// tsquery asks a tsvector that holds the space as a word among the others.
func tsquery(spaces, list []string) string {
	return "(" + quoteAll(spaces, "'", " | ") + ") & (" + quoteAll(list, "'", " | ") + ")"
}

func tswords(list []string) string { return quoteAll(list, "'", " | ") }

func quoteAll(list []string, quote, between string) string {
	return quote + strings.Join(list, quote+between+quote) + quote
}

func commas(list []string) string { return strings.Join(list, ",") }

func quotedJSON(list []string) string { return "[" + quoteAll(list, `"`, ",") + "]" }

// The ranking by words, and what bounds its work.
const (
	saturation  = 0.9 // k1 of BM25: how much a word said again adds
	lengthShare = 0.4 // b of BM25: how much the length of a text counts
	mostWords   = 24  // of a question
	mostCounted = 50_000
	mostMatched = 20_000 // texts looked at for one question, where its rare words allow
	candidates  = 100
	enough      = 4 * candidates // texts to choose them from
)

// scored is a text and how well it fits the words of a question.
type scored struct {
	text
	Score    float64
	Coverage float64 // how much of what the question says the text holds, 0 to 1
}

// term is a word of a question with its weight.
type term struct {
	word  string
	count int64
	idf   float64
}

// byWords finds texts by the words of a question, best first. The weights of
// words come from the asker's own spaces alone.
func (m *Mind) byWords(ctx context.Context, q Query, names []string) ([]scored, error) {
	asked := words.Asked(q.Text)
	if len(asked) == 0 || len(names) == 0 {
		return nil, nil
	}
	asked = asked[:min(len(asked), mostWords)]
	sizes, err := store.All[spaceSize](ctx, m.db.Read(), m.engine.size, m.engine.list(names))
	if err != nil {
		return nil, fmt.Errorf("sizing what is known: %w", err)
	}
	if len(sizes) == 0 {
		return nil, nil
	}
	names, size := total(sizes)
	terms, err := m.weigh(ctx, names, asked, size)
	if err != nil || len(terms) == 0 {
		return nil, err
	}
	list := make([]string, 0, len(terms))
	for _, t := range telling(terms, size.Texts) {
		list = append(list, t.word)
	}
	rows, err := store.All[text](ctx, m.db.Read(), m.engine.find, m.engine.query(names, list), m.engine.any(list), candidates,
		q.Workspace, q.User, q.Agent, q.Project)
	if err != nil {
		return nil, fmt.Errorf("searching by words: %w", err)
	}
	return rank(rows, terms, size), nil
}

// spaceSize is how much a space holds, or some together.
type spaceSize struct {
	Space string `db:"space"`
	Texts int64  `db:"texts"`
	Words int64  `db:"words"`
}

// total adds spaces up and names them: those that hold nothing need not be looked into.
func total(list []spaceSize) (names []string, sum spaceSize) {
	for _, s := range list {
		names = append(names, s.Space)
		sum.Texts += s.Texts
		sum.Words += s.Words
	}
	return names, sum
}

// weigh counts how many texts hold each word; words that none holds weigh as
// the rarest, for what a text covers of the question.
func (m *Mind) weigh(ctx context.Context, names, asked []string, size spaceSize) ([]term, error) {
	var terms []term
	found := false
	for _, w := range asked {
		n, err := store.One[int64](ctx, m.db.Read(), m.engine.count, m.engine.query(names, []string{w}), mostCounted)
		if err != nil {
			return nil, fmt.Errorf("counting %q: %w", w, err)
		}
		found = found || n > 0
		terms = append(terms, term{w, n, idf(n, size.Texts)})
	}
	if !found {
		return nil, nil
	}
	return terms, nil
}

func idf(count, of int64) float64 {
	of = max(of, count)
	return math.Log(1 + (float64(of-count)+0.5)/(float64(count)+0.5))
}

// telling are the words to find candidates by, the rarest first: so many that there is enough to choose
// from, and no more. What the others add to the score of a candidate is added all the same.
func telling(terms []term, texts int64) []term {
	rare := slices.DeleteFunc(slices.Clone(terms), func(t term) bool { return t.count == 0 })
	slices.SortStableFunc(rare, func(a, b term) int { return cmp.Compare(a.count, b.count) })
	var sum int64
	for i, t := range rare {
		if i > 0 && (sum >= enough || sum+t.count > mostMatched || t.count > texts/2) { // in most texts: it tells none from another
			return rare[:i]
		}
		sum += t.count
	}
	return rare
}

// rank is BM25 over the candidates.
func rank(rows []text, terms []term, size spaceSize) []scored {
	average := max(1, float64(size.Words)/float64(max(1, size.Texts)))
	asked := make(map[string]bool, len(terms))
	var all float64
	for _, t := range terms {
		asked[t.word] = true
		all += t.idf
	}
	list := make([]scored, 0, len(rows))
	for _, row := range rows {
		counts := map[string]int{}
		for w := range strings.SplitSeq(row.Words, " ") {
			if asked[w] {
				counts[w]++
			}
		}
		s := scored{text: row}
		norm := saturation * (1 - lengthShare + lengthShare*float64(row.Length)/average)
		for _, t := range terms { // in their order: sums of fractions depend on it
			if n := float64(counts[t.word]); n > 0 {
				s.Score += t.idf * n * (saturation + 1) / (n + norm)
				s.Coverage += t.idf / all
			}
		}
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Num, a.Num))
	})
	return list
}
