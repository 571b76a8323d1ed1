package app

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/copilot"
	"github.com/fluxway/fluxway/internal/providers/vendors"
)

const copilotName = copilot.Vendor

// TestProvider asks a provider something small with one of its accounts.
func (m *models) TestProvider(ctx context.Context, ws ids.Workspace, provider, account string) (api.ProviderTest, error) {
	v, err := m.vendor(provider)
	if err != nil {
		return api.ProviderTest{}, err
	}
	name, source, err := m.credential(ctx, ws, v, account)
	if err != nil {
		return api.ProviderTest{}, err
	}
	return m.test(paidBy(ctx, ws), v, name, source).ProviderTest, nil
}

// paidBy says who pays for the word that a test asks for.
func paidBy(ctx context.Context, ws ids.Workspace) context.Context {
	a := costs.Attribution{Workspace: ws, Door: "test"}
	if who := identity.From(ctx); who != nil {
		a.User, a.Key = who.User, who.Key
	}
	return costs.With(ctx, a)
}

// credential is the account of that name, or the first; nil for a provider that needs none.
func (m *models) credential(ctx context.Context, ws ids.Workspace, v vendors.Vendor, account string) (string, providers.TokenSource, error) {
	if err := m.enter(ctx); err != nil {
		return "", nil, err
	}
	defer m.leave()
	cfg := m.settings()
	own, err := m.own(ctx, ws, v.Name)
	if err != nil {
		return "", nil, err
	}
	all := distinct(append(own, m.everyones(v.Name, cfg.Providers[v.Name])...))
	i := slices.IndexFunc(all, func(a providers.Account) bool { return account == "" || a.Name == account })
	switch {
	case i >= 0:
		return all[i].Name, all[i].Source, nil
	case account != "":
		return "", nil, noAccount(v.Name, account)
	}
	return "", nil, nil
}

func noAccount(provider, account string) error {
	return fault.New(fault.NotFound, "account_not_found", "%s has no account %q here.", provider, account).WithParam("account").
		WithHint("GET /api/v1/providers/%s lists them; one that is switched off cannot be tested.", provider)
}

func keyInVain(v vendors.Vendor) error {
	return fault.New(fault.Invalid, "key_in_vain", "%s needs no key.", v.Title).WithParam("provider").WithHint("Use it as it is.")
}

func (m *models) sourceOf(provider string, key secret.Text) providers.TokenSource {
	if provider == copilot.Vendor {
		return m.opts.GitHub.NewExchange(key)
	}
	return providers.Key(key)
}

// tested is a test with the fault behind it.
type tested struct {
	api.ProviderTest
	err *fault.Fault
}

// fault is the failure as the answer to whoever gave the key.
func (t tested) fault() error {
	f := *t.err
	if f.Code == providers.CodeAuth {
		f.Kind, f.Param = fault.Invalid, "key"
	}
	return &f
}

// test uses one credential and nothing of its pool: a test neither rests an
// account nor is kept from asking by one that rests. What it asks is listed, and
// a word of a cheap model: some vendors list for anyone.
func (m *models) test(ctx context.Context, v vendors.Vendor, account string, source providers.TokenSource) tested {
	began := time.Now()
	out := tested{ProviderTest: api.ProviderTest{Account: account}}
	served, model, err := m.ask(ctx, v, account, source)
	out.TookMS, out.Models, out.Model = time.Since(began).Milliseconds(), served, model
	if err == nil {
		out.OK, out.Message = true, v.Title+" answers."
		return out
	}
	f := *fault.From(err)
	f.Message = strings.Replace(f.Message, v.Name, v.Title, 1)
	if f.Code == providers.CodeAuth {
		f.Hint = "Check that the key is complete and still valid, then try again."
		if source == nil {
			f.Hint = vendors.StatusOf(v, nil).Hint
		}
	}
	out.err, out.Message, out.Hint, out.Code = &f, f.Message, f.Hint, f.Code
	return out
}

func (m *models) ask(ctx context.Context, v vendors.Vendor, account string, source providers.TokenSource) (served int, model string, err error) {
	cfg := m.settings()
	pool := providers.NewAccounts(v.Name)
	if source != nil {
		pool.Set([]providers.Account{{Name: cmp.Or(account, mainKey), Source: source}})
	}
	adapter, err := m.adapter(v.Name, cfg.Providers[v.Name], pool)
	if err != nil {
		return 0, "", err
	}
	var listed []providers.Listed
	if lister, ok := adapter.(providers.Lister); ok {
		if listed, err = lister.Models(ctx); err != nil {
			return 0, "", err
		}
	}
	if v.Local { // a word may load gigabytes there
		return len(listed), "", nil
	}
	model = cheapest(m.opts.Catalogue, v.Name, listed)
	if model == "" {
		return len(listed), "", nil
	}
	request := &providers.Request{Model: model, MaxTokens: 16, Messages: []providers.Message{providers.UserText("Say ok.")}}
	if _, err = providers.Complete(ctx, m.watched(v.Name, adapter), request); err == nil {
		return len(listed), v.Name + "/" + model, nil
	}
	switch fault.From(err).Code {
	case providers.CodeNoModel, providers.CodeBadRequest, providers.CodeContext, providers.CodeFiltered:
		err = nil // it knew who asked, and that was the question
	}
	return len(listed), "", err
}

// cheapest is the cheapest model for a word: of those that the provider lists
// and the catalogue prices, else of the catalogue's, else the first listed.
func cheapest(c *providers.Catalogue, provider string, listed []providers.Listed) string {
	best, price := "", int64(-1)
	for _, e := range c.All() {
		if e.Provider() != provider || e.Cans(providers.CanEmbed) || e.Cans(providers.CanTranscribe) || e.Cans(providers.CanSpeak) {
			continue
		}
		if len(listed) > 0 && !slices.ContainsFunc(listed, func(l providers.Listed) bool { return l.ID == e.Model() }) {
			continue
		}
		p, ok := e.PriceAt(time.Now())
		cost, known := p.Cost(providers.Usage{Input: 10, Output: 16})
		if ok && known && (price < 0 || cost < price) {
			best, price = e.Model(), cost
		}
	}
	if best == "" {
		for _, l := range listed {
			if !strings.Contains(l.ID, "embed") && !strings.Contains(l.ID, "tts") && !strings.Contains(l.ID, "whisper") {
				return l.ID
			}
		}
	}
	return best
}
