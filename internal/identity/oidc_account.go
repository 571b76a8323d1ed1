package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// welcome finds, links or makes the account of a subject and opens a session.
// Accounts are found by issuer and subject only: an address can be given to
// someone else, or typed by anyone.
func (d *Directory) welcome(ctx context.Context, who subject, s oidcState) (OIDCResult, error) {
	token, err := newToken()
	if err != nil {
		return OIDCResult{}, err
	}
	result := OIDCResult{ReturnTo: s.ReturnTo, Linked: s.LinkUser != ""}
	home := Workspace{}
	if d.oidc.opts.AutoCreate {
		if home, err = d.FindWorkspace(ctx, d.oidc.opts.Workspace); err != nil {
			return OIDCResult{}, err
		}
	}
	var id *Identity
	err = d.db.InTx(ctx, func(tx *store.Tx) error {
		acc, err := d.accountOf(ctx, tx, who, s.LinkUser, home.ID)
		if err != nil || result.Linked {
			return err
		}
		w, err := d.homeOf(ctx, tx, acc.ID, "")
		if err != nil {
			return err
		}
		id, err = d.openSession(ctx, tx, acc, w, token, "oidc")
		return err
	})
	if err != nil {
		return OIDCResult{}, err
	}
	if !result.Linked {
		result.Admission = d.admission(id, token, "")
	}
	return result, nil
}

func (d *Directory) accountOf(ctx context.Context, tx *store.Tx, who subject, link ids.User, home ids.Workspace) (account, error) {
	known, err := store.One[ids.User](ctx, tx, selectLink, who.issuer, who.id)
	switch {
	case err == nil && link != "" && link != known:
		return account{}, fault.New(fault.Conflict, "oidc_linked", "This account at %s is linked to another user.", d.oidc.name).
			WithHint("Sign in with it, or use another account.")
	case err == nil:
		return store.One[account](ctx, tx, selectAccount, known)
	case !errors.Is(err, store.ErrNoRows):
		return account{}, err
	case link != "":
		acc, err := store.One[account](ctx, tx, selectAccount, link)
		if err != nil {
			return account{}, err
		}
		return acc, d.link(ctx, tx, who, acc)
	case !d.oidc.opts.AutoCreate:
		return account{}, fault.New(fault.Forbidden, "oidc_unknown", "Nobody here is linked to this account at %s.", d.oidc.name).
			WithHint("Sign in with your password and link it in your account's settings, or ask an administrator.")
	case !who.allowed(d.oidc.opts.Domains):
		return account{}, fault.New(fault.Forbidden, "oidc_domain", "Accounts are only made for verified addresses of certain domains.").
			WithHint("Use an address of your organisation.")
	}
	return d.makeAccount(ctx, tx, who, home)
}

func (d *Directory) link(ctx context.Context, tx *store.Tx, who subject, acc account) error {
	n, err := tx.Exec(ctx, insertLink, who.issuer, who.id, acc.ID, who.email, d.stamp())
	if err != nil {
		return fmt.Errorf("linking %s: %w", acc.Login, err)
	}
	if n == 0 {
		return fault.New(fault.Conflict, "oidc_linked", "This account was linked just now.").WithHint("Sign in again.")
	}
	w, err := d.homeOf(ctx, tx, acc.ID, "")
	if err != nil {
		return err
	}
	return d.Audit(ctx, tx, Entry{
		Workspace: w.ID, Action: "account.link", Resource: "users/" + string(acc.ID), actor: acc.ID, actorName: acc.Login,
		After: map[string]string{"issuer": who.issuer, "subject": who.id, "email": who.email},
	})
}

func (d *Directory) makeAccount(ctx context.Context, tx *store.Tx, who subject, home ids.Workspace) (account, error) {
	acc := account{User: User{ID: ids.New[ids.User](), Name: who.name, CreatedAt: d.stamp()}}
	if who.verified {
		acc.Email = who.email
	}
	for _, login := range who.logins() {
		acc.Login = login
		if acc.Name == "" {
			acc.Name = login
		}
		err := d.insertUser(ctx, tx, acc)
		if fault.HasCode(err, "user_exists") {
			continue
		}
		if err != nil {
			return account{}, err
		}
		m := Member{User: acc.User, Role: d.oidc.opts.Role}
		if err := d.join(ctx, tx, home, m); err != nil {
			return account{}, err
		}
		return acc, d.link(ctx, tx, who, acc)
	}
	return account{}, userExists(acc.Login)
}

// logins are names to try for a new account: the issuer's own, numbered if taken.
func (who subject) logins() []string {
	local, _, _ := strings.Cut(who.email, "@")
	base := ""
	for _, text := range []string{who.username, local, "user"} {
		if base = loginFrom(text); base != "" {
			break
		}
	}
	names := []string{base}
	for i := 2; i <= 50; i++ {
		names = append(names, fmt.Sprintf("%s-%d", base, i))
	}
	return names
}

func loginFrom(text string) string {
	text = strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || strings.ContainsRune("._@+-", r) {
			return r
		}
		return -1
	}, strings.ToLower(text))
	text = strings.TrimLeft(text, "._@+-")
	return text[:min(len(text), 60)]
}
