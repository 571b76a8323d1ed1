package identitytest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/kit/secret"
)

// The client that an Issuer knows.
const (
	ClientID     = "fluxway-test"
	clientSecret = "the client's own secret"
	redirectURL  = "http://127.0.0.1:7777/api/v1/oidc/callback"
)

// Issuer is an OpenID Connect issuer over HTTP with one user who always agrees.
// It checks what a strict issuer checks: the redirect URL, the client's secret,
// that a code is used once, and PKCE.
type Issuer struct {
	URL string

	now func() time.Time
	key *ecdsa.PrivateKey

	mu     sync.Mutex // guards the fields below
	claims map[string]any
	bend   func(claims map[string]any)
	forge  bool
	codes  map[string]grant
}

type grant struct {
	challenge string
	nonce     string
}

// NewIssuer starts an issuer whose user is subject-1, anna@example.org.
func NewIssuer(t testing.TB, now func() time.Time) *Issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i := &Issuer{now: now, key: key, codes: make(map[string]grant), claims: map[string]any{
		"sub": "subject-1", "email": "anna@example.org", "email_verified": true, "name": "Anna", "preferred_username": "anna",
	}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", i.discovery)
	mux.HandleFunc("GET /keys", i.keys)
	mux.HandleFunc("GET /authorize", i.authorize)
	mux.HandleFunc("POST /token", i.token)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	i.URL = server.URL
	return i
}

// Options are what a directory needs to use the issuer.
func (i *Issuer) Options() *identity.OIDCOptions {
	return &identity.OIDCOptions{
		Name: "Test", IssuerURL: i.URL, ClientID: ClientID, ClientSecret: secret.New(clientSecret), RedirectURL: redirectURL,
	}
}

// Is changes who the issuer's user is.
func (i *Issuer) Is(claims map[string]any) {
	i.mu.Lock()
	defer i.mu.Unlock()
	maps.Copy(i.claims, claims)
}

// Bend changes the claims of the next identity tokens just before they are signed.
func (i *Issuer) Bend(f func(claims map[string]any)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.bend = f
}

// Forge signs the next identity tokens with a key that is not the issuer's.
func (i *Issuer) Forge() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.forge = true
}

// Visit does what the browser does with the URL of a redirect: it asks the
// issuer and gives what the issuer sends back to us.
func (i *Issuer) Visit(t testing.TB, to string) url.Values {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Get(to)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	back, err := resp.Location()
	if err != nil {
		t.Fatalf("the issuer answered %s without sending us back: %v", resp.Status, err)
	}
	return back.Query()
}

func (i *Issuer) discovery(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, map[string]any{
		"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/keys",
		"id_token_signing_alg_values_supported": []string{"ES256"}, "response_types_supported": []string{"code"},
		"subject_types_supported": []string{"public"}, "code_challenge_methods_supported": []string{"S256"},
	})
}

func (i *Issuer) keys(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: i.key.Public(), KeyID: "one", Algorithm: "ES256", Use: "sig"}}})
}

func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != ClientID || q.Get("redirect_uri") != redirectURL || q.Get("response_type") != "code" ||
		q.Get("code_challenge_method") != "S256" || q.Get("state") == "" || q.Get("nonce") == "" {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	i.mu.Lock()
	i.codes[code] = grant{challenge: q.Get("code_challenge"), nonce: q.Get("nonce")}
	i.mu.Unlock()
	http.Redirect(w, r, redirectURL+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
}

func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	id, password, ok := r.BasicAuth()
	if !ok {
		id, password = r.FormValue("client_id"), r.FormValue("client_secret")
	} else if plain, err := url.QueryUnescape(password); err == nil {
		password = plain
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	g, known := i.codes[r.FormValue("code")]
	delete(i.codes, r.FormValue("code"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	if !known || id != ClientID || subtle.ConstantTimeCompare([]byte(password), []byte(clientSecret)) != 1 || challenge != g.challenge {
		reply(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
		return
	}
	signed, err := i.sign(g)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	reply(w, http.StatusOK, map[string]any{"access_token": rand.Text(), "token_type": "Bearer", "expires_in": 60, "id_token": signed})
}

func (i *Issuer) sign(g grant) (string, error) {
	claims := maps.Clone(i.claims)
	maps.Copy(claims, map[string]any{
		"iss": i.URL, "aud": ClientID, "nonce": g.nonce, "iat": i.now().Unix(), "exp": i.now().Add(time.Minute).Unix(),
	})
	if i.bend != nil {
		i.bend(claims)
	}
	key := i.key
	if i.forge {
		var err error
		if key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
			return "", err
		}
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", "one"))
	if err != nil {
		return "", err
	}
	return jwt.Signed(signer).Claims(claims).Serialize()
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// The client is our own test: it fails if the answer is cut.
	_ = json.NewEncoder(w).Encode(body)
}
