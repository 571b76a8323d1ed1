package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/toolstest"
)

// answering is an agent that says what it was told.
type answering struct{}

func (answering) CallAgent(_ context.Context, who *identity.Identity, agent, message string) (string, error) {
	return agent + " heard " + message + " from " + who.Login, nil
}

// mcpWorld is a server with two tools, one of which needs a person.
func mcpWorld(t *testing.T) (*apitest.World, *toolstest.Journal) {
	t.Helper()
	journal := &toolstest.Journal{}
	gate := toolstest.Gate(func(spec tools.Spec, _ tools.Call) (tools.Ruling, error) {
		if spec.Name == "delete_all" {
			return tools.Ruling{Verdict: tools.Ask, Reason: "May everything be deleted?", Ticket: "t1"}, nil
		}
		return tools.Ruling{Verdict: tools.Allow}, nil
	})
	box, err := tools.New(tools.Options{Gate: gate, Auditor: journal})
	if err != nil {
		t.Fatal(err)
	}
	steps := toolstest.Echo("steps")
	steps.Do = func(_ context.Context, call tools.Call) (tools.Result, error) {
		call.Report(tools.Progress{Text: "half", Done: 1, Total: 2})
		return tools.Says("done"), nil
	}
	if err := box.Put("test", toolstest.Echo("echo"), toolstest.Echo("delete_all"), steps); err != nil {
		t.Fatal(err)
	}
	if err := box.PutIn(ids.New[ids.Workspace](), "mcp/other", toolstest.Echo("other__secret")); err != nil {
		t.Fatal(err)
	}
	w := apitest.New(t, storetest.SQLite(t), func(o *api.Options) { o.Tools, o.AgentCaller = box, answering{} })
	return w, journal
}

type withKey struct{ key string }

func (k withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	return http.DefaultTransport.RoundTrip(r)
}

// connect is the official client of an era.
func connect(t *testing.T, w *apitest.World, key, version string, opts *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, opts)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: w.URL + "/mcp", HTTPClient: &http.Client{Transport: withKey{key}}, MaxRetries: -1},
		&sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() }) // the server may have ended it
	return session
}

func said(r *sdk.CallToolResult) string {
	var out []string
	for _, c := range r.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			out = append(out, text.Text)
		}
	}
	return strings.Join(out, "\n")
}

func TestMCPDoorInBothEras(t *testing.T) {
	t.Parallel()
	w, journal := mcpWorld(t)
	admin := w.Admin.Key
	for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			progress := make(chan string, 1)
			s := connect(t, w, admin, version, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
				progress <- r.Params.Message
			}})
			if got := s.InitializeResult().ProtocolVersion; got != version {
				t.Errorf("agreed on %s, want %s", got, version)
			}
			list, err := s.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			names := map[string]bool{}
			for _, tool := range list.Tools {
				names[tool.Name] = true
			}
			if !names["echo"] || !names["agent__assistant"] || names["other__secret"] {
				t.Errorf("tools: %v", names)
			}
			r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"a": 1}})
			if err != nil || said(r) != `{"a":1}` {
				t.Errorf("echo: %+v, %v", r, err)
			}
			r, err = s.CallTool(t.Context(), &sdk.CallToolParams{Name: "delete_all"})
			if err != nil || !r.IsError || !strings.Contains(said(r), "May everything be deleted?") {
				t.Errorf("a call that needs a person: %+v, %v", r, err)
			}
			if _, err = s.CallTool(t.Context(), &sdk.CallToolParams{Name: "ehco"}); err == nil || !strings.Contains(err.Error(), "Did you mean echo?") {
				t.Errorf("a tool that is not: %v", err)
			}
			r, err = s.CallTool(t.Context(), &sdk.CallToolParams{Name: "agent__assistant", Arguments: map[string]any{"message": "hello"}})
			if err != nil || !strings.HasPrefix(said(r), "assistant heard hello from ") {
				t.Errorf("an agent: %+v, %v", r, err)
			}
			params := &sdk.CallToolParams{Name: "steps"}
			params.SetProgressToken("p")
			if _, err := s.CallTool(t.Context(), params); err != nil {
				t.Fatal(err)
			}
			if got := <-progress; got != "half" {
				t.Errorf("progress: %q", got)
			}
			prompts, err := s.ListPrompts(t.Context(), nil)
			if err != nil || len(prompts.Prompts) == 0 {
				t.Fatalf("prompts: %+v, %v", prompts, err)
			}
			if p, err := s.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: prompts.Prompts[0].Name}); err != nil || len(p.Messages) != 1 {
				t.Errorf("a prompt: %+v, %v", p, err)
			}
		})
	}
	if started, finished := journal.Lines(); len(started) != 6 || len(finished) != 9 {
		t.Errorf("%d started and %d finished lines in the journal, want 6 and 9", len(started), len(finished))
	}
}

func TestMCPResourcesAreTheCallersConversations(t *testing.T) {
	t.Parallel()
	w, _ := mcpWorld(t)
	var made struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(w.Admin.Do(t, "POST", "/api/v1/conversations", map[string]any{"title": "Mine"}).Body, &made); err != nil {
		t.Fatal(err)
	}
	mine := connect(t, w, w.Admin.Key, "2025-11-25", nil)
	list, err := mine.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 1 || list.Resources[0].Title != "Mine" {
		t.Fatalf("resources: %+v, %v", list, err)
	}
	r, err := mine.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "fluxway://conversations/" + made.ID})
	if err != nil || !strings.Contains(r.Contents[0].Text, "Mine") {
		t.Errorf("reading it: %+v, %v", r, err)
	}
	other := connect(t, w, w.Foreign.Key, "2025-11-25", nil)
	if _, err := other.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "fluxway://conversations/" + made.ID}); err == nil {
		t.Error("someone else read it")
	}
}

func TestMCPDoorIsLocked(t *testing.T) {
	t.Parallel()
	w, _ := mcpWorld(t)
	body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	post := func(key, session, body string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), "POST", w.URL+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if key != "" {
			req.Header.Set("Authorization", "Bearer "+key)
		}
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	if r := post("", "", body); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a key: %d", r.StatusCode)
	}
	admin, foreign := w.Admin.Key, w.Foreign.Key
	session := post(admin, "", body).Header.Get("Mcp-Session-Id")
	if session == "" {
		t.Fatal("no session was made")
	}
	list := `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	if r := post(foreign, session, list); r.StatusCode != http.StatusForbidden {
		t.Errorf("someone else's session: %d", r.StatusCode)
	}
	if r := post(admin, session, list); r.StatusCode != http.StatusOK {
		t.Errorf("one's own session: %d", r.StatusCode)
	}
}

func TestToolsByAPI(t *testing.T) {
	t.Parallel()
	w, journal := mcpWorld(t)
	r := w.Operator.Do(t, "POST", "/api/v1/tools/echo/call", map[string]any{"arguments": map[string]any{"a": 1}})
	if r.Status != 200 || !strings.Contains(string(r.Body), `{\"a\":1}`) {
		t.Errorf("a call: %d %s", r.Status, r.Body)
	}
	if r := w.Operator.Do(t, "POST", "/api/v1/tools/delete_all/call", map[string]any{}); r.Status != 200 || !strings.Contains(string(r.Body), `"ticket":"t1"`) {
		t.Errorf("a call that needs a person: %d %s", r.Status, r.Body)
	}
	if r := w.Viewer.Do(t, "POST", "/api/v1/tools/echo/call", map[string]any{}); r.Status != 403 {
		t.Errorf("a viewer's call: %d %s", r.Status, r.Body)
	}
	if r := w.Viewer.Do(t, "GET", "/api/v1/tools", nil); r.Status != 200 || !strings.Contains(string(r.Body), `"name":"echo"`) || strings.Contains(string(r.Body), "other__secret") {
		t.Errorf("the list: %d %s", r.Status, r.Body)
	}
	if r := w.Operator.Do(t, "POST", "/api/v1/tools/nope/call", map[string]any{}); r.Status != 404 {
		t.Errorf("a tool that is not: %d %s", r.Status, r.Body)
	}
	if started, _ := journal.Lines(); len(started) != 1 || started[0].Call.Door != "api" || started[0].Call.User == "" {
		t.Errorf("the journal: %+v", started)
	}
}

func TestMCPCallsAreCancelledInBothEras(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}), make(chan error)
	hang := toolstest.Echo("hang")
	hang.Do = func(ctx context.Context, _ tools.Call) (tools.Result, error) {
		begun <- struct{}{}
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return tools.Result{}, context.Cause(ctx)
	}
	box, err := tools.New(tools.Options{Gate: toolstest.Open()})
	if err != nil {
		t.Fatal(err)
	}
	if err := box.Put("test", hang); err != nil {
		t.Fatal(err)
	}
	w := apitest.New(t, storetest.SQLite(t), func(o *api.Options) { o.Tools = box })
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		s := connect(t, w, w.Admin.Key, version, nil)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "hang", Arguments: map[string]any{}})
			done <- err
		}()
		<-begun
		cancel()
		if err := <-ended; err == nil {
			t.Errorf("%s: the tool was not told", version)
		}
		if err := <-done; err == nil {
			t.Errorf("%s: a cancelled call succeeded", version)
		}
	}
}
