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

func TestListAndEmbed(t *testing.T) {
	t.Parallel()
	model, _ := start(t, nil)
	m := model.(*ollama.Model)
	if list, err := m.Models(t.Context()); err != nil || len(list) != 1 || list[0].ID != "llama-test:latest" {
		t.Errorf("Models = %+v, %v", list, err)
	}
	e, err := m.Embed(t.Context(), providers.EmbedRequest{Model: "embed-test", Texts: []string{"a", "b"}})
	if err != nil || len(e.Vectors) != 2 || e.Vectors[1][0] != 1 || e.Usage.Input == 0 {
		t.Errorf("Embed = %+v, %v", e, err)
	}
}
