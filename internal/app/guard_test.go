package app

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/fluxway/fluxway/internal/config"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/projects"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/builtin"
	"github.com/fluxway/fluxway/internal/tools/toolstest"
)

// TestCallsOfAgentsCanBeUndone takes real tools through the gate, as the app stacks them.
func TestCallsOfAgentsCanBeUndone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hub := eventstest.New(t, db)
		data, folder := t.TempDir(), t.TempDir()
		kept, err := projects.New(projects.Options{DB: db, Hub: hub, Blobs: filepath.Join(data, "snapshots")})
		if err != nil {
			t.Fatal(err)
		}
		g, err := guard.New(guard.Options{
			DB: db, Hub: hub, Snapshots: snapshots{kept}, Trusted: kept.Trust, Protected: protected(data, ""), Journal: filepath.Join(data, "journal"),
			Commands: func() (*guard.Commands, error) { return guard.NewCommands(guard.CommandOptions{FS: guard.Disk{}}, "") },
		})
		if err != nil {
			t.Fatal(err)
		}
		box, err := tools.New(tools.Options{Gate: g, Auditor: g})
		if err != nil {
			t.Fatal(err)
		}
		list, err := builtin.All(builtin.Options{})
		if err != nil {
			t.Fatal(err)
		}
		// A command without a sandbox, which this test has no need of: it deletes what it is told to.
		list = append(list, toolstest.Tool{
			Is: tools.Spec{Name: "run_command", Level: tools.Dangerous, Schema: json.RawMessage(`{"type":"object"}`), Means: tools.Arguments{Command: "command"}},
			Do: func(_ context.Context, c tools.Call) (tools.Result, error) {
				return tools.Says("gone"), os.RemoveAll(filepath.Join(c.Folder, "build"))
			},
		})
		if err := box.Put(builtin.Origin, list...); err != nil {
			t.Fatal(err)
		}
		belt, err := box.For(tools.All())
		if err != nil {
			t.Fatal(err)
		}
		write := func(name, text string) {
			t.Helper()
			if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write("main.go", "package main\n")
		write("build/out", "made")
		ws, run := ids.New[ids.Workspace](), ids.New[ids.Run]()
		if _, err := kept.Create(t.Context(), ws, projects.NewProject{Folder: folder, Trusted: true}); err != nil {
			t.Fatal(err)
		}
		call := func(tool, args string) {
			t.Helper()
			r, err := belt.Call(t.Context(), tools.Call{ID: "c", Tool: tool, Workspace: ws, Run: run, Turn: "1", Agent: "coder", Folder: folder, Door: "chat", Args: json.RawMessage(args)})
			if err != nil || r.IsError || r.Needs != nil {
				t.Fatalf("%s %s: %+v, %v", tool, args, r, err)
			}
		}
		call("write_file", `{"path":"main.go","content":"package broken"}`)
		call("edit_file", `{"path":"main.go","edits":[{"old":"broken","new":"worse"}]}`)
		call("write_file", `{"path":"new/file.txt","content":"x"}`)
		call("run_command", `{"command":"rm -rf build"}`)
		call("read_file", `{"path":"main.go"}`)
		if rows, err := g.Calls(t.Context(), ws, guard.CallFilter{Outcome: "ok"}); err != nil || len(rows.Data) != 5 {
			t.Errorf("journal: %d rows, %v; want 5", len(rows.Data), err)
		}
		plan, err := kept.Undo(t.Context(), ws, projects.Target{Run: run}, ids.New[ids.User]())
		if err != nil || !plan.Done || len(plan.Calls) != 4 {
			t.Fatalf("Undo = %+v, %v", plan, err)
		}
		for name, want := range map[string]string{"main.go": "package main\n", "build/out": "made"} {
			if got, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(got) != want {
				t.Errorf("%s = %q, %v; want %q", name, got, err, want)
			}
		}
		if _, err := os.Stat(filepath.Join(folder, "new")); !os.IsNotExist(err) {
			t.Errorf("the new folder is still there: %v", err)
		}
	})
}

func TestPolicyOfSettings(t *testing.T) {
	t.Parallel()
	loaded, err := config.Load(config.Sources{Dir: t.TempDir(), Env: []string{
		"HOME=" + t.TempDir(), "FLUXWAY_HOME=" + t.TempDir(), "FLUXWAY_GUARD_MODE=careful", "FLUXWAY_GUARD_DEADLINE=2m", "FLUXWAY_GUARD_ALLOW_HOSTS=api.test",
	}})
	if err != nil {
		t.Fatal(err)
	}
	p := policyOf(loaded.Config)
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	if p.Mode != guard.Careful || p.Deadline != 120 || p.Hosts.Others != guard.AskPerson || !p.TwoPerson || p.Unattended != guard.RefuseUnattended {
		t.Errorf("policy = %+v", p)
	}
}
