package builtin_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/safenet"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/browser"
	"github.com/fluxway/fluxway/internal/tools/builtin"
	"github.com/fluxway/fluxway/internal/tools/sandbox"
)

func newSandbox(t *testing.T) *sandbox.Sandbox {
	t.Helper()
	s, err := sandbox.New(sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !s.Isolation().Confined() {
		t.Skip(s.Isolation().Lacking())
	}
	return s
}

func TestRunCommand(t *testing.T) {
	t.Parallel()
	b := newBench(t, builtin.Options{Sandbox: newSandbox(t)}, tools.Options{})
	b.put("dir/a.txt", "hello")
	if got := b.ok("run_command", m{"command": "cat a.txt; pwd", "folder": "dir"}); got != "hello"+filepath.Join(b.folder, "dir") {
		t.Errorf("got %q", got)
	}
	b.ok("run_command", m{"command": "echo new > made"})
	if got := b.get("made"); got != "new\n" {
		t.Errorf("made is %q", got)
	}
	b.contains(b.ok("run_command", m{"command": "true"}), "printed nothing")
	text := b.fails("command_failed", "run_command", m{"command": "echo out; echo err >&2; exit 3"})
	if text != "out\nerr\n[Exit code 3.]" {
		t.Errorf("got %q", text)
	}
	b.contains(b.ok("run_command", m{"command": `printf '\033[31mred\033[0m \377'`}), "red \uFFFD")
	b.contains(b.fails("command_failed", "run_command", m{"command": "echo begun; sleep 600", "timeout_seconds": 1}), "begun", "Stopped after 1s")
	b.contains(b.fails("command_failed", "run_command", m{"command": "cat /root/.bashrc || ls /root/go"}), "Exit code")
	b.fails("outside_project", "run_command", m{"command": "ls", "folder": ".."})
	b.fails("no_folder", "run_command", m{"command": "ls", "folder": "nope"})
	b.fails("invalid_arguments", "run_command", m{"command": "ls", "network": true})
	if got := b.ok("run_command", m{"command": "read x; echo got $x", "input": "this\n"}); got != "got this" {
		t.Errorf("with an input: %q", got)
	}
	if got := b.ok("run_command", m{"command": `test -t 1 && printf '10%%\r99%%\rdone\n'`, "terminal": true}); got != "done" {
		t.Errorf("on a terminal: %q", got)
	}
	if got := b.ok("run_command", m{"command": "env | grep -v '^_=' | sort"}); strings.Contains(got, "GOPATH") || !strings.Contains(got, "HOME=/tmp") {
		t.Errorf("the environment is\n%s", got)
	}
}

func TestRunCommandTellsProgress(t *testing.T) {
	t.Parallel()
	b := newBench(t, builtin.Options{Sandbox: newSandbox(t)}, tools.Options{})
	var mu sync.Mutex
	var heard strings.Builder
	b.call.Progress = func(p tools.Progress) {
		mu.Lock()
		defer mu.Unlock()
		heard.WriteString(p.Text)
	}
	b.ok("run_command", m{"command": "echo one; echo two"})
	mu.Lock()
	defer mu.Unlock()
	if heard.String() != "one\ntwo\n" {
		t.Errorf("heard %q", heard.String())
	}
}

func TestRunCommandIsStopped(t *testing.T) {
	t.Parallel()
	b := newBench(t, builtin.Options{Sandbox: newSandbox(t)}, tools.Options{})
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	b.call.Progress = func(tools.Progress) { cancel(stopped) }
	b.call.Tool, b.call.Args = "run_command", json.RawMessage(`{"command":"echo x; sleep 600"}`)
	if _, err := b.belt.Call(ctx, b.call); !errors.Is(err, stopped) {
		t.Errorf("err = %v", err)
	}
}

func TestRunCode(t *testing.T) {
	t.Parallel()
	b := newBench(t, builtin.Options{Sandbox: newSandbox(t)}, tools.Options{})
	if got := b.ok("run_code", m{"language": "shell", "code": "echo $((6*7))"}); got != "42" {
		t.Errorf("got %q", got)
	}
	r := b.do("run_code", m{"language": "python", "code": "print(6*7)"})
	if r.Code != "command_not_found" && r.Text() != "42" {
		t.Errorf("got %s %q", r.Code, r.Text())
	}
	b.fails("invalid_arguments", "run_code", m{"language": "cobol", "code": "x"})
}

func TestLongOutputCanBeReadOn(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	bodies, err := store.NewBodies(store.BodiesOptions{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, builtin.Options{Sandbox: newSandbox(t), DB: db, Bodies: bodies}, tools.Options{DB: db, Bodies: bodies})
	r := b.do("run_command", m{"command": "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done"})
	if r.IsError || !r.Truncated || r.Full == nil || len(r.Text()) > tools.DefaultOutput+300 {
		t.Fatalf("%+v: %.200s", r.Full, r.Text())
	}
	b.contains(b.ok("read_output", m{"id": string(r.Full.Body), "offset": 15001, "limit": 2}), " 15001\tline 15000", "line 15001")
	b.call.Workspace = ids.New[ids.Workspace]()
	if r := b.do("read_output", m{"id": string(r.Full.Body)}); !r.IsError {
		t.Error("another workspace read it")
	}
}

func TestGit(t *testing.T) {
	t.Parallel()
	b := newBench(t, builtin.Options{Sandbox: newSandbox(t)}, tools.Options{})
	b.fails("not_a_repository", "git_status", m{})
	b.git("init", "-q", "-b", "main")
	b.put("a.txt", "one\n")
	b.contains(b.ok("git_status", m{}), "?? a.txt")
	b.contains(b.ok("git_commit", m{"message": "first", "paths": []string{"a.txt"}}), "first")
	b.contains(b.ok("git_log", m{}), "coder: first")
	b.put("a.txt", "two\n")
	b.contains(b.ok("git_diff", m{}), "-one", "+two")
	b.contains(b.ok("git_diff", m{"staged": true}), "No differences")
	b.contains(b.ok("git_diff", m{"revision": "HEAD", "paths": []string{"a.txt"}, "names_only": true}), "M\ta.txt")
	b.ok("git_commit", m{"message": "second", "all": true})
	b.ok("git_branch", m{"action": "create", "name": "topic"})
	b.contains(b.ok("git_branch", m{"action": "list"}), "* topic", "main")
	b.ok("git_branch", m{"action": "switch", "name": "main"})
	b.contains(b.ok("git_log", m{"limit": 1, "patches": true, "paths": []string{"a.txt"}}), "second", "+two")
	b.fails("git_failed", "git_branch", m{"action": "switch", "name": "nope"})
	b.fails("git_failed", "git_commit", m{"message": "nothing"})
	b.fails("bad_revision", "git_diff", m{"revision": "--output=/tmp/x"})
	b.fails("bad_revision", "git_branch", m{"action": "create", "name": "-f"})
	b.fails("outside_project", "git_diff", m{"paths": []string{"../x"}})
}

// TestGitRunsNothingWhenItLooks: a repository can name programs for Git to run.
func TestGitRunsNothingWhenItLooks(t *testing.T) {
	t.Parallel()
	b := newBench(t, builtin.Options{Sandbox: newSandbox(t)}, tools.Options{})
	b.git("init", "-q", "-b", "main")
	b.put("a.txt", "one\n")
	b.git("add", ".")
	b.git("commit", "-q", "-m", "first")
	b.put("evil.sh", "#!/bin/sh\necho ran >> "+filepath.Join(b.folder, "ran")+"\n")
	if err := os.Chmod(filepath.Join(b.folder, "evil.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	evil := filepath.Join(b.folder, "evil.sh")
	for _, key := range []string{"core.fsmonitor", "diff.external", "core.pager", "diff.x.textconv", "filter.x.clean", "core.editor"} {
		b.git("config", key, evil)
	}
	b.put(".gitattributes", "*.txt diff=x\n")
	b.put("a.txt", "two\n")
	b.ok("git_status", m{})
	b.ok("git_diff", m{})
	b.ok("git_log", m{"patches": true})
	if _, err := os.Stat(filepath.Join(b.folder, "ran")); err == nil {
		t.Error("a program that the repository names was run")
	}
}

func TestWeb(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Write([]byte("<h1>Hi</h1><p>there <a href='/x'>x</a></p>"))
		case "/echo":
			w.Header().Set("X-Method", r.Method)
			w.WriteHeader(http.StatusCreated)
			w.Write([]byte(r.Header.Get("X-Token")))
		case "/large":
			w.Header().Set("Content-Type", "text/plain")
			for range 600 {
				w.Write([]byte(strings.Repeat("0123456789", 1000)))
			}
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/inside":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusFound)
		case "/binary":
			w.Write([]byte{0, 1, 2})
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	net, err := safenet.New(safenet.Options{Allow: []string{"127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, builtin.Options{Net: net}, tools.Options{})
	b.contains(b.ok("fetch_url", m{"url": server.URL + "/page"}), "# Hi\n\nthere x ("+server.URL+"/x)", "200 OK")
	b.contains(b.ok("fetch_url", m{"url": server.URL + "/page", "raw": true}), "<h1>Hi</h1>")
	b.contains(b.ok("fetch_url", m{"url": server.URL + "/binary"}), "Not text")
	b.contains(b.fails("http_status", "fetch_url", m{"url": server.URL + "/none"}), "404")
	b.contains(b.ok("fetch_url", m{"url": server.URL + "/large"}), "bytes left out")
	b.fails("too_many_redirects", "fetch_url", m{"url": server.URL + "/loop"})
	b.fails("address_refused", "fetch_url", m{"url": server.URL + "/inside"})
	b.fails("address_refused", "fetch_url", m{"url": "http://[::ffff:10.0.0.1]/"})
	b.fails("malformed_url", "fetch_url", m{"url": "file:///etc/passwd"})
	b.contains(b.ok("http_request", m{"method": "POST", "url": server.URL + "/echo", "headers": m{"X-Token": "t1"}, "body": "x"}), "201 Created", "X-Method: POST", "\n\nt1")
	b.fails("bad_header", "http_request", m{"method": "GET", "url": server.URL, "headers": m{"host": "evil"}})
	b.fails("bad_header", "http_request", m{"method": "GET", "url": server.URL, "headers": m{"X": "a\r\nY: b"}})
	strict, err := safenet.New(safenet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b = newBench(t, builtin.Options{Net: strict}, tools.Options{})
	b.fails("address_refused", "fetch_url", m{"url": server.URL + "/page"})
	b.fails("address_refused", "http_request", m{"method": "GET", "url": "http://localhost:" + u.Port()})
}

func TestNotes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, builtin.Options{DB: db}, tools.Options{})
		b.contains(b.ok("todo_read", m{}), "Nothing")
		b.ok("todo_write", m{"items": []m{{"text": "a", "state": "done"}, {"text": "b", "state": "active"}, {"text": "c", "state": "pending"}}})
		if got, want := b.ok("todo_read", m{}), "[x] a\n[>] b\n[ ] c"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		b.ok("todo_write", m{"items": []m{{"text": "only", "state": "pending"}}})
		if got, want := b.ok("todo_read", m{}), "[ ] only"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		b.ok("scratch_write", m{"name": "plan", "text": "one"})
		b.ok("scratch_write", m{"name": "plan", "text": "two"})
		b.ok("scratch_write", m{"name": "gone", "text": "x"})
		b.ok("scratch_write", m{"name": "gone", "text": ""})
		if got := b.ok("scratch_read", m{"name": "plan"}); got != "two" {
			t.Errorf("got %q", got)
		}
		if got := b.ok("scratch_read", m{}); got != "plan (3 characters)" {
			t.Errorf("got %q", got)
		}
		b.fails("note_not_found", "scratch_read", m{"name": "gone"})
		mine := b.call
		b.call.Conversation = ids.New[ids.Conversation]()
		b.contains(b.ok("scratch_read", m{}), "No notes")
		b.call = mine
		b.call.Workspace = ids.New[ids.Workspace]()
		b.contains(b.ok("todo_read", m{}), "Nothing")
		b.call.Conversation = ""
		b.fails("no_conversation", "todo_read", m{})
	})
}

func TestSmallTools(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 29, 0, 30, 0, 0, time.UTC)
	b := newBench(t, builtin.Options{Now: func() time.Time { return now }}, tools.Options{})
	if got, want := b.ok("current_time", m{}), "Sunday, 2026-03-29T00:30:00Z (UTC, week 13)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b.contains(b.ok("current_time", m{"zone": "Asia/Tokyo"}), "2026-03-29T09:30:00+09:00")
	b.fails("no_such_zone", "current_time", m{"zone": "Mars/Base"})
	b.contains(b.ok("calculator", m{"expression": "1/8"}), "0.125")
	b.fails("bad_expression", "calculator", m{"expression": "1/0"})
	r := b.do("ask_user", m{"question": "Which?", "options": []m{{"label": "A"}, {"label": "B", "description": "the other"}}})
	if r.Needs == nil || r.Needs.Kind != tools.NeedAnswer || len(r.Needs.Options) != 2 || r.IsError {
		t.Errorf("%+v", r)
	}
	b.fails("invalid_arguments", "ask_user", m{"question": "Which?", "options": []m{{"label": "A"}, {"label": "a"}}})
}

// TestEverySpec: each tool is described, levelled and closed to unknown arguments; what changes things is not called reading.
func TestEverySpec(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	bodies, err := store.NewBodies(store.BodiesOptions{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	net, err := safenet.New(safenet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	surf, err := browser.New(browser.Options{Net: net})
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, builtin.Options{DB: db, Bodies: bodies, Net: net, Browser: surf, Sandbox: newSandbox(t), Rooms: newRooms(t, ""), Environ: []string{}}, tools.Options{})
	files, err := filepath.Glob("descriptions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	specs := b.belt.Specs()
	if len(specs) != len(files) {
		t.Errorf("%d tools, %d descriptions", len(specs), len(files))
	}
	changing := map[string]bool{"write_file": true, "edit_file": true, "git_commit": true, "git_branch": true, "run_command": true, "run_code": true,
		"http_request": true, "todo_write": true, "scratch_write": true, "browser_navigate": true, "browser_click": true, "browser_type": true, "browser_evaluate": true,
		"sandbox_initialize": true, "sandbox_exec": true, "sandbox_stop": true, "run_js": true}
	for _, s := range specs {
		if s.Title == "" || s.Description == "" || s.Origin != builtin.Origin || s.ReadOnly == changing[s.Name] {
			t.Errorf("%+v", s)
		}
		var schema struct {
			AdditionalProperties *bool `json:"additionalProperties"`
		}
		if err := json.Unmarshal(s.Schema, &schema); err != nil || schema.AdditionalProperties == nil || *schema.AdditionalProperties {
			t.Errorf("the schema of %s is open: %s, %v", s.Name, s.Schema, err)
		}
		if s.ReadOnly && s.Level != tools.Public {
			t.Errorf("%s only looks and is %s", s.Name, s.Level)
		}
	}
}
