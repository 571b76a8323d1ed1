package plugins

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
)

// Plugin is a plugin as people of a workspace see it: never with a secret.
type Plugin struct {
	Name        string        `json:"name"`
	Version     string        `json:"version"`
	Description string        `json:"description"`
	Author      string        `json:"author,omitempty"`
	Homepage    string        `json:"homepage,omitempty"`
	Folder      string        `json:"folder"`
	Source      Source        `json:"source" enum:"folder,link,settings" doc:"settings: the settings name its folder, so it cannot be removed here."`
	State       State         `json:"state" enum:"disabled,enabled,changed,invalid,missing" doc:"changed: its files are not those that were agreed to, so it gives nothing until a person agrees again."`
	Healthy     bool          `json:"healthy" doc:"Nothing of it failed when it was last used."`
	Digest      string        `json:"digest,omitempty" doc:"Of its files as they are now: what enabling agrees to."`
	Files       int           `json:"files"`
	Size        int64         `json:"size" doc:"Bytes."`
	Changes     []FileChange  `json:"changes" doc:"How its files differ from what was agreed to."`
	Powers      []Power       `json:"powers" doc:"What it may do, in words."`
	Contributes Contributions `json:"contributes"`
	Settings    []Value       `json:"settings"`
	Problems    []Problem     `json:"problems" doc:"What is wrong with its files."`
	Failures    []Failure     `json:"failures" doc:"What failed lately, the newest first."`
	EnabledBy   ids.User      `json:"enabled_by,omitempty"`
	EnabledAt   time.Time     `json:"enabled_at,omitzero"`
	Agreed      string        `json:"agreed_version,omitempty" doc:"The version that was agreed to."`
}

// Contributions is what a plugin brings.
type Contributions struct {
	Servers   []ServerView `json:"mcp_servers"`
	Agents    []AgentView  `json:"agents"`
	Skills    []SkillView  `json:"skills"`
	Workflows []Workflow   `json:"workflows" doc:"They are kept and not run yet."`
	Hooks     []Hook       `json:"hooks"`
}

// ServerView is an MCP server of a plugin, as it is written there.
type ServerView struct {
	Name    string   `json:"name"`
	Command []string `json:"command,omitempty"`
	URL     string   `json:"url,omitempty"`
}

// AgentView is an agent of a plugin.
type AgentView struct {
	Name        string   `json:"name"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description"`
	Tools       []string `json:"tools"`
}

// SkillView is a skill of a plugin.
type SkillView struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Value is a setting and what it is set to.
type Value struct {
	Setting
	Value json.RawMessage `json:"value,omitempty" doc:"Left out for secrets and where nothing is set."`
	Set   bool            `json:"set" doc:"A person set it; otherwise the default counts."`
}

// Power is one thing a plugin may do.
type Power struct {
	Kind string `json:"kind" enum:"program,remote,agent,skill,hook,workflow"`
	Text string `json:"text" doc:"A sentence."`
	Risk string `json:"risk" enum:"low,medium,high"`
}

// List gives every plugin of this server as a workspace sees it, by name.
func (m *Manager) List(ctx context.Context, ws ids.Workspace) ([]Plugin, error) {
	if err := m.Load(ctx); err != nil {
		return nil, err
	}
	places, err := m.places()
	if err != nil {
		return nil, err
	}
	rows, err := store.All[row](ctx, m.opts.DB.Read(), selectRows, ws, ws)
	if err != nil {
		return nil, fmt.Errorf("reading plugins: %w", err)
	}
	mine := map[string]*row{}
	for i := range rows {
		mine[rows[i].Name] = &rows[i]
	}
	out := []Plugin{}
	for _, p := range places {
		one, err := m.view(ctx, ws, mine[p.manifest.Name], p)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	for i := range rows { // enabled, and its folder is gone
		if rows[i].Enabled && find(places, rows[i].Name) == nil {
			one, err := m.view(ctx, ws, &rows[i], nil)
			if err != nil {
				return nil, err
			}
			out = append(out, one)
		}
	}
	return out, nil
}

// Get shows one plugin.
func (m *Manager) Get(ctx context.Context, ws ids.Workspace, name string) (Plugin, error) {
	all, err := m.List(ctx, ws)
	if err != nil {
		return Plugin{}, err
	}
	for _, p := range all {
		if p.Name == name {
			return p, nil
		}
	}
	places, err := m.places()
	if err != nil {
		return Plugin{}, err
	}
	return Plugin{}, notFound(places, name)
}

func (m *Manager) view(ctx context.Context, ws ids.Workspace, r *row, p *place) (Plugin, error) {
	out := Plugin{State: stateOf(r, p), Healthy: true, Changes: []FileChange{}, Problems: []Problem{}}
	have := stored{}
	var err error
	if r != nil {
		out.Name, out.Agreed = r.Name, r.Agreed.Version
		if r.Enabled {
			out.EnabledBy, out.EnabledAt = r.EnabledBy, r.EnabledAt
		}
		if have, err = m.open(*r); err != nil {
			return out, err
		}
	}
	man := &Manifest{}
	if p != nil {
		man = p.manifest
		out.Name, out.Folder, out.Source = man.Name, p.path, p.source
		if p.source == FromLink && p.folder != "" {
			out.Folder = p.folder
		}
		out.Digest, out.Files, out.Size = p.tree.digest, len(p.tree.files), p.tree.size
		out.Problems = append(out.Problems, p.problems...)
	}
	if out.State == StateChanged {
		out.Changes = changesOf(r.Agreed.Files, p.tree.files)
	}
	out.Version, out.Description, out.Author, out.Homepage = man.Version, man.Description, man.Author, man.Homepage
	out.Contributes, out.Powers, out.Settings = contributions(man), powers(man), man.values(have)
	k := key{ws, out.Name}
	if out.Failures, err = m.failures(ctx, k, keptFailures); err != nil {
		return out, err
	}
	m.mu.Lock()
	h, a := m.health[k], m.active[k]
	m.mu.Unlock()
	if out.State == StateEnabled {
		out.Healthy = a == nil || a.trouble == nil && (h == nil || len(h.sick()) == 0)
	}
	return out, nil
}

func (m *Manifest) values(have stored) []Value {
	out := []Value{}
	for _, s := range m.Settings {
		v := Value{Setting: s, Value: have.values[s.Name]}
		_, hidden := have.secrets[s.Name]
		v.Set = v.Value != nil || hidden
		if v.Value == nil && s.Default != nil {
			v.Value = s.Default
		}
		out = append(out, v)
	}
	return out
}

func contributions(m *Manifest) Contributions {
	c := Contributions{Servers: []ServerView{}, Agents: []AgentView{}, Skills: []SkillView{}, Workflows: []Workflow{}, Hooks: []Hook{}}
	for _, s := range m.Servers {
		v := ServerView{Name: s.Name, URL: s.URL}
		if s.Command != "" {
			v.Command = append([]string{s.Command}, s.Args...)
		}
		c.Servers = append(c.Servers, v)
	}
	for _, a := range m.Agents {
		c.Agents = append(c.Agents, AgentView{a.Agent.Name, a.Agent.Title, a.Agent.Description, append([]string{}, a.Agent.Tools.Allow...)})
	}
	for _, s := range m.Skills {
		c.Skills = append(c.Skills, SkillView{s.Name, s.Description})
	}
	c.Workflows = append(c.Workflows, m.Workflows...)
	c.Hooks = append(c.Hooks, m.Hooks...)
	return c
}

// powers says in words what a person agrees to.
func powers(m *Manifest) []Power {
	out := []Power{}
	for _, s := range m.Servers {
		if s.Command != "" {
			text := fmt.Sprintf("Runs the program %s on this machine as the MCP server %s, outside the sandbox. It can do what this server's user can.", s.Command, s.Name)
			out = append(out, Power{"program", text, "high"})
			continue
		}
		out = append(out, Power{"remote", fmt.Sprintf("Sends what agents ask the MCP server %s to %s.", s.Name, s.URL), "medium"})
	}
	for _, h := range m.Hooks {
		out = append(out, h.power())
	}
	for _, a := range m.Agents {
		text := fmt.Sprintf("Adds the agent %s. Its tools are judged like everybody's: %s.", a.Agent.Name, globsText(a.Agent.Tools.Allow))
		out = append(out, Power{"agent", text, "low"})
	}
	for _, s := range m.Skills {
		out = append(out, Power{"skill", fmt.Sprintf("Gives every agent the instructions of the skill %s to read.", s.Name), "low"})
	}
	for _, w := range m.Workflows {
		out = append(out, Power{"workflow", fmt.Sprintf("Brings the workflow %s, which is kept and not run yet.", w.Name), "low"})
	}
	return out
}

func globsText(globs []string) string {
	if len(globs) == 0 {
		return "none"
	}
	return strings.Join(globs, ", ")
}

func (h Hook) power() Power {
	when := map[Event]string{
		BeforeRun: "before every run and may stop it", AfterRun: "after every run", BeforeTurn: "before every turn and may stop the run",
		AfterTurn: "after every turn", BeforeTool: "before tool calls and may refuse them", AfterTool: "after tool calls",
	}[h.Event]
	text := fmt.Sprintf("Runs %s in the sandbox %s", strings.Join(h.Command, " "), when)
	if len(h.Tools) > 0 {
		text += " of " + strings.Join(h.Tools, ", ")
	}
	text += ". It is told what agents are asked and do"
	p := Power{Kind: "hook", Risk: "medium"}
	switch {
	case h.Network:
		text, p.Risk = text+", and may talk to other machines", "high"
	default:
		text += ", and has no network"
	}
	switch h.Project {
	case ReadOnly:
		text += "; it may read the project's files"
	case ReadWrite:
		text, p.Risk = text+"; it may change the project's files", "high"
	case NoAccess:
	}
	if h.OnError == FailClosed {
		text += ". If it fails, the call counts as refused"
	}
	p.Text = text + "."
	return p
}
