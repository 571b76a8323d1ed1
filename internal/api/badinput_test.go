package api_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// Every route that is not a GET gets every kind of bad body: the answer is a
// 4xx that names the code, the place and the remedy.
func TestBadInput(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	deep := strings.Repeat(`{"a":`, 200) + `1` + strings.Repeat(`}`, 200)
	bad := map[string][]byte{
		"cut off":           []byte(`{"name":`),
		"not JSON":          []byte(`name=x`),
		"an array":          []byte(`[]`),
		"null":              []byte(`null`),
		"text":              []byte(`"x"`),
		"two values":        []byte(`{} {}`),
		"invalid UTF-8":     []byte("{\"\xff\":1}"),
		"a lone surrogate":  []byte(`{"\ud800":1}`),
		"NUL":               []byte(`{"\u0000":1}`),
		"deep nesting":      []byte(deep),
		"deep arrays":       []byte(strings.Repeat("[", 100000)),
		"duplicate keys":    []byte(`{"zz":{"a":1,"a":2}}`),
		"an unknown field":  []byte(`{"no_such_field":1}`),
		"a control byte":    []byte("{\"a\":\"\x01\"}"),
		"a byte order mark": []byte("\xef\xbb\xbf{}"),
	}
	for _, r := range w.Server.Routes() {
		if r.Method == http.MethodGet {
			continue
		}
		path := fill(r.Pattern, nil)
		for label, text := range bad {
			a := w.Admin.Do(t, r.Method, path, text)
			p, err := a.Problem()
			if err != nil || a.Status < 400 || a.Status > 499 {
				t.Errorf("%s with %s: %d %s (%v)", name(r), label, a.Status, a.Body, err)
			} else if strings.HasPrefix(r.Permission, "account:") { // a key may not come so far
				continue
			} else if p.Param == "" || a.Status != 400 {
				t.Errorf("%s with %s: %d without a param: %s", name(r), label, a.Status, a.Body)
			}
		}
		a := w.Admin.Do(t, r.Method, path, bytes.Repeat([]byte(" "), max(8<<20, int(r.Limit)+1)))
		if p, err := a.Problem(); !strings.HasPrefix(r.Permission, "account:") && (err != nil || a.Status != http.StatusRequestEntityTooLarge || p.Param != "body") {
			t.Errorf("%s with too much: %d %s (%v), want 413", name(r), a.Status, p.Code, err)
		}
		a = w.Admin.With("Content-Type", "text/plain").Do(t, r.Method, path, `{}`)
		if p, err := a.Problem(); !strings.HasPrefix(r.Permission, "account:") && (err != nil || a.Status != http.StatusUnsupportedMediaType || p.Param != "Content-Type") {
			t.Errorf("%s with text/plain: %d %s (%v), want 415", name(r), a.Status, p.Code, err)
		}
	}
}

func TestBadFieldsAreNamed(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	tests := []struct {
		method, path, body string
		status             int
		code, param, hint  string
	}{
		{"POST", "/api/v1/keys", `{"name":5}`, 400, "wrong_type", "name", "quotes"},
		{"POST", "/api/v1/keys", `{"nmae":"x"}`, 400, "unknown_field", "nmae", `"name"`},
		{"POST", "/api/v1/keys", `{}`, 400, "required", "name", "Add"},
		{"POST", "/api/v1/keys", ``, 400, "empty_body", "body", "JSON"},
		{"POST", "/api/v1/keys", `{"name":"x","scopes":["a",2]}`, 400, "wrong_type", "scopes[1]", "quotes"},
		{"POST", "/api/v1/keys", `{"name":"x","expires_at":"tomorrow"}`, 400, "invalid_value", "expires_at", "/docs"},
		{"POST", "/api/v1/users", `{"user":"x","role":"king"}`, 400, "not_allowed_value", "role", "viewer, operator, admin"},
		{"POST", "/api/v1/agents/assistant/chat", `{"message":"hi","conversation":"run_01ARZ3NDEKTSV4RRFFQ69G5FAV"}`, 400, "malformed_id", "conversation", "Copy"},
		{"POST", "/api/v1/agents/asistant/chat", `{"message":"hi"}`, 404, "agent_not_found", "agent", "assistant"},
		{"POST", "/api/v1/jobs/job_x/cancel", ``, 400, "malformed_id", "job", "Copy"},
		{"GET", "/api/v1/jobs?limt=5", ``, 400, "unknown_parameter", "limt", "limit"},
		{"GET", "/api/v1/jobs?limit=many", ``, 400, "wrong_type", "limit", "digits"},
		{"GET", "/api/v1/jobs?limit=5&limit=6", ``, 400, "duplicate_parameter", "limit", "one"},
		{"GET", "/api/v1/jobs?state=lost", ``, 400, "not_allowed_value", "state", "queued"},
		{"GET", "/api/v1/jobs?kind=%ff", ``, 400, "invalid_utf8", "kind", "UTF-8"},
		{"GET", "/api/v1/jobs?kind=a%00b", ``, 400, "invalid_utf8", "kind", "NUL"},
		{"GET", "/api/v1/jobs?kind=%zz", ``, 400, "malformed_query", "query", "%20"},
		{"GET", "/api/v1/jobs?cursor=@@", ``, 400, "bad_cursor", "cursor", "next_cursor"},
		{"GET", "/api/v1/audit?since=yesterday", ``, 400, "invalid_value", "since", "/docs"},
		{"GET", "/api/v1/events?after=-1", ``, 400, "out_of_range", "after", ""},
		{"GET", "/api/v1/events?channel=a//b", ``, 400, "", "", ""},
		{"GET", "/api/v1/events/stream", ``, 400, "required", "channels", "?channels="},
		{"GET", "/api/v1/session?x=1", ``, 400, "unknown_parameter", "x", "no query"},
		{"GET", "/api/v1/ws", ``, 400, "bad_handshake", "Connection", "Upgrade"},
		{"GET", "/api/v1/jbos", ``, 404, "no_such_route", "", "/api/v1/jobs"},
		{"GET", "/api/v1/jobs/", ``, 404, "no_such_route", "", ""},
		{"GET", "/api", ``, 404, "no_such_route", "", "/docs"},
		{"BREW", "/api/v1/jobs", ``, 405, "method_not_allowed", "", "GET"},
		{"PUT", "/api/v1/keys", `{}`, 405, "method_not_allowed", "", "POST"},
	}
	for _, tt := range tests {
		var sent any
		if tt.body != "" {
			sent = tt.body
		}
		a := w.Admin.Do(t, tt.method, tt.path, sent)
		p, err := a.Problem()
		if err != nil {
			t.Errorf("%s %s %s: %v", tt.method, tt.path, tt.body, err)
			continue
		}
		if a.Status != tt.status || (tt.code != "" && p.Code != tt.code) || (tt.param != "" && p.Param != tt.param) || !strings.Contains(p.Hint, tt.hint) {
			t.Errorf("%s %s %s: %d %+v, want %d %s at %q, hint %q", tt.method, tt.path, tt.body, a.Status, p, tt.status, tt.code, tt.param, tt.hint)
		}
	}
}
