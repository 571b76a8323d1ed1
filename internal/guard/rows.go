package guard

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/spool"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

const (
	journalEvery = 100 * time.Millisecond
	journalRetry = time.Second // after a commit that failed
	journalRows  = 512         // that wait at the most; then the one who adds the next writes them all
)

// journal keeps rows of calls in a file until the database takes them in groups: a commit costs more than most
// calls. What is in the file survives the process.
type journal struct {
	spool *spool.Spool
	wake  chan struct{} // holds one: there are rows

	flushing sync.Mutex            // one flush at a time; before mu
	begun    map[ids.ToolCall]bool // calls whose rows say that they run; guarded by flushing

	mu     sync.Mutex // guards the fields below
	rows   []ToolCall
	leaves []*spool.Leaf // of the rows
	spare  []ToolCall    // empty, for the next rows
	idle   []*spool.Leaf // the same for leaves
}

func newJournal(dir string) *journal {
	return &journal{spool: spool.New(dir, "calls"), wake: make(chan struct{}, 1), begun: make(map[ids.ToolCall]bool)}
}

// add keeps a row; it says how many wait.
func (j *journal) add(c *ToolCall) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	leaf, err := j.spool.Add(c.append)
	if err != nil {
		return 0, fmt.Errorf("writing a call down: %w", err)
	}
	j.rows, j.leaves = append(j.rows, *c), append(j.leaves, leaf)
	if len(j.rows) == 1 {
		j.tell()
	}
	return len(j.rows), nil
}

// take gives the rows that wait.
func (j *journal) take() ([]ToolCall, []*spool.Leaf) {
	j.mu.Lock()
	defer j.mu.Unlock()
	rows, leaves := j.rows, j.leaves
	j.rows, j.leaves, j.spare, j.idle = j.spare, j.idle, nil, nil
	return rows, leaves
}

// again lets the memory of rows that are written be used for the next ones.
func (j *journal) again(rows []ToolCall, leaves []*spool.Leaf) {
	clear(rows)
	clear(leaves)
	j.mu.Lock()
	defer j.mu.Unlock()
	if cap(rows) <= 2*journalRows {
		j.spare, j.idle = rows[:0], leaves[:0]
	}
}

// back puts rows that could not be written before those that came since.
func (j *journal) back(rows []ToolCall, leaves []*spool.Leaf) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.rows, j.leaves = append(rows, j.rows...), append(leaves, j.leaves...)
	j.tell()
}

// tell has the rows written in a moment.
func (j *journal) tell() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// Flush writes what waits in the journal into the database.
func (g *Guard) Flush(ctx context.Context) error {
	if g.journal == nil {
		return nil
	}
	g.journal.flushing.Lock()
	defer g.journal.flushing.Unlock()
	if err := g.replay(ctx); err != nil {
		return err
	}
	rows, leaves := g.journal.take()
	if len(rows) == 0 {
		return nil
	}
	if err := g.writeOwn(ctx, rows); err != nil {
		g.journal.back(rows, leaves)
		return err
	}
	if err := g.journal.spool.Written(leaves); err != nil {
		return fmt.Errorf("shortening the journal of calls: %w", err)
	}
	g.journal.again(rows, leaves)
	return nil
}

// writeRows writes rows in one transaction; of a call that began and ended meanwhile only the end.
func (g *Guard) writeRows(ctx context.Context, rows []ToolCall) error {
	ends := lastRows(rows)
	err := g.db.InTx(ctx, func(tx *store.Tx) error { return putRows(ctx, tx, ends) })
	if err != nil {
		return fmt.Errorf("writing the journal of calls: %w", err)
	}
	return nil
}

// lastRows lists the last row of each call.
func lastRows(rows []ToolCall) []*ToolCall {
	last := make(map[ids.ToolCall]int, len(rows))
	for i := range rows {
		last[rows[i].ID] = i
	}
	ends := make([]*ToolCall, 0, len(last))
	for i := range rows {
		if last[rows[i].ID] == i {
			ends = append(ends, &rows[i])
		}
	}
	return ends
}

// maxBegun bounds how many calls are remembered that have begun; what is not known is only written more slowly.
const maxBegun = 10_000

// writeOwn writes rows of calls of this process, of which it knows whether they have a row already. The caller holds flushing.
func (g *Guard) writeOwn(ctx context.Context, rows []ToolCall) error {
	ends := lastRows(rows)
	var fresh, known []*ToolCall
	for _, c := range ends {
		if g.journal.begun[c.ID] {
			known = append(known, c)
		} else {
			fresh = append(fresh, c)
		}
	}
	err := g.db.InTx(ctx, func(tx *store.Tx) error {
		if err := writeCalls(ctx, tx, fresh, insertCalls); err != nil {
			return err
		}
		return putRows(ctx, tx, known)
	})
	if g.db.IsUnique(err) {
		err = g.db.InTx(ctx, func(tx *store.Tx) error { return putRows(ctx, tx, ends) })
	}
	if err != nil {
		return fmt.Errorf("writing the journal of calls: %w", err)
	}
	if len(g.journal.begun) > maxBegun {
		clear(g.journal.begun)
	}
	for _, c := range ends {
		if c.Outcome == OutcomeStarted {
			g.journal.begun[c.ID] = true
		} else {
			delete(g.journal.begun, c.ID)
		}
	}
	return nil
}

// putRows writes rows of different calls, of which some may have one.
func putRows(ctx context.Context, tx *store.Tx, rows []*ToolCall) error {
	return writeCalls(ctx, tx, rows, putCalls)
}

func writeCalls(ctx context.Context, tx *store.Tx, rows []*ToolCall, statements map[int]string) error {
	args := make([]any, 0, callArgs*min(len(rows), callSizes[0]))
	var at [maxCalls]int64
	for rest := rows; len(rest) > 0; {
		n := callSizes[slices.IndexFunc(callSizes[:], func(size int) bool { return size <= len(rest) })]
		args = args[:0]
		for i, c := range rest[:n] {
			at[i] = c.At.UnixMicro()
			args = append(args, (*string)(&c.ID), (*string)(&c.Workspace), &at[i], &c.Door, (*string)(&c.User), &c.Agent, (*string)(&c.Run), (*string)(&c.Conversation),
				&c.Turn, &c.Call, &c.Tool, &c.Origin, (*string)(&c.Level), &c.Folder, &c.Args, &c.ArgsSize, (*string)(&c.Verdict), &c.Rule, &c.Reason, &c.Ticket,
				(*string)(&c.Outcome), &c.Code, &c.Took, &c.ResultSize, c.Truncated)
		}
		if _, err := tx.Exec(ctx, statements[n], args...); err != nil {
			return err
		}
		rest = rest[n:]
	}
	for _, c := range rows {
		if c.Ticket == "" || c.Verdict != tools.Allow {
			continue
		}
		if _, err := tx.Exec(ctx, approveCall, c.Workspace, c.ID); err != nil {
			return err
		}
	}
	return nil
}

// replay writes what processes that died have left, once. The caller holds flushing.
func (g *Guard) replay(ctx context.Context) error {
	var rows []ToolCall
	err := g.journal.spool.Recover(spool.Left{
		Read: func(entry []byte) error {
			c, err := readCall(entry)
			if err == nil {
				rows = append(rows, c)
			}
			return err
		},
		Write: func() error {
			group := rows
			if rows = nil; len(group) == 0 {
				return nil
			}
			return g.writeRows(ctx, group)
		},
		Aside: func(file string, why error) {
			g.log.ErrorContext(ctx, "a journal is not understood and was put aside", "part", "guard", "file", file, "err", why)
		},
	})
	if err != nil {
		return fmt.Errorf("writing what the journal of calls has: %w", err)
	}
	return nil
}

// keepJournal writes rows a moment after they came, until ctx ends.
func (g *Guard) keepJournal(ctx context.Context) {
	if g.journal == nil {
		return
	}
	defer func() {
		if err := g.journal.spool.Close(); err != nil {
			g.log.ErrorContext(ctx, "journal not closed", "part", "guard", "err", err)
		}
	}()
	pause := journalEvery
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			if err := g.Flush(last); err != nil {
				g.log.ErrorContext(last, "calls stay in the journal until the next start", "part", "guard", "err", err)
			}
			return
		case <-g.journal.wake:
		}
		timer := time.NewTimer(pause)
		pause = journalEvery
		select {
		case <-ctx.Done():
		case <-timer.C:
			if err := g.Flush(ctx); err != nil && ctx.Err() == nil {
				g.log.WarnContext(ctx, "calls wait in the journal", "part", "guard", "err", err)
				pause = journalRetry
			}
		}
		timer.Stop()
	}
}
