package memory

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/words"
	"github.com/fluxway/fluxway/internal/store"
)

// engine is what differs between the full-text indexes of the databases: how
// they are asked, not how what they answer is ranked.
type engine struct {
	holders string // the numbers of the newest texts that fit a query, with commas between: (query)
	few     string // the same, of the newest candidates
	newest  string // the words of the newest texts of a space: (query, limit)
	numbers string // texts by their numbers: (numbers, workspace, user, agent, project)
	size    string // how much spaces hold: (spaces)
	fetch   string // texts by their ids: (ids, workspace, user, agent, project)
	facts   string // facts by their ids: (ids, workspace, user)
	prints  string // facts by their fingerprints: (JSON list, space)
	marked  string // says whose vectors texts have, by their numbers, and answers those that are still there: (embedder, numbers)
	// openNodes reads entities by names: (workspace, user, session, JSON list, limit)
	openNodes string
	// query fits texts of any of the spaces that hold all of the words. Words are letters and digits only, so quotes hold them.
	query func(spaces []string, words ...string) string
	// any fits texts of any of the spaces that hold all words of one of the groups.
	any  func(spaces []string, groups [][]string) string
	list func(ids []string) string
}

func engineOf(db *store.DB) engine {
	if db.Engine().Name == "postgres" {
		return engine{limited(holdersPostgres, mostHolders), limited(holdersPostgres, candidates), newestPostgres, numbersPostgres, sizePostgres, fetchPostgres, factsPostgres, printsPostgres, markedPostgres, openPostgres, tsquery, tsqueryAny, commas}
	}
	return engine{limited(holdersSQLite, mostHolders), limited(holdersSQLite, candidates), newestSQLite, numbersSQLite, sizeSQLite, fetchSQLite, factsSQLite, printsSQLite, markedSQLite, openSQLite, match, matchAny, quotedJSON}
}

// limited writes a limit into a statement. One that is bound has SQLite prepare a statement about a virtual table anew each time.
func limited(statement string, n int) string {
	return strings.Replace(statement, "LIMIT ?", "LIMIT "+strconv.Itoa(n), 1)
}

// match asks FTS5. A word is indexed with its space before it, and the space by itself.
func match(spaces []string, words ...string) string {
	return terms(spaces, words, `"`, " OR ", " AND ")
}

// tsquery asks a tsvector that holds the same.
func tsquery(spaces []string, words ...string) string { return terms(spaces, words, "'", " | ", " & ") }

func matchAny(spaces []string, groups [][]string) string {
	return anyOfGroups(match, spaces, groups, " OR ")
}

func tsqueryAny(spaces []string, groups [][]string) string {
	return anyOfGroups(tsquery, spaces, groups, " | ")
}

func anyOfGroups(one func([]string, ...string) string, spaces []string, groups [][]string, or string) string {
	list := make([]string, len(groups))
	for i, words := range groups {
		list[i] = "(" + one(spaces, words...) + ")"
	}
	return strings.Join(list, or)
}

func terms(spaces, words []string, quote, or, and string) string {
	if len(words) == 0 {
		words = []string{""}
	}
	var all []string
	for _, w := range words {
		any := make([]string, len(spaces))
		for i, name := range spaces {
			any[i] = name + w
		}
		all = append(all, "("+quoteAll(any, quote, or)+")")
	}
	return strings.Join(all, and)
}

func quoteAll(list []string, quote, between string) string {
	return quote + strings.Join(list, quote+between+quote) + quote
}

func commas(list []string) string { return strings.Join(list, ",") }

func quotedJSON(list []string) string { return "[" + quoteAll(list, `"`, ",") + "]" }

// The ranking by words, and what bounds its work.
const (
	saturation  = 0.9   // k1 of BM25: how much a word said again adds
	lengthShare = 0.4   // b of BM25: how much the length of a text counts
	mostWords   = 24    // of a question
	mostHolders = 2_000 // texts that are looked at for one word, the newest
	candidates  = 100
	enough      = 20   // candidates, beyond which those are left out that
	littleShare = 0.25 // weigh less than this share of the best
)

// scored is a text and how well it fits the words of a question.
type scored struct {
	text
	Score    float64
	Coverage float64 // how much of what the question says the text holds, 0 to 1
}

// term is a word of a question with its weight.
type term struct {
	word    string
	count   int64
	idf     float64
	holders []int64 // the numbers of the texts that hold it; none for one that is common
}

// byWords finds texts by the words of a question, best first. The weights of
// words come from the asker's own spaces alone.
func (m *Mind) byWords(ctx context.Context, q Query, names []string) ([]scored, lexicon, error) {
	asked := words.Asked(q.Text)
	if len(asked) == 0 || len(names) == 0 {
		return nil, lexicon{}, nil
	}
	asked = asked[:min(len(asked), mostWords)]
	sizes, err := store.All[spaceSize](ctx, m.db.Read(), m.engine.size, m.engine.list(names))
	if err != nil {
		return nil, lexicon{}, fmt.Errorf("sizing what is known: %w", err)
	}
	if len(sizes) == 0 {
		return nil, lexicon{}, nil
	}
	names, size := total(sizes)
	terms, err := m.weigh(ctx, sizes, names, asked, size)
	if err != nil || len(terms) == 0 {
		return nil, lexicon{}, err
	}
	chosen := promising(terms)
	more, err := m.oldHolders(ctx, names, terms)
	if err == nil && len(chosen)+len(more) == 0 {
		more, err = m.commonHolders(ctx, names, terms)
	}
	if err != nil {
		return nil, lexicon{}, err
	}
	for _, num := range more {
		if !slices.Contains(chosen, num) {
			chosen = append(chosen, num)
		}
	}
	rows, err := store.All[text](ctx, m.db.Read(), m.engine.numbers, numberList(chosen), q.Workspace, q.User, q.Agent, q.Project)
	if err != nil {
		return nil, lexicon{}, fmt.Errorf("reading what the words found: %w", err)
	}
	l := newLexicon(terms, size)
	return l.rank(rows), l, nil
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

// weigh finds the texts that hold each word, and how many they are. Of words that are common in a large space that
// is estimated by a sample, and their texts are not looked for: others tell them apart. Words that no text holds
// weigh as the rarest, for what a text covers of the question.
func (m *Mind) weigh(ctx context.Context, sizes []spaceSize, names, asked []string, size spaceSize) ([]term, error) {
	estimates, err := m.common(ctx, sizes, asked)
	if err != nil {
		return nil, err
	}
	list := make([]term, len(asked))
	found := false
	for i, w := range asked {
		t := term{word: w, count: estimates[w]}
		if t.count < mostHolders {
			if t.holders, err = m.holders(ctx, m.engine.holders, m.engine.query(names, w)); err != nil {
				return nil, fmt.Errorf("searching by words: %w", err)
			}
			t.count = max(t.count, int64(len(t.holders)))
		}
		t.idf = idf(t.count, size.Texts)
		found = found || t.count > 0
		list[i] = t
	}
	if !found {
		return nil, nil
	}
	return list, nil
}

// holders are the numbers of the newest texts that fit a query.
func (m *Mind) holders(ctx context.Context, statement, query string) ([]int64, error) {
	joined, err := store.One[string](ctx, m.db.Read(), statement, query)
	if err != nil || joined == "" {
		return nil, err
	}
	list := make([]int64, 0, strings.Count(joined, ",")+1)
	for field := range strings.SplitSeq(joined, ",") {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// weighty is a text, by its number, with what the words of a question that it holds weigh together.
type weighty struct {
	num    int64
	weight float64
}

// promising are the texts whose words weigh most together, newer before older. Those that hold little of what the best
// one does are left out once there are enough.
func promising(terms []term) []int64 {
	var all []weighty
	for _, t := range terms {
		all = together(all, t)
	}
	best := 0.0
	for _, w := range all {
		best = max(best, w.weight)
	}
	heavy := make([]weighty, 0, candidates)
	for _, w := range all {
		if w.weight >= littleShare*best {
			heavy = append(heavy, w)
		}
	}
	most := candidates
	if len(heavy) < enough {
		heavy, most = all, enough
	}
	slices.SortFunc(heavy, func(a, b weighty) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(b.num, a.num)) })
	list := make([]int64, 0, most)
	for _, w := range heavy[:min(len(heavy), most)] {
		list = append(list, w.num)
	}
	return list
}

// together adds the holders of a word to those of others; both are sorted, the newest first.
func together(all []weighty, t term) []weighty {
	if len(t.holders) == 0 {
		return all
	}
	out := make([]weighty, 0, len(all)+len(t.holders))
	for _, num := range t.holders {
		for len(all) > 0 && all[0].num > num {
			out, all = append(out, all[0]), all[1:]
		}
		w := weighty{num, t.idf}
		if len(all) > 0 && all[0].num == num {
			w.weight += all[0].weight
			all = all[1:]
		}
		out = append(out, w)
	}
	return append(out, all...)
}

// oldHolders are texts that hold several of the rarest words of a question, whatever their age, where not all texts that hold
// one of these words were looked at.
func (m *Mind) oldHolders(ctx context.Context, names []string, terms []term) ([]int64, error) {
	rarest := slices.DeleteFunc(slices.Clone(terms), func(t term) bool { return t.count == 0 })
	slices.SortStableFunc(rarest, func(a, b term) int { return cmp.Compare(a.count, b.count) })
	rarest = rarest[:min(len(rarest), 4)]
	if len(rarest) < 2 || !slices.ContainsFunc(rarest, func(t term) bool { return t.count >= mostHolders }) {
		return nil, nil
	}
	var found []int64
	for n := 3; n >= 2 && len(found) < enough; n-- {
		if n > len(rarest) {
			continue
		}
		more, err := m.holders(ctx, m.engine.few, m.engine.any(names, groupsOf(n, rarest)))
		if err != nil {
			return nil, fmt.Errorf("searching by several words: %w", err)
		}
		for _, num := range more {
			if !slices.Contains(found, num) {
				found = append(found, num)
			}
		}
	}
	return found, nil
}

// groupsOf are the words of all choices of n terms; of pairs only that of the rarest two, for the others are in too many texts.
func groupsOf(n int, terms []term) [][]string {
	list := make([]string, len(terms))
	for i, t := range terms {
		list[i] = t.word
	}
	if n == 2 || len(list) == n {
		return [][]string{list[:n]}
	}
	groups := make([][]string, len(list)) // of four words, one is left out at a time
	for out := range list {
		groups[out] = slices.Delete(slices.Clone(list), out, out+1)
	}
	return groups
}

// commonHolders are texts for a question of nothing but common words: those that hold several of them, then the newest.
func (m *Mind) commonHolders(ctx context.Context, names []string, terms []term) ([]int64, error) {
	terms = slices.SortedFunc(slices.Values(terms), func(a, b term) int { return cmp.Compare(a.count, b.count) })
	var list []string
	for _, t := range terms {
		if t.count > 0 {
			list = append(list, t.word)
		}
	}
	var chosen []int64
	for n := min(len(list), 3); n > 0 && len(chosen) < candidates; n-- {
		more, err := m.holders(ctx, m.engine.few, m.engine.query(names, list[:n]...))
		if err != nil {
			return nil, fmt.Errorf("searching by common words: %w", err)
		}
		for _, num := range more {
			if !slices.Contains(chosen, num) {
				chosen = append(chosen, num)
			}
		}
	}
	return chosen, nil
}

func numberList(nums []int64) string {
	b := []byte{'['}
	for i, n := range nums {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(append(b, ']'))
}

func idf(count, of int64) float64 {
	of = max(of, count)
	return math.Log(1 + (float64(of-count)+0.5)/(float64(count)+0.5))
}

// telling is how much a word says about what a question asks for. It grows less with how rare the word is than its
// weight does, and little in a small store, where being rare is chance.
func telling(count, of int64) float64 {
	of = max(of, count)
	return 1 + math.Log(float64(of+20)/float64(count+1))
}

// lexicon is the words of a question with what they weigh in the asker's spaces. A question without words has an empty one.
type lexicon struct {
	terms   []term
	at      map[string]int // in terms
	telling []float64      // of each term, as a share of all
	average float64        // words of a text
}

func newLexicon(terms []term, size spaceSize) lexicon {
	l := lexicon{terms: terms, at: make(map[string]int, len(terms)), telling: make([]float64, len(terms)), average: max(1, float64(size.Words)/float64(max(1, size.Texts)))}
	var all float64
	for i, t := range terms {
		l.at[t.word] = i
		l.telling[i] = telling(t.count, size.Texts)
		all += l.telling[i]
	}
	for i := range l.telling {
		l.telling[i] /= all
	}
	return l
}

// rank is BM25 over texts.
func (l lexicon) rank(rows []text) []scored {
	list := make([]scored, len(rows))
	counts := make([]float64, len(l.terms))
	for i, row := range rows {
		list[i].text = row
		clear(counts)
		for w := range strings.SplitSeq(row.Words, " ") {
			if t, ok := l.at[w]; ok {
				counts[t]++
			}
		}
		norm := saturation * (1 - lengthShare + lengthShare*float64(row.Length)/l.average)
		for t, n := range counts { // in their order: sums of fractions depend on it
			if n > 0 {
				list[i].Score += l.terms[t].idf * n * (saturation + 1) / (n + norm)
				list[i].Coverage += l.telling[t]
			}
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Num, a.Num))
	})
	return list
}
