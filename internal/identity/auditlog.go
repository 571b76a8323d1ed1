package identity

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/store"
)

// AuditQuery chooses audit rows; empty fields choose all.
type AuditQuery struct {
	Actor    string // a user's id or login
	Action   string
	Resource string
	Result   Result
	Since    time.Time // at or after
	Until    time.Time // before
}

// sql chooses between the two statements, which differ in whether they ask
// for one resource, and gives the arguments they share.
func (q AuditQuery) sql(all, ofOne string, ws ids.Workspace) (statement string, args []any) {
	since, until := int64(math.MinInt64), int64(math.MaxInt64)
	if !q.Since.IsZero() {
		since = q.Since.UnixMicro()
	}
	if !q.Until.IsZero() {
		until = q.Until.UnixMicro()
	}
	args = []any{ws, q.Actor, q.Actor, q.Actor, q.Action, q.Action, q.Result, q.Result, since, until}
	if q.Resource == "" {
		return all, args
	}
	return ofOne, append([]any{ws, q.Resource}, args...)
}

// AuditLog lists what happened in the caller's workspace, newest first.
func (d *Directory) AuditLog(ctx context.Context, q AuditQuery, p page.Query) (page.Page[AuditRow], error) {
	id, err := caller(ctx)
	if err != nil {
		return page.Page[AuditRow]{}, err
	}
	if err := id.Must("audit:read"); err != nil {
		return page.Page[AuditRow]{}, err
	}
	before, ok, err := page.Decode[int64](p.Cursor)
	if err != nil {
		return page.Page[AuditRow]{}, err
	}
	if !ok {
		before = math.MaxInt64
	}
	statement, args := q.sql(selectAuditDown, selectAuditOfDown, id.Workspace)
	rows, err := store.All[AuditRow](ctx, d.db.Read(), statement, append(args, before, p.Size()+1)...)
	if err != nil {
		return page.Page[AuditRow]{}, fmt.Errorf("listing the audit of %s: %w", id.Workspace, err)
	}
	return page.Of(p, rows, func(r AuditRow) int64 { return r.Seq }), nil
}

// ExportFormat is how audit rows are written out.
type ExportFormat string

// The formats.
const (
	CSV   ExportFormat = "csv"
	JSONL ExportFormat = "jsonl"
)

// exportChunk is how many rows are read at once: a slow reader must not hold a
// database connection.
const exportChunk = 1000

// ExportAudit writes the chosen rows of the caller's workspace to w, oldest
// first, with their hashes.
func (d *Directory) ExportAudit(ctx context.Context, w io.Writer, q AuditQuery, format ExportFormat) error {
	id, err := caller(ctx)
	if err != nil {
		return err
	}
	if err := id.Must("audit:read"); err != nil {
		return err
	}
	write, err := exporter(w, format)
	if err != nil {
		return err
	}
	statement, args := q.sql(selectAuditUp, selectAuditOfUp, id.Workspace)
	for after := int64(0); ; {
		rows, err := store.All[AuditRow](ctx, d.db.Read(), statement, slices.Concat(args, []any{after, exportChunk})...)
		if err != nil {
			return fmt.Errorf("exporting the audit of %s: %w", id.Workspace, err)
		}
		if err := write(rows); err != nil {
			return err
		}
		if len(rows) < exportChunk {
			return nil
		}
		after = rows[len(rows)-1].Seq
	}
}

func exporter(w io.Writer, format ExportFormat) (func([]AuditRow) error, error) {
	switch format {
	case JSONL:
		encoder := json.NewEncoder(w)
		return func(rows []AuditRow) error {
			for _, r := range rows {
				if err := encoder.Encode(r); err != nil {
					return err
				}
			}
			return nil
		}, nil
	case CSV:
		table := csv.NewWriter(w)
		if err := table.Write(csvHeader); err != nil {
			return nil, err
		}
		return func(rows []AuditRow) error {
			for _, r := range rows {
				if err := table.Write(r.cells()); err != nil {
					return err
				}
			}
			table.Flush()
			return table.Error()
		}, nil
	}
	return nil, fault.New(fault.Invalid, "unknown_format", "There is no export format %q.", format).WithParam("format").
		WithHint("Use csv or jsonl.")
}

var csvHeader = []string{"seq", "id", "at", "actor", "actor_name", "via", "key", "action", "resource", "result", "note", "before", "after",
	"ip", "request_id", "hash"}

func (r AuditRow) cells() []string {
	cells := []string{strconv.FormatInt(r.Seq, 10), string(r.ID), r.At.Format(time.RFC3339Nano), r.Actor, r.ActorName, string(r.Via),
		string(r.Key), r.Action, r.Resource, string(r.Result), r.Note, string(r.Before), string(r.After), r.IP, r.Request, r.Hash}
	for i, c := range cells {
		if c != "" && strings.ContainsRune("=+-@\t\r", rune(c[0])) { // a spreadsheet would run it
			cells[i] = "'" + c
		}
	}
	return cells
}

// Verification is what checking a chain found.
type Verification struct {
	OK     bool   `json:"ok"`
	Rows   int64  `json:"rows"`            // checked
	First  int64  `json:"first,omitempty"` // the oldest row that is kept
	Last   int64  `json:"last"`
	Hash   string `json:"hash"`             // of the last row: note it elsewhere to prove later that nothing was rewritten
	Broken int64  `json:"broken,omitempty"` // the first row that is missing or changed
	Reason string `json:"reason,omitempty"`
}

// trimmed is what retention leaves in the chain about what it removed.
type trimmed struct {
	Seq     int64  `json:"seq"`
	Hash    string `json:"row_hash"`
	Removed int64  `json:"removed"`
}

const trimAction = "audit.trim"

// VerifyAudit checks every row of a workspace's chain and names the first one
// that is missing or was changed.
func (d *Directory) VerifyAudit(ctx context.Context, ws ids.Workspace) (Verification, error) {
	for {
		head, err := d.head(ctx, ws)
		if err != nil {
			return Verification{}, err
		}
		c, err := d.walk(ctx, ws, head)
		if err != nil {
			return Verification{}, err
		}
		v := c.conclude(head)
		if v.OK {
			return v, nil
		}
		now, err := d.head(ctx, ws)
		if err != nil || now.StartSeq == head.StartSeq {
			return v, err
		} // retention removed rows while we read: look again
	}
}

func (d *Directory) head(ctx context.Context, ws ids.Workspace) (auditHead, error) {
	head, err := store.One[auditHead](ctx, d.db.Read(), selectHead, ws)
	if err != nil && !errors.Is(err, store.ErrNoRows) {
		return auditHead{}, fmt.Errorf("reading the head of the audit of %s: %w", ws, err)
	}
	return head, nil
}

func (d *Directory) walk(ctx context.Context, ws ids.Workspace, head auditHead) (*checker, error) {
	c := &checker{seq: head.StartSeq, hash: head.StartHash}
	for {
		rows, err := store.All[AuditRow](ctx, d.db.Read(), selectAuditChain, ws, c.seq, exportChunk)
		if err != nil {
			return nil, fmt.Errorf("verifying the audit of %s: %w", ws, err)
		}
		for i := range rows {
			if rows[i].Seq > head.Seq || !c.check(&rows[i]) { // behind the head: appended since we looked at it
				return c, nil
			}
		}
		if len(rows) < exportChunk {
			return c, nil
		}
	}
}

// checker walks a chain.
type checker struct {
	seq    int64
	hash   string
	rows   int64
	broken int64
	reason string
	start  trimmed // the last trim that the chain itself tells of
}

func (c *checker) check(r *AuditRow) bool {
	switch {
	case r.Seq != c.seq+1:
		return c.fail(c.seq+1, "the row is missing")
	case r.link(c.hash) != r.Hash:
		return c.fail(r.Seq, "the row or one before it was changed")
	}
	if r.Action == trimAction {
		if err := json.Unmarshal(r.After, &c.start); err != nil {
			return c.fail(r.Seq, "the row about removed rows cannot be read")
		}
	}
	c.seq, c.hash = r.Seq, r.Hash
	c.rows++
	return true
}

func (c *checker) fail(seq int64, reason string) bool {
	c.broken, c.reason = seq, reason
	return false
}

func (c *checker) conclude(head auditHead) Verification {
	switch {
	case c.broken != 0:
	case c.seq != head.Seq:
		c.fail(c.seq+1, "the row is missing at the end")
	case c.hash != head.Hash:
		c.fail(c.seq, "the end of the chain was changed")
	case head.StartSeq != c.start.Seq || head.StartHash != c.start.Hash:
		c.fail(head.StartSeq+1, "rows before it were removed by something other than retention")
	}
	v := Verification{OK: c.broken == 0, Rows: c.rows, Last: head.Seq, Hash: head.Hash, Broken: c.broken, Reason: c.reason}
	if c.rows > 0 {
		v.First = head.StartSeq + 1
	}
	return v
}

// trimChunk bounds how many rows one transaction removes.
const trimChunk = 5000

// TrimAudit removes rows older than before. The hash of the last one removed is
// kept, and told by a row of the chain itself, so that the rest still verifies.
func (d *Directory) TrimAudit(ctx context.Context, ws ids.Workspace, before time.Time) (int64, error) {
	var removed int64
	for {
		n, err := d.trimSome(ctx, ws, before)
		removed += n
		if err != nil || n < trimChunk {
			return removed, err
		}
	}
}

func (d *Directory) trimSome(ctx context.Context, ws ids.Workspace, before time.Time) (int64, error) {
	if quick, err := d.trimUntil(ctx, d.db.Read(), ws, before); err != nil || quick.Seq == 0 {
		return 0, err
	}
	var n int64
	err := d.db.InTx(ctx, func(tx *store.Tx) error {
		if _, err := lockHead(ctx, tx, ws); err != nil { // nobody appends or trims meanwhile
			return err
		}
		cut, err := d.trimUntil(ctx, tx, ws, before)
		if err != nil || cut.Seq == 0 {
			n = 0
			return err
		}
		if n, err = tx.Exec(ctx, deleteAudit, ws, cut.Seq); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, updateAuditStart, cut.Seq, cut.Hash, ws); err != nil {
			return err
		}
		cut.Removed = n
		return d.Audit(ctx, tx, Entry{Workspace: ws, Action: trimAction, Resource: "audit", After: cut})
	})
	return n, err
}

// trimUntil finds the last row to remove; none if Seq is 0.
func (d *Directory) trimUntil(ctx context.Context, q store.Querier, ws ids.Workspace, before time.Time) (trimmed, error) {
	head, err := store.One[auditHead](ctx, q, selectHead, ws)
	if errors.Is(err, store.ErrNoRows) {
		return trimmed{}, nil
	}
	if err != nil {
		return trimmed{}, err
	}
	// The newest stays: else an idle chain would be trimmed of its own trims for ever.
	last := min(head.Seq-1, head.StartSeq+trimChunk)
	kept, err := store.One[int64](ctx, q, selectAuditFirstKept, ws, before, last)
	if err != nil && !errors.Is(err, store.ErrNoRows) {
		return trimmed{}, err
	}
	if kept > 0 {
		last = kept - 1
	}
	if last <= head.StartSeq {
		return trimmed{}, nil
	}
	hash, err := store.One[string](ctx, q, selectAuditHash, ws, last)
	if errors.Is(err, store.ErrNoRows) {
		return trimmed{}, fmt.Errorf("the audit chain of %s has no row %d; nothing is removed", ws, last)
	}
	return trimmed{Seq: last, Hash: hash}, err
}
