package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/kit/suggest"
)

// vendor is a known provider with the variables that other programs use for it.
// The list is providers/vendors', which a test compares it with.
type vendor struct {
	name  string
	keys  []string // of the key, in the order they are looked at; NAME_FILE counts too
	base  string   // of the address
	kin   bool     // speaks OpenAI's protocol, so api and headers mean something
	login string   // whose sign-in use_cli_login takes
}

var vendors = []vendor{
	{name: "anthropic", keys: []string{"ANTHROPIC_API_KEY"}, base: "ANTHROPIC_BASE_URL", login: "Claude CLI"},
	{name: "copilot"},
	{name: "deepseek", keys: []string{"DEEPSEEK_API_KEY"}, base: "DEEPSEEK_BASE_URL", kin: true},
	{name: "gemini", keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, base: "GEMINI_BASE_URL"},
	{name: "groq", keys: []string{"GROQ_API_KEY"}, base: "GROQ_BASE_URL", kin: true},
	{name: "llamacpp", base: "LLAMACPP_BASE_URL", kin: true},
	{name: "lmstudio", base: "LMSTUDIO_BASE_URL", kin: true},
	{name: "mistral", keys: []string{"MISTRAL_API_KEY"}, base: "MISTRAL_BASE_URL", kin: true},
	{name: "ollama", base: "OLLAMA_HOST"},
	{name: "openai", keys: []string{"OPENAI_API_KEY"}, base: "OPENAI_BASE_URL", kin: true, login: "Codex CLI"},
	{name: "openrouter", keys: []string{"OPENROUTER_API_KEY"}, base: "OPENROUTER_BASE_URL", kin: true},
	{name: "together", keys: []string{"TOGETHER_API_KEY"}, base: "TOGETHER_BASE_URL", kin: true},
	{name: "vllm", keys: []string{"VLLM_API_KEY"}, base: "VLLM_BASE_URL", kin: true},
	{name: "xai", keys: []string{"XAI_API_KEY"}, base: "XAI_BASE_URL", kin: true},
}

// demoName is the built-in provider, which has nothing to set.
const demoName = "demo"

func vendorNamed(name string) (vendor, bool) {
	i := slices.IndexFunc(vendors, func(v vendor) bool { return v.name == name })
	if i < 0 {
		return vendor{name: name, kin: true}, false
	}
	return vendors[i], true
}

// vendorVariables takes the usual variables of known providers.
func (l *loader) vendorVariables() {
	for _, v := range vendors {
		for _, variable := range v.keys {
			s, set := l.env.get(variable)
			set = set && s.value != ""
			text, from, ok := l.fileOf(variable, providerKey(v.name, "key"), set)
			if set {
				text, from, ok = s.value, Origin{s.source, s.where(variable)}, true
			}
			if ok && strings.TrimSpace(text) != "" {
				l.provide(v.name, "key", from, func(p *Provider) { p.Key, p.KeyFile = secret.New(strings.TrimSpace(text)), "" })
				break
			}
		}
		s, ok := l.env.get(v.base)
		if !ok || s.value == "" {
			continue
		}
		from := Origin{s.source, s.where(v.base)}
		if err := httpURL(s.value); err != nil && v.name != "ollama" { // whose variable may be a bare address
			l.problem(from, providerKey(v.name, "base_url"), fmt.Sprintf("%q %v", s.value, err), "")
			continue
		}
		l.provide(v.name, "base_url", from, func(p *Provider) { p.BaseURL = s.value })
	}
}

func providerKey(name, setting string) string { return "providers." + name + "." + setting }

// provide changes one setting of a provider, which is made if it is not there.
func (l *loader) provide(name, setting string, from Origin, change func(*Provider)) {
	p, ok := l.config.Providers[name]
	if !ok {
		f, _ := l.tree.find("providers")
		p = f.fresh().Interface().(Provider)
	}
	change(&p)
	if l.config.Providers == nil {
		l.config.Providers = map[string]Provider{}
	}
	l.config.Providers[name] = p
	l.origins[providerKey(name, setting)] = from
}

// complain adds a problem with a setting where it was given.
func (l *loader) complain(key, message, hint string) {
	from := l.origins[key]
	if from.Source != FromFile {
		l.problem(from, key, message, hint)
		return
	}
	var line, column int
	if rest, ok := strings.CutPrefix(from.Where, l.name+":"); ok {
		_, _ = fmt.Sscanf(rest, "%d:%d", &line, &column)
	}
	l.problems = append(l.problems, Problem{Where: from.Where, File: l.name, Line: line, Column: column, Key: key, Message: message, Hint: hint})
}

// settleProviders reads the files of keys and checks that no setting is in vain.
func (l *loader) settleProviders() {
	for _, name := range slices.Sorted(maps.Keys(l.config.Providers)) {
		p := l.config.Providers[name]
		v, known := vendorNamed(name)
		wrong := func(setting string, is bool, message string) {
			if is {
				l.complain(providerKey(name, setting), message, "")
			}
		}
		if name == demoName {
			l.complain("providers."+name, "is built in and has nothing to set", "")
			continue
		}
		wrong("api", p.API != "" && !v.kin, "means something for OpenAI-compatible providers only")
		wrong("headers", len(p.Headers) > 0 && !v.kin, "means something for OpenAI-compatible providers only")
		wrong("keyless", p.Keyless && known, "means something for other servers than the known providers only")
		wrong("use_cli_login", p.UseCLILogin && v.login == "", "means something for anthropic and openai only")
		wrong("key_file", p.KeyFile != "" && !p.Key.Empty(), "is given beside key; take one of the two out")
		if !known && p.BaseURL == "" {
			l.complain("providers."+name, "is not a known provider, and has no base_url", l.nearVendor(name))
		}
		if p.KeyFile != "" && p.Key.Empty() {
			text, err := readSecret(p.KeyFile)
			if err != nil {
				l.complain(providerKey(name, "key_file"), err.Error(), "")
				continue
			}
			p.Key = secret.New(strings.TrimSpace(text))
			l.config.Providers[name] = p
		}
	}
}

func (l *loader) nearVendor(name string) string {
	var names []string
	for _, v := range vendors {
		names = append(names, v.name)
	}
	if near, ok := suggest.Closest(name, names); ok {
		return fmt.Sprintf("Did you mean %q?", near)
	}
	return "Known are " + strings.Join(names, ", ") + "."
}

// settleModels checks that every name leads somewhere.
func (l *loader) settleModels() {
	m := l.config.Models
	leads := func(key, target string) {
		provider, model, isModel := strings.Cut(target, "/")
		_, route := m.Routes[target]
		_, configured := l.config.Providers[provider]
		_, known := vendorNamed(provider)
		switch {
		case route, isModel && model != "" && (configured || known || provider == demoName):
		case isModel:
			l.complain(key, fmt.Sprintf("%q is of the provider %s, which is not known", target, provider), l.nearVendor(provider))
		default:
			l.complain(key, fmt.Sprintf("%q is neither provider/model nor a route", target), "")
		}
	}
	if m.Default != "" {
		leads("models.default", m.Default)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Routes)) {
		r, at := m.Routes[name], "models.routes."+name
		if len(r.Targets) == 0 {
			l.complain(at, "has no targets", "")
		}
		for _, target := range r.Targets {
			leads(at+".targets", target)
		}
		if len(r.Weights) > 0 && r.Choose != "weighted" {
			l.complain(at+".weights", "means something with choose: weighted only", "")
		}
		for _, target := range slices.Sorted(maps.Keys(r.Weights)) {
			if !slices.Contains(r.Targets, target) {
				l.complain(at+".weights", fmt.Sprintf("%q is not one of the targets", target), "")
			}
		}
		if path := l.circle(name, nil); path != "" {
			l.complain(at+".targets", "leads back to itself: "+path, "")
		}
	}
	for _, from := range slices.Sorted(maps.Keys(m.Upgrades)) {
		leads("models.upgrades", m.Upgrades[from])
	}
	if m.CatalogueFile != "" && m.CatalogueURL != "" {
		l.complain("models.catalogue_url", "is given beside catalogue_file; take one of the two out", "")
	}
}

// circle is the way on which a route leads to itself; "" if it does not.
func (l *loader) circle(name string, path []string) string {
	if len(path) > 0 && path[0] == name {
		return strings.Join(append(path, name), " → ")
	}
	if slices.Contains(path, name) {
		return "" // another route's circle
	}
	for _, target := range l.config.Models.Routes[name].Targets {
		if found := l.circle(target, append(slices.Clone(path), name)); found != "" {
			return found
		}
	}
	return ""
}
