package memory_test

import (
	"context"
	"errors"
	"hash/fnv"
	"math"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/words"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/memory/pgvector"
	"github.com/fluxway/fluxway/internal/memory/vectors"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// thesaurus is an embedder that knows a few words for the same thing, and counts how often it is asked.
type thesaurus struct {
	name  string
	fail  error
	asked *int
}

var meanings = map[string]string{"automobil": "car", "vehicl": "car", "physician": "doctor", "residen": "home", "live": "home", "hous": "home"}

func (e thesaurus) Name() string  { return e.name }
func (thesaurus) Dimensions() int { return 128 }
func (e thesaurus) Embed(_ context.Context, texts []string, _ memory.TextKind) ([][]float32, error) {
	if e.asked != nil {
		*e.asked += len(texts)
	}
	if e.fail != nil {
		return nil, e.fail
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		v := make([]float32, 128)
		for _, w := range words.Asked(text) {
			if same, ok := meanings[w]; ok {
				w = same
			}
			h := fnv.New32a()
			h.Write([]byte(e.name + w))
			v[h.Sum32()%128]++
		}
		v[0] += 0.01
		var sum float64
		for _, x := range v {
			sum += float64(x * x)
		}
		for j := range v {
			v[j] /= float32(math.Sqrt(sum))
		}
		out[i] = v
	}
	return out, nil
}

// indexOf is the index of vectors of an engine.
func indexOf(t *testing.T, db *store.DB) memory.Index {
	t.Helper()
	if db.Engine().Name != "postgres" {
		index, err := vectors.New(vectors.Options{DB: db})
		must(t, err)
		return index
	}
	index, err := pgvector.New(pgvector.Options{DB: db})
	must(t, err)
	if err := index.Prepare(t.Context()); fault.HasCode(err, pgvector.Missing) {
		t.Skip("this PostgreSQL has no pgvector")
	} else {
		must(t, err)
	}
	return index
}

func eachWithVectors(t *testing.T, test func(t *testing.T, db *store.DB, index memory.Index)) {
	t.Helper()
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) { test(t, db, indexOf(t, db)) })
}

func (w *world) embed() {
	w.t.Helper()
	_, err := w.EmbedNow(w.t.Context())
	must(w.t, err)
}

func TestMeaning(t *testing.T) {
	eachWithVectors(t, func(t *testing.T, db *store.DB, index memory.Index) {
		w := newWorld(t, db, memory.Options{Index: index, Embedder: thesaurus{name: "one"}})
		w.add(w.anna, "The user's automobile is green")
		w.add(w.anna, "The user's physician is called Weber")
		w.add(w.anna, "The tomatoes grow behind the shed")
		w.add(w.bert, "The user's car is red")
		if got := first(w.find(w.anna, "tomatoes")); got == "" {
			t.Error("not found by words before it is embedded")
		}
		w.embed()
		for ask, want := range map[string]string{"my car": "The user's automobile is green", "doctor": "The user's physician is called Weber", "shed": "The tomatoes grow behind the shed"} {
			if got := first(w.find(w.anna, ask)); got != want {
				t.Errorf("%q found %q, want %q", ask, got, want)
			}
		}
		answer, err := w.Search(t.Context(), memory.Query{Workspace: w.anna.Workspace, User: w.anna.User, Text: "my car", Explain: true})
		must(t, err)
		if e := answer.Found[0].Explain; answer.Embedder != "one" || e.Cosine < 0.3 || e.ByMeaning != 1 || e.Weight != 0.5 {
			t.Errorf("embedder %q explains %+v", answer.Embedder, e)
		}
		facts, err := w.Facts(t.Context(), w.anna, memory.FactFilter{})
		must(t, err)
		for _, f := range facts.Data {
			must(t, w.Forget(t.Context(), w.anna, f.ID))
		}
		if got := w.find(w.anna, "my car"); len(got) != 0 {
			t.Errorf("found %v after all was forgotten", got)
		}
	})
}

func TestChangingTheEmbedder(t *testing.T) {
	eachWithVectors(t, func(t *testing.T, db *store.DB, index memory.Index) {
		ctx := t.Context()
		old, asked := thesaurus{name: "old"}, 0
		w := newWorld(t, db, memory.Options{Index: index, Embedder: old})
		w.add(w.anna, "The user's automobile is green")
		w.embed()
		fresh := thesaurus{name: "fresh", asked: &asked}
		next := newWorld(t, db, memory.Options{Index: index, Embedder: fresh, Former: func(name string) memory.Embedder {
			if name == old.name {
				return old
			}
			return nil
		}})
		next.anna = w.anna
		search := func() memory.Answer {
			answer, err := next.Search(ctx, memory.Query{Workspace: w.anna.Workspace, User: w.anna.User, Text: "car"})
			must(t, err)
			return answer
		}
		if got := search(); got.Embedder != "old" || len(got.Found) != 1 {
			t.Errorf("before: %q found %d", got.Embedder, len(got.Found))
		}
		next.embed()
		if got := search(); got.Embedder != "fresh" || len(got.Found) != 1 {
			t.Errorf("after: %q found %d", got.Embedder, len(got.Found))
		}
		if asked != 2 {
			t.Errorf("%d texts were embedded, want the fact and the question", asked)
		}
		sizes, err := index.Partitions(ctx, w.anna.Workspace)
		must(t, err)
		for _, s := range sizes {
			if s.Partition.Embedder != "fresh" && s.Vectors > 0 {
				t.Errorf("%d vectors of %s are left", s.Vectors, s.Partition.Embedder)
			}
		}
	})
}

func TestAnEmbedderThatFailsLeavesWords(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	index := indexOf(t, db)
	w := newWorld(t, db, memory.Options{Index: index, Embedder: thesaurus{name: "one"}})
	w.add(w.anna, "The tomatoes grow behind the shed")
	w.embed()
	broken := newWorld(t, db, memory.Options{Index: index, Embedder: thesaurus{name: "one", fail: errors.New("no model")}})
	answer, err := broken.Search(t.Context(), memory.Query{Workspace: w.anna.Workspace, User: w.anna.User, Text: "tomatoes"})
	must(t, err)
	if len(answer.Found) != 1 || answer.Degraded == "" || answer.Embedder != "" {
		t.Errorf("found %d by %q, degraded %q", len(answer.Found), answer.Embedder, answer.Degraded)
	}
	recalled, err := broken.Recall(t.Context(), memory.Query{Workspace: w.anna.Workspace, User: w.anna.User, Text: "tomatoes"})
	if err != nil || len(recalled) != 1 {
		t.Errorf("recalled %v, %v", recalled, err)
	}
}

func TestCopyVectors(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	one, two := storetest.SQLite(t), storetest.SQLite(t)
	asked := 0
	w := newWorld(t, one, memory.Options{Index: indexOf(t, one), Embedder: thesaurus{name: "one", asked: &asked}})
	for _, text := range []string{"The user's automobile is green", "The tomatoes grow behind the shed"} {
		w.add(w.anna, text)
	}
	w.embed()
	backup := t.TempDir() + "/all.fluxway-backup"
	_, err := one.Backup(ctx, store.BackupOptions{Path: backup})
	must(t, err)
	_, err = two.Restore(ctx, store.RestoreOptions{Path: backup})
	must(t, err)
	before := asked
	index := indexOf(t, two)
	must(t, two.InTx(ctx, func(tx *store.Tx) error { return index.Clear(ctx, tx, memory.Partition{Workspace: w.anna.Workspace}) })) // as from the other engine
	done, err := memory.CopyVectors(ctx, memory.Shelf{DB: one, Index: indexOf(t, one)}, memory.Shelf{DB: two, Index: index}, func(memory.Copied) {})
	must(t, err)
	if done.Vectors != 2 || done.Skipped != 0 {
		t.Errorf("copied %+v, want two", done)
	}
	there := newWorld(t, two, memory.Options{Index: index, Embedder: thesaurus{name: "one", asked: &asked}})
	if got := first(there.find(w.anna, "car")); got != "The user's automobile is green" || asked != before+1 {
		t.Errorf("found %q after embedding %d texts", got, asked-before)
	}
}

func TestLostVectorsAreMadeAnew(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	index := indexOf(t, db)
	w := newWorld(t, db, memory.Options{Index: index, Embedder: thesaurus{name: "one"}})
	w.add(w.anna, "The user's automobile is green")
	w.embed()
	must(t, db.InTx(t.Context(), func(tx *store.Tx) error {
		return index.Clear(t.Context(), tx, memory.Partition{Workspace: w.anna.Workspace})
	}))
	must(t, w.Reconcile(t.Context()))
	w.embed()
	if got := first(w.find(w.anna, "car")); got == "" {
		t.Error("not found by meaning again")
	}
}
