package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/kit/retry"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
)

// with calls a tool with only some of the tools at hand, as an agent has them.
func (d *desk) with(filter tools.Filter, tool, args string) tools.Result {
	d.t.Helper()
	belt, err := d.box.In(d.ws, filter)
	if err != nil {
		d.t.Fatal(err)
	}
	r, err := belt.Call(d.t.Context(), tools.Call{Tool: tool, Args: []byte(args)})
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

func TestAgentsShareAProcessAndNotTheirTools(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.SQLite(t))
	def := program(t, "test", "good")
	def.Allow, def.Deny = []string{"e*", "pid"}, []string{"env"}
	d.add(def)
	d.start("test")
	for tool, want := range map[string]string{"test__echo": "", "test__pid": "", "test__env": "tool_not_found", "test__nap": "tool_not_found"} {
		if r := d.call(tool, `{"text":"x"}`); r.Code != want {
			t.Errorf("%s: %+v, want %q", tool, r, want)
		}
	}
	writer, reader := tools.Filter{Allow: []string{"test__*"}}, tools.Filter{Allow: []string{"test__pid"}}
	if a, b := d.with(writer, "test__pid", `{}`).Text(), d.with(reader, "test__pid", `{}`).Text(); a != b || a == "" {
		t.Errorf("two agents are served by %s and %s", a, b)
	}
	if r := d.with(reader, "test__echo", `{"text":"x"}`); !r.IsError {
		t.Errorf("an agent used a tool it does not have: %+v", r)
	}
}

func TestWhatAServerHasIsBelievedForAMinute(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.SQLite(t))
	d.add(program(t, "test", "good"))
	list := func(how Freshness) {
		t.Helper()
		if _, err := d.m.Tools(t.Context(), d.ws, "test", "", how); err != nil {
			t.Fatal(err)
		}
	}
	list(Force)
	s, err := d.m.find(d.ws, "test")
	if err != nil {
		t.Fatal(err)
	}
	heard := func() time.Time {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.listed
	}
	first := heard()
	if list(Cached); heard() != first {
		t.Error("the server was asked again within a minute")
	}
	list(Force)
	forced := heard()
	if forced == first {
		t.Error("the server was not asked although it was forced to")
	}
	s.mu.Lock()
	s.listed = time.Now().Add(-fresh - time.Second)
	s.mu.Unlock()
	if list(Cached); heard().Before(forced) {
		t.Error("the server was not asked again after a minute")
	}
}

func TestAttemptsAreSpreadOut(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.SQLite(t), func(o *Options) { o.Backoff = retry.Policy{} })
	seen := map[time.Duration]bool{}
	for n, whole := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60, 60} {
		whole *= time.Second
		for range 20 {
			wait := d.m.opts.Backoff.Wait(n + 1)
			if wait < whole/2 || wait > whole {
				t.Errorf("the pause after attempt %d is %s, want up to %s", n+1, wait, whole)
			}
			seen[wait] = true
		}
	}
	if len(seen) < 50 {
		t.Errorf("%d different pauses of 180: there is no chance in them", len(seen))
	}
	d.add(program(t, "exit", "exit"))
	if err := d.m.Start(t.Context(), d.ws, "exit", ""); err == nil {
		t.Fatal("it started")
	}
	s := d.state("exit")
	if s.State != StateWaiting || s.Tries != 1 || !s.NextTry.After(time.Now().Add(-time.Second)) || s.NextTry.After(time.Now().Add(time.Second)) {
		t.Errorf("after the first failure: %+v", s)
	}
}

// A server that dies each time it is used is started again and again, and leaves nothing behind.
func TestAServerThatKeepsDyingLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.SQLite(t))
	d.add(program(t, "test", "good"))
	d.start("test")
	pids := map[string]bool{}
	for range 5 {
		pids[d.eventually("test__pid", `{}`).Text()] = true
		if r := d.call("test__die", `{}`); r.Code != "mcp_lost" {
			t.Fatalf("%+v", r)
		}
	}
	if len(pids) != 5 {
		t.Errorf("five lives had %d processes", len(pids))
	}
	if err := d.m.Stop(t.Context(), d.ws, "test"); err != nil {
		t.Fatal(err)
	}
	for pid := range pids {
		if _, err := os.Stat(filepath.Join("/proc", pid)); err == nil {
			status, _ := os.ReadFile(filepath.Join("/proc", pid, "cmdline"))
			if strings.Contains(string(status), "be-a-server") {
				t.Errorf("the process %s is still there", pid)
			}
		}
	}
	lines, _, err := d.m.Logs(d.ws, "test", 0)
	deaths := 0
	for _, l := range lines {
		if l.From == "stderr" && l.Text == "I am dying" {
			deaths++
		}
	}
	if err != nil || deaths != 5 {
		t.Errorf("the log tells of %d deaths, %v", deaths, err)
	}
}
