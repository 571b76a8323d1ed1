package gemini_test

import (
	"testing"

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
