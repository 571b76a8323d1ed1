package app

import (
	"cmp"
	"context"
	"time"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/mcp"
)

// mcpDesk shows the MCP servers to the API.
type mcpDesk struct{ m *mcp.Manager }

// Servers lists them.
func (d mcpDesk) Servers(ctx context.Context, who api.MCPCaller) ([]api.MCPServer, error) {
	all, err := d.m.Servers(ctx, who.Workspace, who.User)
	out := make([]api.MCPServer, 0, len(all))
	for _, s := range all {
		out = append(out, serverView(s))
	}
	return out, err
}

// Server shows one.
func (d mcpDesk) Server(ctx context.Context, who api.MCPCaller, name string) (api.MCPServer, error) {
	s, err := d.m.Server(ctx, who.Workspace, name, who.User)
	return serverView(s), err
}

func serverView(s mcp.Server) api.MCPServer {
	levels := map[string]string{}
	for glob, level := range s.Levels {
		levels[glob] = string(level)
	}
	level := s.Level
	if level == "" {
		level = tools.Restricted
	}
	return api.MCPServer{
		Name: s.Name, Source: s.Source, Plugin: s.Plugin, Transport: string(s.Transport), Command: s.Command, Args: s.Args, Env: s.Env, Folder: s.Folder, URL: s.URL, Headers: s.Headers,
		SignIn: s.SignIn, ClientID: s.ClientID, Secrets: s.Secrets, Allow: s.Allow, Deny: s.Deny, Defaults: s.Defaults, Level: string(level), Levels: levels,
		ReadOnly: s.ReadOnly, TimeoutSeconds: s.Timeout.Seconds(), Disabled: s.Disabled, Sampling: string(cmp.Or(s.Sampling, mcp.SamplingAsk)), Roots: !s.NoRoots,
		SignedIn: s.Signed.In, SignInEnds: s.Signed.Ends, SignInRenews: s.Signed.Renews,
		State: string(s.State), Reason: s.Reason, Hint: s.Hint, Since: s.Since, NextTry: s.NextTry, Tries: s.Tries, PID: s.PID, Protocol: s.Protocol, Program: s.Program,
		Calls: s.Calls, Tools: s.Tools, Waiting: s.Waiting, ListedAt: s.ListedAt, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
	}
}

// set puts a value over another where there is one.
func set[T any](at *T, value *T) {
	if value != nil {
		*at = *value
	}
}

func change(in api.MCPServerChange) func(*mcp.Definition) {
	return func(d *mcp.Definition) {
		if in.Transport != nil {
			d.Transport = mcp.Transport(*in.Transport)
		}
		if in.Command != nil || in.URL != nil {
			d.Transport = ""
			set((*string)(&d.Transport), in.Transport)
		}
		set(&d.Command, in.Command)
		set(&d.Args, in.Args)
		set(&d.Env, in.Env)
		set(&d.Folder, in.Folder)
		set(&d.URL, in.URL)
		set(&d.Headers, in.Headers)
		set(&d.SignIn, in.SignIn)
		set(&d.ClientID, in.ClientID)
		set(&d.Allow, in.Allow)
		set(&d.Deny, in.Deny)
		set(&d.Defaults, in.Defaults)
		set((*string)(&d.Level), in.Level)
		set(&d.ReadOnly, in.ReadOnly)
		set(&d.Disabled, in.Disabled)
		set((*string)(&d.Sampling), in.Sampling)
		if in.Roots != nil {
			d.NoRoots = !*in.Roots
		}
		if in.Levels != nil {
			d.Levels = map[string]tools.Level{}
			for glob, level := range *in.Levels {
				d.Levels[glob] = tools.Level(level)
			}
		}
		if in.TimeoutSeconds != nil {
			d.Timeout = time.Duration(*in.TimeoutSeconds * float64(time.Second))
		}
	}
}

// AddServer stores a server.
func (d mcpDesk) AddServer(ctx context.Context, who api.MCPCaller, in api.NewMCPServer) error {
	def := mcp.Definition{Name: in.Name, Secrets: in.Secrets}
	change(in.MCPServerChange)(&def)
	return d.m.Add(ctx, who.Workspace, def)
}

// ImportServers stores servers as other programs keep them: all of them, or none if one cannot be.
func (d mcpDesk) ImportServers(ctx context.Context, who api.MCPCaller, text string) ([]string, error) {
	list, err := mcp.ParseServers([]byte(text))
	if err != nil {
		return nil, err
	}
	if err := d.m.Add(ctx, who.Workspace, list...); err != nil {
		return nil, err
	}
	var names []string
	for _, def := range list {
		names = append(names, def.Name)
	}
	return names, nil
}

// ChangeServer changes one.
func (d mcpDesk) ChangeServer(ctx context.Context, who api.MCPCaller, name string, in api.MCPServerChange) error {
	return d.m.Change(ctx, who.Workspace, name, change(in), in.Secrets)
}

// RemoveServer forgets one.
func (d mcpDesk) RemoveServer(ctx context.Context, who api.MCPCaller, name string) error {
	return d.m.Remove(ctx, who.Workspace, name)
}

// StartServer starts one.
func (d mcpDesk) StartServer(ctx context.Context, who api.MCPCaller, name string) error {
	return d.m.Start(ctx, who.Workspace, name, who.User)
}

// StopServer stops one.
func (d mcpDesk) StopServer(ctx context.Context, who api.MCPCaller, name string) error {
	return d.m.Stop(ctx, who.Workspace, name)
}

// RestartServer does both.
func (d mcpDesk) RestartServer(ctx context.Context, who api.MCPCaller, name string) error {
	return d.m.Restart(ctx, who.Workspace, name, who.User)
}

// ServerLogs gives its last lines.
func (d mcpDesk) ServerLogs(_ context.Context, who api.MCPCaller, name string, last int) (api.MCPLogs, error) {
	lines, total, err := d.m.Logs(who.Workspace, name, last)
	out := api.MCPLogs{Lines: make([]api.MCPLine, 0, len(lines)), Total: total}
	for _, l := range lines {
		out.Lines = append(out.Lines, api.MCPLine(l))
	}
	return out, err
}

// ServerTools lists its tools.
func (d mcpDesk) ServerTools(ctx context.Context, who api.MCPCaller, name string, force bool) ([]api.MCPTool, error) {
	all, err := d.m.Tools(ctx, who.Workspace, name, who.User, mcp.Freshness(force))
	return toolViews(all), err
}

// Consent agrees to what a server says.
func (d mcpDesk) Consent(ctx context.Context, who api.MCPCaller, name string, names []string) ([]api.MCPTool, error) {
	all, err := d.m.Consent(ctx, who.Workspace, name, names)
	return toolViews(all), err
}

func toolViews(all []mcp.ServerTool) []api.MCPTool {
	out := make([]api.MCPTool, 0, len(all))
	for _, t := range all {
		out = append(out, api.MCPTool{
			Name: t.Name, Tool: t.Tool, State: string(t.State), Reason: t.Reason, Title: t.Title, Description: t.Description, Schema: t.Schema,
			Level: string(t.Level), Diff: t.Diff,
		})
	}
	return out
}

// BeginSignIn sends a person to the remote server's page.
func (d mcpDesk) BeginSignIn(ctx context.Context, who api.MCPCaller, name string) (string, error) {
	return d.m.BeginSignIn(ctx, who.Workspace, name, who.User)
}

// FinishSignIn takes them back.
func (d mcpDesk) FinishSignIn(ctx context.Context, state, code, issuer string) (string, error) {
	return d.m.FinishSignIn(ctx, state, code, issuer)
}

// SignOut forgets a sign-in.
func (d mcpDesk) SignOut(ctx context.Context, who api.MCPCaller, name string) error {
	return d.m.SignOut(ctx, who.Workspace, name, who.User)
}
