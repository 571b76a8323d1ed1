package signin

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"

	"github.com/fluxway/fluxway/internal/kit/secret"
)

// OpenRouter is a consent by OAuth with PKCE, which ends with an API key.
type OpenRouter struct {
	Site string       // "": https://openrouter.ai
	HTTP *http.Client // nil: wire.NewHTTP
}

// Consent is a question to a person, waiting for its code.
type Consent struct {
	URL      string      // where to send the person
	Verifier secret.Text // to be kept until Finish
}

// Begin makes the address of the consent page; the code comes to callback.
func (o OpenRouter) Begin(callback string) Consent {
	verifier := rand.Text() + rand.Text()
	sum := sha256.Sum256([]byte(verifier))
	q := url.Values{
		"callback_url":          {callback},
		"code_challenge":        {base64.RawURLEncoding.EncodeToString(sum[:])},
		"code_challenge_method": {"S256"},
	}
	return Consent{URL: o.site() + "/auth?" + q.Encode(), Verifier: secret.New(verifier)}
}

// Finish trades the code for a key.
func (o OpenRouter) Finish(ctx context.Context, c Consent, code string) (secret.Text, error) {
	in := map[string]string{"code": code, "code_verifier": c.Verifier.Reveal(), "code_challenge_method": "S256"}
	var out struct {
		Key secret.Text `json:"key"`
	}
	err := post(ctx, o.HTTP, "OpenRouter", o.site()+"/api/v1/auth/keys", in, &out)
	return out.Key, err
}

func (o OpenRouter) site() string { return cmp.Or(o.Site, "https://openrouter.ai") }
