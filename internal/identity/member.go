package identity

import (
	"context"
	"fmt"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// RemoveUser takes a member out of the caller's workspace with the keys they
// made in it. Someone who then belongs nowhere is deleted.
func (d *Directory) RemoveUser(ctx context.Context, user ids.User) error {
	id, err := caller(ctx)
	if err != nil {
		return err
	}
	if err := id.Must("users:write"); err != nil {
		return err
	}
	return d.db.InTx(ctx, func(tx *store.Tx) error {
		ws := id.Workspace
		if _, err := tx.Exec(ctx, lockWorkspace, ws); err != nil {
			return err
		}
		before, err := d.member(ctx, tx, ws, user)
		if err != nil {
			return err
		}
		if err := d.notLastAdmin(ctx, tx, ws, user); err != nil {
			return err
		}
		if err := d.leave(ctx, tx, ws, user); err != nil {
			return fmt.Errorf("removing %s from %s: %w", user, ws, err)
		}
		d.forgetAfter(tx)
		if err := d.say(ctx, tx, ws, UserRemoved{User: user}); err != nil {
			return err
		}
		return d.Audit(ctx, tx, Entry{Workspace: ws, Action: "user.remove", Resource: "users/" + string(user), Before: before})
	})
}

func (d *Directory) leave(ctx context.Context, tx *store.Tx, ws ids.Workspace, user ids.User) error {
	if _, err := tx.Exec(ctx, deleteMember, ws, user); err != nil {
		return err
	}
	if d.opts.Removed != nil {
		if err := d.opts.Removed(ctx, tx, ws, user); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, revokeKeysOf, d.stamp(), ws, user, user); err != nil {
		return err
	}
	rest, err := store.All[Workspace](ctx, tx, selectMemberships, user)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return d.deleteUser(ctx, tx, user)
	}
	_, err = tx.Exec(ctx, moveSessions, ws, user, user)
	return err
}

func (d *Directory) deleteUser(ctx context.Context, tx *store.Tx, user ids.User) error {
	for _, query := range []string{deleteRecoveryCodes, deleteDevices, deleteLinks, deletePasskeysOf, deleteKeysOfUser} {
		if _, err := tx.Exec(ctx, query, user); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, deleteOtherSessions, user, ""); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, deleteUser, user)
	return err
}

func (d *Directory) notLastAdmin(ctx context.Context, tx *store.Tx, ws ids.Workspace, user ids.User) error {
	others, err := store.One[int](ctx, tx, countAdmins, ws, user)
	if err != nil {
		return err
	}
	if others > 0 {
		return nil
	}
	m, err := d.member(ctx, tx, ws, user)
	if err != nil || m.Role != Admin {
		return err
	}
	return fault.New(fault.Conflict, "last_admin", "%s is the only administrator of this workspace.", m.Login).
		WithHint("Make someone else an administrator first.")
}

// manage has an administrator change the account of a member.
func (d *Directory) manage(ctx context.Context, user ids.User, change func(*store.Tx) error) error {
	id, err := caller(ctx)
	if err != nil {
		return err
	}
	if err := id.Must("users:write"); err != nil {
		return err
	}
	return d.db.InTx(ctx, func(tx *store.Tx) error {
		if _, err := d.member(ctx, tx, id.Workspace, user); err != nil {
			return err
		}
		if err := d.mayManage(ctx, tx, id, user); err != nil {
			return err
		}
		return change(tx)
	})
}

// mayManage refuses to change an account that also belongs to workspaces of
// others: an administrator here must not take over one there.
func (d *Directory) mayManage(ctx context.Context, q store.Querier, id *Identity, user ids.User) error {
	theirs, err := store.All[Workspace](ctx, q, selectMemberships, user)
	if err != nil {
		return err
	}
	for _, w := range theirs {
		role, err := d.roleIn(ctx, q, id, w.ID)
		if err != nil {
			return err
		}
		if role != Admin {
			return fault.New(fault.Forbidden, "not_your_account", "This user also belongs to a workspace that you do not manage.").
				WithHint("Only the role in this workspace can be changed here; the rest is up to the user.")
		}
	}
	return nil
}
