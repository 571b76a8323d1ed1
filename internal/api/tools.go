package api

import (
	"context"
	"encoding/json"
	"time"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/tools"
)

// toolsAPI is what agents can use, and people can try.
type toolsAPI struct{ box *tools.Toolbox }

// callTime is how long a call by API may take; a tool's own limit is mostly shorter.
const callTime = 10 * time.Minute

func (a toolsAPI) routes() []route {
	return []route{
		{"GET", "/api/v1/tools", "tools:read", "Every tool of the workspace: built in, of MCP servers, agents and workflows.", handler(a.list)},
		{"GET", "/api/v1/tools/{tool}", "tools:read", "One tool.", handler(a.get)},
		{"POST", "/api/v1/tools/{tool}/call", "tools:use", "Call a tool: through the guard, like an agent's call. What goes wrong with it is a result too.", handler(a.call, timeout(callTime))},
	}
}

// ToolView is a tool as the API shows it.
type ToolView struct {
	Name           string          `json:"name"`
	Title          string          `json:"title,omitempty"`
	Description    string          `json:"description"`
	Origin         string          `json:"origin" doc:"builtin, or mcp/ and the server."`
	Level          tools.Level     `json:"level" enum:"public,restricted,dangerous" doc:"How much harm it can do."`
	ReadOnly       bool            `json:"read_only" doc:"It leaves everything as it is."`
	Repeatable     bool            `json:"repeatable" doc:"Safe to run again after a crash."`
	Network        bool            `json:"network" doc:"It may talk to other machines."`
	Sandboxed      bool            `json:"sandboxed" doc:"It runs programs, which the sandbox confines as far as this machine can; what holds is told by the posture and by rulings."`
	TimeoutSeconds float64         `json:"timeout_seconds"`
	Schema         json.RawMessage `json:"schema" doc:"JSON Schema of the arguments."`
}

func viewOf(s tools.Spec) ToolView {
	return ToolView{
		Name: s.Name, Title: s.Title, Description: s.Description, Origin: s.Origin, Level: s.Level, ReadOnly: s.ReadOnly, Repeatable: s.Repeatable,
		Network: s.Network, Sandboxed: s.Sandboxed, TimeoutSeconds: s.Timeout.Seconds(), Schema: s.Schema,
	}
}

type toolsQuery struct {
	listQuery
	Origin string `query:"origin" max:"64" doc:"Only of this origin, such as builtin or mcp/github."`
}

func (a toolsAPI) list(ctx context.Context, in toolsQuery) (page.Page[ToolView], error) {
	belt, err := a.box.In(workspaceOf(ctx), tools.All())
	if err != nil {
		return page.Page[ToolView]{}, err
	}
	rows := []ToolView{}
	for _, s := range belt.Specs() {
		if in.Origin == "" || in.Origin == s.Origin {
			rows = append(rows, viewOf(s))
		}
	}
	return pieceOf(in.listQuery, rows, nil, func(t ToolView) string { return t.Name })
}

type toolPath struct {
	Tool string `path:"tool"`
}

func (a toolsAPI) get(ctx context.Context, in toolPath) (ToolView, error) {
	belt, err := a.box.In(workspaceOf(ctx), tools.All())
	if err != nil {
		return ToolView{}, err
	}
	spec, err := belt.Spec(in.Tool)
	return viewOf(spec), err
}

type callToolRequest struct {
	toolPath
	Arguments json.RawMessage `json:"arguments" doc:"An object that fits the tool's schema."`
	Approval  string          `json:"approval" max:"128" doc:"The ticket of an approval that was granted for this very call."`
}

func (a toolsAPI) call(ctx context.Context, in callToolRequest) (tools.Result, error) {
	belt, err := a.box.In(workspaceOf(ctx), tools.All())
	if err != nil {
		return tools.Result{}, err
	}
	if _, err := belt.Spec(in.Tool); err != nil {
		return tools.Result{}, err
	}
	r, err := belt.Call(ctx, callBy(identity.From(ctx), "api", in.Tool, in.Arguments, in.Approval))
	if r.Parts == nil {
		r.Parts = []tools.Part{}
	}
	return r, err
}

// callBy is a person's or program's own call, without an agent.
func callBy(id *identity.Identity, door, tool string, args json.RawMessage, approval string) tools.Call {
	return tools.Call{
		ID: string(ids.New[ids.ToolCall]()), Tool: tool, Workspace: id.Workspace, User: id.User, Door: door, Args: args, Approval: approval,
	}
}
