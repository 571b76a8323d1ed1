package vendors_test

import (
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/providerstest"
	"github.com/fluxway/fluxway/internal/providers/vendors"
)

func TestEveryVendorCanBeMade(t *testing.T) {
	t.Parallel()
	for _, v := range vendors.All() {
		m, err := vendors.New(vendors.Spec{Name: v.Name})
		if err != nil || m == nil {
			t.Errorf("%s: %v", v.Name, err)
			continue
		}
		if _, ok := m.(providers.Lister); !ok {
			t.Errorf("%s cannot list its models", v.Name)
		}
		if v.Title == "" || (!v.Keyless && len(v.EnvKeys) == 0 && v.SignIn == "") {
			t.Errorf("%+v says not how to use it", v)
		}
	}
}

func TestEveryCatalogueProviderIsAVendor(t *testing.T) {
	t.Parallel()
	c, err := providers.NewCatalogue(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range c.All() {
		if _, ok := vendors.Find(e.Provider()); !ok {
			t.Errorf("%s belongs to no vendor", e.ID)
		}
	}
}

func TestAddressesAreCompleted(t *testing.T) {
	t.Parallel()
	fakes := map[string]func(testing.TB) *providerstest.Fake{"ollama": providerstest.FakeOllama, "gemini": providerstest.FakeGemini, "anthropic": providerstest.FakeAnthropic}
	for name, shape := range map[string]func(url string) string{
		"ollama": func(url string) string {
			return strings.Replace(strings.TrimPrefix(url, "http://"), "127.0.0.1", "0.0.0.0", 1)
		},
		"gemini":    func(url string) string { return url + "/" },
		"anthropic": func(url string) string { return url + "/v1/" },
	} {
		f := fakes[name](t)
		m, err := vendors.New(vendors.Spec{Name: name, BaseURL: shape(f.URL), Accounts: providers.OneKey(name, secret.New(providerstest.FakeKey))})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := providers.Complete(t.Context(), m, &providers.Request{Model: "m", Messages: []providers.Message{providers.UserText("x")}}); err != nil {
			t.Errorf("%s at %s: %v", name, shape(f.URL), err)
		}
	}
}

func TestAnyCompatibleServer(t *testing.T) {
	t.Parallel()
	f := providerstest.FakeOpenAI(t)
	m, err := vendors.New(vendors.Spec{Name: "mine", BaseURL: f.URL + "/v1", Accounts: providers.OneKey("mine", secret.New(providerstest.FakeKey)), Header: map[string]string{"X-Mine": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := providers.Complete(t.Context(), m, &providers.Request{Model: "m", MaxTokens: 5, Messages: []providers.Message{providers.UserText("x")}}); err != nil {
		t.Fatal(err)
	}
	if seen := f.Seen()[0]; seen.Header.Get("X-Mine") != "1" || !strings.Contains(string(seen.Body), `"max_tokens":5`) {
		t.Errorf("%v %s", seen.Header, seen.Body)
	}
	_, err = vendors.New(vendors.Spec{Name: "antropic"})
	if flt := fault.From(err); flt.Code != "provider_unknown" || !strings.Contains(flt.Hint, `"anthropic"`) {
		t.Errorf("a slip: %v, %q", err, flt.Hint)
	}
}

func TestStatusSaysWhatToDo(t *testing.T) {
	t.Parallel()
	anthropic, _ := vendors.Find("anthropic")
	ollama, _ := vendors.Find("ollama")
	rests := providers.OneKey("anthropic", secret.New("k"))
	refused := providers.OneKey("anthropic", secret.New("k"))
	for pool, status := range map[*providers.Accounts]int{rests: 429, refused: 401} {
		g, err := pool.Take(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		g.Done(providers.Failure{Status: status}.Fault())
	}
	for name, tt := range map[string]struct {
		got         vendors.Status
		state, hint string
	}{
		"no key":     {vendors.StatusOf(anthropic, providers.NewAccounts("anthropic")), "missing", "ANTHROPIC_API_KEY"},
		"a key":      {vendors.StatusOf(anthropic, providers.OneKey("anthropic", secret.New("k"))), "ready", ""},
		"resting":    {vendors.StatusOf(anthropic, rests), "resting", "rest"},
		"signed out": {vendors.StatusOf(anthropic, refused), "signed_out", "ANTHROPIC_API_KEY"},
		"keyless":    {vendors.StatusOf(ollama, nil), "ready", ""},
	} {
		if tt.got.State != tt.state || !strings.Contains(tt.got.Hint, tt.hint) || (tt.hint == "") != (tt.got.Hint == "") {
			t.Errorf("%s: %s, %q; want %s, %q", name, tt.got.State, tt.got.Hint, tt.state, tt.hint)
		}
	}
}
