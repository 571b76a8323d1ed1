package cli

import (
	"context"
	"net/url"

	"github.com/fluxway/fluxway/client"
	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/app"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/providers"
)

// models runs f on the running server's providers, or on those of the local
// data when none runs. What only reads works before the first user exists.
func (e *env) models(ctx context.Context, workspace string, f func(ctx context.Context, m api.Models, ws ids.Workspace) error) error {
	loaded, _, err := e.load(nil)
	if err != nil {
		return err
	}
	data := app.Data{Dir: loaded.Config.Data}
	if data.Serving() {
		c, err := client.New(client.Options{Socket: data.Socket(), Workspace: workspace})
		if err != nil {
			return err
		}
		return f(ctx, remoteModels{c}, "")
	}
	return e.local(ctx, func(ctx context.Context, l *app.Local) error {
		m, err := l.Models(ctx, loaded)
		if err != nil {
			return err
		}
		needed, err := l.Identity.SetupNeeded(ctx)
		if err != nil {
			return err
		}
		if needed {
			return f(ctx, unowned{m}, "")
		}
		if ctx, err = l.As(ctx, workspace); err != nil {
			return err
		}
		return f(ctx, m, identity.From(ctx).Workspace)
	})
}

// unowned are providers before there is a workspace that could own an account.
type unowned struct{ api.Models }

// AddAccount refuses.
func (u unowned) AddAccount(context.Context, ids.Workspace, api.NewAccount) (api.AddedAccount, error) {
	return api.AddedAccount{}, errNobody
}

// BeginSignIn refuses.
func (u unowned) BeginSignIn(context.Context, ids.Workspace, string) (api.SignInCode, error) {
	return api.SignInCode{}, errNobody
}

var errNobody = fault.New(fault.Conflict, "setup_needed", "There is no workspace yet that could own an account.").
	WithHint("Run fluxway setup first, or set the provider's variable.")

// remoteModels are the providers of a running server.
type remoteModels struct{ c *client.Client }

func providerURL(provider string, more ...string) string {
	path := "/api/v1/providers/" + url.PathEscape(provider)
	for _, m := range more {
		path += "/" + url.PathEscape(m)
	}
	return path
}

// all reads every page of a list.
func all[T any](ctx context.Context, c *client.Client, path string) ([]T, error) {
	var rows []T
	cursor := ""
	for {
		var piece page.Page[T]
		query := url.Values{"limit": {"500"}}
		if cursor != "" {
			query.Set("cursor", cursor)
		}
		if err := c.Do(ctx, "GET", path+"?"+query.Encode(), nil, &piece); err != nil {
			return nil, err
		}
		rows = append(rows, piece.Data...)
		if !piece.HasMore {
			return rows, nil
		}
		cursor = piece.NextCursor
	}
}

// Providers lists them.
func (r remoteModels) Providers(ctx context.Context, _ ids.Workspace) ([]api.Provider, error) {
	return all[api.Provider](ctx, r.c, "/api/v1/providers")
}

// AddAccount stores a key.
func (r remoteModels) AddAccount(ctx context.Context, _ ids.Workspace, in api.NewAccount) (out api.AddedAccount, err error) {
	body := map[string]any{"name": in.Name, "key": in.Key.Reveal(), "test": in.Test}
	return out, r.c.Do(ctx, "POST", providerURL(in.Provider, "accounts"), body, &out)
}

// ChangeAccount changes an account.
func (r remoteModels) ChangeAccount(ctx context.Context, _ ids.Workspace, in api.AccountChange) (out api.ProviderAccount, err error) {
	body := map[string]any{}
	if in.Enabled != nil {
		body["enabled"] = *in.Enabled
	}
	if in.Key != nil {
		body["key"] = in.Key.Reveal()
	}
	return out, r.c.Do(ctx, "PATCH", providerURL(in.Provider, "accounts", string(in.Account)), body, &out)
}

// RemoveAccount forgets an account.
func (r remoteModels) RemoveAccount(ctx context.Context, _ ids.Workspace, provider string, id ids.Account) error {
	return r.c.Do(ctx, "DELETE", providerURL(provider, "accounts", string(id)), nil, nil)
}

// TestProvider asks the provider.
func (r remoteModels) TestProvider(ctx context.Context, _ ids.Workspace, provider, account string) (out api.ProviderTest, err error) {
	return out, r.c.Do(ctx, "POST", providerURL(provider, "test"), map[string]string{"account": account}, &out)
}

// Served lists what the provider lists.
func (r remoteModels) Served(ctx context.Context, _ ids.Workspace, provider string) ([]providers.Listed, error) {
	return all[providers.Listed](ctx, r.c, providerURL(provider, "models"))
}

// Catalogue lists the models.
func (r remoteModels) Catalogue(ctx context.Context, _ ids.Workspace) ([]api.Model, error) {
	return all[api.Model](ctx, r.c, "/api/v1/models")
}

// Found looks around on the server's machine, which is this one.
func (r remoteModels) Found(ctx context.Context, _ ids.Workspace) (out api.FoundModels, err error) {
	return out, r.c.Do(ctx, "GET", "/api/v1/models/found", nil, &out)
}

// BeginSignIn asks for a code.
func (r remoteModels) BeginSignIn(ctx context.Context, _ ids.Workspace, provider string) (out api.SignInCode, err error) {
	return out, r.c.Do(ctx, "POST", providerURL(provider, "signin"), nil, &out)
}

// PollSignIn asks how far it is.
func (r remoteModels) PollSignIn(ctx context.Context, _ ids.Workspace, provider, id string) (out api.SignInState, err error) {
	return out, r.c.Do(ctx, "POST", providerURL(provider, "signin", id), nil, &out)
}
