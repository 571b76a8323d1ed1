package costs

import (
	"context"

	"github.com/fluxway/fluxway/internal/ids"
)

// Attribution says for whom and for what a call is made.
type Attribution struct {
	Workspace    ids.Workspace    `db:"workspace_id" json:"-"`
	User         ids.User         `db:"user_id" json:"user,omitempty"`
	Key          ids.Key          `db:"key_id" json:"key,omitempty"`
	Agent        string           `db:"agent" json:"agent,omitempty"` // its name
	Run          ids.Run          `db:"run_id" json:"run,omitempty"`
	Conversation ids.Conversation `db:"conversation_id" json:"conversation,omitempty"`
	Project      string           `db:"project" json:"project,omitempty"`
	Workflow     string           `db:"workflow" json:"workflow,omitempty"`
	Door         string           `db:"door" json:"door,omitempty"`               // chat, api, openai, anthropic, gemini, mcp, workflow, schedule…
	Asked        string           `db:"model_asked" json:"model_asked,omitempty"` // the model as the caller named it, before routing

	// Allowance is the run's own limit; nil: it has none.
	Allowance *Allowance `db:"-" json:"-"`
}

type attributionKey struct{}

// With carries for whom the calls under ctx are made.
func With(ctx context.Context, a Attribution) context.Context {
	return context.WithValue(ctx, attributionKey{}, a)
}

// From is for whom a call under ctx is made; the zero value if nobody said.
func From(ctx context.Context) Attribution {
	a, _ := ctx.Value(attributionKey{}).(Attribution)
	return a
}

// scopeKey is something that a budget can be about.
type scopeKey struct {
	scope Scope
	id    string
}

// scopes lists what a call is about, as budgets see it.
func (a *Attribution) scopes(provider, model string) [9]scopeKey {
	return [9]scopeKey{
		{ScopeWorkspace, ""},
		{ScopeUser, string(a.User)},
		{ScopeKey, string(a.Key)},
		{ScopeAgent, a.Agent},
		{ScopeProject, a.Project},
		{ScopeWorkflow, a.Workflow},
		{ScopeModel, provider + "/" + model},
		{ScopeModel, otherName(a.Asked, provider+"/"+model)},
		{ScopeModel, otherName(model, a.Asked)},
	}
}

// otherName keeps a budget from matching twice when both names are the same.
func otherName(name, than string) string {
	if name == than {
		return ""
	}
	return name
}
