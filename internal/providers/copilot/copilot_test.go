package copilot_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/copilot"
	"github.com/fluxway/fluxway/internal/providers/providerstest"
)

// github is a fake of the sign-in: the person approves at the second question.
type github struct {
	*httptest.Server
	polls, exchanges atomic.Int64
	api              string
	life             time.Duration
}

func startGitHub(t *testing.T, api string, life time.Duration) (*github, copilot.GitHub) {
	g := &github{api: api, life: life}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := map[string]any{}
		switch r.URL.Path {
		case "/login/device/code":
			answer = map[string]any{"device_code": "dev-1", "user_code": "ABCD-1234", "verification_uri": "https://github.com/login/device", "expires_in": 900, "interval": 1}
		case "/login/oauth/access_token":
			if r.FormValue("device_code") != "dev-1" || r.FormValue("client_id") == "" {
				w.WriteHeader(http.StatusBadRequest)
			}
			answer["error"] = "authorization_pending"
			if g.polls.Add(1) >= 2 {
				answer = map[string]any{"access_token": "gho_1", "token_type": "bearer"}
			}
		case "/copilot_internal/v2/token":
			if r.Header.Get("Authorization") != "token gho_1" {
				w.WriteHeader(http.StatusUnauthorized)
				answer["message"] = "Bad credentials"
				break
			}
			g.exchanges.Add(1)
			answer = map[string]any{"token": providerstest.FakeKey, "expires_at": time.Now().Add(g.life).Unix(), "endpoints": map[string]any{"api": g.api}}
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(g.Close)
	return g, copilot.GitHub{Site: g.URL, API: g.URL}
}

func TestSignInExchangeAndPremiumRequests(t *testing.T) {
	t.Parallel()
	f := providerstest.FakeOpenAI(t)
	g, site := startGitHub(t, f.URL+"/v1", time.Hour)
	device, err := site.Begin(t.Context())
	if err != nil || device.UserCode != "ABCD-1234" {
		t.Fatalf("Begin = %+v, %v", device, err)
	}
	if device.Interval != time.Second {
		t.Errorf("interval %s, want GitHub's second", device.Interval)
	}
	device.Interval = time.Millisecond
	token, err := site.Wait(t.Context(), device)
	if err != nil || token.Reveal() != "gho_1" {
		t.Fatalf("Wait = %v", err)
	}
	m, err := copilot.New(copilot.Options{Accounts: providers.NewAccounts(copilot.Vendor, providers.Account{Name: "me", Source: site.NewExchange(token)})})
	if err != nil {
		t.Fatal(err)
	}
	f.Will(providerstest.Reply{Calls: []providerstest.Call{{ID: "c1", Name: "look", Args: "{}"}}}, providerstest.Reply{Says: "Seen."})
	req := &providers.Request{Model: "claude-opus-4.5", Messages: []providers.Message{providers.UserText("look")}}
	first, err := providers.Complete(t.Context(), m, req)
	if err != nil || first.Usage.PremiumMilli != 3000 {
		t.Fatalf("first turn: %+v, %v", first, err)
	}
	req.Messages = append(req.Messages, first.Message(), providers.Message{Role: providers.RoleUser, Parts: []providers.Part{providers.ToolResult("c1", "look", "x")}})
	second, err := providers.Complete(t.Context(), m, req)
	if err != nil || second.Usage.PremiumMilli != 0 || second.Usage.Input == 0 {
		t.Fatalf("a tool's turn is not charged: %+v, %v", second, err)
	}
	seen := f.Seen()
	if seen[0].Header.Get("X-Initiator") != "user" || seen[1].Header.Get("X-Initiator") != "agent" || seen[0].Header.Get("Copilot-Integration-Id") == "" {
		t.Errorf("headers %v / %v", seen[0].Header, seen[1].Header)
	}
	if n := g.exchanges.Load(); n != 1 {
		t.Errorf("%d exchanges, want one for both turns", n)
	}
}

func TestATokenNearItsEndIsRenewed(t *testing.T) {
	t.Parallel()
	g, site := startGitHub(t, "", 4*time.Minute)
	source := site.NewExchange(secret.New("gho_1"))
	for range 2 {
		if _, err := source.Token(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := g.exchanges.Load(); n != 2 {
		t.Errorf("%d exchanges; a token with four minutes left must be renewed", n)
	}
	if _, err := site.NewExchange(secret.New("gho_other")).Token(t.Context()); !fault.HasCode(err, providers.CodeAuth) {
		t.Errorf("a revoked sign-in: %v", err)
	}
}

func TestMultiplier(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]int64{
		"gpt-4o": 0, "gpt-4o-mini": 0, "gpt-4.1": 0, "gpt-5-mini": 0, "grok-code-fast-1": 250, "claude-haiku-4.5": 330,
		"gemini-2.5-flash": 330, "claude-opus-4.5": 3000, "claude-opus-4.6": 3000, "claude-opus-4.7": 7500, "gpt-5.4-mini": 330, "gpt-5.4": 1000, "gpt-5": 1000, "claude-sonnet-4.5": 1000, "something-new": 1000,
	} {
		if got := copilot.Multiplier(model); got != want {
			t.Errorf("Multiplier(%s) = %d, want %d", model, got, want)
		}
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	providerstest.Contract(t, providerstest.Subject{
		New: func(t *testing.T, accounts *providers.Accounts) (providers.Model, *providerstest.Fake) {
			f := providerstest.FakeOpenAI(t)
			m, err := copilot.New(copilot.Options{Accounts: accounts, BaseURL: f.URL})
			if err != nil {
				t.Fatal(err)
			}
			return m, f
		},
		Model: "gpt-4.1", Dialect: providers.DialectChat,
		RawBody: func(streaming bool) string {
			return fmt.Sprintf(`{"messages":[{"role":"user","content":"hi"}],"model":"other","stream":%v}`, streaming)
		},
	})
}

func TestARelayCostsAPremiumRequestWhenAPersonAsks(t *testing.T) {
	t.Parallel()
	f := providerstest.FakeOpenAI(t)
	m, err := copilot.New(copilot.Options{BaseURL: f.URL, Accounts: providers.OneKey(copilot.Vendor, secret.New(providerstest.FakeKey))})
	if err != nil {
		t.Fatal(err)
	}
	for role, want := range map[string]int64{"user": 3000, "tool": 0} {
		resp, err := m.Relay(t.Context(), &providers.RawRequest{Dialect: providers.DialectChat, Model: "claude-opus-4.5", Body: []byte(`{"messages":[{"role":"user"},{"role":"` + role + `"}]}`)})
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.PremiumMilli != want {
			t.Errorf("%s: %d, want %d", role, resp.PremiumMilli, want)
		}
	}
}
