package identity

import (
	"context"
	"errors"
	"fmt"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// Me is what callers may know about themselves.
type Me struct {
	User          User        `json:"user"`
	Workspace     Workspace   `json:"workspace"`
	Workspaces    []Workspace `json:"workspaces"`
	Role          Role        `json:"role"`
	Permissions   []string    `json:"permissions"`
	Via           Via         `json:"via"`
	RecoveryCodes int         `json:"recovery_codes_left"`
	HasPassword   bool        `json:"has_password"`
}

// Me says who the caller is.
func (d *Directory) Me(ctx context.Context) (Me, error) {
	id, err := caller(ctx)
	if err != nil {
		return Me{}, err
	}
	acc, err := d.account(ctx, d.db.Read())
	if err != nil {
		return Me{}, err
	}
	all, err := d.Workspaces(ctx)
	if err != nil {
		return Me{}, err
	}
	me := Me{
		User: acc.User, Workspaces: all, Role: id.Role, Permissions: id.Permissions.List(), Via: id.Via, HasPassword: acc.Password != "",
		Workspace: Workspace{ID: id.Workspace, Name: id.WorkspaceName, Role: id.Role},
	}
	for _, w := range all {
		if w.ID == id.Workspace {
			me.Workspace = w
		}
	}
	me.RecoveryCodes, err = store.One[int](ctx, d.db.Read(), countRecoveryCodes, id.User)
	return me, err
}

// AccountChange is what people may change of their own account; nil leaves as it is.
type AccountChange struct {
	Name  *string
	Email *string
}

// ChangeAccount changes the caller's own account.
func (d *Directory) ChangeAccount(ctx context.Context, change AccountChange) (User, error) {
	id, err := caller(ctx)
	if err != nil {
		return User{}, err
	}
	e, err := d.prepare(ctx, UserChange{Name: change.Name, Email: change.Email})
	if err != nil {
		return User{}, err
	}
	return d.editSelf(ctx, id, e)
}

// ChangePassword sets the caller's own password and signs them out everywhere
// but here. Someone who has none yet leaves current empty.
func (d *Directory) ChangePassword(ctx context.Context, current, next string) error {
	id, err := caller(ctx)
	if err != nil {
		return err
	}
	if err := d.confirmPassword(ctx, current); err != nil {
		return err
	}
	if err := CheckPassword(next, id.Login, id.Name, id.WorkspaceName); err != nil {
		return err
	}
	e, err := d.prepare(ctx, UserChange{Password: &next})
	if err != nil {
		return err
	}
	e.keep = id.Session
	_, err = d.editSelf(ctx, id, e)
	return err
}

func (d *Directory) editSelf(ctx context.Context, id *Identity, e edit) (User, error) {
	var m Member
	err := d.db.InTx(ctx, func(tx *store.Tx) error {
		before, err := d.member(ctx, tx, id.Workspace, id.User)
		if err != nil {
			return err
		}
		m, err = d.apply(ctx, tx, id.Workspace, before, e)
		return err
	})
	if err != nil {
		return User{}, err
	}
	return m.User, nil
}

// confirmPassword checks the caller's own password before something that a
// borrowed browser must not do.
func (d *Directory) confirmPassword(ctx context.Context, password string) error {
	acc, err := d.account(ctx, d.db.Read())
	if err != nil {
		return err
	}
	if acc.Password == "" && password == "" { // signs in through an issuer only
		return nil
	}
	done, err := d.throttle.begin(OriginOf(ctx).IP, acc.Login)
	if err != nil {
		return err
	}
	ok, _, err := d.hasher.verify(ctx, acc.Password, password)
	if err != nil {
		done(neutral)
		return err
	}
	if ok {
		done(succeeded)
		return nil
	}
	done(failed)
	wrong := fault.New(fault.Forbidden, "wrong_password", "The current password is not right.").WithParam("current").
		WithHint("Type the password you signed in with.")
	return errors.Join(wrong, d.Record(ctx, Entry{Action: "account.confirm_password", Resource: "users/" + string(acc.ID), Result: Denied}))
}

// account is the caller's own.
func (d *Directory) account(ctx context.Context, q store.Querier) (account, error) {
	id, err := caller(ctx)
	if err != nil {
		return account{}, err
	}
	acc, err := store.One[account](ctx, q, selectAccount, id.User)
	if errors.Is(err, store.ErrNoRows) {
		return account{}, unauthenticated()
	}
	if err != nil {
		return account{}, fmt.Errorf("loading user %s: %w", id.User, err)
	}
	return acc, nil
}
