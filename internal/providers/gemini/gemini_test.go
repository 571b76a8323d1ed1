package gemini_test

import (
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/gemini"
	"github.com/fluxway/fluxway/internal/providers/providerstest"
)

func start(t *testing.T, accounts *providers.Accounts) (providers.Model, *providerstest.Fake) {
	f := providerstest.FakeGemini(t)
	m, err := gemini.New(gemini.Options{Accounts: accounts, BaseURL: f.URL + "/v1beta"})
	if err != nil {
		t.Fatal(err)
	}
	return m, f
}

func TestContract(t *testing.T) {
	t.Parallel()
	providerstest.Contract(t, providerstest.Subject{
		New: start, Model: "gemini-2.5-test", SignsCall: true, Dialect: providers.DialectGemini,
		RawBody: func(bool) string { return `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}` },
	})
}

func one(t *testing.T) (*gemini.Model, *providerstest.Fake) {
	m, f := start(t, providers.OneKey("gemini", secret.New(providerstest.FakeKey)))
	return m.(*gemini.Model), f
}

func TestThinkingFitsTheModel(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{
		"gemini-2.5-flash":     `"thinkingConfig":{"includeThoughts":true,"thinkingBudget":2048}`,
		"gemini-3-pro-preview": `"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"low"}`,
	} {
		m, f := one(t)
		req := &providers.Request{Model: model, Reasoning: providers.Reasoning{Effort: providers.EffortLow}, Messages: []providers.Message{providers.UserText("x")}}
		if _, err := providers.Complete(t.Context(), m, req); err != nil {
			t.Fatal(err)
		}
		seen := f.Seen()[0]
		if body := string(seen.Body); !strings.Contains(body, want) {
			t.Errorf("%s: want %s in\n%s", model, want, body)
		}
		if seen.Path != "/v1beta/models/"+model+":streamGenerateContent" {
			t.Errorf("path %s", seen.Path)
		}
	}
}

func TestCountListEmbed(t *testing.T) {
	t.Parallel()
	m, _ := one(t)
	if n, err := m.CountTokens(t.Context(), &providers.Request{Model: "gemini-test", Messages: []providers.Message{providers.UserText("count me")}}); err != nil || n == 0 {
		t.Errorf("CountTokens = %d, %v", n, err)
	}
	if list, err := m.Models(t.Context()); err != nil || len(list) != 1 || list[0].ID != "gemini-test" || list[0].Context != 1048576 {
		t.Errorf("Models = %+v, %v", list, err)
	}
	e, err := m.Embed(t.Context(), providers.EmbedRequest{Model: "embed-test", Texts: []string{"a", "b"}, Purpose: "query"})
	if err != nil || len(e.Vectors) != 2 || e.Vectors[1][0] != 1 || !e.Usage.Estimated || e.Usage.Input == 0 {
		t.Errorf("Embed = %+v, %v", e, err)
	}
}
