package mcp

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// web is a server over HTTP that wants a header.
func web(t *testing.T, kind Transport) string {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: "web", Version: "2"}, nil)
	hostileTools(s)
	get := func(*http.Request) *sdk.Server { return s }
	var h http.Handler = sdk.NewStreamableHTTPHandler(get, nil)
	if kind == SSE {
		h = sdk.NewSSEHandler(get, nil)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer s3cret" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

func TestRemoteServers(t *testing.T) {
	t.Parallel()
	for _, kind := range []Transport{HTTP, SSE} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			address := web(t, kind)
			d := newDesk(t, storetest.SQLite(t))
			def := Definition{
				Name: "web", Transport: kind, URL: address, Headers: map[string]string{"Authorization": "Bearer ${TOKEN}"},
				Secrets: map[string]secret.Text{"TOKEN": secret.New("s3cret")}, Timeout: 5 * time.Second,
			}
			d.add(def)
			d.start("web")
			if r := d.call("web__echo", `{"text":"hello"}`); r.Text() != "hello" {
				t.Errorf("%+v", r)
			}
			def.Name, def.Secrets = "stranger", map[string]secret.Text{"TOKEN": secret.New("wrong")}
			d.add(def)
			err := d.m.Start(t.Context(), d.ws, "stranger", "")
			if !fault.HasCode(err, "mcp_signin_needed") {
				t.Errorf("with the wrong key: %v", err)
			}
			if s := d.state("stranger"); s.State != StateSignIn || s.Hint == "" {
				t.Errorf("%+v", s)
			}
		})
	}
}
