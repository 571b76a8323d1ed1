package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fluxway/fluxway/client"
	"github.com/fluxway/fluxway/internal/app"
	"github.com/fluxway/fluxway/internal/config"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/kit/page"
)

// house is the whole program, running on a folder of its own, with the model that answers by rules.
type house struct {
	t    *testing.T
	home string
	api  *client.Client
}

// command runs a command of the program on the house's folder, to its end.
func (h *house) command(in io.Reader, out io.Writer, args ...string) (int, string) {
	var errs bytes.Buffer
	e := &env{streams: Streams{In: in, Out: out, Err: &errs}}
	root := e.root()
	root.SetArgs(append([]string{"--home", h.home}, args...))
	err := root.ExecuteContext(h.t.Context())
	if err != nil && !printed(err) {
		report(e.printer(), &errs, err)
	}
	return exitCode(err), errs.String()
}

func newHouse(t *testing.T, change func(*app.Options)) *house {
	t.Helper()
	home, err := os.MkdirTemp("", "fx") // the path of a socket has to be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	h := &house{t: t, home: home}
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte("correct horse battery staple"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, errs := h.command(nil, io.Discard, "setup", "--user", "mira", "--password-file", password); code != 0 {
		t.Fatalf("setup: %d %s", code, errs)
	}
	src := config.Sources{Dir: t.TempDir(), Env: []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "FLUXWAY_HOME=" + home, "FLUXWAY_LISTEN=127.0.0.1:0", "FLUXWAY_LOG_LEVEL=error"}}
	loaded, err := config.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	opts := app.Options{Sources: src, Loaded: loaded, Version: "test"}
	change(&opts)
	a, err := app.New(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, stopped := make(chan struct{}), make(chan error, 1)
	go func() { stopped <- a.Run(ctx, func(app.Started) { close(ready) }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-stopped; err != nil {
			t.Errorf("the server stopped with %v", err)
		}
	})
	select {
	case <-ready:
	case err := <-stopped:
		stopped <- err
		t.Fatalf("the server did not start: %v", err)
	}
	if h.api, err = client.New(client.Options{Socket: app.Data{Dir: home}.Socket()}); err != nil {
		t.Fatal(err)
	}
	return h
}

// post sends a request and gives the text of the answer.
func (h *house) post(path string, body any) string {
	h.t.Helper()
	resp, err := h.api.Open(h.t.Context(), "POST", path, body)
	if err != nil {
		h.t.Errorf("%s: %v", path, err)
		return ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Errorf("%s: %v", path, err)
	}
	return string(text)
}

// refusals hears of every refusal of the workspace.
func (h *house) refusals() *client.Events {
	h.t.Helper()
	events, err := h.api.Stream(h.t.Context(), "GET", "/api/v1/events/stream?channels="+guard.Channel, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = events.Close() })
	return events
}

// untilRefused waits for a refusal at a door.
func untilRefused(t *testing.T, events *client.Events, door string) {
	t.Helper()
	for {
		e, err := events.Next()
		if err != nil {
			t.Errorf("waiting for a refusal at %s: %v", door, err)
			return
		}
		if e.Kind == "guard.refused" && strings.Contains(string(e.Data), `"door":"`+door+`"`) {
			return
		}
	}
}

// askMCP has an MCP client call a tool, and gives what it said.
func askMCP(t *testing.T, transport sdk.Transport, tool string, args map[string]any) string {
	t.Helper()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Errorf("connecting: %v", err)
		return ""
	}
	defer session.Close()
	r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Errorf("%s: %v", tool, err)
		return ""
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

func (h *house) overHTTP() sdk.Transport {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", app.Data{Dir: h.home}.Socket())
	}
	web := &http.Transport{DialContext: dial}
	h.t.Cleanup(web.CloseIdleConnections)
	return &sdk.StreamableClientTransport{Endpoint: "http://localhost/mcp", HTTPClient: &http.Client{Transport: web}, DisableStandaloneSSE: true}
}

// gates are the doors that a call can come through: where its row says it came from, and how it comes.
var gates = map[string]struct {
	door string
	call func(h *house, command string) (said string)
}{
	"a chat": {"chat", func(h *house, command string) string {
		events, err := h.api.Stream(h.t.Context(), "POST", "/api/v1/agents/assistant/chat", map[string]string{"message": "run `" + command + "`"})
		if err != nil {
			h.t.Error(err)
			return ""
		}
		defer events.Close()
		var said strings.Builder
		for {
			e, err := events.Next()
			if err != nil {
				return said.String()
			}
			said.Write(e.Data)
		}
	}},
	"the API": {"api", func(h *house, command string) string {
		return h.post("/api/v1/tools/run_command/call", map[string]any{"arguments": map[string]string{"command": command}})
	}},
	"the MCP server": {"mcp", func(h *house, command string) string {
		return askMCP(h.t, h.overHTTP(), "run_command", map[string]any{"command": command})
	}},
	"an agent of the MCP server": {"mcp", func(h *house, command string) string {
		return askMCP(h.t, h.overHTTP(), "agent__assistant", map[string]any{"message": "run `" + command + "`"})
	}},
	"fluxway mcp serve": {"mcp", func(h *house, command string) string {
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		served := make(chan struct{})
		go func() {
			defer close(served)
			if code, errs := h.command(in, out, "mcp", "serve"); code != 0 {
				h.t.Errorf("mcp serve: exit %d: %s", code, errs)
			}
			_ = out.Close()
		}()
		said := askMCP(h.t, &sdk.IOTransport{Reader: fromServer, Writer: toServer}, "run_command", map[string]any{"command": command})
		_ = toServer.Close()
		<-served
		return said
	}},
	"chat completions": {"openai", func(h *house, command string) string {
		return h.post("/v1/chat/completions", map[string]any{"model": "agent/assistant", "messages": []any{map[string]string{"role": "user", "content": "run `" + command + "`"}}})
	}},
	"responses": {"openai", func(h *house, command string) string {
		return h.post("/v1/responses", map[string]any{"model": "agent/assistant", "input": "run `" + command + "`"})
	}},
	"messages": {"anthropic", func(h *house, command string) string {
		return h.post("/v1/messages", map[string]any{"model": "agent/assistant", "max_tokens": 500, "messages": []any{map[string]string{"role": "user", "content": "run `" + command + "`"}}})
	}},
	"a schedule": {"schedule", func(h *house, command string) string {
		heard := h.refusals()
		if code, errs := h.command(nil, io.Discard, "jobs", "schedules", "add", "--agent", "assistant", "--cron", "* * * * * *", "run `"+command+"`"); code != 0 {
			h.t.Errorf("jobs schedules add: %d %s", code, errs)
			return ""
		}
		untilRefused(h.t, heard, "schedule")
		return "refused"
	}},
	"a hook": {"hook", func(h *house, command string) string {
		call := map[string]any{"session_id": "s", "cwd": h.home, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]string{"command": command}}
		text, err := json.Marshal(call)
		if err != nil {
			h.t.Error(err)
		}
		var out bytes.Buffer
		code, errs := h.command(bytes.NewReader(text), &out, "guard", "hook")
		if code != 0 || !strings.Contains(out.String(), `"permissionDecision":"deny"`) {
			h.t.Errorf("exit %d, %s%s; want deny", code, out.String(), errs)
		}
		return strings.ReplaceAll(out.String(), `"deny"`, `"deny", refused`)
	}},
}

// TestEveryDoorRefuses takes a call that must not run through every door of the whole program: with the guard as it is, with
// one that panics and with one that never answers. Each time it is refused and in the journal.
func TestEveryDoorRefuses(t *testing.T) {
	t.Parallel()
	released := make(chan struct{})
	t.Cleanup(func() { close(released) })
	tests := map[string]struct {
		commands func() (*guard.Commands, error) // who judges; nil: as always
		command  string
		rule     string
	}{
		"as it is":      {nil, "rm -rf / --no-preserve-root", "core.files.rm-root"},
		"panicking":     {func() (*guard.Commands, error) { panic("broken") }, "echo harmless", "tools.gate_broken"},
		"never answers": {func() (*guard.Commands, error) { <-released; return nil, io.EOF }, "echo harmless", "tools.gate_broken"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, func(o *app.Options) { o.Commands, o.Patience = tt.commands, time.Second })
			t.Run("doors", func(t *testing.T) {
				for gate, g := range gates {
					t.Run(gate, func(t *testing.T) {
						t.Parallel()
						mine := *h
						mine.t = t
						if said := g.call(&mine, tt.command); !strings.Contains(said, "refused") {
							t.Errorf("it said %s; want that it was refused", said)
						}
					})
				}
			})
			h.journalled(tt.command, tt.rule)
			if tt.commands == nil {
				h.asksNobody()
			}
		})
	}
}

// calls are the rows of the journal.
func (h *house) calls(query string) []guard.ToolCall {
	h.t.Helper()
	var rows page.Page[guard.ToolCall]
	if err := h.api.Do(h.t.Context(), "GET", "/api/v1/guard/audit?limit=500"+query, nil, &rows); err != nil {
		h.t.Fatal(err)
	}
	return rows.Data
}

// journalled checks that every door has left its rows.
func (h *house) journalled(command, rule string) {
	h.t.Helper()
	want, got := map[string]int{}, map[string]int{}
	for _, g := range gates {
		want[g.door]++
	}
	for _, r := range h.calls("") {
		if r.Verdict != "refuse" || r.Outcome != guard.OutcomeRefused || r.Rule != rule || r.Tool != "run_command" || !strings.Contains(r.Args, command) {
			h.t.Errorf("a row that is no refusal by %s: %+v", rule, r)
		}
		if want[r.Door] == 0 {
			h.t.Errorf("a row of a door nobody used: %+v", r)
		}
		got[r.Door]++
	}
	for door, n := range want {
		if got[door] < n || got[door] > n && door != "schedule" { // which goes on every second
			h.t.Errorf("%d rows of the door %s, want %d", got[door], door, n)
		}
	}
}

// asksNobody checks that a run of a schedule, which nobody watches, is refused what would be asked elsewhere.
func (h *house) asksNobody() {
	h.t.Helper()
	heard := h.refusals()
	if code, errs := h.command(nil, io.Discard, "jobs", "schedules", "add", "--name", "unknown", "--cron", "* * * * * *", "run `frobnicate --all`"); code != 0 {
		h.t.Fatalf("jobs schedules add: %d %s", code, errs)
	}
	for len(h.calls("&rule=guard.unattended")) == 0 {
		untilRefused(h.t, heard, "schedule")
	}
	var asked page.Page[guard.Approval]
	if err := h.api.Do(h.t.Context(), "GET", "/api/v1/guard/approvals?kind=ask", nil, &asked); err != nil || len(asked.Data) > 0 {
		h.t.Errorf("approvals = %+v, %v; want that nobody is asked", asked.Data, err)
	}
}
