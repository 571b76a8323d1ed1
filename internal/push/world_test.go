package push_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/identity/identitytest"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/retry"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/scripted"
	"github.com/fluxway/fluxway/internal/push"
	"github.com/fluxway/fluxway/internal/push/pushtest"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/builtin"
)

var analyser = sync.OnceValues(func() (*guard.Commands, error) {
	return guard.NewCommands(guard.CommandOptions{FS: guard.Disk{}, Home: "/home/dev"}, "")
})

// world is a herald with all that it hears and asks, on a database that survives it.
type world struct {
	*push.Herald
	t         *testing.T
	db        *store.DB
	box       *seal.Box
	clock     *identitytest.Clock
	directory *identity.Directory
	hub       *events.Hub
	queue     *jobs.Queue
	guard     *guard.Guard
	desk      *runs.Desk
	model     *scripted.Model
	service   *pushtest.Service
	admin     context.Context
	ws        ids.Workspace
	folder    string
}

func newWorld(t *testing.T, db *store.DB, turns ...scripted.Turn) *world {
	t.Helper()
	w := &world{t: t, db: db, box: identitytest.Box(t), clock: identitytest.NewClock(), service: pushtest.New(t), folder: t.TempDir()}
	var err error
	w.model, err = scripted.New(scripted.Script{Turns: append(turns, scripted.Turn{Steps: []scripted.Step{{Says: "Done."}}})})
	must(t, err)
	w.open()
	w.admin = identitytest.SetUp(t, w.directory)
	w.ws = identity.From(w.admin).Workspace
	return w
}

// open makes all parts anew, as after a restart. Nothing runs yet.
func (w *world) open() {
	t := w.t
	t.Helper()
	var err error
	w.hub, err = events.New(events.Options{DB: w.db})
	must(t, err)
	w.directory = identitytest.New(t, w.db, func(o *identity.Options) { o.Now, o.Events, o.Box = w.clock.Now, w.hub, w.box })
	w.queue, err = jobs.New(jobs.Options{DB: w.db, Hub: w.hub, Sole: true, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	must(t, err)
	w.guard, err = guard.New(guard.Options{DB: w.db, Hub: w.hub, Commands: analyser, Now: w.clock.Now})
	must(t, err)
	book, err := conversations.New(conversations.Options{DB: w.db, Hub: w.hub})
	must(t, err)
	box, err := tools.New(tools.Options{Gate: w.guard})
	must(t, err)
	basics, err := builtin.All(builtin.Options{})
	must(t, err)
	must(t, box.Put("builtin", basics...))
	w.desk, err = runs.New(runs.Options{
		DB: w.db, Hub: w.hub, Jobs: w.queue, Conversations: book, Agents: agents.New(agents.Always("test/model")), Tools: box,
		Model: func(context.Context, ids.Workspace, string) (providers.Model, string, error) {
			return w.model, "model", nil
		},
	})
	must(t, err)
	dialer, transport := w.service.Net()
	w.Herald, err = push.New(push.Options{
		DB: w.db, Hub: w.hub, Jobs: w.queue, Box: w.box, Directory: w.directory, Guard: w.guard, Runs: w.desk, Net: dialer, Transport: transport, Contact: "https://example.org",
		Agent:   func(_ context.Context, _ ids.Workspace, name string) string { return "The " + name },
		Backoff: retry.Policy{First: time.Millisecond, Max: time.Millisecond}, Now: w.clock.Now,
	})
	must(t, err)
}

// work runs everything until the returned function is called.
func (w *world) work() (stop func()) {
	ctx, cancel := context.WithCancel(w.t.Context())
	var wg sync.WaitGroup
	for _, run := range []func(context.Context) error{w.hub.Run, w.desk.Run, w.queue.Run} {
		wg.Go(func() {
			if err := run(ctx); err != nil {
				w.t.Error(err)
			}
		})
	}
	return sync.OnceFunc(func() { cancel(); wg.Wait() })
}

// device has whoever calls in ctx told on a new one.
func (w *world) device(ctx context.Context, name string) push.Subscription {
	w.t.Helper()
	d, id := w.service.Device(name), identity.From(ctx)
	s, err := w.Subscribe(ctx, push.NewSubscription{User: id.User, Session: id.Session, Name: name, Endpoint: d.Endpoint, Key: d.Key, Auth: d.Auth})
	must(w.t, err)
	return s
}

func (w *world) wish(ctx context.Context, change func(*push.Wishes)) {
	w.t.Helper()
	wishes := push.DefaultWishes()
	change(&wishes)
	_, err := w.SetWishes(ctx, identity.From(ctx).User, wishes)
	must(w.t, err)
}

// ask has an agent want to run a command that a person must approve.
func (w *world) ask(command string) guard.Approval {
	w.t.Helper()
	args, err := json.Marshal(map[string]string{"command": command})
	must(w.t, err)
	spec := tools.Spec{Name: "run_command", Origin: "builtin", Level: tools.Dangerous, Means: tools.Arguments{Command: "command", Folder: "folder", Network: "network"}}
	ruling, err := w.guard.Judge(w.t.Context(), spec, tools.Call{
		ID: "c1", Tool: spec.Name, Workspace: w.ws, User: identity.From(w.admin).User, Agent: "coder", Run: "run_1", Door: "chat", Folder: w.folder, Args: args,
	})
	must(w.t, err)
	if ruling.Verdict != tools.Ask {
		w.t.Fatalf("%s: %+v, want to be asked", command, ruling)
	}
	a, err := w.guard.Approval(w.t.Context(), w.ws, ids.Approval(ruling.Ticket))
	must(w.t, err)
	return a
}

// letters is how many messages were ever made.
func (w *world) letters() int {
	w.t.Helper()
	list, err := w.queue.List(w.t.Context(), "", jobs.Filter{Kind: "push.send"})
	must(w.t, err)
	return len(list.Data)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
