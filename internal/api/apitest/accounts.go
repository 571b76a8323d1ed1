package apitest

import (
	"context"
	"slices"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
)

// WorkingKey is the key that the one provider of a World, openai, accepts.
const WorkingKey = "sk-works"

// accounts is a single provider whose accounts are really kept; it serves one
// model to whoever has the right key.
type accounts struct{ keeper *providers.Keeper }

const onlyProvider = "openai"

func (a *accounts) known(provider string) error {
	if provider != onlyProvider {
		return providers.NoProvider(provider)
	}
	return nil
}

// Providers lists the one.
func (a *accounts) Providers(ctx context.Context, ws ids.Workspace) ([]api.Provider, error) {
	stored, err := a.keeper.List(ctx, ws, onlyProvider)
	if err != nil {
		return nil, err
	}
	p := api.Provider{Provider: onlyProvider, Title: "OpenAI", State: "missing", Variables: []string{"OPENAI_API_KEY"}, Accounts: []api.ProviderAccount{}}
	for _, s := range stored {
		p.Accounts, p.State, p.Configured = append(p.Accounts, shown(s)), "ready", true
	}
	return []api.Provider{p}, nil
}

func shown(s providers.StoredAccount) api.ProviderAccount {
	state := "ready"
	if s.Disabled {
		state = "off"
	}
	return api.ProviderAccount{ID: s.ID, Name: s.Name, Source: "stored", State: state, CreatedAt: s.CreatedAt}
}

// AddAccount stores a key, tested if that is asked for.
func (a *accounts) AddAccount(ctx context.Context, ws ids.Workspace, in api.NewAccount) (api.AddedAccount, error) {
	if err := a.known(in.Provider); err != nil {
		return api.AddedAccount{}, err
	}
	var out api.AddedAccount
	if in.Test {
		if test := tried(in.Key); !test.OK {
			return out, fault.New(fault.Invalid, test.Code, "%s", test.Message).WithParam("key").WithHint("%s", test.Hint)
		} else {
			out.Test = &test
		}
	}
	name := in.Name
	if name == "" {
		name = "key"
	}
	s, err := a.keeper.Add(ctx, ws, providers.NewAccount{Provider: in.Provider, Name: name, Secret: in.Key})
	out.Account = shown(s)
	return out, err
}

func tried(key secret.Text) api.ProviderTest {
	if key.Equal(WorkingKey) {
		return api.ProviderTest{OK: true, Message: "OpenAI answers.", Models: 1}
	}
	return api.ProviderTest{Message: "OpenAI did not accept our credential.", Hint: "Check that the key is complete.", Code: providers.CodeAuth}
}

func (a *accounts) find(ctx context.Context, ws ids.Workspace, provider string, id ids.Account) (providers.StoredAccount, error) {
	if err := a.known(provider); err != nil {
		return providers.StoredAccount{}, err
	}
	all, err := a.keeper.List(ctx, ws, provider)
	if err != nil {
		return providers.StoredAccount{}, err
	}
	if i := slices.IndexFunc(all, func(s providers.StoredAccount) bool { return s.ID == id }); i >= 0 {
		return all[i], nil
	}
	return providers.StoredAccount{}, fault.New(fault.NotFound, "account_not_found", "There is no account %s.", id)
}

// ChangeAccount turns an account on or off, or replaces its key.
func (a *accounts) ChangeAccount(ctx context.Context, ws ids.Workspace, in api.AccountChange) (api.ProviderAccount, error) {
	if _, err := a.find(ctx, ws, in.Provider, in.Account); err != nil {
		return api.ProviderAccount{}, err
	}
	if in.Key != nil {
		if err := a.keeper.Replace(ctx, ws, in.Account, *in.Key); err != nil {
			return api.ProviderAccount{}, err
		}
	}
	if in.Enabled != nil {
		if err := a.keeper.Turn(ctx, ws, in.Account, providers.Switch(*in.Enabled)); err != nil {
			return api.ProviderAccount{}, err
		}
	}
	s, err := a.find(ctx, ws, in.Provider, in.Account)
	return shown(s), err
}

// RemoveAccount forgets an account.
func (a *accounts) RemoveAccount(ctx context.Context, ws ids.Workspace, provider string, id ids.Account) error {
	if _, err := a.find(ctx, ws, provider, id); err != nil {
		return err
	}
	return a.keeper.Remove(ctx, ws, id)
}

// TestProvider tries the first account.
func (a *accounts) TestProvider(ctx context.Context, ws ids.Workspace, provider, _ string) (api.ProviderTest, error) {
	if err := a.known(provider); err != nil {
		return api.ProviderTest{}, err
	}
	open, err := a.keeper.Open(ctx, ws, provider)
	if err != nil || len(open) == 0 {
		return tried(secret.Text{}), err
	}
	return tried(open[0].Secret), nil
}

// Served lists the one model.
func (a *accounts) Served(_ context.Context, _ ids.Workspace, provider string) ([]providers.Listed, error) {
	return []providers.Listed{{ID: "gpt-test"}}, a.known(provider)
}

// Catalogue lists the one model.
func (a *accounts) Catalogue(context.Context, ids.Workspace) ([]api.Model, error) {
	return []api.Model{{ID: "openai/gpt-test", Provider: onlyProvider, Can: []providers.Capability{}}}, nil
}

// Found finds nothing.
func (a *accounts) Found(context.Context, ids.Workspace) (api.FoundModels, error) {
	return api.FoundModels{Logins: []api.FoundLogin{}, Servers: []api.FoundServer{}, Keys: []api.FoundKey{}}, nil
}

// BeginSignIn is not offered.
func (a *accounts) BeginSignIn(_ context.Context, _ ids.Workspace, provider string) (api.SignInCode, error) {
	if err := a.known(provider); err != nil {
		return api.SignInCode{}, err
	}
	return api.SignInCode{}, fault.New(fault.Invalid, "no_sign_in", "OpenAI has no sign-in with a code.").WithParam("provider")
}

// PollSignIn knows of none.
func (a *accounts) PollSignIn(_ context.Context, _ ids.Workspace, provider, _ string) (api.SignInState, error) {
	if err := a.known(provider); err != nil {
		return api.SignInState{}, err
	}
	return api.SignInState{}, fault.New(fault.NotFound, "sign_in_not_found", "There is no such sign-in.").WithParam("signin")
}
