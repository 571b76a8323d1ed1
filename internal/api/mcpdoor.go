package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/tools"
)

// AgentCaller lets MCP clients hand work to agents.
type AgentCaller interface {
	// CallAgent has an agent work on a message and waits for its answer.
	CallAgent(ctx context.Context, who *identity.Identity, agent, message string) (answer string, err error)
}

// mcpDoor is this server as an MCP server: one for every MCP client of the machine. What a client sees and may call is
// decided anew for each request by who sends it.
type mcpDoor struct {
	s        *Server
	box      *tools.Toolbox
	sessions http.Handler // for clients until 2025-11-25, who have sessions
	single   http.Handler // for clients since 2026-07-28, who have none
	news     mcpNews
}

// newEra is the first version of the protocol without sessions.
const newEra = "2026-07-28"

// maxMCP bounds a request of an MCP client.
const maxMCP = 8 << 20

func newMCPDoor(s *Server, box *tools.Toolbox) *mcpDoor {
	d := &mcpDoor{s: s, box: box}
	d.news.make = d.server
	if s.opts.Upstream != nil {
		s.opts.Upstream.Watch(d.news.tell)
	}
	get := func(r *http.Request) *sdk.Server { return d.news.of(workspaceOf(r.Context())) }
	opts := sdk.StreamableHTTPOptions{DisableLocalhostProtection: true, MaxRequestBodyBytes: maxMCP, SessionTimeout: 30 * time.Minute, PropagateRequestCancellation: true}
	d.sessions = d.known(sdk.NewStreamableHTTPHandler(get, &opts), older) // hosts and origins are checked for every route
	opts.Stateless = true
	d.single = d.known(sdk.NewStreamableHTTPHandler(get, &opts), newer)
	return d
}

// server makes the server of a workspace: what it says by itself concerns nobody else.
func (d *mcpDoor) server() *sdk.Server {
	opts := &sdk.ServerOptions{
		Instructions: "The tools, agents, conversations and MCP servers of a Fluxway workspace. Calls are judged by its guard: one that needs a person's approval says so.",
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Prompts: &sdk.PromptCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
	}
	if d.s.opts.Upstream != nil {
		opts.Capabilities.Prompts.ListChanged, opts.Capabilities.Resources.ListChanged, opts.Capabilities.Resources.Subscribe = true, true, true
		opts.SubscribeHandler, opts.UnsubscribeHandler = d.subscribe, d.unsubscribe
	}
	server := sdk.NewServer(&sdk.Implementation{Name: "fluxway", Title: "Fluxway", Version: d.s.opts.Version}, opts)
	server.AddReceivingMiddleware(d.answer)
	return server
}

// known tells the SDK who asks: a session then belongs to them alone.
func (d *mcpDoor) known(next http.Handler, in era) http.Handler {
	return auth.RequireBearerToken(func(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
		id := identity.From(ctx)
		if id == nil {
			return nil, auth.ErrInvalidToken
		}
		owner := strings.Join([]string{string(id.Workspace), string(id.User), string(id.Key)}, "/")
		return &auth.TokenInfo{UserID: owner, Expiration: time.Now().Add(time.Hour), Extra: map[string]any{callerExtra: caller{id, in}}}, nil
	}, nil)(next)
}

const callerExtra = "caller"

// era is which of the protocol's two ways a client goes.
type era string

const (
	older era = "older" // until 2025-11-25, with sessions
	newer era = "newer" // since 2026-07-28, without
)

// caller is who sends a request, and in which era.
type caller struct {
	*identity.Identity
	era era
}

func (d *mcpDoor) routes() []route {
	raw := action{ // the body is the protocol's
		in: reflect.TypeFor[none](), input: new(input), invoke: d.serve,
		status: http.StatusOK, media: "text/event-stream", timeout: -1, limit: maxMCP, raw: true, quiet: true, looseQuery: true,
	}
	return []route{
		{"POST", "/mcp", "mcp:use", "The MCP server: tools, agents, prompts and resources of the workspace, over streamable HTTP.", raw},
		{"GET", "/mcp", "mcp:use", "What the MCP server says by itself within a session.", raw},
		{"DELETE", "/mcp", "mcp:use", "End an MCP session.", raw},
	}
}

func (d *mcpDoor) serve(c *call) error {
	if err := checkMCP(c); err != nil {
		return err
	}
	req := c.r.Clone(c.ctx)
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(c.body)), int64(len(c.body))
	req.Header.Set("Authorization", "Bearer known") // who it is was found out already; the SDK wants to see a token
	next := d.sessions
	if req.Header.Get("Mcp-Protocol-Version") >= newEra {
		next = d.single
	}
	next.ServeHTTP(tracked{c.w, c}, req)
	return nil
}

// checkMCP refuses what is no message before the SDK sees it, in words that say what to do.
func checkMCP(c *call) error {
	if c.r.Method != http.MethodPost {
		if c.r.Header.Get("Mcp-Session-Id") == "" {
			return fault.New(fault.Invalid, "no_mcp_session", "This needs a session.").WithParam("Mcp-Session-Id").WithHint("Send initialize with POST first, or use a newer version of the protocol, which has no sessions.")
		}
		return nil
	}
	var message struct {
		Version string `json:"jsonrpc"`
	}
	if err := json.Unmarshal(c.body, &message); err != nil || message.Version != "2.0" {
		return fault.New(fault.Invalid, "no_mcp_message", "This is not a message of the Model Context Protocol.").WithParam("body").
			WithHint("Send one JSON-RPC 2.0 message; an MCP client does that by itself.")
	}
	return nil
}

// answer serves what depends on the caller; the rest is the SDK's.
func (d *mcpDoor) answer(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch method {
		case "tools/list", "tools/call", "prompts/list", "prompts/get", "resources/list", "resources/templates/list", "resources/read":
		case "resources/subscribe", "resources/unsubscribe", "subscriptions/listen":
			return next(context.WithValue(ctx, subscriber{}, callerOf(req)), method, req)
		default:
			return next(ctx, method, req)
		}
		id := callerOf(req)
		if id.Identity == nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "nobody is asking"}
		}
		result, err := d.method(ctx, id, method, req)
		if err != nil {
			return nil, rpcError(ctx, err)
		}
		return result, nil
	}
}

func (d *mcpDoor) method(ctx context.Context, id caller, method string, req sdk.Request) (sdk.Result, error) {
	switch method {
	case "tools/list":
		return d.listTools(ctx, id)
	case "tools/call":
		return d.callTool(ctx, id, req.(*sdk.CallToolRequest))
	case "prompts/list":
		return d.listPrompts(ctx, id)
	case "prompts/get":
		return d.getPrompt(ctx, id, req.GetParams().(*sdk.GetPromptParams))
	case "resources/list":
		return d.listResources(ctx, id)
	case "resources/templates/list":
		return &sdk.ListResourceTemplatesResult{Cacheable: theirs, ResourceTemplates: append([]*sdk.ResourceTemplate{
			{Name: "conversation", Title: "A conversation", Description: "What was said, as Markdown.", MIMEType: "text/markdown", URITemplate: conversationURI + "{id}"},
		}, d.upstreamTemplates(ctx, id)...)}, nil
	}
	return d.readResource(ctx, id, req.GetParams().(*sdk.ReadResourceParams))
}

func callerOf(req sdk.Request) caller {
	extra := req.GetExtra()
	if extra == nil || extra.TokenInfo == nil {
		return caller{}
	}
	who, _ := extra.TokenInfo.Extra[callerExtra].(caller)
	return who
}

// rpcError gives a fault the shape of the protocol, with our own codes beside it.
func rpcError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	var plain *jsonrpc.Error
	if errors.As(err, &plain) {
		return err
	}
	f := fault.From(err)
	code := int64(jsonrpc.CodeInternalError)
	if f.Kind == fault.NotFound || f.Kind == fault.Invalid || f.Kind == fault.Forbidden {
		code = jsonrpc.CodeInvalidParams
	}
	data, _ := json.Marshal(map[string]string{"code": f.Code, "hint": f.Hint}) // two strings always have a JSON
	return &jsonrpc.Error{Code: code, Message: strings.TrimSpace(f.Message + " " + f.Hint), Data: data}
}

// agentPrefix is before the names of agents that are offered as tools.
const agentPrefix = "agent__"

func (d *mcpDoor) listTools(ctx context.Context, id caller) (*sdk.ListToolsResult, error) {
	out := &sdk.ListToolsResult{Tools: []*sdk.Tool{}, Cacheable: theirs}
	if id.Permissions.Has("tools:use") {
		belt, err := d.box.In(id.Workspace, tools.All())
		if err != nil {
			return nil, err
		}
		for _, s := range belt.Specs() {
			out.Tools = append(out.Tools, toolOf(s))
		}
	}
	list, err := d.agents(ctx, id)
	if err != nil || d.s.opts.AgentCaller == nil {
		return out, err
	}
	for _, a := range list {
		out.Tools = append(out.Tools, &sdk.Tool{
			Name: tools.Normalize(agentPrefix + a.Name), Title: a.Title, Description: "Hand work to the agent " + a.Title + ". " + a.Description,
			InputSchema: json.RawMessage(`{"type":"object","required":["message"],"additionalProperties":false,"properties":{"message":{"type":"string","description":"What to do, with everything the agent needs to know."}}}`),
		})
	}
	return out, nil
}

func toolOf(s tools.Spec) *sdk.Tool {
	harm, open := s.Level == tools.Dangerous, s.Network
	return &sdk.Tool{
		Name: s.Name, Title: s.Title, Description: s.Description, InputSchema: s.Schema,
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: s.ReadOnly, IdempotentHint: s.Repeatable, DestructiveHint: &harm, OpenWorldHint: &open},
	}
}

// agents are those the caller may see.
func (d *mcpDoor) agents(ctx context.Context, id caller) ([]agents.Agent, error) {
	if d.s.opts.Agents == nil || !id.Permissions.Has("agents:read") {
		return nil, nil
	}
	return d.s.opts.Agents.List(ctx, id.Workspace)
}

func (d *mcpDoor) callTool(ctx context.Context, id caller, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	name := req.Params.Name
	if agent, ok := strings.CutPrefix(name, agentPrefix); ok && d.s.opts.AgentCaller != nil {
		return d.callAgent(ctx, id, agent, req.Params.Arguments)
	}
	if err := id.Must("tools:use"); err != nil {
		return nil, err
	}
	belt, err := d.box.In(id.Workspace, tools.All())
	if err != nil {
		return nil, err
	}
	if _, err := belt.Spec(name); err != nil {
		return nil, err
	}
	call := callBy(id.Identity, "mcp", name, req.Params.Arguments, "")
	if token := req.Params.GetProgressToken(); token != nil {
		call.Progress = func(p tools.Progress) {
			// A client that does not listen misses a sign of life and nothing else.
			_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Message: p.Text, Progress: p.Done, Total: p.Total})
		}
	}
	r, err := belt.Call(ctx, call)
	if err != nil {
		return nil, err
	}
	return id.resultOf(r)
}

func (d *mcpDoor) callAgent(ctx context.Context, id caller, agent string, raw json.RawMessage) (*sdk.CallToolResult, error) {
	if err := id.Must("runs:write"); err != nil {
		return nil, err
	}
	var args struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(raw, &args); err != nil || args.Message == "" {
		return nil, fault.New(fault.Invalid, "invalid_arguments", "An agent needs a message.").WithParam("message")
	}
	answer, err := d.s.opts.AgentCaller.CallAgent(ctx, id.Identity, agent, args.Message)
	if err != nil {
		return id.resultOf(tools.Fails(err))
	}
	return id.resultOf(tools.Says(answer))
}

func (d *mcpDoor) listPrompts(ctx context.Context, id caller) (*sdk.ListPromptsResult, error) {
	list, err := d.agents(ctx, id)
	out := &sdk.ListPromptsResult{Prompts: []*sdk.Prompt{}, Cacheable: theirs}
	for _, a := range list {
		if a.Instructions != "" {
			out.Prompts = append(out.Prompts, &sdk.Prompt{Name: a.Name, Title: a.Title, Description: cmp.Or(a.Description, "The instructions of the agent "+a.Title+".")})
		}
	}
	out.Prompts = append(out.Prompts, d.upstreamPrompts(ctx, id)...)
	return out, err
}

func (d *mcpDoor) getPrompt(ctx context.Context, id caller, p *sdk.GetPromptParams) (*sdk.GetPromptResult, error) {
	list, err := d.agents(ctx, id)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list, func(a agents.Agent) bool { return a.Name == p.Name && a.Instructions != "" })
	if at < 0 {
		return d.upstreamPrompt(ctx, id, p)
	}
	out := new(sdk.GetPromptResult)
	if err := id.whole(out, `{"messages":[]}`); err != nil {
		return nil, err
	}
	out.Description = list[at].Description
	out.Messages = []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: list[at].Instructions}}}
	return out, nil
}

// conversationURI is before a conversation's id.
const conversationURI = "fluxway://conversations/"

// listed is how many conversations are offered as resources; any other can be read by its id.
const listed = 50

func (d *mcpDoor) listResources(ctx context.Context, id caller) (*sdk.ListResourcesResult, error) {
	out := &sdk.ListResourcesResult{Resources: []*sdk.Resource{}, Cacheable: theirs}
	if d.s.opts.Conversations != nil && id.Permissions.Has("conversations:read") {
		found, err := d.s.opts.Conversations.List(ctx, askerOf(id.Identity), conversations.Filter{Query: page.Query{Limit: listed}})
		if err != nil {
			return nil, err
		}
		for _, c := range found.Data {
			out.Resources = append(out.Resources, &sdk.Resource{URI: conversationURI + string(c.ID), Name: string(c.ID), Title: c.Title, MIMEType: "text/markdown"})
		}
	}
	out.Resources = append(out.Resources, d.upstreamResources(ctx, id)...)
	return out, nil
}

func (d *mcpDoor) readResource(ctx context.Context, id caller, p *sdk.ReadResourceParams) (*sdk.ReadResourceResult, error) {
	if strings.HasPrefix(p.URI, tools.UpstreamURI) {
		return d.upstreamResource(ctx, id, p)
	}
	text, ok := strings.CutPrefix(p.URI, conversationURI)
	conversation, err := ids.Parse[ids.Conversation](text)
	if !ok || err != nil || d.s.opts.Conversations == nil || !id.Permissions.Has("conversations:read") {
		return nil, sdk.ResourceNotFoundError(p.URI)
	}
	var out strings.Builder
	if err := d.s.opts.Conversations.Markdown(ctx, askerOf(id.Identity), conversation, &out); err != nil {
		if fault.From(err).Kind == fault.NotFound {
			return nil, sdk.ResourceNotFoundError(p.URI)
		}
		return nil, err
	}
	result := new(sdk.ReadResourceResult)
	if err := id.whole(result, `{"contents":[]}`); err != nil {
		return nil, err
	}
	result.Cacheable = theirs
	result.Contents = []*sdk.ResourceContents{{URI: p.URI, MIMEType: "text/markdown", Text: out.String()}}
	return result, nil
}
