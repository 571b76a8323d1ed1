package identity

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/observe"
	"github.com/fluxway/fluxway/internal/store"
)

// Result is how a recorded action ended.
type Result string

// The results.
const (
	OK      Result = "ok"
	Denied  Result = "refused" // not allowed to
	Failure Result = "failed"  // allowed, and did not work
)

// Entry is what someone did. Who, from where and in which request is taken
// from the context.
type Entry struct {
	Workspace ids.Workspace // "": the caller's
	Action    string        // what, such as key.create
	Resource  string        // to what, such as keys/key_01…
	Result    Result        // "": OK
	Note      string        // why it failed, or anything worth a word
	Before    any           // marshalled to JSON, secrets masked; nil: nothing
	After     any

	actor     ids.User // when the context does not know yet: at sign-in
	actorName string
}

// AuditRow is one link of a workspace's chain.
type AuditRow struct {
	Workspace ids.Workspace   `json:"workspace" db:"workspace_id"`
	Seq       int64           `json:"seq" db:"seq"`
	ID        ids.Audit       `json:"id" db:"id"`
	At        time.Time       `json:"at" db:"at"`
	Actor     string          `json:"actor" db:"actor"`
	ActorName string          `json:"actor_name" db:"actor_name"`
	Via       Via             `json:"via" db:"via"`
	Key       ids.Key         `json:"key,omitempty" db:"key_id"`
	Action    string          `json:"action" db:"action"`
	Resource  string          `json:"resource" db:"resource"`
	Result    Result          `json:"result" db:"result"`
	Note      string          `json:"note,omitempty" db:"note"`
	Before    json.RawMessage `json:"before,omitempty" db:"before_json"`
	After     json.RawMessage `json:"after,omitempty" db:"after_json"`
	IP        string          `json:"ip,omitempty" db:"ip"`
	Request   string          `json:"request_id,omitempty" db:"request_id"`
	Hash      string          `json:"hash" db:"hash"`
}

// Audit records an action together with the change it belongs to: both are
// committed or neither.
func (d *Directory) Audit(ctx context.Context, tx *store.Tx, e Entry) error {
	row, err := d.rowOf(ctx, e)
	if err != nil {
		return err
	}
	if row.Workspace == "" {
		home, err := store.One[ids.Workspace](ctx, tx, selectHome)
		if err != nil && !errors.Is(err, store.ErrNoRows) {
			return fmt.Errorf("finding the workspace for the audit: %w", err)
		}
		row.Workspace = home
	}
	tx.BeforeCommit(auditKey{}, row, flushAudit)
	if trail := trailOf(ctx); trail != nil {
		tx.AfterCommit(func() { trail.Store(true) })
	}
	return nil
}

// Record is Audit in a transaction of its own, for actions that failed or
// changed no rows.
func (d *Directory) Record(ctx context.Context, e Entry) error {
	return d.db.InTx(ctx, func(tx *store.Tx) error { return d.Audit(ctx, tx, e) })
}

type (
	auditKey struct{}
	trailKey struct{}
)

// WithTrail lets Recorded tell later whether something was recorded under ctx.
func WithTrail(ctx context.Context) context.Context {
	return context.WithValue(ctx, trailKey{}, new(atomic.Bool))
}

// Recorded says whether a part has committed an audit row under a context of
// WithTrail, so that the door need not write a second one.
func Recorded(ctx context.Context) bool {
	trail := trailOf(ctx)
	return trail != nil && trail.Load()
}

func trailOf(ctx context.Context) *atomic.Bool {
	trail, _ := ctx.Value(trailKey{}).(*atomic.Bool)
	return trail
}

// rowOf fills in all but the place in the chain.
func (d *Directory) rowOf(ctx context.Context, e Entry) (*AuditRow, error) {
	before, err := redactedJSON(e.Before)
	if err != nil {
		return nil, fmt.Errorf("recording %s: %w", e.Action, err)
	}
	after, err := redactedJSON(e.After)
	if err != nil {
		return nil, fmt.Errorf("recording %s: %w", e.Action, err)
	}
	origin := OriginOf(ctx)
	row := &AuditRow{
		Workspace: e.Workspace, ID: ids.New[ids.Audit](), At: d.now().UTC().Truncate(time.Microsecond), Via: ViaSystem,
		Action: tidy(e.Action, 128), Resource: tidy(e.Resource, 256), Result: e.Result, Note: tidy(observe.Redact(e.Note), 512),
		Before: before, After: after, IP: origin.ip(), Request: tidy(origin.Request, 128),
	}
	if row.Result == "" {
		row.Result = OK
	}
	if id := From(ctx); id != nil {
		row.Actor, row.ActorName, row.Via, row.Key = string(id.User), id.Login, id.Via, id.Key
		if row.Workspace == "" {
			row.Workspace = id.Workspace
		}
	}
	if e.actorName != "" || e.actor != "" {
		row.Actor, row.ActorName = string(e.actor), tidy(e.actorName, 128)
		if row.Via == ViaSystem {
			row.Via = ViaSession
		}
	}
	return row, nil
}

// flushAudit gives the rows of one commit their places. The update of the head
// locks it, so that two processes on one database never fork a chain.
func flushAudit(ctx context.Context, tx *store.Tx, items []any) error {
	chains := make(map[ids.Workspace][]*AuditRow)
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
		if err := appendChain(ctx, tx, ws, chains[ws]); err != nil {
			return fmt.Errorf("appending to the audit of %s: %w", ws, err)
		}
	}
	return nil
}

type auditHead struct {
	Seq       int64  `db:"seq"`
	Hash      string `db:"hash"`
	StartSeq  int64  `db:"start_seq"`
	StartHash string `db:"start_hash"`
}

func appendChain(ctx context.Context, tx *store.Tx, ws ids.Workspace, rows []*AuditRow) error {
	head, err := lockHead(ctx, tx, ws)
	if err != nil {
		return err
	}
	for _, r := range rows {
		head.Seq++
		r.Seq = head.Seq
		r.Hash = r.link(head.Hash)
		head.Hash = r.Hash
		_, err := tx.Exec(ctx, insertAudit, r.Workspace, r.Seq, r.ID, r.At, r.Actor, r.ActorName, r.Via, r.Key, r.Action, r.Resource,
			r.Result, r.Note, string(r.Before), string(r.After), r.IP, r.Request, r.Hash)
		if err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, updateHead, head.Seq, head.Hash, ws)
	return err
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

// link is the hash that chains the row to the one before.
func (r *AuditRow) link(previous string) string {
	text, err := json.Marshal([]any{
		1, previous, r.Workspace, r.Seq, r.ID, r.At.UnixMicro(), r.Actor, r.ActorName, r.Via, r.Key, r.Action, r.Resource, r.Result,
		r.Note, string(r.Before), string(r.After), r.IP, r.Request,
	})
	if err != nil { // strings and numbers always marshal
		panic("identity: audit row cannot be encoded: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// maxFacts bounds what is kept of before and after.
const maxFacts = 16 << 10

// redactedJSON is v in canonical JSON with secrets masked; nil for nil.
func redactedJSON(v any) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var plain any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&plain); err != nil {
		return nil, err
	}
	text, err = json.Marshal(masked(plain))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFacts {
		return json.RawMessage(fmt.Sprintf(`{"too_large":%d}`, len(text))), nil
	}
	return text, nil
}

func masked(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			v[name] = masked(value)
			switch value.(type) {
			case string, []any, map[string]any:
				if observe.SecretKey(name) && value != "" {
					v[name] = secret.Mask
				}
			}
		}
	case []any:
		for i := range v {
			v[i] = masked(v[i])
		}
	case string:
		return observe.Redact(v)
	}
	return v
}
