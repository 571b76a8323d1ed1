package guard_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

var analyser = sync.OnceValues(func() (*guard.Commands, error) {
	return guard.NewCommands(guard.CommandOptions{FS: guard.Disk{}, Home: "/home/dev"}, "")
})

// clock is a time that tests move by hand.
type clock struct {
	mu  sync.Mutex // guards now
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// world is a guard with what is around it.
type world struct {
	*guard.Guard
	db     *store.DB
	hub    *events.Hub
	clock  *clock
	ws     ids.Workspace
	user   ids.User
	other  ids.User
	folder string
}

func newWorld(t *testing.T, db *store.DB, change ...func(*guard.Options)) *world {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		db: db, clock: &clock{now: time.Now().Truncate(time.Second)}, ws: ids.New[ids.Workspace](), user: ids.New[ids.User](), other: ids.New[ids.User](),
		folder: folder, hub: eventstest.New(t, db),
	}
	w.open(t, change...)
	return w
}

// open makes the guard anew, as after a restart.
func (w *world) open(t *testing.T, change ...func(*guard.Options)) {
	t.Helper()
	opts := guard.Options{DB: w.db, Hub: w.hub, Commands: analyser, Now: w.clock.read}
	for _, c := range change {
		c(&opts)
	}
	var err error
	if w.Guard, err = guard.New(opts); err != nil {
		t.Fatal(err)
	}
}

// policy changes the workspace's policy.
func (w *world) policy(t *testing.T, change func(*guard.Policy)) {
	t.Helper()
	p := guard.DefaultPolicy()
	change(&p)
	if err := w.SetPolicy(t.Context(), w.ws, w.user, p); err != nil {
		t.Fatal(err)
	}
}

var (
	runCommand = tools.Spec{Name: "run_command", Origin: "builtin", Level: tools.Dangerous, Means: tools.Arguments{Command: "command", Folder: "folder", Network: "network"}}
	runCode    = tools.Spec{Name: "run_code", Origin: "builtin", Level: tools.Dangerous, Means: tools.Arguments{Code: "code", Language: "language"}}
	readFile   = tools.Spec{Name: "read_file", Origin: "builtin", Level: tools.Public, ReadOnly: true, Repeatable: true, Means: tools.Arguments{Paths: []string{"path"}}}
	writeFile  = tools.Spec{Name: "write_file", Origin: "builtin", Level: tools.Restricted, Repeatable: true, Means: tools.Arguments{Paths: []string{"path"}}}
	fetchURL   = tools.Spec{Name: "fetch_url", Origin: "builtin", Level: tools.Public, ReadOnly: true, Network: true, Means: tools.Arguments{URLs: []string{"url"}}}
	request    = tools.Spec{Name: "http_request", Origin: "builtin", Level: tools.Restricted, Network: true, Means: tools.Arguments{URLs: []string{"url"}, Method: "method"}}
	foreign    = tools.Spec{Name: "tickets_create", Origin: "mcp/tickets", Level: tools.Restricted, Network: true}
	looker     = tools.Spec{Name: "tickets_list", Origin: "mcp/tickets", Level: tools.Public, ReadOnly: true}
	hooked     = tools.Spec{Name: "run_command", Origin: "hook", Level: tools.Dangerous, Means: tools.Arguments{Command: "command"}}
	anything   = tools.Spec{Name: "robot_move", Origin: "mcp/robot", Level: tools.Dangerous}
)

func (w *world) call(spec tools.Spec, args any) tools.Call {
	text, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return tools.Call{ID: "c1", Tool: spec.Name, Workspace: w.ws, User: w.user, Agent: "coder", Run: "run_1", Door: "chat", Folder: w.folder, Args: text}
}

func (w *world) command(text string) tools.Call {
	return w.call(runCommand, map[string]string{"command": text})
}

func (w *world) judge(t *testing.T, spec tools.Spec, call tools.Call) tools.Ruling {
	t.Helper()
	r, err := w.Judge(t.Context(), spec, call)
	if err != nil {
		t.Fatalf("Judge(%s %s): %v", spec.Name, call.Args, err)
	}
	return r
}

func (w *world) approval(t *testing.T, ticket string) guard.Approval {
	t.Helper()
	a, err := w.Approval(t.Context(), w.ws, ids.Approval(ticket))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (w *world) answer(t *testing.T, ref string, a guard.Answer) guard.Approval {
	t.Helper()
	got, err := w.Answer(t.Context(), w.ws, ref, a)
	if err != nil {
		t.Fatalf("Answer(%s): %v", ref, err)
	}
	return got
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

var background = context.Background()

// running keeps the guard's deadlines until the test ends.
func running(t *testing.T, w *world) {
	t.Helper()
	ctx, cancel := context.WithCancel(background)
	stopped := make(chan error, 1)
	go func() { stopped <- w.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-stopped; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}
