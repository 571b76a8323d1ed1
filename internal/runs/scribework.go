package runs

import (
	"context"
	"errors"
	"fmt"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/spool"
	"github.com/fluxway/fluxway/internal/store"
)

// commit writes entries in one transaction, those of a run that is not this attempt's any more excepted.
func (s *scribe) commit(ctx context.Context, group []*entry) (lost map[ids.Run]bool, err error) {
	works := byRun(group)
	err = s.db.InTx(ctx, func(tx *store.Tx) error {
		lost = make(map[ids.Run]bool)
		var lines []line
		for _, w := range works {
			if err := w.last.fence(ctx, tx, lost); err != nil {
				return err
			}
			if lost[w.last.run] {
				continue
			}
			lines = append(lines, w.lines...)
			if err := s.hub.AppendEncoded(tx, w.last.workspace, w.last.channel, w.facts); err != nil {
				return err
			}
		}
		return writeLines(ctx, tx, lines)
	})
	return lost, err
}

// work is what the entries of one run bring.
type work struct {
	last  *entry
	lines []line
	facts []events.Encoded
}

// byRun puts entries of a run together, which lets their facts share rows. Runs of one group do not follow from each
// other: what one of them waits for from another is written before it goes on.
func byRun(group []*entry) []*work {
	var all []*work
	of := make(map[ids.Run]*work)
	for _, e := range group {
		w := of[e.run]
		if w == nil {
			w = &work{}
			of[e.run] = w
			all = append(all, w)
		}
		w.last, w.lines, w.facts = e, append(w.lines, e.lines...), append(w.facts, e.facts...)
	}
	return all
}

// fence writes what the run has done, if it is still this attempt's.
func (e *entry) fence(ctx context.Context, tx *store.Tx, lost map[ids.Run]bool) error {
	n, err := tx.Exec(ctx, journalRun, e.sum.turns, e.sum.calls, e.sum.spent, e.usage, e.sum.first, e.n, e.run, e.attempt, e.n)
	if n == 0 {
		lost[e.run] = true
	}
	return err
}

// replay writes what a process that died has told its journal only, once. An entry that the database has is known
// by its number.
func (s *scribe) replay(ctx context.Context) error {
	if s.spool.Recovered() {
		return nil
	}
	ctx = context.WithoutCancel(ctx) // half of it would have to be done again
	var group []*entry
	err := s.spool.Recover(spool.Left{
		Read: func(raw []byte) error {
			e, err := readEntry(raw)
			if err != nil {
				return err
			}
			known, err := store.One[int64](ctx, s.db.Read(), selectJournaled, e.run, e.attempt)
			if errors.Is(err, store.ErrNoRows) || (err == nil && e.n <= known) {
				return nil
			}
			group = append(group, e)
			return err
		},
		Write: func() error {
			all := group
			if group = nil; len(all) == 0 {
				return nil
			}
			_, err := s.commit(ctx, all)
			if err == nil {
				s.log.InfoContext(ctx, "wrote what a killed process had in its journal", "part", "runs", "entries", len(all))
			}
			return err
		},
		Aside: func(file string, why error) {
			s.log.ErrorContext(ctx, "a journal is not understood and was put aside", "part", "runs", "file", file, "err", why)
		},
	})
	if err != nil {
		return fmt.Errorf("writing what the journal of runs has: %w", err)
	}
	return nil
}
