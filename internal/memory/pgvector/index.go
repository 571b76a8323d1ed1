package pgvector

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/store"
)

// Missing is the code of Prepare's fault when the server has no pgvector.
const Missing = "pgvector_missing"

// Options are what an Index needs.
type Options struct {
	DB *store.DB // required: on PostgreSQL
	// Large is how many vectors make a partition worth a graph of its own; 0: 20,000.
	Large int
}

// Index serves memory.Index from PostgreSQL. It keeps nothing in memory, so
// any number of servers share it.
type Index struct {
	db    *store.DB
	large int
}

// New makes an index. Prepare must have succeeded once before it is used.
func New(opts Options) (*Index, error) {
	if opts.DB == nil {
		return nil, errors.New("pgvector: Options.DB is nil")
	}
	return &Index{db: opts.DB, large: cmp.Or(opts.Large, 20_000)}, nil
}

// Prepare makes the extension and the tables, where they are missing.
func (ix *Index) Prepare(ctx context.Context) error {
	n, err := store.One[int](ctx, ix.db.Read(), hasExtension)
	if err != nil {
		return fmt.Errorf("looking for pgvector: %w", err)
	}
	if n == 0 {
		return fault.New(fault.Unavailable, Missing, "The PostgreSQL server has no pgvector, so memory is searched by words alone.").
			WithHint("Install the package postgresql-NN-pgvector on the database server, then restart Fluxway.")
	}
	return ix.db.InTx(ctx, func(tx *store.Tx) error {
		for _, statement := range []string{lockSchema, createExtension, createPartitions, createVectors} {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return fmt.Errorf("preparing the tables of vectors: %w", err)
			}
		}
		return nil
	})
}

// partition is a row of memory_pgvector_partitions.
type partition struct {
	ID         int64 `db:"id"`
	Dimensions int   `db:"dimensions"`
	Tuned      bool  `db:"tuned"`
}

func find(ctx context.Context, q store.Querier, part memory.Partition) (partition, error) {
	return store.One[partition](ctx, q, selectPartition, part.Workspace, part.Scope, part.Embedder)
}

func (ix *Index) Put(ctx context.Context, tx *store.Tx, part memory.Partition, items ...memory.Vector) error {
	if len(items) == 0 {
		return nil
	}
	if part.Workspace == "" || part.Scope == "" || part.Embedder == "" {
		return fmt.Errorf("putting vectors into %+v: a partition needs a workspace, a scope and an embedder", part)
	}
	p, err := find(ctx, tx, part)
	if errors.Is(err, store.ErrNoRows) {
		if _, err = tx.Exec(ctx, insertPartition, part.Workspace, part.Scope, part.Embedder, len(items[0].Values)); err == nil {
			p, err = find(ctx, tx, part)
		}
	}
	if err != nil {
		return fmt.Errorf("opening the partition %s of vectors: %w", part.Scope, err)
	}
	for _, item := range items {
		if len(item.Values) != p.Dimensions {
			return fault.New(fault.Invalid, "vector_size", "A vector of %d numbers does not fit a partition of %d.", len(item.Values), p.Dimensions)
		}
		if _, err := tx.Exec(ctx, upsertVector, p.ID, item.ID, literal(item.Values)); err != nil {
			return fmt.Errorf("adding the vector of %s: %w", item.ID, err)
		}
	}
	return nil
}

func (ix *Index) Delete(ctx context.Context, tx *store.Tx, part memory.Partition, gone ...string) error {
	if part.Scope == "" {
		return errors.New("deleting vectors: a partition needs a scope")
	}
	for _, id := range gone {
		if _, err := tx.Exec(ctx, deleteVector, part.Workspace, part.Scope, part.Embedder, part.Embedder, id); err != nil {
			return fmt.Errorf("deleting the vector of %s: %w", id, err)
		}
	}
	return nil
}

func (ix *Index) Clear(ctx context.Context, tx *store.Tx, part memory.Partition) error {
	if part.Workspace == "" {
		return errors.New("clearing vectors: a partition needs a workspace")
	}
	type row struct {
		ID    int64 `db:"id"`
		Tuned bool  `db:"tuned"`
	}
	found, err := store.All[row](ctx, tx, selectPartitions, part.Workspace, part.Scope, part.Scope, part.Embedder, part.Embedder)
	if err != nil {
		return fmt.Errorf("finding the partitions to clear: %w", err)
	}
	for _, p := range found {
		statements := []string{}
		if p.Tuned {
			statements = append(statements, fmt.Sprintf(dropNearest, p.ID), fmt.Sprintf(dropGraph, p.ID))
		}
		for _, statement := range statements {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return fmt.Errorf("clearing the vectors of %s: %w", part.Scope, err)
			}
		}
		if _, err := tx.Exec(ctx, deletePartition, p.ID); err != nil { // its vectors go with it
			return fmt.Errorf("clearing the vectors of %s: %w", part.Scope, err)
		}
	}
	return nil
}

func (ix *Index) Search(ctx context.Context, q memory.VectorQuery) ([]memory.Match, error) {
	if q.Limit <= 0 || len(q.Partitions) == 0 || q.Only != nil && len(q.Only) == 0 {
		return nil, nil
	}
	var all []memory.Match
	for i, part := range q.Partitions {
		if part.Embedder != q.Partitions[0].Embedder {
			return nil, fmt.Errorf("searching vectors: %s and %s do not compare", part.Embedder, q.Partitions[0].Embedder)
		}
		if slices.Contains(q.Partitions[:i], part) {
			continue
		}
		found, err := ix.searchOne(ctx, part, q)
		if err != nil {
			return nil, fmt.Errorf("searching the vectors of %s: %w", part.Scope, err)
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b memory.Match) int {
		if a.Score != b.Score {
			return cmp.Compare(b.Score, a.Score)
		}
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Partition.Scope, b.Partition.Scope))
	})
	return all[:min(len(all), q.Limit)], nil
}

func (ix *Index) searchOne(ctx context.Context, part memory.Partition, q memory.VectorQuery) ([]memory.Match, error) {
	p, err := find(ctx, ix.db.Read(), part)
	if errors.Is(err, store.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if len(q.Vector) != p.Dimensions {
		return nil, fault.New(fault.Invalid, "vector_size", "A question of %d numbers does not fit vectors of %d.", len(q.Vector), p.Dimensions)
	}
	asked := literal(q.Vector)
	// A filter may drop what was found, so more is asked for until it leaves enough.
	for most := q.Limit; ; most *= 4 {
		rows, err := ix.nearest(ctx, p, q.Only, asked, most)
		if err != nil {
			return nil, err
		}
		var found []memory.Match
		for _, r := range rows {
			if len(found) < q.Limit && (q.Allow == nil || q.Allow(r.ID)) {
				found = append(found, memory.Match{Partition: part, ID: r.ID, Score: r.Score})
			}
		}
		if len(found) == q.Limit || len(rows) < most {
			return found, nil
		}
	}
}

// near is a row found.
type near struct {
	ID    string  `db:"id"`
	Score float32 `db:"score"`
}

func (ix *Index) nearest(ctx context.Context, p partition, only []string, asked string, most int) ([]near, error) {
	if only != nil {
		list, err := json.Marshal(only)
		if err != nil {
			return nil, err
		}
		return store.All[near](ctx, ix.db.Read(), searchOnly, asked, p.ID, string(list), most)
	}
	if p.Tuned {
		return store.All[near](ctx, ix.db.Read(), fmt.Sprintf(searchTuned, p.ID), asked, most)
	}
	return store.All[near](ctx, ix.db.Read(), searchAll, asked, p.ID, most)
}

// page is how many rows a walk reads at a time.
const page = 512

func (ix *Index) Vectors(ctx context.Context, part memory.Partition, after string) iter.Seq2[memory.Vector, error] {
	type row struct {
		ID  string `db:"id"`
		Vec string `db:"vec"`
	}
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
			for _, r := range rows {
				var values []float32
				if values, err = parse(r.Vec); err != nil {
					break
				}
				if !yield(memory.Vector{ID: r.ID, Values: values}, nil) {
					return
				}
				after = r.ID
			}
			if err == nil && len(rows) < page {
				return
			}
		}
		yield(memory.Vector{}, fmt.Errorf("reading the vectors of %s: %w", part.Scope, err))
	}
}

func (ix *Index) Partitions(ctx context.Context, ws ids.Workspace) ([]memory.PartitionSize, error) {
	type row struct {
		Workspace ids.Workspace `db:"workspace_id"`
		Scope     string        `db:"scope"`
		Embedder  string        `db:"embedder"`
		Vectors   int64         `db:"vectors"`
	}
	rows, err := store.All[row](ctx, ix.db.Read(), selectSizes, ws)
	if err != nil {
		return nil, fmt.Errorf("listing partitions: %w", err)
	}
	sizes := make([]memory.PartitionSize, len(rows))
	for i, r := range rows {
		sizes[i] = memory.PartitionSize{Partition: memory.Partition{Workspace: r.Workspace, Scope: r.Scope, Embedder: r.Embedder}, Vectors: r.Vectors}
	}
	return sizes, nil
}

// literal writes a vector as pgvector reads it.
func literal(v []float32) string {
	b := append(make([]byte, 0, 12*len(v)), '[')
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(x), 'g', 6, 32)
	}
	return string(append(b, ']'))
}

// parse reads what pgvector wrote, and makes it of length one again.
func parse(text string) ([]float32, error) {
	fields := strings.Split(strings.Trim(text, "[]"), ",")
	v := make([]float32, len(fields))
	var squares float64
	for i, f := range fields {
		x, err := strconv.ParseFloat(f, 32)
		if err != nil {
			return nil, fmt.Errorf("parsing a vector: %w", err)
		}
		v[i] = float32(x)
		squares += x * x
	}
	if squares > 0 {
		for i := range v {
			v[i] /= float32(math.Sqrt(squares))
		}
	}
	return v, nil
}
