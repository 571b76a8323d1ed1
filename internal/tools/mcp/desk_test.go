package mcp

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/retry"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/toolstest"
)

// desk is a manager with its toolbox, for one workspace.
type desk struct {
	t    *testing.T
	m    *Manager
	box  *tools.Toolbox
	db   *store.DB
	ws   ids.Workspace
	opts Options
}

func newDesk(t *testing.T, db *store.DB, change ...func(*Options)) *desk {
	t.Helper()
	hub, err := events.New(events.Options{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := seal.New(make([]byte, seal.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	box, err := tools.New(tools.Options{Gate: toolstest.Open(), Grace: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, db: db, box: box, ws: ids.New[ids.Workspace]()}
	d.opts = Options{
		DB: db, Hub: hub, Box: keys, Toolbox: box, Environ: []string{"PATH=" + os.Getenv("PATH")},
		Backoff: retry.Policy{First: 10 * time.Millisecond, Max: 50 * time.Millisecond}, ConnectTime: 20 * time.Second,
	}
	for _, f := range change {
		f(&d.opts)
	}
	d.restart()
	t.Cleanup(func() { d.m.Close() })
	return d
}

// restart is what happens when the program starts again.
func (d *desk) restart() {
	d.t.Helper()
	if d.m != nil {
		d.m.Close()
	}
	m, err := New(d.opts)
	if err != nil {
		d.t.Fatal(err)
	}
	d.m = m
	if err := m.Load(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
}

// program is a definition of this test binary as a server.
func program(t *testing.T, name, mode string, args ...string) Definition {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Definition{Name: name, Command: self, Args: append([]string{"be-a-server", mode}, args...), Timeout: 10 * time.Second}
}

func (d *desk) add(def Definition) {
	d.t.Helper()
	if err := d.m.Add(d.t.Context(), d.ws, def); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) start(name string) {
	d.t.Helper()
	if err := d.m.Start(d.t.Context(), d.ws, name, ""); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) belt() *tools.Belt {
	d.t.Helper()
	belt, err := d.box.In(d.ws, tools.All())
	if err != nil {
		d.t.Fatal(err)
	}
	return belt
}

func (d *desk) call(tool, args string) tools.Result {
	d.t.Helper()
	r, err := d.belt().Call(d.t.Context(), tools.Call{Tool: tool, Args: json.RawMessage(args)})
	if err != nil {
		d.t.Fatalf("%s: %v", tool, err)
	}
	return r
}

// eventually calls until the server is back, as the back-off allows.
func (d *desk) eventually(tool, args string) tools.Result {
	d.t.Helper()
	var r tools.Result
	err := retry.Do(d.t.Context(), retry.Policy{Attempts: 200, First: 20 * time.Millisecond, Max: 100 * time.Millisecond}, func(context.Context) error {
		if r = d.call(tool, args); r.Code == "mcp_unavailable" || r.Code == "mcp_lost" {
			return fault.New(fault.Unavailable, r.Code, "%s", r.Text())
		}
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

func (d *desk) state(name string) Server {
	d.t.Helper()
	s, err := d.m.Server(d.t.Context(), d.ws, name, "")
	if err != nil {
		d.t.Fatal(err)
	}
	return s
}
