package vectors

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/store"
)

// shelf is a partition in memory, or on its way there. Index.mu guards it.
type shelf struct {
	ready   chan struct{} // closed when content or err is there
	content *content      // nil: there is no such partition
	err     error
	waiting []change // committed while it was being read
	stale   bool     // it was dropped while it was being read
	used    uint64
}

// change is what a commit did to a partition.
type change struct {
	kind  changeKind
	slot  int64
	id    string
	scale float32
	steps []int16
}

type changeKind int

const (
	added changeKind = iota
	removed
	dropped // all of it is to be read again
)

// apply brings what is in memory up to a commit. It is called in the order of
// commits, before those who made them hear of it.
func (ix *Index) apply(part memory.Partition, changes []change) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	s := ix.shelves[part]
	switch {
	case s == nil:
	case slices.ContainsFunc(changes, func(c change) bool { return c.kind == dropped }):
		s.stale = true
		delete(ix.shelves, part)
	case s.content == nil:
		s.waiting = append(s.waiting, changes...)
	default:
		s.content.apply(changes)
		if s.content.sparse() {
			delete(ix.shelves, part)
		}
	}
}

func (ix *Index) forgetAll() {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for part, s := range ix.shelves {
		s.stale = true
		delete(ix.shelves, part)
	}
}

// view is what a search looks at: a partition as it was at one moment.
type view struct {
	*content
	exact  exactView
	chunks []chunkView
}

// look answers a view of a partition, reading it first if need be; ok is false
// when there is no such partition.
func (ix *Index) look(ctx context.Context, part memory.Partition) (v view, ok bool, err error) {
	for {
		ix.mu.Lock()
		s := ix.shelves[part]
		mine := s == nil
		if mine {
			s = &shelf{ready: make(chan struct{})}
			ix.shelves[part] = s
		}
		ix.clock++
		s.used = ix.clock
		if s.content != nil {
			v := s.content.view()
			ix.mu.Unlock()
			return v, true, nil
		}
		ix.mu.Unlock()
		if mine {
			ix.load(ctx, part, s)
		}
		select {
		case <-s.ready:
		case <-ctx.Done():
			return view{}, false, context.Cause(ctx)
		}
		ix.mu.Lock()
		content, err, stale := s.content, s.err, s.stale
		if content != nil {
			v = content.view()
		}
		ix.mu.Unlock()
		switch {
		case stale || err != nil && !mine: // what came in between, or someone else's trouble: read again
		case err != nil:
			return view{}, false, err
		default:
			return v, content != nil, nil
		}
	}
}

// load reads a partition and then does again what was committed meanwhile: a
// commit is in what was read, or in waiting, or in both.
func (ix *Index) load(ctx context.Context, part memory.Partition, s *shelf) {
	content, err := read(ctx, ix.db.Read(), part)
	ix.mu.Lock()
	defer ix.mu.Unlock()
	defer close(s.ready)
	if s.stale {
		return
	}
	if err != nil || content == nil {
		s.err = err
		// A partition that was made meanwhile is read again by the next search.
		s.stale = err == nil && len(s.waiting) > 0
		delete(ix.shelves, part)
		return
	}
	s.content = content
	content.apply(s.waiting)
	s.waiting = nil
	ix.evict(s)
}

// evict lets go of the partitions used longest ago until the rest fits.
func (ix *Index) evict(keep *shelf) {
	var total int64
	for _, s := range ix.shelves {
		if s.content != nil {
			total += s.content.bytes()
		}
	}
	for total > ix.limit {
		var oldest memory.Partition
		var found *shelf
		for part, s := range ix.shelves {
			if s != keep && s.content != nil && (found == nil || s.used < found.used) {
				oldest, found = part, s
			}
		}
		if found == nil {
			return
		}
		total -= found.content.bytes()
		delete(ix.shelves, oldest)
	}
}

// read brings a partition into memory; nil: there is none. Each statement sees
// a moment of its own. Holes are read before blocks, because a block that is
// written again loses both at once.
func read(ctx context.Context, q store.Querier, part memory.Partition) (*content, error) {
	p, err := find(ctx, q, part)
	if errors.Is(err, store.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("finding the partition %s: %w", part.Scope, err)
	}
	c := &content{partition: p.ID, dimensions: p.Dimensions}
	from := firstSlot(p.ID)
	if p.Centre != nil {
		c.centre = unpackFloats(p.Centre)
		if err := c.readBlocks(ctx, q, p); err != nil {
			return nil, fmt.Errorf("reading the codes of %s: %w", part.Scope, err)
		}
		from = p.Sealed
	}
	for r, err := range store.Each[row](ctx, q, selectRows, from, lastSlot(p.ID), -1) {
		if err != nil {
			return nil, fmt.Errorf("reading the vectors of %s: %w", part.Scope, err)
		}
		if len(r.Vec) != rowSize(p.Dimensions) {
			return nil, fmt.Errorf("the vector of %s is damaged", r.ID)
		}
		steps := make([]int16, p.Dimensions)
		scale := unpackRow(steps, r.Vec)
		c.add(change{slot: r.Slot, id: r.ID, scale: scale, steps: steps})
	}
	return c, nil
}

func (c *content) readBlocks(ctx context.Context, q store.Querier, p partition) error {
	holes, err := store.All[int64](ctx, q, selectHoles, firstSlot(p.ID), p.Sealed)
	if err != nil {
		return err
	}
	size := entrySize(p.Dimensions)
	for block, err := range store.Each[[]byte](ctx, q, selectBlocks, firstSlot(p.ID), p.Sealed) {
		if err != nil {
			return err
		}
		for ; len(block) >= size; block = block[size:] {
			slot, code, bits := parseEntry(block[:size])
			c.addCode(slot, code, bits)
		}
	}
	for _, slot := range holes {
		c.remove(uint32(slot))
	}
	return nil
}

// content is the vectors of a partition: all of each, or, when there is a
// centre, their codes. Slots only grow, and what a view saw does not change
// under it, except that vectors are marked as removed.
type content struct {
	partition  int64
	dimensions int
	centre     []float32
	removed    int

	exactView          // of all vectors, without a centre
	chunks    []*chunk // of all codes, with one
}

// exactView holds whole vectors.
type exactView struct {
	slots  []uint32
	ids    []string
	scales []float32
	steps  []int16
	gone   []uint64 // a bit per vector, used atomically
}

// chunk holds up to chunkSize codes.
type chunk struct {
	slots   []uint32
	codes   []code
	grouped []byte // the bits of whole groups
	rest    []byte // the bits of the group that is not whole yet, in plain order
	gone    [chunkSize / 64]atomic.Uint64
}

// chunkView is a chunk as it was at one moment.
type chunkView struct {
	slots   []uint32
	codes   []code
	grouped []byte
	rest    []byte
	gone    *[chunkSize / 64]atomic.Uint64
}

func (c *content) view() view {
	v := view{content: c, exact: c.exactView}
	if n := len(c.chunks); n > 0 {
		v.chunks = make([]chunkView, n)
		for i, k := range c.chunks {
			v.chunks[i] = chunkView{k.slots, k.codes, k.grouped, k.rest, &k.gone}
		}
	}
	return v
}

func (c *content) apply(changes []change) {
	for _, change := range changes {
		if change.kind == removed {
			c.remove(uint32(change.slot))
		} else {
			c.add(change)
		}
	}
}

// last is the newest slot there is.
func (c *content) last() uint32 {
	switch {
	case len(c.chunks) > 0:
		k := c.chunks[len(c.chunks)-1]
		return k.slots[len(k.slots)-1]
	case len(c.slots) > 0:
		return c.slots[len(c.slots)-1]
	}
	return 0
}

// add takes a vector in, unless it is there already.
func (c *content) add(v change) {
	if slot := uint32(v.slot); slot > c.last() {
		if c.centre != nil {
			bits := make([]byte, codeBytes(c.dimensions))
			c.addCode(slot, encode(bits, v.scale, v.steps, c.centre), bits)
			return
		}
		if len(c.slots)%64 == 0 {
			c.gone = append(c.gone, 0)
		}
		c.slots = append(c.slots, slot)
		c.ids = append(c.ids, v.id)
		c.scales = append(c.scales, v.scale)
		c.steps = append(c.steps, v.steps...)
	}
}

func (c *content) addCode(slot uint32, rest code, bits []byte) {
	size := len(bits)
	if len(c.chunks) == 0 || len(c.chunks[len(c.chunks)-1].slots) == chunkSize {
		c.chunks = append(c.chunks, &chunk{
			slots: make([]uint32, 0, chunkSize), codes: make([]code, 0, chunkSize), grouped: make([]byte, 0, chunkSize*size),
		})
	}
	k := c.chunks[len(c.chunks)-1]
	if len(k.rest) == 0 {
		k.rest = make([]byte, 0, group*size) // a view may still look at the last one
	}
	k.slots, k.codes, k.rest = append(k.slots, slot), append(k.codes, rest), append(k.rest, bits...)
	if len(k.rest) == group*size {
		whole := len(k.grouped)
		k.grouped = k.grouped[:whole+len(k.rest)]
		arrange(k.grouped[whole:], k.rest)
		k.rest = nil
	}
}

// remove marks a vector as gone.
func (c *content) remove(slot uint32) {
	if c.centre == nil {
		if i, ok := slices.BinarySearch(c.slots, slot); ok {
			atomic.OrUint64(&c.gone[i/64], 1<<(i%64))
			c.removed++
		}
		return
	}
	n, _ := slices.BinarySearchFunc(c.chunks, slot, func(k *chunk, slot uint32) int {
		if k.slots[len(k.slots)-1] < slot {
			return -1
		}
		return 1
	})
	if n == len(c.chunks) {
		return
	}
	if i, ok := slices.BinarySearch(c.chunks[n].slots, slot); ok {
		c.chunks[n].gone[i/64].Or(1 << (i % 64))
		c.removed++
	}
}

// sparse says that most of it is gone, so that reading it again is worth while.
func (c *content) sparse() bool {
	return c.removed > chunkSize && 2*c.removed > len(c.slots)+len(c.chunks)*chunkSize
}

// bytes is about what the content takes.
func (c *content) bytes() int64 {
	per := int64(2*c.dimensions + 4 + 4 + 16 + 40)
	return int64(len(c.slots))*per + int64(len(c.chunks))*chunkSize*int64(entrySize(c.dimensions)) + 1024
}
