package runs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/providerstest"
	"github.com/fluxway/fluxway/internal/providers/vendors"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// vendorsAtTheWire are adapters in front of fakes that speak their vendor's protocol.
var vendorsAtTheWire = map[string]struct {
	path string
	fake func(testing.TB) *providerstest.Fake
}{
	"openai": {"/v1", providerstest.FakeOpenAI}, "acme": {"/v1", providerstest.FakeOpenAI}, "anthropic": {"", providerstest.FakeAnthropic},
}

func atTheWire(t *testing.T, name string) (*plant, *providerstest.Fake) {
	t.Helper()
	v := vendorsAtTheWire[name]
	fake := v.fake(t)
	m, err := vendors.New(vendors.Spec{Name: name, BaseURL: fake.URL + v.path, Accounts: providers.OneKey(name, secret.New(providerstest.FakeKey))})
	if err != nil {
		t.Fatal(err)
	}
	return newPlant(t, storetest.SQLite(t), setup{serves: m}), fake
}

func TestAModelThatWritesBrokenArgumentsCanCorrectThem(t *testing.T) {
	t.Parallel()
	for name := range vendorsAtTheWire {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, fake := atTheWire(t, name)
			fake.Will(
				providerstest.Reply{Says: "I calculate.", Calls: []providerstest.Call{
					{ID: "call_a", Name: "calculator", Args: `{"expression": "6*7`}, {ID: "call_b", Name: "calculator", Args: `{"expression": 6*7}`},
					{ID: "call_c", Name: "calculator", Args: `["6*7"]`}, {ID: "call_d", Name: "calcluator", Args: `{}`},
				}},
				providerstest.Reply{Calls: []providerstest.Call{{ID: "call_e", Name: "calculator", Args: `{"expression":"6*7"}`}}},
				providerstest.Reply{Says: "It is 42."},
			)
			defer p.work()()
			a := p.ask("What is 6*7?", "")
			p.over(a.Run.ID)
			if run := p.get(a.Run.ID); run.State != runs.Finished || run.Turns != 3 || run.Calls != 5 {
				t.Fatalf("run %+v with %+v", run, run.Error)
			}
			steps, err := p.Steps(t.Context(), p.who, a.Run.ID, page.Query{})
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{"call_a": "invalid_arguments", "call_b": "invalid_arguments", "call_c": "invalid_arguments", "call_d": "tool_not_found", "call_e": ""}
			for _, s := range steps.Data {
				if code, ok := want[s.Call]; ok && s.Code != code {
					t.Errorf("%s: %s with %q, want %q", s.Call, s.Name, s.Code, code)
				}
			}
			for i, seen := range fake.Seen() {
				if !json.Valid(seen.Body) {
					t.Errorf("request %d is not JSON: %s", i, seen.Body)
				}
			}
			second := string(fake.Seen()[1].Body)
			for _, words := range []string{"The arguments are not valid JSON", "The parameters are: expression (string, required)", "Did you mean calculator?"} {
				if !strings.Contains(second, words) {
					t.Errorf("the model is not told %q:\n%s", words, second)
				}
			}
			if parts := p.said(a.Conversation.ID)[1].Parts; len(parts) != 12 || parts[len(parts)-1].Text != "It is 42." {
				t.Errorf("the answer has %d parts: %+v", len(parts), parts)
			}
		})
	}
}

// A history that was edited elsewhere may call a tool and not say what came of it; vendors refuse such a conversation.
func TestADanglingCallIsSettledBeforeAVendorSeesIt(t *testing.T) {
	t.Parallel()
	for name := range vendorsAtTheWire {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, fake := atTheWire(t, name)
			asked, answered := ids.New[ids.Message](), ids.New[ids.Message]()
			c, err := p.book.Import(t.Context(), p.who, conversations.Exported{
				Format: conversations.Format, Version: conversations.FormatVersion, Title: "Edited", Agent: "assistant",
				Messages: []conversations.Message{
					{ID: asked, Role: providers.RoleUser, State: conversations.Complete, Parts: []providers.Part{providers.Text("Look it up")}},
					{ID: answered, Parent: asked, Role: providers.RoleModel, State: conversations.Stopped, Parts: []providers.Part{
						{Kind: providers.PartToolCall, ID: "call_x", Name: "calculator", Args: json.RawMessage(`{"expression":"1+1"}`)},
						{Kind: providers.PartToolResult, ID: "call_of_nobody", Name: "calculator", Text: "a result of nothing"},
					}},
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer p.work()()
			a := p.ask("And now?", c.ID)
			p.over(a.Run.ID)
			if run := p.get(a.Run.ID); run.State != runs.Finished {
				t.Fatalf("run %+v with %+v", run, run.Error)
			}
			body := string(fake.Seen()[0].Body)
			if strings.Count(body, "call_x") != 2 || !strings.Contains(body, "stopped before it had a result") || strings.Contains(body, "a result of nothing") {
				t.Errorf("the vendor gets %s", body)
			}
			if said := p.said(c.ID); len(said) != 4 {
				t.Errorf("%d messages are left", len(said))
			}
		})
	}
}
