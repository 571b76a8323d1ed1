package identity_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/identity/identitytest"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

const home = "https://flux.example.org"

func site(t *testing.T, origin string) identity.Site {
	t.Helper()
	s, err := identity.SiteOf(origin)
	must(t, "site "+origin, err)
	return s
}

// addPasskey makes one for whoever calls, on a device.
func (w *world) addPasskey(ctx context.Context, device *identitytest.Authenticator, name string) identity.Passkey {
	w.t.Helper()
	at := site(w.t, device.Origin)
	c, err := w.OfferPasskey(ctx, at, identitytest.Password)
	must(w.t, "offering a passkey", err)
	p, err := w.AddPasskey(ctx, at, identity.CeremonyAnswer{Browser: c.Browser.Reveal(), Response: device.Create(c.Options)}, name)
	must(w.t, "adding a passkey", err)
	return p
}

func (w *world) passkeySignIn(device *identitytest.Authenticator) (identity.Admission, error) {
	w.t.Helper()
	ctx, at := from(w.t, "192.0.2.7"), site(w.t, device.Origin)
	c, err := w.BeginPasskeySignIn(ctx, at)
	must(w.t, "asking for a passkey", err)
	return w.PasskeySignIn(ctx, at, identity.CeremonyAnswer{Browser: c.Browser.Reveal(), Response: device.Get(c.Options)}, "")
}

func (w *world) confirm(ctx context.Context, device *identitytest.Authenticator) error {
	w.t.Helper()
	at := site(w.t, device.Origin)
	c, err := w.BeginConfirmation(ctx, at)
	if err != nil {
		return err
	}
	_, err = w.Confirm(ctx, at, identity.CeremonyAnswer{Browser: c.Browser.Reveal(), Response: device.Get(c.Options)})
	return err
}

func TestAPasskeySignsIn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		device := identitytest.NewAuthenticator(t, home)
		if any, err := w.HasPasskeys(t.Context(), site(t, home)); err != nil || any {
			t.Errorf("there is a passkey before one was made: %v, %v", any, err)
		}
		p := w.addPasskey(w.admin, device, "  Pixel 9 ")
		if p.Name != "Pixel 9" || p.Host != "flux.example.org" || !p.Here {
			t.Errorf("made %+v", p)
		}
		a, err := w.passkeySignIn(device)
		must(t, "signing in", err)
		if id, err := w.session(a.Token.Reveal()); err != nil || id.Login != "admin" || id.Role != identity.Admin {
			t.Errorf("signed in as %+v, %v", id, err)
		}
		if row := w.last(); row.Action != "session.begin" || row.Note != "passkey" || row.ActorName != "admin" {
			t.Errorf("audit %+v", row)
		}
		if _, err := w.passkeySignIn(device); err != nil {
			t.Errorf("a second time: %v", err)
		}
		list, err := w.Passkeys(w.admin, site(t, "https://other.example.org"))
		if err != nil || len(list) != 1 || list[0].Here || list[0].UsedAt.IsZero() {
			t.Errorf("listed elsewhere: %+v, %v", list, err)
		}
		vera := w.add("vera", identity.Viewer)
		for what, err := range map[string]error{
			"removed": w.RemovePasskey(vera, site(t, home), p.ID), "renamed": second(w.RenamePasskey(vera, site(t, home), p.ID, "Mine")),
		} {
			wantCode(t, "somebody else's passkey "+what, err, "passkey_not_found")
		}
		// It is used for the first time in this session by signing in with it, so that it may be removed there.
		here := identity.With(from(t, "192.0.2.7"), a.Identity)
		if _, err := w.RenamePasskey(here, site(t, home), p.ID, "Old phone"); err != nil {
			t.Error(err)
		}
		wantCode(t, "removing it from a session that was not confirmed", w.RemovePasskey(w.admin, site(t, home), p.ID), "confirm_with_passkey")
		must(t, "removing it", w.RemovePasskey(here, site(t, home), p.ID))
		_, err = w.passkeySignIn(device)
		wantCode(t, "signing in with a passkey that was removed", err, "passkey_refused")
	})
}

// onSQLite is each for what does not depend on the engine.
func onSQLite(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.admin = identitytest.SetUp(t, w.Directory)
	w.workspace = identity.From(w.admin).Workspace
	test(t, w)
}

func second[T any](_ T, err error) error { return err }

func TestPasskeysThatMustNotCount(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		device, at, ctx := identitytest.NewAuthenticator(t, home), site(t, home), from(t, "192.0.2.7")
		w.addPasskey(w.admin, device, "")
		vera := w.add("vera", identity.Viewer)
		hers := identitytest.NewAuthenticator(t, home)
		w.addPasskey(vera, hers, "")
		begin := func() identity.Ceremony {
			c, err := w.BeginPasskeySignIn(ctx, at)
			must(t, "asking for a passkey", err)
			return c
		}
		tries := 0
		finish := func(c identity.Ceremony, response []byte) error {
			tries++ // each from another address: how guessing is slowed down is another test
			_, err := w.PasskeySignIn(from(t, fmt.Sprintf("192.0.2.%d", tries)), at, identity.CeremonyAnswer{Browser: c.Browser.Reveal(), Response: response}, "")
			return err
		}
		c := begin()
		response := device.Get(c.Options)
		must(t, "signing in", finish(c, response))
		wantCode(t, "the same answer again", finish(c, response), "passkey_challenge")
		wantCode(t, "the same signature for another challenge", finish(begin(), response), "passkey_refused")
		wantCode(t, "no cookie", finish(identity.Ceremony{}, device.Get(begin().Options)), "passkey_challenge")
		other := begin()
		wantCode(t, "the cookie of another browser", finish(other, device.Get(begin().Options)), "passkey_refused")
		late := begin()
		answer := device.Get(late.Options)
		w.clock.Advance(5 * minute)
		wantCode(t, "too late", finish(late, answer), "passkey_challenge")

		wrong := func(what string, change, back func(), device *identitytest.Authenticator, code string) {
			t.Helper()
			change()
			c := begin()
			wantCode(t, what, finish(c, device.Get(c.Options)), code)
			back()
		}
		admin, her := string(identity.From(w.admin).User), string(identity.From(vera).User)
		wrong("another page", func() { device.Origin = "https://evil.example.org" }, func() { device.Origin = home }, device, "passkey_refused")
		wrong("plain HTTP", func() { device.Origin = "http://flux.example.org" }, func() { device.Origin = home }, device, "passkey_refused")
		wrong("another port", func() { device.Origin = home + ":8443" }, func() { device.Origin = home }, device, "passkey_refused")
		wrong("nobody was checked", func() { device.Unverified = true }, func() { device.Unverified = false }, device, "passkey_refused")
		wrong("another user's name", func() { hers.Impersonate(admin) }, func() { hers.Impersonate(her) }, hers, "passkey_refused")
		wrong("a name nobody has", func() { hers.Impersonate("usr_nobody") }, func() { hers.Impersonate(her) }, hers, "passkey_refused")
		wrong("a copy", func() { device.Counter = 0 }, func() { device.Counter = 100 }, device, "passkey_copied")
		if row := w.last(); row.Action != "session.begin" || row.Result != identity.Denied || row.Note != "passkey_copied" {
			t.Errorf("audit %+v", row)
		}
		for what, text := range map[string]string{"nonsense": "{}", "no JSON": "<html>", "nothing": ""} {
			wantCode(t, what, finish(begin(), []byte(text)), "passkey_refused")
		}
		c = begin()
		must(t, "the right one still", finish(c, device.Get(c.Options)))

		// What was signed to get in confirms nothing, and the other way round.
		c = begin()
		_, err := w.Confirm(w.admin, at, identity.CeremonyAnswer{Browser: c.Browser.Reveal(), Response: device.Get(c.Options)})
		wantCode(t, "a sign-in as a confirmation", err, "passkey_challenge")
		c, err = w.BeginConfirmation(w.admin, at)
		must(t, "asking to confirm", err)
		wantCode(t, "a confirmation as a sign-in", finish(c, device.Get(c.Options)), "passkey_challenge")
		c, err = w.BeginConfirmation(w.admin, at)
		must(t, "asking to confirm", err)
		_, err = w.Confirm(vera, at, identity.CeremonyAnswer{Browser: c.Browser.Reveal(), Response: device.Get(c.Options)})
		wantCode(t, "another's confirmation", err, "passkey_challenge")
		wantCode(t, "confirming with another's passkey", w.confirm(vera, device), "passkey_refused")
	})
}

func TestGuessingPasskeysIsSlowedDown(t *testing.T) {
	onSQLite(t, func(t *testing.T, w *world) {
		for range 5 {
			_, err := w.PasskeySignIn(from(t, "192.0.2.9"), site(t, home), identity.CeremonyAnswer{}, "")
			wantCode(t, "a guess", err, "passkey_challenge")
		}
		_, err := w.PasskeySignIn(from(t, "192.0.2.9"), site(t, home), identity.CeremonyAnswer{}, "")
		wantCode(t, "one more", err, "too_many_attempts")
	})
}

func TestConfirmationLastsAnHour(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := site(t, home)
		must(t, "without a passkey", w.MustConfirm(w.admin, at))
		device := identitytest.NewAuthenticator(t, home)
		w.addPasskey(w.admin, device, "")
		wantCode(t, "with one", w.MustConfirm(w.admin, at), "confirm_with_passkey")
		must(t, "where the passkey is no good", w.MustConfirm(w.admin, site(t, "http://localhost:7777")))
		key, text, err := w.CreateKey(w.admin, identity.NewKey{Name: "script"})
		must(t, "key", err)
		script, err := w.key(text.Reveal())
		must(t, "key "+string(key.ID), err)
		must(t, "with an API key", w.MustConfirm(identity.With(t.Context(), script), at))

		// A session that began where the passkey is good does not get around it by calling the server another name.
		begun := identity.WithOrigin(t.Context(), identity.Origin{Host: "flux.example.org:443"})
		elsewhere, err := w.SignIn(begun, identity.SignIn{Login: "admin", Password: identitytest.Password})
		must(t, "signing in", err)
		wantCode(t, "by an address", w.MustConfirm(identity.With(t.Context(), elsewhere.Identity), identity.Site{}), "confirm_with_passkey")

		must(t, "confirming", w.confirm(w.admin, device))
		must(t, "right after", w.MustConfirm(w.admin, at))
		wantCode(t, "in another session", w.MustConfirm(identitytest.As(t, w.Directory, "admin"), at), "confirm_with_passkey")
		w.clock.Advance(59 * minute)
		must(t, "within the hour", w.MustConfirm(w.admin, at))
		w.clock.Advance(minute)
		wantCode(t, "an hour later", w.MustConfirm(w.admin, at), "confirm_with_passkey")

		_, err = w.SetConfirmation(w.admin, at, false)
		wantCode(t, "turning it off", err, "confirm_with_passkey")
		_, err = w.OfferPasskey(w.admin, at, identitytest.Password)
		wantCode(t, "another passkey, with the password alone", err, "confirm_with_passkey")
		must(t, "confirming", w.confirm(w.admin, device))
		c, err := w.SetConfirmation(w.admin, at, false)
		if err != nil || c.Approvals || c.Passkeys != 1 || c.Until.IsZero() {
			t.Errorf("turned off: %+v, %v", c, err)
		}
		w.clock.Advance(2 * 60 * minute)
		must(t, "turned off", w.MustConfirm(w.admin, at))
	})
}

func TestPasskeysAreMadeByTheirOwner(t *testing.T) {
	onSQLite(t, func(t *testing.T, w *world) {
		at, device := site(t, home), identitytest.NewAuthenticator(t, home)
		_, err := w.OfferPasskey(w.admin, at, "a wrong password")
		wantCode(t, "a wrong password", err, "wrong_password")
		c, err := w.OfferPasskey(w.admin, at, identitytest.Password)
		must(t, "offering", err)
		answer := identity.CeremonyAnswer{Browser: c.Browser.Reveal(), Response: device.Create(c.Options)}
		vera := w.add("vera", identity.Viewer)
		_, err = w.AddPasskey(vera, at, answer, "")
		wantCode(t, "another's ceremony", err, "passkey_challenge")
		_, err = w.AddPasskey(w.admin, at, answer, "")
		wantCode(t, "after another tried", err, "passkey_challenge")
		for what, change := range map[string]func(){"another page": func() { device.Origin = "https://evil.example.org" }, "nobody was checked": func() { device.Unverified = true }} {
			change()
			c, err = w.OfferPasskey(w.admin, at, identitytest.Password)
			must(t, "offering", err)
			_, err = w.AddPasskey(w.admin, at, identity.CeremonyAnswer{Browser: c.Browser.Reveal(), Response: device.Create(c.Options)}, "")
			wantCode(t, what, err, "passkey_refused")
			device.Origin, device.Unverified = home, false
		}
		hers := w.addPasskey(vera, identitytest.NewAuthenticator(t, home), "")
		wantPasskeys := func(when string, want int64) {
			t.Helper()
			if m, err := w.Member(w.admin, hers.User); err != nil || m.Passkeys != want {
				t.Errorf("%s the list of users says %d, %v; want %d", when, m.Passkeys, err, want)
			}
		}
		wantPasskeys("before", 1)
		must(t, "an administrator's help", w.ResetPasskeys(w.admin, hers.User))
		wantPasskeys("afterwards", 0)
		if list, err := w.Passkeys(vera, at); err != nil || len(list) != 0 {
			t.Errorf("she still has %+v, %v", list, err)
		}
		wantCode(t, "a viewer's help", w.ResetPasskeys(vera, identity.From(w.admin).User), "forbidden")
		must(t, "removing the user", w.RemoveUser(w.admin, hers.User))
	})
}

func TestWhereThereCanBePasskeys(t *testing.T) {
	t.Parallel()
	for origin, code := range map[string]string{
		"http://localhost:7777": "", "http://flux.localhost:7777": "", "https://flux.example.org": "", "https://FLUX.example.org.:8443": "",
		"http://127.0.0.1:7777": "passkeys_need_name", "https://192.0.2.1": "passkeys_need_name", "http://[::1]:7777": "passkeys_need_name",
		"http://flux.example.org": "passkeys_need_https", "": "passkeys_need_name", "file:///x": "passkeys_need_name", "null": "passkeys_need_name",
	} {
		if _, err := identity.SiteOf(origin); code == "" {
			must(t, origin, err)
		} else {
			wantCode(t, origin, err, code)
		}
	}
}

func TestWhatIsAskedOfAnAuthenticator(t *testing.T) {
	onSQLite(t, func(t *testing.T, w *world) {
		c, err := w.OfferPasskey(w.admin, site(t, home), identitytest.Password)
		must(t, "offering", err)
		var o struct {
			Attestation string `json:"attestation"`
			Selection   struct {
				ResidentKey      string `json:"residentKey"`
				UserVerification string `json:"userVerification"`
			} `json:"authenticatorSelection"`
			Challenge string `json:"challenge"`
			RP        struct {
				ID string `json:"id"`
			} `json:"rp"`
		}
		must(t, "options", json.Unmarshal(c.Options, &o))
		if o.Selection.ResidentKey != "required" || o.Selection.UserVerification != "required" || o.RP.ID != "flux.example.org" || len(o.Challenge) < 43 {
			t.Errorf("options %s", c.Options)
		}
	})
}
