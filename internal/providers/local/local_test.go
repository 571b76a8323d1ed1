package local_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/fluxway/fluxway/internal/providers/local"
	"github.com/fluxway/fluxway/internal/providers/providerstest"
)

func TestDiscoverListsWhoAnswers(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<html>some other program</html>"))
	}))
	t.Cleanup(page.Close)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(silent.Close)
	o, s := providerstest.FakeOllama(t), providerstest.FakeOpenAI(t)
	if got := local.Discover(t.Context(), local.Options{Addresses: map[string]string{"ollama": o.URL, "lmstudio": s.URL + "/v1", "llamacpp": page.URL + "/v1", "vllm": gone.URL + "/v1"}}); len(got) != 2 ||
		got[0].Provider != "ollama" || got[0].Models[0].ID != "llama-test:latest" || got[1].Provider != "lmstudio" || got[1].Models[0].ID != "gpt-test" {
		t.Errorf("Discover = %+v", got)
	}
	if got := local.Discover(t.Context(), local.Options{Timeout: 1, Addresses: map[string]string{"ollama": silent.URL, "lmstudio": silent.URL, "llamacpp": silent.URL, "vllm": silent.URL}}); got != nil {
		t.Errorf("silent servers were found: %+v", got)
	}
}
