package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/config"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/demo"
	"github.com/fluxway/fluxway/internal/providers/local"
	"github.com/fluxway/fluxway/internal/providers/signin"
	"github.com/fluxway/fluxway/internal/providers/vendors"
)

// Providers lists every known provider and those of the settings.
func (m *models) Providers(ctx context.Context, ws ids.Workspace) ([]api.Provider, error) {
	b, err := m.board(ctx, ws)
	if err != nil {
		return nil, err
	}
	cfg := m.settings()
	var all []api.Provider
	for _, v := range everyVendor(cfg) {
		all = append(all, m.provider(v, cfg, b))
	}
	slices.SortFunc(all, func(x, y api.Provider) int {
		return byRank(ranked{x.Provider, x.Local}, ranked{y.Provider, y.Local})
	})
	return all, nil
}

// everyVendor is the known ones and those that only the settings know.
func everyVendor(cfg config.Config) []vendors.Vendor {
	all := vendors.All()
	for _, name := range slices.Sorted(maps.Keys(cfg.Providers)) {
		if _, known := vendors.Find(name); !known {
			all = append(all, vendors.Vendor{Name: name, Title: name, Keyless: cfg.Providers[name].Keyless})
		}
	}
	return all
}

func (m *models) vendor(name string) (vendors.Vendor, error) {
	cfg := m.settings()
	all := everyVendor(cfg)
	if i := slices.IndexFunc(all, func(v vendors.Vendor) bool { return v.Name == name }); i >= 0 {
		return all[i], nil
	}
	return vendors.Vendor{}, providers.NoProvider(name)
}

func (m *models) provider(v vendors.Vendor, cfg config.Config, b *board) api.Provider {
	settings, configured := cfg.Providers[v.Name]
	p := api.Provider{
		Provider: v.Name, Title: v.Title, Keyless: v.Keyless, Local: v.Local, SignIn: v.SignIn, Variables: append([]string{}, v.EnvKeys...),
		Configured: configured || v.Name == demo.Vendor, BaseURL: settings.BaseURL, Model: favourite(v.Name), Accounts: []api.ProviderAccount{},
	}
	var status vendors.Status
	if s := b.seats[v.Name]; s != nil {
		status = vendors.StatusOf(v, s.pool)
		if state, until := s.breaker.State(); state == providers.BreakerOpen {
			p.LeftAlone = until
		}
	} else {
		status = vendors.StatusOf(v, nil)
	}
	p.State, p.Hint = status.State, status.Hint
	p.Accounts = append(p.Accounts, m.accountsOf(v.Name, b, status.Accounts)...)
	p.Configured = p.Configured || len(p.Accounts) > 0
	switch {
	case configured && !settings.Enabled:
		p.State, p.Hint = "off", fmt.Sprintf("Set providers.%s.enabled to true to use it.", v.Name)
	case !p.Configured && v.Keyless:
		p.State, p.Hint = "missing", fmt.Sprintf("Start it, then name it in the settings: providers.%s.", v.Name)
	}
	return p
}

// accountsOf joins what the pool knows with where each credential is kept.
func (m *models) accountsOf(provider string, b *board, pool []providers.AccountStatus) []api.ProviderAccount {
	health := map[string]providers.AccountStatus{}
	for _, st := range pool {
		health[st.Name] = st
	}
	var all []api.ProviderAccount
	for _, a := range b.stored {
		if a.Provider == provider {
			all = append(all, storedAccount(a, health[a.Name]))
			delete(health, a.Name)
		}
	}
	for _, st := range pool {
		if _, left := health[st.Name]; left {
			all = append(all, m.givenAccount(provider, st))
		}
	}
	return all
}

func storedAccount(a providers.StoredAccount, st providers.AccountStatus) api.ProviderAccount {
	out := api.ProviderAccount{
		ID: a.ID, Name: a.Name, Source: "stored", State: cmp.Or(st.State, "ready"), Reason: st.Reason, Until: st.Until, LastUsed: st.LastUsed, CreatedAt: a.CreatedAt,
	}
	if a.Disabled {
		out.State, out.Reason, out.Until = "off", "", time.Time{}
	}
	return out
}

// givenAccount is one of the settings, of a variable or of another program.
func (m *models) givenAccount(provider string, st providers.AccountStatus) api.ProviderAccount {
	out := api.ProviderAccount{Name: st.Name, Source: "settings", State: st.State, Reason: st.Reason, Until: st.Until, LastUsed: st.LastUsed}
	if login, ok := m.login(provider); ok && st.Name == login.title {
		out.Source = "cli"
		found := login.status()
		out.Where = found.Path
		switch found.State {
		case signin.Expired:
			out.State, out.Reason = "expired", found.Hint
		case signin.Missing, signin.Broken:
			out.State, out.Reason = "signed_out", found.Hint
		}
		return out
	}
	setting := "key"
	if strings.HasPrefix(st.Name, mainKey+" ") {
		setting = "keys"
	}
	m.mu.RLock()
	origin := m.origins["providers."+provider+"."+setting]
	if origin.Source == config.FromDefault || origin.Source == "" {
		origin = m.origins["providers."+provider+".key_file"]
	}
	m.mu.RUnlock()
	out.Where = origin.Where
	if origin.Source == config.FromEnv || origin.Source == config.FromDotEnv {
		out.Source = "variable"
	}
	return out
}

// AddAccount stores a key; one that was to be tested and does not work is not stored.
func (m *models) AddAccount(ctx context.Context, ws ids.Workspace, in api.NewAccount) (api.AddedAccount, error) {
	v, err := m.vendor(in.Provider)
	if err != nil {
		return api.AddedAccount{}, err
	}
	if in.Provider == demo.Vendor {
		return api.AddedAccount{}, keyInVain(v)
	}
	kind := providers.AccountKey
	if in.Provider == copilotName {
		kind = providers.AccountGitHub
	}
	var out api.AddedAccount
	key := secret.New(strings.TrimSpace(in.Key.Reveal()))
	if in.Test {
		test := m.test(paidBy(ctx, ws), v, in.Name, m.sourceOf(in.Provider, key))
		if !test.OK {
			return out, test.fault()
		}
		out.Test = &test.ProviderTest
	}
	name, err := m.freeName(ctx, ws, in)
	if err != nil {
		return out, err
	}
	stored, err := m.opts.Keeper.Add(ctx, ws, providers.NewAccount{Provider: in.Provider, Name: name, Type: kind, Secret: key})
	if err != nil {
		return out, err
	}
	m.forget(ws)
	out.Account = storedAccount(stored, providers.AccountStatus{})
	return out, nil
}

// freeName is the name asked for, or the first that is free.
func (m *models) freeName(ctx context.Context, ws ids.Workspace, in api.NewAccount) (string, error) {
	if in.Name != "" {
		return in.Name, nil
	}
	stored, err := m.opts.Keeper.List(ctx, ws, in.Provider)
	if err != nil {
		return "", err
	}
	name := mainKey
	for n := 2; slices.ContainsFunc(stored, func(a providers.StoredAccount) bool { return a.Name == name }); n++ {
		name = fmt.Sprintf("%s %d", mainKey, n)
	}
	return name, nil
}

// ChangeAccount switches a stored account on or off, or replaces its key.
func (m *models) ChangeAccount(ctx context.Context, ws ids.Workspace, in api.AccountChange) (api.ProviderAccount, error) {
	if _, err := m.stored(ctx, ws, in.Provider, in.Account); err != nil {
		return api.ProviderAccount{}, err
	}
	if in.Key != nil {
		if err := m.opts.Keeper.Replace(ctx, ws, in.Account, *in.Key); err != nil {
			return api.ProviderAccount{}, err
		}
	}
	if in.Enabled != nil {
		if err := m.opts.Keeper.Turn(ctx, ws, in.Account, providers.Switch(*in.Enabled)); err != nil {
			return api.ProviderAccount{}, err
		}
	}
	m.forget(ws)
	a, err := m.stored(ctx, ws, in.Provider, in.Account)
	return storedAccount(a, providers.AccountStatus{}), err
}

// RemoveAccount forgets a stored account.
func (m *models) RemoveAccount(ctx context.Context, ws ids.Workspace, provider string, id ids.Account) error {
	if _, err := m.stored(ctx, ws, provider, id); err != nil {
		return err
	}
	if err := m.opts.Keeper.Remove(ctx, ws, id); err != nil {
		return err
	}
	m.forget(ws)
	return nil
}

func (m *models) stored(ctx context.Context, ws ids.Workspace, provider string, id ids.Account) (providers.StoredAccount, error) {
	if _, err := m.vendor(provider); err != nil {
		return providers.StoredAccount{}, err
	}
	all, err := m.opts.Keeper.List(ctx, ws, provider)
	if err != nil {
		return providers.StoredAccount{}, err
	}
	if i := slices.IndexFunc(all, func(a providers.StoredAccount) bool { return a.ID == id }); i >= 0 {
		return all[i], nil
	}
	return providers.StoredAccount{}, noAccount(provider, string(id))
}

// Served asks a provider what it serves now.
func (m *models) Served(ctx context.Context, ws ids.Workspace, provider string) ([]providers.Listed, error) {
	v, err := m.vendor(provider)
	if err != nil {
		return nil, err
	}
	b, err := m.board(ctx, ws)
	if err != nil {
		return nil, err
	}
	adapter, err := m.adapterOf(b, v)
	if err != nil {
		return nil, err
	}
	lister, ok := adapter.(providers.Lister)
	if !ok {
		return []providers.Listed{}, nil
	}
	all, err := lister.Models(ctx)
	slices.SortFunc(all, func(a, b providers.Listed) int { return strings.Compare(a.ID, b.ID) })
	return all, err
}

// adapterOf is the provider's adapter, made for the moment if it is not in use.
func (m *models) adapterOf(b *board, v vendors.Vendor) (providers.Model, error) {
	if s := b.seats[v.Name]; s != nil {
		return s.adapter, nil
	}
	cfg := m.settings()
	return m.adapter(v.Name, cfg.Providers[v.Name], providers.NewAccounts(v.Name))
}

// Catalogue lists routes and the catalogue's models of the providers at hand.
func (m *models) Catalogue(ctx context.Context, ws ids.Workspace) ([]api.Model, error) {
	b, err := m.board(ctx, ws)
	if err != nil {
		return nil, err
	}
	cfg := m.settings()
	now := time.Now()
	var all []api.Model
	seen := false
	for _, l := range b.router.List() {
		e := l.Entry
		out := api.Model{ID: l.Name, Name: e.Name, Provider: e.Provider(), Context: e.Context, MaxOutput: e.MaxOutput, Can: append([]providers.Capability{}, e.Can...)}
		if l.Route {
			out.Provider, out.Targets = "", cfg.Models.Routes[l.Name].Targets
		}
		if price, ok := e.PriceAt(now); ok {
			out.Price = &api.ModelPrice{Input: price.Input, CacheRead: price.CacheRead, Output: price.Output, Pretend: e.Pretend}
		}
		out.Default = l.Name == b.preset
		seen = seen || out.Default
		all = append(all, out)
	}
	if provider, _, ok := strings.Cut(b.preset, "/"); ok && !seen { // one that the catalogue does not know
		all = append(all, api.Model{ID: b.preset, Provider: provider, Default: true, Can: []providers.Capability{}})
	}
	return all, nil
}

// Found looks around on this machine, because someone asked.
func (m *models) Found(ctx context.Context, _ ids.Workspace) (api.FoundModels, error) {
	cfg := m.settings()
	out := api.FoundModels{Logins: []api.FoundLogin{}, Servers: []api.FoundServer{}, Keys: []api.FoundKey{}}
	for _, provider := range []string{"anthropic", "openai"} {
		login, ok := m.login(provider)
		if !ok {
			continue
		}
		if st := login.status(); st.State != signin.Missing {
			out.Logins = append(out.Logins, api.FoundLogin{
				Provider: provider, Title: login.title, State: string(st.State), Plan: st.Plan, Expires: st.Expires, Hint: st.Hint,
				Used: cfg.Providers[provider].UseCLILogin, Model: favourite(provider),
			})
		}
	}
	addresses := map[string]string{}
	for name, p := range cfg.Providers {
		if base, err := vendors.Address(name, p.BaseURL); err == nil {
			addresses[name] = base
		}
	}
	for _, f := range local.Discover(ctx, local.Options{Addresses: addresses, HTTP: m.http}) {
		_, used := cfg.Providers[f.Provider]
		out.Servers = append(out.Servers, api.FoundServer{
			Provider: f.Provider, Title: f.Title, BaseURL: f.BaseURL, Models: append([]providers.Listed{}, f.Models...), Used: used,
		})
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, v := range vendors.All() {
		if origin := m.origins["providers."+v.Name+".key"]; origin.Source == config.FromEnv || origin.Source == config.FromDotEnv {
			out.Keys = append(out.Keys, api.FoundKey{Provider: v.Name, Title: v.Title, Variable: origin.Where, Model: favourite(v.Name)})
		}
	}
	return out, context.Cause(ctx)
}

var errPending = errors.New("the person has not finished yet")
