package memory

import (
	"context"
	"errors"
	"fmt"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
)

// Shelf is a database with its index of vectors.
type Shelf struct {
	DB    *store.DB
	Index Index
}

// Copied is what came of copying vectors.
type Copied struct {
	Vectors int64 `json:"vectors"`
	Skipped int64 `json:"skipped"` // their texts are not in the other database
}

const copyBatch = 256

// CopyVectors copies vectors between databases whose rows are the same, as after a backup of one was restored
// into the other: then nothing has to be embedded again. It may be repeated.
func CopyVectors(ctx context.Context, from, to Shelf, progress func(Copied)) (Copied, error) {
	var sum Copied
	row, err := store.One[embedders](ctx, from.DB.Read(), selectEmbedders)
	if errors.Is(err, store.ErrNoRows) {
		return sum, nil // it never had any
	}
	if err != nil {
		return sum, err
	}
	owners, err := store.All[ids.Workspace](ctx, from.DB.Read(), selectOwners)
	if err != nil {
		return sum, err
	}
	for _, ws := range owners {
		parts, err := from.Index.Partitions(ctx, ws)
		if err != nil {
			return sum, err
		}
		for _, p := range parts {
			if p.Partition.Embedder != row.Serving {
				continue
			}
			if err := copyPartition(ctx, from, to, p.Partition, &sum, progress); err != nil {
				return sum, fmt.Errorf("copying %s: %w", p.Partition.Scope, err)
			}
		}
	}
	return sum, to.DB.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, upsertEmbedders, row.Serving, row.Serving)
		return err
	})
}

func copyPartition(ctx context.Context, from, to Shelf, part Partition, sum *Copied, progress func(Copied)) error {
	var batch []Vector
	flush := func() error {
		var put int64
		err := to.DB.InTx(ctx, func(tx *store.Tx) error {
			put = 0
			var fit []Vector
			for _, v := range batch {
				n, err := tx.Exec(ctx, claimText, part.Embedder, v.ID, part.Workspace, part.Scope)
				if err != nil {
					return err
				}
				if n == 1 {
					fit = append(fit, v)
				}
			}
			put = int64(len(fit))
			if put == 0 {
				return nil
			}
			return to.Index.Put(ctx, tx, part, fit...)
		})
		sum.Vectors += put
		sum.Skipped += int64(len(batch)) - put
		batch = batch[:0]
		progress(*sum)
		return err
	}
	for v, err := range from.Index.Vectors(ctx, part, "") {
		if err != nil {
			return err
		}
		batch = append(batch, Vector{v.ID, append([]float32(nil), v.Values...)})
		if len(batch) == copyBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if len(batch) == 0 {
		return nil
	}
	return flush()
}

// missed looks at the largest spaces alone, so that a start is quick: have they lost their vectors altogether?
func (m *Mind) missed(ctx context.Context) (bool, error) {
	if m.embedder == nil {
		return false, nil
	}
	name := m.embedder.Name()
	some, err := store.One[bool](ctx, m.db.Read(), anyOf, name)
	if err != nil || !some {
		return false, err
	}
	spaces, err := store.All[ownedSpace](ctx, m.db.Read(), selectLargest)
	if err != nil {
		return false, err
	}
	for _, s := range spaces {
		lost := true
		for _, err := range m.index.Vectors(ctx, Partition{Workspace: s.Workspace, Scope: s.Space, Embedder: name}, "") {
			if err != nil {
				return false, err
			}
			lost = false
			break
		}
		if lost {
			return true, nil
		}
	}
	return false, nil
}

type ownedSpace struct {
	Space     string        `db:"space"`
	Workspace ids.Workspace `db:"workspace_id"`
}

// reconcile has texts embedded anew whose vectors are not there, as after a restore from the other engine.
func (m *Mind) reconcile(ctx context.Context) error {
	if m.embedder == nil {
		return nil
	}
	name := m.embedder.Name()
	owners, err := store.All[ids.Workspace](ctx, m.db.Read(), selectOwners)
	if err != nil {
		return err
	}
	for _, ws := range owners {
		parts, err := m.index.Partitions(ctx, ws)
		if err != nil {
			return err
		}
		have := map[string]int64{}
		for _, p := range parts {
			if p.Partition.Embedder == name {
				have[p.Partition.Scope] = p.Vectors
			}
		}
		spaces, err := store.All[counted](ctx, m.db.Read(), countEmbedded, ws, name)
		if err != nil {
			return err
		}
		for _, s := range spaces {
			if have[s.Name] >= s.N {
				continue
			}
			m.log.InfoContext(ctx, "texts have lost their vectors and are embedded anew", "part", "memory", "texts", s.N-have[s.Name])
			if err := m.db.InTx(ctx, func(tx *store.Tx) error { _, err := tx.Exec(ctx, unembed, s.Name, name); return err }); err != nil {
				return err
			}
			m.waiting.Store(true)
		}
	}
	return nil
}
