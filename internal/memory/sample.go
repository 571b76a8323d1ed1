package memory

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/fluxway/fluxway/internal/store"
)

// What is known of the common words of a large space without counting them.
const (
	sampleFrom  = 1000 // texts of a space from which on its words are sampled
	sampleSize  = 400  // texts looked at, the newest
	sampleShare = 50   // a word is common that is in one of so many of them
	mostSamples = 512  // spaces remembered
)

// samples remember, by space, which words are common there. Whoever may not look into a space never asks for its sample.
type samples struct {
	mu   sync.Mutex // guards kept
	kept map[string]sample
}

// sample is how often the common words of a space occur in its newest texts.
type sample struct {
	texts  int64 // in the space when it was taken
	of     int   // texts looked at
	counts map[string]int
}

// stale says whether a space has changed so much that it must be looked at again.
func (s sample) stale(texts int64) bool { return texts > s.texts*6/5 || texts < s.texts*4/5 }

// share estimates how many texts of a space hold a word; 0 for words that are not common.
func (s sample) share(word string, texts int64) int64 {
	if s.of == 0 {
		return 0
	}
	return texts * int64(s.counts[word]) / int64(s.of)
}

func (s *samples) get(space string, texts int64) (sample, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	have, ok := s.kept[space]
	return have, ok && !have.stale(texts)
}

func (s *samples) put(space string, fresh sample) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil || len(s.kept) >= mostSamples {
		s.kept = map[string]sample{}
	}
	s.kept[space] = fresh
}

// drop forgets what is known of spaces.
func (s *samples) drop(spaces ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, space := range spaces {
		delete(s.kept, space)
	}
}

func (s *samples) dropAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = nil
}

// common estimates, for the large ones of some spaces, how many texts hold each word that is common in them.
func (m *Mind) common(ctx context.Context, sizes []spaceSize, asked []string) (map[string]int64, error) {
	estimates := map[string]int64{}
	for _, size := range sizes {
		if size.Texts < sampleFrom {
			continue
		}
		taken, err := m.sample(ctx, size)
		if err != nil {
			return nil, err
		}
		for _, w := range asked {
			if n := taken.share(w, size.Texts); n > 0 {
				estimates[w] += n
			}
		}
	}
	return estimates, nil
}

func (m *Mind) sample(ctx context.Context, size spaceSize) (sample, error) {
	if have, ok := m.samples.get(size.Space, size.Texts); ok {
		return have, nil
	}
	fresh := sample{texts: size.Texts, counts: map[string]int{}}
	for words, err := range store.Each[string](ctx, m.db.Read(), m.engine.newest, m.engine.query([]string{size.Space}), sampleSize) {
		if err != nil {
			return fresh, fmt.Errorf("looking at the words of %s: %w", size.Space, err)
		}
		fresh.of++
		for w := range bag(strings.Split(words, " ")) {
			fresh.counts[w]++
		}
	}
	for w, n := range fresh.counts {
		if n*sampleShare < fresh.of {
			delete(fresh.counts, w)
		}
	}
	m.samples.put(size.Space, fresh)
	return fresh, nil
}
