package vectors_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/memory/memorytest"
	"github.com/fluxway/fluxway/internal/memory/vectors"
	"github.com/fluxway/fluxway/internal/store"
)

const size = 128

// crowd makes vectors that gather around some places, as texts do.
func crowd(r *rand.Rand, n int) [][]float32 {
	same := rand.New(rand.NewPCG(7, 7))
	places := make([][]float32, 200)
	for i := range places {
		places[i] = memorytest.Unit(same, size)
	}
	all := make([][]float32, n)
	for i := range all {
		v, place := memorytest.Unit(r, size), places[r.IntN(len(places))]
		for j := range v {
			v[j] = 0.7*v[j] + place[j] + 0.1 // all have something in common
		}
		all[i] = normal(v)
	}
	return all
}

func normal(v []float32) []float32 {
	by := 1 / sqrt(memorytest.Cosine(v, v))
	for i := range v {
		v[i] *= by
	}
	return v
}

// grown is a partition past the size where codes are used.
type grown struct {
	*testing.T
	db    *store.DB
	index memory.Index
	part  memory.Partition
	all   map[string][]float32
}

func grow(t *testing.T, n int) *grown {
	t.Helper()
	db, index := newIndex(t)
	g := &grown{t, db, index, memorytest.Part(ids.New[ids.Workspace](), "fact/a"), map[string][]float32{}}
	r := rand.New(rand.NewPCG(1, 2))
	var items []memory.Vector
	for i, v := range crowd(r, n) {
		id := fmt.Sprintf("v%05d", i)
		g.all[id] = v
		items = append(items, memory.Vector{ID: id, Values: v})
	}
	for batch := range slices.Chunk(items, 700) {
		g.change(func(ctx context.Context, tx *store.Tx) error { return index.Put(ctx, tx, g.part, batch...) })
	}
	return g
}

func (g *grown) change(change func(ctx context.Context, tx *store.Tx) error) {
	g.Helper()
	if err := g.db.InTx(g.Context(), func(tx *store.Tx) error { return change(g.Context(), tx) }); err != nil {
		g.Fatal(err)
	}
}

// recall compares the index with a plain list.
func (g *grown) recall(index memory.Index, limit int) float64 {
	g.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	hits, wanted := 0, 0
	for _, q := range crowd(r, 5) {
		best := nearest(g.all, q, limit)
		found, err := index.Search(g.Context(), memory.VectorQuery{Partitions: []memory.Partition{g.part}, Vector: q, Limit: limit})
		if err != nil {
			g.Fatal(err)
		}
		if len(found) != limit {
			g.Fatalf("found %d, want %d", len(found), limit)
		}
		for _, m := range found {
			if _, ok := g.all[m.ID]; !ok {
				g.Fatalf("%s was found, and is not there", m.ID)
			}
		}
		for _, id := range best {
			wanted++
			if slices.ContainsFunc(found, func(m memory.Match) bool { return m.ID == id }) {
				hits++
			}
		}
	}
	return float64(hits) / float64(wanted)
}

// nearest is what a search should find.
func nearest(all map[string][]float32, q []float32, limit int) []string {
	type ranked struct {
		id    string
		score float32
	}
	var best []ranked
	for id, v := range all {
		score := memorytest.Cosine(q, v)
		if len(best) == limit && score <= best[limit-1].score {
			continue
		}
		at := slices.IndexFunc(best, func(b ranked) bool { return b.score < score })
		if at < 0 {
			at = len(best)
		}
		best = slices.Insert(best, at, ranked{id, score})
		best = best[:min(len(best), limit)]
	}
	var names []string
	for _, b := range best {
		names = append(names, b.id)
	}
	return names
}

func (g *grown) check(when string) {
	g.Helper()
	fresh, err := vectors.New(vectors.Options{DB: g.db})
	if err != nil {
		g.Fatal(err)
	}
	if got := g.recall(g.index, 10); got < 0.98 {
		g.Errorf("%s: recall@10 = %.3f, want at least 0.98", when, got)
	}
	if got := g.recall(fresh, 10); got < 0.98 {
		g.Errorf("%s, after a new start: recall@10 = %.3f, want at least 0.98", when, got)
	}
}

func TestLargePartition(t *testing.T) {
	t.Parallel()
	g := grow(t, 10_000)
	g.check("held whole")

	r := rand.New(rand.NewPCG(5, 6))
	for i, v := range crowd(r, 3000) {
		id := fmt.Sprintf("w%05d", i)
		g.all[id] = v
		if i%100 == 0 { // some alone, most together
			g.change(func(ctx context.Context, tx *store.Tx) error {
				return g.index.Put(ctx, tx, g.part, memory.Vector{ID: id, Values: v})
			})
		}
	}
	var rest []memory.Vector
	for id, v := range g.all {
		if id[0] == 'w' {
			rest = append(rest, memory.Vector{ID: id, Values: v})
		}
	}
	g.change(func(ctx context.Context, tx *store.Tx) error { return g.index.Put(ctx, tx, g.part, rest...) })
	if n, err := store.One[int](t.Context(), g.db.Read(), `SELECT count(*) FROM memory_vector_blocks`); err != nil || n == 0 {
		t.Fatalf("a partition of 13,000 has %d blocks (%v)", n, err)
	}
	g.check("with codes")

	// Take most of the first blocks away, so that they are written again.
	var gone []string
	for id := range g.all {
		if id < "v03000" && r.IntN(10) < 8 {
			gone = append(gone, id)
			delete(g.all, id)
		}
	}
	for batch := range slices.Chunk(gone, 100) {
		g.change(func(ctx context.Context, tx *store.Tx) error { return g.index.Delete(ctx, tx, g.part, batch...) })
	}
	g.check("with holes")
	if n, err := store.One[int](t.Context(), g.db.Read(), `SELECT count(*) FROM memory_vector_holes`); err != nil || n >= len(gone) {
		t.Errorf("%d of %d holes are left: no block was written again (%v)", n, len(gone), err)
	}

	allowed := func(id string) bool { return id >= "w02900" }
	found, err := g.index.Search(t.Context(), memory.VectorQuery{Partitions: []memory.Partition{g.part}, Vector: crowd(r, 1)[0], Limit: 20, Allow: allowed})
	if err != nil || len(found) != 20 || slices.ContainsFunc(found, func(m memory.Match) bool { return !allowed(m.ID) }) {
		t.Errorf("a filter that leaves 100 of 10,000 found %d (%v)", len(found), err)
	}
}

// TestReadingMeetsCommits reads a partition into memory while it changes.
func TestReadingMeetsCommits(t *testing.T) {
	t.Parallel()
	g := grow(t, 11_000)
	done := make(chan struct{})
	go func() {
		defer close(done)
		r := rand.New(rand.NewPCG(8, 9))
		for i, v := range crowd(r, 100) {
			id := fmt.Sprintf("x%05d", i)
			err := g.db.InTx(t.Context(), func(tx *store.Tx) error {
				if i%2 == 1 {
					if err := g.index.Delete(t.Context(), tx, g.part, fmt.Sprintf("v%05d", i)); err != nil {
						return err
					}
				}
				return g.index.Put(t.Context(), tx, g.part, memory.Vector{ID: id, Values: v})
			})
			if err != nil {
				t.Error(err)
				return
			}
			g.all[id] = v
			if i%2 == 1 {
				delete(g.all, fmt.Sprintf("v%05d", i))
			}
		}
	}()
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		// Hold next to nothing, so that every search reads the partition anew.
		fresh, err := vectors.New(vectors.Options{DB: g.db})
		if err != nil {
			t.Fatal(err)
		}
		for _, index := range []memory.Index{fresh, g.index} {
			if _, err := index.Search(t.Context(), memory.VectorQuery{Partitions: []memory.Partition{g.part}, Vector: make([]float32, size), Limit: 3}); err != nil {
				t.Fatal(err)
			}
		}
	}
	g.check("after commits during searches")
	found, err := g.index.Search(t.Context(), memory.VectorQuery{Partitions: []memory.Partition{g.part}, Vector: g.all["x00099"], Limit: 1})
	if err != nil || len(found) != 1 || found[0].ID != "x00099" {
		t.Errorf("the last vector put finds %+v (%v)", found, err)
	}
}

func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }
