package lsi

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/words"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// topics makes texts that say the same with different words: of each pair a text holds one or the other.
func topics(n int) []string {
	r := rand.New(rand.NewPCG(3, 3))
	kinds := [][]string{
		{"car/automobile", "engine", "wheel", "road", "driver", "fuel"},
		{"doctor/physician", "patient", "clinic", "fever", "pulse", "ward"},
		{"tomato/cabbage", "garden", "soil", "seed", "harvest", "rain"},
	}
	var list []string
	for i := range n {
		kind := kinds[i%len(kinds)]
		one, other, _ := strings.Cut(kind[0], "/")
		text := []string{one}
		if r.IntN(2) == 0 {
			text[0] = other
		}
		for _, w := range r.Perm(5)[:4] {
			text = append(text, kind[w+1])
		}
		list = append(list, strings.Join(text, " "))
	}
	return list
}

func cosine(t *testing.T, e memory.Embedder, question, text string) float64 {
	t.Helper()
	own := e.(memory.OwnEmbedder)
	q, err := own.EmbedFor(t.Context(), anna, []string{question}, memory.QueryText)
	must(t, err)
	p, err := own.EmbedFor(t.Context(), anna, []string{text}, memory.PassageText)
	must(t, err)
	if l := dot(p[0], p[0]); math.Abs(l-1) > 1e-4 || len(p[0]) != Dimensions {
		t.Fatalf("a vector of %d numbers has the length %f", len(p[0]), l)
	}
	return dot(q[0], p[0])
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestWordsMeanWhatTheyStandBeside(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		e, err := New(Options{DB: db})
		must(t, err)
		texts := topics(300)
		must(t, e.Learn(t.Context(), of(10, texts[:10])))
		if e.Name() != "lsi-128-own/0" || cosine(t, e, "automobile", "automobile") != 0 {
			t.Errorf("%s knows words of ten texts", e.Name())
		}
		must(t, e.Learn(t.Context(), of(int64(len(texts)), texts)))
		if near, far := cosine(t, e, "automobile", "car"), cosine(t, e, "automobile", "tomato"); near < 0.5 || near < far+0.4 {
			t.Errorf("automobile is %f near to car and %f to tomato", near, far)
		}
		if got := cosine(t, e, "zebra", "yak"); got != 0 {
			t.Errorf("two unknown words are %f near", got)
		}
		must(t, e.Learn(t.Context(), of(320, nil)))
		if e.Name() != "lsi-128-own/1" {
			t.Errorf("a few texts more made %s of it", e.Name())
		}
		must(t, e.Learn(t.Context(), of(400, topics(400))))
		if e.Name() != "lsi-128-own/2" || cosine(t, e.Version("lsi-128-own/1"), "automobile", "car") < 0.5 {
			t.Errorf("after a fifth more texts it is %s, and the one before is lost", e.Name())
		}
		other, err := New(Options{DB: db}) // another process
		must(t, err)
		must(t, other.Learn(t.Context(), of(400, nil)))
		if other.Name() != e.Name() || math.Abs(cosine(t, other, "physician", "doctor")-cosine(t, e, "physician", "doctor")) > 1e-6 {
			t.Errorf("another process has %s", other.Name())
		}
	})
}

var anna = memory.Owner{Workspace: "ws_1", User: "usr_1"}

// of is the texts of anna.
func of(n int64, list []string) []memory.Corpus { return []memory.Corpus{corpusOf(anna, n, list)} }

func corpusOf(o memory.Owner, n int64, list []string) memory.Corpus {
	return memory.Corpus{Owner: o, Texts: n, Words: func(yield func(string, error) bool) {
		for _, text := range list {
			if !yield(strings.Join(words.Cut(text), " "), nil) {
				return
			}
		}
	}}
}

// TestOthersTextsTellNothing lets one owner learn beside others: what words mean to them is as if they were alone, and
// those who have no texts know none of them.
func TestOthersTextsTellNothing(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	e, err := New(Options{DB: db})
	must(t, err)
	bert, open := memory.Owner{Workspace: anna.Workspace, User: "usr_2"}, memory.Owner{Workspace: anna.Workspace}
	hers := topics(120)
	his := make([]string, 60)
	for i := range his {
		his[i] = fmt.Sprintf("merger layoffs number%d", i)
	}
	must(t, e.Learn(t.Context(), []memory.Corpus{corpusOf(open, 2, nil), corpusOf(anna, 120, hers), corpusOf(bert, 60, his)}))
	near := func(o memory.Owner, a, b string) float64 {
		q, err := e.EmbedFor(t.Context(), o, []string{a}, memory.QueryText)
		must(t, err)
		p, err := e.EmbedFor(t.Context(), o, []string{b}, memory.PassageText)
		must(t, err)
		return dot(q[0], p[0])
	}
	if got := near(bert, "merger", "layoffs"); got < 0.9 {
		t.Errorf("to bert they are %f near", got)
	}
	for _, o := range []memory.Owner{anna, open, {Workspace: "ws_2", User: bert.User}} {
		if got := near(o, "merger", "layoffs"); got != 0 {
			t.Errorf("%+v can tell by %f that merger and layoffs stand together somewhere", o, got)
		}
	}
	alone, err := New(Options{DB: storetest.SQLite(t)})
	must(t, err)
	must(t, alone.Learn(t.Context(), of(120, hers)))
	if a, b := near(anna, "automobile", "car"), cosine(t, alone, "automobile", "car"); a != b {
		t.Errorf("beside others it is %f, alone %f", a, b)
	}
	must(t, db.InTx(t.Context(), func(tx *store.Tx) error { return e.Forget(t.Context(), tx, bert) }))
	if got := near(bert, "merger", "layoffs"); got != 0 {
		t.Errorf("what was learned from one who is forgotten is known: %f", got)
	}
	if got := near(anna, "automobile", "car"); got < 0.5 {
		t.Errorf("forgetting bert took from anna: %f", got)
	}
}

func TestWeight(t *testing.T) {
	t.Parallel()
	for name, got := range map[string][2]float64{
		"document": {weight(memory.KindKnowledge, words.English), 0.3}, "turn": {weight(memory.KindTurn, words.English), 0}, "code": {weight(memory.KindKnowledge, words.Code), 0},
	} {
		if got[0] != got[1] {
			t.Errorf("a %s weighs %f, want %f", name, got[0], got[1])
		}
	}
}

// TestDecomposition holds the directions that were found against the texts: they are at right angles and of length
// one, and none comes before one along which texts differ more.
func TestDecomposition(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	var texts [][]string
	for range 300 {
		var list []string
		for range 12 {
			list = append(list, fmt.Sprintf("w%d", r.IntN(120)))
		}
		texts = append(texts, list)
	}
	c := gather(texts)
	rows, err := decompose(t.Context(), c)
	must(t, err)
	kept := keptOf(len(c.words))
	for i := range kept {
		for j := range i + 1 {
			var sum float64
			for w := range c.words {
				sum += float64(rows.row(w)[i]) * float64(rows.row(w)[j])
			}
			if want := map[bool]float64{true: 1}[i == j]; math.Abs(sum-want) > 1e-3 {
				t.Fatalf("the directions %d and %d have the product %f", i, j, sum)
			}
		}
	}
	spread := make([]float64, directions)
	for _, text := range c.texts {
		v := make([]float32, directions)
		for _, e := range text {
			add(v, rows.row(int(e.word)), e.weight)
		}
		for i, x := range v {
			spread[i] += float64(x) * float64(x)
		}
	}
	for i := 1; i < kept; i++ {
		if spread[i] > spread[i-1]*1.001 {
			t.Errorf("texts differ by %f along direction %d and by %f along the one before", spread[i], i, spread[i-1])
		}
	}
}

func FuzzUnpack(f *testing.F) {
	c := gather([][]string{{"a", "b"}, {"a", "b"}, {"b", "c"}})
	body, err := pack(c, newMatrix(len(c.words), directions))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(body)
	f.Add(body[:len(body)/2])
	f.Fuzz(func(t *testing.T, body []byte) {
		if m, err := unpack("x", body); err == nil {
			m.embed("a b c", memory.PassageText)
		}
	})
}
