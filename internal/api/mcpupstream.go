package api

import (
	"context"
	"maps"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools"
)

// Upstream is the prompts and resources of the MCP servers whose tools are in the toolbox, named so that no two are alike.
type Upstream interface {
	Prompts(ctx context.Context, ws ids.Workspace, user ids.User) []*sdk.Prompt
	Resources(ctx context.Context, ws ids.Workspace, user ids.User) []*sdk.Resource
	Templates(ctx context.Context, ws ids.Workspace, user ids.User) []*sdk.ResourceTemplate
	// Prompt and Resource are judged and kept like calls of tools.
	Prompt(ctx context.Context, call tools.Call, name string, args map[string]string) (*sdk.GetPromptResult, error)
	Resource(ctx context.Context, call tools.Call, address string) (*sdk.ReadResourceResult, error)
	// Subscribe has a server tell when a resource changes, until cancel is called.
	Subscribe(ctx context.Context, ws ids.Workspace, user ids.User, address string) (cancel func(), err error)
	// Watch has f told of changes.
	Watch(f func(tools.UpstreamChanged))
}

// upstream is the servers behind us as far as the caller may use them: what goes for their tools goes for all they have.
func (d *mcpDoor) upstream(id caller) Upstream {
	if !id.Permissions.Has("tools:use") {
		return nil
	}
	return d.s.opts.Upstream
}

func (d *mcpDoor) upstreamPrompts(ctx context.Context, id caller) []*sdk.Prompt {
	if u := d.upstream(id); u != nil {
		return u.Prompts(ctx, id.Workspace, id.User)
	}
	return nil
}

func (d *mcpDoor) upstreamResources(ctx context.Context, id caller) []*sdk.Resource {
	if u := d.upstream(id); u != nil {
		return u.Resources(ctx, id.Workspace, id.User)
	}
	return nil
}

func (d *mcpDoor) upstreamTemplates(ctx context.Context, id caller) []*sdk.ResourceTemplate {
	if u := d.upstream(id); u != nil {
		return u.Templates(ctx, id.Workspace, id.User)
	}
	return nil
}

func (d *mcpDoor) upstreamPrompt(ctx context.Context, id caller, p *sdk.GetPromptParams) (*sdk.GetPromptResult, error) {
	u := d.upstream(id)
	if u == nil {
		return nil, fault.New(fault.NotFound, "prompt_not_found", "There is no prompt %q.", p.Name)
	}
	got, err := u.Prompt(ctx, callBy(id.Identity, "mcp", "", nil, ""), p.Name, p.Arguments)
	if err != nil {
		return nil, err
	}
	out := new(sdk.GetPromptResult)
	if err := id.whole(out, `{"messages":[]}`); err != nil {
		return nil, err
	}
	out.Meta, out.Description, out.Messages = got.Meta, got.Description, got.Messages
	return out, nil
}

func (d *mcpDoor) upstreamResource(ctx context.Context, id caller, p *sdk.ReadResourceParams) (*sdk.ReadResourceResult, error) {
	u := d.upstream(id)
	if u == nil {
		return nil, sdk.ResourceNotFoundError(p.URI)
	}
	got, err := u.Resource(ctx, callBy(id.Identity, "mcp", "", nil, ""), p.URI)
	if fault.HasCode(err, "resource_not_found") {
		return nil, sdk.ResourceNotFoundError(p.URI)
	}
	if err != nil {
		return nil, err
	}
	out := new(sdk.ReadResourceResult)
	if err := id.whole(out, `{"contents":[]}`); err != nil {
		return nil, err
	}
	out.Meta, out.Cacheable, out.Contents = got.Meta, theirs, got.Contents
	return out, nil
}

// subscriber is where the context of a subscription carries its caller: the SDK does not tell the handler.
type subscriber struct{}

func (d *mcpDoor) subscribe(ctx context.Context, req *sdk.SubscribeRequest) error {
	id, _ := ctx.Value(subscriber{}).(caller)
	if id.Identity == nil || d.upstream(id) == nil || !strings.HasPrefix(req.Params.URI, tools.UpstreamURI) {
		return sdk.ResourceNotFoundError(req.Params.URI)
	}
	cancel, err := d.upstream(id).Subscribe(ctx, id.Workspace, id.User, req.Params.URI)
	if fault.HasCode(err, "resource_not_found") {
		return sdk.ResourceNotFoundError(req.Params.URI)
	}
	if err != nil {
		return rpcError(ctx, err)
	}
	d.news.subscribed(id.Workspace, req.Session, req.Params.URI, cancel)
	return nil
}

func (d *mcpDoor) unsubscribe(ctx context.Context, req *sdk.UnsubscribeRequest) error {
	if id, _ := ctx.Value(subscriber{}).(caller); id.Identity != nil {
		d.news.unsubscribed(id.Workspace, req.Session, req.Params.URI)
	}
	return nil
}

// mcpNews is what the door tells its clients by itself: a server for each workspace, and who watches what.
type mcpNews struct {
	make func() *sdk.Server

	mu      sync.Mutex // guards the fields below
	servers map[ids.Workspace]*sdk.Server
	watched map[watching]func() // ends it
}

// watching is a session that wants to know of a resource.
type watching struct {
	ws      ids.Workspace
	session *sdk.ServerSession
	uri     string
}

// of gives the server of a workspace.
func (n *mcpNews) of(ws ids.Workspace) *sdk.Server {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.servers == nil {
		n.servers = make(map[ids.Workspace]*sdk.Server)
	}
	if n.servers[ws] == nil {
		n.servers[ws] = n.make()
	}
	return n.servers[ws]
}

// tell passes a change on to those whose workspace has the server.
func (n *mcpNews) tell(c tools.UpstreamChanged) {
	n.mu.Lock()
	var list []*sdk.Server
	for ws, server := range n.servers {
		if c.Workspace == "" || c.Workspace == ws {
			list = append(list, server)
		}
	}
	n.mu.Unlock()
	for _, server := range list {
		announce(server, c)
	}
}

// announce has the SDK say that a list changed, which it does when something is added. Its own lists are never shown: ours are.
func announce(server *sdk.Server, c tools.UpstreamChanged) {
	if c.Prompts {
		server.AddPrompt(&sdk.Prompt{Name: "changed"}, nil)
	}
	if c.Resources {
		server.AddResource(&sdk.Resource{Name: "changed", URI: tools.UpstreamURI + "changed"}, nil)
	}
	if c.Resource != "" {
		// A client that is gone misses what it does not wait for any more.
		_ = server.ResourceUpdated(context.Background(), &sdk.ResourceUpdatedNotificationParams{URI: c.Resource})
	}
}

// subscribed keeps how a watching ends, and ends those of sessions that are gone: the SDK does not say when one goes.
func (n *mcpNews) subscribed(ws ids.Workspace, session *sdk.ServerSession, uri string, cancel func()) {
	alive := map[*sdk.ServerSession]bool{session: true}
	for s := range n.of(ws).Sessions() {
		alive[s] = true
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	maps.DeleteFunc(n.watched, func(w watching, end func()) bool {
		gone := w.ws == ws && !alive[w.session]
		if gone {
			end()
		}
		return gone
	})
	if n.watched == nil {
		n.watched = make(map[watching]func())
	}
	w := watching{ws, session, uri}
	if before := n.watched[w]; before != nil {
		before()
	}
	n.watched[w] = cancel
}

func (n *mcpNews) unsubscribed(ws ids.Workspace, session *sdk.ServerSession, uri string) {
	w := watching{ws, session, uri}
	n.mu.Lock()
	cancel := n.watched[w]
	delete(n.watched, w)
	n.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}
