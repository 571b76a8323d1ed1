package identity

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/store"
)

// Ceremony is what a browser is asked to sign, and how it proves that it was the one asked.
type Ceremony struct {
	Options json.RawMessage // for navigator.credentials
	Browser secret.Text     // for a cookie that must come back
	Expires time.Duration   // how long that is worth keeping
}

// CeremonyAnswer is what the browser brought back.
type CeremonyAnswer struct {
	Browser  string // the cookie of the Ceremony
	Response []byte // PublicKeyCredential.toJSON()
}

// purpose keeps what was signed for one thing from being used for another.
type purpose string

const (
	forRegistration purpose = "registration"
	forSignIn       purpose = "sign_in"
	forConfirmation purpose = "confirmation"
)

// confirmLife is how long a confirmation with a passkey lasts in its session.
const confirmLife = time.Hour

// challenge keeps what was asked, for the browser that was and the session it has.
func (d *Directory) challenge(ctx context.Context, why purpose, options any, data *webauthn.SessionData) (Ceremony, error) {
	text, err := json.Marshal(options)
	if err != nil {
		return Ceremony{}, err
	}
	token, err := newToken()
	if err != nil {
		return Ceremony{}, err
	}
	var user ids.User
	var session ids.Session
	if id := From(ctx); id != nil && why != forSignIn {
		user, session = id.User, id.Session
	}
	err = d.db.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, deleteOldChallenges, d.stamp()); err != nil { // anybody may ask for one, and as often as the door lets them
			return err
		}
		_, err := tx.Exec(ctx, insertChallenge, digestOf(token).String(), why, user, session, store.JSON(data), d.stamp().Add(challengeLife))
		return err
	})
	if err != nil {
		return Ceremony{}, fmt.Errorf("remembering a challenge: %w", err)
	}
	return Ceremony{Options: text, Browser: secret.New(token), Expires: challengeLife}, nil
}

// takeChallenge uses a challenge up, whatever comes of it.
func (d *Directory) takeChallenge(ctx context.Context, why purpose, browser string) (webauthn.SessionData, error) {
	lost := fault.New(fault.Forbidden, "passkey_challenge", "This was not begun in this browser, took too long, or was finished already.").WithHint("Try again.")
	if len(browser) != tokenLength {
		return webauthn.SessionData{}, lost
	}
	type row struct {
		Purpose purpose              `db:"purpose"`
		User    ids.User             `db:"user_id"`
		Session ids.Session          `db:"session_id"`
		Data    webauthn.SessionData `db:"data,json"`
		Expires time.Time            `db:"expires_at"`
	}
	var r row
	err := d.db.InTx(ctx, func(tx *store.Tx) (err error) {
		r, err = store.One[row](ctx, tx, takeChallenge, digestOf(browser).String())
		return err
	})
	if errors.Is(err, store.ErrNoRows) {
		return webauthn.SessionData{}, lost
	}
	if err != nil {
		return webauthn.SessionData{}, fmt.Errorf("finding a challenge: %w", err)
	}
	var user ids.User
	var session ids.Session
	if id := From(ctx); id != nil && why != forSignIn {
		user, session = id.User, id.Session
	}
	if r.Purpose != why || r.User != user || r.Session != session || !d.now().Before(r.Expires) {
		return webauthn.SessionData{}, lost
	}
	return r.Data, nil
}

// BeginPasskeySignIn asks a browser for any passkey it has for the site.
func (d *Directory) BeginPasskeySignIn(ctx context.Context, site Site) (Ceremony, error) {
	party, err := site.party(d.opts.Issuer)
	if err != nil {
		return Ceremony{}, err
	}
	options, data, err := party.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return Ceremony{}, fmt.Errorf("asking for a passkey: %w", err)
	}
	return d.challenge(ctx, forSignIn, options.Response, data)
}

// PasskeySignIn opens a session for the owner of a passkey. It is a second factor in itself: the device has checked who holds it.
func (d *Directory) PasskeySignIn(ctx context.Context, site Site, answer CeremonyAnswer, ws ids.Workspace) (Admission, error) {
	a, err := d.passkeySignIn(ctx, site, answer, ws)
	d.meters.signIn(err)
	return a, err
}

func (d *Directory) passkeySignIn(ctx context.Context, site Site, answer CeremonyAnswer, ws ids.Workspace) (Admission, error) {
	done, err := d.throttle.begin(OriginOf(ctx).IP, "passkey")
	if err != nil {
		return Admission{}, err
	}
	acc, used, err := d.checkSignIn(ctx, site, answer)
	if err != nil {
		if f := fault.From(err); f.Code == "passkey_refused" || f.Code == "passkey_challenge" || f.Code == "passkey_copied" {
			done(failed)
			return Admission{}, d.refuse(ctx, acc, "passkey", err)
		}
		done(neutral)
		return Admission{}, err
	}
	out, err := d.openWithPasskey(ctx, acc, used, ws)
	if err != nil {
		done(neutral)
		return Admission{}, err
	}
	done(succeeded)
	return out, nil
}

// used is a passkey that has just signed.
type used struct {
	passkey    Passkey
	credential webauthn.Credential
}

// checkSignIn finds out whose passkey signed. The account is given with a refusal too, for the audit.
func (d *Directory) checkSignIn(ctx context.Context, site Site, answer CeremonyAnswer) (acc account, u used, err error) {
	data, err := d.takeChallenge(ctx, forSignIn, answer.Browser)
	if err != nil {
		return acc, u, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer.Response)
	if err != nil {
		return acc, u, passkeyRefused(err)
	}
	party, err := site.party(d.opts.Issuer)
	if err != nil {
		return acc, u, err
	}
	var trouble error
	var rows []Passkey
	find := func(_, handle []byte) (webauthn.User, error) {
		acc, trouble = store.One[account](ctx, d.db.Read(), selectAccount, ids.User(handle))
		if errors.Is(trouble, store.ErrNoRows) {
			trouble = nil
			return nil, errors.New("nobody has this passkey")
		}
		if trouble != nil {
			return nil, trouble
		}
		var h holder
		h, rows, trouble = d.holder(ctx, d.db.Read(), acc.User, site)
		return h, trouble
	}
	_, credential, err := party.ValidatePasskeyLogin(find, data, parsed)
	if trouble != nil {
		return acc, u, fmt.Errorf("finding the owner of a passkey: %w", trouble)
	}
	if err != nil {
		return acc, u, passkeyRefused(err)
	}
	u, err = usedOf(rows, *credential)
	return acc, u, err
}

// usedOf finds the row of a credential, and refuses one whose counter went back: somebody has a copy of it.
func usedOf(rows []Passkey, c webauthn.Credential) (used, error) {
	id := base64.RawURLEncoding.EncodeToString(c.ID)
	for _, p := range rows {
		if p.CredentialID != id {
			continue
		}
		if c.Authenticator.CloneWarning {
			return used{}, fault.New(fault.Forbidden, "passkey_copied", "The passkey %s was used elsewhere since, although it cannot be in two places.", p.Name).
				WithHint("Sign in another way, remove this passkey and make a new one.")
		}
		return used{p, c}, nil
	}
	return used{}, passkeyRefused(errors.New("the credential has no row"))
}

// note keeps the counter and when it was used.
func (d *Directory) note(ctx context.Context, tx *store.Tx, u used) error {
	sealed, err := d.sealPasskey(u.passkey.ID, u.credential)
	if err != nil {
		return err
	}
	n, err := tx.Exec(ctx, usePasskey, sealed, d.stamp(), u.passkey.ID, u.passkey.Sealed)
	if err != nil {
		return fmt.Errorf("noting the use of %s: %w", u.passkey.ID, err)
	}
	if n == 0 {
		return fault.New(fault.Conflict, "passkey_busy", "The passkey was used twice at the same moment.").WithHint("Try again.")
	}
	return nil
}

func (d *Directory) openWithPasskey(ctx context.Context, acc account, u used, ws ids.Workspace) (Admission, error) {
	token, err := newToken()
	if err != nil {
		return Admission{}, err
	}
	var id *Identity
	err = d.db.InTx(ctx, func(tx *store.Tx) error {
		w, err := d.homeOf(ctx, tx, acc.ID, ws)
		if err != nil {
			return err
		}
		if err := d.note(ctx, tx, u); err != nil {
			return err
		}
		if id, err = d.openSession(ctx, tx, acc, w, token, "passkey"); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, confirmWithPasskey, d.stamp(), id.Session)
		return err
	})
	if err != nil {
		return Admission{}, err
	}
	return d.admission(id, token, ""), nil
}

// BeginConfirmation asks the caller's browser for one of their passkeys of the site.
func (d *Directory) BeginConfirmation(ctx context.Context, site Site) (Ceremony, error) {
	acc, err := d.account(ctx, d.db.Read())
	if err != nil {
		return Ceremony{}, err
	}
	if From(ctx).Session == "" {
		return Ceremony{}, fault.New(fault.Invalid, "no_session", "An API key confirms nothing.")
	}
	h, rows, err := d.holder(ctx, d.db.Read(), acc.User, site)
	if err != nil {
		return Ceremony{}, err
	}
	if len(rows) == 0 {
		return Ceremony{}, fault.New(fault.Conflict, "no_passkey_here", "You have no passkey for %s.", site.host).WithHint("Add one under Settings, Account.")
	}
	party, err := site.party(d.opts.Issuer)
	if err != nil {
		return Ceremony{}, err
	}
	options, data, err := party.BeginLogin(h, webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return Ceremony{}, fmt.Errorf("asking for a passkey: %w", err)
	}
	return d.challenge(ctx, forConfirmation, options.Response, data)
}

// Confirm notes that the caller has just used their passkey, and says until when that counts in this session.
func (d *Directory) Confirm(ctx context.Context, site Site, answer CeremonyAnswer) (time.Time, error) {
	acc, err := d.account(ctx, d.db.Read())
	if err != nil {
		return time.Time{}, err
	}
	done, err := d.throttle.beginFactor(string(acc.ID))
	if err != nil {
		return time.Time{}, err
	}
	u, err := d.checkConfirmation(ctx, acc, site, answer)
	if err != nil {
		done(failed)
		return time.Time{}, errors.Join(err, d.Record(ctx, Entry{Action: "account.confirm", Resource: "users/" + string(acc.ID), Result: Denied, Note: fault.From(err).Code}))
	}
	now := d.stamp()
	err = d.db.InTx(ctx, func(tx *store.Tx) error {
		if err := d.note(ctx, tx, u); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, confirmWithPasskey, now, From(ctx).Session); err != nil {
			return err
		}
		return d.Audit(ctx, tx, Entry{Action: "account.confirm", Resource: "passkeys/" + string(u.passkey.ID)})
	})
	if err != nil {
		done(neutral)
		return time.Time{}, err
	}
	done(succeeded)
	return now.Add(confirmLife), nil
}

func (d *Directory) checkConfirmation(ctx context.Context, acc account, site Site, answer CeremonyAnswer) (used, error) {
	data, err := d.takeChallenge(ctx, forConfirmation, answer.Browser)
	if err != nil {
		return used{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer.Response)
	if err != nil {
		return used{}, passkeyRefused(err)
	}
	h, rows, err := d.holder(ctx, d.db.Read(), acc.User, site)
	if err != nil {
		return used{}, err
	}
	party, err := site.party(d.opts.Issuer)
	if err != nil {
		return used{}, err
	}
	credential, err := party.ValidateLogin(h, data, parsed)
	if err != nil {
		return used{}, passkeyRefused(err)
	}
	return usedOf(rows, *credential)
}

// Confirmation is whether the caller's approvals are confirmed with a passkey.
type Confirmation struct {
	Approvals bool      `json:"approvals" doc:"Approving what is dangerous asks for a passkey, once an hour, where the caller has one."`
	Passkeys  int       `json:"passkeys" doc:"How many the caller has where they are now."`
	Until     time.Time `json:"confirmed_until,omitzero" doc:"Until when this session needs no other confirmation."`
	Possible  bool      `json:"possible" doc:"There can be passkeys where the caller is now."`
	Why       string    `json:"why,omitempty" doc:"If not, why."`
	Hint      string    `json:"hint,omitempty" doc:"And what can be done about it."`
}

// Confirmation says how it is for the caller. A site of no name is one without passkeys.
func (d *Directory) Confirmation(ctx context.Context, site Site) (Confirmation, error) {
	id, err := caller(ctx)
	if err != nil {
		return Confirmation{}, err
	}
	var c Confirmation
	if c.Approvals, err = store.One[bool](ctx, d.db.Read(), selectConfirms, id.User); err != nil {
		return c, fmt.Errorf("reading the wishes of %s: %w", id.User, err)
	}
	if c.Passkeys, err = store.One[int](ctx, d.db.Read(), countPasskeysOf, id.User, site.host, id.Session); err != nil {
		return c, fmt.Errorf("counting the passkeys of %s: %w", id.User, err)
	}
	until, err := d.confirmedUntil(ctx, id)
	if until.After(d.now()) {
		c.Until = until
	}
	c.Possible = site.host != ""
	if f := fault.From(site.why); f != nil {
		c.Why, c.Hint = f.Message, f.Hint
	}
	return c, err
}

// SetConfirmation changes whether the caller's approvals are confirmed; to have it otherwise needs a confirmation.
func (d *Directory) SetConfirmation(ctx context.Context, site Site, approvals bool) (Confirmation, error) {
	now, err := d.Confirmation(ctx, site)
	if err != nil {
		return now, err
	}
	if now.Approvals == approvals {
		return now, nil
	}
	id := From(ctx)
	if now.Passkeys > 0 && !approvals {
		if err := d.confirmed(ctx, id); err != nil {
			return now, err
		}
	}
	err = d.db.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, updateConfirms, approvals, id.User); err != nil {
			return err
		}
		return d.Audit(ctx, tx, Entry{Action: "account.confirm_approvals", Resource: "users/" + string(id.User), Note: map[bool]string{true: "on", false: "off"}[approvals]})
	})
	if err != nil {
		return now, err
	}
	return d.Confirmation(ctx, site)
}

// MustConfirm answers 403 confirm_with_passkey to somebody in a browser who has a passkey of the site, wants approvals to be
// confirmed with it, and has not done so within the hour.
func (d *Directory) MustConfirm(ctx context.Context, site Site) error {
	id, err := caller(ctx)
	if err != nil {
		return err
	}
	if id.Session == "" {
		return nil
	}
	c, err := d.Confirmation(ctx, site)
	if err != nil || !c.Approvals || c.Passkeys == 0 || !c.Until.IsZero() {
		return err
	}
	return confirmNeeded()
}

// confirmed answers with a fault unless the session was confirmed within the hour.
func (d *Directory) confirmed(ctx context.Context, id *Identity) error {
	until, err := d.confirmedUntil(ctx, id)
	if err != nil {
		return err
	}
	if !until.After(d.now()) {
		return confirmNeeded()
	}
	return nil
}

func (d *Directory) confirmedUntil(ctx context.Context, id *Identity) (time.Time, error) {
	at, err := store.One[time.Time](ctx, d.db.Read(), selectConfirmed, id.Session)
	if errors.Is(err, store.ErrNoRows) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("reading when %s was confirmed: %w", id.Session, err)
	}
	if at.IsZero() {
		return time.Time{}, nil
	}
	return at.Add(confirmLife), nil
}

func confirmNeeded() error {
	return fault.New(fault.Forbidden, "confirm_with_passkey", "This needs your passkey, at most once an hour.").
		WithHint("Confirm with POST /api/v1/session/confirm/begin and POST /api/v1/session/confirm, then ask again.")
}
