package identity

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/store"
)

// stateLife is how long a sign-in at an issuer may take.
const stateLife = 10 * time.Minute

// relyingParty is us, as an OpenID issuer sees us.
type relyingParty struct {
	opts   OIDCOptions
	name   string
	client *http.Client

	mu       sync.Mutex // guards provider
	provider *oidc.Provider
}

func newRelyingParty(opts OIDCOptions) (*relyingParty, error) {
	issuer, err := url.Parse(opts.IssuerURL)
	if err != nil || issuer.Host == "" {
		return nil, fmt.Errorf("identity: OIDC issuer %q is not a URL", opts.IssuerURL)
	}
	if opts.ClientID == "" || opts.RedirectURL == "" {
		return nil, errors.New("identity: OIDC needs a client id and a redirect URL")
	}
	opts.Role = cmp.Or(opts.Role, Viewer)
	if _, err := ParseRole(string(opts.Role)); err != nil {
		return nil, fmt.Errorf("identity: OIDC role: %w", err)
	}
	if opts.Scopes == nil {
		opts.Scopes = []string{"profile", "email"}
	}
	client := opts.HTTP
	if client == nil {
		client = &http.Client{Timeout: 15 * time.Second}
	}
	return &relyingParty{opts: opts, name: cmp.Or(opts.Name, issuer.Hostname()), client: client}, nil
}

// discover asks the issuer once where its doors are.
func (rp *relyingParty) discover(ctx context.Context) (*oidc.Provider, error) {
	rp.mu.Lock()
	known := rp.provider
	rp.mu.Unlock()
	if known != nil {
		return known, nil
	}
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, rp.client), rp.opts.IssuerURL)
	if err != nil {
		return nil, fault.New(fault.Upstream, "issuer_unreachable", "%s does not answer as an OpenID issuer.", rp.name).
			WithHint("Try again in a moment, or sign in with a password.").Because(err)
	}
	rp.mu.Lock()
	defer rp.mu.Unlock()
	rp.provider = found
	return found, nil
}

func (rp *relyingParty) config(p *oidc.Provider) oauth2.Config {
	return oauth2.Config{
		ClientID: rp.opts.ClientID, ClientSecret: rp.opts.ClientSecret.Reveal(), Endpoint: p.Endpoint(),
		RedirectURL: rp.opts.RedirectURL, Scopes: append([]string{oidc.ScopeOpenID}, rp.opts.Scopes...),
	}
}

// OIDCStart begins a sign-in at the issuer.
type OIDCStart struct {
	ReturnTo string // a path of ours to come back to; anything else becomes /
	Link     bool   // link the issuer's account to the caller, who is signed in
}

// OIDCRedirect is where to send the browser.
type OIDCRedirect struct {
	URL     string
	Browser secret.Text   // for a cookie that the callback must bring back
	Expires time.Duration // how long that cookie is worth keeping
}

// StartOIDC prepares a sign-in at the issuer. What must be remembered stays
// here, is good once, and only for the browser that began.
func (d *Directory) StartOIDC(ctx context.Context, in OIDCStart) (OIDCRedirect, error) {
	if d.oidc == nil {
		return OIDCRedirect{}, noOIDC()
	}
	var link ids.User
	if in.Link {
		id, err := caller(ctx)
		if err != nil {
			return OIDCRedirect{}, err
		}
		link = id.User
	}
	provider, err := d.oidc.discover(ctx)
	if err != nil {
		return OIDCRedirect{}, err
	}
	var tokens [3]string
	for i := range tokens {
		if tokens[i], err = newToken(); err != nil {
			return OIDCRedirect{}, err
		}
	}
	state, nonce, browser := tokens[0], tokens[1], tokens[2]
	verifier, hash := oauth2.GenerateVerifier(), digestOf(state).String()
	sealed, err := d.box.Seal([]byte(verifier), statePlace(hash))
	if err != nil {
		return OIDCRedirect{}, err
	}
	err = d.db.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, insertOIDCState, hash, digestOf(browser).String(), digestOf(nonce).String(), sealed, localPath(in.ReturnTo), link,
			d.stamp().Add(stateLife))
		return err
	})
	if err != nil {
		return OIDCRedirect{}, fmt.Errorf("remembering a sign-in: %w", err)
	}
	cfg := d.oidc.config(provider)
	return OIDCRedirect{
		URL:     cfg.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)),
		Browser: secret.New(browser), Expires: stateLife,
	}, nil
}

// OIDCCallback is what the browser brought back from the issuer.
type OIDCCallback struct {
	State   string
	Code    string
	Error   string // the issuer's error code, if it refused
	Browser string // the cookie of StartOIDC
}

// OIDCResult is a finished sign-in, or a linked account.
type OIDCResult struct {
	Admission        // its Token is empty when an account was linked
	ReturnTo  string // a path of ours
	Linked    bool
}

// FinishOIDC checks what came back from the issuer and signs in, or links.
func (d *Directory) FinishOIDC(ctx context.Context, in OIDCCallback) (OIDCResult, error) {
	result, err := d.finishOIDC(ctx, in)
	if !result.Linked {
		d.meters.signIn(err)
	}
	return result, err
}

func (d *Directory) finishOIDC(ctx context.Context, in OIDCCallback) (OIDCResult, error) {
	if d.oidc == nil {
		return OIDCResult{}, noOIDC()
	}
	state, err := d.takeState(ctx, in)
	if err != nil {
		return OIDCResult{}, err
	}
	if in.Error != "" {
		return OIDCResult{}, fault.New(fault.Unauthenticated, "oidc_refused", "%s did not sign you in (%s).", d.oidc.name, tidy(in.Error, 64)).
			WithHint("Try again.")
	}
	who, err := d.exchange(ctx, in.Code, state)
	if err != nil {
		return OIDCResult{}, errors.Join(err, d.Record(ctx, Entry{
			Action: "session.begin", Resource: "oidc/" + d.oidc.name, Result: Denied, Note: fault.From(err).Code,
		}))
	}
	return d.welcome(ctx, who, state)
}

type oidcState struct {
	BrowserHash string    `db:"browser_hash"`
	NonceHash   string    `db:"nonce_hash"`
	Sealed      []byte    `db:"verifier"`
	ReturnTo    string    `db:"return_to"`
	LinkUser    ids.User  `db:"link_user"`
	ExpiresAt   time.Time `db:"expires_at"`

	verifier string
}

// takeState uses a state up, whatever comes of it.
func (d *Directory) takeState(ctx context.Context, in OIDCCallback) (oidcState, error) {
	lost := fault.New(fault.Forbidden, "oidc_state", "This sign-in was not begun in this browser, took too long, or was finished already.").
		WithHint("Start again from the sign-in page.")
	if len(in.State) != tokenLength {
		return oidcState{}, lost
	}
	var s oidcState
	hash := digestOf(in.State).String()
	err := d.db.InTx(ctx, func(tx *store.Tx) error {
		var err error
		s, err = store.One[oidcState](ctx, tx, takeOIDCState, hash)
		return err
	})
	if errors.Is(err, store.ErrNoRows) {
		return oidcState{}, lost
	}
	if err != nil {
		return oidcState{}, fmt.Errorf("finding a sign-in: %w", err)
	}
	if !sameHash(s.BrowserHash, digestOf(in.Browser)) || !d.now().Before(s.ExpiresAt) {
		return oidcState{}, lost
	}
	verifier, err := d.box.Open(s.Sealed, statePlace(hash))
	s.verifier = string(verifier)
	return s, err
}

// subject is whom the issuer vouches for.
type subject struct {
	issuer   string
	id       string
	email    string
	verified bool
	name     string
	username string
}

// exchange turns the code into an identity token and checks everything about it.
func (d *Directory) exchange(ctx context.Context, code string, s oidcState) (subject, error) {
	provider, err := d.oidc.discover(ctx)
	if err != nil {
		return subject{}, err
	}
	cfg, web := d.oidc.config(provider), oidc.ClientContext(ctx, d.oidc.client)
	token, err := cfg.Exchange(web, code, oauth2.VerifierOption(s.verifier))
	if err != nil {
		return subject{}, d.untrusted("oidc_exchange", "would not confirm the sign-in", err)
	}
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return subject{}, d.untrusted("oidc_token", "sent no identity token", nil)
	}
	checked, err := provider.Verifier(&oidc.Config{ClientID: cfg.ClientID, Now: d.now}).Verify(web, raw)
	if err != nil {
		return subject{}, d.untrusted("oidc_token", "sent an identity token that does not hold", err)
	}
	if !sameHash(s.NonceHash, digestOf(checked.Nonce)) {
		return subject{}, d.untrusted("oidc_nonce", "answered another sign-in than this one", nil)
	}
	var claims struct {
		Party    string   `json:"azp"`
		Email    string   `json:"email"`
		Verified flexBool `json:"email_verified"`
		Name     string   `json:"name"`
		Username string   `json:"preferred_username"`
	}
	if err := checked.Claims(&claims); err != nil {
		return subject{}, d.untrusted("oidc_token", "sent an identity token that cannot be read", err)
	}
	if len(checked.Audience) > 1 && subtle.ConstantTimeCompare([]byte(claims.Party), []byte(cfg.ClientID)) != 1 {
		return subject{}, d.untrusted("oidc_token", "sent an identity token for someone else", nil)
	}
	if checked.Subject == "" {
		return subject{}, d.untrusted("oidc_token", "did not say who you are", nil)
	}
	return subject{
		issuer: checked.Issuer, id: checked.Subject, email: tidy(claims.Email, 254), verified: bool(claims.Verified),
		name: tidy(claims.Name, 120), username: claims.Username,
	}, nil
}

func (d *Directory) untrusted(code, what string, err error) error {
	return fault.New(fault.Unauthenticated, code, "%s %s.", d.oidc.name, what).
		WithHint("Start again from the sign-in page; if it stays, check the client's settings and the clock.").Because(err)
}

// flexBool reads true and "true": some issuers send text.
type flexBool bool

// UnmarshalJSON reads either form.
func (b *flexBool) UnmarshalJSON(text []byte) error {
	*b = strings.Trim(string(text), `"`) == "true"
	return nil
}

// localPath keeps a redirect within our own pages.
func localPath(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") ||
		strings.ContainsAny(to, "\\\r\n\t\x00") || len(to) > 1024 {
		return "/"
	}
	return to
}

func statePlace(hash string) []byte { return seal.Place("identity_oidc_states", hash, "verifier") }

func noOIDC() error {
	return fault.New(fault.NotFound, "oidc_off", "Sign-in through an outside issuer is not configured.").
		WithHint("Sign in with a password.")
}

// allowed says whether a subject's address is in one of the domains. Only a
// verified address counts.
func (who subject) allowed(domains []string) bool {
	if len(domains) == 0 {
		return true
	}
	at := strings.LastIndexByte(who.email, '@')
	if at < 0 || !who.verified {
		return false
	}
	domain := strings.ToLower(who.email[at+1:])
	return slices.ContainsFunc(domains, func(d string) bool { return strings.ToLower(strings.TrimPrefix(d, "@")) == domain })
}
