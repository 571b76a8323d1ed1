// Package apitest gives tests a running server with people in it.
//
// In:    a test and its database.
// Out:   a World: the server on a real port, its parts, and clients with a key of each role and of a foreign workspace.
// Keeps: nothing beyond the test.
// Says:  nothing.
// Not here: anything that is not a test.
package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/identity/identitytest"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/lifecycle"
	"github.com/fluxway/fluxway/internal/kit/safenet"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/plugins"
	"github.com/fluxway/fluxway/internal/projects"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/push"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

// World is a running server with a workspace and one user of each role, and a
// second workspace with an administrator of its own.
type World struct {
	DB        *store.DB
	Directory *identity.Directory
	Hub       *events.Hub
	Jobs      *jobs.Queue
	Book      *conversations.Book
	Roster    *agents.Roster
	Router    *agents.Router
	Desk      *runs.Desk
	Keeper    *providers.Keeper
	Ledger    *costs.Ledger
	Guard     *guard.Guard
	Push      *push.Herald // reaches nobody on this machine
	Projects  *projects.Projects
	Memory    *memory.Mind
	Plugins   *plugins.Manager // hooks do not run
	Server    *api.Server
	URL       string // http://127.0.0.1:…
	Workspace ids.Workspace

	Nobody   Client
	Viewer   Client
	Operator Client
	Admin    Client
	Foreign  Client // an administrator of the other workspace

	AdminContext   context.Context // in which the administrator calls
	ForeignContext context.Context
}

// New starts a world; change, if any, adjusts the server's options.
func New(t testing.TB, db *store.DB, change ...func(*api.Options)) *World {
	t.Helper()
	w := &World{DB: db, Hub: eventstest.New(t, db)}
	w.Directory = identitytest.New(t, db, func(o *identity.Options) { o.Events = w.Hub })
	w.work(t)
	w.keep(t)
	w.guard(t)
	w.AdminContext = identitytest.SetUp(t, w.Directory)
	w.Workspace = identity.From(w.AdminContext).Workspace
	box, err := tools.New(tools.Options{Gate: w.Guard, Auditor: w.Guard})
	if err != nil {
		t.Fatal(err)
	}
	opts := api.Options{
		DB: db, Directory: w.Directory, Hub: w.Hub, Jobs: w.Jobs, Conversations: w.Book, Agents: w.Roster, Router: w.Router, Runs: w.Desk, Costs: w.Ledger, Guard: w.Guard, Push: w.Push, Projects: w.Projects,
		Memory: w.Memory, Tools: box, MCP: &servers{}, Plugins: w.plugins(t), Settings: new(settings), Models: &accounts{keeper: w.Keeper}, Version: "test", Listen: "127.0.0.1:0", Drain: 5 * time.Second, DataDir: t.TempDir(), Backups: t.TempDir(),
	}
	for _, c := range change {
		c(&opts)
	}
	server, err := api.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	w.Server = server
	w.run(t)
	w.people(t)
	return w
}

// plugins makes a manager whose hooks cannot run: there is no sandbox here.
func (w *World) plugins(t testing.TB) *plugins.Manager {
	t.Helper()
	box, err := seal.New(make([]byte, seal.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	w.Plugins, err = plugins.New(plugins.Options{
		DB: w.DB, Hub: w.Hub, Box: box, Folder: filepath.Join(t.TempDir(), "plugins"),
		Run: func(context.Context, plugins.Job) (int, error) { return 0, errors.New("there is no sandbox here") },
	})
	if err != nil {
		t.Fatal(err)
	}
	return w.Plugins
}

// work builds and starts the parts that answer questions.
func (w *World) work(t testing.TB) {
	t.Helper()
	var err error
	must := func() {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	w.Jobs, err = jobs.New(jobs.Options{DB: w.DB, Hub: w.Hub, Sole: true})
	must()
	bodies, err := store.NewBodies(store.BodiesOptions{DB: w.DB})
	must()
	w.Book, err = conversations.New(conversations.Options{DB: w.DB, Hub: w.Hub, Bodies: bodies, Named: w.Directory.Named})
	must()
	w.Roster, err = agents.Open(agents.Options{DB: w.DB, Hub: w.Hub, Model: agents.Always("test/echo")})
	must()
	w.Router, err = agents.NewRouter(agents.RouterOptions{Roster: w.Roster})
	must()
	w.Desk, err = runs.New(runs.Options{
		DB: w.DB, Hub: w.Hub, Jobs: w.Jobs, Conversations: w.Book, Agents: w.Roster,
		Model: func(_ context.Context, _ ids.Workspace, name string) (providers.Model, string, error) {
			return echo{}, name, nil
		},
	})
	must()
	w.Memory, err = memory.New(memory.Options{DB: w.DB, Hub: w.Hub, Jobs: w.Jobs})
	must()
	catalogue, err := providers.NewCatalogue(nil)
	must()
	w.Ledger, err = costs.New(costs.Options{DB: w.DB, Hub: w.Hub, Catalogue: catalogue, Sole: true})
	must()
	ctx, cancel := context.WithCancel(context.Background())
	var group lifecycle.Group
	group.Add("costs", w.Ledger)
	group.Add("jobs", w.Jobs)
	stopped := make(chan error, 1)
	go func() { stopped <- group.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-stopped; err != nil {
			t.Errorf("background work ended with %v", err)
		}
	})
}

// keep opens the place of providers' accounts.
func (w *World) keep(t testing.TB) {
	t.Helper()
	box, err := seal.OpenFile(filepath.Join(t.TempDir(), "secret.key"))
	if err != nil {
		t.Fatal(err)
	}
	if w.Keeper, err = providers.NewKeeper(providers.KeeperOptions{DB: w.DB, Hub: w.Hub, Box: box}); err != nil {
		t.Fatal(err)
	}
}

// analyser is built once: it never changes.
var analyser = sync.OnceValues(func() (*guard.Commands, error) {
	return guard.NewCommands(guard.CommandOptions{FS: guard.Disk{}, Home: "/home/dev"}, "")
})

// guard opens the judge of calls and the keeper of folders.
func (w *World) guard(t testing.TB) {
	t.Helper()
	var err error
	if w.Projects, err = projects.New(projects.Options{DB: w.DB, Hub: w.Hub, Blobs: filepath.Join(t.TempDir(), "snapshots")}); err != nil {
		t.Fatal(err)
	}
	if w.Guard, err = guard.New(guard.Options{DB: w.DB, Hub: w.Hub, Commands: analyser, Trusted: w.Projects.Trust}); err != nil {
		t.Fatal(err)
	}
	dialer, err := safenet.New(safenet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.Push, err = push.New(push.Options{DB: w.DB, Hub: w.Hub, Jobs: w.Jobs, Box: identitytest.Box(t), Directory: w.Directory, Guard: w.Guard, Runs: w.Desk, Net: dialer})
	if err != nil {
		t.Fatal(err)
	}
}

func (w *World) run(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- w.Server.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-stopped; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	addr, err := w.Server.Addr(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.URL = "http://" + addr.String()
}

func (w *World) people(t testing.TB) {
	t.Helper()
	viewer := identitytest.Add(w.AdminContext, t, w.Directory, "vera", identity.Operator)
	operator := identitytest.Add(w.AdminContext, t, w.Directory, "otto", identity.Operator)
	other, err := w.Directory.CreateWorkspace(w.AdminContext, "Elsewhere")
	if err != nil {
		t.Fatal(err)
	}
	there := *identity.From(w.AdminContext)
	there.Workspace, there.WorkspaceName = other.ID, other.Name
	w.ForeignContext = identity.With(w.AdminContext, &there)
	if _, err := w.Directory.AddUser(w.ForeignContext, identity.NewUser{Login: "fred", Password: identitytest.Password, Role: identity.Admin}); err != nil {
		t.Fatal(err)
	}
	foreign := identitytest.As(t, w.Directory, "fred")
	w.ForeignContext = foreign
	w.Nobody = Client{URL: w.URL}
	w.Viewer, w.Operator, w.Admin, w.Foreign = w.client(t, viewer, "*"), w.client(t, operator, "*"), w.client(t, w.AdminContext, "*"), w.client(t, foreign, "*")
	// Viewers cannot make keys; those they have from better days go on with less.
	role := identity.Viewer
	if _, err := w.Directory.ChangeUser(w.AdminContext, identity.From(viewer).User, identity.UserChange{Role: &role}); err != nil {
		t.Fatal(err)
	}
}

// client is a client with a new key of the caller of ctx.
func (w *World) client(t testing.TB, ctx context.Context, scopes ...string) Client {
	t.Helper()
	_, key, err := w.Directory.CreateKey(ctx, identity.NewKey{Name: "test", Scopes: scopes})
	if err != nil {
		t.Fatal(err)
	}
	return Client{URL: w.URL, Key: key.Reveal()}
}

// Key is a client of the administrator whose key has only these scopes.
func (w *World) Key(t testing.TB, scopes ...string) Client {
	t.Helper()
	return w.client(t, w.AdminContext, scopes...)
}

// Client calls the server, with a key if it has one.
type Client struct {
	URL    string
	Key    string
	Header http.Header // sent with every request
}

// With is the client with one more header.
func (c Client) With(name, value string) Client {
	h := c.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Set(name, value)
	c.Header = h
	return c
}

// Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do sends a request. A body that is no []byte or string is sent as JSON.
func (c Client) Do(t testing.TB, method, path string, body any) Answer {
	t.Helper()
	request, err := c.Request(t.Context(), method, path, body)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return Answer{answer.StatusCode, answer.Header, text}
}

// Request makes a request without sending it.
func (c Client) Request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case []byte:
		reader = bytes.NewReader(b)
	case string:
		reader = bytes.NewReader([]byte(b))
	default:
		text, err := json.Marshal(b)
		if err != nil {
			return nil, err
		}
		reader = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.URL+path, reader)
	if err != nil {
		return nil, err
	}
	if reader != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.Key != "" {
		request.Header.Set("Authorization", "Bearer "+c.Key)
	}
	for name, values := range c.Header {
		request.Header[name] = values
		if name == "Host" {
			request.Host = values[0]
		}
	}
	return request, nil
}

// Must checks the status and decodes the body into out, if that is not nil.
func (a Answer) Must(t testing.TB, status int, out any) Answer {
	t.Helper()
	if a.Status != status {
		t.Fatalf("status %d, want %d: %s", a.Status, status, a.Body)
	}
	if out != nil {
		if err := json.Unmarshal(a.Body, out); err != nil {
			t.Fatalf("%s: %v", a.Body, err)
		}
	}
	return a
}

// Fails checks that the answer is an error with this status and code, complete
// with message, hint and request id.
func (a Answer) Fails(t testing.TB, status int, code string) api.ErrorDetail {
	t.Helper()
	problem, err := a.Problem()
	if err != nil {
		t.Fatal(err)
	}
	if a.Status != status || problem.Code != code {
		t.Fatalf("status %d %s, want %d %s: %s", a.Status, problem.Code, status, code, a.Body)
	}
	return problem
}

// Problem reads the error, which must be complete.
func (a Answer) Problem() (api.ErrorDetail, error) {
	var body api.ErrorBody
	if err := json.Unmarshal(a.Body, &body); err != nil {
		return body.Error, fmt.Errorf("status %d with a body that is no error: %q", a.Status, a.Body)
	}
	p := body.Error
	if p.Code == "" || p.Message == "" || p.Hint == "" || p.RequestID == "" || p.RequestID != a.Header.Get("X-Request-Id") {
		return p, fmt.Errorf("status %d with an incomplete error: %s", a.Status, a.Body)
	}
	return p, nil
}
