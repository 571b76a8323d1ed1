package identity

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/rawjson"
	"github.com/fluxway/fluxway/internal/store"
)

// auditHead is the row that says where a chain begins and ends.
type auditHead struct {
	Seq       int64  `db:"seq"`
	Hash      string `db:"hash"`
	StartSeq  int64  `db:"start_seq"`
	StartHash string `db:"start_hash"`
}

// chainEnd is where this process left a chain.
type chainEnd struct {
	seq    int64
	hash   string
	shared bool // another process appended in between
}

// flushAudit gives the rows of one commit their places.
func (d *Directory) flushAudit(ctx context.Context, tx *store.Tx, items []any) error {
	chains := make(map[ids.Workspace][]*AuditRow, 1)
	var order []ids.Workspace
	for _, item := range items {
		row := item.(*AuditRow)
		if chains[row.Workspace] == nil {
			order = append(order, row.Workspace)
		}
		chains[row.Workspace] = append(chains[row.Workspace], row)
	}
	slices.Sort(order) // one order of locks for all processes
	for _, ws := range order {
		if err := d.appendChain(ctx, tx, ws, chains[ws]); err != nil {
			return fmt.Errorf("appending to the audit of %s: %w", ws, err)
		}
	}
	return nil
}

// appendChain moves the head, which locks it, so that two processes on one
// database never fork a chain, and inserts the rows.
func (d *Directory) appendChain(ctx context.Context, tx *store.Tx, ws ids.Workspace, rows []*AuditRow) error {
	end, err := d.moveHead(ctx, tx, ws, rows)
	if err != nil {
		return err
	}
	if err := insertRows(ctx, tx, rows); err != nil {
		return err
	}
	tx.AfterCommit(func() { d.ends[ws] = end })
	return nil
}

// moveHead chains the rows to the end of the chain. As long as nobody else
// appends, the end is the one this process left, and one statement both checks
// that and moves it.
func (d *Directory) moveHead(ctx context.Context, tx *store.Tx, ws ids.Workspace, rows []*AuditRow) (chainEnd, error) {
	left, known := d.ends[ws]
	if known && !left.shared {
		end := chain(rows, left)
		n, err := tx.Exec(ctx, moveHead, end.seq, end.hash, string(ws), left.seq, left.hash)
		if err != nil || n == 1 {
			return end, err
		}
	}
	head, err := lockHead(ctx, tx, ws)
	if err != nil {
		return chainEnd{}, err
	}
	end := chain(rows, chainEnd{seq: head.Seq, hash: head.Hash})
	end.shared = known && (left.seq != head.Seq || left.hash != head.Hash)
	_, err = tx.Exec(ctx, updateHead, end.seq, end.hash, string(ws))
	return end, err
}

func lockHead(ctx context.Context, tx *store.Tx, ws ids.Workspace) (auditHead, error) {
	head, err := store.One[auditHead](ctx, tx, lockAuditHead, ws)
	if !errors.Is(err, store.ErrNoRows) {
		return head, err
	}
	if _, err := tx.Exec(ctx, insertHead, ws); err != nil {
		return head, err
	}
	return store.One[auditHead](ctx, tx, lockAuditHead, ws)
}

// chain gives the rows the places behind end, and says where that leads.
func chain(rows []*AuditRow, end chainEnd) chainEnd {
	for _, r := range rows {
		end.seq++
		r.Seq = end.seq
		r.Hash = r.link(end.hash)
		end.hash = r.Hash
	}
	return end
}

// insertRows writes many rows with few statements.
func insertRows(ctx context.Context, tx *store.Tx, rows []*AuditRow) error {
	args := make([]any, 0, min(len(rows), auditRowsAtOnce)*auditWidth)
	for len(rows) > 0 {
		statement, n := insertAudit, 1
		if len(rows) >= auditRowsAtOnce {
			statement, n = insertAudits, auditRowsAtOnce
		}
		args = args[:0]
		for _, r := range rows[:n] {
			args = append(args, string(r.Workspace), r.Seq, string(r.ID), r.At.UnixMicro(), r.Actor, r.ActorName, string(r.Via), string(r.Key),
				r.Action, r.Resource, string(r.Result), r.Note, string(r.Before), string(r.After), r.IP, r.Request, r.Hash)
		}
		if _, err := tx.Exec(ctx, statement, args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// link is the hash that chains the row to the one before: of a JSON list of
// the version, the hash before and the columns.
func (r *AuditRow) link(previous string) string {
	text := append(make([]byte, 0, 1<<10), "[1"...)
	text = appendWords(text, previous, string(r.Workspace))
	text = strconv.AppendInt(append(text, ','), r.Seq, 10)
	text = appendWords(text, string(r.ID))
	text = strconv.AppendInt(append(text, ','), r.At.UnixMicro(), 10)
	text = appendWords(text, r.Actor, r.ActorName, string(r.Via), string(r.Key), r.Action, r.Resource, string(r.Result), r.Note,
		string(r.Before), string(r.After), r.IP, r.Request)
	sum := sha256.Sum256(append(text, ']'))
	return hex.EncodeToString(sum[:])
}

func appendWords(text []byte, words ...string) []byte {
	for _, w := range words {
		text = rawjson.AppendString(append(text, ','), w) // what json.Marshal makes of it: existing chains were hashed that way
	}
	return text
}
