package ollama_test

import (
	"fmt"
	"testing"

	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/ollama"
	"github.com/fluxway/fluxway/internal/providers/providerstest"
)

func start(t *testing.T, _ *providers.Accounts) (providers.Model, *providerstest.Fake) {
	f := providerstest.FakeOllama(t)
	m, err := ollama.New(ollama.Options{BaseURL: f.URL})
	if err != nil {
		t.Fatal(err)
	}
	return m, f
}

func TestContract(t *testing.T) {
	t.Parallel()
	providerstest.Contract(t, providerstest.Subject{
		New: start, Model: "llama-test", Keyless: true, Merged: true, NoIDs: true, Dialect: providers.DialectOllama,
		RawBody: func(streaming bool) string {
			return fmt.Sprintf(`{"model":"other","messages":[{"role":"user","content":"hi"}],"stream":%v}`, streaming)
		},
	})
}
