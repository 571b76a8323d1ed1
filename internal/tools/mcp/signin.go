package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/store"
)

// signInTime is how long a person may take to sign in.
const signInTime = 10 * time.Minute

// clientSecret is the secret of a definition with a ClientID.
const clientSecret = "CLIENT_SECRET"

// signIns are people who are at the remote server's page right now.
type signIns struct {
	mu      sync.Mutex // guards waiting
	waiting map[string]waiting
}

// waiting is a sign-in whose code is awaited, known by its state, which nobody can guess.
type waiting struct {
	link *link
	code chan *auth.AuthorizationResult
}

func (s *signIns) add(state string, w waiting) (remove func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting == nil {
		s.waiting = map[string]waiting{}
	}
	s.waiting[state] = w
	return func() { s.take(state) }
}

func (s *signIns) take(state string) (waiting, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, ok := s.waiting[state]
	delete(s.waiting, state)
	return w, ok
}

// BeginSignIn gives the address of the page where a person signs in at a remote server; "" if they already are.
func (m *Manager) BeginSignIn(ctx context.Context, ws ids.Workspace, name string, user ids.User) (string, error) {
	s, err := m.find(ws, name)
	if err != nil {
		return "", err
	}
	if !s.definition().SignIn {
		return "", fault.New(fault.Conflict, "no_signin", "The MCP server %s knows no sign-in.", name).WithHint("Set sign_in on the server first.")
	}
	if user == "" {
		return "", fault.New(fault.Forbidden, "no_person", "Only a person can sign in.")
	}
	l := s.link(user)
	l.stop(StateIdle, "")
	l.mu.Lock()
	page := make(chan string, 1)
	l.wanting = page
	attempt := l.begin()
	l.mu.Unlock()
	select {
	case address := <-page:
		return address, nil
	case <-attempt:
		return "", l.failed()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// FinishSignIn takes the code that a browser came back with and waits until the server has answered.
func (m *Manager) FinishSignIn(ctx context.Context, state, code, issuer string) (server string, err error) {
	w, ok := m.signIns.take(state)
	if !ok || state == "" {
		return "", fault.New(fault.NotFound, "signin_unknown", "This sign-in is not known or took too long.").WithHint("Begin it again.")
	}
	name := w.link.s.key.name
	w.link.mu.Lock()
	attempt := w.link.attempt
	w.link.mu.Unlock()
	w.code <- &auth.AuthorizationResult{Code: code, State: state, Iss: issuer}
	if attempt == nil {
		return name, w.link.failed()
	}
	select {
	case <-attempt:
		return name, w.link.failed()
	case <-ctx.Done():
		return name, context.Cause(ctx)
	}
}

// SignOut forgets a person's sign-in at a server.
func (m *Manager) SignOut(ctx context.Context, ws ids.Workspace, name string, user ids.User) error {
	s, err := m.find(ws, name)
	if err != nil {
		return err
	}
	if s.definition().SignIn {
		s.link(user).stop(StateIdle, "")
	}
	return m.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, deleteGrant, s.key.ws, s.key.name, user)
		return err
	})
}

func (l *link) askedFor() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wanting != nil
}

// signInHandler is what the SDK asks for a person's token.
func (l *link) signInHandler(*http.Client) (auth.OAuthHandler, error) {
	m := l.s.m
	if m.opts.Callback == "" {
		return nil, errors.New("mcp: Options.Callback is empty, so nobody can sign in")
	}
	def := l.s.definition()
	client := &http.Client{Transport: bounded{next: http.DefaultTransport}, Timeout: 30 * time.Second, CheckRedirect: sameHost}
	cfg := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: m.opts.Callback, RequestRefreshToken: true, AuthorizationCodeFetcher: l.fetchCode, Client: client, NewTokenSource: l.keepToken,
	}
	if def.ClientID != "" {
		cfg.PreregisteredClient = &oauthex.ClientCredentials{ClientID: def.ClientID}
		if s, ok := def.Secrets[clientSecret]; ok {
			cfg.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: s.Reveal()}
		}
	} else {
		cfg.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Fluxway", RedirectURIs: []string{m.opts.Callback},
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		}}
	}
	source, err := l.keptToken(client)
	if err != nil {
		return nil, err
	}
	cfg.InitialTokenSource = source
	return auth.NewAuthorizationCodeHandler(cfg)
}

// fetchCode sends a person to the page and waits for them; without a person it says that one is needed.
func (l *link) fetchCode(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	l.mu.Lock()
	page := l.wanting
	l.wanting = nil
	l.mu.Unlock()
	if page == nil {
		return nil, fault.New(fault.Unavailable, "mcp_signin_needed", "The MCP server %s wants people to sign in.", l.s.key.name).
			WithHint("Sign in: fluxway mcp signin %s, or on the page of the server.", l.s.key.name)
	}
	u, err := url.Parse(args.URL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Query().Get("state") == "" {
		return nil, errors.New("the server's sign-in page has no usable address")
	}
	code := make(chan *auth.AuthorizationResult, 1)
	defer l.s.m.signIns.add(u.Query().Get("state"), waiting{l, code})()
	page <- args.URL
	select {
	case got := <-code:
		return got, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// grant is what is kept of a sign-in.
type grant struct {
	Token    *oauth2.Token `json:"token"`
	ClientID string        `json:"client_id"`
	Secret   string        `json:"client_secret,omitempty"`
	TokenURL string        `json:"token_url"`
	Style    int           `json:"auth_style"`
	Scopes   []string      `json:"scopes,omitempty"`
}

func (l *link) grantPlace() []byte {
	return seal.Place("tools_grants", string(l.s.key.ws), l.s.key.name, string(l.user), "sealed")
}

func (l *link) keepToken(ctx context.Context, cfg *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
	g := grant{Token: token, ClientID: cfg.ClientID, Secret: cfg.ClientSecret, TokenURL: cfg.Endpoint.TokenURL, Style: int(cfg.Endpoint.AuthStyle), Scopes: cfg.Scopes}
	if err := l.saveGrant(ctx, g); err != nil {
		return nil, err
	}
	return &keeping{l: l, grant: g, next: cfg.TokenSource(ctx, token)}, nil
}

func (l *link) saveGrant(ctx context.Context, g grant) error {
	text, err := json.Marshal(g)
	if err != nil {
		return err
	}
	sealed, err := l.s.m.opts.Box.Seal(text, l.grantPlace())
	if err != nil {
		return fmt.Errorf("sealing a sign-in at %s: %w", l.s.key.name, err)
	}
	return l.s.m.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, upsertGrant, l.s.key.ws, l.s.key.name, l.user, sealed, time.Now())
		return err
	})
}

// keptToken is the token of an earlier sign-in; nil if there was none.
func (l *link) keptToken(client *http.Client) (oauth2.TokenSource, error) {
	ctx := context.WithValue(l.s.m.running, oauth2.HTTPClient, client)
	sealed, err := store.One[[]byte](ctx, l.s.m.opts.DB.Read(), selectGrant, l.s.key.ws, l.s.key.name, l.user)
	if errors.Is(err, store.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading a sign-in at %s: %w", l.s.key.name, err)
	}
	text, err := l.s.m.opts.Box.Open(sealed, l.grantPlace())
	if err != nil {
		return nil, fmt.Errorf("opening a sign-in at %s: %w", l.s.key.name, err)
	}
	var g grant
	if err := json.Unmarshal(text, &g); err != nil {
		return nil, fmt.Errorf("reading a sign-in at %s: %w", l.s.key.name, err)
	}
	cfg := &oauth2.Config{
		ClientID: g.ClientID, ClientSecret: g.Secret, Scopes: g.Scopes, RedirectURL: l.s.m.opts.Callback,
		Endpoint: oauth2.Endpoint{TokenURL: g.TokenURL, AuthStyle: oauth2.AuthStyle(g.Style)},
	}
	return &keeping{l: l, grant: g, next: cfg.TokenSource(ctx, g.Token)}, nil
}

// keeping stores a token whenever it was renewed: many servers give a new refresh token each time.
type keeping struct {
	l    *link
	next oauth2.TokenSource

	mu    sync.Mutex // guards grant
	grant grant
}

// Token gives the token.
func (k *keeping) Token() (*oauth2.Token, error) {
	token, err := k.next.Token()
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.grant.Token == nil || token.AccessToken != k.grant.Token.AccessToken {
		k.grant.Token = token
		if err := k.l.saveGrant(k.l.s.m.running, k.grant); err != nil {
			return nil, err
		}
	}
	return token, nil
}
