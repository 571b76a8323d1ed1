package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/store"
)

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
	l.mu.Lock()
	l.scopes, l.granted = nil, g.Scopes
	l.mu.Unlock()
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

// readGrant gives what is kept of a person's sign-in; nil if there is none.
func (l *link) readGrant(ctx context.Context) (*grant, error) {
	name := l.s.key.name
	sealed, err := store.One[[]byte](ctx, l.s.m.opts.DB.Read(), selectGrant, l.s.key.ws, name, l.user)
	if errors.Is(err, store.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading a sign-in at %s: %w", name, err)
	}
	text, err := l.s.m.opts.Box.Open(sealed, l.grantPlace())
	if err != nil {
		return nil, fmt.Errorf("opening a sign-in at %s: %w", name, err)
	}
	g := new(grant)
	if err := json.Unmarshal(text, g); err != nil {
		return nil, fmt.Errorf("reading a sign-in at %s: %w", name, err)
	}
	return g, nil
}

// keptToken is the token of an earlier sign-in; nil if there was none.
func (l *link) keptToken(client *http.Client) (oauth2.TokenSource, error) {
	ctx := context.WithValue(context.WithoutCancel(l.s.m.running), oauth2.HTTPClient, client)
	g, err := l.readGrant(ctx)
	if err != nil || g == nil {
		return nil, err
	}
	l.mu.Lock()
	l.granted = g.Scopes
	l.mu.Unlock()
	cfg := &oauth2.Config{
		ClientID: g.ClientID, ClientSecret: g.Secret, Scopes: g.Scopes, RedirectURL: l.s.m.opts.Callback,
		Endpoint: oauth2.Endpoint{TokenURL: g.TokenURL, AuthStyle: oauth2.AuthStyle(g.Style)},
	}
	return &keeping{l: l, grant: *g, next: cfg.TokenSource(ctx, g.Token)}, nil
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
	if gone := new(oauth2.RetrieveError); errors.As(err, &gone) && gone.Response != nil && gone.Response.StatusCode < 500 {
		return nil, k.l.nobody() // it was taken back, or is too old to be renewed
	}
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.grant.Token == nil || token.AccessToken != k.grant.Token.AccessToken {
		k.grant.Token = token
		// Also while we stop: the old refresh token is good no more.
		if err := k.l.saveGrant(context.WithoutCancel(k.l.s.m.running), k.grant); err != nil {
			return nil, err
		}
	}
	return token, nil
}
