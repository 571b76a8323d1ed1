package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// Workspace is a team's isolated space, as one of its members sees it.
type Workspace struct {
	ID        ids.Workspace `json:"id" db:"id"`
	Name      string        `json:"name" db:"name"`
	Role      Role          `json:"role,omitempty" db:"role"` // of whoever asks
	CreatedAt time.Time     `json:"created_at" db:"created_at"`
}

// Workspaces lists those the caller belongs to; a local caller sees all.
func (d *Directory) Workspaces(ctx context.Context) ([]Workspace, error) {
	id, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	switch id.Via {
	case ViaLocal, ViaSystem:
		return store.All[Workspace](ctx, d.db.Read(), selectAllWorkspaces)
	case ViaKey: // a key is good for its own workspace only
		return []Workspace{{ID: id.Workspace, Name: id.WorkspaceName, Role: id.Role}}, nil
	}
	return store.All[Workspace](ctx, d.db.Read(), selectMemberships, id.User)
}

// CreateWorkspace makes a workspace whose administrator is the caller.
func (d *Directory) CreateWorkspace(ctx context.Context, name string) (Workspace, error) {
	id, err := caller(ctx)
	if err != nil {
		return Workspace{}, err
	}
	if err := id.Must("workspaces:write"); err != nil {
		return Workspace{}, err
	}
	if name, err = workspaceName(name); err != nil {
		return Workspace{}, err
	}
	w := Workspace{ID: ids.New[ids.Workspace](), Name: name, Role: Admin, CreatedAt: d.stamp()}
	err = d.db.InTx(ctx, func(tx *store.Tx) error {
		if err := d.insertWorkspace(ctx, tx, w); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, insertMember, w.ID, id.User, Admin, w.CreatedAt); err != nil {
			return err
		}
		return d.Audit(ctx, tx, Entry{Workspace: w.ID, Action: "workspace.create", Resource: "workspaces/" + string(w.ID), After: w})
	})
	return w, err
}

func (d *Directory) insertWorkspace(ctx context.Context, tx *store.Tx, w Workspace) error {
	n, err := tx.Exec(ctx, insertWorkspace, w.ID, w.Name, strings.ToLower(w.Name), w.CreatedAt, w.CreatedAt)
	if err != nil {
		return fmt.Errorf("creating workspace %s: %w", w.Name, err)
	}
	if n == 0 {
		return workspaceExists(w.Name)
	}
	return d.say(ctx, tx, w.ID, WorkspaceCreated{Workspace: w.ID, Name: w.Name})
}

// RenameWorkspace gives a workspace of which the caller is administrator another name.
func (d *Directory) RenameWorkspace(ctx context.Context, ws ids.Workspace, name string) (Workspace, error) {
	name, err := workspaceName(name)
	if err != nil {
		return Workspace{}, err
	}
	var w Workspace
	err = d.db.InTx(ctx, func(tx *store.Tx) error {
		before, err := d.managed(ctx, tx, ws)
		if err != nil {
			return err
		}
		key := strings.ToLower(name)
		n, err := tx.Exec(ctx, renameWorkspace, name, key, d.stamp(), ws, key, ws)
		if err != nil {
			return fmt.Errorf("renaming workspace %s: %w", ws, err)
		}
		if n == 0 {
			return workspaceExists(name)
		}
		w = before
		w.Name = name
		d.forgetAfter(tx)
		if err := d.say(ctx, tx, ws, WorkspaceRenamed{Workspace: ws, Name: name}); err != nil {
			return err
		}
		return d.Audit(ctx, tx, Entry{Workspace: ws, Action: "workspace.rename", Resource: "workspaces/" + string(ws), Before: before, After: w})
	})
	return w, err
}

// DeleteWorkspace removes a workspace of which the caller is administrator: its
// members, sessions and keys. What other parts keep of it stays, but nobody can
// reach it. The last workspace is refused.
func (d *Directory) DeleteWorkspace(ctx context.Context, ws ids.Workspace) error {
	return d.db.InTx(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, lockAllWorkspaces)
		if err != nil {
			return err
		}
		before, err := d.managed(ctx, tx, ws)
		if err != nil {
			return err
		}
		if n <= 1 {
			return fault.New(fault.Conflict, "last_workspace", "%s is the only workspace.", before.Name).
				WithHint("Create another workspace first.")
		}
		if err := d.emptyWorkspace(ctx, tx, ws); err != nil {
			return fmt.Errorf("deleting workspace %s: %w", ws, err)
		}
		d.forgetAfter(tx)
		if err := d.say(ctx, tx, ws, WorkspaceDeleted{Workspace: ws}); err != nil {
			return err
		}
		home, err := store.One[ids.Workspace](ctx, tx, selectHome)
		if err != nil {
			return err
		}
		if d.opts.Deleted != nil {
			if err := d.opts.Deleted(ctx, tx, ws, home); err != nil {
				return err
			}
		}
		return d.Audit(ctx, tx, Entry{Workspace: home, Action: "workspace.delete", Resource: "workspaces/" + string(ws), Before: before})
	})
}

func (d *Directory) emptyWorkspace(ctx context.Context, tx *store.Tx, ws ids.Workspace) error {
	steps := []struct {
		query string
		args  []any
	}{
		{deleteMembersOf, []any{ws}},
		{moveSessions, []any{ws, "", ""}},
		{deleteSessionsIn, []any{ws, "", ""}},
		{revokeKeysOf, []any{d.stamp(), ws, "", ""}},
		{deleteWorkspace, []any{ws}},
	}
	for _, s := range steps {
		if _, err := tx.Exec(ctx, s.query, s.args...); err != nil {
			return err
		}
	}
	homeless, err := store.All[ids.User](ctx, tx, selectHomeless)
	if err != nil {
		return err
	}
	for _, user := range homeless {
		if err := d.deleteUser(ctx, tx, user); err != nil {
			return err
		}
	}
	return nil
}

// managed finds a workspace that the caller may change; others do not exist for them.
func (d *Directory) managed(ctx context.Context, q store.Querier, ws ids.Workspace) (Workspace, error) {
	id, err := caller(ctx)
	if err != nil {
		return Workspace{}, err
	}
	w, err := store.One[Workspace](ctx, q, selectWorkspace, ws)
	if errors.Is(err, store.ErrNoRows) {
		return Workspace{}, noWorkspace(string(ws))
	}
	if err != nil {
		return Workspace{}, err
	}
	w.Role, err = d.roleIn(ctx, q, id, ws)
	if err != nil {
		return Workspace{}, err
	}
	if w.Role == "" {
		return Workspace{}, noWorkspace(string(ws))
	}
	if w.Role != Admin || (id.Via == ViaKey && !id.May("workspaces:write")) {
		return Workspace{}, Refused("workspaces:write")
	}
	return w, nil
}

// roleIn is the caller's role in any workspace; "" if they do not belong to it.
func (d *Directory) roleIn(ctx context.Context, q store.Querier, id *Identity, ws ids.Workspace) (Role, error) {
	switch {
	case id.Via == ViaLocal || id.Via == ViaSystem:
		return Admin, nil
	case id.Via == ViaKey && id.Workspace != ws:
		return "", nil
	}
	m, err := store.One[Member](ctx, q, selectMember, ws, id.User)
	if errors.Is(err, store.ErrNoRows) {
		return "", nil
	}
	return m.Role, err
}

// FindWorkspace finds any workspace by id or name; for local commands. An empty
// name means the oldest workspace.
func (d *Directory) FindWorkspace(ctx context.Context, name string) (Workspace, error) {
	if name == "" {
		home, err := store.One[ids.Workspace](ctx, d.db.Read(), selectHome)
		if errors.Is(err, store.ErrNoRows) {
			return Workspace{}, notSetUp()
		}
		if err != nil {
			return Workspace{}, err
		}
		name = string(home)
	}
	w, err := store.One[Workspace](ctx, d.db.Read(), selectWorkspaceByName, name, strings.ToLower(name))
	if errors.Is(err, store.ErrNoRows) {
		return Workspace{}, noWorkspace(name)
	}
	return w, err
}

// LocalIdentity is who a command on this machine acts as: the oldest
// administrator of a workspace (id or name; "" for the oldest one). Whoever can
// write the database may do anything in any case.
func (d *Directory) LocalIdentity(ctx context.Context, workspace string) (*Identity, error) {
	w, err := d.FindWorkspace(ctx, workspace)
	if err != nil {
		return nil, err
	}
	u, err := store.One[User](ctx, d.db.Read(), selectOldestAdmin, w.ID)
	if err != nil {
		return nil, fmt.Errorf("finding an administrator of %s: %w", w.Name, err)
	}
	return &Identity{
		User: u.ID, Login: u.Login, Name: u.Name, Workspace: w.ID, WorkspaceName: w.Name, Role: Admin,
		Permissions: Admin.Permissions(), Via: ViaLocal,
	}, nil
}

func workspaceName(name string) (string, error) {
	clean := tidy(name, 80)
	if clean == "" || clean != strings.TrimSpace(name) {
		return "", fault.New(fault.Invalid, "bad_name", "A workspace's name has 1 to 80 characters on one line.").WithParam("name")
	}
	return clean, nil
}

func workspaceExists(name string) error {
	return fault.New(fault.Conflict, "workspace_exists", "There is already a workspace named %s.", name).
		WithParam("name").WithHint("Choose another name.")
}

func noWorkspace(name string) error {
	return fault.New(fault.NotFound, "workspace_not_found", "There is no workspace %s here.", tidy(name, 80)).
		WithHint("List the workspaces you belong to.")
}

func notSetUp() error {
	return fault.New(fault.Conflict, "setup_needed", "Fluxway has not been set up yet.").
		WithHint("Open the link that fluxway up prints, or run fluxway setup --user NAME --password-file FILE.")
}

// caller is who calls, or 401.
func caller(ctx context.Context) (*Identity, error) {
	if id := From(ctx); id != nil {
		return id, nil
	}
	return nil, unauthenticated()
}

func unauthenticated() error {
	return fault.New(fault.Unauthenticated, "unauthenticated", "This needs you to sign in or to send an API key.").
		WithHint("Sign in, or send the header Authorization: Bearer fx_….")
}

// stamp is now, as precise as a row keeps it.
func (d *Directory) stamp() time.Time { return d.now().UTC().Truncate(time.Microsecond) }
