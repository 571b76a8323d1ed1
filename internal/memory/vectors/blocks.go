package vectors

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/fluxway/fluxway/internal/store"
)

const (
	// exactLimit is how many vectors a partition has when codes are made for it;
	// up to there it is held in memory whole, and comparing them all is quick.
	exactLimit = 10 * chunkSize
	// chunkSize is how many codes are kept and held together.
	chunkSize = 1024
	// centreSample is how many vectors the centre is the mean of.
	centreSample = 4 * chunkSize
	// recount is how many slots are used between two counts of a partition.
	recount = 256
)

// entrySize is what a block has for each vector: the lower half of its slot,
// the numbers of its code, and the bits.
func entrySize(dimensions int) int { return 12 + codeBytes(dimensions) }

func appendEntry(b []byte, slot int64, c code, bits []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(slot))
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(c.stretch))
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(c.along))
	return append(b, bits...)
}

func parseEntry(b []byte) (slot uint32, c code, bits []byte) {
	c.stretch = math.Float32frombits(binary.LittleEndian.Uint32(b[4:]))
	c.along = math.Float32frombits(binary.LittleEndian.Uint32(b[8:]))
	return binary.LittleEndian.Uint32(b), c, b[12:]
}

// seal puts the codes of the oldest rows that have none into blocks, when
// enough have gathered. It does a bounded part of the work per call.
func seal(ctx context.Context, tx *store.Tx, p *partition, last int64, added int) error {
	for range 2 + added/chunkSize {
		from := max(p.Sealed, firstSlot(p.ID))
		open := last - from
		if p.Centre == nil && open <= exactLimit || open < 2*chunkSize {
			return nil
		}
		if p.Centre == nil {
			// Deletes leave gaps, so there may be far fewer rows than slots. They
			// are counted now and then.
			if last/recount == (last-int64(added))/recount {
				return nil
			}
			n, err := store.One[int64](ctx, tx, countVectors, p.ID)
			if err != nil || n <= exactLimit {
				return err
			}
			if p.Centre, err = centreOf(ctx, tx, p); err != nil {
				return err
			}
		}
		if err := sealOne(ctx, tx, p, from); err != nil {
			return err
		}
	}
	return nil
}

// centreOf is the mean of some vectors: what they have in common tells none
// from another.
func centreOf(ctx context.Context, tx *store.Tx, p *partition) ([]byte, error) {
	rows, err := store.All[row](ctx, tx, selectRows, firstSlot(p.ID), lastSlot(p.ID), centreSample)
	if err != nil {
		return nil, err
	}
	centre, steps := make([]float32, p.Dimensions), make([]int16, p.Dimensions)
	for _, r := range rows {
		if len(r.Vec) != rowSize(p.Dimensions) {
			return nil, fmt.Errorf("the vector of %s is damaged", r.ID)
		}
		scale := unpackRow(steps, r.Vec) / float32(len(rows))
		for i, s := range steps {
			centre[i] += float32(s) * scale
		}
	}
	return packFloats(centre), nil
}

// sealOne makes the next block.
func sealOne(ctx context.Context, tx *store.Tx, p *partition, from int64) error {
	centre, steps, bits := unpackFloats(p.Centre), make([]int16, p.Dimensions), make([]byte, codeBytes(p.Dimensions))
	block := make([]byte, 0, chunkSize*entrySize(p.Dimensions))
	rows, err := tx.Query(ctx, selectRows, from, lastSlot(p.ID), chunkSize)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id, vec sql.RawBytes
		if err := rows.Scan(&p.Sealed, &id, &vec); err != nil {
			return err
		}
		if len(vec) != rowSize(p.Dimensions) {
			return fmt.Errorf("the vector of %s is damaged", id)
		}
		scale := unpackRow(steps, vec)
		block = appendEntry(block, p.Sealed, encode(bits, scale, steps, centre), bits)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil || len(block) == 0 {
		return err
	}
	if _, err := tx.Exec(ctx, insertBlock, p.Sealed, block); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, updateSealed, p.Sealed, p.Centre, p.ID)
	return err
}

// dig notes that a slot of a block is empty, and writes the block again once
// half of it is.
func dig(ctx context.Context, tx *store.Tx, p *partition, slot int64) error {
	if _, err := tx.Exec(ctx, insertHole, slot); err != nil {
		return err
	}
	type place struct {
		Slot   int64 `db:"slot"`
		Size   int   `db:"size"`
		Before int64 `db:"before"`
	}
	at, err := store.One[place](ctx, tx, selectBlockOf, firstSlot(p.ID), slot, lastSlot(p.ID))
	if errors.Is(err, store.ErrNoRows) {
		return fmt.Errorf("slot %d is in no block", slot)
	}
	if err != nil {
		return err
	}
	from := max(at.Before, firstSlot(p.ID)) + 1
	holes, err := store.One[int](ctx, tx, countHoles, from, at.Slot)
	if err != nil || 2*holes < at.Size/entrySize(p.Dimensions) {
		return err
	}
	return fill(ctx, tx, p, from, at.Slot)
}

// fill writes a block again without its holes. An empty block stays, so that
// every sealed slot is in one.
func fill(ctx context.Context, tx *store.Tx, p *partition, from, to int64) error {
	block, err := store.One[[]byte](ctx, tx, selectBlock, to)
	if err != nil {
		return err
	}
	holes, err := store.All[int64](ctx, tx, selectHoles, from, to)
	if err != nil {
		return err
	}
	empty := make(map[uint32]bool, len(holes))
	for _, slot := range holes {
		empty[uint32(slot)] = true
	}
	left := make([]byte, 0, len(block)/2)
	for size := entrySize(p.Dimensions); len(block) >= size; block = block[size:] {
		if slot, _, _ := parseEntry(block); !empty[slot] {
			left = append(left, block[:size]...)
		}
	}
	if _, err := tx.Exec(ctx, updateBlock, left, to); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, deleteHoles, from, to)
	return err
}
