package anthropic_test

import (
	"fmt"
	"testing"

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
