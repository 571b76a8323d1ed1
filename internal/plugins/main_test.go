package plugins

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/sandbox"
)

func TestMain(m *testing.M) {
	if handled, code := tools.SandboxMain(os.Args[1:]); handled {
		os.Exit(code)
	}
	if len(os.Args) == 5 && os.Args[1] == crashWord {
		log.Fatal(crashing(os.Args[2], os.Args[3], os.Args[4]))
	}
	os.Exit(m.Run())
}

// house is a manager with a workspace and somebody to take what plugins give.
type house struct {
	t     *testing.T
	m     *Manager
	db    *store.DB
	opts  Options
	ws    ids.Workspace
	user  ids.User
	given *given
}

// given is what was handed over, by plugin.
type given struct {
	mu      sync.Mutex
	servers map[string][]ReadyServer
	agents  map[string][]agents.Agent
}

func (g *given) counts(plugin string) (servers, agents int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.servers[plugin]), len(g.agents[plugin])
}

func newHouse(t *testing.T, db *store.DB, change ...func(*Options)) *house {
	t.Helper()
	h := &house{t: t, db: db, ws: ids.New[ids.Workspace](), user: ids.New[ids.User](), given: &given{servers: map[string][]ReadyServer{}, agents: map[string][]agents.Agent{}}}
	h.opts = mustOptions(t, db, filepath.Join(t.TempDir(), "data", "plugins"))
	h.opts.Servers = func(_ context.Context, _ ids.Workspace, plugin string, list []ReadyServer) map[string]error {
		h.given.mu.Lock()
		defer h.given.mu.Unlock()
		h.given.servers[plugin] = list
		return nil
	}
	h.opts.Agents = func(_ context.Context, _ ids.Workspace, plugin string, list []agents.Agent) ([]string, error) {
		h.given.mu.Lock()
		defer h.given.mu.Unlock()
		h.given.agents[plugin] = list
		return nil, nil
	}
	for _, f := range change {
		f(&h.opts)
	}
	h.restart()
	return h
}

// sandboxed is one sandbox for all: finding out what the machine offers takes a moment.
var sandboxed = sync.OnceValues(func() (*sandbox.Sandbox, error) { return sandbox.New(sandbox.Options{}) })

func mustOptions(t testing.TB, db *store.DB, folder string) Options {
	t.Helper()
	opts, err := options(db, folder)
	if err != nil {
		t.Fatal(err)
	}
	return opts
}

// options are those of a manager whose hooks run in a real sandbox.
func options(db *store.DB, folder string) (Options, error) {
	hub, err := events.New(events.Options{DB: db})
	if err != nil {
		return Options{}, err
	}
	box, err := seal.New(make([]byte, seal.KeySize))
	if err != nil {
		return Options{}, err
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o700); err != nil {
		return Options{}, err
	}
	sand, err := sandboxed()
	if err != nil {
		return Options{}, err
	}
	return Options{DB: db, Hub: hub, Box: box, Folder: folder, Run: func(ctx context.Context, j Job) (int, error) {
		exit, err := sand.Run(ctx, sandbox.Job{
			Argv: j.Argv, Dir: j.Dir, Folder: j.Folder, ReadOnly: j.ReadOnly, Readable: j.Readable, Env: j.Env, Network: j.Network, Stdin: j.Stdin, Output: j.Output, Errors: j.Errors,
		})
		return exit.Code, err
	}}, nil
}

// restart is what happens when the program starts again.
func (h *house) restart() {
	h.t.Helper()
	var err error
	if h.m, err = New(h.opts); err != nil {
		h.t.Fatal(err)
	}
	if err := h.m.Load(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
}

// folder writes files into a new folder; scripts may be executed.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, dir, name, text)
	}
	return dir
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	full := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	mode := os.FileMode(0o644)
	if strings.HasSuffix(name, ".sh") {
		mode = 0o755
	}
	if err := os.WriteFile(full, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// install installs a folder and says under which name.
func (h *house) install(dir string) string {
	h.t.Helper()
	name, err := h.m.Install(h.t.Context(), h.ws, dir, Copy)
	if err != nil {
		h.t.Fatal(err)
	}
	return name
}

func (h *house) get(name string) Plugin {
	h.t.Helper()
	p, err := h.m.Get(h.t.Context(), h.ws, name)
	if err != nil {
		h.t.Fatal(err)
	}
	return p
}

// enable agrees to a plugin as it is.
func (h *house) enable(name string) {
	h.t.Helper()
	if err := h.m.Enable(h.t.Context(), h.ws, h.user, name, h.get(name).Digest); err != nil {
		h.t.Fatal(err)
	}
}

// hooked installs and enables a plugin with one hook and a script for it.
func (h *house) hooked(name, hook, script string) {
	h.t.Helper()
	h.install(folder(h.t, map[string]string{
		ManifestFile: "name: " + name + "\nversion: 1\ndescription: x\ncontributes:\n  hooks:\n    - command: [./hook.sh]\n" + indent(hook),
		"hook.sh":    "#!/bin/sh\n" + script + "\n",
	}))
	h.enable(name)
}

func indent(lines string) string {
	out := ""
	for _, line := range strings.Split(lines, "\n") {
		out += "      " + line + "\n"
	}
	return out
}

// about is a call of a tool.
func (h *house) about(e Event, tool, args string) Message {
	return Message{Event: e, Workspace: h.ws, User: h.user, Agent: "coder", Run: ids.New[ids.Run](), Tool: &ToolFacts{Name: tool, Args: json.RawMessage(args)}}
}

// examples are the files in a page of documentation: blocks whose fence names a file.
func examples(t *testing.T, page string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, m := range regexp.MustCompile("(?ms)^```\\w+ (\\S+)\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		files[m[1]] = m[2]
	}
	return files
}

// patience bounds what a test waits for at most.
const patience = 20 * time.Second
