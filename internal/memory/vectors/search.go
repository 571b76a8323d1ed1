package vectors

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/store"
)

const (
	// firstRead is how many rows are read at first, at least and for each match
	// asked for. How good they are says how many more are worth reading.
	firstRead, firstReadPerMatch = 48, 6
	// mostRead and mostReadPerMillion bound what is read of a partition, and of
	// a large one, when its vectors can hardly be told from each other.
	mostRead, mostReadPerMillion = 1000, 1000
	// mostReadPerSure bounds it where only some of the matches must be the best.
	mostReadPerSure = 25
)

func (ix *Index) Search(ctx context.Context, q memory.VectorQuery) ([]memory.Match, error) {
	if q.Limit <= 0 || len(q.Partitions) == 0 || q.Only != nil && len(q.Only) == 0 {
		return nil, nil
	}
	asked := newQuestion(q.Vector)
	var all []memory.Match
	for i, part := range q.Partitions {
		if part.Embedder != q.Partitions[0].Embedder {
			return nil, fmt.Errorf("searching vectors: %s and %s do not compare", part.Embedder, q.Partitions[0].Embedder)
		}
		if slices.Contains(q.Partitions[:i], part) {
			continue
		}
		found, err := ix.searchOne(ctx, part, q, asked)
		if err != nil {
			return nil, fmt.Errorf("searching the vectors of %s: %w", part.Scope, err)
		}
		all = append(all, found...)
	}
	sortMatches(all)
	return all[:min(len(all), q.Limit)], nil
}

func sortMatches(all []memory.Match) {
	slices.SortFunc(all, func(a, b memory.Match) int {
		if a.Score != b.Score {
			return cmp.Compare(b.Score, a.Score)
		}
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Partition.Scope, b.Partition.Scope))
	})
}

func (ix *Index) searchOne(ctx context.Context, part memory.Partition, q memory.VectorQuery, asked question) ([]memory.Match, error) {
	if q.Only != nil {
		p, err := find(ctx, ix.db.Read(), part)
		if errors.Is(err, store.ErrNoRows) {
			return nil, nil
		}
		if err == nil {
			err = fits(asked, p.Dimensions)
		}
		if err != nil {
			return nil, err
		}
		return ix.searchOnly(ctx, part, p, q, asked)
	}
	v, ok, err := ix.look(ctx, part)
	if err != nil || !ok {
		return nil, err
	}
	if err := fits(asked, v.dimensions); err != nil {
		return nil, err
	}
	if v.centre == nil {
		return v.exact.search(part, q, asked), nil
	}
	return ix.searchCodes(ctx, part, v, q, asked)
}

func fits(asked question, dimensions int) error {
	if len(asked.values) == dimensions {
		return nil
	}
	return fault.New(fault.Invalid, "vector_size", "A question of %d numbers does not fit vectors of %d.", len(asked.values), dimensions)
}

// search compares every vector.
func (v exactView) search(part memory.Partition, q memory.VectorQuery, asked question) []memory.Match {
	var best top
	best.limit = q.Limit
	best.bar = none
	n := len(asked.steps)
	for i := range v.slots {
		if atomic.LoadUint64(&v.gone[i/64])>>(i%64)&1 == 1 {
			continue
		}
		score := asked.score(v.scales[i], v.steps[i*n:(i+1)*n])
		if best.takes(score) && (q.Allow == nil || q.Allow(v.ids[i])) {
			best.add(score, int64(i))
		}
	}
	var found []memory.Match
	for _, f := range best.ranked() {
		found = append(found, memory.Match{Partition: part, ID: v.ids[f.slot], Score: f.score})
	}
	return found
}

// searchCodes works out the most that every vector can be expected to score, and
// reads and compares them from the top until none that is left promises more
// than what was found.
func (ix *Index) searchCodes(ctx context.Context, part memory.Partition, v view, q memory.VectorQuery, asked question) ([]memory.Match, error) {
	buffer := ix.buffers.Get().(*[]float32)
	defer ix.buffers.Put(buffer)
	*buffer = v.promises(newEstimator(asked.values, v.centre), (*buffer)[:0])
	most := mostRead + len(*buffer)*mostReadPerMillion/1_000_000
	sure := q.Limit
	if q.Sure > 0 && q.Sure < q.Limit {
		sure = q.Sure
		most = min(most, mostReadPerSure*sure)
	}
	var found []memory.Match
	last := scored{score: math.MaxFloat32}
	bar := float32(none)
	for next, read := max(firstRead, firstReadPerMatch*sure, q.Limit*3/2), 0; ; {
		batch := v.below(*buffer, last, bar, next)
		more, err := ix.compare(ctx, part, v, batch, q, asked)
		if err != nil {
			return nil, err
		}
		read += len(batch)
		found = append(found, more...)
		if len(batch) < next { // there were no more
			return found, nil
		}
		last = batch[len(batch)-1]
		if len(found) < q.Limit {
			next = 3 * read // few are left by the filter, or by deletes since: look further
			continue
		}
		sortMatches(found)
		found = found[:q.Limit]
		bar = found[sure-1].Score
		if next = most - read; next <= 0 {
			return found, nil
		}
	}
}

// none is what a vector promises that is gone.
const none = -math.MaxFloat32

// promises works out what every vector promises, in the order of chunks.
func (v view) promises(e *estimator, into []float32) []float32 {
	size := codeBytes(v.dimensions)
	var looked [group]uint16
	for _, k := range v.chunks {
		for first := 0; first < len(k.codes); first += group {
			n := min(group, len(k.codes)-first)
			if whole := k.grouped[min(first*size, len(k.grouped)):]; len(whole) > 0 {
				sums(e.tables, whole, &looked)
			} else {
				for i := range n {
					looked[i] = e.sumOne(k.rest[i*size : (i+1)*size])
				}
			}
			into = slices.Grow(into, n)
			fresh := into[len(into) : len(into)+n]
			codes := k.codes[first : first+n]
			for i := range fresh {
				fresh[i] = e.promise(looked[i], codes[i])
			}
			for gone := k.gone[first/64].Load() >> (first % 64) & (1<<group - 1); gone != 0; gone &= gone - 1 {
				if i := bits.TrailingZeros64(gone); i < n {
					fresh[i] = none
				}
			}
			into = into[:len(into)+n]
		}
	}
	return into
}

// below answers the vectors that promise the most, best first, of those that
// come after last and promise more than bar.
func (v view) below(promises []float32, last scored, bar float32, limit int) []scored {
	best := top{limit: limit, bar: bar}
	for c, k := range v.chunks {
		for i, score := range promises[c*chunkSize : c*chunkSize+len(k.slots)] {
			if score <= best.bar || score > last.score {
				continue
			}
			if slot := int64(k.slots[i]); score < last.score || slot > last.slot {
				best.add(score, slot)
			}
		}
	}
	return best.ranked()
}

// compare reads the rows of candidates and scores them. A row that is gone by
// now is left out.
func (ix *Index) compare(ctx context.Context, part memory.Partition, v view, candidates []scored, q memory.VectorQuery, asked question) ([]memory.Match, error) {
	if len(candidates) == 0 {
		return nil, nil
	}
	slots := append(make([]byte, 0, 16*len(candidates)), '[')
	for i, c := range candidates {
		if i > 0 {
			slots = append(slots, ',')
		}
		slots = strconv.AppendInt(slots, firstSlot(v.partition)+c.slot, 10)
	}
	rows, err := ix.db.Read().Query(ctx, selectSlots, string(append(slots, ']')), v.partition)
	if err != nil {
		return nil, err
	}
	return scoreRows(rows, part, v.dimensions, q, asked)
}

// searchOnly compares the vectors of some ids.
func (ix *Index) searchOnly(ctx context.Context, part memory.Partition, p partition, q memory.VectorQuery, asked question) ([]memory.Match, error) {
	only, err := json.Marshal(q.Only)
	if err != nil {
		return nil, err
	}
	rows, err := ix.db.Read().Query(ctx, selectIDs, p.ID, string(only))
	if err != nil {
		return nil, err
	}
	return scoreRows(rows, part, p.Dimensions, q, asked)
}

func scoreRows(rows *sql.Rows, part memory.Partition, dimensions int, q memory.VectorQuery, asked question) ([]memory.Match, error) {
	defer rows.Close()
	var found []memory.Match
	var slot int64
	var id, vec sql.RawBytes
	steps := make([]int16, dimensions)
	for rows.Next() {
		if err := rows.Scan(&slot, &id, &vec); err != nil {
			return nil, err
		}
		if len(vec) != rowSize(dimensions) {
			return nil, fmt.Errorf("the vector of %s is damaged", id)
		}
		scale := unpackRow(steps, vec)
		if q.Allow == nil || q.Allow(string(id)) {
			found = append(found, memory.Match{Partition: part, ID: string(id), Score: asked.score(scale, steps)})
		}
	}
	return found, rows.Err()
}

// scored is a vector with what it scored.
type scored struct {
	score float32
	slot  int64
}

// top keeps the best of many: it gathers twice as many as it needs, and then
// lets go of the worse half.
type top struct {
	limit int
	bar   float32 // what is no better is of no interest
	kept  []scored
}

func (t *top) takes(score float32) bool { return score > t.bar }

func (t *top) add(score float32, slot int64) {
	t.kept = append(t.kept, scored{score, slot})
	if len(t.kept) == 2*t.limit {
		t.halve()
	}
}

// halve moves the better half to the front, in any order, and drops the rest.
func (t *top) halve() {
	k := t.kept
	for from, to := 0, len(k); to-from > 1; {
		pivot := k[(from+to)/2].score
		i, j := from, to-1
		for i <= j {
			for k[i].score > pivot {
				i++
			}
			for k[j].score < pivot {
				j--
			}
			if i <= j {
				k[i], k[j] = k[j], k[i]
				i++
				j--
			}
		}
		// [from, j] are at least the pivot, [i, to) at most.
		switch {
		case t.limit <= j:
			to = j + 1
		case t.limit >= i:
			from = i
		default:
			from, to = t.limit, t.limit
		}
	}
	t.kept = k[:t.limit]
	t.bar = k[0].score
	for _, s := range t.kept {
		t.bar = min(t.bar, s.score)
	}
}

// ranked answers the best, best first.
func (t *top) ranked() []scored {
	slices.SortFunc(t.kept, func(a, b scored) int {
		if a.score != b.score {
			return cmp.Compare(b.score, a.score)
		}
		return cmp.Compare(a.slot, b.slot)
	})
	return t.kept[:min(len(t.kept), t.limit)]
}
