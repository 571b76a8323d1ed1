package api_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/identity/identitytest"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// serve starts a server with nothing but a directory.
func serve(t *testing.T, db *store.DB, d *identity.Directory) apitest.Client {
	t.Helper()
	s, err := api.New(api.Options{DB: db, Directory: d, Hub: eventstest.New(t, db), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
	addr, err := s.Addr(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return apitest.Client{URL: "http://" + addr.String()}
}

func TestASessionGetsANewTokenNowAndThen(t *testing.T) {
	t.Parallel()
	db, clock := storetest.SQLite(t), identitytest.NewClock()
	d := identitytest.New(t, db, func(o *identity.Options) { o.Now = clock.Now })
	identitytest.SetUp(t, d)
	c := serve(t, db, d)
	in := c.Do(t, "POST", "/api/v1/session", map[string]string{"user": "admin", "password": identitytest.Password}).Must(t, 200, nil)
	old := c.With("Cookie", strings.Split(in.Header.Get("Set-Cookie"), ";")[0])
	if again := old.Do(t, "GET", "/api/v1/session", nil).Must(t, 200, nil); again.Header.Get("Set-Cookie") != "" {
		t.Error("a fresh session was given a new token")
	}
	clock.Advance(13 * time.Hour)
	renewed := old.Do(t, "GET", "/api/v1/session", nil).Must(t, 200, nil).Header.Get("Set-Cookie")
	if !strings.HasPrefix(renewed, api.SessionCookie+"=") || !strings.Contains(renewed, "HttpOnly") {
		t.Fatalf("cookie %q", renewed)
	}
	c.With("Cookie", strings.Split(renewed, ";")[0]).Do(t, "GET", "/api/v1/session", nil).Must(t, 200, nil)
	old.Do(t, "GET", "/api/v1/session", nil).Must(t, 200, nil) // requests under way still count
	clock.Advance(5 * time.Minute)
	old.Do(t, "GET", "/api/v1/session", nil).Fails(t, 401, "signed_out")
}

func TestSignInThroughAnIssuer(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	issuer := identitytest.NewIssuer(t, time.Now)
	d := identitytest.New(t, db, func(o *identity.Options) {
		o.OIDC = issuer.Options()
		o.OIDC.AutoCreate = true
	})
	identitytest.SetUp(t, d)
	c := serve(t, db, d)
	var ways identity.Ways
	c.Do(t, "GET", "/api/v1/session/options", nil).Must(t, 200, &ways)
	if !ways.OIDC || ways.OIDCName != "Test" {
		t.Errorf("%+v", ways)
	}
	start := c.Do(t, "GET", "/api/v1/oidc/start?return_to=/chat", nil).Must(t, 302, nil)
	cookie := start.Header.Get("Set-Cookie")
	if !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Lax") || !strings.Contains(cookie, "Path=/api/v1/oidc") {
		t.Errorf("cookie %q", cookie)
	}
	back := issuer.Visit(t, start.Header.Get("Location"))
	back.Set("session_state", "issuers add what they like")
	browser := c.With("Cookie", strings.Split(cookie, ";")[0])
	c.Do(t, "GET", "/api/v1/oidc/callback?"+url.Values{"state": back["state"], "code": back["code"]}.Encode(), nil).Fails(t, 403, "oidc_state")
	start = c.Do(t, "GET", "/api/v1/oidc/start?return_to=/chat", nil).Must(t, 302, nil)
	browser = browser.With("Cookie", strings.Split(start.Header.Get("Set-Cookie"), ";")[0])
	back = issuer.Visit(t, start.Header.Get("Location"))
	back.Set("session_state", "x")
	done := browser.Do(t, "GET", "/api/v1/oidc/callback?"+back.Encode(), nil).Must(t, http.StatusFound, nil)
	if done.Header.Get("Location") != "/chat" {
		t.Errorf("sent to %q", done.Header.Get("Location"))
	}
	session := ""
	for _, line := range done.Header.Values("Set-Cookie") {
		if strings.HasPrefix(line, api.SessionCookie+"=") {
			session = strings.Split(line, ";")[0]
		}
	}
	var me identity.Me
	c.With("Cookie", session).Do(t, "GET", "/api/v1/session", nil).Must(t, 200, &me)
	if me.User.Email != "anna@example.org" {
		t.Errorf("signed in as %+v", me.User)
	}
}
