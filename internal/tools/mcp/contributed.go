package mcp

import (
	"context"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Contribute makes these the servers that a plugin gives a workspace, in the place of those it gave before; none takes
// them back. The servers it answers an error for are not offered, the others are.
func (m *Manager) Contribute(ctx context.Context, ws ids.Workspace, plugin string, list []Definition) map[string]error {
	m.loading.Lock()
	defer m.loading.Unlock()
	wrong := map[string]error{}
	wanted := map[string]bool{}
	for _, def := range list {
		wanted[def.Name] = true
	}
	for _, s := range m.all() {
		if s.key.ws == ws && s.plugin == plugin && !wanted[s.key.name] {
			m.drop(s)
		}
	}
	for _, def := range list {
		if err := m.contribute(ctx, ws, plugin, def); err != nil {
			wrong[def.Name] = err
		}
	}
	return wrong
}

func (m *Manager) contribute(ctx context.Context, ws ids.Workspace, plugin string, def Definition) error {
	if err := def.Check(); err != nil {
		return err
	}
	k := key{ws, def.Name}
	m.mu.Lock()
	s := m.servers[k]
	_, settings := m.servers[key{"", def.Name}]
	if settings || s != nil && s.plugin != plugin {
		m.mu.Unlock()
		return fault.New(fault.Conflict, "server_exists", "There is an MCP server %s already.", def.Name).WithHint("Rename or remove the other one.")
	}
	fresh := s == nil
	if fresh {
		s = newServer(m, k, def)
		s.plugin = plugin
		m.servers[k] = s
	}
	m.mu.Unlock()
	if !fresh {
		s.redefine(def, s.updated)
	}
	if err := s.load(ctx); err != nil {
		return err
	}
	if s.unmet() { // its tools are known once it was asked
		m.wg.Go(func() {
			if _, err := s.link("").ensure(m.running); err != nil && m.running.Err() == nil {
				m.log.Warn("an MCP server of a plugin cannot be reached", "part", "tools", "server", def.Name, "plugin", plugin, "err", err)
			}
		})
	}
	return nil
}
