package memorytest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/store"
)

// Embedder is the name the suite files its vectors under.
const Embedder = "test/1"

// Index runs the suite. make answers an index over a fresh database.
func Index(t *testing.T, make func(t *testing.T) (*store.DB, memory.Index)) {
	for name, test := range map[string]func(*fixture){
		"the nearest come first, with their cosine":     nearestFirst,
		"a commit is found at once, a rollback never":   atOnce,
		"a vector of the same id is replaced":           replaced,
		"a deleted vector is gone at once":              deleted,
		"partitions never meet":                         isolated,
		"a filter is served from what it leaves":        filtered,
		"clearing removes what it names and no more":    cleared,
		"a walk sees every vector in the order of ids":  walked,
		"vectors that do not fit are refused":           refused,
		"an index agrees with a plain list":             agrees,
		"readers and writers do not disturb each other": together,
		"nothing is found where nothing was put":        nothing,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, index := make(t)
			test(&fixture{t, db, index})
		})
	}
}

type fixture struct {
	*testing.T
	db    *store.DB
	index memory.Index
}

// Part names a partition for tests.
func Part(ws ids.Workspace, scope string) memory.Partition {
	return memory.Partition{Workspace: ws, Scope: scope, Embedder: Embedder}
}

// Unit makes a vector of length one that points somewhere at random.
func Unit(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	var squares float64
	for i := range v {
		x := r.NormFloat64()
		v[i] = float32(x)
		squares += x * x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(squares))
	}
	return v
}

// Cosine is the exact score.
func Cosine(a, b []float32) float32 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return float32(sum)
}

const dimensions = 32

func (f *fixture) change(change func(ctx context.Context, tx *store.Tx) error) {
	f.Helper()
	if err := f.db.InTx(f.Context(), func(tx *store.Tx) error { return change(f.Context(), tx) }); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) put(part memory.Partition, items ...memory.Vector) {
	f.Helper()
	f.change(func(ctx context.Context, tx *store.Tx) error { return f.index.Put(ctx, tx, part, items...) })
}

func (f *fixture) search(q memory.VectorQuery) []memory.Match {
	f.Helper()
	found, err := f.index.Search(f.Context(), q)
	if err != nil {
		f.Fatal(err)
	}
	return found
}

func (f *fixture) ids(q memory.VectorQuery) []string {
	f.Helper()
	var all []string
	for _, m := range f.search(q) {
		all = append(all, m.ID)
	}
	return all
}

func (f *fixture) want(got []string, want ...string) {
	f.Helper()
	if !slices.Equal(got, want) {
		f.Errorf("found %v, want %v", got, want)
	}
}

// axis is a unit vector along one axis, turned a little towards the next.
func axis(i int, turn float64) []float32 {
	v := make([]float32, dimensions)
	v[i], v[(i+1)%dimensions] = float32(math.Cos(turn)), float32(math.Sin(turn))
	return v
}

func nearestFirst(f *fixture) {
	part := Part(ids.New[ids.Workspace](), "fact/a")
	r := rand.New(rand.NewPCG(1, 1))
	var items []memory.Vector
	for i := range 500 {
		items = append(items, memory.Vector{ID: fmt.Sprintf("v%03d", i), Values: Unit(r, dimensions)})
	}
	f.put(part, items...)
	for range 20 {
		q := Unit(r, dimensions)
		slices.SortFunc(items, func(a, b memory.Vector) int {
			return map[bool]int{true: -1, false: 1}[Cosine(q, a.Values) > Cosine(q, b.Values)]
		})
		found := f.search(memory.VectorQuery{Partitions: []memory.Partition{part}, Vector: q, Limit: 10})
		if len(found) != 10 {
			f.Fatalf("found %d, want 10", len(found))
		}
		for i, m := range found {
			want := Cosine(q, items[i].Values)
			if d := math.Abs(float64(m.Score - want)); d > 0.001 || m.Partition != part {
				f.Errorf("match %d is %+v with a score of %.5f, want %s with %.5f", i, m, m.Score, items[i].ID, want)
			}
		}
	}
}

func atOnce(f *fixture) {
	part := Part(ids.New[ids.Workspace](), "fact/a")
	q := memory.VectorQuery{Partitions: []memory.Partition{part}, Vector: axis(0, 0), Limit: 5}
	f.want(f.ids(q))
	f.put(part, memory.Vector{ID: "a", Values: axis(0, 0.1)})
	f.want(f.ids(q), "a")
	failure := errors.New("no")
	err := f.db.InTx(f.Context(), func(tx *store.Tx) error {
		if err := f.index.Put(f.Context(), tx, part, memory.Vector{ID: "b", Values: axis(0, 0)}); err != nil {
			return err
		}
		if err := f.index.Delete(f.Context(), tx, part, "a"); err != nil {
			return err
		}
		return failure
	})
	if !errors.Is(err, failure) {
		f.Fatal(err)
	}
	f.want(f.ids(q), "a")
	f.change(func(ctx context.Context, tx *store.Tx) error {
		if err := f.index.Put(ctx, tx, part, memory.Vector{ID: "c", Values: axis(0, 0)}); err != nil {
			return err
		}
		return f.index.Delete(ctx, tx, part, "c")
	})
	f.want(f.ids(q), "a")
}

func replaced(f *fixture) {
	part := Part(ids.New[ids.Workspace](), "fact/a")
	f.put(part, memory.Vector{ID: "a", Values: axis(0, 0)}, memory.Vector{ID: "b", Values: axis(5, 0)})
	f.put(part, memory.Vector{ID: "a", Values: axis(9, 0)})
	f.want(f.ids(memory.VectorQuery{Partitions: []memory.Partition{part}, Vector: axis(9, 0), Limit: 1}), "a")
	found := f.search(memory.VectorQuery{Partitions: []memory.Partition{part}, Vector: axis(0, 0), Limit: 9})
	if len(found) != 2 || found[0].Score > 0.01 {
		f.Errorf("after a was replaced its old place finds %+v", found)
	}
	f.put(part, memory.Vector{ID: "c", Values: axis(1, 0)}, memory.Vector{ID: "c", Values: axis(3, 0)})
	f.want(f.ids(memory.VectorQuery{Partitions: []memory.Partition{part}, Vector: axis(3, 0), Limit: 1}), "c")
	f.want(f.ids(memory.VectorQuery{Partitions: []memory.Partition{part}, Vector: axis(3, 0), Limit: 9}), "c", "a", "b")
}

func deleted(f *fixture) {
	part := Part(ids.New[ids.Workspace](), "fact/a")
	other := part
	other.Embedder = "test/2"
	q := memory.VectorQuery{Partitions: []memory.Partition{part}, Vector: axis(0, 0), Limit: 5}
	f.put(part, memory.Vector{ID: "a", Values: axis(0, 0)}, memory.Vector{ID: "b", Values: axis(0, 0.3)})
	f.put(other, memory.Vector{ID: "a", Values: axis(0, 0)})
	f.want(f.ids(q), "a", "b")
	f.change(func(ctx context.Context, tx *store.Tx) error { return f.index.Delete(ctx, tx, part, "a", "unknown") })
	f.want(f.ids(q), "b")
	q.Partitions = []memory.Partition{other}
	f.want(f.ids(q), "a")
	every := part
	every.Embedder = ""
	f.put(part, memory.Vector{ID: "a", Values: axis(0, 0)})
	f.change(func(ctx context.Context, tx *store.Tx) error { return f.index.Delete(ctx, tx, every, "a") })
	f.want(f.ids(q))
	q.Partitions = []memory.Partition{part}
	f.want(f.ids(q), "b")
}

func isolated(f *fixture) {
	one, two := ids.New[ids.Workspace](), ids.New[ids.Workspace]()
	parts := []memory.Partition{Part(one, "fact/a"), Part(one, "fact/b"), Part(two, "fact/a"), {Workspace: one, Scope: "fact/a", Embedder: "test/2"}}
	for i, part := range parts {
		f.put(part, memory.Vector{ID: fmt.Sprint(i), Values: axis(0, 0.1*float64(i))})
	}
	for i, part := range parts {
		f.want(f.ids(memory.VectorQuery{Partitions: []memory.Partition{part}, Vector: axis(0, 0), Limit: 9}), fmt.Sprint(i))
	}
	f.want(f.ids(memory.VectorQuery{Partitions: []memory.Partition{parts[1], parts[0], parts[1]}, Vector: axis(0, 0), Limit: 9}), "0", "1")
	if _, err := f.index.Search(f.Context(), memory.VectorQuery{Partitions: []memory.Partition{parts[0], parts[3]}, Vector: axis(0, 0), Limit: 9}); err == nil {
		f.Error("vectors of two embedders were compared")
	}
}

func filtered(f *fixture) {
	part := Part(ids.New[ids.Workspace](), "fact/a")
	var items []memory.Vector
	for i := range 300 {
		items = append(items, memory.Vector{ID: fmt.Sprintf("v%03d", i), Values: axis(0, 0.004*float64(i))})
	}
	f.put(part, items...)
	q := memory.VectorQuery{Partitions: []memory.Partition{part}, Vector: axis(0, 0), Limit: 2, Only: []string{"v200", "v100", "v250", "missing"}}
	f.want(f.ids(q), "v100", "v200")
	q.Only, q.Allow = nil, func(id string) bool { return id >= "v260" }
	f.want(f.ids(q), "v260", "v261")
	q.Only = []string{"v299", "v001"}
	f.want(f.ids(q), "v299")
	q.Only, q.Allow = []string{}, nil
	f.want(f.ids(q))
}

func cleared(f *fixture) {
	one, two := ids.New[ids.Workspace](), ids.New[ids.Workspace]()
	a, b, c := Part(one, "fact/a"), Part(one, "fact/b"), Part(two, "fact/a")
	a2 := a
	a2.Embedder = "test/2"
	fill := func() {
		for _, part := range []memory.Partition{a, a2, b, c} {
			f.put(part, memory.Vector{ID: "x", Values: axis(0, 0)})
		}
	}
	check := func(clear memory.Partition, left ...memory.Partition) {
		f.Helper()
		fill()
		f.change(func(ctx context.Context, tx *store.Tx) error { return f.index.Clear(ctx, tx, clear) })
		for _, part := range []memory.Partition{a, a2, b, c} {
			n := len(f.ids(memory.VectorQuery{Partitions: []memory.Partition{part}, Vector: axis(0, 0), Limit: 9}))
			if want := slices.Contains(left, part); (n == 1) != want {
				f.Errorf("after clearing %+v there are %d in %+v", clear, n, part)
			}
		}
	}
	check(a, a2, b, c)
	check(memory.Partition{Workspace: one, Scope: "fact/a"}, b, c)
	check(memory.Partition{Workspace: one}, c)
	fill()
	sizes, err := f.index.Partitions(f.Context(), one)
	if err != nil || len(sizes) != 3 || sizes[0] != (memory.PartitionSize{Partition: a, Vectors: 1}) {
		f.Errorf("partitions = %+v, %v", sizes, err)
	}
}

func walked(f *fixture) {
	part := Part(ids.New[ids.Workspace](), "fact/a")
	var items []memory.Vector
	for i := range 1100 {
		items = append(items, memory.Vector{ID: fmt.Sprintf("v%04d", (i*7)%1100), Values: axis(i%dimensions, 0.2)})
	}
	f.put(part, items...)
	walk := func(after string) (all []string) {
		for v, err := range f.index.Vectors(f.Context(), part, after) {
			if err != nil {
				f.Fatal(err)
			}
			all = append(all, v.ID)
			var n int
			if _, err := fmt.Sscanf(v.ID, "v%d", &n); err != nil {
				f.Fatal(err)
			}
			i := slices.IndexFunc(items, func(x memory.Vector) bool { return x.ID == v.ID })
			if cos := Cosine(v.Values, items[i].Values); cos < 0.9999 {
				f.Fatalf("the vector of %s came back with a cosine of %f", v.ID, cos)
			}
		}
		return all
	}
	all := walk("")
	if len(all) != 1100 || !slices.IsSorted(all) {
		f.Errorf("walked over %d, sorted: %v", len(all), slices.IsSorted(all))
	}
	if rest := walk("v1090"); len(rest) != 9 || rest[0] != "v1091" {
		f.Errorf("the walk after v1090 saw %v", rest)
	}
}

func refused(f *fixture) {
	ws := ids.New[ids.Workspace]()
	part := Part(ws, "fact/a")
	f.put(part, memory.Vector{ID: "a", Values: axis(0, 0)})
	for name, try := range map[string]func(ctx context.Context, tx *store.Tx) error{
		"a vector of another size": func(ctx context.Context, tx *store.Tx) error {
			return f.index.Put(ctx, tx, part, memory.Vector{ID: "b", Values: []float32{1, 0}})
		},
		"no workspace": func(ctx context.Context, tx *store.Tx) error {
			return f.index.Put(ctx, tx, Part("", "fact/a"), memory.Vector{ID: "b", Values: axis(0, 0)})
		},
		"no scope": func(ctx context.Context, tx *store.Tx) error {
			return f.index.Put(ctx, tx, Part(ws, ""), memory.Vector{ID: "b", Values: axis(0, 0)})
		},
		"clearing everything": func(ctx context.Context, tx *store.Tx) error {
			return f.index.Clear(ctx, tx, memory.Partition{})
		},
	} {
		if err := f.db.InTx(f.Context(), func(tx *store.Tx) error { return try(f.Context(), tx) }); err == nil {
			f.Errorf("%s was accepted", name)
		}
	}
	if _, err := f.index.Search(f.Context(), memory.VectorQuery{Partitions: []memory.Partition{part}, Vector: []float32{1}, Limit: 1}); err == nil {
		f.Error("a question of another size was answered")
	}
	f.want(f.ids(memory.VectorQuery{Partitions: []memory.Partition{part}, Vector: axis(0, 0), Limit: 9}), "a")
}

func nothing(f *fixture) {
	part := Part(ids.New[ids.Workspace](), "fact/a")
	f.want(f.ids(memory.VectorQuery{Partitions: []memory.Partition{part}, Vector: axis(0, 0), Limit: 9}))
	f.want(f.ids(memory.VectorQuery{Vector: axis(0, 0), Limit: 9}))
	f.put(part)
	f.want(f.ids(memory.VectorQuery{Partitions: []memory.Partition{part}, Vector: axis(0, 0), Limit: 0}))
	f.change(func(ctx context.Context, tx *store.Tx) error { return f.index.Delete(ctx, tx, part, "x") })
	for range f.index.Vectors(f.Context(), part, "") {
		f.Error("a partition that is not there has a vector")
	}
}

// agrees makes random changes to an index and to a map, and compares them.
func agrees(f *fixture) {
	one, two := ids.New[ids.Workspace](), ids.New[ids.Workspace]()
	parts := []memory.Partition{Part(one, "fact/a"), Part(one, "fact/b"), Part(two, "fact/a")}
	rapid.Check(f.T, func(t *rapid.T) {
		model := map[memory.Partition]map[string][]float32{}
		for _, part := range parts {
			model[part] = map[string][]float32{}
			f.change(func(ctx context.Context, tx *store.Tx) error { return f.index.Clear(ctx, tx, part) })
		}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			part := rapid.SampledFrom(parts).Draw(t, "part")
			id := rapid.StringMatching(`[a-f]`).Draw(t, "id")
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				f.change(func(ctx context.Context, tx *store.Tx) error { return f.index.Delete(ctx, tx, part, id) })
				delete(model[part], id)
			case 1:
				asked := rapid.SliceOfNDistinct(rapid.SampledFrom(parts), 1, 3, func(p memory.Partition) memory.Partition { return p }).Draw(t, "asked")
				f.compare(asked, model, Unit(r, dimensions))
			default:
				v := Unit(r, dimensions)
				f.put(part, memory.Vector{ID: id, Values: v})
				model[part][id] = v
			}
		}
		f.compare(parts, model, Unit(r, dimensions))
	})
}

func (f *fixture) compare(asked []memory.Partition, model map[memory.Partition]map[string][]float32, q []float32) {
	f.Helper()
	found := f.search(memory.VectorQuery{Partitions: asked, Vector: q, Limit: 100})
	want := 0
	for _, part := range asked {
		want += len(model[part])
	}
	if len(found) != want {
		f.Fatalf("found %d, want %d", len(found), want)
	}
	for i, m := range found {
		v, ok := model[m.Partition][m.ID]
		if !ok || !slices.Contains(asked, m.Partition) {
			f.Fatalf("found %+v, which is not there", m)
		}
		if d := math.Abs(float64(m.Score - Cosine(q, v))); d > 0.001 {
			f.Fatalf("%+v scored %f, want %f", m, m.Score, Cosine(q, v))
		}
		if i > 0 && m.Score > found[i-1].Score {
			f.Fatalf("match %d is better than the one before", i)
		}
	}
}

// together has writers and readers work on one partition; the race detector looks on.
func together(f *fixture) {
	part := Part(ids.New[ids.Workspace](), "fact/a")
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 7))
			for i := range 60 {
				id := fmt.Sprintf("w%d-%d", w, i)
				err := f.db.InTx(f.Context(), func(tx *store.Tx) error {
					if i%3 == 2 {
						return f.index.Delete(f.Context(), tx, part, fmt.Sprintf("w%d-%d", w, i-1))
					}
					return f.index.Put(f.Context(), tx, part, memory.Vector{ID: id, Values: Unit(r, dimensions)})
				})
				if err != nil {
					f.Error(err)
					return
				}
				if i%3 == 2 {
					continue
				}
				only, err := f.index.Search(f.Context(), memory.VectorQuery{Partitions: []memory.Partition{part}, Vector: axis(0, 0), Limit: 1000})
				if err != nil || !slices.ContainsFunc(only, func(m memory.Match) bool { return m.ID == id }) {
					f.Errorf("%s is not found right after its commit (%v)", id, err)
					return
				}
			}
		})
	}
	wg.Wait()
	if n := len(f.ids(memory.VectorQuery{Partitions: []memory.Partition{part}, Vector: axis(0, 0), Limit: 1000})); n != 60 {
		f.Errorf("%d are left, want 60", n)
	}
}
