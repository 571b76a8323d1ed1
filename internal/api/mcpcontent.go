package api

import (
	"encoding/json"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fluxway/fluxway/internal/tools"
)

// theirs says that what a client was told is for its own eyes: another caller may see other things.
var theirs = sdk.Cacheable{CacheScope: "private"}

// whole makes an empty result say that it is all there is, which clients of the newer era want to read. The SDK lets
// nothing but what it has read itself say so.
func (c caller) whole(out any, empty string) error {
	if c.era == newer {
		empty = `{"resultType":"complete",` + empty[1:]
	}
	return json.Unmarshal([]byte(empty), out)
}

// resultOf turns a result into the protocol's.
func (c caller) resultOf(r tools.Result) (*sdk.CallToolResult, error) {
	out := new(sdk.CallToolResult)
	if err := c.whole(out, `{"content":[]}`); err != nil {
		return nil, err
	}
	out.IsError = r.IsError
	for _, p := range r.Parts {
		out.Content = append(out.Content, contentOf(p))
		if object := strings.TrimSpace(string(p.JSON)); p.Kind == tools.PartJSON && len(r.Parts) == 1 && strings.HasPrefix(object, "{") {
			out.StructuredContent = p.JSON
		}
	}
	if r.Needs != nil {
		out.IsError = true
		text := "This was not done: a person has to decide first. " + r.Needs.Question
		if r.Needs.Ticket != "" {
			text += " (approval " + r.Needs.Ticket + "; call again once it is granted)"
		}
		out.Content = append(out.Content, &sdk.TextContent{Text: text})
	}
	if r.Code != "" {
		out.Meta = sdk.Meta{"fluxway/code": r.Code}
	}
	return out, nil
}

// contentOf turns one piece of a result into the protocol's; what came from another server as a resource is one again.
func contentOf(p tools.Part) sdk.Content {
	switch {
	case p.URI != "" && len(p.Data) > 0:
		return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: p.URI, MIMEType: p.MediaType, Blob: p.Data}}
	case p.URI != "":
		return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: p.URI, MIMEType: p.MediaType, Text: strings.TrimPrefix(p.Text, p.URI+":\n")}}
	case p.Kind == tools.PartImage:
		return &sdk.ImageContent{Data: p.Data, MIMEType: p.MediaType}
	case strings.HasPrefix(p.MediaType, "audio/") && len(p.Data) > 0:
		return &sdk.AudioContent{Data: p.Data, MIMEType: p.MediaType}
	case p.Kind == tools.PartFile:
		return &sdk.TextContent{Text: p.Path}
	case p.Kind == tools.PartJSON:
		return &sdk.TextContent{Text: string(p.JSON)}
	}
	return &sdk.TextContent{Text: p.Text}
}
