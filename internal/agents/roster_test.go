package agents_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// team is a roster on a database, and someone who may change it.
type team struct {
	*agents.Roster
	t    *testing.T
	ctx  context.Context
	ws   ids.Workspace
	said *eventstest.Listener
}

func newTeam(t *testing.T, db *store.DB, change ...func(*agents.Options)) *team {
	t.Helper()
	hub := eventstest.New(t, db)
	opts := agents.Options{DB: db, Hub: hub, Model: agents.Always("test/model")}
	for _, c := range change {
		c(&opts)
	}
	r, err := agents.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	ws := storetest.Workspace()
	return &team{r, t, t.Context(), ws, eventstest.Listen(t, hub, ws, agents.Channel)}
}

func (w *team) create(name, fields string) agents.Saved {
	w.t.Helper()
	a, err := w.Create(w.ctx, w.ws, name, json.RawMessage(fields))
	if err != nil {
		w.t.Fatalf("Create(%s): %v", name, err)
	}
	return a
}

func (w *team) patch(name, fields string) agents.Saved {
	w.t.Helper()
	a, err := w.Patch(w.ctx, w.ws, name, json.RawMessage(fields))
	if err != nil {
		w.t.Fatalf("Patch(%s): %v", name, err)
	}
	return a
}

func (w *team) get(name string) agents.Agent {
	w.t.Helper()
	a, err := w.Get(w.ctx, w.ws, name)
	if err != nil {
		w.t.Fatalf("Get(%s): %v", name, err)
	}
	return a
}

func (w *team) names() []string {
	w.t.Helper()
	list, err := w.List(w.ctx, w.ws)
	if err != nil {
		w.t.Fatal(err)
	}
	var names []string
	for _, a := range list {
		names = append(names, a.Name)
	}
	return names
}

func wantCode(t *testing.T, what string, err error, code string) *fault.Fault {
	t.Helper()
	if !fault.HasCode(err, code) {
		t.Fatalf("%s: %v, want %s", what, err, code)
	}
	return fault.From(err)
}

func TestPresets(t *testing.T) {
	t.Parallel()
	r := agents.New(agents.Always("test/model"))
	list, err := r.List(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range list {
		names = append(names, a.Name)
		if a.Model != "test/model" || a.Instructions == "" || a.Description == "" || a.Driver != "native" || a.Origin != agents.FromPreset || !a.Memory.Recall {
			t.Errorf("%s is incomplete: %+v", a.Name, a)
		}
	}
	if want := []string{"assistant", "coder", "coordinator", "researcher", "reviewer", "tester"}; !slices.Equal(names, want) {
		t.Errorf("presets are %v, want %v", names, want)
	}
	reviewer, err := r.Get(t.Context(), "", "reviewer")
	if err != nil || reviewer.Tools.Has("run_command") || reviewer.Tools.Has("write_file") || !reviewer.Tools.Has("git_diff") {
		t.Errorf("the reviewer's tools are %+v (%v)", reviewer.Tools, err)
	}
	if _, err := r.Create(t.Context(), "", "x", json.RawMessage(`{}`)); err == nil {
		t.Error("a roster without a database took a new agent")
	}
}

func TestLayers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newTeam(t, db, func(o *agents.Options) {
			o.Settings = map[string]json.RawMessage{
				"coder":  json.RawMessage(`{"model":"openai/gpt-6-sol","limits":{"turns":9}}`),
				"writer": json.RawMessage(`{"description":"Writes.","instructions":"Write."}`),
			}
		})
		coder := w.get("coder")
		if coder.Model != "openai/gpt-6-sol" || coder.Limits.Turns != 9 || coder.Origin != agents.FromConfig || !coder.Tools.Has("edit_file") {
			t.Errorf("the settings do not lie over the preset: %+v", coder)
		}
		if a := w.get("writer"); a.Origin != agents.FromConfig || a.Model != "test/model" || !a.Memory.Remember {
			t.Errorf("the settings' own agent is %+v", a)
		}
		w.patch("coder", `{"limits":{"depth":1},"tools":{"deny":["run_*"]}}`)
		coder = w.get("coder")
		if coder.Limits.Turns != 9 || coder.Limits.Depth != 1 || coder.Tools.Has("run_command") || !coder.Tools.Has("edit_file") || coder.Origin != agents.FromWorkspace || coder.Version != 1 {
			t.Errorf("the workspace does not lie over the settings: %+v", coder)
		}
		if err := w.Delete(w.ctx, w.ws, "coder"); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(w.names(), "coder") {
			t.Error("a deleted preset is still there")
		}
		_, err := w.Get(w.ctx, w.ws, "coder")
		wantCode(t, "Get of a deleted one", err, "agent_not_found")
		if _, err := w.Get(w.ctx, storetest.Workspace(), "coder"); err != nil {
			t.Errorf("another workspace lost it: %v", err)
		}
		back, err := w.Rollback(w.ctx, w.ws, "coder", 0)
		if err != nil || back.Origin != agents.FromConfig || back.Version != 3 || back.Limits.Depth != 0 {
			t.Errorf("reset gives %+v (%v)", back, err)
		}
		if got, want := w.said.Kinds(3), []string{"agents.changed", "agents.deleted", "agents.created"}; !slices.Equal(got, want) {
			t.Errorf("said %v, want %v", got, want)
		}
		if err := w.Configure(nil); err != nil {
			t.Fatal(err)
		}
		if a := w.get("coder"); a.Origin != agents.FromPreset || a.Limits.Turns != 0 {
			t.Errorf("without settings it is %+v", a)
		}
	})
}

func TestMergePatch(t *testing.T) {
	t.Parallel()
	w := newTeam(t, storetest.SQLite(t))
	made := w.create("ops", `{"title":"Ops","params":{"temperature":0.2,"max_tokens":100},"helpers":["coder"],"memory":{"recall":false}}`)
	if made.Version != 1 || made.Memory.Recall || !made.Memory.Remember || *made.Params.Temperature != 0.2 {
		t.Fatalf("made %+v", made)
	}
	a := w.patch("ops", `{"params":{"temperature":null},"memory":null,"title":"Operations"}`)
	if a.Params.Temperature != nil || a.Params.MaxTokens != 100 || !a.Memory.Recall || a.Title != "Operations" || !slices.Equal(a.Helpers, []string{"coder"}) || a.Version != 2 {
		t.Errorf("patched to %+v", a)
	}
	if again := w.patch("ops", `{"title":"Operations"}`); again.Version != 2 {
		t.Errorf("a change that changes nothing made version %d", again.Version)
	}
	// What was read can be sent back.
	whole, err := json.Marshal(w.get("ops"))
	if err != nil {
		t.Fatal(err)
	}
	w.patch("ops", string(whole))
	for patch, want := range map[string][2]string{
		`{"version":1,"title":"x"}`:         {"agent_changed", "version"},
		`{"name":"other"}`:                  {"read_only", "name"},
		`{"titel":"x"}`:                     {"unknown_field", "titel"},
		`{"limits":{"turns":"many"}}`:       {"wrong_type", "limits.turns"},
		`{"tools":{"allow":["git_[*"]}}`:    {"agent_invalid", "tools.allow[0]"},
		`{"params":{"temperature":3}}`:      {"agent_invalid", "params.temperature"},
		`[]`:                                {"wrong_type", "body"},
		`{"limits":{"depth":99}}`:           {"agent_invalid", "limits.depth"},
		`{"driver":"tmux"}`:                 {"", "driver"},
		`{"hue":"mauve","users":["", "a"]}`: {"agent_invalid", "hue"},
	} {
		_, err := w.Patch(w.ctx, w.ws, "ops", json.RawMessage(patch))
		f := fault.From(err)
		if err == nil || f.Param != want[1] || (want[0] != "" && f.Code != want[0]) || f.Hint == "" {
			t.Errorf("Patch(%s) = %+v, want %v with a hint", patch, f, want)
		}
	}
}

func TestEveryProblemIsListed(t *testing.T) {
	t.Parallel()
	w := newTeam(t, storetest.SQLite(t), func(o *agents.Options) {
		o.Known = func(_ context.Context, _ ids.Workspace, model string) bool { return model == "openai/gpt-6-sol" }
	})
	_, err := w.Create(w.ctx, w.ws, "Bad Name", json.RawMessage(`{"limits":{"turns":-1},"tools":{"deny":["["]},"description":"`+strings.Repeat("x", 3000)+`"}`))
	f := wantCode(t, "Create", err, "agent_invalid")
	problems, _ := f.Details["problems"].([]agents.Problem)
	var params []string
	for _, p := range problems {
		params = append(params, p.Param)
		if p.Message == "" || p.Hint == "" {
			t.Errorf("a problem without help: %+v", p)
		}
	}
	if want := []string{"name", "description", "tools.deny[0]", "limits.turns"}; !slices.Equal(params, want) {
		t.Errorf("problems with %v, want %v", params, want)
	}
	a := w.create("odd", `{"model":"openai/gpt-9","helpers":["nobody","c*"]}`)
	if len(a.Warnings) != 2 || a.Warnings[0].Param != "model" || a.Warnings[1].Param != "helpers[0]" {
		t.Errorf("warnings are %+v", a.Warnings)
	}
	_, err = w.Create(w.ctx, w.ws, "odd", json.RawMessage(`{}`))
	wantCode(t, "a second one", err, "agent_exists")
	_, err = w.Create(w.ctx, w.ws, "assistant", json.RawMessage(`{}`))
	wantCode(t, "one named as a preset", err, "agent_exists")
}

func TestVersions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newTeam(t, db)
		w.create("ops", `{"title":"One","limits":{"turns":3}}`)
		w.patch("ops", `{"title":"Two"}`)
		w.patch("ops", `{"limits":{"turns":4},"tools":{"allow":["git_*"]}}`)
		if err := w.Delete(w.ctx, w.ws, "ops"); err != nil {
			t.Fatal(err)
		}
		back, err := w.Rollback(w.ctx, w.ws, "ops", 1)
		if err != nil || back.Title != "One" || back.Version != 5 {
			t.Fatalf("rolled back to %+v (%v)", back, err)
		}
		list, err := w.Versions(w.ctx, w.ws, "ops", page.Query{Limit: 3})
		if err != nil || len(list.Data) != 3 || !list.HasMore {
			t.Fatalf("versions %+v (%v)", list, err)
		}
		rest, err := w.Versions(w.ctx, w.ws, "ops", page.Query{Cursor: list.NextCursor})
		if err != nil {
			t.Fatal(err)
		}
		var changes []agents.Change
		for _, v := range append(list.Data, rest.Data...) {
			changes = append(changes, v.Change)
		}
		if want := []agents.Change{"rolled_back", "deleted", "changed", "changed", "created"}; !slices.Equal(changes, want) {
			t.Errorf("changes are %v, want %v", changes, want)
		}
		got, err := w.Compare(w.ctx, w.ws, "ops", 1, 3)
		if err != nil {
			t.Fatal(err)
		}
		want := []agents.Difference{
			{Field: "limits.turns", From: json.Number("3"), To: json.Number("4")},
			{Field: "title", From: "One", To: "Two"},
			{Field: "tools.allow", From: []any{}, To: []any{"git_*"}},
		}
		if diff := cmp.Diff(want, got.Differences); diff != "" {
			t.Errorf("Compare: %s", diff)
		}
		if now, err := w.Compare(w.ctx, w.ws, "ops", 3, -1); err != nil || now.To != 5 || len(now.Differences) != 3 {
			t.Errorf("Compare with now: %+v (%v)", now, err)
		}
		_, err = w.Version(w.ctx, w.ws, "ops", 9)
		wantCode(t, "a version that is not there", err, "version_not_found")
		_, err = w.Versions(w.ctx, w.ws, "nobody", page.Query{})
		wantCode(t, "an agent that is not there", err, "agent_not_found")
		_, err = w.Rollback(w.ctx, w.ws, "ops", 0)
		wantCode(t, "nothing beneath", err, "no_preset")
	})
}

func TestWhoMayUseIt(t *testing.T) {
	t.Parallel()
	w := newTeam(t, storetest.SQLite(t))
	w.create("payroll", `{"users":["mira"]}`)
	as := func(login string, role identity.Role) context.Context {
		return identity.With(w.ctx, &identity.Identity{Login: login, User: ids.New[ids.User](), Workspace: w.ws, Role: role, Permissions: role.Permissions()})
	}
	for name, tt := range map[string]struct {
		ctx context.Context
		may bool
	}{
		"the one named":    {as("Mira", identity.Operator), true},
		"someone else":     {as("otto", identity.Operator), false},
		"an administrator": {as("ada", identity.Admin), true},
		"work of our own":  {w.ctx, true},
	} {
		_, err := w.Get(tt.ctx, w.ws, "payroll")
		if (err == nil) != tt.may {
			t.Errorf("%s: Get says %v", name, err)
		}
		list, err := w.List(tt.ctx, w.ws)
		if there := slices.ContainsFunc(list, func(a agents.Agent) bool { return a.Name == "payroll" }); err != nil || there != tt.may {
			t.Errorf("%s: listed is %v (%v)", name, there, err)
		}
		_, err = w.Get(tt.ctx, w.ws, "payrol")
		if tells := strings.Contains(fault.From(err).Hint, "payroll"); tells != tt.may {
			t.Errorf("%s: the hint for a misspelt name is %q", name, fault.From(err).Hint)
		}
	}
}

// Two processes on one database: what one changes the other knows, once its hub
// has heard of it.
func TestSharedDatabase(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		shared := func(o *agents.Options) { o.Shared = true }
		here := newTeam(t, db, shared)
		hub := eventstest.New(t, db)
		there, err := agents.Open(agents.Options{DB: db, Hub: hub, Model: agents.Always("test/model"), Shared: true})
		if err != nil {
			t.Fatal(err)
		}
		here.create("ops", `{"title":"One"}`)
		titles := []string{"One", "Two", "Three"}
		for i, after := range titles[1:] {
			before := titles[i]
			if a, err := there.Get(t.Context(), here.ws, "ops"); err != nil || a.Title != before {
				t.Fatalf("before the change: %+v (%v)", a, err)
			}
			heard := eventstest.Listen(t, hub, here.ws, agents.Channel) // behind the roster's own ear
			here.patch("ops", `{"title":"`+after+`"}`)
			heard.Next()
			if a, err := there.Get(t.Context(), here.ws, "ops"); err != nil || a.Title != after {
				t.Fatalf("after the change: %+v (%v)", a, err)
			}
		}
	})
}

// No update is lost when two change at the same time.
func TestConcurrentChanges(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newTeam(t, db)
		w.create("ops", `{}`)
		results := make(chan error)
		const n = 8
		for i := range n {
			go func() {
				_, err := w.Patch(w.ctx, w.ws, "ops", json.RawMessage(`{"limits":{"turns":`+string(rune('1'+i))+`}}`))
				results <- err
			}()
		}
		done := 0
		for range n {
			err := <-results
			if err == nil {
				done++
			} else if !fault.HasCode(err, "agent_changed") {
				t.Error(err)
			}
		}
		if a := w.get("ops"); a.Version != done+1 {
			t.Errorf("%d changes were accepted, and the version is %d", done, a.Version)
		}
	})
}
