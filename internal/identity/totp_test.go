package identity_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/identity/identitytest"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// enable turns the admin's second factor on.
func (w *world) enable() (secret string, recovery []string) {
	w.t.Helper()
	offer, err := w.OfferTOTP(w.admin)
	must(w.t, "offer", err)
	secret = offer.Secret.Reveal()
	recovery, err = w.ConfirmTOTP(w.admin, w.code(secret))
	must(w.t, "confirm", err)
	w.clock.Advance(30 * time.Second) // the first code is used up
	return secret, recovery
}

// code is what an authenticator app would show now.
func (w *world) code(secret string) string {
	w.t.Helper()
	code, err := totp.GenerateCode(secret, w.clock.Now())
	must(w.t, "code", err)
	return code
}

func TestSecondFactor(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := from(t, "192.0.2.7")
		_, err := w.ConfirmTOTP(w.admin, "123456")
		wantCode(t, "confirming nothing", err, "totp_not_offered")
		offer, err := w.OfferTOTP(w.admin)
		must(t, "offer", err)
		if !strings.HasPrefix(offer.URI.Reveal(), "otpauth://totp/Fluxway:admin?") || !strings.Contains(offer.URI.Reveal(), offer.Secret.Reveal()) {
			t.Errorf("URI %s", offer.URI.Reveal())
		}
		if _, err := w.signIn(ctx, identity.SignIn{}); err != nil {
			t.Errorf("an offer alone asks for a code: %v", err)
		}
		_, err = w.ConfirmTOTP(w.admin, "000000")
		wantCode(t, "a wrong first code", err, "totp_invalid")
		secret, recovery := w.enable()
		if len(recovery) != 10 || len(slices.Compact(slices.Sorted(slices.Values(recovery)))) != 10 {
			t.Errorf("recovery codes %v", recovery)
		}
		_, err = w.OfferTOTP(w.admin)
		wantCode(t, "an offer when it is on", err, "totp_on")

		_, err = w.signIn(ctx, identity.SignIn{})
		wantCode(t, "no code", err, "totp_required")
		_, err = w.signIn(ctx, identity.SignIn{Password: "wrong", TOTP: w.code(secret)})
		wantCode(t, "wrong password and right code", err, "invalid_credentials")
		_, err = w.signIn(ctx, identity.SignIn{TOTP: "000000"})
		wantCode(t, "a wrong code", err, "totp_invalid")
		if r := w.last(); r.Result != identity.Denied || r.Note != "totp_invalid" {
			t.Errorf("audit row %+v", r)
		}
		code := w.code(secret)
		_, err = w.signIn(ctx, identity.SignIn{TOTP: code[:3] + " " + code[3:]})
		must(t, "the right code", err)
		_, err = w.signIn(ctx, identity.SignIn{TOTP: code})
		wantCode(t, "the same code again", err, "totp_invalid")
		w.clock.Advance(30 * time.Second)
		_, err = w.signIn(ctx, identity.SignIn{TOTP: code})
		wantCode(t, "the code of the step before, used already", err, "totp_invalid")
		_, err = w.signIn(ctx, identity.SignIn{TOTP: w.code(secret)})
		must(t, "the next code", err)

		_, err = w.signIn(ctx, identity.SignIn{RecoveryCode: strings.ToLower(recovery[0])})
		must(t, "a recovery code", err)
		_, err = w.signIn(ctx, identity.SignIn{RecoveryCode: recovery[0]})
		wantCode(t, "the same recovery code", err, "totp_invalid")
		me, err := w.Me(w.admin)
		if err != nil || !me.User.TOTP || me.RecoveryCodes != 9 {
			t.Errorf("Me = %+v, %v", me, err)
		}
		sealed, err := store.One[[]byte](t.Context(), w.db.Read(), `SELECT totp_secret FROM identity_users WHERE login = 'admin'`)
		if err != nil || strings.Contains(string(sealed), secret) || len(sealed) < len(secret) {
			t.Errorf("the secret is stored as %q, %v", sealed, err)
		}
		wantCode(t, "turning it off without the password", w.DisableTOTP(w.admin, "wrong"), "wrong_password")
		must(t, "turning it off", w.DisableTOTP(w.admin, identitytest.Password))
		_, err = w.signIn(ctx, identity.SignIn{})
		must(t, "sign-in without", err)
	})
}

func TestSecondFactorsCannotBeGuessedFromManyAddresses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		secret, _ := w.enable()
		for i := range 5 {
			_, err := w.signIn(from(t, "198.51.100."+string(rune('1'+i))), identity.SignIn{TOTP: "000000"})
			wantCode(t, "a wrong code", err, "totp_invalid")
		}
		_, err := w.signIn(from(t, "198.51.100.99"), identity.SignIn{TOTP: "000000"})
		if f := fault.From(err); f.Code != "too_many_attempts" || f.RetryAfter <= 0 {
			t.Fatalf("the sixth code: %v", err)
		}
		w.clock.Advance(30 * time.Second)
		_, err = w.signIn(from(t, "198.51.100.99"), identity.SignIn{TOTP: w.code(secret)})
		must(t, "after waiting", err)
	})
}

func TestAskingWithoutACodeDoesNotResetTheCount(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.enable()
		ctx := from(t, "198.51.100.1")
		for range 5 {
			_, err := w.signIn(ctx, identity.SignIn{})
			wantCode(t, "no code", err, "totp_required")
			_, err = w.signIn(ctx, identity.SignIn{TOTP: "000000"})
			wantCode(t, "wrong code", err, "totp_invalid")
		}
		_, err := w.signIn(ctx, identity.SignIn{})
		wantCode(t, "after five wrong codes", err, "too_many_attempts")
	})
}

func TestTrustedDevices(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		secret, _ := w.enable()
		ctx := from(t, "192.0.2.7")
		a, err := w.signIn(ctx, identity.SignIn{TOTP: w.code(secret), TrustDevice: true})
		must(t, "sign-in", err)
		if a.Device.Empty() || a.Trusted != 30*24*time.Hour {
			t.Fatalf("admission %+v", a)
		}
		device := a.Device.Reveal()
		b, err := w.signIn(ctx, identity.SignIn{Device: device, TrustDevice: true})
		must(t, "sign-in on the trusted device", err)
		if !b.Device.Empty() {
			t.Error("a trusted device got a second token")
		}
		_, err = w.signIn(ctx, identity.SignIn{Device: strings.Repeat("A", 43)})
		wantCode(t, "another device", err, "totp_required")
		w.add("otto", identity.Operator)
		own := identity.With(ctx, a.Identity)
		list, err := w.Devices(own)
		if err != nil || len(list) != 1 || list[0].IP != "192.0.2.7" {
			t.Fatalf("devices %+v, %v", list, err)
		}
		otto := identitytest.As(t, w.Directory, "otto")
		wantCode(t, "another's device", w.RevokeDevice(otto, list[0].ID), "device_not_found")
		w.clock.Advance(29 * 24 * time.Hour)
		_, err = w.signIn(ctx, identity.SignIn{Device: device})
		must(t, "after 29 days", err)
		w.clock.Advance(2 * 24 * time.Hour)
		_, err = w.signIn(ctx, identity.SignIn{Device: device})
		wantCode(t, "after 31 days", err, "totp_required")
		c, err := w.signIn(ctx, identity.SignIn{TOTP: w.code(secret), TrustDevice: true})
		must(t, "sign-in", err)
		list, err = w.Devices(own)
		must(t, "devices", err)
		must(t, "revoke", w.RevokeDevice(own, list[0].ID))
		_, err = w.signIn(ctx, identity.SignIn{Device: c.Device.Reveal()})
		wantCode(t, "a revoked device", err, "totp_required")
	})
}

func TestAnAdminResetsALostSecondFactor(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		otto := w.add("otto", identity.Operator)
		offer, err := w.OfferTOTP(otto)
		must(t, "offer", err)
		_, err = w.ConfirmTOTP(otto, w.code(offer.Secret.Reveal()))
		must(t, "confirm", err)
		_, err = w.signIn(from(t, "192.0.2.7"), identity.SignIn{Login: "otto"})
		wantCode(t, "no code", err, "totp_required")
		must(t, "reset", w.ResetTOTP(w.admin, identity.From(otto).User))
		_, err = w.signIn(from(t, "192.0.2.7"), identity.SignIn{Login: "otto"})
		must(t, "without a code", err)
	})
}

func TestAnotherKeyFileSaysWhatToDo(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		secret, _ := w.enable()
		other := w.neighbour() // has a box of its own
		_, err := other.SignIn(context.Background(), identity.SignIn{Login: "admin", Password: identitytest.Password, TOTP: w.code(secret)})
		wantCode(t, "a secret sealed with another key", err, "secret_unreadable")
	})
}
