package builtin_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/builtin"
	"github.com/fluxway/fluxway/internal/tools/toolstest"
)

func TestMain(m *testing.M) {
	if handled, code := tools.SandboxMain(os.Args[1:]); handled {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// bench is a belt with the built-in tools and a project.
type bench struct {
	t      *testing.T
	belt   *tools.Belt
	folder string
	call   tools.Call // what every call has in common
}

func newBench(t *testing.T, opts builtin.Options, boxOpts tools.Options) *bench {
	t.Helper()
	list, err := builtin.All(opts)
	if err != nil {
		t.Fatal(err)
	}
	if boxOpts.Gate == nil {
		boxOpts.Gate = toolstest.Open()
	}
	box, err := tools.New(boxOpts)
	if err != nil {
		t.Fatal(err)
	}
	if err := box.Put(builtin.Origin, list...); err != nil {
		t.Fatal(err)
	}
	belt, err := box.For(tools.All())
	if err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t: t, belt: belt, folder: folder, call: tools.Call{
		ID: "c1", Workspace: ids.New[ids.Workspace](), Conversation: ids.New[ids.Conversation](), Agent: "coder", Folder: folder,
	}}
}

// do calls a tool; args is JSON or a value.
func (b *bench) do(tool string, args any) tools.Result {
	b.t.Helper()
	raw, ok := args.(string)
	if !ok {
		text, err := json.Marshal(args)
		if err != nil {
			b.t.Fatal(err)
		}
		raw = string(text)
	}
	call := b.call
	call.Tool, call.Args = tool, json.RawMessage(raw)
	r, err := b.belt.Call(b.t.Context(), call)
	if err != nil {
		b.t.Fatalf("%s %s: %v", tool, raw, err)
	}
	return r
}

// ok calls a tool that must succeed and gives its text.
func (b *bench) ok(tool string, args any) string {
	b.t.Helper()
	r := b.do(tool, args)
	if r.IsError {
		b.t.Fatalf("%s %v: %s: %s", tool, args, r.Code, r.Text())
	}
	return r.Text()
}

// fails calls a tool that must fail with a code.
func (b *bench) fails(code, tool string, args any) string {
	b.t.Helper()
	r := b.do(tool, args)
	if r.Code != code {
		b.t.Errorf("%s %v: code %q, want %q: %s", tool, args, r.Code, code, r.Text())
	}
	return r.Text()
}

func (b *bench) put(name, content string) {
	b.t.Helper()
	full := filepath.Join(b.folder, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) get(name string) string {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(b.folder, name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

func (b *bench) contains(text string, parts ...string) {
	b.t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			b.t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}

func (b *bench) lacks(text string, parts ...string) {
	b.t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			b.t.Errorf("%q is in:\n%s", part, text)
		}
	}
}

func (b *bench) git(args ...string) {
	b.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Dir = b.folder
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}
