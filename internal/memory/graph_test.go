package memory_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/tools"
)

// everything lets every call through, for tests of the tools themselves.
type everything struct{}

func (everything) Judge(_ context.Context, _ tools.Spec, _ tools.Call) (tools.Ruling, error) {
	return tools.Ruling{Verdict: tools.Allow}, nil
}

// call uses the tools of memory as an agent of someone would.
func (w *world) call(o memory.Owner, name, args string) tools.Result {
	w.t.Helper()
	box, err := tools.New(tools.Options{Gate: everything{}})
	must(w.t, err)
	must(w.t, box.Put(memory.ToolOrigin, append(w.Tools(), w.UnderscoreTools()...)...))
	belt, err := box.For(tools.Filter{Allow: []string{"*"}})
	must(w.t, err)
	r, err := belt.Call(w.t.Context(), tools.Call{ID: "1", Tool: name, Workspace: o.Workspace, User: o.User, Agent: "assistant", Args: json.RawMessage(args)})
	must(w.t, err)
	return r
}

func TestGraphTools(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, c := range []struct{ tool, args, want string }{
			{"create_entities", `{"entities":[{"name":"Anna","entityType":"person","observations":["plays chess"]},{"name":"Acme","entityType":"company","observations":[]}]}`,
				`[{"name":"Anna","entityType":"person","observations":["plays chess"]},{"name":"Acme","entityType":"company","observations":[]}]`},
			{"_create_entities", `{"entities":[{"name":"Anna","entityType":"robot","observations":["x"]},{"name":"Oslo","entityType":"city","observations":["is cold"]}]}`,
				`[{"name":"Oslo","entityType":"city","observations":["is cold"]}]`},
			{"create_relations", `{"relations":[{"from":"Anna","to":"Acme","relationType":"works at"},{"from":"Acme","to":"Oslo","relationType":"is in"}]}`,
				`[{"from":"Anna","to":"Acme","relationType":"works at"},{"from":"Acme","to":"Oslo","relationType":"is in"}]`},
			{"create_relations", `{"relations":[{"from":"Anna","to":"Acme","relationType":"works at"}]}`, `[]`},
			{"add_observations", `{"observations":[{"entityName":"Anna","contents":["plays chess","speaks Norwegian"]}]}`, `[{"entityName":"Anna","addedObservations":["speaks Norwegian"]}]`},
			{"search_nodes", `{"query":"NORWEGIAN"}`,
				`{"entities":[{"name":"Anna","entityType":"person","observations":["plays chess","speaks Norwegian"]}],"relations":[{"from":"Anna","to":"Acme","relationType":"works at"}]}`},
			{"_open_nodes", `{"names":["Oslo","Nobody"]}`, `{"entities":[{"name":"Oslo","entityType":"city","observations":["is cold"]}],"relations":[{"from":"Acme","to":"Oslo","relationType":"is in"}]}`},
			{"delete_observations", `{"deletions":[{"entityName":"Anna","observations":["plays chess"]}]}`, "Observations deleted successfully"},
			{"delete_relations", `{"relations":[{"from":"Acme","to":"Oslo","relationType":"is in"}]}`, "Relations deleted successfully"},
			{"delete_entities", `{"entityNames":["Acme"]}`, "Entities deleted successfully"},
			{"read_graph", `{}`, `{"entities":[{"name":"Anna","entityType":"person","observations":["speaks Norwegian"]},{"name":"Oslo","entityType":"city","observations":["is cold"]}],"relations":[]}`},
		} {
			r := w.call(w.anna, c.tool, c.args)
			if diff := cmp.Diff(c.want, r.Text()); r.IsError || diff != "" {
				t.Errorf("%s %s:\n%s", c.tool, c.args, diff)
			}
		}
		if r := w.call(w.anna, "add_observations", `{"observations":[{"entityName":"Ghost","contents":["x"]}]}`); !r.IsError || !strings.Contains(r.Text(), "Entity with name Ghost not found") {
			t.Errorf("observing a ghost: %q", r.Text())
		}
		if r := w.call(w.bert, "read_graph", `{}`); r.Text() != `{"entities":[],"relations":[]}` {
			t.Errorf("someone else reads %s", r.Text())
		}
		if got := first(w.find(w.anna, "who speaks norwegian")); got != "speaks Norwegian" {
			t.Errorf("the unified search found %q", got)
		}
	})
}

func TestNeighbourhood(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, g := t.Context(), memory.GraphOf{Owner: w.anna}
		var nodes []memory.Node
		for _, name := range []string{"a", "b", "c", "d", "far"} {
			nodes = append(nodes, memory.Node{Name: name, EntityType: "x"})
		}
		_, err := w.CreateEntities(ctx, g, nodes)
		must(t, err)
		_, err = w.CreateRelations(ctx, g, []memory.Relation{{From: "a", To: "b", RelationType: "r"}, {From: "c", To: "b", RelationType: "r"}, {From: "c", To: "d", RelationType: "r"}, {From: "d", To: "a", RelationType: "r"}})
		must(t, err)
		for depth, want := range map[int]string{1: "abd", 2: "abcd", 4: "abcd"} {
			near, err := w.Neighbourhood(ctx, g, "a", depth)
			must(t, err)
			got := ""
			for _, n := range near.Entities {
				got += n.Name
			}
			if got != want {
				t.Errorf("within %d of a: %s, want %s", depth, got, want)
			}
		}
		if _, err := w.Neighbourhood(ctx, g, "a", 9); !fault.HasCode(err, "bad_depth") {
			t.Errorf("depth 9: %v", err)
		}
	})
}

func TestFactTools(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if r := w.call(w.anna, "remember", `{"text":"The user's boat is called Nixe"}`); r.IsError {
			t.Fatal(r.Text())
		}
		r := w.call(w.anna, "recall", `{"query":"name of the boat"}`)
		if !strings.Contains(r.Text(), "Nixe") {
			t.Errorf("recall: %q", r.Text())
		}
		if r := w.call(w.bert, "recall", `{"query":"name of the boat"}`); strings.Contains(r.Text(), "Nixe") {
			t.Errorf("someone else recalls %q", r.Text())
		}
		if r := w.call(w.anna, "remember", `{"text":"hello!"}`); !r.IsError || r.Code != "fact_junk" {
			t.Errorf("junk: %+v", r)
		}
		id := r.Meta["found"].([]memory.Found)[0].ID
		if r := w.call(w.bert, "forget", `{"id":"`+id+`"}`); !r.IsError || r.Code != "fact_not_found" {
			t.Errorf("someone else forgets: %+v", r)
		}
		if r := w.call(w.anna, "forget", `{"id":"`+id+`"}`); r.IsError {
			t.Error(r.Text())
		}
		if r := w.call(w.anna, "recall", `{"query":"name of the boat"}`); strings.Contains(r.Text(), "Nixe") {
			t.Errorf("after forgetting: %q", r.Text())
		}
	})
}

func TestProfile(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		merge := func(text string) memory.Merge {
			t.Helper()
			var fields map[string]any
			must(t, json.Unmarshal([]byte(text), &fields))
			m, err := w.MergeProfile(ctx, w.anna, fields)
			must(t, err)
			return m
		}
		merge(`{"name":"Anna","work":{"company":"Acme","role":"nurse"},"tags":["a"]}`)
		got := merge(`{"name":"Anne","work":{"role":null,"since":2020},"tags":["a"],"home":{"city":"Oslo"}}`)
		want := memory.Merge{Added: []string{"home.city", "work.since"}, Updated: []string{"name"}, Deleted: []string{"work.role"}}
		if diff := cmp.Diff([][]string{want.Added, want.Updated, want.Deleted}, [][]string{got.Added, got.Updated, got.Deleted}); diff != "" {
			t.Error(diff)
		}
		p, err := w.Profile(ctx, w.anna)
		must(t, err)
		text, _ := json.Marshal(p.Fields)
		if string(text) != `{"home":{"city":"Oslo"},"name":"Anne","tags":["a"],"work":{"company":"Acme","since":2020}}` || p.Version != 2 {
			t.Errorf("version %d: %s", p.Version, text)
		}
		if _, err := w.MergeProfile(ctx, w.anna, map[string]any{"work": map[string]any{"api_key": "x"}}); !fault.HasCode(err, "fact_sensitive") {
			t.Errorf("a secret field: %v", err)
		}
		if p, err := w.Profile(ctx, w.bert); err != nil || len(p.Fields) != 0 {
			t.Errorf("someone else has %v, %v", p.Fields, err)
		}
	})
}
