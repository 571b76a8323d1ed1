package identity_test

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/identity/identitytest"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestSignInAndOut(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := from(t, "192.0.2.7")
		a, err := w.signIn(ctx, identity.SignIn{Login: "ADMIN "})
		must(t, "sign-in", err)
		id, err := w.session(a.Token.Reveal())
		must(t, "authenticate", err)
		ctx = identity.With(ctx, id)
		me, err := w.Me(ctx)
		must(t, "me", err)
		if me.User.Login != "admin" || me.Role != identity.Admin || me.Workspace.ID != id.Workspace || len(me.Workspaces) != 1 ||
			!slices.Contains(me.Permissions, "users:write") {
			t.Errorf("Me = %+v", me)
		}
		all, err := w.Sessions(ctx)
		must(t, "sessions", err)
		if len(all) != 2 || !all[slices.IndexFunc(all, func(s identity.Session) bool { return s.ID == id.Session })].Current {
			t.Errorf("sessions %+v", all)
		}
		must(t, "sign out", w.SignOut(ctx))
		_, err = w.session(a.Token.Reveal())
		wantCode(t, "after sign-out", err, "signed_out")
		if got, want := w.said(), []string{"identity.signed_in", "identity.signed_out"}; !slices.Equal(got, want) {
			t.Errorf("said %v, want %v", got, want)
		}
		for _, token := range []string{"", "x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"} {
			_, err = w.session(token)
			wantCode(t, "token "+token, err, "signed_out")
		}
	})
}

func TestOnlyOnesOwnSessionsCanBeEnded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		other := w.add("otto", identity.Operator)
		err := w.RevokeSession(other, identity.From(w.admin).Session)
		wantCode(t, "ending another's session", err, "session_not_found")
		must(t, "ending one's own", w.RevokeSession(w.admin, identity.From(w.admin).Session))
	})
}

func TestWrongPasswordsAreSlowedAndRecorded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := from(t, "198.51.100.1")
		for i := range 5 {
			_, err := w.signIn(ctx, identity.SignIn{Password: "wrong"})
			wantCode(t, "wrong password", err, "invalid_credentials")
			if i == 0 {
				if r := w.last(); r.Action != "session.begin" || r.Result != identity.Denied || r.ActorName != "admin" || r.IP != "198.51.100.1" ||
					r.Note != "invalid_credentials" || r.Request != "req_test" {
					t.Errorf("audit row %+v", r)
				}
			}
		}
		_, err := w.signIn(ctx, identity.SignIn{})
		f := fault.From(err)
		if f.Code != "too_many_attempts" || f.Status() != 429 || f.RetryAfter < time.Second {
			t.Fatalf("the sixth try: %+v", f)
		}
		if _, err := w.signIn(from(t, "198.51.100.2"), identity.SignIn{}); err != nil {
			t.Errorf("another address is locked out: %v", err)
		}
		w.clock.Advance(f.RetryAfter)
		if _, err := w.signIn(ctx, identity.SignIn{}); err != nil {
			t.Errorf("after waiting %s: %v", f.RetryAfter, err)
		}
		_, err = w.signIn(ctx, identity.SignIn{Login: "nobody"})
		wantCode(t, "unknown user", err, "invalid_credentials")
		if r := w.last(); r.ActorName != "nobody" || r.Result != identity.Denied {
			t.Errorf("audit row of an unknown user %+v", r)
		}
	})
}

func TestSessionsSlideAndEnd(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		a, err := w.signIn(from(t, "192.0.2.7"), identity.SignIn{})
		must(t, "sign-in", err)
		for range 12 { // six days at a time, for 72 days
			w.clock.Advance(6 * 24 * time.Hour)
			if _, err := w.session(a.Token.Reveal()); err != nil {
				t.Fatalf("a used session ended: %v", err)
			}
			must(t, "flush", w.Flush(t.Context()))
		}
		seen, err := store.One[string](t.Context(), w.db.Read(), `SELECT agent FROM identity_sessions WHERE id = ?`, a.Identity.Session)
		if err != nil || seen != "test" {
			t.Errorf("last seen agent %q, %v", seen, err)
		}
		b, err := w.signIn(from(t, "192.0.2.7"), identity.SignIn{})
		must(t, "sign-in", err)
		w.clock.Advance(7*24*time.Hour + time.Second)
		_, err = w.session(b.Token.Reveal())
		wantCode(t, "an idle session", err, "signed_out")
		c, err := w.signIn(from(t, "192.0.2.7"), identity.SignIn{})
		must(t, "sign-in", err)
		for range 15 {
			w.clock.Advance(6 * 24 * time.Hour)
			if _, err = w.session(c.Token.Reveal()); err != nil {
				break
			}
			must(t, "flush", w.Flush(t.Context()))
		}
		wantCode(t, "a session of 90 days", err, "signed_out")
		must(t, "sweep", w.Sweep(t.Context()))
		if n, err := store.One[int](t.Context(), w.db.Read(), `SELECT count(*) FROM identity_sessions`); n != 0 || err != nil {
			t.Errorf("%d sessions are left, %v; want none", n, err)
		}
	})
}

func TestLastSeenIsWrittenOnceAMinute(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		a, err := w.signIn(from(t, "192.0.2.7"), identity.SignIn{})
		must(t, "sign-in", err)
		begun := w.clock.Now()
		seen := func() time.Time {
			t.Helper()
			must(t, "flush", w.Flush(t.Context()))
			at, err := store.One[time.Time](t.Context(), w.db.Read(), `SELECT seen_at FROM identity_sessions WHERE id = ?`, a.Identity.Session)
			must(t, "seen", err)
			return at
		}
		for range 3 {
			w.clock.Advance(20 * time.Second)
			_, err := w.session(a.Token.Reveal())
			must(t, "authenticate", err)
			if at := seen(); w.clock.Now().Sub(begun) < minute && !at.Equal(begun) {
				t.Errorf("written after %s", at.Sub(begun))
			}
		}
		if at := seen(); !at.Equal(begun.Add(minute)) {
			t.Errorf("seen %s after the beginning, want 1m", at.Sub(begun))
		}
	})
}

func TestTokensRotateWithoutSigningAnybodyOut(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		a, err := w.signIn(from(t, "192.0.2.7"), identity.SignIn{})
		must(t, "sign-in", err)
		old := a.Token.Reveal()
		id, err := w.session(old)
		must(t, "authenticate", err)
		if w.RotationDue(id) {
			t.Error("rotation is due at once")
		}
		w.clock.Advance(13 * time.Hour)
		id, err = w.session(old)
		must(t, "authenticate", err)
		if !w.RotationDue(id) {
			t.Fatal("rotation is not due after 13 hours")
		}
		first, err := w.Rotate(t.Context(), id, old)
		if err != nil || first.Empty() {
			t.Fatalf("Rotate = %v, %v", first, err)
		}
		again, err := w.Rotate(t.Context(), id, old) // the second tab, at the same moment
		if err != nil || !again.Empty() {
			t.Fatalf("the second tab's Rotate = %v, %v; want none", again, err)
		}
		// The answer with the new token is lost: the old one must live on and get another.
		w.clock.Advance(2 * time.Hour)
		id, err = w.session(old)
		must(t, "the old token, as long as the new one was not seen", err)
		if !w.RotationDue(id) {
			t.Fatal("no new token for a lost one")
		}
		second, err := w.Rotate(t.Context(), id, old)
		if err != nil || second.Empty() {
			t.Fatalf("Rotate = %v, %v", second, err)
		}
		_, err = w.session(first.Reveal())
		wantCode(t, "the lost token", err, "signed_out")
		now, err := w.session(second.Reveal())
		must(t, "the new token", err)
		if now.Session != id.Session || w.RotationDue(now) {
			t.Errorf("the new token gives %+v", now)
		}
		id, err = w.session(old)
		must(t, "the old token in the overlap", err)
		if w.RotationDue(id) {
			t.Error("a superseded token is rotated")
		}
		w.clock.Advance(2 * minute)
		_, err = w.session(old)
		wantCode(t, "the old token after the overlap", err, "signed_out")
		if _, err := w.session(second.Reveal()); err != nil {
			t.Errorf("the new token after the overlap: %v", err)
		}
	})
}

func TestANewPasswordEndsOtherSessions(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		here, err := w.signIn(from(t, "192.0.2.7"), identity.SignIn{})
		must(t, "sign-in", err)
		there, err := w.signIn(from(t, "192.0.2.8"), identity.SignIn{})
		must(t, "sign-in", err)
		_, err = w.session(there.Token.Reveal()) // now remembered
		must(t, "authenticate", err)
		ctx := identity.With(from(t, "192.0.2.7"), here.Identity)
		wantCode(t, "wrong current password", w.ChangePassword(ctx, "wrong", "another four quick words"), "wrong_password")
		wantCode(t, "weak password", w.ChangePassword(ctx, identitytest.Password, "admin admin"), "weak_password")
		must(t, "change", w.ChangePassword(ctx, identitytest.Password, "another four quick words"))
		_, err = w.session(there.Token.Reveal())
		wantCode(t, "the other session", err, "signed_out")
		if _, err := w.session(here.Token.Reveal()); err != nil {
			t.Errorf("this session: %v", err)
		}
		_, err = w.signIn(from(t, "192.0.2.7"), identity.SignIn{})
		wantCode(t, "the old password", err, "invalid_credentials")
		_, err = w.signIn(from(t, "192.0.2.7"), identity.SignIn{Password: "another four quick words"})
		must(t, "the new password", err)
	})
}

// importedSum was computed with another implementation of scrypt.
const importedSum = "a8685aa20ccae8947bc2cf40f12383369af075b31951539cfcfd42bbfc73454dee92e6f2a15b859ad938cd12a94ba6bc9651ef9177b10f80196e6a857c35a472"

func TestImportedHashesAreUpgraded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t)) // the hash is costly; how it is stored is tested elsewhere
	w.admin = identitytest.SetUp(t, w.Directory)
	const stored = "30313233343536373839616263646566:" // salt as Node writes it, then scrypt of "imported from the old one"
	_, err := w.AddUser(w.admin, identity.NewUser{Login: "ida", PasswordHash: stored + importedSum, Role: identity.Operator})
	must(t, "import", err)
	for range 2 {
		if _, err := w.signIn(from(t, "192.0.2.7"), identity.SignIn{Login: "ida", Password: "imported from the old one"}); err != nil {
			t.Fatalf("sign-in with an imported hash: %v", err)
		}
	}
	hash, err := store.One[string](t.Context(), w.db.Read(), `SELECT password FROM identity_users WHERE login = 'ida'`)
	if err != nil || hash[:10] != "$argon2id$" {
		t.Errorf("the hash is still %.12q, %v", hash, err)
	}
	_, err = w.AddUser(w.admin, identity.NewUser{Login: "eve", PasswordHash: "$2a$10$nonsense"})
	wantCode(t, "a hash of another kind", err, "bad_password_hash")
}

func TestChangesByAnotherProcessCountSoon(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		a, err := w.signIn(from(t, "192.0.2.7"), identity.SignIn{})
		must(t, "sign-in", err)
		_, err = w.session(a.Token.Reveal())
		must(t, "authenticate", err)
		other := w.neighbour()
		must(t, "ended elsewhere", other.RevokeSession(identity.With(t.Context(), a.Identity), a.Identity.Session))
		w.clock.Advance(5 * time.Second)
		_, err = w.session(a.Token.Reveal())
		wantCode(t, "after the cache's time", err, "signed_out")

		b, err := w.signIn(from(t, "192.0.2.7"), identity.SignIn{})
		must(t, "sign-in", err)
		_, err = w.session(b.Token.Reveal())
		must(t, "authenticate", err)
		must(t, "ended elsewhere", other.RevokeSession(identity.With(t.Context(), b.Identity), b.Identity.Session))
		w.Forget()
		_, err = w.session(b.Token.Reveal())
		wantCode(t, "after Forget", err, "signed_out")
	})
}

func BenchmarkAuthenticateRemembered(b *testing.B) {
	d := identitytest.New(b, storetest.SQLite(b))
	_, text, err := d.CreateKey(identitytest.SetUp(b, d), identity.NewKey{Name: "bench", Allow: []string{"192.0.2.0/24"}})
	if err != nil {
		b.Fatal(err)
	}
	c := identity.Credentials{Key: text.Reveal(), IP: netip.MustParseAddr("192.0.2.1")}
	b.ReportAllocs()
	for b.Loop() {
		if id, err := d.Authenticate(b.Context(), c); err != nil || !id.May("runs:write") {
			b.Fatal(err)
		}
	}
}
