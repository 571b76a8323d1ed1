package plugins

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/toolstest"
)

func TestWhatHooksSay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := newHouse(t, db)
		for name, c := range map[string]struct {
			hook, script string
			reason       string // of the veto; "": none
			failed       bool
			code         string // of the failure that is kept
		}{
			"exit-code":     {"event: before_tool", "echo 'not today' >&2; exit 2", "not today", false, ""},
			"json-deny":     {"event: before_tool", `echo '{"decision":"deny","reason":"by JSON"}'`, "by JSON", false, ""},
			"json-allow":    {"event: before_tool", `echo '{"decision":"allow"}'`, "", false, ""},
			"no-words":      {"event: before_tool", "exit 2", "It gave no reason.", false, ""},
			"silent":        {"event: before_tool", "cat > /dev/null", "", false, ""},
			"crash":         {"event: before_tool", "echo oh no >&2; exit 1", "ended with code 1: oh no", true, "hook_failed"},
			"killed":        {"event: before_tool", "kill -9 $$", "ended with code 137", true, "hook_failed"},
			"crash-open":    {"event: before_tool\non_error: fail_open", "exit 1", "", false, "hook_failed"},
			"garbage":       {"event: before_tool", "echo certainly, here you are", "printed something that is no decision", true, "hook_garbage"},
			"garbage-json":  {"event: before_tool", `echo '{"decision":"maybe"}'`, "no decision", true, "hook_garbage"},
			"hang":          {"event: before_tool\ntimeout: 300ms", "sleep 1000", "did not end within 300ms", true, "hook_timeout"},
			"flood":         {"event: before_tool", "yes", "printed more than 64 kB", true, "hook_flood"},
			"other-tool":    {"event: before_tool\ntools: [write_*]", "exit 2", "", false, ""},
			"other-agent":   {"event: before_tool\nagents: [writer]", "exit 2", "", false, ""},
			"run-open":      {"event: before_tool\non_error: fail_open\ntimeout: 300ms", "sleep 1000", "", false, "hook_timeout"},
			"no-network":    {"event: before_tool", "ls /sys/class/net 2>/dev/null | grep -v '^lo$' >&2 && exit 2; (exec 3<>/dev/tcp/1.1.1.1/53) 2>/dev/null && exit 2; exit 0", "", false, ""},
			"no-other-file": {"event: before_tool", "test -e '" + db.Engine().Path + "x' && exit 2; touch here 2>/dev/null && exit 2; exit 0", "", false, ""},
		} {
			if c.code == "" && db.Engine().Name != "sqlite" {
				continue // nothing is written
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				one := newHouse(t, h.db)
				one.hooked(name, c.hook, c.script)
				one.hooked("neighbour", "event: after_tool", "exit 0")
				began := time.Now()
				v := one.m.Ask(t.Context(), one.about(BeforeTool, "run_command", `{"command":"ls"}`))
				if (v == nil) != (c.reason == "") || v != nil && (!strings.Contains(v.Reason, c.reason) || v.Failed != c.failed || v.Plugin != name) {
					t.Errorf("veto %+v, want %q", v, c.reason)
				}
				if took := time.Since(began); took > patience {
					t.Errorf("it took %s", took)
				}
				p := one.get(name)
				if p.Healthy != (c.code == "") || len(p.Failures) != btoi(c.code != "") {
					t.Errorf("healthy %v, failures %+v", p.Healthy, p.Failures)
				}
				if c.code != "" && (p.Failures[0].Code != c.code || p.Failures[0].Hook != "before_tool") {
					t.Errorf("failure %+v, want %s", p.Failures[0], c.code)
				}
				if n := one.get("neighbour"); !n.Healthy || len(n.Failures) != 0 {
					t.Errorf("the neighbour suffers: %+v", n.Failures)
				}
			})
		}
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestTheGate takes calls through a toolbox: a veto is a refusal of the one gate, and journalled with the plugin's name.
func TestTheGate(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := newHouse(t, db)
		project := t.TempDir()
		h.hooked("strict", "event: before_tool\ntools: [forbidden]", "echo never >&2; exit 2")
		h.hooked("scribe", "event: after_tool\nproject: write", `cat > told.json`)
		journal := &toolstest.Journal{}
		asked := 0
		next := toolstest.Gate(func(tools.Spec, tools.Call) (tools.Ruling, error) {
			asked++
			return tools.Ruling{Verdict: tools.Allow, Rule: "test.open"}, nil
		})
		box, err := tools.New(tools.Options{Gate: h.m.Gate(next), Auditor: h.m.Auditor(journal)})
		if err != nil {
			t.Fatal(err)
		}
		if err := box.Put("test", toolstest.Echo("forbidden"), toolstest.Echo("allowed")); err != nil {
			t.Fatal(err)
		}
		belt, err := box.In(h.ws, tools.All())
		if err != nil {
			t.Fatal(err)
		}
		call := tools.Call{ID: "1", Tool: "forbidden", Agent: "coder", Folder: project, Door: "chat", Args: json.RawMessage(`{"x":1}`)}
		r, err := belt.Call(t.Context(), call)
		if err != nil || !r.IsError || r.Code != "tool_refused" || !strings.Contains(r.Text(), "The plugin strict does not allow it: never") {
			t.Errorf("a vetoed call: %+v, %v", r, err)
		}
		_, finished := journal.Lines()
		last := finished[0]
		if asked != 0 || last.Ruling.Verdict != tools.Refuse || last.Ruling.Rule != "plugin/strict" {
			t.Errorf("journalled: %+v; the next gate was asked %d times", last.Ruling, asked)
		}
		if _, err := os.Stat(filepath.Join(project, "told.json")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a hook was told of a call that was not made: %v", err)
		}
		call.Tool = "allowed"
		if r, err := belt.Call(t.Context(), call); err != nil || r.IsError || asked != 1 {
			t.Errorf("an allowed call: %+v, %v", r, err)
		}
		text, err := os.ReadFile(filepath.Join(project, "told.json"))
		var told Message
		if err == nil {
			err = json.Unmarshal(text, &told)
		}
		if err != nil || told.Event != AfterTool || told.Plugin != "scribe" || told.Tool.Name != "allowed" || told.Result.Text != `{"x":1}` || told.Workspace != h.ws {
			t.Errorf("told %s, %v", text, err)
		}
	})
}

func TestAHookThatFailsAgainAndAgainRests(t *testing.T) {
	t.Parallel()
	h := newHouse(t, storetest.SQLite(t), func(o *Options) { o.Rest = time.Hour })
	calls := 0
	run := h.opts.Run
	h.m.opts.Run = func(ctx context.Context, j Job) (int, error) { calls++; return run(ctx, j) }
	h.hooked("broken", "event: before_tool", "exit 1")
	for range 6 {
		if v := h.m.Ask(t.Context(), h.about(BeforeTool, "x", `{}`)); v == nil || !v.Failed {
			t.Fatalf("a broken hook that must not fail: %+v", v)
		}
	}
	if p := h.get("broken"); calls != failuresInARow || len(p.Failures) != failuresInARow || p.Healthy {
		t.Errorf("called %d times, failures %d", calls, len(p.Failures))
	}
	h.enable("broken") // a new consent is a new chance
	if h.m.Ask(t.Context(), h.about(BeforeTool, "x", `{}`)); calls != failuresInARow+1 {
		t.Errorf("after a new consent called %d times", calls)
	}
}

func TestACancelledRunIsNoFailure(t *testing.T) {
	t.Parallel()
	h := newHouse(t, storetest.SQLite(t))
	h.hooked("slow", "event: before_run\ntimeout: 30s\non_error: fail_closed", "sleep 1000")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	v := h.m.Ask(ctx, Message{Event: BeforeRun, Workspace: h.ws})
	if p := h.get("slow"); v == nil || len(p.Failures) != 0 || !p.Healthy {
		t.Errorf("veto %+v, failures %+v", v, p.Failures)
	}
}

func TestWithoutHooksNothingIsDone(t *testing.T) {
	h := newHouse(t, storetest.SQLite(t))
	gate := h.m.Gate(toolstest.Open())
	ctx, spec, call := t.Context(), tools.Spec{Name: "x"}, tools.Call{Workspace: ids.New[ids.Workspace]()}
	bare := testing.AllocsPerRun(100, func() { _, _ = toolstest.Open().Judge(ctx, spec, call) })
	if n := testing.AllocsPerRun(100, func() { _, _ = gate.Judge(ctx, spec, call) }); n > bare {
		t.Errorf("a gate without hooks allocates %v times, a bare one %v times", n, bare)
	}
	if _, err := os.Stat(h.opts.Folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of plugins was made: %v", err)
	}
}
