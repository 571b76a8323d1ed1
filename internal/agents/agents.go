// Package agents knows what an agent is: a model, instructions and limits.
//
// In:    definitions.
// Out:   an agent by its name.
// Keeps: nothing; the presets are part of the binary.
// Says:  nothing.
// Not here: working on a request (runs); the models themselves (providers).
package agents

import (
	"maps"
	"slices"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/suggest"
)

// Agent is a definition: which model, told what.
type Agent struct {
	Name         string `json:"name"`
	Title        string `json:"title"`
	Description  string `json:"description"`
	Model        string `json:"model" doc:"provider/model"`
	Instructions string `json:"instructions"`
	Hue          string `json:"hue" doc:"The agent's colour, the same everywhere."`
}

// Roster is the agents of this server.
type Roster struct{ agents map[string]Agent }

// New makes a roster of the presets; model is what they use.
func New(model string) *Roster {
	return &Roster{agents: map[string]Agent{
		"assistant": {
			Name: "assistant", Title: "Assistant", Model: model, Hue: "iris",
			Description:  "Answers questions and helps with everyday work.",
			Instructions: "You are a helpful assistant. Answer plainly and briefly. Say so when you do not know.",
		},
	}}
}

// Get finds an agent.
func (r *Roster) Get(name string) (Agent, error) {
	a, ok := r.agents[name]
	if !ok {
		f := fault.New(fault.NotFound, "agent_not_found", "There is no agent called %q.", name).WithParam("agent")
		if close, ok := suggest.Closest(name, slices.Collect(maps.Keys(r.agents))); ok {
			return a, f.WithHint("Did you mean %s?", close)
		}
		return a, f.WithHint("GET /api/v1/agents lists them.")
	}
	return a, nil
}

// List gives all agents by name.
func (r *Roster) List() []Agent {
	list := slices.Collect(maps.Values(r.agents))
	slices.SortFunc(list, func(a, b Agent) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return list
}
