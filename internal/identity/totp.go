package identity

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/store"
)

// The usual parameters, which every authenticator app knows.
const (
	totpPeriod    = 30 // seconds
	recoveryCodes = 10
)

var totpOptions = totp.ValidateOpts{Period: totpPeriod, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}

// TOTPOffer is a new secret for an authenticator app.
type TOTPOffer struct {
	Secret secret.Text // base32, to type
	URI    secret.Text // otpauth://…, to show as a QR code
}

// OfferTOTP makes a secret for the caller's authenticator app; ConfirmTOTP
// turns it on. An offer replaces the one before.
func (d *Directory) OfferTOTP(ctx context.Context) (TOTPOffer, error) {
	acc, err := d.account(ctx, d.db.Read())
	if err != nil {
		return TOTPOffer{}, err
	}
	if acc.TOTP {
		return TOTPOffer{}, fault.New(fault.Conflict, "totp_on", "The second factor is on already.").WithHint("Turn it off first.")
	}
	key, err := totp.Generate(totp.GenerateOpts{Issuer: d.opts.Issuer, AccountName: acc.Login, Period: totpPeriod})
	if err != nil {
		return TOTPOffer{}, fmt.Errorf("making a second-factor secret: %w", err)
	}
	sealed, err := d.box.Seal([]byte(key.Secret()), totpPlace(acc.ID))
	if err != nil {
		return TOTPOffer{}, err
	}
	err = d.db.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, offerTOTP, sealed, d.stamp(), acc.ID); err != nil {
			return err
		}
		return d.Audit(ctx, tx, Entry{Action: "account.offer_totp", Resource: "users/" + string(acc.ID)})
	})
	return TOTPOffer{Secret: secret.New(key.Secret()), URI: secret.New(key.URL())}, err
}

// ConfirmTOTP turns the second factor on with a first code of the app, and
// gives the recovery codes, which are never shown again.
func (d *Directory) ConfirmTOTP(ctx context.Context, code string) ([]string, error) {
	acc, err := d.account(ctx, d.db.Read())
	if err != nil {
		return nil, err
	}
	if acc.TOTP || acc.TOTPSecret == nil {
		return nil, fault.New(fault.Conflict, "totp_not_offered", "There is no second factor waiting to be confirmed.").
			WithHint("Ask for a new secret first.")
	}
	done, err := d.throttle.beginFactor(string(acc.ID))
	if err != nil {
		return nil, err
	}
	step, err := d.totpStep(acc, code)
	if err != nil {
		done(outcomeOf(err))
		return nil, err
	}
	done(succeeded)
	codes := make([]string, recoveryCodes)
	for i := range codes {
		if codes[i], err = newCode(3); err != nil {
			return nil, err
		}
	}
	err = d.db.InTx(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, enableTOTP, step, d.stamp(), acc.ID)
		if err != nil {
			return err
		}
		if n == 0 {
			return fault.New(fault.Conflict, "totp_on", "The second factor is on already.")
		}
		if _, err := tx.Exec(ctx, deleteRecoveryCodes, acc.ID); err != nil {
			return err
		}
		for _, c := range codes {
			if _, err := tx.Exec(ctx, insertRecoveryCode, acc.ID, recoveryHash(acc.ID, c)); err != nil {
				return err
			}
		}
		return d.changedFactor(ctx, tx, acc, "account.enable_totp")
	})
	if err != nil {
		return nil, err
	}
	return codes, nil
}

// DisableTOTP turns the second factor off; the password is asked for again.
// The recovery codes and trusted devices go with it.
func (d *Directory) DisableTOTP(ctx context.Context, password string) error {
	if err := d.confirmPassword(ctx, password); err != nil {
		return err
	}
	return d.db.InTx(ctx, func(tx *store.Tx) error {
		acc, err := d.account(ctx, tx)
		if err != nil {
			return err
		}
		return d.dropTOTP(ctx, tx, acc, "account.disable_totp")
	})
}

// ResetTOTP turns a member's second factor off for an administrator, when the
// app and the recovery codes are lost.
func (d *Directory) ResetTOTP(ctx context.Context, user ids.User) error {
	return d.manage(ctx, user, func(tx *store.Tx) error {
		acc, err := store.One[account](ctx, tx, selectAccount, user)
		if err != nil {
			return err
		}
		return d.dropTOTP(ctx, tx, acc, "user.reset_totp")
	})
}

func (d *Directory) dropTOTP(ctx context.Context, tx *store.Tx, acc account, action string) error {
	if _, err := tx.Exec(ctx, disableTOTP, d.stamp(), acc.ID); err != nil {
		return err
	}
	for _, query := range []string{deleteRecoveryCodes, deleteDevices} {
		if _, err := tx.Exec(ctx, query, acc.ID); err != nil {
			return err
		}
	}
	return d.changedFactor(ctx, tx, acc, action)
}

func (d *Directory) changedFactor(ctx context.Context, tx *store.Tx, acc account, action string) error {
	if err := d.say(ctx, tx, From(ctx).Workspace, UserChanged{User: acc.ID, Fields: []string{"totp"}}); err != nil {
		return err
	}
	return d.Audit(ctx, tx, Entry{Action: action, Resource: "users/" + string(acc.ID)})
}

// factor is the second factor of a sign-in, checked but not yet used up.
type factor struct {
	kind string // password (none), totp, recovery_code, device
	step int64
	hash string
}

// secondFactor looks at what came with the password. What it finds is only good
// once useFactor has used it up.
func (d *Directory) secondFactor(ctx context.Context, acc account, in SignIn) (factor, error) {
	switch {
	case in.TOTP != "":
		step, err := d.totpStep(acc, in.TOTP)
		if fault.HasCode(err, "totp_invalid") {
			return factor{kind: "totp", step: -1}, nil // counted and refused where it would be used
		}
		return factor{kind: "totp", step: step}, err
	case in.RecoveryCode != "":
		return factor{kind: "recovery_code", hash: recoveryHash(acc.ID, in.RecoveryCode)}, nil
	case in.Device != "":
		known, err := d.knowsDevice(ctx, acc.ID, in.Device)
		if err != nil {
			return factor{}, err
		}
		if known {
			return factor{kind: "device", hash: digestOf(in.Device).String()}, nil
		}
	}
	return factor{}, fault.New(fault.Unauthenticated, "totp_required", "This account asks for a code as well.").
		WithParam("totp").WithHint("Type the six digits of your authenticator app, or a recovery code.")
}

// useFactor uses a second factor up, so that it is never good twice.
func (d *Directory) useFactor(ctx context.Context, tx *store.Tx, acc account, f factor) error {
	var n int64
	var err error
	origin, now := OriginOf(ctx), d.stamp()
	switch f.kind {
	case "totp":
		n, err = tx.Exec(ctx, useTOTPStep, f.step, acc.ID, f.step)
	case "recovery_code":
		n, err = tx.Exec(ctx, useRecoveryCode, now, acc.ID, f.hash)
	case "device":
		n, err = tx.Exec(ctx, useDevice, now, origin.ip(), origin.agent(), acc.ID, f.hash, now)
	default:
		return nil
	}
	if err != nil {
		return fmt.Errorf("using the second factor of %s: %w", acc.ID, err)
	}
	if n == 0 {
		return totpInvalid()
	}
	return nil
}

// totpStep finds the time step a code belongs to: this one, or a neighbour for
// clocks that differ a little.
func (d *Directory) totpStep(acc account, code string) (int64, error) {
	code = strings.ReplaceAll(strings.TrimSpace(code), " ", "")
	plain, err := d.box.Open(acc.TOTPSecret, totpPlace(acc.ID))
	if err != nil {
		return 0, fmt.Errorf("reading the second factor of %s: %w", acc.ID, err)
	}
	now := d.now().Unix() / totpPeriod
	found := int64(-1)
	for step := now - 1; step <= now+1; step++ {
		want, err := totp.GenerateCodeCustom(string(plain), time.Unix(step*totpPeriod, 0), totpOptions)
		if err != nil {
			return 0, errors.Join(errors.New("computing a second-factor code"), err)
		}
		if subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			found = step
		}
	}
	if found < 0 {
		return 0, totpInvalid()
	}
	return found, nil
}

func totpInvalid() error {
	return fault.New(fault.Unauthenticated, "totp_invalid", "The code is not right, or was used already.").WithParam("totp").
		WithHint("Wait for the next code of your authenticator app; check that the clocks agree.")
}

func totpPlace(user ids.User) []byte {
	return seal.Place("identity_users", string(user), "totp_secret")
}

// recoveryHash: codes have 59 random bits and are tried one by one under
// throttling, so a plain hash bound to the user is enough.
func recoveryHash(user ids.User, code string) string {
	return digestOf(string(user) + "\n" + plainCode(code)).String()
}
