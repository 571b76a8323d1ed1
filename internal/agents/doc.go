// Package agents knows what an agent is, and which one takes a request.
//
// In:    definitions from the binary, the settings and the workspace; texts that want an agent.
// Out:   an agent by its name; the agent that fits a text, with the reason; what a model is told before it starts.
// Keeps: agents_agents, agents_versions.
// Says:  agents.created, agents.changed, agents.deleted. Hears: the same, from other processes.
// Not here: requests and their journal (runs); the models themselves (providers); tools (tools).
package agents
