package app

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/config"
	"github.com/fluxway/fluxway/internal/providers/demo"
)

// favourites are the providers in the order they are preferred when nobody
// says which model to use, each with a good all-round model. Servers on this
// machine have none: what they serve is their owner's choice.
var favourites = []struct{ provider, model string }{
	{"anthropic", "claude-sonnet-5-5"},
	{"openai", "gpt-6-sol"},
	{"gemini", "gemini-3.6-flash"},
	{"xai", "grok-4.6"},
	{"mistral", "mistral-large-latest"},
	{"deepseek", "deepseek-v4-pro"},
	{"groq", "llama-3.3-70b-versatile"},
	{"openrouter", "openrouter/auto"},
	{"copilot", "gpt-4.1"},
}

// demoModel needs no key.
const demoModel = demo.Vendor + "/" + demo.Name

// favourite is a good model of a provider; "" if none is known.
func favourite(provider string) string {
	i := slices.IndexFunc(favourites, func(f struct{ provider, model string }) bool { return f.provider == provider })
	if i < 0 {
		return ""
	}
	return provider + "/" + favourites[i].model
}

// presetOf is the model of agents that name none: the one in the settings, else
// a good one of the first provider with an account, else the demonstration. An
// account that rests or was refused still counts: an answer from elsewhere
// would hide what has to be mended.
func presetOf(cfg config.Config, seats map[string]*seat) string {
	if cfg.Models.Default != "" {
		return cfg.Models.Default
	}
	for _, f := range favourites {
		if s := seats[f.provider]; s != nil && len(s.pool.Status()) > 0 {
			return favourite(f.provider)
		}
	}
	return demoModel
}

// rank is a provider's place in lists: those people know, then their own, then
// those on this machine.
func rank(provider string, local bool) int {
	if provider == demo.Vendor {
		return len(favourites) + 3
	}
	if i := slices.IndexFunc(favourites, func(f struct{ provider, model string }) bool { return f.provider == provider }); i >= 0 {
		return i
	}
	if local {
		return len(favourites) + 2
	}
	return len(favourites) + 1
}

func byRank(a, b ranked) int {
	return cmp.Or(cmp.Compare(rank(a.name, a.local), rank(b.name, b.local)), strings.Compare(a.name, b.name))
}

type ranked struct {
	name  string
	local bool
}
