package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestHostileCalls(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.SQLite(t))
	d.add(program(t, "test", "good"))
	d.start("test")
	d.add(program(t, "raw", "raw"))
	d.start("raw")
	d.add(program(t, "calm", "good"))
	d.start("calm")
	first := d.state("calm").PID
	t.Run("50 MB", func(t *testing.T) {
		pid := d.call("raw__pid", `{}`).Text()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 3 {
			if r := d.call("raw__large", `{}`); r.Code != "mcp_answer_too_large" {
				t.Errorf("got %q, %.200s", r.Code, r.Text())
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapInuse) - int64(before.HeapInuse); grown > 48<<20 {
			t.Errorf("the heap grew by %d MB", grown>>20)
		}
		if now := d.call("raw__pid", `{}`).Text(); now != pid {
			t.Errorf("the server was restarted: %s, then %s", pid, now)
		}
	})
	t.Run("floods stderr and babbles on stdout", func(t *testing.T) {
		if r := d.call("test__flood", `{}`); r.Text() != "flooded" {
			t.Errorf("%+v", r)
		}
		lines, total, err := d.m.Logs(d.ws, "test", 0)
		if err != nil || len(lines) > maxLines || total < 1000 {
			t.Errorf("%d lines of %d, %v", len(lines), total, err)
		}
	})
	t.Run("half a message", func(t *testing.T) {
		r := d.call("test__garbage", `{}`)
		if !r.IsError || r.Code != "mcp_lost" && r.Code != "mcp_broken" {
			t.Errorf("%+v", r)
		}
		if r := d.eventually("test__echo", `{"text":"back"}`); r.Text() != "back" {
			t.Errorf("%+v", r)
		}
	})
	t.Run("dies", func(t *testing.T) {
		if r := d.call("test__die", `{}`); r.Code != "mcp_lost" {
			t.Errorf("%+v", r)
		}
		if r := d.eventually("test__echo", `{"text":"back"}`); r.Text() != "back" {
			t.Errorf("%+v", r)
		}
		lines, _, err := d.m.Logs(d.ws, "test", 0)
		if err != nil || !strings.Contains(fmt.Sprint(lines), "I am dying") || !strings.Contains(fmt.Sprint(lines), "exit status 7") {
			t.Errorf("the log does not say why: %v, %v", lines[max(0, len(lines)-10):], err)
		}
	})
	if now := d.state("calm").PID; now != first {
		t.Errorf("another server was disturbed: %d, then %d", first, now)
	}
}

func TestABrokenSchemaIsListedWithItsProblem(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.SQLite(t))
	d.add(program(t, "raw", "raw"))
	d.start("raw")
	list, err := d.m.Tools(t.Context(), d.ws, "raw", "", false)
	if err != nil || len(list) != 8 {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, tool := range list {
		good := tool.Tool == "large" || tool.Tool == "pid"
		if good != (tool.State == ToolReady) || !good && (tool.State != ToolUnusable || !strings.HasPrefix(tool.Reason, "Its schema cannot be used: ")) {
			t.Errorf("%s is %s: %s", tool.Tool, tool.State, tool.Reason)
		}
		_, err := d.belt().Spec(tool.Name)
		if offered := err == nil; offered != good {
			t.Errorf("%s is given to agents: %v", tool.Tool, offered)
		}
		if r := d.call(tool.Name, `{}`); !good && r.Code != "tool_not_found" {
			t.Errorf("calling %s: %+v", tool.Tool, r)
		}
	}
}

func TestAServerThatHangs(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.SQLite(t))
	def := program(t, "test", "good")
	def.Timeout = 300 * time.Millisecond
	d.add(def)
	d.start("test")
	pid := d.call("test__pid", `{}`).Text()
	if r := d.call("test__hang", `{}`); r.Code != "tool_timeout" {
		t.Errorf("%+v", r)
	}
	if now := d.call("test__pid", `{}`).Text(); now != pid {
		t.Errorf("a server that still answers was restarted")
	}
	if r := d.call("test__freeze", `{}`); r.Code != "tool_timeout" {
		t.Errorf("%+v", r)
	}
	for {
		r := d.eventually("test__pid", `{}`)
		if r.Code == "tool_timeout" { // until the ping has failed
			continue
		}
		if r.Text() == pid {
			t.Errorf("a server that does not answer was not restarted")
		}
		break
	}
}

func TestServersThatNeverStart(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.SQLite(t), func(o *Options) { o.ConnectTime = 1500 * time.Millisecond })
	tests := map[string]struct {
		def  Definition
		says string
	}{
		"exit":    {program(t, "exit", "exit"), "the configuration is missing"},
		"silent":  {program(t, "silent", "silent"), "did not answer within"},
		"babble":  {program(t, "babble", "babble"), "did not answer within"},
		"broken":  {program(t, "broken", "broken"), "cannot be reached"},
		"missing": {Definition{Name: "missing", Command: "no-such-program-anywhere"}, "cannot be started"},
		"unset":   {Definition{Name: "unset", Command: "cat", Env: map[string]string{"A": "${NOT_SET}"}}, "NOT_SET"},
		"closed":  {Definition{Name: "closed", URL: "http://127.0.0.1:9/mcp"}, "cannot be reached"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := d.m.Add(t.Context(), d.ws, tt.def); err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			err := d.m.Start(t.Context(), d.ws, name, "")
			var f *fault.Fault
			if !errors.As(err, &f) || !strings.Contains(f.Message, tt.says) {
				t.Errorf("got %v, want a fault with %q", err, tt.says)
			}
			if took := time.Since(begun); took > 15*time.Second {
				t.Errorf("it took %s", took)
			}
			if err := d.m.Stop(t.Context(), d.ws, name); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestARemoteServerThatAnswersTooMuch(t *testing.T) {
	t.Parallel()
	for _, media := range []string{"application/json", "text/event-stream"} {
		t.Run(media, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil || r.Method != http.MethodPost {
					w.WriteHeader(http.StatusMethodNotAllowed)
					return
				}
				if !bytes.Contains(body, []byte(`"id"`)) {
					w.WriteHeader(http.StatusAccepted)
					return
				}
				w.Header().Set("Content-Type", media)
				if media == "text/event-stream" {
					_, _ = io.WriteString(w, "data: ")
					defer io.WriteString(w, "\n")
				}
				_ = rawAnswer(w, body) // the client goes away in the middle
			}))
			t.Cleanup(srv.Close)
			d := newDesk(t, storetest.SQLite(t))
			d.add(Definition{Name: "web", URL: srv.URL, Timeout: 5 * time.Second})
			d.start("web")
			begun := time.Now()
			if r := d.call("web__large", `{}`); !r.IsError {
				t.Errorf("50 MB came through: %d bytes", len(r.Text()))
			}
			if took := time.Since(begun); took > 15*time.Second {
				t.Errorf("50 MB took %s", took)
			}
			if r := d.eventually("web__pid", `{}`); r.IsError {
				t.Errorf("%+v", r)
			}
		})
	}
}
