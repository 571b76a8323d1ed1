package identity_test

import (
	"context"
	"net/url"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/identity/identitytest"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// party is a world that signs in through a real issuer.
type party struct {
	*world
	issuer *identitytest.Issuer
}

func eachParty(t *testing.T, test func(t *testing.T, p *party), change ...func(*identity.OIDCOptions)) {
	t.Helper()
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := identitytest.NewClock()
		issuer := identitytest.NewIssuer(t, clock.Now)
		w := newWorld(t, db, func(o *identity.Options) {
			o.Now, o.OIDC = clock.Now, issuer.Options()
			o.OIDC.AutoCreate = true
			for _, c := range change {
				c(o.OIDC)
			}
		})
		w.clock = clock
		w.admin = identitytest.SetUp(t, w.Directory)
		test(t, &party{w, issuer})
	})
}

// start begins a sign-in and gives what the browser brings back.
func (p *party) start(ctx context.Context, in identity.OIDCStart) identity.OIDCCallback {
	p.t.Helper()
	to, err := p.StartOIDC(ctx, in)
	must(p.t, "start", err)
	back := p.issuer.Visit(p.t, to.URL)
	return identity.OIDCCallback{State: back.Get("state"), Code: back.Get("code"), Browser: to.Browser.Reveal()}
}

func TestSignInThroughAnIssuer(t *testing.T) {
	eachParty(t, func(t *testing.T, p *party) {
		ctx := from(t, "192.0.2.7")
		if ways := p.Ways(); !ways.OIDC || !ways.Password || ways.OIDCName != "Test" {
			t.Errorf("ways %+v", ways)
		}
		back := p.start(ctx, identity.OIDCStart{ReturnTo: "/runs"})
		got, err := p.FinishOIDC(ctx, back)
		must(t, "finish", err)
		id, err := p.session(got.Token.Reveal())
		must(t, "session", err)
		if got.ReturnTo != "/runs" || got.Linked || id.Login != "anna" || id.Name != "Anna" || id.Role != identity.Operator {
			t.Errorf("result %+v, identity %+v", got, id)
		}
		_, err = p.FinishOIDC(ctx, back)
		wantCode(t, "a replayed state", err, "oidc_state")
		p.issuer.Is(map[string]any{"email": "moved@example.org", "preferred_username": "other"})
		again, err := p.FinishOIDC(ctx, p.start(ctx, identity.OIDCStart{ReturnTo: "https://evil.example"}))
		must(t, "second sign-in", err)
		if again.Identity.User != id.User || again.ReturnTo != "/" {
			t.Errorf("the same subject became %+v, back to %s", again.Identity, again.ReturnTo)
		}
	}, func(o *identity.OIDCOptions) { o.Role = identity.Operator })
}

func TestAnotherSubjectWithTheSameAddressIsSomeoneElse(t *testing.T) {
	eachParty(t, func(t *testing.T, p *party) {
		ctx := from(t, "192.0.2.7")
		_, err := p.ChangeAccount(p.admin, identity.AccountChange{Email: ref("anna@example.org")})
		must(t, "an administrator with that address", err)
		p.issuer.Is(map[string]any{"preferred_username": "admin"})
		got, err := p.FinishOIDC(ctx, p.start(ctx, identity.OIDCStart{}))
		must(t, "finish", err)
		if got.Identity.User == identity.From(p.admin).User || got.Identity.Login != "admin-2" || got.Identity.Role != identity.Viewer {
			t.Errorf("a stranger became %+v", got.Identity)
		}
	})
}

func TestBadAnswersOfAnIssuer(t *testing.T) {
	tests := []struct {
		name, code string
		bend       func(claims map[string]any)
	}{
		{"wrong nonce", "oidc_nonce", func(c map[string]any) { c["nonce"] = "another" }},
		{"no nonce", "oidc_nonce", func(c map[string]any) { delete(c, "nonce") }},
		{"wrong audience", "oidc_token", func(c map[string]any) { c["aud"] = "someone-else" }},
		{"several audiences, for another party", "oidc_token", func(c map[string]any) {
			c["aud"], c["azp"] = []string{identitytest.ClientID, "someone-else"}, "someone-else"
		}},
		{"wrong issuer", "oidc_token", func(c map[string]any) { c["iss"] = "https://evil.example" }},
		{"expired", "oidc_token", func(c map[string]any) { c["exp"] = c["iat"].(int64) - 3600 }},
		{"no subject", "oidc_token", func(c map[string]any) { c["sub"] = "" }},
		{"bad signature", "oidc_token", nil},
	}
	eachParty(t, func(t *testing.T, p *party) {
		ctx := from(t, "192.0.2.7")
		for _, tt := range tests {
			p.issuer.Bend(tt.bend)
			if tt.bend == nil {
				p.issuer.Forge()
			}
			back := p.start(ctx, identity.OIDCStart{})
			_, err := p.FinishOIDC(ctx, back)
			wantCode(t, tt.name, err, tt.code)
			if r := p.last(); r.Action != "session.begin" || r.Result != identity.Denied || r.Note != tt.code {
				t.Errorf("%s: audit row %+v", tt.name, r)
			}
			_, err = p.FinishOIDC(ctx, back)
			wantCode(t, tt.name+", again", err, "oidc_state")
		}
		if n, err := store.One[int](ctx, p.db.Read(), `SELECT count(*) FROM identity_users`); n != 1 || err != nil {
			t.Errorf("%d users, %v; want 1", n, err)
		}
	})
}

func TestStatesBelongToOneBrowserAndAMoment(t *testing.T) {
	eachParty(t, func(t *testing.T, p *party) {
		ctx := from(t, "192.0.2.7")
		stolen := p.start(ctx, identity.OIDCStart{})
		stolen.Browser = "another"
		_, err := p.FinishOIDC(ctx, stolen)
		wantCode(t, "another browser", err, "oidc_state")
		late := p.start(ctx, identity.OIDCStart{})
		p.clock.Advance(11 * time.Minute)
		_, err = p.FinishOIDC(ctx, late)
		wantCode(t, "after 11 minutes", err, "oidc_state")
		_, err = p.FinishOIDC(ctx, identity.OIDCCallback{State: "x"})
		wantCode(t, "an invented state", err, "oidc_state")
		refused := p.start(ctx, identity.OIDCStart{})
		refused.Error = "access_denied"
		_, err = p.FinishOIDC(ctx, refused)
		wantCode(t, "the issuer refused", err, "oidc_refused")
		mixed, other := p.start(ctx, identity.OIDCStart{}), p.start(ctx, identity.OIDCStart{})
		mixed.Code = other.Code // PKCE: a code is good for the sign-in that asked for it
		_, err = p.FinishOIDC(ctx, mixed)
		wantCode(t, "another sign-in's code", err, "oidc_exchange")
	})
}

func TestLinkingAnAccount(t *testing.T) {
	eachParty(t, func(t *testing.T, p *party) {
		ctx := from(t, "192.0.2.7")
		_, err := p.FinishOIDC(ctx, p.start(ctx, identity.OIDCStart{}))
		wantCode(t, "an unknown subject", err, "oidc_unknown")
		_, err = p.StartOIDC(ctx, identity.OIDCStart{Link: true})
		wantCode(t, "linking when not signed in", err, "unauthenticated")
		got, err := p.FinishOIDC(ctx, p.start(p.admin, identity.OIDCStart{Link: true, ReturnTo: "/account"}))
		must(t, "link", err)
		if !got.Linked || !got.Token.Empty() || got.ReturnTo != "/account" {
			t.Errorf("linked %+v", got)
		}
		signed, err := p.FinishOIDC(ctx, p.start(ctx, identity.OIDCStart{}))
		must(t, "sign-in", err)
		if signed.Identity.Login != "admin" {
			t.Errorf("signed in as %+v", signed.Identity)
		}
		otto := p.add("otto", identity.Operator)
		_, err = p.FinishOIDC(ctx, p.start(otto, identity.OIDCStart{Link: true}))
		wantCode(t, "another's account", err, "oidc_linked")
	}, func(o *identity.OIDCOptions) { o.AutoCreate = false })
}

func TestAllowedDomainsOfAnIssuer(t *testing.T) {
	eachParty(t, func(t *testing.T, p *party) {
		ctx := from(t, "192.0.2.7")
		p.issuer.Is(map[string]any{"email_verified": false})
		_, err := p.FinishOIDC(ctx, p.start(ctx, identity.OIDCStart{}))
		wantCode(t, "an unverified address", err, "oidc_domain")
		p.issuer.Is(map[string]any{"email_verified": true, "email": "anna@evil.example"})
		_, err = p.FinishOIDC(ctx, p.start(ctx, identity.OIDCStart{}))
		wantCode(t, "another domain", err, "oidc_domain")
		p.issuer.Is(map[string]any{"email_verified": "true", "email": "anna@example.org"})
		_, err = p.FinishOIDC(ctx, p.start(ctx, identity.OIDCStart{}))
		must(t, "the right domain", err)
	}, func(o *identity.OIDCOptions) { o.Domains = []string{"example.org"} })
}

func TestAnIssuerThatIsAway(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, err := w.StartOIDC(t.Context(), identity.OIDCStart{})
		wantCode(t, "not reachable", err, "issuer_unreachable")
	}, func(o *identity.Options) {
		o.OIDC = &identity.OIDCOptions{IssuerURL: "http://127.0.0.1:1", ClientID: "x", RedirectURL: "http://127.0.0.1/cb"}
	})
}

func TestWithoutAnIssuer(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, err := w.StartOIDC(t.Context(), identity.OIDCStart{})
		wantCode(t, "start", err, "oidc_off")
		_, err = w.FinishOIDC(t.Context(), identity.OIDCCallback{})
		wantCode(t, "finish", err, "oidc_off")
		if w.Ways().OIDC {
			t.Error("offers an issuer")
		}
	})
}

func TestTheRedirectHidesNothingItShould(t *testing.T) {
	eachParty(t, func(t *testing.T, p *party) {
		to, err := p.StartOIDC(t.Context(), identity.OIDCStart{})
		must(t, "start", err)
		u, err := url.Parse(to.URL)
		must(t, "URL", err)
		q := u.Query()
		if q.Get("code_challenge_method") != "S256" || q.Get("nonce") == "" || q.Has("client_secret") || q.Get("state") == to.Browser.Reveal() {
			t.Errorf("redirect %s", to.URL)
		}
		row, err := store.One[string](t.Context(), p.db.Read(), `SELECT hash || browser_hash || nonce_hash FROM identity_oidc_states`)
		if err != nil || row == "" || contains(row, q.Get("state"), q.Get("nonce"), to.Browser.Reveal()) {
			t.Errorf("tokens are stored as they are: %s, %v", row, err)
		}
	})
}
