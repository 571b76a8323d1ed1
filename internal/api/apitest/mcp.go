package apitest

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

// servers are MCP servers that never run: they are added, changed and removed.
type servers struct {
	mu  sync.Mutex // guards all
	all map[ids.Workspace][]api.MCPServer
}

func (s *servers) find(who api.MCPCaller, name string) (int, error) {
	at := slices.IndexFunc(s.all[who.Workspace], func(m api.MCPServer) bool { return m.Name == name })
	if at < 0 {
		return 0, fault.New(fault.NotFound, "server_not_found", "There is no MCP server %q.", name)
	}
	return at, nil
}

// Servers lists them.
func (s *servers) Servers(_ context.Context, who api.MCPCaller) ([]api.MCPServer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all[who.Workspace]), nil
}

// Server shows one.
func (s *servers) Server(_ context.Context, who api.MCPCaller, name string) (api.MCPServer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, err := s.find(who, name)
	if err != nil {
		return api.MCPServer{}, err
	}
	return s.all[who.Workspace][at], nil
}

// AddServer keeps one.
func (s *servers) AddServer(_ context.Context, who api.MCPCaller, in api.NewMCPServer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.find(who, in.Name); err == nil {
		return fault.New(fault.Conflict, "server_exists", "There is a server %s already.", in.Name)
	}
	if in.Command == nil && in.URL == nil || strings.ContainsAny(in.Name, " /") {
		return fault.New(fault.Invalid, "server_invalid", "A server needs a command or a URL.").WithParam("command")
	}
	if s.all == nil {
		s.all = map[ids.Workspace][]api.MCPServer{}
	}
	s.all[who.Workspace] = append(s.all[who.Workspace], api.MCPServer{Name: in.Name, Source: "stored", Transport: "stdio", Level: "restricted", State: "idle", Secrets: []string{}})
	return nil
}

// ImportServers keeps those of a text of {"name": {"command": …}}.
func (s *servers) ImportServers(ctx context.Context, who api.MCPCaller, text string) ([]string, error) {
	var file map[string]struct {
		Command string `json:"command"`
	}
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		return nil, fault.New(fault.Invalid, "servers_unreadable", "This is not a list of MCP servers.").WithParam("text")
	}
	names := slices.Sorted(maps.Keys(file))
	for _, name := range names {
		command := file[name].Command
		if err := s.AddServer(ctx, who, api.NewMCPServer{Name: name, MCPServerChange: api.MCPServerChange{Command: &command}}); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// do finds a server and does something with it.
func (s *servers) do(who api.MCPCaller, name string, f func(*api.MCPServer)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, err := s.find(who, name)
	if err == nil {
		f(&s.all[who.Workspace][at])
	}
	return err
}

// ChangeServer switches one off or on.
func (s *servers) ChangeServer(_ context.Context, who api.MCPCaller, name string, in api.MCPServerChange) error {
	return s.do(who, name, func(m *api.MCPServer) { m.Disabled = in.Disabled != nil && *in.Disabled })
}

// RemoveServer forgets one.
func (s *servers) RemoveServer(_ context.Context, who api.MCPCaller, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, err := s.find(who, name)
	if err == nil {
		s.all[who.Workspace] = slices.Delete(s.all[who.Workspace], at, at+1)
	}
	return err
}

// StartServer starts one.
func (s *servers) StartServer(_ context.Context, who api.MCPCaller, name string) error {
	return s.do(who, name, func(m *api.MCPServer) { m.State = "ready" })
}

// StopServer stops one.
func (s *servers) StopServer(_ context.Context, who api.MCPCaller, name string) error {
	return s.do(who, name, func(m *api.MCPServer) { m.State = "stopped" })
}

// RestartServer starts one again.
func (s *servers) RestartServer(ctx context.Context, who api.MCPCaller, name string) error {
	return s.StartServer(ctx, who, name)
}

// ServerLogs has none.
func (s *servers) ServerLogs(_ context.Context, who api.MCPCaller, name string, _ int) (api.MCPLogs, error) {
	return api.MCPLogs{Lines: []api.MCPLine{}}, s.do(who, name, func(*api.MCPServer) {})
}

// ServerTools has none.
func (s *servers) ServerTools(_ context.Context, who api.MCPCaller, name string, _ bool) ([]api.MCPTool, error) {
	return []api.MCPTool{}, s.do(who, name, func(*api.MCPServer) {})
}

// Consent agrees to nothing.
func (s *servers) Consent(ctx context.Context, who api.MCPCaller, name string, _ []string) ([]api.MCPTool, error) {
	return s.ServerTools(ctx, who, name, false)
}

// BeginSignIn knows no sign-ins.
func (s *servers) BeginSignIn(_ context.Context, who api.MCPCaller, name string) (string, error) {
	if err := s.do(who, name, func(*api.MCPServer) {}); err != nil {
		return "", err
	}
	return "", fault.New(fault.Conflict, "no_signin", "The MCP server %s knows no sign-in.", name)
}

// FinishSignIn knows none either.
func (s *servers) FinishSignIn(context.Context, string, string, string) (string, error) {
	return "", fault.New(fault.NotFound, "signin_unknown", "This sign-in is not known or took too long.")
}

// SignOut has nothing to forget.
func (s *servers) SignOut(_ context.Context, who api.MCPCaller, name string) error {
	return s.do(who, name, func(*api.MCPServer) {})
}
