package agents_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func newRouter(t *testing.T, opts agents.RouterOptions) *agents.Router {
	t.Helper()
	r, err := agents.NewRouter(opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func pick(t *testing.T, r *agents.Router, ws ids.Workspace, text string) agents.Choice {
	t.Helper()
	c, err := r.Pick(t.Context(), ws, "", text)
	if err != nil {
		t.Fatalf("Pick(%q): %v", text, err)
	}
	if c.Why == "" || c.Confidence < 0 || c.Confidence > 1 {
		t.Errorf("Pick(%q) = %+v, without a reason or with an odd confidence", text, c)
	}
	return c
}

func TestPickAmongThePresets(t *testing.T) {
	t.Parallel()
	r := newRouter(t, agents.RouterOptions{Roster: agents.New(agents.Always("test/model"))})
	for text, want := range map[string]struct {
		agent string
		how   agents.How
	}{
		"@coder mend the login":                                {"coder", agents.ByMention},
		"please ask the reviewer what is wrong with my change": {"reviewer", agents.ByMention},
		"Tester: does it work?":                                {"tester", agents.ByMention},
		"could you tell researcher to look again":              {"researcher", agents.ByMention},
		"mail me at me@coder.example":                          {"coder", agents.ByWords},
		"implement the feature and refactor the code":          {"coder", agents.ByWords},
		"write unit tests for the edge cases and run them":     {"tester", agents.ByWords},
		"review this change for security mistakes":             {"reviewer", agents.ByWords},
		"search the web and compare sources with evidence":     {"researcher", agents.ByWords},
		"hello there": {"assistant", agents.ByDefault},
		"":            {"assistant", agents.ByDefault},
		"\x00\xff@":   {"assistant", agents.ByDefault},
	} {
		if c := pick(t, r, "", text); c.Agent != want.agent || c.How != want.how {
			t.Errorf("Pick(%q) = %+v, want %+v", text, c, want)
		}
	}
}

// The promise: adding, changing or removing an agent changes the next decision
// for the same text.
func TestADecisionFollowsTheAgents(t *testing.T) {
	t.Parallel()
	w := newTeam(t, storetest.SQLite(t))
	r := newRouter(t, agents.RouterOptions{Roster: w.Roster})
	const text = "book a flight to Lisbon and a hotel"
	if c := pick(t, r, w.ws, text); c.How != agents.ByDefault {
		t.Fatalf("before: %+v", c)
	}
	w.create("travel", `{"description":"Books flights, hotels and trains."}`)
	if c := pick(t, r, w.ws, text); c.Agent != "travel" || c.How != agents.ByWords {
		t.Fatalf("after adding: %+v", c)
	}
	if c := pick(t, r, w.ws, text); c.Agent != "travel" || c.How != agents.ByCache {
		t.Fatalf("the same again: %+v", c)
	}
	w.patch("travel", `{"description":"Waters plants."}`)
	if c := pick(t, r, w.ws, text); c.Agent == "travel" {
		t.Fatalf("after changing: %+v", c)
	}
	w.patch("travel", `{"description":"Books flights, hotels and trains."}`)
	if c := pick(t, r, w.ws, text); c.Agent != "travel" {
		t.Fatalf("after changing back: %+v", c)
	}
	if err := w.Delete(w.ctx, w.ws, "travel"); err != nil {
		t.Fatal(err)
	}
	if c := pick(t, r, w.ws, text); c.Agent == "travel" {
		t.Fatalf("after removing: %+v", c)
	}
}

func TestOnlyOneAndNone(t *testing.T) {
	t.Parallel()
	w := newTeam(t, storetest.SQLite(t))
	r := newRouter(t, agents.RouterOptions{Roster: w.Roster})
	for _, name := range w.names() {
		if c := pick(t, r, w.ws, "@assistant hello"); c.Agent != "assistant" {
			t.Fatalf("with some left: %+v", c)
		}
		if name != "assistant" {
			if err := w.Delete(w.ctx, w.ws, name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if c := pick(t, r, w.ws, "write code"); c.How != agents.ByOnly || c.Confidence != 1 {
		t.Errorf("with one left: %+v", c)
	}
	if err := w.Delete(w.ctx, w.ws, "assistant"); err != nil {
		t.Fatal(err)
	}
	_, err := r.Pick(w.ctx, w.ws, "", "hello")
	wantCode(t, "with none left", err, "no_agents")
}

func answering(answer string, asked *int) func(context.Context, ids.Workspace, *providers.Request) (*providers.Response, bool, error) {
	return func(_ context.Context, _ ids.Workspace, req *providers.Request) (*providers.Response, bool, error) {
		*asked++
		if req.Format == nil || !strings.Contains(req.System[0].Text, `"coder"`) {
			return nil, false, errors.New("the request does not say what it needs")
		}
		return &providers.Response{Parts: []providers.Part{providers.Text(answer)}}, true, nil
	}
}

func TestTheModelChooses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer string
		want   agents.How
	}{
		"sure":               {`{"agent":"tester","confidence":0.9,"why":"It is about trying."}`, agents.ByModel},
		"in a fence":         {"```json\n{\"agent\":\"tester\",\"confidence\":0.9,\"why\":\"x\"}\n```", agents.ByModel},
		"not sure":           {`{"agent":"tester","confidence":0.2,"why":"A guess."}`, agents.ByDefault},
		"someone unknown":    {`{"agent":"root","confidence":1,"why":"x"}`, agents.ByDefault},
		"not JSON":           {`tester`, agents.ByDefault},
		"beyond certainty":   {`{"agent":"tester","confidence":7,"why":"x"}`, agents.ByDefault},
		"an unfinished word": {`{"agent":"tes`, agents.ByDefault},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			r := newRouter(t, agents.RouterOptions{Roster: agents.New(agents.Always("test/model")), Ask: answering(tt.answer, &asked)})
			if c := pick(t, r, "", "hello there"); c.How != tt.want || (tt.want == agents.ByModel) != (c.Agent == "tester") {
				t.Errorf("chose %+v, want %s", c, tt.want)
			}
			pick(t, r, "", "hello there")
			if want := map[bool]int{true: 1, false: 2}[tt.want == agents.ByModel]; asked != want {
				t.Errorf("the model was asked %d times, want %d", asked, want)
			}
		})
	}
}

func TestASlowModelIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		r := newRouter(t, agents.RouterOptions{
			Roster: agents.New(agents.Always("test/model")), TTL: time.Minute,
			Ask: func(ctx context.Context, _ ids.Workspace, _ *providers.Request) (*providers.Response, bool, error) {
				asked++
				<-ctx.Done()
				return nil, false, ctx.Err()
			},
		})
		began := time.Now()
		if c := pick(t, r, "", "review this change for security mistakes"); c.Agent != "reviewer" || c.How != agents.ByWords {
			t.Errorf("chose %+v", c)
		}
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("it took %s", took)
		}
		pick(t, r, "", "review this change for security mistakes")
		time.Sleep(2 * time.Minute) // the bubble's clock: the decision expires
		pick(t, r, "", "review this change for security mistakes")
		if asked != 2 {
			t.Errorf("the model was asked %d times, want once per minute", asked)
		}
	})
}

func TestWhoMayNotUseAnAgentIsNotSentToIt(t *testing.T) {
	t.Parallel()
	w := newTeam(t, storetest.SQLite(t))
	w.create("payroll", `{"description":"Pays salaries.","users":["mira"]}`)
	r := newRouter(t, agents.RouterOptions{Roster: w.Roster})
	for login, want := range map[string]string{"mira": "payroll", "otto": "assistant"} {
		id := &identity.Identity{Login: login, Workspace: w.ws, Permissions: identity.Operator.Permissions()}
		for _, text := range []string{"@payroll hello", "when are salaries paid"} {
			c, err := r.Pick(identity.With(w.ctx, id), w.ws, "", text)
			if err != nil || c.Agent != want {
				t.Errorf("%s with %q is sent to %+v (%v)", login, text, c, err)
			}
		}
	}
}

func BenchmarkPickByWords(b *testing.B) {
	r, err := agents.NewRouter(agents.RouterOptions{Roster: agents.New(agents.Always("test/model")), TTL: -1})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := r.Pick(context.Background(), "", "", "implement the feature and refactor the code"); err != nil {
			b.Fatal(err)
		}
	}
}
