package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// publicRoutes is the whole list of routes that need no identity. A route that
// is to join it must be added here, on purpose.
var publicRoutes = []string{
	"GET /livez", "GET /readyz", "GET /healthz", "GET /version", "GET /openapi.json", "GET /docs",
	"GET /api/v1/setup", "POST /api/v1/setup", "GET /api/v1/session/options", "POST /api/v1/session", "POST /api/v1/session/passkey/begin", "POST /api/v1/session/passkey",
	"GET /api/v1/oidc/start", "GET /api/v1/oidc/callback", "GET /api/v1/mcp/callback",
}

// bodies are complete bodies for routes that demand fields, so that the walk
// gets past them.
var bodies = map[string]string{
	"POST /api/v1/guard/approvals/{approval}/answer":                    `{"decision":"deny"}`,
	"POST /api/v1/guard/feedback":                                       `{"call":"tcl_01ARZ3NDEKTSV4RRFFQ69G5FAV","feedback":"wrong"}`,
	"POST /api/v1/guard/allowed":                                        `{"command":"make deploy"}`,
	"POST /api/v1/guard/check":                                          `{"command":"ls"}`,
	"POST /api/v1/guard/judge":                                          `{"command":"ls"}`,
	"POST /api/v1/guard/undo":                                           `{"run":"run_01ARZ3NDEKTSV4RRFFQ69G5FAV"}`,
	"POST /api/v1/guard/undo/preview":                                   `{"run":"run_01ARZ3NDEKTSV4RRFFQ69G5FAV"}`,
	"POST /api/v1/projects":                                             `{"folder":"/no/such/folder"}`,
	"PATCH /api/v1/projects/{project}":                                  `{"name":"Stolen"}`,
	"POST /api/v1/users":                                                `{"user":"zoe","password":"four unrelated quick words"}`,
	"POST /api/v1/workspaces":                                           `{"name":"Third"}`,
	"PATCH /api/v1/workspaces/{workspace}":                              `{"name":"Stolen"}`,
	"POST /api/v1/keys":                                                 `{"name":"k"}`,
	"POST /api/v1/conversations/{conversation}/comments":                `{"message":"msg_01ARZ3NDEKTSV4RRFFQ69G5FAV","text":"x"}`,
	"POST /api/v1/runs/{run}/fork":                                      `{"turn":1}`,
	"POST /api/v1/cases":                                                `{"run":"run_01ARZ3NDEKTSV4RRFFQ69G5FAV"}`,
	"POST /api/v1/conversations/{conversation}/messages/{message}/edit": `{"message":"x"}`,
	"POST /api/v1/conversations/{conversation}/presence":                `{"window":"w1"}`,
	"POST /api/v1/attachments":                                          `{"name":"x.txt","data":"eA=="}`,
	"POST /api/v1/conversations/import":                                 `{"format":"fluxway.conversation","version":1,"exported_at":"2026-01-01T00:00:00Z","title":"t","agent":"assistant","created_at":"2026-01-01T00:00:00Z","messages":[]}`,
	"POST /api/v1/session/workspace":                                    `{"workspace":"ws_01ARZ3NDEKTSV4RRFFQ69G5FAV"}`,
	"POST /api/v1/account/password":                                     `{"new":"five unrelated quick words"}`,
	"POST /api/v1/session/passkey":                                      `{"credential":{}}`,
	"POST /api/v1/session/confirm":                                      `{"credential":{}}`,
	"POST /api/v1/account/passkeys":                                     `{"credential":{}}`,
	"PATCH /api/v1/account/passkeys/{passkey}":                          `{"name":"Stolen"}`,
	"PUT /api/v1/account/confirmation":                                  `{"approvals":false}`,
	"PUT /api/v1/push/wishes":                                           `{}`,
	"POST /api/v1/push/subscriptions":                                   `{"endpoint":"https://push.example.net/a","keys":{"p256dh":"AA","auth":"AA"}}`,
	"PATCH /api/v1/push/subscriptions/{subscription}":                   `{"name":"Stolen"}`,
	"PUT /api/v1/account/totp":                                          `{"code":"123456"}`,
	"DELETE /api/v1/account/totp":                                       `{"password":"x"}`,
	"POST /api/v1/system/mode":                                          `{"mode":"normal"}`,
	"POST /api/v1/events/acks":                                          `{"cursors":[1]}`,
	"POST /api/v1/runs/{run}/messages":                                  `{"message":"x"}`,
	"POST /api/v1/agents/{agent}/chat":                                  `{"message":"hello"}`,
	"POST /api/v1/agents":                                               `{"name":"ops"}`,
	"PATCH /api/v1/agents/{agent}":                                      `{"title":"Stolen"}`,
	"POST /api/v1/agents/{agent}/rollback":                              `{"version":0}`,
	"POST /api/v1/agents/import":                                        `{"text":"agents: [{name: imported}]"}`,
	"POST /api/v1/agents/route":                                         `{"message":"hello"}`,
	"POST /api/v1/jobs/schedules":                                       `{"name":"s","kind":"runs.start","args":{"agent":"assistant","message":"What is new?"},"cron":"@daily"}`,
	"PATCH /api/v1/config":                                              `{"set":{"a":1}}`,
	"POST /api/v1/config/validate":                                      `{"text":"{}"}`,
	"PATCH /api/v1/users/{user}":                                        `{"name":"Stolen"}`,
	"PATCH /api/v1/conversations/{conversation}":                        `{"title":"Stolen"}`,
	"PATCH /api/v1/jobs/schedules/{schedule}":                           `{"enabled":false}`,
	"POST /api/v1/mcp/servers":                                          `{"name":"files","command":"cat"}`,
	"POST /api/v1/plugins":                                              `{"folder":"/no/such/folder"}`,
	"POST /api/v1/plugins/{plugin}/enable":                              `{"digest":"sha256:0"}`,
	"PATCH /api/v1/plugins/{plugin}/settings":                           `{"settings":{}}`,
	"POST /mcp": `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
	"POST /api/v1/providers/{provider}/accounts": `{"key":"sk-test"}`,
	"POST /api/v1/costs/reconcile":               `{"provider":"openai","invoice":"day,model,amount\n2026-11-01,gpt-5,1.00\n"}`,
	"POST /api/v1/costs/budgets":                 `{"amount":1000000}`,
	"PATCH /api/v1/costs/budgets/{budget}":       `{"amount":2000000}`,
	"POST /api/v1/costs/budgets/{budget}/grant":  `{"amount":1000000}`,
}

func name(r api.RouteInfo) string { return r.Method + " " + r.Pattern }

// fill puts values into the pattern's names; what has none gets a well-formed
// id that does not exist.
func fill(pattern string, values map[string]string) string {
	missing := map[string]string{
		"session": string(ids.New[ids.Session]()), "device": string(ids.New[ids.Device]()), "user": string(ids.New[ids.User]()),
		"workspace": string(ids.New[ids.Workspace]()), "key": string(ids.New[ids.Key]()), "job": string(ids.New[ids.Job]()),
		"schedule": string(ids.New[ids.Schedule]()), "conversation": string(ids.New[ids.Conversation]()),
		"message": string(ids.New[ids.Message]()), "run": string(ids.New[ids.Run]()), "case": string(ids.New[ids.Case]()), "kind": "no.such",
		"approval": string(ids.New[ids.Approval]()), "allowance": string(ids.New[ids.Allowance]()), "call": string(ids.New[ids.ToolCall]()),
		"project": string(ids.New[ids.Project]()), "snapshot": string(ids.New[ids.Snapshot]()),
		"budget": string(ids.New[ids.Budget]()), "record": string(ids.New[ids.Usage]()), "agent": "assistant",
		"version": "0", "provider": "nobody", "account": string(ids.New[ids.Account]()), "signin": "AAAA", "server": "nobody", "tool": "nobody", "plugin": "nobody",
		"fact": string(ids.New[ids.Fact]()), "source": string(ids.New[ids.Source]()),
		"comment": string(ids.New[ids.Comment]()), "attachment": string(ids.New[ids.Attachment]()),
		"subscription": string(ids.New[ids.Subscription]()), "passkey": string(ids.New[ids.Passkey]()),
	}
	segments := strings.Split(pattern, "/")
	for i, s := range segments {
		if n := strings.Trim(s, "{}"); n != s {
			segments[i] = missing[n]
			if values[n] != "" {
				segments[i] = values[n]
			}
		}
	}
	return strings.Join(segments, "/")
}

func body(r api.RouteInfo) any {
	if text, ok := bodies[name(r)]; ok {
		return text
	}
	if r.Method == http.MethodGet || !r.Body {
		return nil
	}
	return `{}`
}

// query is what a route demands there.
func query(r api.RouteInfo) string {
	switch r.Pattern {
	case "/api/v1/events/stream":
		return "?channels=jobs"
	case "/api/v1/costs/breakdown":
		return "?by=model"
	}
	return ""
}

func TestNoDoorWithoutALock(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	open := map[string]bool{}
	for _, p := range publicRoutes {
		open[p] = true
	}
	for _, r := range w.Server.Routes() {
		if open[name(r)] != r.Public {
			t.Errorf("%s: public is %v, the list of public routes says %v", name(r), r.Public, open[name(r)])
		}
		if r.Public {
			continue
		}
		for label, c := range map[string]apitest.Client{
			"nobody":     w.Nobody,
			"a bad key":  {URL: w.URL, Key: "fx_00000000000000000000000000000000000000000000"},
			"a bad name": w.Nobody.With("Cookie", api.SessionCookie+"=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
			"basic auth": w.Nobody.With("Authorization", "Basic YWRtaW46YWRtaW4="),
		} {
			a := c.Do(t, r.Method, fill(r.Pattern, nil)+query(r), body(r))
			p, err := a.Problem()
			if err != nil || a.Status != http.StatusUnauthorized {
				t.Errorf("%s as %s: %d %s (%v), want 401", name(r), label, a.Status, p.Code, err)
			}
			if a.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s as %s: no WWW-Authenticate", name(r), label)
			}
		}
	}
}

func TestAViewerChangesNothing(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	reader := w.Key(t, "*:read") // an administrator's key that may only read
	for _, r := range w.Server.Routes() {
		if r.Public || r.Method == http.MethodGet {
			continue
		}
		own := r.Permission == "signed_in" || r.Permission == "events:read" || strings.HasPrefix(r.Permission, "account:") || r.Permission == "config:read" || r.Permission == "costs:read" || r.Permission == "guard:read" || r.Permission == "projects:read" || r.Permission == "memory:read" || r.Permission == "conversations:read"
		viewer := w.Viewer.Do(t, r.Method, fill(r.Pattern, nil), body(r))
		if p, err := viewer.Problem(); !own && (viewer.Status != http.StatusForbidden || err != nil) {
			t.Errorf("%s as a viewer: %d %s (%v), want 403", name(r), viewer.Status, p.Code, err)
		}
		key := reader.Do(t, r.Method, fill(r.Pattern, nil), body(r))
		if p, err := key.Problem(); !own && (key.Status != http.StatusForbidden || err != nil) {
			t.Errorf("%s with a reading key: %d %s (%v), want 403", name(r), key.Status, p.Code, err)
		}
	}
}

// foreignIDs makes one of everything in the world's own workspace.
func ownThings(t *testing.T, w *apitest.World) map[string]string {
	t.Helper()
	id := identity.From(w.AdminContext)
	who := conversations.Asker{Workspace: id.Workspace, User: id.User}
	c, err := w.Book.Create(t.Context(), who, "assistant", "Mine")
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := w.Desk.Start(t.Context(), who, runs.Request{Agent: "assistant", Message: "hello", Conversation: c.ID})
	if err != nil {
		t.Fatal(err)
	}
	owner := memory.Owner{Workspace: id.Workspace, User: id.User}
	fact, err := w.Memory.Add(t.Context(), owner, memory.NewFact{Scope: memory.Scope{User: id.User}, Text: "I prefer tabs over spaces."})
	if err != nil {
		t.Fatal(err)
	}
	source, err := w.Memory.AddSource(t.Context(), owner, memory.NewSource{Title: "mine", Text: "Mine alone."})
	if err != nil {
		t.Fatal(err)
	}
	comment, err := w.Book.Comment(t.Context(), who, c.ID, accepted.Message.ID, "mine")
	if err != nil {
		t.Fatal(err)
	}
	file, err := w.Book.Attach(t.Context(), who, "mine.txt", "text/plain", []byte("mine"))
	if err != nil {
		t.Fatal(err)
	}
	schedule, err := w.Jobs.AddSchedule(t.Context(), jobs.Schedule{Workspace: id.Workspace, Name: "mine", Kind: "runs.start", Args: json.RawMessage(`{"agent":"assistant","message":"hi"}`), Cron: "@yearly", Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	key, _, err := w.Directory.CreateKey(w.AdminContext, identity.NewKey{Name: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	users, err := w.Directory.Users(w.AdminContext, struct {
		Limit  int    `json:"limit,omitempty" doc:"How many rows at the most, 1 to 500; 50 if left out."`
		Cursor string `json:"cursor,omitempty" doc:"next_cursor of the page before."`
	}{})
	if err != nil {
		t.Fatal(err)
	}
	budget, err := w.Ledger.CreateBudget(t.Context(), id.Workspace, costs.Budget{Amount: 1_000_000, Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	spent, err := w.Ledger.Reserve(t.Context(), costs.Call{Attribution: costs.Attribution{Workspace: id.Workspace, User: id.User}, Provider: "demo", Model: "assistant", Input: 1, Output: 1})
	if err != nil {
		t.Fatal(err)
	}
	spent.Settle(costs.Settlement{Outcome: costs.OK})
	if err := w.Ledger.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	vera := ""
	for _, u := range users.Data {
		if u.Login == "vera" {
			vera = string(u.ID)
		}
	}
	return map[string]string{
		"workspace": string(id.Workspace), "session": string(id.Session), "conversation": string(c.ID), "message": string(accepted.Message.ID),
		"run": string(accepted.Run.ID), "job": string(accepted.Run.Job), "schedule": string(schedule.ID), "key": string(key.ID), "user": vera,
		"device": string(ids.New[ids.Device]()), "fact": string(fact.Fact.ID), "source": string(source.ID), "comment": string(comment.ID), "attachment": string(file.ID), "budget": string(budget.ID), "record": string(spent.ID()),
	}
}

func TestForeignThingsAreNotFound(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := apitest.New(t, db)
		things := ownThings(t, w)
		for _, r := range w.Server.Routes() {
			if !strings.Contains(r.Pattern, "{") || strings.Contains(r.Pattern, "{kind}") || strings.Contains(r.Pattern, "{agent}") {
				continue
			}
			for label, path := range map[string]string{"another workspace's": fill(r.Pattern, things), "a made-up": fill(r.Pattern, nil)} {
				a := w.Foreign.Do(t, r.Method, path, body(r))
				p, err := a.Problem()
				own := strings.HasPrefix(r.Permission, "account:") // a key is not a browser: it may not even ask
				if err != nil || a.Status != http.StatusNotFound && !(own && a.Status == http.StatusForbidden) {
					t.Errorf("%s with %s id: %d %s (%v), want 404", name(r), label, a.Status, p.Code, err)
				}
			}
			broken := fill(r.Pattern, map[string]string{
				"workspace": "x", "session": "ses_1", "conversation": "run_01ARZ3NDEKTSV4RRFFQ69G5FAV", "message": "%00", "run": "%ff", "job": "''",
				"schedule": strings.Repeat("a", 300), "key": "key_", "user": "usr_01ARZ3NDEKTSV4RRFFQ69G5FA!", "device": "..%2f..",
				"budget": "bud_x", "record": "use_",
			})
			a := w.Admin.Do(t, r.Method, broken, body(r))
			if p, err := a.Problem(); err != nil || a.Status != http.StatusBadRequest && a.Status != http.StatusNotFound && a.Status != http.StatusForbidden {
				t.Errorf("%s with a malformed id: %d %s (%v), want 400 or 404", name(r), a.Status, p.Code, err)
			}
		}
		// Nothing was harmed on the way.
		for _, path := range []string{"/api/v1/conversations/" + things["conversation"], "/api/v1/keys/" + things["key"], "/api/v1/users/" + things["user"], "/api/v1/jobs/schedules/" + things["schedule"]} {
			w.Admin.Do(t, "GET", path, nil).Must(t, 200, nil)
		}
	})
}
