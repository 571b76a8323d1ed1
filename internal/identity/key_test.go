package identity_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/store"
)

func TestKeysAreShownOnceAndStoredHashed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		k, text, err := w.CreateKey(w.admin, identity.NewKey{Name: "ci", Scopes: []string{"runs:*", "conversations:read"}})
		must(t, "create", err)
		if !strings.HasPrefix(text.Reveal(), "fx_") || !strings.HasPrefix(text.Reveal(), k.Hint) || len(k.Hint) > 8 {
			t.Errorf("text %s, hint %s", text.Reveal(), k.Hint)
		}
		id, err := w.key(text.Reveal())
		must(t, "authenticate", err)
		if id.Via != identity.ViaKey || id.Key != k.ID || id.KeyName != "ci" || id.Login != "admin" ||
			!slices.Equal(id.Permissions.List(), []string{"conversations:read", "runs:read", "runs:write"}) {
			t.Errorf("identity %+v with %v", id, id.Permissions.List())
		}
		for _, query := range []string{
			`SELECT count(*) FROM identity_keys WHERE hash LIKE '%fx_%' OR hash = ?`, `SELECT count(*) FROM identity_audit WHERE after_json LIKE '%' || ? || '%'`,
		} {
			if n, err := store.One[int](t.Context(), w.db.Read(), query, text.Reveal()); n != 0 || err != nil {
				t.Errorf("the key's text is stored: %s, %v", query, err)
			}
		}
		if r := w.last(); r.Action != "key.create" || r.Resource != "keys/"+string(k.ID) || !strings.Contains(string(r.After), `"scopes":["runs:*"`) {
			t.Errorf("audit row %+v, after %s", r, r.After)
		}
		if got := w.said(); !slices.Equal(got, []string{"identity.key_created"}) {
			t.Errorf("said %v", got)
		}
		_, err = w.Authenticate(t.Context(), identity.Credentials{Session: text.Reveal()})
		wantCode(t, "a key as a session", err, "signed_out")
		a, err := w.signIn(from(t, "192.0.2.7"), identity.SignIn{})
		must(t, "sign-in", err)
		_, err = w.session(a.Token.Reveal())
		must(t, "session", err)
		_, err = w.key(a.Token.Reveal())
		wantCode(t, "a session as a key", err, "bad_key")
	})
}

func TestKeyLimits(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, text, err := w.CreateKey(w.admin, identity.NewKey{
			Name: "limited", Allow: []string{"10.0.0.0/8", "2001:db8::1", "192.0.2.77"}, Expires: w.clock.Now().Add(time.Hour),
		})
		must(t, "create", err)
		use := func(ip string) error {
			_, err := w.Authenticate(t.Context(), identity.Credentials{Key: text.Reveal(), IP: netip.MustParseAddr(ip)})
			return err
		}
		for _, ip := range []string{"10.1.2.3", "2001:db8::1", "192.0.2.77", "::ffff:10.1.2.3"} {
			must(t, "from "+ip, use(ip))
		}
		for _, ip := range []string{"11.0.0.1", "2001:db8::2", "192.0.2.78", "::1"} {
			wantCode(t, "from "+ip, use(ip), "address_not_allowed")
		}
		w.clock.Advance(time.Hour)
		wantCode(t, "expired", use("10.1.2.3"), "bad_key")
		for _, bad := range []struct {
			in   identity.NewKey
			code string
		}{
			{identity.NewKey{}, "bad_name"},
			{identity.NewKey{Name: "x", Scopes: []string{"run:read"}}, "unknown_scope"},
			{identity.NewKey{Name: "x", Scopes: make([]string, 65)}, "too_many_scopes"},
			{identity.NewKey{Name: "x", Allow: []string{"10.0.0.0/40"}}, "bad_network"},
			{identity.NewKey{Name: "x", Expires: w.clock.Now()}, "already_expired"},
			{identity.NewKey{Name: "x", Scopes: []string{"account:write"}}, "scope_beyond_yours"},
		} {
			_, _, err := w.CreateKey(w.admin, bad.in)
			wantCode(t, "creating", err, bad.code)
		}
		for _, text := range []string{"fx_", "fx_" + strings.Repeat("a", 43), "hello", text.Reveal()[:40]} {
			_, err := w.key(text)
			wantCode(t, text, err, "bad_key")
		}
	})
}

func TestKeysFollowTheirMakersRole(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		otto := w.add("otto", identity.Operator)
		_, _, err := w.CreateKey(otto, identity.NewKey{Name: "x", Scopes: []string{"users:write"}})
		wantCode(t, "a scope beyond the role", err, "scope_beyond_yours")
		_, text, err := w.CreateKey(otto, identity.NewKey{Name: "everything"})
		must(t, "create", err)
		id, err := w.key(text.Reveal())
		must(t, "authenticate", err)
		if id.May("users:write") || !id.May("runs:write") || id.May("account:write") {
			t.Errorf("an operator's key may %v", id.Permissions.List())
		}
		user := identity.From(otto).User
		_, err = w.ChangeUser(w.admin, user, identity.UserChange{Role: ref(identity.Viewer)})
		must(t, "demote", err)
		id, err = w.key(text.Reveal())
		must(t, "authenticate", err)
		if id.May("runs:write") || !id.May("runs:read") {
			t.Errorf("after the demotion the key may %v", id.Permissions.List())
		}
		must(t, "remove", w.RemoveUser(w.admin, user))
		_, err = w.key(text.Reveal())
		wantCode(t, "a removed user's key", err, "bad_key")
	})
}

func TestAKeyCannotMakeAWiderOne(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, text, err := w.CreateKey(w.admin, identity.NewKey{Name: "narrow", Scopes: []string{"keys:*", "runs:read"}})
		must(t, "create", err)
		id, err := w.key(text.Reveal())
		must(t, "authenticate", err)
		ctx := identity.With(from(t, "192.0.2.1"), id)
		for _, scopes := range [][]string{{"*"}, {"runs:*"}, {"users:write"}} {
			_, _, err = w.CreateKey(ctx, identity.NewKey{Name: "wide", Scopes: scopes})
			wantCode(t, "widening to "+scopes[0], err, "scope_beyond_yours")
		}
		wide, _, err := w.CreateKey(w.admin, identity.NewKey{Name: "wide"})
		must(t, "create", err)
		_, _, err = w.RotateKey(ctx, wide.ID, 0)
		wantCode(t, "rotating a wider key", err, "scope_beyond_yours")
		child, childText, err := w.CreateKey(ctx, identity.NewKey{Name: "child"})
		must(t, "a key like itself", err)
		got, err := w.key(childText.Reveal())
		must(t, "authenticate", err)
		if got.Permissions != id.Permissions {
			t.Errorf("%v made %v (%v)", id.Permissions.List(), got.Permissions.List(), child.Scopes)
		}
	})
}

func TestKeyRotationOverlaps(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		k, old, err := w.CreateKey(w.admin, identity.NewKey{Name: "ci"})
		must(t, "create", err)
		_, err = w.key(old.Reveal())
		must(t, "remembered", err)
		rotated, next, err := w.RotateKey(w.admin, k.ID, 24*time.Hour)
		must(t, "rotate", err)
		if rotated.ID != k.ID || !rotated.OverlapUntil.Equal(w.clock.Now().Add(24*time.Hour)) {
			t.Errorf("rotated %+v", rotated)
		}
		for _, text := range []string{old.Reveal(), next.Reveal()} {
			if id, err := w.key(text); err != nil || id.Key != k.ID {
				t.Errorf("in the overlap: %+v, %v", id, err)
			}
		}
		w.clock.Advance(24 * time.Hour)
		_, err = w.key(old.Reveal())
		wantCode(t, "the old text after the overlap", err, "bad_key")
		must(t, "the new text", func() error { _, err := w.key(next.Reveal()); return err }())
		_, last, err := w.RotateKey(w.admin, k.ID, 0)
		must(t, "rotate at once", err)
		_, err = w.key(next.Reveal())
		wantCode(t, "without overlap", err, "bad_key")
		_, _, err = w.RotateKey(w.admin, k.ID, -time.Second)
		wantCode(t, "a negative overlap", err, "bad_overlap")
		must(t, "revoke", w.RevokeKey(w.admin, k.ID))
		_, err = w.key(last.Reveal())
		wantCode(t, "revoked", err, "bad_key")
		_, _, err = w.RotateKey(w.admin, k.ID, 0)
		wantCode(t, "rotating a revoked key", err, "key_revoked")
		must(t, "revoking twice", w.RevokeKey(w.admin, k.ID))
	})
}

func TestOperatorsSeeTheirOwnKeysOnly(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		otto := w.add("otto", identity.Operator)
		his, _, err := w.CreateKey(otto, identity.NewKey{Name: "his"})
		must(t, "create", err)
		hers, _, err := w.CreateKey(w.admin, identity.NewKey{Name: "hers"})
		must(t, "create", err)
		list, err := w.Keys(otto, page.Query{})
		must(t, "list", err)
		if len(list.Data) != 1 || list.Data[0].ID != his.ID {
			t.Errorf("otto sees %+v", list.Data)
		}
		_, err = w.Key(otto, hers.ID)
		wantCode(t, "seeing another's key", err, "key_not_found")
		wantCode(t, "revoking another's key", w.RevokeKey(otto, hers.ID), "key_not_found")
		first, err := w.Keys(w.admin, page.Query{Limit: 1})
		must(t, "list", err)
		second, err := w.Keys(w.admin, page.Query{Limit: 1, Cursor: first.NextCursor})
		must(t, "list", err)
		if first.Data[0].ID != hers.ID || !first.HasMore || second.Data[0].ID != his.ID || second.HasMore {
			t.Errorf("the admin sees %+v, then %+v", first, second)
		}
		must(t, "an admin revokes any", w.RevokeKey(w.admin, his.ID))
	})
}

func TestKeyUseIsWritten(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		k, text, err := w.CreateKey(w.admin, identity.NewKey{Name: "ci"})
		must(t, "create", err)
		_, err = w.key(text.Reveal())
		must(t, "use", err)
		must(t, "flush", w.Flush(t.Context()))
		got, err := w.Key(w.admin, k.ID)
		must(t, "key", err)
		if !got.UsedAt.Equal(w.clock.Now()) || got.UsedIP != "192.0.2.1" {
			t.Errorf("used %s from %s", got.UsedAt, got.UsedIP)
		}
	})
}
