// Package vendors is the list of everyone we can ask, and makes the adapter for each.
//
// In:    a provider's name and its settings, as config gives them.
// Out:   a providers.Model; for each vendor its usual variables, and a Status that says what is missing and what to do.
// Keeps: nothing. Says: nothing.
// Not here: reading the variables (config); stacking the wrappers (app).
package vendors

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/suggest"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/anthropic"
	"github.com/fluxway/fluxway/internal/providers/copilot"
	"github.com/fluxway/fluxway/internal/providers/demo"
	"github.com/fluxway/fluxway/internal/providers/gemini"
	"github.com/fluxway/fluxway/internal/providers/ollama"
	"github.com/fluxway/fluxway/internal/providers/openai"
)

// Vendor is someone we can ask.
type Vendor struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	EnvKeys []string `json:"env_keys,omitempty"` // usual variables of the key, in the order they are looked at; _FILE variants exist too
	EnvBase string   `json:"env_base,omitempty"` // usual variable of the address
	Keyless bool     `json:"keyless,omitempty"`  // works without a key
	Local   bool     `json:"local,omitempty"`    // runs on this machine
	SignIn  string   `json:"sign_in,omitempty"`  // how to sign in instead of giving a key
}

// All lists the vendors, the demonstration last.
func All() []Vendor {
	all := []Vendor{
		{Name: anthropic.Vendor, Title: "Anthropic", EnvKeys: []string{"ANTHROPIC_API_KEY"}, EnvBase: "ANTHROPIC_BASE_URL", SignIn: "the Claude CLI's sign-in"},
		{Name: gemini.Vendor, Title: "Google Gemini", EnvKeys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, EnvBase: "GEMINI_BASE_URL"},
		{Name: ollama.Vendor, Title: "Ollama", EnvBase: "OLLAMA_HOST", Keyless: true, Local: true},
		{Name: copilot.Vendor, Title: "GitHub Copilot", SignIn: "GitHub, with a code"},
	}
	for _, p := range openai.Presets() {
		v := Vendor{Name: p.Name, Title: p.Title, EnvBase: strings.ToUpper(p.Name) + "_BASE_URL", Keyless: p.Quirks.Keyless, Local: p.Local}
		if p.EnvKey != "" {
			v.EnvKeys = []string{p.EnvKey}
		}
		switch p.Name {
		case "openai":
			v.SignIn = "the Codex CLI's sign-in"
		case "openrouter":
			v.SignIn = "OpenRouter's consent page"
		}
		all = append(all, v)
	}
	slices.SortFunc(all, func(a, b Vendor) int { return strings.Compare(a.Title, b.Title) })
	return append(all, Vendor{Name: demo.Vendor, Title: "Demonstration", Keyless: true, Local: true})
}

// Find is the vendor of that name.
func Find(name string) (Vendor, bool) {
	for _, v := range All() {
		if v.Name == name {
			return v, true
		}
	}
	return Vendor{}, false
}

// Spec is a provider to be made. A name that is no vendor's makes an
// OpenAI-compatible one, and then needs BaseURL.
type Spec struct {
	Name      string
	BaseURL   string               // "": the vendor's usual one
	API       openai.API           // for OpenAI and its kin; "": the vendor's usual one
	Accounts  *providers.Accounts  // nil: none
	Catalogue *providers.Catalogue // nil: no limits are known
	HTTP      *http.Client         // nil: wire.NewHTTP
	Header    map[string]string    // extra headers, OpenAI-compatible ones only
	Keyless   bool                 // the compatible server takes requests without a key
	Pace      time.Duration        // of the demonstration
}

// New makes the adapter.
func New(s Spec) (providers.Model, error) {
	base, err := Address(s.Name, s.BaseURL)
	if err != nil {
		return nil, err
	}
	switch s.Name {
	case anthropic.Vendor:
		return anthropic.New(anthropic.Options{Accounts: s.Accounts, BaseURL: base, HTTP: s.HTTP, MaxOut: func(model string) int64 {
			if s.Catalogue == nil {
				return 0
			}
			return s.Catalogue.MaxOutput(anthropic.Vendor, model)
		}})
	case gemini.Vendor:
		return gemini.New(gemini.Options{Accounts: s.Accounts, BaseURL: base, HTTP: s.HTTP})
	case ollama.Vendor:
		return ollama.New(ollama.Options{Accounts: s.Accounts, BaseURL: base, HTTP: s.HTTP})
	case copilot.Vendor:
		return copilot.New(copilot.Options{Accounts: s.Accounts, BaseURL: base, HTTP: s.HTTP})
	case demo.Vendor:
		return demo.New(demo.Options{Pace: s.Pace}), nil
	}
	opts := openai.Options{Vendor: s.Name, BaseURL: base, Accounts: s.Accounts, HTTP: s.HTTP, API: s.API, Header: s.Header}
	if _, known := openai.PresetFor(s.Name); !known {
		if base == "" {
			return nil, unknown(s.Name)
		}
		opts.Quirks = openai.Quirks{Keyless: s.Keyless, OldMaxTokens: true, NoMetadata: true}
	}
	return openai.New(opts)
}

func unknown(name string) error {
	flt := fault.New(fault.Invalid, "provider_unknown", "There is no provider %q.", name).WithParam("providers." + name)
	var names []string
	for _, v := range All() {
		names = append(names, v.Name)
	}
	if close, ok := suggest.Closest(name, names); ok {
		return flt.WithHint("Did you mean %q? Any other OpenAI-compatible server needs its base_url.", close)
	}
	return flt.WithHint("Known are %s; any other OpenAI-compatible server needs its base_url.", strings.Join(names, ", "))
}

// Address completes what people and other programs write: OLLAMA_HOST without a
// scheme or with 0.0.0.0, and Gemini's address without its version.
func Address(name, base string) (string, error) {
	base = strings.TrimRight(strings.TrimSpace(base), "/")
	if base == "" {
		return "", nil
	}
	switch name {
	case ollama.Vendor:
		return ollamaAddress(base)
	case gemini.Vendor:
		if u, err := url.Parse(base); err == nil && u.Path == "" {
			return base + "/v1beta", nil
		}
	case anthropic.Vendor:
		return strings.TrimSuffix(base, "/v1"), nil
	}
	return base, nil
}

func ollamaAddress(base string) (string, error) {
	if !strings.Contains(base, "://") {
		base = "http://" + base
	}
	u, err := url.Parse(base)
	if err != nil {
		return "", fault.New(fault.Invalid, "base_url_invalid", "The address of Ollama is not one.").WithParam("base_url").WithHint("It looks like http://127.0.0.1:11434.")
	}
	host, port := u.Hostname(), u.Port()
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	if port == "" && u.Scheme == "http" {
		port = "11434"
	}
	if u.Host = host; port != "" {
		u.Host = net.JoinHostPort(host, port)
	}
	return u.String(), nil
}

// Status says whether a vendor can be asked now, and what to do if not.
type Status struct {
	Vendor
	State    string                    `json:"state"` // ready, resting, signed_out, missing
	Accounts []providers.AccountStatus `json:"accounts,omitempty"`
	Hint     string                    `json:"hint,omitempty"`
}

// StatusOf looks at a vendor's accounts; it asks nobody.
func StatusOf(v Vendor, accounts *providers.Accounts) Status {
	st := Status{Vendor: v, State: "missing"}
	if accounts != nil {
		st.Accounts = accounts.Status()
	}
	for _, a := range st.Accounts {
		if a.State == "ready" {
			st.State = "ready"
			return st
		}
		if st.State != "resting" {
			st.State = a.State
		}
	}
	switch {
	case len(st.Accounts) == 0 && v.Keyless:
		st.State = "ready"
	case st.State == "resting":
		st.Hint = "Its accounts rest until the vendor takes requests again; another account would help now."
	case st.State == "signed_out":
		st.Hint = "The vendor does not accept the credential. " + remedy(v)
	default:
		st.Hint = remedy(v)
	}
	return st
}

func remedy(v Vendor) string {
	var ways []string
	if len(v.EnvKeys) > 0 {
		ways = append(ways, "set "+v.EnvKeys[0])
	}
	if v.Name != copilot.Vendor {
		ways = append(ways, "add a key in the settings")
	}
	if v.SignIn != "" {
		ways = append(ways, "use "+v.SignIn)
	}
	text := strings.Join(ways, ", or ")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
