package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fluxway/fluxway/internal/config"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/copilot"
	"github.com/fluxway/fluxway/internal/providers/signin"
)

// The names of accounts that are not stored.
const (
	mainKey     = "key"
	claudeLogin = "Claude CLI"
	codexLogin  = "Codex CLI"
)

// everyones are the accounts that the settings give a provider.
func (m *models) everyones(name string, p config.Provider) []providers.Account {
	var all []providers.Account
	if !p.Key.Empty() {
		all = append(all, m.account(name, mainKey, p.Key))
	}
	for _, label := range slices.Sorted(maps.Keys(p.Keys)) {
		all = append(all, m.account(name, mainKey+" "+label, p.Keys[label]))
	}
	if login, ok := m.login(name); ok && p.UseCLILogin {
		if m.logins[name] == nil {
			m.logins[name] = login.source()
		}
		all = append(all, providers.Account{Name: login.title, Source: m.logins[name]})
	}
	return all
}

// account is a key as its provider takes it: Copilot exchanges GitHub's token.
func (m *models) account(provider, name string, key secret.Text) providers.Account {
	if provider != copilot.Vendor {
		return providers.Account{Name: name, Source: providers.Key(key)}
	}
	id := ids.Account("settings/" + name + "/" + key.Reveal())
	return providers.Account{Name: name, Source: m.exchange(id, time.Time{}, key)}
}

func (m *models) exchange(id ids.Account, since time.Time, token secret.Text) providers.TokenSource {
	t, ok := m.trades[id]
	if !ok || !t.since.Equal(since) {
		t = trade{since, m.opts.GitHub.NewExchange(token)}
		m.trades[id] = t
	}
	return t.source
}

// own are the accounts that a workspace stored.
func (m *models) own(ctx context.Context, ws ids.Workspace, provider string) ([]providers.Account, error) {
	open, err := m.opts.Keeper.Open(ctx, ws, provider)
	if err != nil {
		return nil, err
	}
	all := make([]providers.Account, len(open))
	for i, a := range open {
		all[i] = providers.Account{Name: a.Name, Source: providers.Key(a.Secret)}
		if provider == copilot.Vendor {
			all[i].Source = m.exchange(a.ID, a.UpdatedAt, a.Secret)
		}
	}
	return all, nil
}

// distinct gives accounts of one name different names: a pool knows them by name.
func distinct(accounts []providers.Account) []providers.Account {
	taken := map[string]bool{}
	for i := range accounts {
		name := accounts[i].Name
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s (%d)", accounts[i].Name, n)
		}
		accounts[i].Name = name
		taken[name] = true
	}
	return accounts
}

// login is another program's sign-in.
type login struct {
	title  string
	status func() signin.Status
	source func() providers.TokenSource
}

// login is the sign-in that a provider can use, if there is a home it could be in.
func (m *models) login(provider string) (login, bool) {
	home := m.opts.Loaded.Home
	switch {
	case home == "":
	case provider == "anthropic":
		c := signin.Claude{Path: signin.ClaudePath(home), HTTP: m.http}
		return login{claudeLogin, c.Status, func() providers.TokenSource { return c.Source() }}, true
	case provider == "openai":
		c := signin.Codex{Path: signin.CodexPath(home), HTTP: m.http}
		return login{codexLogin, c.Status, func() providers.TokenSource { return c.Source() }}, true
	}
	return login{}, false
}
