package api

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/tools"
)

// rosterAPI is the definitions of agents.
type rosterAPI struct {
	roster *agents.Roster
	router *agents.Router
}

func (a rosterAPI) routes() []route {
	all := []route{
		{"GET", "/api/v1/agents", "agents:read", "The agents that the caller may use.", handler(a.list)},
		{"POST", "/api/v1/agents", "agents:write", "Make an agent.", handler(a.create, status(201))},
		{"GET", "/api/v1/agents/presets", "agents:read", "The definitions in the program and the settings, before the workspace changed them.", handler(a.presets)},
		{"GET", "/api/v1/agents/export", "agents:read", "Agents as a file; those that the workspace made or changed, if none are named.", door(a.exportAll, media("application/yaml"))},
		{"POST", "/api/v1/agents/import", "agents:write", "Take over the agents of a file, all or none: ours, MUXI's or Fluxmaster's, YAML or JSON.",
			handler(a.importFile, bodyLimit(2*agents.MaxFile))},
		{"GET", "/api/v1/agents/{agent}", "agents:read", "One agent.", handler(a.get)},
		{"PATCH", "/api/v1/agents/{agent}", "agents:write", "Change an agent with a merge patch: fields left out stay, null takes one back. A preset becomes the workspace's own by it.", handler(a.change)},
		{"DELETE", "/api/v1/agents/{agent}", "agents:write", "Take an agent out of the workspace; its versions stay. Presets are hidden.", handler(a.remove)},
		{"GET", "/api/v1/agents/{agent}/versions", "agents:read", "What an agent was, the latest first; also of one that was deleted.", handler(a.versions)},
		{"GET", "/api/v1/agents/{agent}/versions/{version}", "agents:read", "One version; 0 is the preset or the settings' definition.", handler(a.version)},
		{"GET", "/api/v1/agents/{agent}/compare", "agents:read", "How two versions differ, field by field.", handler(a.compare)},
		{"POST", "/api/v1/agents/{agent}/rollback", "agents:write", "Make an earlier version the present one; 0 goes back to the preset or the settings.", handler(a.rollback)},
		{"GET", "/api/v1/agents/{agent}/export", "agents:read", "One agent as a file.", door(a.export, media("application/yaml"))},
	}
	if a.router != nil {
		all = append(all, route{"POST", "/api/v1/agents/route", "runs:write", "Which agent would take a message, and why. Nothing is started.", handler(a.choose, quiet)})
	}
	return all
}

type agentPath struct {
	Agent string `path:"agent" max:"64"`
}

func (a rosterAPI) list(ctx context.Context, in listQuery) (page.Page[agents.Agent], error) {
	all, err := a.roster.List(ctx, workspaceOf(ctx))
	return pieceOf(in, all, err, func(a agents.Agent) string { return a.Name })
}

func (a rosterAPI) get(ctx context.Context, in agentPath) (agents.Agent, error) {
	return a.roster.Get(ctx, workspaceOf(ctx), in.Agent)
}

func (a rosterAPI) presets(_ context.Context, _ none) (page.Page[agents.Agent], error) {
	return whole(a.roster.Presets(), nil)
}

// agentFields describes what a definition may say. The body is kept as it came:
// in a merge patch a field that is null differs from one that is left out.
type agentFields struct {
	Title        string        `json:"title" max:"100"`
	Description  string        `json:"description" max:"2000" doc:"What it is for: routing and other agents go by it."`
	Model        string        `json:"model" doc:"provider/model or a route; empty: the workspace's own choice."`
	Params       agents.Params `json:"params"`
	Instructions string        `json:"instructions" max:"131072"`
	Persona      string        `json:"persona" max:"16384" doc:"How it speaks."`
	Tools        tools.Filter  `json:"tools" doc:"Globs over names; deny wins, and an empty allow means none."`
	Helpers      []string      `json:"helpers" doc:"Agents it may hand work to, by name or glob."`
	Memory       agents.Memory `json:"memory"`
	Driver       string        `json:"driver" enum:"native"`
	Limits       agents.Limits `json:"limits" doc:"Zero takes the default."`
	Users        []string      `json:"users" doc:"Who may use it, by user name; empty: everyone of the workspace."`
	Hue          string        `json:"hue" enum:"iris,azure,teal,green,lime,amber,coral,pink"`

	raw json.RawMessage
}

// UnmarshalJSON keeps the text; the roster reads it, over what is there already.
func (f *agentFields) UnmarshalJSON(text []byte) error {
	f.raw = append(json.RawMessage(nil), text...)
	return nil
}

func (f *agentFields) body() (json.RawMessage, error) {
	if f.raw == nil {
		return nil, fault.New(fault.Invalid, "empty_body", "The body is empty.").WithParam("body").WithHint("Send an object with the agent's fields.")
	}
	return f.raw, nil
}

type newAgentRequest struct {
	Name string `json:"name" required:"true" min:"1" max:"48" doc:"Small letters, digits, - and _."`
	agentFields
}

func (a rosterAPI) create(ctx context.Context, in newAgentRequest) (agents.Saved, error) {
	fields, err := in.body()
	if err != nil {
		return agents.Saved{}, err
	}
	var named struct {
		Name *string `json:"name"`
	}
	if err := json.Unmarshal(fields, &named); err != nil {
		return agents.Saved{}, fault.New(fault.Invalid, "wrong_type", "The body must be an object whose name is text.").WithParam("name").WithHint(`Send {"name":"ops", …}.`)
	}
	if named.Name == nil {
		return agents.Saved{}, fault.New(fault.Invalid, "required", "The field name is missing.").WithParam("name").WithHint("Give the agent a name, such as ops.")
	}
	return a.roster.Create(ctx, workspaceOf(ctx), *named.Name, fields)
}

type agentChangeRequest struct {
	agentPath
	Version int `json:"version" doc:"Refuses the change if the agent is at another version by now."`
	agentFields
}

func (a rosterAPI) change(ctx context.Context, in agentChangeRequest) (agents.Saved, error) {
	patch, err := in.body()
	if err != nil {
		return agents.Saved{}, err
	}
	return a.roster.Patch(ctx, workspaceOf(ctx), in.Agent, patch)
}

func (a rosterAPI) remove(ctx context.Context, in agentPath) (nothing, error) {
	return nothing{}, a.roster.Delete(ctx, workspaceOf(ctx), in.Agent)
}

type versionsQuery struct {
	agentPath
	listQuery
}

func (a rosterAPI) versions(ctx context.Context, in versionsQuery) (page.Page[agents.Version], error) {
	return a.roster.Versions(ctx, workspaceOf(ctx), in.Agent, in.Query)
}

type versionPath struct {
	agentPath
	Version int `path:"version" min:"0"`
}

func (a rosterAPI) version(ctx context.Context, in versionPath) (agents.Version, error) {
	return a.roster.Version(ctx, workspaceOf(ctx), in.Agent, in.Version)
}

type compareQuery struct {
	agentPath
	From *int `query:"from" min:"0" doc:"The one before the present if left out."`
	To   *int `query:"to" min:"0" doc:"The present one if left out."`
}

func (a rosterAPI) compare(ctx context.Context, in compareQuery) (agents.Compared, error) {
	from, to := -1, -1
	if in.To != nil {
		to = *in.To
	}
	if in.From != nil {
		from = *in.From
	} else {
		now, err := a.roster.Get(ctx, workspaceOf(ctx), in.Agent)
		if err != nil {
			return agents.Compared{}, err
		}
		from = max(0, now.Version-1)
	}
	return a.roster.Compare(ctx, workspaceOf(ctx), in.Agent, from, to)
}

type rollbackRequest struct {
	agentPath
	Version int `json:"version" required:"true" min:"0" doc:"0: the preset or the settings' definition."`
}

func (a rosterAPI) rollback(ctx context.Context, in rollbackRequest) (agents.Saved, error) {
	return a.roster.Rollback(ctx, workspaceOf(ctx), in.Agent, in.Version)
}

type agentFormat struct {
	Format string `query:"format" enum:"yaml,json" doc:"yaml if left out."`
}

type exportAgentQuery struct {
	agentPath
	agentFormat
}

func (a rosterAPI) export(c *call, in exportAgentQuery) error {
	return a.file(c, in.Format, in.Agent, in.Agent)
}

type exportAgentsQuery struct {
	Agents []string `query:"agents" doc:"Names, with commas; left out: all that the workspace made or changed."`
	agentFormat
}

func (a rosterAPI) exportAll(c *call, in exportAgentsQuery) error {
	return a.file(c, in.Format, "agents", in.Agents...)
}

// file answers with agents as a file to keep.
func (a rosterAPI) file(c *call, format, name string, names ...string) error {
	f, err := a.roster.Export(c.ctx, workspaceOf(c.ctx), names...)
	if err != nil {
		return err
	}
	format = cmp.Or(format, "yaml")
	var text []byte
	if format == "json" {
		text, err = json.MarshalIndent(f, "", "  ")
	} else {
		text, err = f.YAML()
	}
	if err != nil {
		return err
	}
	c.attach(name, format)
	_, err = c.w.Write(text)
	return err
}

type importAgentsRequest struct {
	Text    string `json:"text" required:"true" min:"1" doc:"The whole file."`
	Replace bool   `json:"replace" doc:"Change agents of the same name instead of refusing."`
	DryRun  bool   `json:"dry_run" doc:"Only say what would happen."`
}

func (a rosterAPI) importFile(ctx context.Context, in importAgentsRequest) (agents.Imported, error) {
	return a.roster.Import(ctx, workspaceOf(ctx), []byte(in.Text), agents.ImportOptions{Replace: in.Replace, DryRun: in.DryRun})
}

type routeMessageRequest struct {
	Message string `json:"message" required:"true" min:"1" max:"1000000"`
}

func (a rosterAPI) choose(ctx context.Context, in routeMessageRequest) (agents.Choice, error) {
	return a.router.Pick(ctx, workspaceOf(ctx), identity.From(ctx).User, in.Message)
}
