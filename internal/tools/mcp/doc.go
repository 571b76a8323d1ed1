// Package mcp is the one MCP client of the machine: servers, their connections and their tools.
//
// In:    servers, from the settings and from each workspace, and calls of their tools.
// Out:   tools in the toolbox, named server__tool; results in bounded time and of bounded size; the servers' prompts and resources.
// Keeps: tools_servers, tools_pins, tools_grants.
// Says:  tools.server_added, tools.server_changed, tools.server_removed, tools.server_state_changed, tools.pin_changed.
// Not here: whether a call may run (the toolbox's gate); our own MCP server (api).
//
// A server has one process or session, whoever uses it, and it is started when it is first needed:
// what its tools are is known from the last time. What a tool says of itself
// is pinned when a server is met for the first time; when it changes, the tool is
// withheld until a person has agreed to the change.
//
// What a server asks during a call of a run is a need of that call: the run waits for its person, the call stays open
// meanwhile, and goes on when it is called again with the answer.
package mcp
