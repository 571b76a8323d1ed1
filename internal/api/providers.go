package api

import (
	"context"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
)

// Models is who serves models to a workspace; app builds it from all adapters.
type Models interface {
	Providers(ctx context.Context, ws ids.Workspace) ([]Provider, error)
	AddAccount(ctx context.Context, ws ids.Workspace, in NewAccount) (AddedAccount, error)
	ChangeAccount(ctx context.Context, ws ids.Workspace, in AccountChange) (ProviderAccount, error)
	RemoveAccount(ctx context.Context, ws ids.Workspace, provider string, id ids.Account) error
	TestProvider(ctx context.Context, ws ids.Workspace, provider, account string) (ProviderTest, error)
	Served(ctx context.Context, ws ids.Workspace, provider string) ([]providers.Listed, error)
	Catalogue(ctx context.Context, ws ids.Workspace) ([]Model, error)
	Found(ctx context.Context, ws ids.Workspace) (FoundModels, error)
	BeginSignIn(ctx context.Context, ws ids.Workspace, provider string) (SignInCode, error)
	PollSignIn(ctx context.Context, ws ids.Workspace, provider, signIn string) (SignInState, error)
}

// Provider is someone who serves models, and whether they can be asked now.
type Provider struct {
	Provider   string            `json:"provider" doc:"The name before the slash of provider/model."`
	Title      string            `json:"title"`
	State      string            `json:"state" enum:"ready,resting,signed_out,missing,off" doc:"signed_out: the credential is not accepted; missing: there is none; off: switched off in the settings."`
	Hint       string            `json:"hint,omitempty" doc:"What to do, unless it is ready."`
	Configured bool              `json:"configured" doc:"The settings, a variable or a stored account name it."`
	Keyless    bool              `json:"keyless" doc:"It works without a key."`
	Local      bool              `json:"local" doc:"It runs on this machine."`
	SignIn     string            `json:"sign_in,omitempty" doc:"How to sign in instead of giving a key."`
	Variables  []string          `json:"variables" doc:"The variables its key is looked for in."`
	BaseURL    string            `json:"base_url,omitempty" doc:"Where it is reached, if not at its usual address."`
	LeftAlone  time.Time         `json:"left_alone_until,omitzero" doc:"It failed again and again and is not asked until then."`
	Model      string            `json:"model,omitempty" doc:"A good model to begin with."`
	Accounts   []ProviderAccount `json:"accounts"`
}

// ProviderAccount is one credential, without its secret.
type ProviderAccount struct {
	ID        ids.Account `json:"id,omitempty" doc:"Of a stored account; others are changed where they are set."`
	Name      string      `json:"name"`
	Source    string      `json:"source" enum:"stored,settings,variable,cli" doc:"Where the credential is kept."`
	Where     string      `json:"where,omitempty" doc:"Such as OPENAI_API_KEY or fluxway.yaml:3:5."`
	State     string      `json:"state" enum:"ready,resting,signed_out,expired,off"`
	Reason    string      `json:"reason,omitempty" doc:"Why it is not ready."`
	Until     time.Time   `json:"until,omitzero" doc:"When it is tried again."`
	LastUsed  time.Time   `json:"last_used,omitzero"`
	CreatedAt time.Time   `json:"created_at,omitzero"`
}

// NewAccount is a key to be stored.
type NewAccount struct {
	Provider string      `json:"-"`
	Name     string      `json:"name" max:"100" doc:"What to show for it; if left out: key, or key 2 and so on."`
	Key      secret.Text `json:"key" required:"true" doc:"Stored encrypted and never shown again."`
	Test     bool        `json:"test" doc:"Ask the provider first; a key that does not work is not stored."`
}

// AddedAccount is a stored account and what a test of it said.
type AddedAccount struct {
	Account ProviderAccount `json:"account"`
	Test    *ProviderTest   `json:"test,omitempty"`
}

// AccountChange changes a stored account.
type AccountChange struct {
	Provider string       `json:"-"`
	Account  ids.Account  `json:"-"`
	Enabled  *bool        `json:"enabled"`
	Key      *secret.Text `json:"key" doc:"Replaces the key."`
}

// ProviderTest is what came of asking a provider.
type ProviderTest struct {
	OK      bool   `json:"ok"`
	Message string `json:"message" doc:"What happened, in words."`
	Hint    string `json:"hint,omitempty" doc:"What to do about it."`
	Code    string `json:"code,omitempty"`
	Account string `json:"account,omitempty" doc:"The account that was used."`
	Model   string `json:"model,omitempty" doc:"The model that answered."`
	Models  int    `json:"models" doc:"How many models the provider lists for this account."`
	TookMS  int64  `json:"took_ms"`
}

// Model is a model that can be asked for.
type Model struct {
	ID        string                 `json:"id" doc:"provider/model, or the name of a route."`
	Name      string                 `json:"name,omitempty"`
	Provider  string                 `json:"provider,omitempty" doc:"Empty for a route."`
	Targets   []string               `json:"targets,omitempty" doc:"Of a route, in the order written."`
	Default   bool                   `json:"default" doc:"What agents use that name no model."`
	Context   int64                  `json:"context,omitempty" doc:"The context window in tokens, if known."`
	MaxOutput int64                  `json:"max_output,omitempty"`
	Can       []providers.Capability `json:"can" doc:"What it can do besides text."`
	Price     *ModelPrice            `json:"price,omitempty" doc:"In micro-dollars per million tokens; left out if it is not known, which is not free."`
}

// ModelPrice is what a model costs now, in micro-dollars per million tokens.
type ModelPrice struct {
	Input     *int64 `json:"input,omitempty"`
	CacheRead *int64 `json:"cache_read,omitempty"`
	Output    *int64 `json:"output,omitempty"`
	Pretend   bool   `json:"pretend,omitempty" doc:"The demonstration's: nobody is charged, and what it seems to cost is marked."`
}

// FoundModels is what this machine already has.
type FoundModels struct {
	Logins  []FoundLogin  `json:"logins" doc:"Sign-ins of other programs."`
	Servers []FoundServer `json:"servers" doc:"Model servers that answered."`
	Keys    []FoundKey    `json:"keys" doc:"Keys in the environment."`
}

// FoundLogin is another program's sign-in.
type FoundLogin struct {
	Provider string    `json:"provider"`
	Title    string    `json:"title"`
	State    string    `json:"state" enum:"ready,expired,broken"`
	Plan     string    `json:"plan,omitempty"`
	Expires  time.Time `json:"expires,omitzero"`
	Hint     string    `json:"hint,omitempty"`
	Used     bool      `json:"used" doc:"The settings allow its use."`
	Model    string    `json:"model,omitempty" doc:"A good model to begin with."`
}

// FoundServer is a model server on this machine.
type FoundServer struct {
	Provider string             `json:"provider"`
	Title    string             `json:"title"`
	BaseURL  string             `json:"base_url"`
	Models   []providers.Listed `json:"models"`
	Used     bool               `json:"used" doc:"The settings name it."`
}

// FoundKey is a key in the environment.
type FoundKey struct {
	Provider string `json:"provider"`
	Title    string `json:"title"`
	Variable string `json:"variable"`
	Model    string `json:"model,omitempty" doc:"A good model to begin with."`
}

// SignInCode is a code to be typed on the provider's page.
type SignInCode struct {
	SignIn  string    `json:"sign_in" doc:"Names this sign-in when it is asked about."`
	Code    string    `json:"code"`
	URL     string    `json:"url" doc:"Where to type the code."`
	Expires time.Time `json:"expires"`
}

// SignInState is how far a sign-in is.
type SignInState struct {
	Done    bool             `json:"done"`
	Account *ProviderAccount `json:"account,omitempty" doc:"The stored account, once it is done."`
}

// providersAPI is who serves models, and with which accounts.
type providersAPI struct{ models Models }

// testTime is how long a provider may take to answer a test.
const testTime = 90 * time.Second

func (a providersAPI) routes() []route {
	return []route{
		{"GET", "/api/v1/providers", "models:read", "Who serves models, whether they are ready, and what to do if not.", handler(a.list)},
		{"GET", "/api/v1/providers/{provider}", "models:read", "One provider.", handler(a.get)},
		{"GET", "/api/v1/providers/{provider}/models", "models:read", "The models that a provider itself lists now.", handler(a.served)},
		{"POST", "/api/v1/providers/{provider}/test", "models:write", "Ask a provider something small and say in words what came of it.", handler(a.test, quiet, timeout(testTime))},
		{"POST", "/api/v1/providers/{provider}/accounts", "models:write", "Store a key, encrypted; it is never shown again.", handler(a.add, status(201), timeout(testTime))},
		{"PATCH", "/api/v1/providers/{provider}/accounts/{account}", "models:write", "Switch a stored account on or off, or replace its key.", handler(a.change)},
		{"DELETE", "/api/v1/providers/{provider}/accounts/{account}", "models:write", "Forget a stored account and its key.", handler(a.remove)},
		{"POST", "/api/v1/providers/{provider}/signin", "models:write", "Begin to sign in with a code that is typed on the provider's page.", handler(a.beginSignIn, status(201), rotates)},
		{"POST", "/api/v1/providers/{provider}/signin/{signin}", "models:write", "Wait a moment for a sign-in to be finished; done says whether it is.", handler(a.pollSignIn, rotates)},
		{"GET", "/api/v1/models", "models:read", "The models that can be asked for: routes, and the catalogue's models of the providers at hand.", handler(a.catalogue)},
		{"GET", "/api/v1/models/found", "models:write", "What this machine already has: sign-ins of other programs, model servers, keys in the environment.", handler(a.found)},
	}
}

func (a providersAPI) list(ctx context.Context, in listQuery) (page.Page[Provider], error) {
	all, err := a.models.Providers(ctx, workspaceOf(ctx))
	return pieceOf(in, all, err, func(p Provider) string { return p.Provider })
}

type providerPath struct {
	Provider string `path:"provider"`
}

func (a providersAPI) get(ctx context.Context, in providerPath) (Provider, error) {
	all, err := a.models.Providers(ctx, workspaceOf(ctx))
	for _, p := range all {
		if p.Provider == in.Provider {
			return p, err
		}
	}
	if err == nil {
		err = providers.NoProvider(in.Provider)
	}
	return Provider{}, err
}

type servedRequest struct {
	providerPath
	listQuery
}

func (a providersAPI) served(ctx context.Context, in servedRequest) (page.Page[providers.Listed], error) {
	all, err := a.models.Served(ctx, workspaceOf(ctx), in.Provider)
	return pieceOf(in.listQuery, all, err, func(m providers.Listed) string { return m.ID })
}

type testRequest struct {
	providerPath
	Account string `json:"account" max:"100" doc:"The name of the account to use; the first that is ready if left out."`
}

func (a providersAPI) test(ctx context.Context, in testRequest) (ProviderTest, error) {
	return a.models.TestProvider(ctx, workspaceOf(ctx), in.Provider, in.Account)
}

type addAccountRequest struct {
	providerPath
	NewAccount
}

func (a providersAPI) add(ctx context.Context, in addAccountRequest) (AddedAccount, error) {
	in.NewAccount.Provider = in.providerPath.Provider
	return a.models.AddAccount(ctx, workspaceOf(ctx), in.NewAccount)
}

type accountPath struct {
	providerPath
	Account ids.Account `path:"account"`
}

type changeAccountRequest struct {
	accountPath
	AccountChange
}

func (a providersAPI) change(ctx context.Context, in changeAccountRequest) (ProviderAccount, error) {
	in.AccountChange.Provider, in.AccountChange.Account = in.accountPath.Provider, in.accountPath.Account
	return a.models.ChangeAccount(ctx, workspaceOf(ctx), in.AccountChange)
}

func (a providersAPI) remove(ctx context.Context, in accountPath) (nothing, error) {
	return nothing{}, a.models.RemoveAccount(ctx, workspaceOf(ctx), in.Provider, in.Account)
}

func (a providersAPI) beginSignIn(ctx context.Context, in providerPath) (SignInCode, error) {
	return a.models.BeginSignIn(ctx, workspaceOf(ctx), in.Provider)
}

type signInPath struct {
	providerPath
	SignIn string `path:"signin"`
}

func (a providersAPI) pollSignIn(ctx context.Context, in signInPath) (SignInState, error) {
	return a.models.PollSignIn(ctx, workspaceOf(ctx), in.Provider, in.SignIn)
}

func (a providersAPI) catalogue(ctx context.Context, in listQuery) (page.Page[Model], error) {
	all, err := a.models.Catalogue(ctx, workspaceOf(ctx))
	return pieceOf(in, all, err, func(m Model) string { return m.ID })
}

func (a providersAPI) found(ctx context.Context, _ none) (FoundModels, error) {
	return a.models.Found(ctx, workspaceOf(ctx))
}
