package signin

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
)

// CodexPath is where the Codex CLI keeps its sign-in below a home directory.
func CodexPath(home string) string { return filepath.Join(home, ".codex", "auth.json") }

const (
	codexRenewURL = "https://auth.openai.com/oauth/token"
	codexBase     = "https://chatgpt.com/backend-api/codex" // where a plan's token is good; a key is good at the usual place
	codexClient   = "app_EMoamEEZ73f0CkXaXp7hrann"          // public, the CLI's own
	codexLogin    = "codex login"
)

// Codex is the Codex CLI's sign-in: an API key, or a ChatGPT plan.
type Codex struct {
	Path     string       // required
	RenewURL string       // "": OpenAI's
	BaseURL  string       // "": where the plan is served
	HTTP     *http.Client // nil: wire.NewHTTP
}

type codexFile struct {
	APIKey *string `json:"OPENAI_API_KEY"`
	Tokens struct {
		ID      string `json:"id_token"`
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
		Account string `json:"account_id"`
	} `json:"tokens"`
}

func (f *codexFile) key() string {
	if f.APIKey == nil {
		return ""
	}
	return *f.APIKey
}

// Status says whether the sign-in can be used; it asks nobody.
func (c Codex) Status() Status {
	var f codexFile
	if _, err := (file{c.Path}).read(&f); err != nil {
		return status(c.Path, codexLogin, err)
	}
	st := Status{State: Ready, Path: c.Path}
	switch expires := expiry(f.Tokens.Access); {
	case f.key() != "":
		st.Plan = "api_key"
	case f.Tokens.Access == "":
		return Status{State: Missing, Path: c.Path, Hint: "Run `" + codexLogin + "` to sign in."}
	default:
		st.Plan, st.Expires = "chatgpt", expires
		if !expires.IsZero() && time.Now().After(expires) {
			st.State, st.Hint = Expired, "It is renewed at the next use."
		}
	}
	return st
}

// Source is the sign-in as a token source, renewed five minutes before its end.
func (c Codex) Source() *providers.Renewing {
	return providers.NewRenewing(renewBefore, func(ctx context.Context) (providers.Token, error) {
		var f codexFile
		all, err := file{c.Path}.read(&f)
		if err != nil {
			return providers.Token{}, problem("Codex", codexLogin, err)
		}
		if key := f.key(); key != "" {
			return providers.Token{Value: secret.New(key)}, nil
		}
		if t := c.token(&f); !t.Value.Empty() && (t.Expires.IsZero() || time.Until(t.Expires) > renewBefore) {
			return t, nil
		}
		if f.Tokens.Refresh == "" {
			return providers.Token{}, problem("Codex", codexLogin, fmt.Errorf("%s has no refresh token", c.Path))
		}
		return c.renew(ctx, &f, all)
	})
}

func (c Codex) renew(ctx context.Context, f *codexFile, all map[string]json.RawMessage) (providers.Token, error) {
	var out struct {
		ID      string `json:"id_token"`
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	in := map[string]string{"grant_type": "refresh_token", "refresh_token": f.Tokens.Refresh, "client_id": codexClient, "scope": "openid profile email"}
	if err := post(ctx, c.HTTP, "OpenAI", cmp.Or(c.RenewURL, codexRenewURL), in, &out); err != nil {
		return providers.Token{}, err
	}
	f.Tokens.Access = out.Access
	f.Tokens.ID, f.Tokens.Refresh = cmp.Or(out.ID, f.Tokens.ID), cmp.Or(out.Refresh, f.Tokens.Refresh)
	fields := map[string]any{"id_token": f.Tokens.ID, "access_token": f.Tokens.Access, "refresh_token": f.Tokens.Refresh}
	if err := set(all, "tokens", fields); err != nil {
		return providers.Token{}, fmt.Errorf("keeping a renewed sign-in: %w", err)
	}
	now, err := json.Marshal(time.Now().UTC())
	if err != nil {
		return providers.Token{}, err
	}
	all["last_refresh"] = now
	if err := (file{c.Path}).write(all); err != nil {
		return providers.Token{}, err
	}
	return c.token(f), nil
}

func (c Codex) token(f *codexFile) providers.Token {
	return providers.Token{
		Value: secret.New(f.Tokens.Access), Bearer: true, Expires: expiry(f.Tokens.Access), BaseURL: cmp.Or(c.BaseURL, codexBase),
		Header: map[string]string{"chatgpt-account-id": f.Tokens.Account, "OpenAI-Beta": "responses=experimental"},
	}
}

// expiry reads when a token ends. It is not verified: only the vendor that made
// it can be fooled by it.
func expiry(jwt string) time.Time {
	parts := strings.Split(jwt, ".")
	if len(parts) != 3 {
		return time.Time{}
	}
	body, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return time.Time{}
	}
	var claims struct {
		Expires int64 `json:"exp"`
	}
	if json.Unmarshal(body, &claims) != nil || claims.Expires == 0 {
		return time.Time{}
	}
	return time.Unix(claims.Expires, 0)
}
