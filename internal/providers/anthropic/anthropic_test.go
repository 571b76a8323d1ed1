package anthropic_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/anthropic"
	"github.com/fluxway/fluxway/internal/providers/providerstest"
)

func start(t *testing.T, accounts *providers.Accounts) (providers.Model, *providerstest.Fake) {
	f := providerstest.FakeAnthropic(t)
	m, err := anthropic.New(anthropic.Options{Accounts: accounts, BaseURL: f.URL})
	if err != nil {
		t.Fatal(err)
	}
	return m, f
}

func TestContract(t *testing.T) {
	t.Parallel()
	providerstest.Contract(t, providerstest.Subject{
		New: start, Model: "claude-test-4-5", Signs: true, Redacts: true, Merged: true, Dialect: providers.DialectMessages,
		RawBody: func(streaming bool) string {
			return fmt.Sprintf(`{"model":"other","max_tokens":10,"stream":%v,"messages":[{"role":"user","content":"hi"}]}`, streaming)
		},
	})
}

func one(t *testing.T) (*anthropic.Model, *providerstest.Fake) {
	m, f := start(t, providers.OneKey("anthropic", secret.New(providerstest.FakeKey)))
	return m.(*anthropic.Model), f
}

func TestPromptCachingMarksTheStablePart(t *testing.T) {
	t.Parallel()
	m, f := one(t)
	req := &providers.Request{
		Model: "claude-sonnet-4-5", Cache: providers.CacheLong, System: []providers.Part{providers.Text("a"), providers.Text("b")},
		Tools:    []providers.Tool{{Name: "t", Cache: true}},
		Messages: []providers.Message{providers.UserText("x"), {Role: providers.RoleModel, Parts: []providers.Part{providers.Text("y")}}, providers.UserText("z")},
	}
	if _, err := providers.Complete(t.Context(), m, req); err != nil {
		t.Fatal(err)
	}
	body := string(f.Seen()[0].Body)
	const mark = `"cache_control":{"type":"ephemeral","ttl":"1h"}`
	for _, want := range []string{`{"type":"text","text":"b",` + mark + `}`, `{"type":"text","text":"z",` + mark + `}`} {
		if !strings.Contains(body, want) {
			t.Errorf("lacks %s:\n%s", want, body)
		}
	}
	if n := strings.Count(body, mark); n != 3 {
		t.Errorf("%d marks, want 3:\n%s", n, body)
	}
}

func TestThinkingFitsTheModel(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{
		"claude-sonnet-4-20250514":   `"thinking":{"type":"enabled","budget_tokens":24576}`,
		"claude-3-7-sonnet-20250219": `"thinking":{"type":"enabled","budget_tokens":24576}`,
		"claude-opus-4-5-20251101":   `"thinking":{"type":"enabled","budget_tokens":24576}`,
		"claude-opus-4-6":            `"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"}`,
		"claude-opus-4-7":            `"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"}`,
		"claude-sonnet-5":            `"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"}`,
	} {
		m, f := one(t)
		warm := 0.7
		req := &providers.Request{Model: model, MaxTokens: 1000, Temperature: &warm, Reasoning: providers.Reasoning{Effort: providers.EffortHigh}, Messages: []providers.Message{providers.UserText("x")}}
		if _, err := providers.Complete(t.Context(), m, req); err != nil {
			t.Fatal(err)
		}
		body := string(f.Seen()[0].Body)
		if !strings.Contains(body, want) || strings.Contains(body, "temperature") {
			t.Errorf("%s: want %s and no temperature in\n%s", model, want, body)
		}
		if strings.Contains(want, "enabled") && !strings.Contains(body, `"max_tokens":32768`) {
			t.Errorf("%s: max_tokens must exceed the budget:\n%s", model, body)
		}
	}
}

func TestASignInsTokenTravelsAsBearer(t *testing.T) {
	t.Parallel()
	f := providerstest.FakeAnthropic(t)
	m, err := anthropic.New(anthropic.Options{BaseURL: f.URL, Accounts: providers.NewAccounts("anthropic", providers.Account{Name: "cli", Source: &signIn{}})})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := providers.Complete(t.Context(), m, &providers.Request{Model: "m", Messages: []providers.Message{providers.UserText("x")}}); err != nil {
		t.Fatal(err)
	}
	h := f.Seen()[0].Header
	if h.Get("Authorization") != "Bearer "+providerstest.FakeKey || h.Get("x-api-key") != "" || h.Get("anthropic-beta") == "" {
		t.Errorf("headers %v", h)
	}
}

type signIn struct{}

func (*signIn) Token(context.Context) (providers.Token, error) {
	return providers.Token{Value: secret.New(providerstest.FakeKey), Bearer: true}, nil
}

func TestCountAndList(t *testing.T) {
	t.Parallel()
	m, f := one(t)
	req := &providers.Request{Model: "claude-test", Tools: []providers.Tool{{Name: "t"}}, Messages: []providers.Message{providers.UserText("count me")}}
	n, err := m.CountTokens(t.Context(), req)
	if err != nil || n == 0 {
		t.Errorf("CountTokens = %d, %v", n, err)
	}
	if body := string(f.Seen()[0].Body); strings.Contains(body, "max_tokens") || strings.Contains(body, "stream") {
		t.Errorf("count_tokens refuses these fields: %s", body)
	}
	list, err := m.Models(t.Context())
	if err != nil || len(list) != 1 || list[0].Name != "Claude Test" {
		t.Errorf("Models = %+v, %v", list, err)
	}
}

func TestAudioIsRefusedWithAHint(t *testing.T) {
	t.Parallel()
	m, f := one(t)
	req := &providers.Request{Model: "m", Messages: []providers.Message{{Role: providers.RoleUser, Parts: []providers.Part{{Kind: providers.PartAudio, Data: []byte("x")}}}}}
	if _, err := m.Stream(t.Context(), req); !fault.HasCode(err, "part_unsupported") || len(f.Seen()) != 0 {
		t.Errorf("err = %v, %d requests", err, len(f.Seen()))
	}
}
