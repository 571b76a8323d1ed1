package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/config"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/copilot"
	"github.com/fluxway/fluxway/internal/providers/providerstest"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// shop is a models on a database, with its settings.
type shop struct {
	*models
	t   *testing.T
	src config.Sources
	ws  ids.Workspace
}

// open makes a shop with a settings file and variables.
func open(t *testing.T, file string, env ...string) *shop {
	t.Helper()
	db := storetest.SQLite(t)
	box, err := seal.OpenFile(filepath.Join(t.TempDir(), "key"))
	if err != nil {
		t.Fatal(err)
	}
	keeper, err := providers.NewKeeper(providers.KeeperOptions{DB: db, Hub: eventstest.New(t, db), Box: box})
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := providers.NewCatalogue(nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := &shop{t: t, src: config.Sources{Dir: dir, Env: append([]string{"HOME=" + dir}, env...)}, ws: storetest.Workspace()}
	m, err := newModels(t.Context(), modelsOptions{Keeper: keeper, Catalogue: catalogue, Loaded: s.load(file), Embed: oneMeaning})
	if err != nil {
		t.Fatal(err)
	}
	s.models = m
	t.Cleanup(m.http.CloseIdleConnections)
	return s
}

// oneMeaning finds every text alike.
func oneMeaning(context.Context, string) ([]float32, error) { return []float32{1, 0}, nil }

func (s *shop) load(file string) *config.Loaded {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.src.Dir, "fluxway.yaml"), []byte(file), 0o600); err != nil {
		s.t.Fatal(err)
	}
	l, err := config.Load(s.src)
	if err != nil {
		s.t.Fatal(err)
	}
	return l
}

func (s *shop) reload(file string) {
	s.t.Helper()
	l := s.load(file)
	if err := s.configure(s.t.Context(), l.Config, l.Origins); err != nil {
		s.t.Fatal(err)
	}
}

// ask asks a model of a workspace, "" for the preset.
func (s *shop) ask(ws ids.Workspace, name string) (string, error) {
	s.t.Helper()
	if name == "" {
		var err error
		if name, err = s.preset(s.t.Context(), ws); err != nil {
			s.t.Fatal(err)
		}
	}
	model, name, err := s.find(s.t.Context(), ws, name)
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := providers.Complete(s.t.Context(), model, &providers.Request{Model: name, Messages: []providers.Message{providers.UserText("hi")}})
	return r.Text(), err
}

func (s *shop) provider(name string) api.Provider {
	s.t.Helper()
	all, err := s.Providers(s.t.Context(), s.ws)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, p := range all {
		if p.Provider == name {
			return p
		}
	}
	s.t.Fatalf("no provider %s", name)
	return api.Provider{}
}

func TestWithoutAKeyTheDemonstrationAnswers(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	text, err := s.ask(s.ws, "")
	if err != nil || !strings.Contains(text, "demonstration") {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := s.ask(s.ws, "openai/gpt-5"); !fault.HasCode(err, providers.CodeNoModel) || !strings.Contains(fault.From(err).Hint, "fluxway auth") {
		t.Errorf("a provider nobody configured: %v", err)
	}
	if p := s.provider("openai"); p.State != "missing" || p.Configured || !strings.Contains(p.Hint, "OPENAI_API_KEY") {
		t.Errorf("%+v", p)
	}
	if p := s.provider("ollama"); p.State != "missing" || p.Configured {
		t.Errorf("a local server that nobody named: %+v", p)
	}
}

func TestAVariableGivesAProvider(t *testing.T) {
	t.Parallel()
	fake := providerstest.FakeOpenAI(t).Will(providerstest.Reply{Says: "From the fake."})
	s := open(t, "", "OPENAI_API_KEY="+providerstest.FakeKey, "OPENAI_BASE_URL="+fake.URL+"/v1")
	text, err := s.ask(s.ws, "")
	if err != nil || text != "From the fake." {
		t.Fatalf("%q, %v", text, err)
	}
	p := s.provider("openai")
	if p.State != "ready" || len(p.Accounts) != 1 || p.Accounts[0].Source != "variable" || p.Accounts[0].Where != "OPENAI_API_KEY" || p.Accounts[0].LastUsed.IsZero() {
		t.Errorf("%+v", p)
	}
	list, err := s.Catalogue(t.Context(), s.ws)
	if err != nil {
		t.Fatal(err)
	}
	preset, priced := "", 0
	for _, m := range list {
		if m.Default {
			preset = m.ID
		}
		if m.Price != nil {
			priced++
		}
	}
	if preset != favourite("openai") || priced == 0 {
		t.Errorf("preset %q, %d of %d models have a price", preset, priced, len(list))
	}
}

func TestAWrongKeySaysWhatToDo(t *testing.T) {
	t.Parallel()
	fake := providerstest.FakeOpenAI(t)
	s := open(t, "", "OPENAI_API_KEY=wrong", "OPENAI_BASE_URL="+fake.URL+"/v1")
	_, err := s.ask(s.ws, "")
	if f := fault.From(err); f.Code != providers.CodeAuth || !strings.Contains(f.Hint, "fluxway auth") {
		t.Errorf("%v, hint %q", err, f.Hint)
	}
	p := s.provider("openai")
	if p.State != "signed_out" || p.Accounts[0].State != "signed_out" || p.Accounts[0].Until.IsZero() || p.Hint == "" {
		t.Errorf("%+v", p)
	}
	test, err := s.TestProvider(t.Context(), s.ws, "openai", "")
	if err != nil || test.OK || test.Code != providers.CodeAuth || !strings.Contains(test.Message, "OpenAI") {
		t.Errorf("%+v, %v", test, err)
	}
}

func TestARouteFallsBack(t *testing.T) {
	t.Parallel()
	broken := providerstest.FakeOpenAI(t)
	broken.Close()
	good := providerstest.FakeOpenAI(t).Will(providerstest.Reply{Says: "Second."})
	s := open(t, `
providers:
  first: {base_url: "`+broken.URL+`/v1", keyless: true}
  second: {base_url: "`+good.URL+`/v1", key: `+providerstest.FakeKey+`}
  xai: {enabled: false, key: x}
models:
  default: smart
  retries: 0
  routes:
    smart: {targets: [xai/grok-4.6, first/m, second/m]}
`)
	text, err := s.ask(s.ws, "")
	if err != nil || text != "Second." {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := s.ask(s.ws, "xai/grok-4.6"); err == nil || !strings.Contains(fault.From(err).Message, "switched off") {
		t.Errorf("a provider that is off: %v", err)
	}
	if p := s.provider("xai"); p.State != "off" {
		t.Errorf("%+v", p)
	}
}

func TestStoredAccountsAreTheirWorkspacesOwn(t *testing.T) {
	t.Parallel()
	fake := providerstest.FakeOpenAI(t)
	fake.Accept("ours")
	s := open(t, "providers: {openai: {base_url: '"+fake.URL+"/v1'}}")
	ctx := t.Context()
	if _, err := s.ask(s.ws, "openai/gpt-5"); !fault.HasCode(err, providers.CodeAuth) {
		t.Fatalf("without a key: %v", err)
	}
	_, err := s.AddAccount(ctx, s.ws, api.NewAccount{Provider: "openai", Key: secret.New("nonsense"), Test: true})
	if f := fault.From(err); f.Code != providers.CodeAuth || f.Kind != fault.Invalid || f.Param != "key" || f.Hint == "" {
		t.Fatalf("a key that does not work: %v", err)
	}
	if p := s.provider("openai"); len(p.Accounts) != 0 {
		t.Fatalf("it was stored all the same: %+v", p)
	}
	added, err := s.AddAccount(ctx, s.ws, api.NewAccount{Provider: "openai", Key: secret.New(" ours\n"), Test: true})
	if err != nil || added.Test == nil || !added.Test.OK || added.Test.Model == "" || added.Account.Name != "key" {
		t.Fatalf("%+v, %v", added, err)
	}
	if _, err := s.ask(s.ws, ""); err != nil {
		t.Errorf("with our key: %v", err)
	}
	other := ids.New[ids.Workspace]()
	if _, err := s.ask(other, "openai/gpt-5"); !fault.HasCode(err, providers.CodeAuth) {
		t.Errorf("another workspace used our key: %v", err)
	}
	if err := s.RemoveAccount(ctx, other, "openai", added.Account.ID); fault.From(err).Kind != fault.NotFound {
		t.Errorf("another workspace removed our key: %v", err)
	}
	off := false
	if a, err := s.ChangeAccount(ctx, s.ws, api.AccountChange{Provider: "openai", Account: added.Account.ID, Enabled: &off}); err != nil || a.State != "off" {
		t.Fatalf("%+v, %v", a, err)
	}
	if _, err := s.ask(s.ws, "openai/gpt-5"); !fault.HasCode(err, providers.CodeAuth) {
		t.Errorf("an account that is off was used: %v", err)
	}
	if err := s.RemoveAccount(ctx, s.ws, "openai", added.Account.ID); err != nil {
		t.Fatal(err)
	}
	if p := s.provider("openai"); len(p.Accounts) != 0 || p.State != "missing" {
		t.Errorf("%+v", p)
	}
}

func TestSettingsTakeEffectWithoutARestart(t *testing.T) {
	t.Parallel()
	one := providerstest.FakeOpenAI(t).Will(providerstest.Reply{Says: "One."})
	two := providerstest.FakeOpenAI(t).Will(providerstest.Reply{Says: "Two."})
	file := func(url, key string) string {
		return "providers: {openai: {base_url: '" + url + "/v1', key: " + key + "}}\nmodels: {known: {openai/new: {input: 1, output: 2}}}"
	}
	s := open(t, file(one.URL, "wrong"))
	if _, err := s.ask(s.ws, "openai/new"); !fault.HasCode(err, providers.CodeAuth) {
		t.Fatal(err)
	}
	s.reload(file(one.URL, providerstest.FakeKey))
	if text, err := s.ask(s.ws, "openai/new"); err != nil || text != "One." {
		t.Errorf("another key: %q, %v", text, err)
	}
	s.reload(file(two.URL, providerstest.FakeKey))
	if text, err := s.ask(s.ws, "openai/new"); err != nil || text != "Two." {
		t.Errorf("another address: %q, %v", text, err)
	}
	if e, ok := s.opts.Catalogue.Find("openai/new"); !ok || *e.Prices[0].Input != 1_000_000 {
		t.Errorf("the known model: %+v", e)
	}
	s.reload("")
	if _, ok := s.opts.Catalogue.Find("openai/new"); ok {
		t.Error("a model that is not known any more is still in the catalogue")
	}
	if _, err := s.ask(s.ws, "openai/gpt-5"); !fault.HasCode(err, providers.CodeNoModel) {
		t.Errorf("a provider that is gone: %v", err)
	}
}

func TestAnswersAreGivenAgainOnlyIfTheSettingsSaySo(t *testing.T) {
	t.Parallel()
	fake := providerstest.FakeOpenAI(t).Will(providerstest.Reply{Says: "One."}, providerstest.Reply{Says: "Two."}, providerstest.Reply{Says: "Three."})
	file := "providers: {openai: {base_url: '" + fake.URL + "/v1', key: " + providerstest.FakeKey + "}}\nmodels: {cache: {enabled: %v}}"
	s := open(t, fmt.Sprintf(file, false))
	ask := func(user ids.User) string {
		t.Helper()
		model, name, err := s.find(t.Context(), s.ws, "openai/gpt-5")
		if err != nil {
			t.Fatal(err)
		}
		ctx := costs.With(t.Context(), costs.Attribution{Workspace: s.ws, User: user})
		r, err := providers.Complete(ctx, model, &providers.Request{Model: name, Messages: []providers.Message{providers.UserText("hi")}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Text()
	}
	mira, jonas := ids.New[ids.User](), ids.New[ids.User]()
	if got := ask(mira); got != "One." {
		t.Errorf("switched off: %q", got)
	}
	s.reload(fmt.Sprintf(file, true))
	if got := []string{ask(mira), ask(mira), ask(jonas)}; !slices.Equal(got, []string{"Two.", "Two.", "Three."}) {
		t.Errorf("switched on: %q", got)
	}
	if b, err := s.board(t.Context(), s.ws); err != nil || b.router.Relayable("openai/gpt-5", providers.DialectChat) {
		t.Errorf("a request that is passed on unread cannot be compared: %v", err)
	}
}

func TestHealthSurvivesAReload(t *testing.T) {
	t.Parallel()
	fake := providerstest.FakeOpenAI(t)
	s := open(t, "providers: {openai: {base_url: '"+fake.URL+"/v1', keys: {a: wrong, b: "+providerstest.FakeKey+"}}}")
	if _, err := s.ask(s.ws, "openai/gpt-5"); err != nil {
		t.Fatal(err)
	}
	s.reload("log: {level: warn}\nproviders: {openai: {base_url: '" + fake.URL + "/v1', keys: {a: wrong, b: " + providerstest.FakeKey + "}}}")
	p := s.provider("openai")
	if p.State != "ready" || p.Accounts[0].State != "signed_out" || p.Accounts[1].State != "ready" {
		t.Errorf("%+v", p.Accounts)
	}
}

func TestFoundOnThisMachine(t *testing.T) {
	t.Parallel()
	ollama := providerstest.FakeOllama(t)
	s := open(t, "", "OLLAMA_HOST="+strings.TrimPrefix(ollama.URL, "http://"), "GROQ_API_KEY=g")
	dir := filepath.Join(s.src.Dir, ".claude")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	login := `{"claudeAiOauth":{"accessToken":"tok-secret","refreshToken":"r","expiresAt":32503680000000,"subscriptionType":"max"}}`
	if err := os.WriteFile(filepath.Join(dir, ".credentials.json"), []byte(login), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := s.Found(t.Context(), s.ws)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Logins) != 1 || found.Logins[0].Provider != "anthropic" || found.Logins[0].Plan != "max" || found.Logins[0].Used || found.Logins[0].Model == "" {
		t.Errorf("logins: %+v", found.Logins)
	}
	if len(found.Keys) != 1 || found.Keys[0].Variable != "GROQ_API_KEY" {
		t.Errorf("keys: %+v", found.Keys)
	}
	here := false
	for _, f := range found.Servers {
		here = here || f.Provider == "ollama" && len(f.Models) > 0 && f.Used
	}
	if !here {
		t.Errorf("servers: %+v", found.Servers)
	}
	if p := s.provider("anthropic"); len(p.Accounts) != 0 {
		t.Errorf("a sign-in is used that nobody allowed: %+v", p)
	}
	s.reload("providers: {anthropic: {use_cli_login: true}}")
	if p := s.provider("anthropic"); p.State != "ready" || p.Accounts[0].Source != "cli" || p.Accounts[0].Name != "Claude CLI" {
		t.Errorf("%+v", p)
	}
}

func TestFavouritesAreInTheCatalogue(t *testing.T) {
	t.Parallel()
	c, err := providers.NewCatalogue(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range favourites {
		if f.provider == "openrouter" || f.provider == "copilot" {
			continue // whose models the catalogue does not list
		}
		if _, ok := c.Find(f.provider + "/" + f.model); !ok {
			t.Errorf("%s/%s is not in the catalogue", f.provider, f.model)
		}
	}
}

// gitHub is a fake of the sign-in with a code: the person approves at the second question.
func gitHub(t *testing.T, api string) copilot.GitHub {
	t.Helper()
	var asked atomic.Int64
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := map[string]any{"error": "authorization_pending"}
		switch r.URL.Path {
		case "/login/device/code":
			answer = map[string]any{"device_code": "dev", "user_code": "ABCD-1234", "verification_uri": "https://github.com/login/device", "expires_in": 900, "interval": 1}
		case "/login/oauth/access_token":
			if asked.Add(1) > 1 {
				answer = map[string]any{"access_token": "gho_1"}
			}
		case "/copilot_internal/v2/token":
			answer = map[string]any{"token": providerstest.FakeKey, "expires_at": time.Now().Add(time.Hour).Unix(), "endpoints": map[string]any{"api": api}}
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(site.Close)
	return copilot.GitHub{Site: site.URL, API: site.URL}
}

func TestSignInWithACode(t *testing.T) {
	t.Parallel()
	fake := providerstest.FakeOpenAI(t).Will(providerstest.Reply{Says: "From the plan."})
	s := open(t, "")
	s.opts.GitHub = gitHub(t, fake.URL+"/v1")
	ctx := t.Context()
	if _, err := s.BeginSignIn(ctx, s.ws, "openai"); !fault.HasCode(err, "no_sign_in") {
		t.Errorf("openai: %v", err)
	}
	code, err := s.BeginSignIn(ctx, s.ws, "copilot")
	if err != nil || code.Code != "ABCD-1234" || code.URL == "" {
		t.Fatalf("%+v, %v", code, err)
	}
	if _, err := s.PollSignIn(ctx, ids.New[ids.Workspace](), "copilot", code.SignIn); fault.From(err).Kind != fault.NotFound {
		t.Errorf("another workspace polled it: %v", err)
	}
	if state, err := s.PollSignIn(ctx, s.ws, "copilot", code.SignIn); err != nil || state.Done {
		t.Fatalf("before the person is done: %+v, %v", state, err)
	}
	state, err := s.PollSignIn(ctx, s.ws, "copilot", code.SignIn)
	if err != nil || !state.Done || state.Account.ID == "" {
		t.Fatalf("%+v, %v", state, err)
	}
	if text, err := s.ask(s.ws, ""); err != nil || text != "From the plan." {
		t.Errorf("%q, %v", text, err)
	}
	if p := s.provider("copilot"); p.State != "ready" || len(p.Accounts) != 1 {
		t.Errorf("%+v", p)
	}
}

func TestABadReloadChangesNothing(t *testing.T) {
	t.Parallel()
	fake := providerstest.FakeOpenAI(t)
	good := "providers: {openai: {base_url: '" + fake.URL + "/v1', key: " + providerstest.FakeKey + "}}"
	s := open(t, good)
	l := s.load(good + "\nmodels: {catalogue_file: nowhere.json}")
	if err := s.configure(t.Context(), l.Config, l.Origins); !fault.HasCode(err, "catalogue_unreadable") {
		t.Fatalf("got %v", err)
	}
	if _, err := s.ask(s.ws, ""); err != nil {
		t.Errorf("after a reload that failed: %v", err)
	}
}

func TestTheCatalogueIsFetched(t *testing.T) {
	t.Parallel()
	fetched := make(chan struct{}, 8)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"models":[{"id":"openai/brand-new","context":5}]}`))
		fetched <- struct{}{}
	}))
	t.Cleanup(site.Close)
	s := open(t, "models: {catalogue_url: '"+site.URL+"'}")
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := s.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	<-fetched
	<-fetched // the second begins once the first is in place
	if _, ok := s.opts.Catalogue.Find("openai/brand-new"); !ok {
		t.Error("the fetched catalogue is not in use")
	}
	cancel()
	wg.Wait()
}
