package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools"
)

// tool is a tool of a server in the toolbox.
type tool struct {
	s      *server
	called string // by the server
	spec   tools.Spec
}

func specOf(def Definition, name string, p pin, schema json.RawMessage) tools.Spec {
	looks := def.looksOnly(p.Tool)
	return tools.Spec{
		Name: name, Title: p.Pinned.Title, Description: p.Pinned.Description, Schema: schema, Defaults: def.defaultsOf(p.Tool),
		Level: def.levelOf(p.Tool), ReadOnly: looks, Repeatable: looks, Network: true, Timeout: def.Timeout,
	}
}

// Spec describes the tool.
func (t *tool) Spec() tools.Spec { return t.spec }

// Punctual: whatever a server does or does not, a call waits for it only as long as its ctx lasts.
func (t *tool) Punctual() {}

// Run calls the server, which is started if need be.
func (t *tool) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	def := t.s.definition()
	if def.SignIn && call.User == "" {
		return tools.Result{}, fault.New(fault.Forbidden, "mcp_signin_needed", "The MCP server %s works for people who signed in there, and nobody is asking.", def.Name)
	}
	m := t.s.m
	if w, ok := m.takeHeld(callKey{call.Run, call.ID}); ok {
		return m.resume(ctx, w, call)
	}
	if call.Answer != "" && !t.spec.Repeatable {
		return tools.Result{}, fault.New(fault.Conflict, "mcp_question_lost", "The MCP server %s was lost while it waited for the answer; what it had begun may be half done.", def.Name).
			WithHint("Look at what it did, then call it again; it will ask again.")
	}
	l := t.s.link(call.User)
	v, err := l.ensure(ctx)
	if err != nil {
		return tools.Result{}, err
	}
	if m.opts.Parks && call.Run != "" && call.ID != "" {
		return m.follow(ctx, l.hold(ctx, v, t.called, call), call)
	}
	res, err := l.call(ctx, v, t.called, call, nil)
	if err != nil {
		return tools.Result{}, err
	}
	return resultOf(res), nil
}

// call makes one call on a connection.
func (l *link) call(ctx context.Context, v *live, name string, call tools.Call, h *held) (*sdk.CallToolResult, error) {
	callCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	token, done := v.fly(flying{call, h, cancel})
	defer done()
	params := &sdk.CallToolParams{Name: name, Arguments: call.Args}
	if len(call.Args) == 0 {
		params.Arguments = json.RawMessage("{}")
	}
	if call.Progress != nil {
		params.SetProgressToken(token)
	}
	res, err := v.session.CallTool(callCtx, params)
	if err == nil {
		return res, nil
	}
	if ctx.Err() != nil && fault.HasCode(context.Cause(ctx), "tool_timeout") {
		l.suspect(v)
	}
	err = l.s.failure(callCtx, err)
	if fault.HasCode(err, "mcp_signin_needed") {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.turn(StateSignIn, err)
	}
	return nil, err
}

// fly notes a call that is under way.
func (v *live) fly(f flying) (token string, done func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.nextCall++
	token = "p" + strconv.FormatInt(v.nextCall, 10)
	v.calls[token] = f
	return token, func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		delete(v.calls, token)
	}
}

func progressOf(p *sdk.ProgressNotificationParams) tools.Progress {
	text := p.Message
	if len(text) > maxLine {
		text = strings.ToValidUTF8(text[:maxLine], "")
	}
	return tools.Progress{Text: text, Done: p.Progress, Total: p.Total}
}

// resultOf turns a server's result into ours.
func resultOf(res *sdk.CallToolResult) tools.Result {
	out := tools.Result{IsError: res.IsError}
	for _, c := range res.Content {
		out.Parts = append(out.Parts, partOf(c))
	}
	if res.IsError {
		out.Code = "tool_failed"
	}
	if res.StructuredContent != nil {
		if raw, err := json.Marshal(res.StructuredContent); err == nil && !saysTheSame(out.Parts, raw) {
			out.Parts = append(out.Parts, tools.Part{Kind: tools.PartJSON, JSON: raw})
		}
	}
	return out
}

// saysTheSame: servers repeat what is structured as text, for older clients.
func saysTheSame(parts []tools.Part, raw json.RawMessage) bool {
	for _, p := range parts {
		if p.Kind == tools.PartText && string(canonical(json.RawMessage(p.Text))) == string(canonical(raw)) {
			return true
		}
	}
	return false
}

func partOf(c sdk.Content) tools.Part {
	switch c := c.(type) {
	case *sdk.TextContent:
		return tools.Part{Kind: tools.PartText, Text: c.Text}
	case *sdk.ImageContent:
		return tools.Part{Kind: tools.PartImage, Data: c.Data, MediaType: c.MIMEType}
	case *sdk.AudioContent:
		p := says("[%s of %d bytes, which cannot be shown]", c.MIMEType, len(c.Data))
		p.Data, p.MediaType = c.Data, c.MIMEType
		return p
	case *sdk.ResourceLink:
		return says("[%s: %s %s]", c.Name, c.URI, c.Description)
	case *sdk.EmbeddedResource:
		return resourceOf(c.Resource)
	}
	return says("[content of a kind that is not known]")
}

// resourceOf is the content of a resource; a model reads where it comes from, too.
func resourceOf(r *sdk.ResourceContents) tools.Part {
	if r == nil {
		return says("[an empty resource]")
	}
	p := tools.Part{Kind: tools.PartText, URI: r.URI, MediaType: r.MIMEType, Data: r.Blob}
	switch {
	case r.Text != "" || len(r.Blob) == 0:
		p.Text = r.URI + ":\n" + r.Text
	case strings.HasPrefix(r.MIMEType, "image/"):
		p.Kind = tools.PartImage
	default:
		p.Text = fmt.Sprintf("[%s: %s of %d bytes]", r.URI, r.MIMEType, len(r.Blob))
	}
	return p
}

func says(format string, args ...any) tools.Part {
	return tools.Part{Kind: tools.PartText, Text: fmt.Sprintf(format, args...)}
}
