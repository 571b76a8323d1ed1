package memory_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/memory/lsi"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// growing is an embedder during whose work more texts come.
type growing struct {
	*lsi.Embedder
	grow func()
}

func (g *growing) EmbedFor(ctx context.Context, o memory.Owner, texts []string, kind memory.TextKind) ([][]float32, error) {
	if grow := g.grow; grow != nil {
		g.grow = nil
		grow()
	}
	return g.Embedder.EmbedFor(ctx, o, texts, kind)
}

// TestLearningWhatCameMeanwhile has texts come while the first few are embedded: they are learned from without waiting for more.
func TestLearningWhatCameMeanwhile(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	e, err := lsi.New(lsi.Options{DB: db})
	must(t, err)
	g := &growing{Embedder: e}
	w := newWorld(t, db, memory.Options{Index: indexOf(t, db), Embedder: g, Former: e.Version})
	w.add(w.anna, "The first boat has a sail and a mast")
	g.grow = func() {
		var list []memory.NewFact
		for i := range 60 {
			list = append(list, memory.NewFact{Scope: memory.Scope{User: w.anna.User}, Text: fmt.Sprintf("Boat number %d has a sail and a mast", i)})
		}
		_, _, err := w.AddMany(t.Context(), w.anna, list)
		must(t, err)
	}
	w.embed()
	answer, err := w.Search(t.Context(), memory.Query{Workspace: w.anna.Workspace, User: w.anna.User, Text: "sail"})
	must(t, err)
	if answer.Embedder != "lsi-128-own/1" {
		t.Errorf("%q answers", answer.Embedder)
	}
}

// TestWithoutAModel has words get their meaning from the texts they stand in, and learn anew as those grow.
func TestWithoutAModel(t *testing.T) {
	eachWithVectors(t, func(t *testing.T, db *store.DB, index memory.Index) {
		e, err := lsi.New(lsi.Options{DB: db})
		must(t, err)
		w := newWorld(t, db, memory.Options{Index: index, Embedder: e, Former: e.Version})
		grow := func(from, to int) {
			var list []memory.NewFact
			for i := from; i < to; i++ {
				kind := []string{"automobile", "car", "tomato", "cabbage"}[i%4]
				list = append(list, memory.NewFact{Text: fmt.Sprintf("The %s number %d has %s", kind, i, []string{"an engine, four wheels and fuel", "soil, rain and a harvest"}[i%4/2])})
			}
			_, _, err := w.AddMany(t.Context(), w.anna, list)
			must(t, err)
		}
		ask := func(text string) memory.Answer {
			answer, err := w.Search(t.Context(), memory.Query{Workspace: w.anna.Workspace, User: w.anna.User, Text: text, Limit: 100})
			must(t, err)
			return answer
		}
		grow(0, 80)
		w.embed()
		got := ask("automobile")
		if got.Embedder != "lsi-128-own/1" || len(got.Found) < 25 {
			t.Errorf("%s found %d: a car is no automobile", got.Embedder, len(got.Found))
		}
		for i, f := range got.Found {
			if i < 20 && f.Text[:14] != "The automobile" {
				t.Errorf("at %d stands %q, before those that say automobile", i, f.Text)
			}
		}
		grow(80, 85)
		w.embed()
		if got := ask("automobile"); got.Embedder != "lsi-128-own/1" {
			t.Errorf("a few texts more made %s of it", got.Embedder)
		}
		grow(85, 120)
		if got := ask("automobile"); got.Embedder != "lsi-128-own/1" || len(got.Found) < 25 {
			t.Errorf("%s found %d before all is embedded anew", got.Embedder, len(got.Found))
		}
		w.embed()
		if got := ask("automobile"); got.Embedder != "lsi-128-own/2" || len(got.Found) < 25 {
			t.Errorf("%s found %d", got.Embedder, len(got.Found))
		}
		sizes, err := index.Partitions(t.Context(), w.anna.Workspace)
		must(t, err)
		for _, s := range sizes {
			if s.Partition.Embedder != "lsi-128-own/2" && s.Vectors > 0 {
				t.Errorf("%d vectors of %s are left", s.Vectors, s.Partition.Embedder)
			}
		}
	})
}
