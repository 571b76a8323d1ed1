package memory_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// TestNothingLeaks lets people of two workspaces remember, say, draw and read things in random scopes, all
// with the same common words, and looks everywhere for what is not theirs. What each thing is marked with
// says who may see it.
func TestNothingLeaks(t *testing.T) {
	eachWithVectors(t, func(t *testing.T, db *store.DB, index memory.Index) {
		w := newWorld(t, db, memory.Options{Index: index, Embedder: thesaurus{name: "one"}, Rules: memory.Rules{Turns: true}})
		rapid.Check(t, func(r *rapid.T) { leak(r, t, w) })
	})
}

// thing is something known, with who may see it.
type thing struct {
	mark  string
	ws    ids.Workspace
	scope memory.Scope
}

func (x thing) visible(q memory.Query) bool {
	return x.ws == q.Workspace && (x.scope.User == "" || x.scope.User == q.User) && (x.scope.Agent == "" || x.scope.Agent == q.Agent) &&
		(x.scope.Project == "" || x.scope.Project == q.Project)
}

func leak(r *rapid.T, t *testing.T, w *world) {
	ctx := t.Context()
	workspaces := []ids.Workspace{storetest.Workspace(), storetest.Workspace()}
	users := []ids.User{ids.New[ids.User](), ids.New[ids.User]()}
	pick := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(r, label) }
	var things []thing
	add := func(i int) {
		o := memory.Owner{Workspace: rapid.SampledFrom(workspaces).Draw(r, "workspace"), User: rapid.SampledFrom(users).Draw(r, "user")}
		x := thing{mark: fmt.Sprintf("mark%dx", i), ws: o.Workspace, scope: memory.Scope{Agent: pick("agent", "", "coder"), Project: pick("project", "", "web")}}
		if rapid.Bool().Draw(r, "own") {
			x.scope.User = o.User
		}
		body := "The harbour crane number " + x.mark + " is painted yellow"
		switch pick("how", "fact", "turn", "entity", "source", "profile") {
		case "fact":
			_, err := w.Add(ctx, o, memory.NewFact{Scope: x.scope, Text: body, Pinned: rapid.Bool().Draw(r, "pinned")})
			must(t, err)
		case "turn":
			x.scope = memory.Scope{User: o.User}
			conv := ids.New[ids.Conversation]()
			must(t, w.Observe(ctx, memory.Exchange{Workspace: o.Workspace, User: o.User, Conversation: conv, Asked: body, Answered: body + " indeed"}))
			_, err := w.Learn(ctx, o.Workspace, o.User, conv)
			must(t, err)
		case "entity":
			x.scope = memory.Scope{User: o.User}
			_, err := w.CreateEntities(ctx, memory.GraphOf{Owner: o}, []memory.Node{{Name: "crane", EntityType: "thing"}})
			must(t, err)
			_, err = w.AddObservations(ctx, memory.GraphOf{Owner: o}, []memory.Observations{{EntityName: "crane", Contents: []string{body}}})
			must(t, err)
		case "profile":
			x.scope = memory.Scope{User: o.User}
			_, err := w.MergeProfile(ctx, o, map[string]any{"crane" + x.mark: body})
			must(t, err)
		case "source":
			s, err := w.AddSource(ctx, o, memory.NewSource{Scope: x.scope, Text: body})
			must(t, err)
			w.index(s)
		}
		things = append(things, x)
	}
	for i := range rapid.IntRange(1, 8).Draw(r, "things") {
		add(i)
	}
	if rapid.Bool().Draw(r, "embedded") {
		w.embed()
	}
	asking := func() memory.Query {
		return memory.Query{
			Workspace: rapid.SampledFrom(append(workspaces, storetest.Workspace())).Draw(r, "in"), User: rapid.SampledFrom(append(users, "", ids.New[ids.User]())).Draw(r, "as"),
			Agent: pick("with", "", "coder", "other"), Project: pick("on", "", "web", "other"), Text: pick("asking", "harbour crane yellow", "crane", "mark0x mark1x mark2x", "painted"), Limit: 100, Explain: true,
		}
	}
	search := func(q memory.Query) {
		for _, look := range looks(t, w, q) {
			for _, x := range things {
				if strings.Contains(look.seen, x.mark) && !look.may(x) {
					r.Errorf("%s shows %+v to %+v", look.place, x, q)
				}
			}
		}
	}
	for range 3 {
		search(asking())
	}
	if rapid.Bool().Draw(r, "quiet") {
		return
	}
	w.embed() // what has its vector is found by more than its words
	q := asking()
	before, err := w.Search(ctx, q)
	must(t, err)
	known := len(things)
	for i := range 3 {
		add(known + i)
	}
	w.embed()
	search(q)
	if slices.ContainsFunc(things[known:], func(x thing) bool { return x.visible(q) }) {
		return
	}
	after, err := w.Search(ctx, q)
	must(t, err)
	if diff := cmp.Diff(before.Found, after.Found, cmpopts.EquateApprox(0, 2e-4)); diff != "" {
		r.Errorf("what others know changes what %+v gets:\n%s", q, diff)
	}
}

// look is what someone got to see somewhere, and what they may see there.
type look struct {
	place, seen string
	may         func(thing) bool
}

// looks is everything that someone can get to see. People see what agents and projects of
// their workspace know; an agent sees what is for all, for its user and for itself.
func looks(t *testing.T, w *world, q memory.Query) []look {
	var out []look
	show := func(place string, may func(thing) bool, value any, err error) {
		must(t, err)
		text, err := json.Marshal(value)
		must(t, err)
		out = append(out, look{place, string(text), may})
	}
	ctx, o := t.Context(), memory.Owner{Workspace: q.Workspace, User: q.User}
	person := func(x thing) bool { return x.ws == q.Workspace && (x.scope.User == "" || x.scope.User == q.User) }
	agent := func(x thing) bool {
		return x.visible(memory.Query{Workspace: q.Workspace, User: q.User, Agent: "assistant"})
	}
	answer, err := w.Search(ctx, q)
	show("search", func(x thing) bool { return x.visible(q) }, answer, err)
	recalled, err := w.Recall(ctx, q)
	show("recall", func(x thing) bool { return x.visible(q) }, recalled, err)
	graph, err := w.ReadGraph(ctx, memory.GraphOf{Owner: o})
	show("graph", person, graph, err)
	nodes, err := w.SearchNodes(ctx, memory.GraphOf{Owner: o}, "crane")
	show("nodes", person, nodes, err)
	around, err := w.SearchNodes(ctx, memory.GraphOf{Owner: o}, "harbour")
	show("nodes by words", person, around, err)
	profile, err := w.Profile(ctx, o)
	show("profile", func(x thing) bool { return person(x) && x.scope.User == q.User }, profile, err)
	again, err := w.Search(ctx, q) // what is kept between searches
	show("search once more", func(x thing) bool { return x.visible(q) }, again, err)
	for _, n := range nodes.Entities {
		near, err := w.Neighbourhood(ctx, memory.GraphOf{Owner: o}, n.Name, 2)
		show("neighbourhood", person, near, err)
	}
	sources, err := w.Sources(ctx, o, page.Query{Limit: 100})
	show("sources", person, sources, err)
	facts, err := w.Facts(ctx, o, memory.FactFilter{Query: page.Query{Limit: 100}})
	show("facts", person, facts, err)
	show("recall tool", agent, w.call(o, "recall", `{"query":"harbour crane"}`), nil)
	show("knowledge tool", agent, w.call(o, "knowledge_search", `{"query":"harbour crane"}`), nil)
	return out
}
