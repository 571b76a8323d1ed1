package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/store"
)

// Session is one signed-in browser.
type Session struct {
	ID        ids.Session   `json:"id" db:"id"`
	User      ids.User      `json:"-" db:"user_id"`
	Workspace ids.Workspace `json:"workspace" db:"workspace_id"`
	IP        string        `json:"ip" db:"ip"`
	Agent     string        `json:"agent" db:"agent"`
	Current   bool          `json:"current"`
	CreatedAt time.Time     `json:"created_at" db:"created_at"`
	SeenAt    time.Time     `json:"seen_at" db:"seen_at"`
	ExpiresAt time.Time     `json:"expires_at" db:"expires_at"`
}

// Admission is a sign-in that succeeded.
type Admission struct {
	Identity *Identity
	Token    secret.Text   // for the session cookie
	Expires  time.Duration // how long the cookie is worth keeping: it slides, so the longest
	Device   secret.Text   // for the device cookie, if the browser is to be trusted; else empty
	Trusted  time.Duration // how long that one is worth keeping
}

// Sessions lists where the caller is signed in, the last seen first.
func (d *Directory) Sessions(ctx context.Context) ([]Session, error) {
	id, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	all, err := store.All[Session](ctx, d.db.Read(), selectSessions, id.User, d.now())
	if err != nil {
		return nil, fmt.Errorf("listing the sessions of %s: %w", id.User, err)
	}
	for i := range all {
		all[i].Current = all[i].ID == id.Session
	}
	return all, nil
}

// SignOut ends the session of the request.
func (d *Directory) SignOut(ctx context.Context) error {
	id, err := caller(ctx)
	if err != nil {
		return err
	}
	if id.Session == "" {
		return fault.New(fault.Invalid, "no_session", "An API key has no session to end.").WithHint("Revoke the key instead.")
	}
	return d.RevokeSession(ctx, id.Session)
}

// RevokeSession ends one of the caller's own sessions.
func (d *Directory) RevokeSession(ctx context.Context, session ids.Session) error {
	id, err := caller(ctx)
	if err != nil {
		return err
	}
	return d.db.InTx(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, deleteSession, session, id.User)
		if err != nil {
			return fmt.Errorf("ending session %s: %w", session, err)
		}
		if n == 0 {
			return fault.New(fault.NotFound, "session_not_found", "There is no such session of yours.").WithHint("List your sessions.")
		}
		d.forgetAfter(tx)
		if err := d.say(ctx, tx, id.Workspace, SignedOut{User: id.User, Session: session}); err != nil {
			return err
		}
		return d.Audit(ctx, tx, Entry{Action: "session.end", Resource: "sessions/" + string(session)})
	})
}

// SwitchWorkspace moves the caller's session to another of their workspaces.
func (d *Directory) SwitchWorkspace(ctx context.Context, ws ids.Workspace) (*Identity, error) {
	id, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if id.Session == "" {
		return nil, fault.New(fault.Invalid, "no_session", "An API key belongs to one workspace.").WithHint("Make a key in the other workspace.")
	}
	var next Identity
	err = d.db.InTx(ctx, func(tx *store.Tx) error {
		all, err := store.All[Workspace](ctx, tx, selectMemberships, id.User)
		if err != nil {
			return err
		}
		w, ok := find(all, ws)
		if !ok {
			return noWorkspace(string(ws))
		}
		if _, err := tx.Exec(ctx, switchSession, ws, id.Session); err != nil {
			return err
		}
		next = *id
		next.Workspace, next.WorkspaceName, next.Role, next.Permissions = w.ID, w.Name, w.Role, w.Role.Permissions()
		d.forgetAfter(tx)
		return d.Audit(ctx, tx, Entry{Workspace: ws, Action: "session.switch_workspace", Resource: "workspaces/" + string(ws)})
	})
	if err != nil {
		return nil, err
	}
	return &next, nil
}

func find(all []Workspace, ws ids.Workspace) (Workspace, bool) {
	for _, w := range all {
		if w.ID == ws {
			return w, true
		}
	}
	return Workspace{}, false
}

// RotationDue says whether the session wants a new token; ask after each
// Authenticate and call Rotate if so.
func (d *Directory) RotationDue(id *Identity) bool {
	return id != nil && id.Via == ViaSession && !id.rotateAt.IsZero() && !d.now().Before(id.rotateAt)
}

// Rotate gives a session a new token for its cookie. The old one stays good
// until the new one was seen, and a minute more, so that neither a lost answer
// nor a second tab signs anybody out. The result is empty when another request
// has just done it.
func (d *Directory) Rotate(ctx context.Context, id *Identity, token string) (secret.Text, error) {
	next, err := newToken()
	if err != nil {
		return secret.Text{}, err
	}
	old, now := digestOf(token).String(), d.stamp()
	changed := false
	err = d.db.InTx(ctx, func(tx *store.Tx) error {
		hash := digestOf(next).String()
		n, err := tx.Exec(ctx, rotateSession, hash, now, id.Session, old)
		if err == nil && n == 0 {
			n, err = tx.Exec(ctx, rotateSessionAgain, hash, now, id.Session, old, now.Add(-rotateRetry))
		}
		changed = n > 0
		tx.AfterCommit(func() { d.cache.drop(old) })
		return err
	})
	if err != nil {
		return secret.Text{}, fmt.Errorf("rotating the token of %s: %w", id.Session, err)
	}
	if !changed {
		return secret.Text{}, nil
	}
	return secret.New(next), nil
}

// openSession writes a new session for user and the rows that go with it.
func (d *Directory) openSession(ctx context.Context, tx *store.Tx, acc account, w Workspace, token, how string) (*Identity, error) {
	origin, now := OriginOf(ctx), d.stamp()
	id := &Identity{
		User: acc.ID, Login: acc.Login, Name: acc.Name, Workspace: w.ID, WorkspaceName: w.Name, Role: w.Role,
		Permissions: w.Role.Permissions(), Via: ViaSession, Session: ids.New[ids.Session](), rotateAt: now.Add(d.opts.SessionRotate),
	}
	_, err := tx.Exec(ctx, insertSession, id.Session, id.User, id.Workspace, digestOf(token).String(), origin.ip(), origin.agent(),
		now, now, now, now.Add(d.opts.SessionIdle), origin.host())
	if err != nil {
		return nil, fmt.Errorf("opening a session for %s: %w", acc.Login, err)
	}
	if err := d.say(ctx, tx, w.ID, SignedIn{User: id.User, Session: id.Session, How: how}); err != nil {
		return nil, err
	}
	return id, d.Audit(With(ctx, id), tx, Entry{Action: "session.begin", Resource: "sessions/" + string(id.Session), Note: how})
}

// homeOf picks the workspace a new session begins in: the one asked for, the
// one last used, or the oldest.
func (d *Directory) homeOf(ctx context.Context, q store.Querier, user ids.User, wanted ids.Workspace) (Workspace, error) {
	all, err := store.All[Workspace](ctx, q, selectMemberships, user)
	if err != nil {
		return Workspace{}, err
	}
	if len(all) == 0 {
		return Workspace{}, fault.New(fault.Forbidden, "no_workspace", "You do not belong to any workspace.").
			WithHint("Ask an administrator to add you.")
	}
	if wanted != "" {
		if w, ok := find(all, wanted); ok {
			return w, nil
		}
		return Workspace{}, noWorkspace(string(wanted))
	}
	last, err := store.One[ids.Workspace](ctx, q, selectLastWorkspace, user)
	if err != nil && !errors.Is(err, store.ErrNoRows) {
		return Workspace{}, err
	}
	if w, ok := find(all, last); ok {
		return w, nil
	}
	return all[0], nil
}
