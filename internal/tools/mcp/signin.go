package mcp

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
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
	if strings.HasPrefix(def.ClientID, "https://") { // such an identifier is the address of a page about us
		cfg.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: def.ClientID}
	} else if def.ClientID != "" {
		cfg.PreregisteredClient = &oauthex.ClientCredentials{ClientID: def.ClientID}
		if s, ok := def.Secrets[clientSecret]; ok {
			cfg.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: s.Reveal()}
		}
	}
	if cfg.PreregisteredClient == nil {
		cfg.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Fluxway", RedirectURIs: []string{m.opts.Callback},
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		}}
	}
	if more := l.missing(); len(more) > 0 { // what is kept is known not to be enough
		cfg.ScopeFilter = func(discovered []string) []string { return union(discovered, more) }
	} else if kept, err := l.keptToken(client); err != nil {
		return nil, err
	} else if kept != nil && (!l.askedFor() || good(kept)) { // a person who signs in does so because it may not be
		cfg.InitialTokenSource = kept
	}
	inner, err := auth.NewAuthorizationCodeHandler(cfg)
	if err != nil {
		return nil, err
	}
	return &attended{inner, l}, nil
}

// fetchCode sends a person to the page and waits for them; without a person it says that one is needed.
func (l *link) fetchCode(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	l.mu.Lock()
	page := l.wanting
	l.wanting = nil
	l.mu.Unlock()
	if page == nil {
		return nil, l.nobody()
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

func good(source oauth2.TokenSource) bool {
	_, err := source.Token()
	return err == nil
}

func (l *link) nobody() error {
	return fault.New(fault.Unavailable, "mcp_signin_needed", "The MCP server %s wants people to sign in.", l.s.key.name).
		WithHint("Sign in: fluxway mcp signin %s, or on the page of the server.", l.s.key.name)
}

// attended asks for a sign-in only while a person is there to do so: otherwise every call would register us once more.
type attended struct {
	*auth.AuthorizationCodeHandler
	l *link
}

// Authorize is what happens when the server wants to know who asks, or wants more than it was given.
func (h *attended) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	challenges, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	more := err == nil && slices.ContainsFunc(challenges, func(c oauthex.Challenge) bool { return c.Params["error"] == "insufficient_scope" })
	if h.l.askedFor() || resp.StatusCode == http.StatusForbidden && !more {
		return h.AuthorizationCodeHandler.Authorize(ctx, req, resp)
	}
	_ = resp.Body.Close() // nothing in it is of use
	if more {
		h.l.lacks(challenges)
	}
	return h.l.nobody()
}

// lacks notes what the next sign-in has to ask for.
func (l *link) lacks(challenges []oauthex.Challenge) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range challenges {
		l.scopes = union(l.scopes, strings.Fields(c.Params["scope"]))
	}
}

// missing is what a sign-in has to ask for because what was granted did not suffice; none: it did.
func (l *link) missing() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.scopes) == 0 {
		return nil
	}
	return union(l.granted, l.scopes)
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
