package tools

import "github.com/fluxway/fluxway/internal/ids"

// UpstreamURI is before the server and its own address of a resource of an MCP server: fluxway://mcp/files/file:///notes.md.
const UpstreamURI = "fluxway://mcp/"

// UpstreamChanged is what became different at an MCP server besides its tools.
type UpstreamChanged struct {
	Workspace ids.Workspace // "": every workspace has the server
	Prompts   bool          // there are other prompts
	Resources bool          // there are other resources
	Resource  string        // the address of one whose content is another; "": none
}
