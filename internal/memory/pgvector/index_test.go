package pgvector_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/memory/memorytest"
	"github.com/fluxway/fluxway/internal/memory/pgvector"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func newIndex(t *testing.T) (*store.DB, *pgvector.Index) {
	t.Helper()
	db := storetest.Postgres(t)
	index, err := pgvector.New(pgvector.Options{DB: db, Large: 300})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // again is nothing new
		if err := index.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return db, index
}

func TestIndex(t *testing.T) {
	t.Parallel()
	memorytest.Index(t, func(t *testing.T) (*store.DB, memory.Index) { return newIndex(t) })
}

func TestTune(t *testing.T) {
	t.Parallel()
	db, index := newIndex(t)
	ws := ids.New[ids.Workspace]()
	large, small := memorytest.Part(ws, "fact/large"), memorytest.Part(ws, "fact/small")
	r := rand.New(rand.NewPCG(1, 1))
	var items []memory.Vector
	for i := range 600 {
		items = append(items, memory.Vector{ID: fmt.Sprintf("v%03d", i), Values: memorytest.Unit(r, 24)})
	}
	put := func(part memory.Partition, items ...memory.Vector) {
		t.Helper()
		if err := db.InTx(t.Context(), func(tx *store.Tx) error { return index.Put(t.Context(), tx, part, items...) }); err != nil {
			t.Fatal(err)
		}
	}
	put(large, items...)
	put(small, items[:10]...)
	for _, want := range []int{1, 0} {
		if n, err := index.Tune(t.Context()); err != nil || n != want {
			t.Fatalf("Tune = %d, %v, want %d", n, err, want)
		}
	}
	if n, err := store.One[int](t.Context(), db.Read(), `SELECT count(*) FROM pg_class WHERE relname = 'memory_pgvectors_p1'`); err != nil || n != 1 {
		t.Errorf("there are %d graphs, want 1 (%v)", n, err)
	}
	put(large, memory.Vector{ID: "late", Values: memorytest.Unit(r, 24)})
	hits := 0
	for range 20 {
		q := memorytest.Unit(r, 24)
		slices.SortFunc(items, func(a, b memory.Vector) int {
			return map[bool]int{true: -1, false: 1}[memorytest.Cosine(q, a.Values) > memorytest.Cosine(q, b.Values)]
		})
		found, err := index.Search(t.Context(), memory.VectorQuery{Partitions: []memory.Partition{large, small}, Vector: q, Limit: 5,
			Allow: func(id string) bool { return id != "late" }})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range items[:5] {
			if slices.ContainsFunc(found, func(m memory.Match) bool { return m.ID == want.ID }) {
				hits++
			}
		}
	}
	if hits < 75 { // both partitions answer, so the better half of the large one is seen
		t.Errorf("%d of 100 nearest were found with a graph", hits)
	}
	found, err := index.Search(t.Context(), memory.VectorQuery{Partitions: []memory.Partition{large}, Vector: items[0].Values, Limit: 600})
	if err != nil || len(found) < 590 {
		t.Errorf("a search for all found %d (%v)", len(found), err)
	}
	if err := db.InTx(t.Context(), func(tx *store.Tx) error { return index.Clear(t.Context(), tx, memory.Partition{Workspace: ws}) }); err != nil {
		t.Fatal(err)
	}
	if n, err := store.One[int](t.Context(), db.Read(), `SELECT count(*) FROM pg_class WHERE relname LIKE 'memory_pgvectors_p%' AND relname <> 'memory_pgvectors_pkey'`); err != nil || n != 0 {
		t.Errorf("%d graphs are left (%v)", n, err)
	}
}
