package costs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/spool"
	"github.com/fluxway/fluxway/internal/store"
)

// replay writes what a killed process had told its journal only, once. A call
// that began and did not end stays open, for the sweep.
func (l *Ledger) replay(ctx context.Context) error {
	if l.journal == nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx) // half of it would have to be done again
	calls := make(map[ids.Usage]*Reservation)
	var group []*op
	return l.journal.Recover(spool.Left{
		Read: func(entry []byte) error {
			o, err := l.changeOf(ctx, entryKind(entry[0]), entry[1:], calls)
			if o != nil {
				group = append(group, o)
			}
			return err
		},
		Write: func() error {
			all := group
			group = nil
			return l.rewrite(ctx, all)
		},
		Aside: func(file string, why error) {
			l.log.ErrorContext(ctx, "a journal is not understood and was put aside", "part", "costs", "file", file, "err", why)
		},
	})
}

// rewrite writes changes that a journal told.
func (l *Ledger) rewrite(ctx context.Context, group []*op) error {
	l.mu.Lock()
	for _, o := range group {
		l.enqueue(o)
	}
	l.mu.Unlock()
	l.flush()
	for _, o := range group {
		if o.err != nil {
			return fmt.Errorf("writing what the journal has: %w", o.err)
		}
	}
	if len(group) > 0 {
		l.log.InfoContext(ctx, "wrote what a killed process had in its journal", "part", "costs", "entries", len(group))
	}
	return nil
}

// changeOf makes the change that an entry tells; nil when the database has it.
func (l *Ledger) changeOf(ctx context.Context, kind entryKind, entry []byte, calls map[ids.Usage]*Reservation) (*op, error) {
	switch kind {
	case entryBegun:
		rec, err := readRecord(entry)
		if err != nil {
			return nil, err
		}
		r, err := l.stored(ctx, rec.ID)
		if err != nil || r != nil {
			calls[rec.ID] = r
			return nil, err
		}
		r = &Reservation{l: l, rec: rec, behind: true}
		r.value(0)
		calls[rec.ID] = r
		r.row = &op{reserve: r}
		return r.row, nil
	case entryEnded:
		id, x, err := readSettling(entry)
		if err != nil {
			return nil, err
		}
		if x.r = calls[id]; x.r == nil {
			if x.r, err = l.stored(ctx, id); err != nil || x.r == nil {
				return nil, err
			}
		}
		return &op{settle: x}, nil
	}
	return nil, spool.ErrEntry
}

// stored is a call as its row has it; nil when there is none.
func (l *Ledger) stored(ctx context.Context, id ids.Usage) (*Reservation, error) {
	rec, err := store.One[Record](ctx, l.db.Read(), selectRecord, id)
	if errors.Is(err, store.ErrNoRows) {
		return nil, nil //nolint:nilnil // none is an answer
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", id, err)
	}
	return l.revive(rec)
}

// revive makes the reservation of a row whose process is gone.
func (l *Ledger) revive(rec Record) (*Reservation, error) {
	r := &Reservation{l: l, rec: rec, rates: rate(l.catalogue, rec.Provider, rec.Model, rec.At)}
	if rec.Holds == "" {
		return r, nil
	}
	if err := json.Unmarshal([]byte(rec.Holds), &r.holds); err != nil {
		return nil, fmt.Errorf("reading what is held for %s: %w", rec.ID, err)
	}
	return r, nil
}
