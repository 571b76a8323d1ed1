// Package agents knows what an agent is: a model, instructions and limits.
//
// In:    definitions.
// Out:   an agent by its name.
// Keeps: nothing; the presets are part of the binary.
// Says:  nothing.
// Not here: working on a request (runs); the models themselves (providers).
package agents

import (
	"context"
	"maps"
	"slices"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/suggest"
)

// Roster is the agents of this server.
type Roster struct {
	agents map[string]Agent
	model  Preset
}

// Preset is the model of agents that name none, which depends on the accounts
// of the workspace.
type Preset func(ctx context.Context, ws ids.Workspace) (string, error)

// Always is the same model everywhere.
func Always(model string) Preset {
	return func(context.Context, ids.Workspace) (string, error) { return model, nil }
}

// New makes a roster of the presets; model is what they use.
func New(model Preset) *Roster {
	return &Roster{model: model, agents: map[string]Agent{
		"assistant": {
			Name: "assistant", Title: "Assistant", Hue: "iris",
			Description:  "Answers questions and helps with everyday work.",
			Instructions: "You are a helpful assistant. Answer plainly and briefly. Say so when you do not know.",
		},
	}}
}

// Get finds an agent of a workspace.
func (r *Roster) Get(ctx context.Context, ws ids.Workspace, name string) (Agent, error) {
	a, ok := r.agents[name]
	if !ok {
		f := fault.New(fault.NotFound, "agent_not_found", "There is no agent called %q.", name).WithParam("agent")
		if close, ok := suggest.Closest(name, slices.Collect(maps.Keys(r.agents))); ok {
			return a, f.WithHint("Did you mean %s?", close)
		}
		return a, f.WithHint("GET /api/v1/agents lists them.")
	}
	var err error
	if a.Model == "" {
		a.Model, err = r.model(ctx, ws)
	}
	return a, err
}

// List gives all agents of a workspace by name.
func (r *Roster) List(ctx context.Context, ws ids.Workspace) ([]Agent, error) {
	list := slices.Collect(maps.Values(r.agents))
	slices.SortFunc(list, func(a, b Agent) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	for i := range list {
		if list[i].Model != "" {
			continue
		}
		var err error
		if list[i].Model, err = r.model(ctx, ws); err != nil {
			return nil, err
		}
	}
	return list, nil
}
