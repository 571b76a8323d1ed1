package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/lifecycle"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/memory/vectors"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/sqlite"
)

// The bars of a store of facts, in milliseconds of CPU.
const (
	hybridSmall = 10.0 // words and vectors together, up to 100,000 facts
	hybridLarge = 40.0 // a million
	forgetOne   = 10.0
	openStore   = 100.0 // after a restart, until it can be asked
)

// measureMind fills a memory with n facts as a person or an agent would, asks it, takes facts out of it again, and
// opens it anew. What embeds is quick and knows no language, so that it is memory that is measured.
func measureMind(ctx context.Context, b *bench, n int) error {
	file, name := b.benchFile(), thousands(n)
	said := newSayings()
	m, err := openMind(ctx, file, said)
	if err != nil {
		return err
	}
	err = m.alive(ctx, func(ctx context.Context) error { return m.fill(ctx, b, n, name) })
	if err != nil {
		return errors.Join(err, m.db.Close())
	}
	if err := m.ask(ctx, b, n, name, ""); err != nil {
		return errors.Join(err, m.db.Close())
	}
	if err := m.forget(ctx, b, n, name); err != nil {
		return errors.Join(err, m.db.Close())
	}
	if err := m.db.Close(); err != nil {
		return err
	}
	return m.again(ctx, b, file, n, name)
}

func thousands(n int) string {
	return strings.TrimSuffix(number(float64(n)/1000), ".00") + "k"
}

// mindBench is a memory of one person.
type mindBench struct {
	db    *store.DB
	queue *jobs.Queue
	mind  *memory.Mind
	owner memory.Owner
	said  *sayings
	cpu   time.Duration // of opening
}

func openMind(ctx context.Context, file string, said *sayings) (*mindBench, error) {
	began := ownCPU()
	engine, err := sqlite.Open(file)
	if err != nil {
		return nil, err
	}
	db, err := store.New(store.Options{Engine: engine})
	if err != nil {
		return nil, err
	}
	m := &mindBench{db: db, said: said, owner: memory.Owner{Workspace: "ws_01j00000000000000000000000", User: "usr_01j00000000000000000000000"}}
	fail := func(err error) (*mindBench, error) { return nil, errors.Join(err, db.Close()) }
	if err := db.Migrate(ctx); err != nil {
		return fail(err)
	}
	hub, err := events.New(events.Options{DB: db})
	if err != nil {
		return fail(err)
	}
	if m.queue, err = jobs.New(jobs.Options{DB: db, Hub: hub, Worker: "bench", Sole: true}); err != nil {
		return fail(err)
	}
	index, err := vectors.New(vectors.Options{DB: db})
	if err != nil {
		return fail(err)
	}
	if m.mind, err = memory.New(memory.Options{DB: db, Hub: hub, Jobs: m.queue, Index: index, Embedder: said}); err != nil {
		return fail(err)
	}
	m.cpu = ownCPU() - began
	return m, nil
}

// alive runs what memory does in the background while something is done.
func (m *mindBench) alive(ctx context.Context, do func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	group := lifecycle.Group{Grace: 10 * time.Second}
	group.Add("jobs", m.queue)
	group.Add("memory", m.mind)
	group.Add("bench", lifecycle.Func(func(ctx context.Context) error {
		defer stop()
		return do(ctx)
	}))
	return group.Run(ctx)
}

// fill remembers n facts and waits until all have their vectors.
func (m *mindBench) fill(ctx context.Context, b *bench, n int, name string) error {
	const batch, writers = 500, 4
	began, cpu := time.Now(), ownCPU()
	var next atomic.Int64
	var writing sync.WaitGroup
	failed := make([]error, writers)
	for w := range writers {
		writing.Go(func() {
			for first := int(next.Add(batch)) - batch; first < n && failed[w] == nil; first = int(next.Add(batch)) - batch {
				failed[w] = m.add(ctx, first, min(batch, n-first))
			}
		})
	}
	writing.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	added := time.Since(began)
	for {
		s, err := m.mind.Stats(ctx, m.owner)
		if err != nil {
			return err
		}
		if s.Waiting == 0 && s.Serving != "" {
			b.must("facts missing, "+name, n-int(s.Facts[memory.Active]))
			b.must("vectors missing, "+name, n-int(s.Vectors))
			break
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(max(200*time.Millisecond, time.Duration(n)*10*time.Microsecond)): // counting takes its time too
		}
	}
	b.show("facts: added/s, findable by words at once, "+name, "/s", float64(n)/added.Seconds(), 0)
	b.show("facts: added and embedded/s, "+name, "/s", float64(n)/time.Since(began).Seconds(), 0)
	b.show("facts: CPU per fact, everything, "+name, "µs", float64((ownCPU()-cpu).Microseconds())/float64(n), 0)
	size, err := m.db.Engine().Size(ctx)
	b.show("facts: disk per fact, everything, "+name, "B", float64(size)/float64(n), 0)
	return err
}

// add remembers some facts in one transaction.
func (m *mindBench) add(ctx context.Context, first, n int) error {
	list := make([]memory.NewFact, n)
	for i := range list {
		list[i] = memory.NewFact{Scope: memory.Scope{User: m.owner.User}, Text: m.said.fact(first + i)}
	}
	_, refused, err := m.mind.AddMany(ctx, m.owner, list)
	return errors.Join(append(refused, err)...)
}

// ask looks for facts by some of their words, and counts those that are not found.
func (m *mindBench) ask(ctx context.Context, b *bench, n int, name, when string) error {
	bar := hybridSmall
	if n > 100_000 {
		bar = hybridLarge
	}
	runtime.GC() // what filling left behind is not to be cleared away while searches are measured
	for _, by := range []memory.By{memory.ByWords, memory.ByMeaning, ""} {
		var cpus, walls []float64
		missed := 0
		for i := range 60 {
			at := i * (n / 60)
			began, cpu := time.Now(), ownCPU()
			answer, err := m.mind.Search(ctx, memory.Query{Workspace: m.owner.Workspace, User: m.owner.User, Text: m.said.question(at), By: by})
			if err != nil {
				return err
			}
			if i >= 10 { // the first ones fill caches
				cpus, walls = append(cpus, (ownCPU()-cpu).Seconds()*1000), append(walls, time.Since(began).Seconds()*1000)
			}
			if !holds(answer.Found, m.said.fact(at)) {
				missed++
			}
		}
		how := map[memory.By]string{memory.ByWords: "by words", memory.ByMeaning: "by meaning", "": "by both"}[by]
		metric := fmt.Sprintf("facts: CPU per search %s%s, %s", how, when, name)
		if by == "" {
			b.limit(metric, "ms", median(cpus), 0, bar)
			b.must("facts not found by both"+when+", "+name, missed)
			b.show("facts: search p50 "+how+when+", "+name, "ms", percentile(walls, 50), 0)
			b.show("facts: search p99 "+how+when+", "+name, "ms", percentile(walls, 99), 0)
		} else {
			b.show(metric, "ms", median(cpus), 0)
		}
	}
	return nil
}

func holds(found []memory.Found, text string) bool {
	for _, f := range found {
		if f.Text == text {
			return true
		}
	}
	return false
}

// forget takes facts out and looks for them.
func (m *mindBench) forget(ctx context.Context, b *bench, n int, name string) error {
	var cpus []float64
	left := 0
	for i := range 50 {
		at := i*(n/50) + 7
		q := memory.Query{Workspace: m.owner.Workspace, User: m.owner.User, Text: m.said.fact(at)}
		answer, err := m.mind.Search(ctx, q)
		if err != nil {
			return err
		}
		for _, f := range answer.Found {
			if f.Text != q.Text {
				continue
			}
			cpu := ownCPU()
			if err := m.mind.Forget(ctx, m.owner, ids.Fact(f.ID)); err != nil {
				return err
			}
			cpus = append(cpus, (ownCPU()-cpu).Seconds()*1000)
		}
		if answer, err = m.mind.Search(ctx, q); err != nil {
			return err
		}
		if holds(answer.Found, q.Text) {
			left++
		}
	}
	b.limit("facts: CPU per fact forgotten, "+name, "ms", median(cpus), 0, forgetOne)
	b.must("facts found after they were forgotten, "+name, left+50-len(cpus))
	return nil
}

// again opens the same file as a new process would.
func (m *mindBench) again(ctx context.Context, b *bench, file string, n int, name string) error {
	next, err := openMind(ctx, file, m.said)
	if err != nil {
		return err
	}
	b.limit("facts: CPU to open after a restart, "+name, "ms", next.cpu.Seconds()*1000, 0, openStore)
	heap := heapNow()
	began, cpu := time.Now(), ownCPU()
	_, err = next.mind.Search(ctx, memory.Query{Workspace: m.owner.Workspace, User: m.owner.User, Text: m.said.question(1)})
	b.show("facts: first search after a restart, CPU, "+name, "ms", (ownCPU()-cpu).Seconds()*1000, 0)
	b.show("facts: first search after a restart, "+name, "ms", time.Since(began).Seconds()*1000, 0)
	b.show("facts: memory after it, "+name, "MB", (float64(heapNow())-float64(heap))/1e6, 0)
	runtime.KeepAlive(next)
	return errors.Join(err, next.db.Close())
}

// sayings makes facts whose words are spread as in real texts: a few are in many facts, most in few.
type sayings struct {
	words []string
	ours  map[string]bool
	sums  []float64 // of the weights, up to each word
	near  *topics
}

const vocabulary = 20_000

func newSayings() *sayings {
	s := &sayings{ours: map[string]bool{}, near: newTopics(vocabulary)}
	syllables := strings.Fields("ba ko mi ru ta ve lo shi ne gar pel dor min sat kel vor bru lin tam fos rek hal")
	sum := 0.0
	for i := range vocabulary {
		w := ""
		for rest := i + 500; rest > 0; rest /= len(syllables) {
			w += syllables[rest%len(syllables)]
		}
		sum += 1 / float64(i+30)
		s.words, s.sums = append(s.words, w), append(s.sums, sum)
		s.ours[w] = true
	}
	return s
}

func (s *sayings) word(r *rand.Rand) string {
	at := r.Float64() * s.sums[len(s.sums)-1]
	low, high := 0, len(s.sums)-1
	for low < high {
		if mid := (low + high) / 2; s.sums[mid] < at {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return s.words[low]
}

// told are the words of a fact; the same every time.
func (s *sayings) told(i int) []string {
	r := rand.New(rand.NewPCG(uint64(i), 5))
	list := make([]string, 8+r.IntN(8))
	for j := range list {
		list[j] = s.word(r)
	}
	return list
}

func (s *sayings) fact(i int) string { return "The user said that " + strings.Join(s.told(i), " ") }

// question holds half of the words of a fact.
func (s *sayings) question(i int) string {
	list := s.told(i)
	return "What did the user say about " + strings.Join(list[:len(list)/2+1], " ") + "?"
}

// Name is that of no model.
func (s *sayings) Name() string { return "bench/1" }

// Dimensions are those of the built-in embedder.
func (s *sayings) Dimensions() int { return vectorLength }

// Embed gives texts that begin alike vectors that lie together, as those of real texts do.
func (s *sayings) Embed(_ context.Context, texts []string, _ memory.TextKind) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		list := s.known(text)
		out[i] = s.near.around(s.seed(list), s.seed(list[:1]), s.seed(list[:min(2, len(list))]))
	}
	return out, nil
}

// known are the words of a text that are ours.
func (s *sayings) known(text string) []string {
	var list []string
	for w := range strings.FieldsSeq(strings.TrimSuffix(text, "?")) {
		if s.ours[w] {
			list = append(list, w)
		}
	}
	if len(list) == 0 {
		return []string{text}
	}
	return list
}

func (s *sayings) seed(list []string) uint64 {
	h := fnv.New64a()
	for _, w := range list {
		h.Write([]byte(w))
	}
	return h.Sum64()
}
