package signin_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/signin"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "auth.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// vendor renews whoever has the right refresh token.
func vendor(t *testing.T, refresh, answer string) (*httptest.Server, *atomic.Int64) {
	var calls atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		var in map[string]string
		if json.NewDecoder(r.Body).Decode(&in) != nil || in["refresh_token"] != refresh || in["client_id"] == "" {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":"invalid_grant"}`))
			return
		}
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(s.Close)
	return s, &calls
}

func TestClaudeIsRenewedFiveMinutesBefore(t *testing.T) {
	t.Parallel()
	s, calls := vendor(t, "r1", `{"access_token":"a2","refresh_token":"r2","expires_in":3600}`)
	path := write(t, fmt.Sprintf(`{"other":{"keep":1},"claudeAiOauth":{"accessToken":"a1","refreshToken":"r1","expiresAt":%d,"subscriptionType":"max","scopes":["x"]}}`,
		time.Now().Add(4*time.Minute).UnixMilli()))
	c := signin.Claude{Path: path, RenewURL: s.URL}
	if st := c.Status(); st.State != signin.Ready || st.Plan != "max" {
		t.Errorf("Status = %+v", st)
	}
	source := c.Source()
	for range 3 {
		got, err := source.Token(t.Context())
		if err != nil || got.Value.Reveal() != "a2" || !got.Bearer {
			t.Fatalf("Token = %v, %v", got, err)
		}
	}
	if calls.Load() != 1 {
		t.Errorf("%d renewals, want 1", calls.Load())
	}
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"keep"`, `"a2"`, `"r2"`, `"scopes"`, `"max"`} {
		if !strings.Contains(string(body), want) {
			t.Errorf("the CLI's file lost %s:\n%s", want, body)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestClaudeFreshSpentAndMissing(t *testing.T) {
	t.Parallel()
	s, calls := vendor(t, "good", `{}`)
	fresh := signin.Claude{RenewURL: s.URL, Path: write(t, fmt.Sprintf(`{"claudeAiOauth":{"accessToken":"a1","refreshToken":"r1","expiresAt":%d}}`, time.Now().Add(time.Hour).UnixMilli()))}
	if got, err := fresh.Source().Token(t.Context()); err != nil || got.Value.Reveal() != "a1" || calls.Load() != 0 {
		t.Errorf("a fresh one: %v, %d calls", err, calls.Load())
	}
	spent := signin.Claude{RenewURL: s.URL, Path: write(t, `{"claudeAiOauth":{"accessToken":"secret-a1","refreshToken":"secret-r1","expiresAt":1}}`)}
	_, err := spent.Source().Token(t.Context())
	if !fault.HasCode(err, providers.CodeAuth) || strings.Contains(fmt.Sprint(err, fault.From(err)), "secret-") {
		t.Errorf("a spent one: %v", err)
	}
	if st := spent.Status(); st.State != signin.Expired || st.Hint == "" {
		t.Errorf("Status = %+v", st)
	}
	for name, path := range map[string]string{"missing": filepath.Join(t.TempDir(), "no"), "broken": write(t, "{"), "empty": write(t, "{}")} {
		c := signin.Claude{Path: path, RenewURL: s.URL}
		if _, err := c.Source().Token(t.Context()); !fault.HasCode(err, providers.CodeAuth) || fault.From(err).Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
		if st := c.Status(); st.State == signin.Ready || st.Hint == "" {
			t.Errorf("%s: %+v", name, st)
		}
	}
}

func jwt(expires time.Time) string {
	body := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"exp":%d}`, expires.Unix()))
	return "h." + body + ".s"
}

func TestCodex(t *testing.T) {
	t.Parallel()
	next := jwt(time.Now().Add(time.Hour))
	s, calls := vendor(t, "r1", `{"access_token":"`+next+`","refresh_token":"r2","id_token":"i2"}`)
	path := write(t, `{"OPENAI_API_KEY":null,"tokens":{"id_token":"i1","access_token":"`+jwt(time.Now().Add(-time.Minute))+`","refresh_token":"r1","account_id":"acc"},"last_refresh":"2026-01-01T00:00:00Z"}`)
	c := signin.Codex{Path: path, RenewURL: s.URL}
	if st := c.Status(); st.State != signin.Expired || st.Plan != "chatgpt" {
		t.Errorf("Status = %+v", st)
	}
	got, err := c.Source().Token(t.Context())
	if err != nil || got.Value.Reveal() != next || got.Header["chatgpt-account-id"] != "acc" || got.BaseURL == "" || calls.Load() != 1 {
		t.Errorf("Token = %+v, %v", got, err)
	}
	if st := c.Status(); st.State != signin.Ready {
		t.Errorf("after the renewal: %+v", st)
	}
	key := signin.Codex{Path: write(t, `{"OPENAI_API_KEY":"sk-1"}`)}
	if got, err := key.Source().Token(t.Context()); err != nil || got.Value.Reveal() != "sk-1" || got.Bearer || got.BaseURL != "" {
		t.Errorf("a key: %+v, %v", got, err)
	}
}

func TestOpenRouterProvesItself(t *testing.T) {
	t.Parallel()
	var challenge atomic.Value
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in map[string]string
		_ = json.NewDecoder(r.Body).Decode(&in)
		sum := sha256.Sum256([]byte(in["code_verifier"]))
		if r.URL.Path != "/api/v1/auth/keys" || in["code"] != "c1" || base64.RawURLEncoding.EncodeToString(sum[:]) != challenge.Load() {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte(`{"key":"sk-or-1"}`))
	}))
	t.Cleanup(s.Close)
	o := signin.OpenRouter{Site: s.URL}
	consent := o.Begin("http://127.0.0.1:7777/callback")
	u, err := url.Parse(consent.URL)
	if err != nil || u.Query().Get("callback_url") != "http://127.0.0.1:7777/callback" || strings.Contains(consent.URL, consent.Verifier.Reveal()) {
		t.Fatalf("URL = %s, %v", consent.URL, err)
	}
	challenge.Store(u.Query().Get("code_challenge"))
	if key, err := o.Finish(t.Context(), consent, "c1"); err != nil || key.Reveal() != "sk-or-1" {
		t.Errorf("Finish = %v", err)
	}
	if _, err := o.Finish(t.Context(), o.Begin("x"), "c1"); !fault.HasCode(err, providers.CodeAuth) {
		t.Errorf("a stolen code: %v", err)
	}
}
