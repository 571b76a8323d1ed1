package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
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
	tx.BeforeCommit(auditKey{}, row, d.flushAudit)
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
