package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/store"
)

// SignIn is what someone typed to sign in.
type SignIn struct {
	Login        string
	Password     string
	TOTP         string // six digits of the authenticator app
	RecoveryCode string // instead of TOTP
	Device       string // the device cookie, if the browser has one
	TrustDevice  bool   // skip the second factor in this browser from now on
	Workspace    ids.Workspace
}

// SignIn opens a session, or answers 401 invalid_credentials, totp_required or
// totp_invalid, or 429 too_many_attempts. The origin of ctx is what throttling
// counts by.
func (d *Directory) SignIn(ctx context.Context, in SignIn) (Admission, error) {
	a, err := d.signIn(ctx, in)
	d.meters.signIn(err)
	return a, err
}

func (d *Directory) signIn(ctx context.Context, in SignIn) (Admission, error) {
	login := tidy(strings.ToLower(in.Login), 64)
	done, err := d.throttle.begin(OriginOf(ctx).IP, login)
	if err != nil {
		return Admission{}, err
	}
	acc, err := d.checkPassword(ctx, login, in.Password)
	if err != nil {
		done(outcomeOf(err))
		return Admission{}, err
	}
	out, err := d.admitUser(ctx, acc, in)
	done(outcomeOf(err))
	return out, err
}

// outcomeOf counts wrong guesses only; a missing second factor is not one, and
// neither are troubles of our own.
func outcomeOf(err error) outcome {
	switch {
	case err == nil:
		return succeeded
	case fault.HasCode(err, "invalid_credentials"), fault.HasCode(err, "totp_invalid"):
		return failed
	}
	return neutral
}

func (d *Directory) checkPassword(ctx context.Context, login, password string) (account, error) {
	acc, err := store.One[account](ctx, d.db.Read(), selectAccountByLogin, login)
	unknown := errors.Is(err, store.ErrNoRows)
	if err != nil && !unknown {
		return account{}, fmt.Errorf("loading user %s: %w", login, err)
	}
	if len(password) > maxPassword {
		password = ""
	}
	ok, stale, err := d.hasher.verify(ctx, acc.Password, password)
	if err != nil {
		return account{}, err
	}
	if !ok {
		return account{}, d.refuse(ctx, acc, login, invalidCredentials())
	}
	if stale {
		d.upgrade(ctx, acc, password)
	}
	return acc, nil
}

// upgrade makes the hash anew with today's cost. A sign-in does not fail for it.
func (d *Directory) upgrade(ctx context.Context, acc account, password string) {
	hash, err := d.hasher.hash(ctx, password)
	if err == nil {
		err = d.db.InTx(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(ctx, upgradePassword, hash, acc.ID, acc.Password)
			return err
		})
	}
	if err != nil {
		d.log.WarnContext(ctx, "password hash not upgraded", "part", "identity", "user", acc.ID, "err", err)
	}
}

// refuse records a failed sign-in where the user's administrators see it, or in
// the oldest workspace when nobody has that name, and gives the reason back.
func (d *Directory) refuse(ctx context.Context, acc account, login string, reason error) error {
	e := Entry{Action: "session.begin", Resource: "users/" + login, Result: Denied, Note: fault.From(reason).Code, actor: acc.ID, actorName: login}
	if acc.ID != "" {
		e.Resource = "users/" + string(acc.ID)
		if w, err := d.homeOf(ctx, d.db.Read(), acc.ID, ""); err == nil {
			e.Workspace = w.ID
		}
	}
	if err := d.Record(ctx, e); err != nil {
		return fmt.Errorf("recording a failed sign-in: %w", err)
	}
	return reason
}

// admitUser asks for the second factor and opens the session.
func (d *Directory) admitUser(ctx context.Context, acc account, in SignIn) (Admission, error) {
	f := factor{kind: "password"}
	if acc.TOTP {
		var err error
		if f, err = d.secondFactor(ctx, acc, in); err != nil {
			return Admission{}, err
		}
	}
	done, err := d.beginFactor(acc, f)
	if err != nil {
		return Admission{}, err
	}
	out, err := d.open(ctx, acc, in, f)
	if err != nil && fault.HasCode(err, "totp_invalid") {
		done(failed)
		return Admission{}, d.refuse(ctx, acc, acc.Login, err)
	}
	if err != nil {
		done(neutral)
		return Admission{}, err
	}
	done(succeeded)
	return out, nil
}

func (d *Directory) beginFactor(acc account, f factor) (func(outcome), error) {
	if f.kind == "password" || f.kind == "device" {
		return func(outcome) {}, nil
	}
	return d.throttle.beginFactor(string(acc.ID))
}

// open uses up the second factor and writes the session, in one transaction.
func (d *Directory) open(ctx context.Context, acc account, in SignIn, f factor) (Admission, error) {
	token, err := newToken()
	if err != nil {
		return Admission{}, err
	}
	device := ""
	if acc.TOTP && in.TrustDevice && f.kind != "device" {
		if device, err = newToken(); err != nil {
			return Admission{}, err
		}
	}
	var id *Identity
	err = d.db.InTx(ctx, func(tx *store.Tx) error {
		if err := d.useFactor(ctx, tx, acc, f); err != nil {
			return err
		}
		w, err := d.homeOf(ctx, tx, acc.ID, in.Workspace)
		if err != nil {
			return err
		}
		if device != "" {
			if err := d.trust(ctx, tx, acc.ID, device); err != nil {
				return err
			}
		}
		id, err = d.openSession(ctx, tx, acc, w, token, f.kind)
		return err
	})
	if err != nil {
		return Admission{}, err
	}
	return d.admission(id, token, device), nil
}

func (d *Directory) admission(id *Identity, token, device string) Admission {
	a := Admission{Identity: id, Token: secret.New(token), Expires: d.opts.SessionLongest, Device: secret.New(device)}
	if device != "" {
		a.Trusted = d.opts.DeviceTrust
	}
	return a
}

func invalidCredentials() error {
	return fault.New(fault.Unauthenticated, "invalid_credentials", "The user name or the password is not right.").
		WithHint("Check both; an administrator can set a new password.")
}
