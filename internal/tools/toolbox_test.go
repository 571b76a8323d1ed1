package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/toolstest"
)

func box(t *testing.T, opts tools.Options, list ...tools.Tool) *tools.Belt {
	t.Helper()
	b, err := tools.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Put("test", list...); err != nil {
		t.Fatal(err)
	}
	belt, err := b.For(tools.All())
	if err != nil {
		t.Fatal(err)
	}
	return belt
}

func call(t *testing.T, belt *tools.Belt, tool, args string) tools.Result {
	t.Helper()
	r, err := belt.Call(t.Context(), tools.Call{ID: "c1", Tool: tool, Args: json.RawMessage(args)})
	if err != nil {
		t.Fatalf("Call(%s, %s): %v", tool, args, err)
	}
	return r
}

func TestFilter(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		filter tools.Filter
		name   string
		want   bool
	}{
		"an empty list means none":   {tools.Filter{}, "read_file", false},
		"a star means all":           {tools.All(), "read_file", true},
		"a glob":                     {tools.Filter{Allow: []string{"git_*"}}, "git_log", true},
		"a glob that does not match": {tools.Filter{Allow: []string{"git_*"}}, "read_file", false},
		"deny wins":                  {tools.Filter{Allow: []string{"*"}, Deny: []string{"git_c*"}}, "git_commit", false},
		"deny wins over the name":    {tools.Filter{Allow: []string{"git_commit"}, Deny: []string{"*"}}, "git_commit", false},
		"a broken deny denies":       {tools.Filter{Allow: []string{"*"}, Deny: []string{"["}}, "git_commit", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tt.filter.Has(tt.name); got != tt.want {
				t.Errorf("%+v.Has(%q) = %v, want %v", tt.filter, tt.name, got, tt.want)
			}
		})
	}
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"read_file": "read_file", "github/create issue": "github_create_issue", "a.b-c": "a_b-c", "größe": "gr__e", "": "",
		strings.Repeat("x", 80): strings.Repeat("x", 64),
	} {
		if got := tools.Normalize(name); got != want {
			t.Errorf("Normalize(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestPut(t *testing.T) {
	t.Parallel()
	b, err := tools.New(tools.Options{})
	if err != nil {
		t.Fatal(err)
	}
	belt, err := b.For(tools.All())
	if err != nil {
		t.Fatal(err)
	}
	names := func() (out []string) {
		for _, s := range belt.Specs() {
			out = append(out, s.Origin+":"+s.Name)
		}
		return out
	}
	if err := b.Put("one", toolstest.Echo("a"), toolstest.Echo("b c")); err != nil {
		t.Fatal(err)
	}
	if err := b.Put("two", toolstest.Echo("d"), toolstest.Echo("b_c")); !fault.HasCode(err, "tool_name_taken") {
		t.Errorf("a name of another origin: %v", err)
	}
	if err := b.Put("two", toolstest.Echo("d"), toolstest.Echo("d")); !fault.HasCode(err, "tool_name_taken") {
		t.Errorf("a name twice: %v", err)
	}
	bad := toolstest.Echo("e")
	bad.Is.Schema = json.RawMessage(`{"type":"object","properties":{"a":{"type":"wrong"}}}`)
	if err := b.Put("two", bad); err == nil {
		t.Error("a schema that cannot be read was taken")
	}
	bad.Is.Schema = json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`)
	if err := b.Put("two", bad); err == nil {
		t.Error("a schema that refers to a file was taken")
	}
	if diff := cmp.Diff([]string{"one:a", "one:b_c"}, names()); diff != "" {
		t.Error(diff)
	}
	if err := b.Put("one", toolstest.Echo("z")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"one:z"}, names()); diff != "" {
		t.Error(diff)
	}
	if err := b.Put("one"); err != nil || names() != nil {
		t.Errorf("emptied: %v, %v", names(), err)
	}
}

func TestWithoutAGateOnlyLooking(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spec tools.Spec
		code string
	}{
		"public, reading":             {tools.Spec{Level: tools.Public, ReadOnly: true}, ""},
		"public, not reading":         {tools.Spec{Level: tools.Public}, "tool_refused"},
		"public, over the network":    {tools.Spec{Level: tools.Public, ReadOnly: true, Network: true}, "tool_refused"},
		"restricted, reading":         {tools.Spec{Level: tools.Restricted, ReadOnly: true}, "tool_refused"},
		"dangerous, it says it reads": {tools.Spec{Level: tools.Dangerous, ReadOnly: true}, "tool_refused"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := toolstest.Echo("x")
			tt.spec.Name = "x"
			tool.Is = tt.spec
			journal := &toolstest.Journal{}
			got := call(t, box(t, tools.Options{Auditor: journal}, tool), "x", `{}`)
			if got.Code != tt.code {
				t.Errorf("code %q, want %q: %s", got.Code, tt.code, got.Text())
			}
			started, finished := journal.Lines()
			if wantStarted := tt.code == ""; (len(started) == 1) != wantStarted || len(finished) != 1 {
				t.Errorf("journal: %d started, %d finished", len(started), len(finished))
			}
		})
	}
}

func TestGate(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		gate toolstest.Gate
		code string
		ran  bool
	}{
		"allow": {toolstest.Open(), "", true},
		"ask": {func(tools.Spec, tools.Call) (tools.Ruling, error) {
			return tools.Ruling{Verdict: tools.Ask, Ticket: "t1", Reason: "May it?"}, nil
		}, "approval_needed", false},
		"refuse":                     {func(tools.Spec, tools.Call) (tools.Ruling, error) { return tools.Ruling{Verdict: tools.Refuse}, nil }, "tool_refused", false},
		"a verdict it does not know": {func(tools.Spec, tools.Call) (tools.Ruling, error) { return tools.Ruling{Verdict: "yes"}, nil }, "tool_refused", false},
		"nothing at all":             {func(tools.Spec, tools.Call) (tools.Ruling, error) { return tools.Ruling{}, nil }, "tool_refused", false},
		"a broken gate": {func(tools.Spec, tools.Call) (tools.Ruling, error) {
			return tools.Ruling{Verdict: tools.Allow}, errors.New("no rules")
		}, "tool_refused", false},
		"a gate that panics": {func(tools.Spec, tools.Call) (tools.Ruling, error) { panic("x") }, "tool_refused", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ran := false
			tool := toolstest.Tool{Is: tools.Spec{Name: "x", Level: tools.Dangerous}, Do: func(context.Context, tools.Call) (tools.Result, error) {
				ran = true
				return tools.Says("done"), nil
			}}
			got := call(t, box(t, tools.Options{Gate: tt.gate}, tool), "x", `{}`)
			if got.Code != tt.code || ran != tt.ran {
				t.Errorf("code %q, ran %v; want %q, %v", got.Code, ran, tt.code, tt.ran)
			}
			if (got.Needs != nil) != (tt.code == "approval_needed") {
				t.Errorf("needs %+v", got.Needs)
			}
		})
	}
}

func TestTheGateSeesWhatTheToolGets(t *testing.T) {
	t.Parallel()
	var judged string
	gate := toolstest.Gate(func(_ tools.Spec, c tools.Call) (tools.Ruling, error) {
		judged = string(c.Args)
		return tools.Ruling{Verdict: tools.Allow}, nil
	})
	tool := toolstest.Echo("x")
	tool.Is.Schema = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}`)
	got := call(t, box(t, tools.Options{Gate: gate}, tool), "x", `"{\"n\":\"1\",\"n\":\"2.0\"}"`)
	if want := `{"n":2}`; judged != want || got.Text() != want {
		t.Errorf("judged %s, ran %s; want %s", judged, got.Text(), want)
	}
}

func TestUnknownTool(t *testing.T) {
	t.Parallel()
	b, err := tools.New(tools.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Put("test", toolstest.Echo("read_file"), toolstest.Echo("secret_tool")); err != nil {
		t.Fatal(err)
	}
	belt, err := b.For(tools.Filter{Allow: []string{"*"}, Deny: []string{"secret_*"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, hint := range map[string]string{"raed_file": "Did you mean read_file?", "secret_tool": "Available: read_file."} {
		got := call(t, belt, name, `{}`)
		if got.Code != "tool_not_found" || !strings.Contains(got.Text(), hint) {
			t.Errorf("%s: %s %q", name, got.Code, got.Text())
		}
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		do   func(context.Context, tools.Call) (tools.Result, error)
		code string
		text string
	}{
		"a panic": {func(context.Context, tools.Call) (tools.Result, error) { panic("boom") }, "tool_crashed", "x crashed"},
		"a fault": {func(context.Context, tools.Call) (tools.Result, error) {
			return tools.Result{}, fault.New(fault.NotFound, "no_file", "There is no such file.").WithHint("List the folder.")
		}, "no_file", "List the folder."},
		"another error stays inside": {func(context.Context, tools.Call) (tools.Result, error) {
			return tools.Result{}, errors.New("password=hunter2")
		}, "internal", "our side"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := toolstest.Tool{Is: tools.Spec{Name: "x", Level: tools.Public, ReadOnly: true}, Do: tt.do}
			got := call(t, box(t, tools.Options{}, tool), "x", `{}`)
			if !got.IsError || got.Code != tt.code || !strings.Contains(got.Text(), tt.text) || strings.Contains(got.Text(), "hunter2") {
				t.Errorf("%s %q; want %s with %q", got.Code, got.Text(), tt.code, tt.text)
			}
		})
	}
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	t.Run("a tool that heeds its context", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			tool := toolstest.Tool{Is: tools.Spec{Name: "x", Level: tools.Public, ReadOnly: true, Timeout: time.Minute},
				Do: func(ctx context.Context, _ tools.Call) (tools.Result, error) {
					<-ctx.Done()
					return tools.Result{}, ctx.Err()
				}}
			start := time.Now()
			got := call(t, box(t, tools.Options{}, tool), "x", `{}`)
			if took := time.Since(start); got.Code != "tool_timeout" || took != time.Minute {
				t.Errorf("%s after %s", got.Code, took)
			}
		})
	})
	t.Run("a tool that does not is left alone", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			release := make(chan struct{})
			tool := toolstest.Tool{Is: tools.Spec{Name: "x", Level: tools.Public, ReadOnly: true, Timeout: time.Minute},
				Do: func(context.Context, tools.Call) (tools.Result, error) {
					<-release
					return tools.Says("late"), nil
				}}
			start := time.Now()
			got := call(t, box(t, tools.Options{Grace: 2 * time.Second}, tool), "x", `{}`)
			if took := time.Since(start); got.Code != "tool_timeout" || took != 62*time.Second || !strings.Contains(got.Text(), "may still be working") {
				t.Errorf("%s after %s: %s", got.Code, took, got.Text())
			}
			close(release)
			synctest.Wait()
		})
	})
	t.Run("a caller that goes away is an error, and is journalled", func(t *testing.T) {
		t.Parallel()
		gone := errors.New("ada pressed stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		tool := toolstest.Tool{Is: tools.Spec{Name: "x", Level: tools.Public, ReadOnly: true},
			Do: func(ctx context.Context, _ tools.Call) (tools.Result, error) {
				cancel(gone)
				<-ctx.Done()
				return tools.Result{}, ctx.Err()
			}}
		journal := &toolstest.Journal{}
		_, err := box(t, tools.Options{Auditor: journal}, tool).Call(ctx, tools.Call{Tool: "x"})
		if !errors.Is(err, gone) {
			t.Errorf("err = %v", err)
		}
		if _, finished := journal.Lines(); len(finished) != 1 || finished[0].Result.Code != "cancelled" {
			t.Errorf("journal: %+v", finished)
		}
	})
}

func TestABrokenJournalRunsNothing(t *testing.T) {
	t.Parallel()
	ran := false
	tool := toolstest.Tool{Is: tools.Spec{Name: "x", Level: tools.Public, ReadOnly: true}, Do: func(context.Context, tools.Call) (tools.Result, error) {
		ran = true
		return tools.Says(""), nil
	}}
	full := errors.New("disk full")
	_, err := box(t, tools.Options{Auditor: &toolstest.Journal{Refuse: full}}, tool).Call(t.Context(), tools.Call{Tool: "x"})
	if !errors.Is(err, full) || ran {
		t.Errorf("err = %v, ran = %v", err, ran)
	}
}

func TestLongOutputIsKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		bodies, err := store.NewBodies(store.BodiesOptions{DB: db})
		if err != nil {
			t.Fatal(err)
		}
		long := "first\n" + strings.Repeat("größer ", 5000) + "\nlast"
		tool := toolstest.Tool{Is: tools.Spec{Name: "x", Level: tools.Public, ReadOnly: true, MaxOutput: 1000},
			Do: func(context.Context, tools.Call) (tools.Result, error) { return tools.Says(long), nil }}
		ws := ids.New[ids.Workspace]()
		got, err := box(t, tools.Options{DB: db, Bodies: bodies}, tool).Call(t.Context(), tools.Call{Tool: "x", Workspace: ws})
		if err != nil {
			t.Fatal(err)
		}
		text := got.Text()
		if !got.Truncated || got.Full == nil || len(text) > 1200 || !strings.HasPrefix(text, "first") || !strings.Contains(text, "last\n[The whole") {
			t.Fatalf("%+v: %q", got.Full, text)
		}
		_, content, err := bodies.Get(t.Context(), ws, got.Full.Body)
		if err != nil || string(content) != long {
			t.Errorf("kept %d bytes, %v; want %d", len(content), err, len(long))
		}
	})
}

func BenchmarkCall(b *testing.B) {
	tb, err := tools.New(tools.Options{Gate: toolstest.Open()})
	if err != nil {
		b.Fatal(err)
	}
	tool := toolstest.Echo("x")
	tool.Is.Schema = json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer","minimum":1}},"required":["path"],"additionalProperties":false}`)
	if err := tb.Put("test", tool); err != nil {
		b.Fatal(err)
	}
	belt, err := tb.For(tools.All())
	if err != nil {
		b.Fatal(err)
	}
	args := json.RawMessage(`{"path":"go.mod","limit":10}`)
	for b.Loop() {
		if r, err := belt.Call(b.Context(), tools.Call{Tool: "x", Args: args}); err != nil || r.IsError {
			b.Fatal(r.Text(), err)
		}
	}
}

func TestAGateThatHangsRefuses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		journal := &toolstest.Journal{}
		gate := toolstest.Gate(func(tools.Spec, tools.Call) (tools.Ruling, error) {
			<-free
			return tools.Ruling{Verdict: tools.Allow}, nil
		})
		b, err := tools.New(tools.Options{Gate: gate, Auditor: journal})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Put("test", toolstest.Echo("echo")); err != nil {
			t.Fatal(err)
		}
		belt, err := b.For(tools.All())
		if err != nil {
			t.Fatal(err)
		}
		if r := call(t, belt, "echo", `{}`); r.Code != "tool_refused" {
			t.Errorf("Call = %+v, want tool_refused", r)
		}
		started, finished := journal.Lines()
		if len(started) != 0 || len(finished) != 1 || finished[0].Ruling.Rule != "tools.gate_broken" || finished[0].ID == "" {
			t.Errorf("journal: %d started, %+v", len(started), finished)
		}
		close(free)
		if err := b.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// coldGate takes a while before its first ruling.
type coldGate struct {
	toolstest.Gate
	takes time.Duration
	warm  *bool
}

func (g coldGate) Cold(spec tools.Spec, _ tools.Call) bool { return spec.Name == "command" && !*g.warm }

func (g coldGate) Warm(ctx context.Context) {
	select {
	case <-time.After(g.takes):
		*g.warm = true
	case <-ctx.Done():
	}
}

func TestAGateMayTakeLongerBeforeItsFirstRuling(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		takes, want time.Duration
		code        string
	}{
		"as long as a busy machine needs": {takes: 45 * time.Second, want: 45 * time.Second},
		"not for ever":                    {takes: time.Hour, want: time.Minute, code: "tool_refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				warm := false
				gate := coldGate{takes: tt.takes, warm: &warm, Gate: func(spec tools.Spec, _ tools.Call) (tools.Ruling, error) {
					if spec.Name == "command" && !warm {
						return tools.Ruling{}, errors.New("not made yet")
					}
					return tools.Ruling{Verdict: tools.Allow}, nil
				}}
				belt := box(t, tools.Options{Gate: gate}, toolstest.Echo("command"), toolstest.Echo("echo"))
				began := time.Now()
				if r := call(t, belt, "echo", `{}`); r.IsError || time.Since(began) != 0 {
					t.Errorf("a call that needs nothing: %+v after %s", r, time.Since(began))
				}
				if r := call(t, belt, "command", `{}`); r.Code != tt.code || time.Since(began) != tt.want {
					t.Errorf("the first call: %+v after %s, want %q after %s", r, time.Since(began), tt.code, tt.want)
				}
			})
		})
	}
}

func TestAToolOfOneWorkspaceIsNobodyElses(t *testing.T) {
	t.Parallel()
	b, err := tools.New(tools.Options{Gate: toolstest.Open()})
	if err != nil {
		t.Fatal(err)
	}
	here, there := ids.New[ids.Workspace](), ids.New[ids.Workspace]()
	who := func(text string) toolstest.Tool {
		e := toolstest.Echo("github__issue")
		e.Do = func(_ context.Context, call tools.Call) (tools.Result, error) {
			return tools.Says(text + " " + string(call.Workspace)), nil
		}
		return e
	}
	for _, err := range []error{
		b.Put("test", toolstest.Echo("echo")), b.PutIn(here, "mcp/github", who("here")), b.PutIn(there, "mcp/github", who("there")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := b.PutIn(here, "mcp/other", toolstest.Echo("echo")); !fault.HasCode(err, "tool_name_taken") {
		t.Errorf("a name of everyone's tools was given away: %v", err)
	}
	for ws, want := range map[ids.Workspace]string{here: "here " + string(here), there: "there " + string(there)} {
		belt, err := b.In(ws, tools.All())
		if err != nil {
			t.Fatal(err)
		}
		r, err := belt.Call(t.Context(), tools.Call{Tool: "github__issue", Workspace: "ws_forged"})
		if err != nil || r.Text() != want {
			t.Errorf("%s: got %q, %v, want %q", ws, r.Text(), err, want)
		}
		if n := len(belt.Specs()); n != 2 {
			t.Errorf("%s has %d tools, want 2", ws, n)
		}
	}
	belt, err := b.For(tools.All())
	if err != nil {
		t.Fatal(err)
	}
	if r := call(t, belt, "github__issue", `{}`); r.Code != "tool_not_found" {
		t.Errorf("without a workspace: %+v", r)
	}
	if err := b.PutIn(here, "mcp/github"); err != nil {
		t.Fatal(err)
	}
	if belt, _ = b.In(here, tools.All()); len(belt.Specs()) != 1 {
		t.Errorf("a removed origin still has tools: %v", belt.Specs())
	}
}

func TestABeltWithToolsOfItsOwn(t *testing.T) {
	t.Parallel()
	journal := &toolstest.Journal{}
	b, err := tools.New(tools.Options{Gate: toolstest.Open(), Auditor: journal})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Put("test", toolstest.Echo("echo"), toolstest.Echo("hidden")); err != nil {
		t.Fatal(err)
	}
	plain, err := b.For(tools.Filter{Allow: []string{"echo"}})
	if err != nil {
		t.Fatal(err)
	}
	louder := toolstest.Echo("echo")
	louder.Do = func(context.Context, tools.Call) (tools.Result, error) { return tools.Says("mine"), nil }
	own, err := plain.With("run", louder, toolstest.Echo("delegate"))
	if err != nil {
		t.Fatal(err)
	}
	if r := call(t, own, "echo", `{}`); r.Text() != "mine" {
		t.Errorf("the belt's own tool answered %q", r.Text())
	}
	if r := call(t, own, "delegate", `{}`); r.IsError {
		t.Errorf("delegate: %+v", r)
	}
	if r := call(t, own, "hidden", `{}`); r.Code != "tool_not_found" {
		t.Errorf("a tool the filter keeps back: %+v", r)
	}
	if r := call(t, plain, "delegate", `{}`); r.Code != "tool_not_found" {
		t.Errorf("the belt it was made of has it too: %+v", r)
	}
	if n := len(own.Specs()); n != 2 {
		t.Errorf("%d tools, want 2", n)
	}
	if _, finished := journal.Lines(); len(finished) != 2 {
		t.Errorf("%d calls journalled, want 2", len(finished))
	}
}
