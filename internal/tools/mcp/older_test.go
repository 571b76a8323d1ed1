//lint:file-ignore SA1019 Servers of the older era still sample and ask for roots.

package mcp

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// olderTools ask the client for something.
func olderTools(s *sdk.Server) {
	type in = map[string]any
	addTool(s, "think", "Asks the client's model.", func(ctx context.Context, req *sdk.CallToolRequest, a in) (string, error) {
		res, err := req.Session.CreateMessage(ctx, &sdk.CreateMessageParams{
			MaxTokens: 10, SystemPrompt: "Be short.", Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: fmt.Sprint(a["text"])}}},
		})
		if err != nil {
			return "", err
		}
		return res.Model + ": " + res.Content.(*sdk.TextContent).Text, nil
	})
	addTool(s, "wonder", "Asks the person.", func(ctx context.Context, req *sdk.CallToolRequest, _ in) (string, error) {
		res, err := req.Session.Elicit(ctx, &sdk.ElicitParams{
			Message: "Which colour?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"colour": map[string]any{"type": "string"}}},
		})
		if err != nil {
			return "", err
		}
		return res.Action + " " + fmt.Sprint(res.Content["colour"]), nil
	})
	addTool(s, "where", "Asks for the folders.", func(ctx context.Context, req *sdk.CallToolRequest, _ in) (string, error) {
		res, err := req.Session.ListRoots(ctx, nil)
		if err != nil {
			return "", err
		}
		var all []string
		for _, r := range res.Roots {
			all = append(all, r.Name+"="+r.URI)
		}
		return strings.Join(all, " "), nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "choose", Description: "Asks the person the newer way."},
		func(_ context.Context, req *sdk.CallToolRequest, _ in) (*sdk.CallToolResult, any, error) {
			answer, ok := req.Params.InputResponses["q"].(*sdk.ElicitResult)
			if !ok {
				return &sdk.CallToolResult{RequestState: "s1", InputRequests: sdk.InputRequestMap{"q": &sdk.ElicitParams{
					Message: "Which colour?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"colour": map[string]any{"type": "string"}}},
				}}}, nil, nil
			}
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: answer.Action + " " + fmt.Sprint(answer.Content["colour"])}}}, nil, nil
		})
}
