package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
)

const callback = "http://127.0.0.1:7777/api/v1/mcp/callback"

// gatekeeper is an authorization server with the MCP server behind it: metadata, registration, PKCE, and tokens that are
// renewed with a refresh token which is good once.
type gatekeeper struct {
	*httptest.Server

	mu         sync.Mutex // guards the fields below
	life       int        // of an access token, in seconds
	clients    int
	challenges map[string]string // by code
	access     map[string]string // who a token is for
	refresh    map[string]string
	issued     int
	renewed    int
}

func newGatekeeper(t *testing.T) *gatekeeper {
	t.Helper()
	g := &gatekeeper{life: 3600, challenges: map[string]string{}, access: map[string]string{}, refresh: map[string]string{}}
	s := sdk.NewServer(&sdk.Implementation{Name: "guarded", Version: "1"}, nil)
	addTool(s, "whoami", "Says whose token it saw.", func(_ context.Context, req *sdk.CallToolRequest, _ map[string]any) (string, error) {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.access[strings.TrimPrefix(req.Extra.Header.Get("Authorization"), "Bearer ")], nil
	})
	behind := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
	mux := http.NewServeMux()
	g.Server = httptest.NewServer(mux)
	t.Cleanup(func() { g.CloseClientConnections(); g.Close() })
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		_, known := g.access[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
		g.mu.Unlock()
		if !known {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+g.URL+`/.well-known/oauth-protected-resource/mcp"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		behind.ServeHTTP(w, r)
	})
	say := func(path string, value any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, value) })
	}
	say("/.well-known/oauth-protected-resource/mcp", map[string]any{"resource": g.URL + "/mcp", "authorization_servers": []string{g.URL}, "scopes_supported": []string{"use"}})
	say("/.well-known/oauth-authorization-server", map[string]any{
		"issuer": g.URL, "authorization_endpoint": g.URL + "/authorize", "token_endpoint": g.URL + "/token", "registration_endpoint": g.URL + "/register",
		"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}, "grant_types_supported": []string{"authorization_code", "refresh_token"},
		"token_endpoint_auth_methods_supported": []string{"none"},
	})
	mux.HandleFunc("POST /register", g.register)
	mux.HandleFunc("GET /authorize", g.authorize)
	mux.HandleFunc("POST /token", g.token)
	return g
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // the client may be gone
}

func (g *gatekeeper) register(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Redirects []string `json:"redirect_uris"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(asked.Redirects) != 1 || asked.Redirects[0] != callback {
		http.Error(w, "bad registration", http.StatusBadRequest)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.clients++
	writeJSON(w, http.StatusCreated, map[string]any{"client_id": fmt.Sprint("client-", g.clients), "redirect_uris": asked.Redirects, "token_endpoint_auth_method": "none"})
}

// authorize is the page: whoever is named in the query signs in without being asked.
func (g *gatekeeper) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "" || q.Get("resource") != g.URL+"/mcp" || q.Get("redirect_uri") != callback {
		http.Error(w, "bad request: "+r.URL.RawQuery, http.StatusBadRequest)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	code := fmt.Sprintf("code-%s-%d", q.Get("person"), len(g.challenges))
	g.challenges[code] = q.Get("code_challenge")
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
}

func (g *gatekeeper) token(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	refused := func(why string) { writeJSON(w, http.StatusBadRequest, map[string]string{"error": why}) }
	var person string
	switch r.FormValue("grant_type") {
	case "authorization_code":
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		code := r.FormValue("code")
		if g.challenges[code] != base64.RawURLEncoding.EncodeToString(sum[:]) {
			refused("invalid_grant")
			return
		}
		delete(g.challenges, code)
		person = strings.Split(code, "-")[1]
	case "refresh_token":
		var ok bool
		if person, ok = g.refresh[r.FormValue("refresh_token")]; !ok {
			refused("invalid_grant")
			return
		}
		delete(g.refresh, r.FormValue("refresh_token"))
		g.renewed++
	}
	g.issued++
	access, refresh := fmt.Sprint("access-", g.issued), fmt.Sprint("refresh-", g.issued)
	g.access[access], g.refresh[refresh] = person, person
	writeJSON(w, http.StatusOK, map[string]any{"access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_in": g.life})
}

// signIn is a person with a browser.
func (d *desk) signIn(user ids.User, person string) {
	d.t.Helper()
	page, err := d.m.BeginSignIn(d.t.Context(), d.ws, "far", user)
	if err != nil {
		d.t.Fatal(err)
	}
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := browser.Get(page + "&person=" + person)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	back, err := url.Parse(resp.Header.Get("Location"))
	if err != nil || !strings.HasPrefix(back.String(), callback) {
		d.t.Fatalf("the page answered %s to %s, %v", resp.Status, page, err)
	}
	q := back.Query()
	if name, err := d.m.FinishSignIn(d.t.Context(), q.Get("state"), q.Get("code"), q.Get("iss")); err != nil || name != "far" {
		d.t.Fatalf("%q, %v", name, err)
	}
	if _, err := d.m.FinishSignIn(d.t.Context(), q.Get("state"), q.Get("code"), ""); !fault.HasCode(err, "signin_unknown") {
		d.t.Errorf("a state was good twice: %v", err)
	}
}

func (d *desk) as(user ids.User) tools.Result {
	d.t.Helper()
	return d.inRun(tools.Call{Tool: "far__whoami", User: user, Args: json.RawMessage(`{}`)})
}

func TestEachPersonSignsIn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		g := newGatekeeper(t)
		d := newDesk(t, db, func(o *Options) { o.Callback = callback })
		d.add(Definition{Name: "far", URL: g.URL + "/mcp", SignIn: true, Timeout: 10 * time.Second})
		ada, ben := ids.New[ids.User](), ids.New[ids.User]()
		if err := d.m.Start(t.Context(), d.ws, "far", ada); !fault.HasCode(err, "mcp_signin_needed") {
			t.Errorf("before the sign-in: %v", err)
		}
		if g.clients != 0 {
			t.Errorf("%d registrations before anyone signed in", g.clients)
		}
		d.signIn(ada, "ada")
		if r := d.as(ada); r.Text() != "ada" {
			t.Errorf("ada: %+v", r)
		}
		if r := d.as(ben); r.Code != "mcp_signin_needed" {
			t.Errorf("ben goes in as somebody else: %+v", r)
		}
		d.signIn(ben, "ben")
		if a, b := d.as(ada).Text(), d.as(ben).Text(); a != "ada" || b != "ben" {
			t.Errorf("ada is %q and ben %q", a, b)
		}
		sealed, err := store.All[[]byte](t.Context(), db.Read(), `SELECT sealed FROM tools_grants`)
		if err != nil || len(sealed) != 2 || strings.Contains(fmt.Sprintf("%s", sealed), "access-") {
			t.Errorf("%d sign-ins are kept, perhaps in the open (%v)", len(sealed), err)
		}
		s, err := d.m.Server(t.Context(), d.ws, "far", ada)
		if err != nil || !s.Signed.In || !s.Signed.Renews || time.Until(s.Signed.Ends) < 50*time.Minute {
			t.Errorf("how ada's sign-in stands: %+v, %v", s.Signed, err)
		}
		d.restart()
		if r := d.as(ada); r.Text() != "ada" || g.issued != 2 {
			t.Errorf("after a restart: %+v with %d tokens", r, g.issued)
		}
		if err := d.m.SignOut(t.Context(), d.ws, "far", ben); err != nil {
			t.Fatal(err)
		}
		if r := d.as(ben); r.Code != "mcp_signin_needed" {
			t.Errorf("after ben signed out: %+v", r)
		}
		if r := d.as(ada); r.Text() != "ada" {
			t.Errorf("ben's signing out took ada along: %+v", r)
		}
	})
}

func TestASignInIsRenewed(t *testing.T) {
	t.Parallel()
	g := newGatekeeper(t)
	g.life = 5 // clients renew a token that has less than ten seconds left
	d := newDesk(t, storetest.SQLite(t), func(o *Options) { o.Callback = callback })
	d.add(Definition{Name: "far", URL: g.URL + "/mcp", SignIn: true, Timeout: 10 * time.Second})
	ada := ids.New[ids.User]()
	d.signIn(ada, "ada")
	d.restart() // what is kept must be the newest token: the older ones are good no more
	before := g.renewed
	for range 2 {
		if r := d.as(ada); r.Text() != "ada" {
			t.Fatalf("%+v", r)
		}
	}
	if g.renewed == before {
		t.Error("no token was renewed")
	}
	g.mu.Lock()
	maps.DeleteFunc(g.refresh, func(string, string) bool { return true })
	maps.DeleteFunc(g.access, func(string, string) bool { return true })
	g.mu.Unlock()
	if r := d.as(ada); r.Code != "mcp_signin_needed" {
		t.Errorf("after it was taken back: %+v", r)
	}
	if s, err := d.m.Server(t.Context(), d.ws, "far", ada); err != nil || s.State != StateSignIn || s.Hint == "" {
		t.Errorf("%+v, %v", s, err)
	}
	d.signIn(ada, "ada")
	if r := d.as(ada); r.Text() != "ada" {
		t.Errorf("after the next sign-in: %+v", r)
	}
}
