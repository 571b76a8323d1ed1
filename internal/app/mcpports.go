package app

import (
	"context"
	"slices"

	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools/mcp"
)

// mcpPorts answers what MCP servers ask for: our models and the folders of the projects.
type mcpPorts struct{ a *App }

// maxSample bounds what a server may have a model write.
const maxSample = 4096

// Sample has a model answer a server, on the account of the call that the server works on.
func (p mcpPorts) Sample(ctx context.Context, from mcp.From, s mcp.Sample) (mcp.Sampled, error) {
	if from.Call == nil {
		return mcp.Sampled{}, fault.New(fault.Forbidden, "nobody_pays", "It is not clear for whom the server asks, so nobody would pay for the answer.")
	}
	name, err := p.model(ctx, from.Workspace, s.Hints)
	if err != nil {
		return mcp.Sampled{}, err
	}
	model, known, err := p.a.models.find(ctx, from.Workspace, name)
	if err != nil {
		return mcp.Sampled{}, err
	}
	by := costs.From(ctx)
	by.Workspace, by.User, by.Agent, by.Run, by.Conversation = from.Workspace, from.Call.User, from.Call.Agent, from.Call.Run, from.Call.Conversation
	by.Door, by.Asked = "mcp", name
	answer, err := providers.Complete(costs.With(ctx, by), model, sampleRequest(known, s))
	if err != nil {
		return mcp.Sampled{}, err
	}
	return mcp.Sampled{Model: name, Text: answer.Text(), Stop: stopOf(answer.Stop)}, nil
}

// model is the first of a server's wishes that the workspace has, or its model for small work.
func (p mcpPorts) model(ctx context.Context, ws ids.Workspace, hints []string) (string, error) {
	for _, h := range hints {
		if _, known := p.a.catalogue.Find(h); known {
			return h, nil
		}
	}
	preset, err := p.a.models.preset(ctx, ws)
	return small(preset), err
}

func sampleRequest(model string, s mcp.Sample) *providers.Request {
	req := &providers.Request{Model: model, MaxTokens: min(s.MaxTokens, maxSample), Stop: s.Stop}
	if req.MaxTokens <= 0 {
		req.MaxTokens = maxSample
	}
	if s.Temperature > 0 {
		req.Temperature = &s.Temperature
	}
	if s.System != "" {
		req.System = []providers.Part{providers.Text(s.System)}
	}
	for _, m := range s.Messages {
		part := providers.Text(m.Text)
		if len(m.Image) > 0 {
			part = providers.Part{Kind: providers.PartImage, Data: m.Image, MediaType: m.MediaType}
		}
		role := providers.RoleUser
		if m.Role == "assistant" {
			role = providers.RoleModel
		}
		req.Messages = append(req.Messages, providers.Message{Role: role, Parts: []providers.Part{part}})
	}
	return req
}

func stopOf(why providers.StopReason) string {
	switch why {
	case providers.StopLength:
		return "maxTokens"
	case providers.StopSequence:
		return "stopSequence"
	}
	return "endTurn"
}

// Folders are those of the projects of a workspace; of the call's alone, while a server works on one in a project.
func (p mcpPorts) Folders(ctx context.Context, from mcp.From) ([]mcp.Folder, error) {
	if from.Workspace == "" {
		return nil, nil
	}
	all, err := p.a.projects.List(ctx, from.Workspace)
	if err != nil {
		return nil, err
	}
	var out []mcp.Folder
	for _, project := range all {
		out = append(out, mcp.Folder{Name: project.Name, Path: project.Folder})
	}
	if from.Call == nil {
		return out, nil
	}
	if at := slices.IndexFunc(out, func(f mcp.Folder) bool { return f.Path == from.Call.Folder }); at >= 0 {
		return out[at : at+1], nil
	}
	return out, nil
}

// withdraw ends what a run that is over still asks.
func (a *App) withdraw(ctx context.Context, tx *store.Tx, ws ids.Workspace, run ids.Run) error {
	tx.AfterCommit(func() { a.mcp.Withdraw(run) })
	return a.guard.Withdraw(ctx, tx, ws, run)
}
