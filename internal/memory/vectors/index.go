package vectors

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"sync"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/store"
)

// Options are what an Index needs.
type Options struct {
	DB     *store.DB // required: on SQLite
	Memory int64     // bytes of partitions to hold; 0: 256 MB. The one in use is always held.
}

// Index serves memory.Index from the SQLite file.
type Index struct {
	db      *store.DB
	limit   int64
	buffers sync.Pool // of *[]float32, a number per vector

	mu      sync.Mutex // guards the fields below and every shelf's state
	shelves map[memory.Partition]*shelf
	clock   uint64 // counts uses, to tell which shelf was used last
}

// New makes an index over the tables of db. It reads nothing yet.
func New(opts Options) (*Index, error) {
	if opts.DB == nil {
		return nil, errors.New("vectors: Options.DB is nil")
	}
	ix := &Index{db: opts.DB, limit: cmp.Or(opts.Memory, 256<<20), shelves: make(map[memory.Partition]*shelf)}
	ix.buffers.New = func() any { return new([]float32) }
	opts.DB.OnRestore(store.RestoreHook{Name: "memory/vectors", Done: func(context.Context) { ix.forgetAll() }})
	return ix, nil
}

// partition is a row of memory_vector_partitions.
type partition struct {
	ID         int64         `db:"id"`
	Workspace  ids.Workspace `db:"workspace_id"`
	Scope      string        `db:"scope"`
	Embedder   string        `db:"embedder"`
	Dimensions int           `db:"dimensions"`
	Sealed     int64         `db:"sealed"`
	Floor      int64         `db:"floor"`
	Centre     []byte        `db:"centre"`
}

func (p partition) key() memory.Partition {
	return memory.Partition{Workspace: p.Workspace, Scope: p.Scope, Embedder: p.Embedder}
}

func find(ctx context.Context, q store.Querier, part memory.Partition) (partition, error) {
	p, err := store.One[partition](ctx, q, selectPartition, part.Workspace, part.Scope, part.Embedder)
	p.Workspace, p.Scope, p.Embedder = part.Workspace, part.Scope, part.Embedder
	return p, err
}

func (ix *Index) Put(ctx context.Context, tx *store.Tx, part memory.Partition, items ...memory.Vector) error {
	if len(items) == 0 {
		return nil
	}
	if part.Workspace == "" || part.Scope == "" || part.Embedder == "" {
		return fmt.Errorf("putting vectors into %+v: a partition needs a workspace, a scope and an embedder", part)
	}
	p, next, err := open(ctx, tx, part, len(items[0].Values))
	if err != nil {
		return fmt.Errorf("opening the partition %s of vectors: %w", part.Scope, err)
	}
	changes := make([]change, 0, len(items))
	for _, item := range items {
		if len(item.Values) != p.Dimensions {
			return fault.New(fault.Invalid, "vector_size", "A vector of %d numbers does not fit a partition of %d.", len(item.Values), p.Dimensions)
		}
		steps := make([]int16, p.Dimensions)
		scale := toSteps(steps, item.Values)
		row := packRow(steps, scale)
		for {
			n, err := tx.Exec(ctx, insertVector, next, p.ID, item.ID, row)
			if err != nil {
				return fmt.Errorf("adding the vector of %s: %w", item.ID, err)
			}
			if n > 0 {
				break
			}
			gone, err := ix.remove(ctx, tx, &p, item.ID)
			if err != nil {
				return err
			}
			changes = append(changes, gone...)
		}
		changes = append(changes, change{kind: added, slot: next, id: item.ID, scale: scale, steps: steps})
		next++
	}
	was := p.Centre
	if err := seal(ctx, tx, &p, next-1, len(items)); err != nil {
		return fmt.Errorf("sealing vectors of %s: %w", part.Scope, err)
	}
	if was == nil && p.Centre != nil {
		changes = []change{{kind: dropped}} // it has become a large one, and is read as such
	}
	tx.AfterCommit(func() { ix.apply(part, changes) })
	return nil
}

// open finds or makes a partition, and the next slot in it.
func open(ctx context.Context, tx *store.Tx, part memory.Partition, dimensions int) (p partition, next int64, err error) {
	p, err = find(ctx, tx, part)
	if errors.Is(err, store.ErrNoRows) {
		if _, err = tx.Exec(ctx, insertPartition, part.Workspace, part.Scope, part.Embedder, dimensions); err != nil {
			return p, 0, err
		}
		p, err = find(ctx, tx, part)
	}
	if err != nil {
		return p, 0, err
	}
	last, err := store.One[int64](ctx, tx, selectLastSlot, firstSlot(p.ID), lastSlot(p.ID))
	if err != nil && !errors.Is(err, store.ErrNoRows) {
		return p, 0, err
	}
	next = max(last, p.Sealed, p.Floor, firstSlot(p.ID)) + 1
	if next+math.MaxUint16 > lastSlot(p.ID) {
		return p, 0, fault.New(fault.Exhausted, "partition_full", "This part of memory had four thousand million vectors.")
	}
	return p, next, nil
}

func (ix *Index) Delete(ctx context.Context, tx *store.Tx, part memory.Partition, gone ...string) error {
	if len(gone) == 0 {
		return nil
	}
	if part.Scope == "" {
		return errors.New("deleting vectors: a partition needs a scope")
	}
	found, err := store.All[partition](ctx, tx, selectPartitions, part.Workspace, part.Scope, part.Scope, part.Embedder, part.Embedder)
	if err != nil {
		return fmt.Errorf("finding the partitions of %s: %w", part.Scope, err)
	}
	for _, p := range found {
		var changes []change
		for _, id := range gone {
			more, err := ix.remove(ctx, tx, &p, id)
			if err != nil {
				return err
			}
			changes = append(changes, more...)
		}
		if len(changes) > 0 {
			tx.AfterCommit(func() { ix.apply(p.key(), changes) })
		}
	}
	return nil
}

// remove deletes the vector of an id, if there is one.
func (ix *Index) remove(ctx context.Context, tx *store.Tx, p *partition, id string) ([]change, error) {
	slots, err := store.All[int64](ctx, tx, deleteVector, p.ID, id)
	if err != nil {
		return nil, fmt.Errorf("deleting the vector of %s: %w", id, err)
	}
	var changes []change
	for _, slot := range slots {
		if slot > p.Sealed {
			_, err = tx.Exec(ctx, updateFloor, slot, p.ID, slot)
			p.Floor = max(p.Floor, slot)
		} else {
			err = dig(ctx, tx, p, slot)
		}
		if err != nil {
			return nil, fmt.Errorf("deleting the vector of %s: %w", id, err)
		}
		changes = append(changes, change{kind: removed, slot: slot})
	}
	return changes, nil
}

func (ix *Index) Clear(ctx context.Context, tx *store.Tx, part memory.Partition) error {
	if part.Workspace == "" {
		return errors.New("clearing vectors: a partition needs a workspace")
	}
	found, err := store.All[partition](ctx, tx, selectPartitions, part.Workspace, part.Scope, part.Scope, part.Embedder, part.Embedder)
	if err != nil {
		return fmt.Errorf("finding the partitions to clear: %w", err)
	}
	for _, p := range found {
		for _, statement := range []string{deleteVectors, deleteBlocks, deleteHoles} {
			if _, err := tx.Exec(ctx, statement, firstSlot(p.ID), lastSlot(p.ID)); err != nil {
				return fmt.Errorf("clearing the vectors of %s: %w", p.Scope, err)
			}
		}
		if _, err := tx.Exec(ctx, deletePartition, p.ID); err != nil {
			return fmt.Errorf("clearing the vectors of %s: %w", p.Scope, err)
		}
		tx.AfterCommit(func() { ix.apply(p.key(), []change{{kind: dropped}}) })
	}
	return nil
}

// page is how many rows a walk reads at a time, so that it holds no reader
// while its caller works.
const page = 512

func (ix *Index) Vectors(ctx context.Context, part memory.Partition, after string) iter.Seq2[memory.Vector, error] {
	return func(yield func(memory.Vector, error) bool) {
		p, err := find(ctx, ix.db.Read(), part)
		if errors.Is(err, store.ErrNoRows) {
			return
		}
		for err == nil {
			var rows []row
			if rows, err = store.All[row](ctx, ix.db.Read(), selectAfterID, p.ID, after, page); err != nil {
				break
			}
			steps := make([]int16, p.Dimensions)
			for _, r := range rows {
				if len(r.Vec) != rowSize(p.Dimensions) {
					yield(memory.Vector{}, fmt.Errorf("the vector of %s is damaged", r.ID))
					return
				}
				unpackRow(steps, r.Vec)
				if !yield(memory.Vector{ID: r.ID, Values: toValues(steps)}, nil) {
					return
				}
				after = r.ID
			}
			if len(rows) < page {
				return
			}
		}
		yield(memory.Vector{}, fmt.Errorf("reading the vectors of %s: %w", part.Scope, err))
	}
}

// row is a row of memory_vectors.
type row struct {
	Slot int64  `db:"slot"`
	ID   string `db:"id"`
	Vec  []byte `db:"vec"`
}

func (ix *Index) Partitions(ctx context.Context, ws ids.Workspace) ([]memory.PartitionSize, error) {
	found, err := store.All[partition](ctx, ix.db.Read(), selectPartitions, ws, "", "", "", "")
	if err != nil {
		return nil, fmt.Errorf("listing partitions: %w", err)
	}
	sizes := make([]memory.PartitionSize, 0, len(found))
	for _, p := range found {
		n, err := store.One[int64](ctx, ix.db.Read(), countVectors, p.ID)
		if err != nil {
			return nil, fmt.Errorf("counting the vectors of %s: %w", p.Scope, err)
		}
		sizes = append(sizes, memory.PartitionSize{Partition: p.key(), Vectors: n})
	}
	return sizes, nil
}

func packFloats(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func unpackFloats(b []byte) []float32 {
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}
