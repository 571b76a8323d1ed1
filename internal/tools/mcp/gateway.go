package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools"
)

// What getting a prompt and reading a resource are called where calls are judged and kept: server__get_prompt.
const (
	getPrompt    = "get_prompt"
	readResource = "read_resource"
)

// Prompt gets a prompt of a server by the name that Prompts gives it. Like a call of a tool it is judged and kept in the journal.
func (m *Manager) Prompt(ctx context.Context, call tools.Call, name string, args map[string]string) (*sdk.GetPromptResult, error) {
	missing := fault.New(fault.NotFound, "prompt_not_found", "There is no prompt %q.", name).WithParam("name")
	server, _, ok := strings.Cut(name, "__")
	s, err := m.find(call.Workspace, server)
	if !ok || err != nil {
		return nil, missing
	}
	o, err := s.offers(ctx, call.User)
	if err != nil || o == nil {
		return nil, either(err, missing)
	}
	def, taken, asked := s.definition(), map[string]bool{}, ""
	for _, p := range o.prompts {
		if toolName(server, p.Name, taken) == name && def.has(p.Name) {
			asked = p.Name
		}
	}
	if asked == "" {
		return nil, missing
	}
	var out *sdk.GetPromptResult
	err = m.through(ctx, s, call, getPrompt, map[string]any{"name": asked, "arguments": args}, func(ctx context.Context, v *live) (err error) {
		out, err = v.session.GetPrompt(ctx, &sdk.GetPromptParams{Name: asked, Arguments: args})
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, msg := range out.Messages {
		if e, ok := msg.Content.(*sdk.EmbeddedResource); ok && e.Resource != nil {
			e.Resource.URI = publicURI(server, e.Resource.URI)
		}
	}
	return out, nil
}

// Resource reads a resource of a server by the address that Resources gives it, or by one that fits a template.
func (m *Manager) Resource(ctx context.Context, call tools.Call, address string) (*sdk.ReadResourceResult, error) {
	s, uri, err := m.locate(call.Workspace, address)
	if err != nil {
		return nil, err
	}
	var out *sdk.ReadResourceResult
	var refused error
	err = m.through(ctx, s, call, readResource, touched(uri), func(ctx context.Context, v *live) error {
		out, refused = v.session.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
		return refused
	})
	var answer *jsonrpc.Error
	if errors.As(refused, &answer) && (answer.Code == jsonrpc.CodeInvalidParams || answer.Code == oldResourceNotFound) {
		return nil, resourceNotFound(address)
	}
	if err != nil {
		return nil, err
	}
	for _, c := range out.Contents {
		c.URI = publicURI(s.key.name, c.URI)
	}
	return out, nil
}

// touched says what reading a resource touches, in the words that the gate understands: a file, a web page, or only what is the
// server's own.
func touched(uri string) map[string]any {
	u, err := url.Parse(uri)
	if err != nil {
		return map[string]any{"resource": uri}
	}
	switch u.Scheme {
	case "http", "https":
		return map[string]any{"url": uri}
	case "file":
		return map[string]any{"path": u.Path}
	}
	return map[string]any{"resource": uri}
}

// oldResourceNotFound is the code of the older era; the newer one has no code of its own.
const oldResourceNotFound = -32002

func resourceNotFound(address string) error {
	return fault.New(fault.NotFound, "resource_not_found", "There is no resource %s.", address).WithParam("uri")
}

// locate finds whose resource an address names, if the server's patterns let it through.
func (m *Manager) locate(ws ids.Workspace, address string) (s *server, uri string, err error) {
	rest, ours := strings.CutPrefix(address, tools.UpstreamURI)
	name, uri, ok := strings.Cut(rest, "/")
	if !ours || !ok {
		return nil, "", resourceNotFound(address)
	}
	if s, err = m.find(ws, name); err != nil {
		return nil, "", resourceNotFound(address)
	}
	if def := s.definition(); def.Disabled || !def.hasURI(uri) {
		return nil, "", resourceNotFound(address)
	}
	return s, uri, nil
}

func either(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// request is something a server is asked for that is no tool, on the road that tools take.
type request struct {
	spec tools.Spec
	run  func(ctx context.Context, call tools.Call) error
}

// Spec describes it.
func (r *request) Spec() tools.Spec { return r.spec }

// Punctual: it waits for the server only as long as its ctx lasts.
func (r *request) Punctual() {}

// Run asks the server. What it answers goes to the client as it is, not through the toolbox, which would cut it for a model.
func (r *request) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	return tools.Says("Passed on."), r.run(ctx, call)
}

// through judges a request, keeps it in the journal and makes it, as if it were a call of the tool server__what.
func (m *Manager) through(ctx context.Context, s *server, call tools.Call, what string, args any, ask func(ctx context.Context, v *live) error) error {
	def := s.definition()
	if def.SignIn && call.User == "" {
		return fault.New(fault.Forbidden, "mcp_signin_needed", "The MCP server %s works for people who signed in there, and nobody is asking.", def.Name)
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("writing what %s is asked for: %w", def.Name, err)
	}
	r := &request{
		spec: tools.Spec{
			Name: toolName(def.Name, what, map[string]bool{}), Level: def.levelOf(what), ReadOnly: def.looksOnly(what), Repeatable: true, Network: true, Timeout: def.Timeout,
		},
		run: func(ctx context.Context, call tools.Call) error {
			l := s.link(call.User)
			v, err := l.ensure(ctx)
			if err != nil {
				return err
			}
			callCtx, cancel := context.WithCancelCause(ctx)
			defer cancel(nil)
			_, done := v.fly(flying{call, nil, cancel})
			defer done()
			if err := ask(callCtx, v); err != nil {
				return s.failure(callCtx, err)
			}
			return nil
		},
	}
	belt, err := m.opts.Toolbox.In(call.Workspace, tools.Filter{})
	if err != nil {
		return err
	}
	if belt, err = belt.With(s.key.origin(), r); err != nil {
		return err
	}
	call.Tool, call.Args = r.spec.Name, raw
	result, err := belt.Call(ctx, call)
	return either(err, refusedAs(result))
}

// refusedAs is why a request was not answered; nil if it was.
func refusedAs(r tools.Result) error {
	switch {
	case r.Needs != nil:
		return fault.New(fault.Forbidden, "approval_needed", "This was not done: a person has to decide first. %s", r.Needs.Question).
			WithHint("Ask again once the approval %s is granted.", r.Needs.Ticket)
	case r.IsError:
		return fault.New(fault.Invalid, r.Code, "%s", r.Text())
	}
	return nil
}
