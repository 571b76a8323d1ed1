package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/memory/gte"
	"github.com/fluxway/fluxway/internal/memory/pgvector"
	"github.com/fluxway/fluxway/internal/memory/vectors"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/postgres"
	"github.com/fluxway/fluxway/internal/store/sqlite"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// The bars of memory, in CPU time on one core and 384 dimensions.
const (
	searchSmall  = 2.0  // milliseconds, up to 100,000 vectors
	searchLarge  = 15.0 // milliseconds, a million
	insertOne    = 20.0 // microseconds
	recallAtTen  = 0.98
	vectorLength = 384
)

// memoryLane measures the index of the SQLite file beside a plain loop over all
// vectors, and beside pgvector on a throwaway server where there is one.
func memoryLane(ctx context.Context, b *bench) error {
	sizes := []int{10_000, 100_000}
	if b.quick {
		sizes = []int{2_000, 20_000}
	}
	if b.million {
		sizes = []int{1_000_000}
	}
	for _, n := range sizes {
		if err := measureIndex(ctx, b, n); err != nil {
			return err
		}
		if err := measureMind(ctx, b, n); err != nil {
			return err
		}
	}
	return measureEmbedder(ctx, b)
}

// measureIndex fills a fresh index with n vectors and asks it.
func measureIndex(ctx context.Context, b *bench, n int) error {
	engine, err := sqlite.Open(b.benchFile())
	if err != nil {
		return err
	}
	db, err := store.New(store.Options{Engine: engine})
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.Migrate(ctx); err != nil {
		return err
	}
	index, err := vectors.New(vectors.Options{DB: db})
	if err != nil {
		return err
	}
	texts := newTopics(n)
	before, err := db.Engine().Size(ctx)
	if err != nil {
		return err
	}
	filled, err := fillIndex(ctx, db, index, texts, n)
	if err != nil {
		return err
	}
	name := thousands(n)
	b.limit(fmt.Sprintf("CPU per insert, %s", name), "µs", filled.perOp(), 0, insertOne)
	b.show(fmt.Sprintf("inserts/s, %s", name), "/s", filled.perSecond(), 0)
	after, err := db.Engine().Size(ctx)
	if err != nil {
		return err
	}
	b.show(fmt.Sprintf("disk per vector, %s", name), "B", float64(after-before)/float64(n), 4*vectorLength)

	questions := make([][]float32, 50)
	for i := range questions {
		questions[i] = texts.question(i)
	}
	truth, brute := bruteForce(texts, n, questions)
	fresh, err := vectors.New(vectors.Options{DB: db}) // as after a restart
	if err != nil {
		return err
	}
	heap := heapNow()
	first, err := askIndex(ctx, fresh, questions[:1], nil)
	if err != nil {
		return err
	}
	b.show(fmt.Sprintf("first search after a restart, %s", name), "ms", first.cpu[0], 0)
	b.show(fmt.Sprintf("memory per vector, %s", name), "B", float64(heapNow()-heap)/float64(n), 4*vectorLength)
	asked, err := askIndex(ctx, fresh, questions, truth)
	if err != nil {
		return err
	}
	runtime.KeepAlive(fresh)
	bar := searchSmall
	if n > 100_000 {
		bar = searchLarge
	}
	b.limit(fmt.Sprintf("CPU per search, %s", name), "ms", median(asked.cpu), median(brute), bar)
	b.show(fmt.Sprintf("search p50, %s", name), "ms", percentile(asked.wall, 50), 0)
	b.show(fmt.Sprintf("search p99, %s", name), "ms", percentile(asked.wall, 99), 0)
	b.atLeast(fmt.Sprintf("recall@10, %s", name), "of exact", asked.recall, recallAtTen)
	return besidePgvector(ctx, b, name, texts, n, questions, truth)
}

var benchPart = memory.Partition{Workspace: ids.New[ids.Workspace](), Scope: "fact/bench", Embedder: "bench/1"}

func benchID(i int) string { return fmt.Sprintf("fact_%026d", i) }

// fillIndex puts vectors in, 500 to a commit.
func fillIndex(ctx context.Context, db *store.DB, index memory.Index, texts *topics, n int) (sample, error) {
	var s sample
	for first := 0; first < n; first += 500 {
		items := make([]memory.Vector, min(500, n-first))
		for i := range items {
			items[i] = memory.Vector{ID: benchID(first + i), Values: texts.vector(first + i)}
		}
		began, cpu := time.Now(), ownCPU()
		err := db.InTx(ctx, func(tx *store.Tx) error { return index.Put(ctx, tx, benchPart, items...) })
		if err != nil {
			return s, err
		}
		s.ops, s.cpu, s.wall = s.ops+float64(len(items)), s.cpu+ownCPU()-cpu, s.wall+time.Since(began)
	}
	return s, nil
}

// answers are what asking gave: milliseconds of CPU and by the clock, and recall.
type answers struct {
	cpu, wall []float64
	recall    float64
}

func askIndex(ctx context.Context, index memory.Index, questions [][]float32, truth [][]string) (a answers, err error) {
	hits := 0
	for i, q := range questions {
		began, cpu := time.Now(), ownCPU()
		found, err := index.Search(ctx, memory.VectorQuery{Partitions: []memory.Partition{benchPart}, Vector: q, Limit: 10})
		if err != nil {
			return a, err
		}
		a.cpu = append(a.cpu, (ownCPU()-cpu).Seconds()*1000)
		a.wall = append(a.wall, time.Since(began).Seconds()*1000)
		if truth == nil {
			continue
		}
		for _, m := range found {
			if slices.Contains(truth[i], m.ID) {
				hits++
			}
		}
	}
	a.recall = float64(hits) / float64(10*len(questions))
	return a, nil
}

// bruteForce compares every vector with every question; it answers the ten
// nearest, and the CPU time of one question over vectors that lie in memory.
func bruteForce(texts *topics, n int, questions [][]float32) (truth [][]string, cpu []float64) {
	type ranked struct {
		id    int
		score float32
	}
	best := make([][]ranked, len(questions))
	var spent time.Duration
	const block = 10_000
	vectors := make([]float32, 0, block*vectorLength)
	for first := 0; first < n; first += block {
		vectors = vectors[:0]
		for i := first; i < min(first+block, n); i++ {
			vectors = append(vectors, texts.vector(i)...)
		}
		began := ownCPU()
		for k, q := range questions {
			for i := range len(vectors) / vectorLength {
				score := dotProduct(q, vectors[i*vectorLength:(i+1)*vectorLength])
				if len(best[k]) == 10 && score <= best[k][9].score {
					continue
				}
				at, _ := slices.BinarySearchFunc(best[k], score, func(r ranked, score float32) int {
					return map[bool]int{true: -1, false: 1}[r.score >= score]
				})
				best[k] = slices.Insert(best[k], at, ranked{first + i, score})
				best[k] = best[k][:min(len(best[k]), 10)]
			}
		}
		spent += ownCPU() - began
	}
	for _, b := range best {
		var names []string
		for _, r := range b {
			names = append(names, benchID(r.id))
		}
		truth = append(truth, names)
	}
	return truth, []float64{spent.Seconds() * 1000 / float64(len(questions))}
}

func dotProduct(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	for i := 0; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	return s0 + s1 + s2 + s3
}

// topics makes vectors like those of texts: they have a direction in common,
// gather around topics and, within those, around subtopics. Vector i is the
// same every time, so a million need not be held.
type topics struct {
	common []float32
	topics [][]float32
}

func newTopics(n int) *topics {
	r := rand.New(rand.NewPCG(42, 42))
	t := &topics{common: gauss(r)}
	for range max(100, n/100) {
		t.topics = append(t.topics, gauss(r))
	}
	return t
}

func gauss(r *rand.Rand) []float32 {
	v := make([]float32, vectorLength)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

func (t *topics) vector(i int) []float32   { return t.near(uint64(i)) }
func (t *topics) question(i int) []float32 { return t.near(uint64(i) + 1<<40) }

func (t *topics) near(seed uint64) []float32 {
	r := rand.New(rand.NewPCG(seed, 7))
	return t.around(seed, r.Uint64(), r.Uint64())
}

// around makes a vector of one topic, a little of another, and much of its own.
func (t *topics) around(seed, one, other uint64) []float32 {
	r := rand.New(rand.NewPCG(seed, 8))
	a, b := t.topics[one%uint64(len(t.topics))], t.topics[other%uint64(len(t.topics))]
	v := gauss(r)
	mixed := r.Float32() * 0.5
	var squares float64
	for j := range v {
		v[j] = 0.8*v[j] + a[j] + mixed*b[j] + 2*t.common[j]
		squares += float64(v[j]) * float64(v[j])
	}
	by := float32(1 / math.Sqrt(squares))
	for j := range v {
		v[j] *= by
	}
	return v
}

// besidePgvector asks PostgreSQL the same, where there is one. Tests have a way
// to start a throwaway server, and take part in a benchmark.
func besidePgvector(ctx context.Context, b *bench, name string, texts *topics, n int, questions [][]float32, truth [][]string) error {
	if n > 100_000 {
		fmt.Println("pgvector is not asked: making its graph of a million would take longer than all else together")
		return nil
	}
	var err error
	var once sync.Once
	testing.Benchmark(func(tb *testing.B) {
		once.Do(func() {
			err = measurePgvector(ctx, b, storetest.EmptyPostgresURL(tb), name, texts, n, questions, truth)
		})
	})
	return err
}

func measurePgvector(ctx context.Context, b *bench, url, name string, texts *topics, n int, questions [][]float32, truth [][]string) error {
	engine, err := postgres.Open(url)
	if err != nil {
		return err
	}
	db, err := store.New(store.Options{Engine: engine})
	if err != nil {
		return err
	}
	defer db.Close()
	index, err := pgvector.New(pgvector.Options{DB: db})
	if err != nil {
		return err
	}
	if err := index.Prepare(ctx); err != nil {
		return err
	}
	clear := func(tx *store.Tx) error {
		return index.Clear(ctx, tx, memory.Partition{Workspace: benchPart.Workspace})
	}
	if err := db.InTx(ctx, clear); err != nil {
		return err
	}
	filled, err := fillIndex(ctx, db, index, texts, n)
	if err != nil {
		return err
	}
	began := time.Now()
	if _, err := index.Tune(ctx); err != nil {
		return err
	}
	b.show(fmt.Sprintf("pgvector: inserts/s, %s", name), "/s", filled.perSecond(), 0)
	b.show(fmt.Sprintf("pgvector: making the graph, %s", name), "s", time.Since(began).Seconds(), 0)
	asked, err := askIndex(ctx, index, questions, truth)
	if err != nil {
		return err
	}
	b.show(fmt.Sprintf("pgvector: search p50, %s", name), "ms", percentile(asked.wall, 50), 0)
	b.show(fmt.Sprintf("pgvector: search p99, %s", name), "ms", percentile(asked.wall, 99), 0)
	b.show(fmt.Sprintf("pgvector: recall@10, %s", name), "of exact", asked.recall, 0)
	return nil
}

// measureEmbedder embeds texts of a sentence and of a page.
func measureEmbedder(ctx context.Context, b *bench) error {
	if !gte.Included() {
		fmt.Println("the weights of the embedder are not there (scripts/model-weights), so it is not measured")
		return nil
	}
	sentence := "Alice moved to Lisbon in March, keeps two cats, and asked that nothing is deployed on a Friday afternoon."
	embedder := gte.New()
	for _, text := range []struct {
		name  string
		texts []string
	}{
		{"a question", []string{"where does Alice live?"}},
		{"a sentence", slices.Repeat([]string{sentence}, 16)},
		{"a page", []string{strings.Repeat(sentence+" ", 10)}},
	} {
		if _, err := embedder.Embed(ctx, text.texts, memory.PassageText); err != nil {
			return err
		}
		var spent []sample
		for range b.rounds {
			began, cpu := time.Now(), ownCPU()
			if _, err := embedder.Embed(ctx, text.texts, memory.PassageText); err != nil {
				return err
			}
			spent = append(spent, sample{ops: float64(len(text.texts)), cpu: ownCPU() - cpu, wall: time.Since(began)})
		}
		b.show("embedding "+text.name+": CPU", "ms", median(values(spent, sample.perOp))/1000, 0)
		b.show("embedding "+text.name+": texts/s", "/s", median(values(spent, sample.perSecond)), 0)
	}
	return nil
}

// show prints a number that is not judged.
func (b *bench) show(metric, unit string, ours, base float64) {
	l := line{Lane: b.lane, Metric: metric, Unit: unit, Ours: ours, Baseline: base, Verdict: "shown"}
	if base > 0 {
		l.Ratio = ours / base
	}
	b.lines = append(b.lines, l)
}

// heapNow is how much memory is in use once what is not has been given up.
func heapNow() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func percentile(v []float64, p int) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[min(len(v)-1, len(v)*p/100)]
}
