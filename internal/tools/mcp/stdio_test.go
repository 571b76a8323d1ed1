package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
)

func TestAServerOverStdio(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		d := newDesk(t, db)
		def := program(t, "test", "good")
		def.Env = map[string]string{"TOKEN": "Bearer ${KEY}"}
		def.Secrets = map[string]secret.Text{"KEY": secret.New("s3cret")}
		def.Defaults = map[string]map[string]json.RawMessage{"ec*": {"text": json.RawMessage(`"by default"`)}}
		def.Deny = []string{"wond*"}
		d.add(def)
		if s := d.state("test"); s.State != StateIdle || s.PID != 0 {
			t.Errorf("a server was started before it was needed: %+v", s)
		}
		d.start("test")
		if s := d.state("test"); s.State != StateReady || s.PID == 0 || s.Program != "test 1" || len(s.Secrets) != 1 {
			t.Errorf("after the start: %+v", s)
		}
		for args, want := range map[string]string{`{"text":"hello"}`: "hello", `{}`: "by default"} {
			if r := d.call("test__echo", args); r.Text() != want || r.IsError {
				t.Errorf("echo %s: %+v", args, r)
			}
		}
		if r := d.call("test__env", `{"name":"TOKEN"}`); r.Text() != "Bearer s3cret" {
			t.Errorf("the secret did not arrive: %+v", r)
		}
		if r := d.call("test__env", `{"name":"HOME"}`); r.Text() != "" {
			t.Errorf("the program sees our environment: %+v", r)
		}
		if r := d.call("test__refuse", `{}`); !r.IsError || !strings.Contains(r.Text(), "out of paper") || r.Code != "tool_failed" {
			t.Errorf("a failing tool: %+v", r)
		}
		if r := d.call("test__wonder", `{}`); r.Code != "tool_not_found" {
			t.Errorf("a denied tool: %+v", r)
		}
		if text, err := json.Marshal(d.state("test")); err != nil || strings.Contains(string(text), "s3cret") {
			t.Errorf("the secret is shown: %s, %v", text, err)
		}
	})
}

func TestToolsAreKnownBeforeTheServerRuns(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.SQLite(t))
	d.add(program(t, "test", "good"))
	d.start("test")
	d.restart()
	if s := d.state("test"); s.State != StateIdle || s.Tools < 5 {
		t.Errorf("after a restart: %+v", s)
	}
	if r := d.call("test__echo", `{"text":"lazy"}`); r.Text() != "lazy" {
		t.Errorf("%+v", r)
	}
	if s := d.state("test"); s.State != StateReady {
		t.Errorf("after a call: %+v", s)
	}
	if err := d.m.Stop(t.Context(), d.ws, "test"); err != nil {
		t.Fatal(err)
	}
	if r := d.call("test__echo", `{"text":"x"}`); r.Code != "mcp_stopped" {
		t.Errorf("a stopped server was started by a call: %+v", r)
	}
	if err := d.m.Remove(t.Context(), d.ws, "test"); err != nil {
		t.Fatal(err)
	}
	if r := d.call("test__echo", `{}`); r.Code != "tool_not_found" {
		t.Errorf("after the server was removed: %+v", r)
	}
}

func TestOneProcessForAll(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.SQLite(t))
	d.add(program(t, "test", "good"))
	if err := d.m.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.start("test")
	if err := d.m.Restart(t.Context(), d.ws, "test", ""); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	pids := map[string]int{}
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			r := d.call("test__pid", `{}`)
			mu.Lock()
			defer mu.Unlock()
			pids[r.Text()]++
		})
	}
	wg.Wait()
	if len(pids) != 1 {
		t.Errorf("50 calls were answered by %v", pids)
	}
}

func TestProgressAndCancel(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.SQLite(t))
	d.add(program(t, "test", "good"))
	d.start("test")
	heard := make(chan string, 3)
	done := make(chan error, 1)
	go func() {
		r, err := d.belt().Call(t.Context(), tools.Call{Tool: "test__steps", Progress: func(p tools.Progress) {
			heard <- fmt.Sprint(p.Text, " ", p.Done, "/", p.Total)
		}})
		if err == nil && r.Text() != "three steps" {
			err = errors.New(r.Text())
		}
		done <- err
	}()
	for _, want := range []string{"step 1 1/3", "step 2 2/3", "step 3 3/3"} {
		if got := <-heard; got != want {
			t.Errorf("heard %q, want %q", got, want)
		}
	}
	d.call("test__goon", `{}`)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("changed my mind")
	go func() {
		_, err := d.belt().Call(ctx, tools.Call{Tool: "test__hang"})
		done <- err
	}()
	cancel(why)
	if err := <-done; !errors.Is(err, why) {
		t.Errorf("a cancelled call: %v", err)
	}
	if r := d.call("test__echo", `{"text":"still there"}`); r.Text() != "still there" {
		t.Errorf("%+v", r)
	}
}

func TestSecretsAreReplacedAndForgotten(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		d := newDesk(t, db)
		def := program(t, "test", "good")
		def.Env = map[string]string{"A": "${A}"}
		def.Secrets = map[string]secret.Text{"A": secret.New("one"), "B": secret.New("b")}
		d.add(def)
		d.start("test")
		if err := d.m.Change(t.Context(), d.ws, "test", func(*Definition) {}, map[string]secret.Text{"A": secret.New("two"), "B": secret.New("")}); err != nil {
			t.Fatal(err)
		}
		if r := d.call("test__env", `{"name":"A"}`); r.Text() != "two" {
			t.Errorf("%+v", r)
		}
		if s := d.state("test"); fmt.Sprint(s.Secrets) != "[A]" {
			t.Errorf("secrets: %v", s.Secrets)
		}
		if err := d.m.Add(t.Context(), d.ws, def); !fault.HasCode(err, "server_exists") {
			t.Errorf("a second one of the same name: %v", err)
		}
		other := ids.New[ids.Workspace]()
		if _, err := d.m.Server(t.Context(), other, "test", ""); !fault.HasCode(err, "server_not_found") {
			t.Errorf("another workspace sees it: %v", err)
		}
	})
}

func TestManyCallsAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.SQLite(t))
	d.add(program(t, "test", "good"))
	d.start("test")
	var wg sync.WaitGroup
	for i := range 300 {
		wg.Go(func() {
			want := fmt.Sprint("number ", i)
			if r := d.call("test__echo", fmt.Sprintf(`{"text":%q}`, want)); r.Text() != want {
				t.Errorf("got %q, want %q", r.Text(), want)
			}
		})
	}
	wg.Wait()
}
