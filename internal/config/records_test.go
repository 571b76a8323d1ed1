package config

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
	vendorlist "github.com/fluxway/fluxway/internal/providers/vendors"
)

func TestVendorsAreThoseOfProviders(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, v := range vendorlist.All() {
		seen[v.Name] = true
		if v.Name == demoName {
			continue
		}
		ours, ok := vendorNamed(v.Name)
		if !ok {
			t.Errorf("%s is not in the table", v.Name)
			continue
		}
		if diff := cmp.Diff(v.EnvKeys, ours.keys); diff != "" || v.EnvBase != ours.base {
			t.Errorf("%s: variables differ: %s, %s and %s", v.Name, diff, v.EnvBase, ours.base)
		}
	}
	for _, v := range vendors {
		if !seen[v.name] {
			t.Errorf("%s is no vendor", v.name)
		}
	}
	for _, c := range capabilities {
		all := []providers.Capability{providers.CanTools, providers.CanVision, providers.CanDocuments, providers.CanAudio, providers.CanReason,
			providers.CanJSON, providers.CanCache, providers.CanEmbed, providers.CanTranscribe, providers.CanSpeak}
		found := false
		for _, known := range all {
			found = found || string(known) == c
		}
		if !found || len(all) != len(capabilities) {
			t.Errorf("the capability %s is not one of %v", c, all)
		}
	}
}

const manyProviders = `providers:
  openai:
    key: sk-file # mine
    keys: {work: sk-work, home: '${HOME_KEY}'}
    api: chat
  ollama:
  mine:
    base_url: http://10.0.0.1:8000/v1
    keyless: true
    headers: {X-Team: blue}
  gemini:
    key_file: gemini.key
    enabled: false
models:
  default: smart
  retries: 0
  routes:
    smart: {targets: [openai/gpt-5, mine/m], choose: weighted, weights: {openai/gpt-5: 3}}
  upgrades: {openai/gpt-5: openai/gpt-4.1}
  known:
    mine/m.1: {context: 8000, can: [tools], input: 0.25, output: '1.5'}
`

func TestRecords(t *testing.T) {
	t.Parallel()
	src := place(t, map[string]string{"fluxway.yaml": manyProviders, "gemini.key": "g-key\n"}, "HOME_KEY=sk-home")
	l := mustLoad(t, src)
	want := map[string]Provider{
		"openai": {Enabled: true, Key: secret.New("sk-file"), Keys: map[string]secret.Text{"work": secret.New("sk-work"), "home": secret.New("sk-home")}, API: "chat"},
		"ollama": {Enabled: true},
		"mine":   {Enabled: true, BaseURL: "http://10.0.0.1:8000/v1", Keyless: true, Headers: map[string]secret.Text{"X-Team": secret.New("blue")}},
		"gemini": {Key: secret.New("g-key"), KeyFile: filepath.Join(src.Dir, "gemini.key")},
	}
	same := cmp.Comparer(func(a, b secret.Text) bool { return a.Reveal() == b.Reveal() })
	if diff := cmp.Diff(want, l.Config.Providers, same); diff != "" {
		t.Errorf("providers (-want +got):\n%s", diff)
	}
	known := KnownModel{Context: 8000, Can: []string{"tools"}, Input: Dollars{250_000, true}, Output: Dollars{1_500_000, true}}
	if diff := cmp.Diff(known, l.Config.Models.Known["mine/m.1"]); diff != "" {
		t.Errorf("known (-want +got):\n%s", diff)
	}
	shown := map[string]Value{}
	for _, v := range l.Values() {
		shown[v.Key] = v
		if strings.Contains(v.Value, "sk-") || strings.Contains(v.Value, "g-key") || strings.Contains(v.Value, "blue") {
			t.Errorf("%s shows a secret: %s", v.Key, v.Value)
		}
	}
	for key, want := range map[string]string{
		"providers": "gemini,mine,ollama,openai", "providers.openai.key": secret.Mask, "providers.openai.keys": "home=" + secret.Mask + ",work=" + secret.Mask,
		"providers.mine.base_url": "http://10.0.0.1:8000/v1", "models.routes.smart.choose": "weighted", "models.known.mine/m.1.input": "0.25",
	} {
		if shown[key].Value != want {
			t.Errorf("%s is shown as %q, want %q", key, shown[key].Value, want)
		}
	}
	if got := shown["providers.openai.key"].Origin.Where; got != "fluxway.yaml:3:10" {
		t.Errorf("the key came from %s", got)
	}
	if got := shown["providers.ollama.key"].Origin.Source; got != FromDefault {
		t.Errorf("a key that nobody gave came from %s", got)
	}
}

func TestVendorVariables(t *testing.T) {
	t.Parallel()
	src := place(t, map[string]string{"k": "a-key\n", "fluxway.yaml": "providers: {openai: {key: sk-file, api: chat}}"},
		"OPENAI_API_KEY=sk-env", "OPENAI_BASE_URL=http://127.0.0.1:1/v1", "ANTHROPIC_API_KEY_FILE=k", "GOOGLE_API_KEY=g", "OLLAMA_HOST=0.0.0.0")
	l := mustLoad(t, src)
	p := l.Config.Providers
	if p["openai"].Key.Reveal() != "sk-env" || p["openai"].BaseURL != "http://127.0.0.1:1/v1" || p["openai"].API != "chat" {
		t.Errorf("openai: %+v, key %q", p["openai"], p["openai"].Key.Reveal())
	}
	if p["anthropic"].Key.Reveal() != "a-key" || !p["anthropic"].Enabled || p["gemini"].Key.Reveal() != "g" || p["ollama"].BaseURL != "0.0.0.0" || len(p) != 4 {
		t.Errorf("%+v", p)
	}
	if got := l.Origins["providers.openai.key"].String(); got != "env OPENAI_API_KEY" {
		t.Errorf("the key came from %s", got)
	}
	_, err := Load(place(t, nil, "OPENAI_BASE_URL=there", "XAI_API_KEY=a", "XAI_API_KEY_FILE=b"))
	for _, want := range []string{"OPENAI_BASE_URL: providers.openai.base_url", "XAI_API_KEY_FILE: providers.xai.key: is given by both"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}

func TestProblemsInRecords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"providers: 3":                                                         "fluxway.yaml:1:12: providers: must be a table of keys, and is a number",
		"providers:\n  OpenAI: {}":                                             `fluxway.yaml:2:3: providers: the key "OpenAI" is not the name of a provider`,
		"providers:\n  openai: 3":                                              "fluxway.yaml:2:11: providers.openai: must be a table of keys, and is a number",
		"providers:\n  openai: {kye: a}":                                       `fluxway.yaml:2:12: providers.openai.kye: is not a known key. Did you mean "key"?`,
		"providers:\n  openai: {key: 5}":                                       "fluxway.yaml:2:17: providers.openai.key: must be text, and is a number. Put it in quotes.",
		"providers:\n  openai: {key: '${NO}'}":                                 "providers.openai.key: needs the variable NO",
		"providers:\n  openai: {api: char}":                                    `providers.openai.api: "char" is not one of responses, chat. Did you mean "chat"?`,
		"providers:\n  antropic: {key: a}":                                     `fluxway.yaml:2:3: providers.antropic: is not a known provider, and has no base_url. Did you mean "anthropic"?`,
		"providers:\n  anthropic: {api: chat}":                                 "fluxway.yaml:2:20: providers.anthropic.api: means something for OpenAI-compatible providers only",
		"providers:\n  gemini: {use_cli_login: true}":                          "providers.gemini.use_cli_login: means something for anthropic and openai only",
		"providers:\n  openai: {keyless: true}":                                "providers.openai.keyless: means something",
		"providers:\n  xai: {key: a, key_file: b}":                             "providers.xai.key_file: is given beside key",
		"providers:\n  xai: {key_file: nowhere}":                               "nowhere does not exist",
		"providers: {demo: {}}":                                                "providers.demo: is built in",
		"models: {default: gpt-5}":                                             `fluxway.yaml:1:19: models.default: "gpt-5" is neither provider/model nor a route`,
		"models: {default: opnai/gpt-5}":                                       `is of the provider opnai, which is not known. Did you mean "openai"?`,
		"models: {routes: {a: {}}}":                                            "fluxway.yaml:1:19: models.routes.a: has no targets",
		"models: {routes: {a: {targets: [b]}, b: {targets: [a]}}}":             "leads back to itself: a → b → a",
		"models: {routes: {a: {targets: [openai/x], weights: {openai/x: 2}}}}": "means something with choose: weighted only",
		"models: {known: {m: {}}}":                                             `the key "m" is not a model such as openai/gpt-5`,
		"models: {known: {a/m: {input: free}}}":                                `models.known.a/m.input: "free" is not an amount`,
		"models: {known: {a/m: {can: [fly]}}}":                                 `"fly" is not one of tools`,
		"models: {upgrades: {openai/a: nobody/b}}":                             "is of the provider nobody",
	} {
		_, err := Load(place(t, map[string]string{"fluxway.yaml": text}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v\nwant %q in it", text, err, want)
		}
	}
}

func TestSchemaOfRecordsAgreesWithLoad(t *testing.T) {
	t.Parallel()
	s := compileSchema(t)
	src := place(t, map[string]string{"gemini.key": "g"}, "HOME_KEY=k")
	for text, ok := range map[string]bool{
		manyProviders:                            true,
		"providers:":                             true,
		"providers: {ollama: }":                  true,
		"providers: {ollama: on}":                false,
		"providers: [openai]":                    false,
		"providers: {openai: {kye: a}}":          false,
		"providers: {OpenAI: {}}":                false,
		"models: {known: {a/m: {input: 3}}}":     true,
		"models: {known: {a/m: {input: -3}}}":    false,
		"models: {known: {a/m: {input: x}}}":     false,
		"models: {upgrades: {openai/a: b c}}":    false,
		"models: {routes: {a: {targets: demo}}}": false,
	} {
		if err := accepts(t, s, text); (err == nil) != ok {
			t.Errorf("schema on %q = %v, want ok %v", text, err, ok)
		}
		if _, err := Check(src, filepath.Join(src.Dir, "fluxway.yaml"), []byte(text)); (err == nil) != ok {
			t.Errorf("Check on %q = %v, want ok %v", text, err, ok)
		}
	}
}

func TestSaveAndReloadRecords(t *testing.T) {
	t.Parallel()
	src := place(t, map[string]string{"fluxway.yaml": manyProviders, "gemini.key": "g-key"}, "HOME_KEY=sk-home")
	r, err := NewReloader(ReloaderOptions{Sources: src, Loaded: mustLoad(t, src)})
	if err != nil {
		t.Fatal(err)
	}
	var told []Config
	r.Subscribe(func(_ context.Context, c Config) { told = append(told, c) })
	saved, err := r.Save(t.Context(), Patch{Set: map[string]any{
		"providers.openai.base_url": "http://127.0.0.1:1/v1",
		"providers.mine":            nil,
		"providers":                 map[string]any{"xai": map[string]any{"key": "x-key"}, "lmstudio": map[string]any{}},
		"models.routes":             nil, "models.default": nil,
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || told[0].Providers["openai"].BaseURL == "" || told[0].Providers["xai"].Key.Reveal() != "x-key" || len(told[0].Models.Routes) != 0 {
		t.Fatalf("told %+v", told)
	}
	if _, there := told[0].Providers["lmstudio"]; !there || !told[0].Providers["lmstudio"].Enabled {
		t.Errorf("a name without settings: %+v", told[0].Providers)
	}
	if _, there := told[0].Providers["mine"]; there {
		t.Errorf("mine is still there")
	}
	diffs := map[string]Diff{}
	for _, d := range saved.Change.Live {
		diffs[d.Key] = d
	}
	if d := diffs["providers.xai.key"]; d.New != secret.Mask || d.Old != "" {
		t.Errorf("the new key's diff: %+v", d)
	}
	if d := diffs["providers.mine.base_url"]; d.Old == "" || d.New != "" {
		t.Errorf("the removed address' diff: %+v", d)
	}
	if _, noise := diffs["providers.xai.enabled"]; noise {
		t.Error("a default of a new name is told as a change")
	}
	text, err := os.ReadFile(filepath.Join(src.Dir, "fluxway.yaml"))
	if err != nil || !strings.Contains(string(text), "key: sk-file # mine") {
		t.Errorf("the file is now %s (%v)", text, err)
	}
	saved, err = r.Save(t.Context(), Patch{Set: map[string]any{"providers": map[string]any{}, "log": map[string]any{}}})
	if err != nil || len(saved.Change.Live)+len(saved.Change.NeedsRestart) != 0 {
		t.Errorf("a patch that says nothing: %+v, %v", saved.Change, err)
	}
	_, err = r.Save(t.Context(), Patch{Set: map[string]any{"providers.openai.key": secret.Mask, "providers.openai.kye": "a"}})
	for _, want := range []string{"providers.openai.key: is the sign for a hidden value", "providers.openai.kye: is not a known key"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
