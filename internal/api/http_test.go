package api_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/identity/identitytest"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestSignInAndOut(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	w.Nobody.Do(t, "POST", "/api/v1/session", `{"user":"admin","password":"wrong"}`).Fails(t, 401, "invalid_credentials")
	var me identity.Me
	in := w.Nobody.Do(t, "POST", "/api/v1/session", map[string]string{"user": "admin", "password": identitytest.Password}).Must(t, 200, &me)
	if me.User.Login != "admin" || me.Role != identity.Admin || me.Workspace.ID != w.Workspace {
		t.Errorf("signed in as %+v", me)
	}
	cookie := in.Header.Get("Set-Cookie")
	for _, want := range []string{api.SessionCookie + "=", "HttpOnly", "SameSite=Strict", "Path=/"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("cookie %q lacks %s", cookie, want)
		}
	}
	browser := w.Nobody.With("Cookie", strings.Split(cookie, ";")[0])
	browser.Do(t, "GET", "/api/v1/session", nil).Must(t, 200, &me)
	for label, c := range map[string]apitest.Client{
		"a page elsewhere": browser.With("Origin", "https://evil.example"),
		"an old browser":   browser.With("Sec-Fetch-Site", "cross-site"),
	} {
		if p := c.Do(t, "DELETE", "/api/v1/session", nil).Fails(t, 403, "cross_origin"); p.Param != "Origin" {
			t.Errorf("%s: %+v", label, p)
		}
	}
	browser.With("Origin", w.URL).With("Sec-Fetch-Site", "same-origin").Do(t, "DELETE", "/api/v1/session", nil).Must(t, 204, nil)
	browser.Do(t, "GET", "/api/v1/session", nil).Fails(t, 401, "signed_out")
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	a := w.Admin.With("X-Request-Id", "mine-1").Do(t, "GET", "/api/v1/session", nil).Must(t, 200, nil)
	for header, want := range map[string]string{
		"X-Request-Id": "mine-1", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Content-Security-Policy": "default-src 'none'",
		"RateLimit-Limit": "6000", "RateLimit-Remaining": "5999",
	} {
		if !strings.Contains(a.Header.Get(header), want) {
			t.Errorf("%s is %q, want %q", header, a.Header.Get(header), want)
		}
	}
	odd := w.Admin.With("X-Request-Id", "<script>").Do(t, "GET", "/api/v1/session", nil)
	if id := odd.Header.Get("X-Request-Id"); !strings.HasPrefix(id, "req_") {
		t.Errorf("request id %q", id)
	}
	w.Nobody.With("Host", "evil.example").Do(t, "GET", "/api/v1/setup", nil).Fails(t, 403, "host_not_allowed")
	w.Nobody.With("Host", "evil.example").Do(t, "GET", "/", nil).Fails(t, 403, "host_not_allowed")
	w.Nobody.With("Host", "localhost:1").Do(t, "GET", "/livez", nil).Must(t, 200, nil)
	head := w.Admin.Do(t, "HEAD", "/api/v1/session", nil)
	if head.Status != 200 || len(head.Body) != 0 || head.Header.Get("Content-Length") == "" {
		t.Errorf("HEAD: %d, %d bytes, length %q", head.Status, len(head.Body), head.Header.Get("Content-Length"))
	}
	options := w.Nobody.Do(t, "OPTIONS", "/api/v1/keys", nil)
	if options.Status != 204 || options.Header.Get("Allow") != "GET, HEAD, OPTIONS, POST" || options.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("OPTIONS: %d %v", options.Status, options.Header)
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	var doc struct {
		OpenAPI string         `json:"openapi"`
		Paths   map[string]any `json:"paths"`
	}
	w.Nobody.Do(t, "GET", "/openapi.json", nil).Must(t, 200, &doc)
	for _, r := range w.Server.Routes() {
		if doc.Paths[r.Pattern] == nil {
			t.Errorf("%s is not in openapi.json", r.Pattern)
		}
	}
	docs := w.Nobody.Do(t, "GET", "/docs", nil).Must(t, 200, nil)
	if !strings.Contains(string(docs.Body), "/api/v1/keys/{key}/rotate") || strings.Contains(string(docs.Body), "<script") {
		t.Error("the reference page misses a route or has a script")
	}
	if csp := docs.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "script-src 'self'") {
		t.Errorf("policy of the page: %q", csp)
	}
	w.Admin.Do(t, "GET", "/metrics", nil)
	var system api.System
	w.Admin.Do(t, "GET", "/api/v1/system", nil).Must(t, 200, &system)
	if system.Mode != api.Normal || system.Database.Engine != "sqlite" || system.Database.Size == 0 || system.Disk == nil || len(system.Checks) == 0 {
		t.Errorf("system: %+v", system)
	}
	var made api.Backup
	w.Admin.Do(t, "POST", "/api/v1/system/backups", nil).Must(t, 201, &made)
	var list page.Page[api.Backup]
	w.Admin.Do(t, "GET", "/api/v1/system/backups", nil).Must(t, 200, &list)
	if len(list.Data) != 1 || list.Data[0] != made || made.Size == 0 {
		t.Errorf("backups: %+v, made %+v", list.Data, made)
	}
}

func TestRateLimits(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t), func(o *api.Options) { o.PerIdentity.PerMinute, o.PerAddress.PerMinute = 3, 10 })
	for range 3 {
		w.Admin.Do(t, "GET", "/api/v1/session", nil).Must(t, 200, nil)
	}
	a := w.Admin.Do(t, "GET", "/api/v1/session", nil)
	if p := a.Fails(t, 429, "rate_limited"); !p.Retryable || a.Header.Get("Retry-After") == "" || a.Header.Get("RateLimit-Remaining") != "0" {
		t.Errorf("429: %+v %v", p, a.Header)
	}
	w.Operator.Do(t, "GET", "/api/v1/session", nil).Must(t, 200, nil)
	for range 5 {
		w.Nobody.Do(t, "GET", "/api/v1/setup", nil).Must(t, 200, nil)
	}
	if a := w.Nobody.Do(t, "GET", "/api/v1/setup", nil); a.Header.Get("RateLimit-Limit") != "10" {
		t.Errorf("limit of the address: %v", a.Header)
	} else {
		a.Fails(t, 429, "rate_limited")
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	var first, again api.ModeState
	w.Admin.Do(t, "POST", "/api/v1/system/mode", `{"mode":"maintenance"}`).Must(t, 200, &first)
	if w.Admin.Do(t, "POST", "/api/v1/system/mode", `{"mode":"maintenance"}`).Must(t, 200, &again); first.Mode != api.Maintenance || first != again {
		t.Errorf("asked twice: %+v, then %+v", first, again)
	}
	a := w.Admin.Do(t, "GET", "/api/v1/jobs", nil)
	if p := a.Fails(t, 503, "maintenance"); !p.Retryable || a.Header.Get("Retry-After") != "30" {
		t.Errorf("%+v %v", p, a.Header)
	}
	w.Nobody.Do(t, "GET", "/livez", nil).Must(t, 200, nil)
	w.Nobody.Do(t, "GET", "/readyz", nil).Must(t, 503, nil)
	w.Admin.Do(t, "GET", "/api/v1/session", nil).Must(t, 200, nil)
	w.Admin.Do(t, "POST", "/api/v1/system/mode", `{"mode":"draining"}`).Must(t, 200, nil)
	w.Admin.Do(t, "GET", "/api/v1/jobs", nil).Fails(t, 503, "draining")
	w.Admin.Do(t, "POST", "/api/v1/system/mode", `{"mode":"normal"}`).Must(t, 200, nil)
	w.Admin.Do(t, "GET", "/api/v1/jobs", nil).Must(t, 200, nil)
	w.Nobody.Do(t, "GET", "/readyz", nil).Must(t, 200, nil)
	var rows page.Page[identity.AuditRow]
	w.Admin.Do(t, "GET", "/api/v1/audit?resource=system/mode", nil).Must(t, 200, &rows)
	if n := len(rows.Data); n != 4 || !strings.Contains(string(rows.Data[3].Before), `"mode":"normal"`) || !strings.Contains(string(rows.Data[3].After), `"mode":"maintenance"`) {
		t.Errorf("audit: %+v", rows.Data)
	}
}

func TestChecksFail(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t), func(o *api.Options) {
		o.Checks = []api.Check{{Name: "moon", Run: func(context.Context) error { return errors.New("the secret is hunter2") }}}
	})
	a := w.Nobody.Do(t, "GET", "/healthz", nil).Must(t, 503, nil)
	if strings.Contains(string(a.Body), "hunter2") || !strings.Contains(string(a.Body), `"moon"`) {
		t.Errorf("health: %s", a.Body)
	}
}

// Every mutation of a known caller leaves exactly one row, also a failed one.
func TestAudit(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	w.Admin.With("X-Request-Id", "r1").Do(t, "POST", "/api/v1/conversations", `{"title":"T"}`).Must(t, 201, nil)
	w.Admin.With("X-Request-Id", "r2").Do(t, "POST", "/api/v1/keys", `{"name":"k"}`).Must(t, 201, nil)
	w.Admin.With("X-Request-Id", "r3").Do(t, "POST", "/api/v1/keys", `{"name":5}`).Fails(t, 400, "wrong_type")
	w.Viewer.With("X-Request-Id", "r4").Do(t, "POST", "/api/v1/system/mode", `{"mode":"draining"}`).Fails(t, 403, "forbidden")
	w.Admin.With("X-Request-Id", "r5").Do(t, "GET", "/api/v1/keys", nil).Must(t, 200, nil)
	w.Nobody.With("X-Request-Id", "r6").Do(t, "POST", "/api/v1/keys", `{"name":"k"}`).Fails(t, 401, "credentials_required")
	var rows page.Page[identity.AuditRow]
	w.Admin.Do(t, "GET", "/api/v1/audit?limit=500", nil).Must(t, 200, &rows)
	found := map[string][]identity.AuditRow{}
	for _, r := range rows.Data {
		found[r.Request] = append(found[r.Request], r)
	}
	for request, want := range map[string]struct {
		action string
		result identity.Result
	}{
		"r1": {"conversations.create", identity.OK}, "r2": {"key.create", identity.OK},
		"r3": {"keys.create", identity.Failure}, "r4": {"system.mode", identity.Denied},
	} {
		if len(found[request]) != 1 || found[request][0].Action != want.action || found[request][0].Result != want.result {
			t.Errorf("%s: %+v, want one row of %+v", request, found[request], want)
		}
	}
	if len(found["r5"])+len(found["r6"]) != 0 {
		t.Errorf("rows for a read or a stranger: %+v %+v", found["r5"], found["r6"])
	}
	csv := w.Admin.Do(t, "GET", "/api/v1/audit/export?format=csv", nil).Must(t, 200, nil)
	if !strings.Contains(csv.Header.Get("Content-Disposition"), "attachment") || !strings.Contains(string(csv.Body), "conversations.create") {
		t.Errorf("export: %v %.200s", csv.Header, csv.Body)
	}
	var v identity.Verification
	w.Admin.Do(t, "GET", "/api/v1/audit/verify", nil).Must(t, 200, &v)
	if !v.OK || v.Rows < 4 {
		t.Errorf("verification: %+v", v)
	}
}

func TestWebUI(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"index.html": {Data: []byte("<html>app</html>")}, "index.html.br": {Data: []byte("BR")}, "index.html.gz": {Data: []byte("GZ")},
		"assets/app-1.js": {Data: []byte("js")}, "theme.js": {Data: []byte("t")}, ".gitkeep": {Data: nil},
	}
	w := apitest.New(t, storetest.SQLite(t), func(o *api.Options) { o.Web = files })
	plain := w.Nobody.With("Accept-Encoding", "identity")
	tests := []struct {
		path, encoding string
		status         int
		body, cache    string
	}{
		{"/", "identity", 200, "<html>app</html>", "no-cache"},
		{"/", "gzip, br", 200, "BR", "no-cache"},
		{"/", "gzip;q=1, br;q=0", 200, "GZ", "no-cache"},
		{"/settings/keys", "identity", 200, "<html>app</html>", "no-cache"},
		{"/assets/app-1.js", "identity", 200, "js", "immutable"},
		{"/assets/app-2.js", "identity", 404, "", "no-cache"},
		{"/missing.png", "identity", 404, "", "no-cache"},
		{"/theme.js", "identity", 200, "t", "no-cache"},
		{"/.gitkeep", "identity", 404, "", ""},
		{"/../../etc/passwd", "identity", 200, "<html>app</html>", "no-cache"},
	}
	for _, tt := range tests {
		a := w.Nobody.With("Accept-Encoding", tt.encoding).Do(t, "GET", tt.path, nil)
		if a.Status != tt.status || (tt.body != "" && string(a.Body) != tt.body) || !strings.Contains(a.Header.Get("Cache-Control"), tt.cache) {
			t.Errorf("%s (%s): %d %q %q", tt.path, tt.encoding, a.Status, a.Body, a.Header.Get("Cache-Control"))
		}
		if a.Status == 200 && (a.Header.Get("Content-Security-Policy") == "" || a.Header.Get("X-Frame-Options") == "") {
			t.Errorf("%s: unprotected", tt.path)
		}
	}
	first := plain.Do(t, "GET", "/", nil)
	plain.With("If-None-Match", first.Header.Get("ETag")).Do(t, "GET", "/", nil).Must(t, 304, nil)
	plain.Do(t, "POST", "/", `{}`).Fails(t, 405, "method_not_allowed")
}

func TestWithoutWebUI(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t), func(o *api.Options) { o.Web = fstest.MapFS{".gitkeep": {}} })
	a := w.Nobody.Do(t, "GET", "/", nil).Must(t, 200, nil)
	if !strings.Contains(string(a.Body), "make web") {
		t.Errorf("page: %s", a.Body)
	}
}

func TestBindIsRefusedUntilSomeoneCanSignIn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		addr string
		has  bool
		code string
	}{
		{"127.0.0.1:7777", false, ""}, {"localhost:0", false, ""}, {"[::1]:1", false, ""}, {"0.0.0.0:7777", true, ""},
		{"0.0.0.0:7777", false, "bind_refused"}, {":7777", false, "bind_refused"}, {"192.168.1.2:80", false, "bind_refused"}, {"7777", true, "bad_listen"},
	} {
		err := api.CheckBind(tt.addr, tt.has)
		if (tt.code == "") != (err == nil) || (tt.code != "" && !fault.HasCode(err, tt.code)) {
			t.Errorf("CheckBind(%q, %v) = %v, want %q", tt.addr, tt.has, err, tt.code)
		}
	}
	db := storetest.SQLite(t)
	s, err := api.New(api.Options{DB: db, Directory: identitytest.New(t, db), Hub: eventstest.New(t, db), Listen: "0.0.0.0:0"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context()); !fault.HasCode(err, "bind_refused") {
		t.Errorf("Run = %v", err)
	}
}

func TestFirstSetup(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	d := identitytest.New(t, db)
	c := serve(t, db, d)
	var state api.SetupState
	c.Do(t, "GET", "/api/v1/setup", nil).Must(t, 200, &state)
	if !state.Needed {
		t.Error("set-up is not needed?")
	}
	code, err := d.NewSetupCode(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first := map[string]string{"code": "AAAA-AAAA", "user": "ann", "password": identitytest.Password}
	c.Do(t, "POST", "/api/v1/setup", first).Fails(t, 403, "bad_setup_code")
	first["code"] = code
	made := c.Do(t, "POST", "/api/v1/setup", first).Must(t, http.StatusCreated, nil)
	c.With("Cookie", strings.Split(made.Header.Get("Set-Cookie"), ";")[0]).Do(t, "GET", "/api/v1/session", nil).Must(t, 200, nil)
	c.Do(t, "POST", "/api/v1/setup", first).Fails(t, 409, "already_set_up")
}
