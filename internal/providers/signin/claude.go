package signin

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
)

// ClaudePath is where the Claude CLI keeps its sign-in below a home directory.
func ClaudePath(home string) string { return filepath.Join(home, ".claude", ".credentials.json") }

const (
	claudeRenewURL = "https://console.anthropic.com/v1/oauth/token"
	claudeClient   = "9d1c250a-e61b-44d9-88ed-5944d1962f5e" // public, the CLI's own
	claudeLogin    = "claude login"
	claudeObject   = "claudeAiOauth"
)

// Claude is the Claude CLI's sign-in.
type Claude struct {
	Path     string       // required
	RenewURL string       // "": Anthropic's
	HTTP     *http.Client // nil: wire.NewHTTP
}

type claudeFile struct {
	OAuth struct {
		Access  string `json:"accessToken"`
		Refresh string `json:"refreshToken"`
		Expires int64  `json:"expiresAt"` // milliseconds
		Plan    string `json:"subscriptionType"`
	} `json:"claudeAiOauth"`
}

func (f *claudeFile) token() providers.Token {
	return providers.Token{Value: secret.New(f.OAuth.Access), Bearer: true, Expires: time.UnixMilli(f.OAuth.Expires)}
}

// Status says whether the sign-in can be used; it asks nobody.
func (c Claude) Status() Status {
	var f claudeFile
	if _, err := (file{c.Path}).read(&f); err != nil {
		return status(c.Path, claudeLogin, err)
	}
	st := Status{State: Ready, Path: c.Path, Plan: f.OAuth.Plan, Expires: time.UnixMilli(f.OAuth.Expires)}
	switch {
	case f.OAuth.Access == "":
		return Status{State: Missing, Path: c.Path, Hint: "Run `" + claudeLogin + "` to sign in."}
	case time.Now().After(st.Expires) && f.OAuth.Refresh == "":
		st.State, st.Hint = Expired, "Run `"+claudeLogin+"` again."
	case time.Now().After(st.Expires):
		st.State, st.Hint = Expired, "It is renewed at the next use."
	}
	return st
}

// Source is the sign-in as a token source, renewed five minutes before its end.
func (c Claude) Source() *providers.Renewing {
	return providers.NewRenewing(renewBefore, func(ctx context.Context) (providers.Token, error) {
		var f claudeFile
		all, err := file{c.Path}.read(&f)
		if err != nil {
			return providers.Token{}, problem("Claude", claudeLogin, err)
		}
		// The CLI may have renewed it since.
		if t := f.token(); !t.Value.Empty() && time.Until(t.Expires) > renewBefore {
			return t, nil
		}
		if f.OAuth.Refresh == "" {
			return providers.Token{}, problem("Claude", claudeLogin, fmt.Errorf("%s has no refresh token", c.Path))
		}
		var out struct {
			Access  string `json:"access_token"`
			Refresh string `json:"refresh_token"`
			In      int64  `json:"expires_in"`
		}
		in := map[string]string{"grant_type": "refresh_token", "refresh_token": f.OAuth.Refresh, "client_id": claudeClient}
		if err := post(ctx, c.HTTP, "Anthropic", cmp.Or(c.RenewURL, claudeRenewURL), in, &out); err != nil {
			return providers.Token{}, err
		}
		f.OAuth.Access, f.OAuth.Refresh = out.Access, cmp.Or(out.Refresh, f.OAuth.Refresh)
		f.OAuth.Expires = time.Now().Add(time.Duration(out.In) * time.Second).UnixMilli()
		fields := map[string]any{"accessToken": f.OAuth.Access, "refreshToken": f.OAuth.Refresh, "expiresAt": f.OAuth.Expires}
		if err := set(all, claudeObject, fields); err != nil {
			return providers.Token{}, fmt.Errorf("keeping a renewed sign-in: %w", err)
		}
		if err := (file{c.Path}).write(all); err != nil {
			return providers.Token{}, err
		}
		return f.token(), nil
	})
}
