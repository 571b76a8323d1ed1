package mcp

import (
	"context"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Changed is what became different at a server besides its tools.
type Changed struct {
	Workspace ids.Workspace // "": every workspace has the server
	Prompts   bool          // there are other prompts
	Resources bool          // there are other resources
	Resource  string        // the address of one whose content is another; "": none
}

// Watch has f told of changes; it must not block.
func (m *Manager) Watch(f func(Changed)) {
	m.watching.Lock()
	defer m.watching.Unlock()
	m.watchers = append(m.watchers, f)
}

func (m *Manager) changed(c Changed) {
	m.watching.Lock()
	list := m.watchers
	m.watching.Unlock()
	for _, f := range list {
		f(c)
	}
}

// changed forgets what is known of the server's offers and tells.
func (l *link) changed(v *live, c Changed) {
	v.mu.Lock()
	v.offers = nil
	v.mu.Unlock()
	c.Workspace = l.s.key.ws
	l.s.m.changed(c)
}

// updated tells that the content of a resource is another.
func (l *link) updated(p *sdk.ResourceUpdatedNotificationParams) {
	l.s.m.changed(Changed{Workspace: l.s.key.ws, Resource: publicURI(l.s.key.name, p.URI)})
}

// maxSubscriptions bounds what one connection is asked to watch.
const maxSubscriptions = 1000

// Subscribe has a server tell when a resource changes, until cancel is called. Who watches is told of it.
func (m *Manager) Subscribe(ctx context.Context, ws ids.Workspace, user ids.User, address string) (cancel func(), err error) {
	s, uri, err := m.locate(ws, address)
	if err != nil {
		return nil, err
	}
	l := s.link(user)
	v, err := l.ensure(ctx)
	if err != nil {
		return nil, err
	}
	if r := v.session.InitializeResult(); r == nil || r.Capabilities == nil || r.Capabilities.Resources == nil || !r.Capabilities.Resources.Subscribe {
		return nil, fault.New(fault.Unsupported, "mcp_no_subscriptions", "The MCP server %s does not tell when a resource changes.", s.key.name)
	}
	l.mu.Lock()
	first := l.subscribed[uri] == 0
	if first && len(l.subscribed) >= maxSubscriptions {
		l.mu.Unlock()
		return nil, fault.New(fault.Exhausted, "mcp_too_many_subscriptions", "The MCP server %s watches %d resources already.", s.key.name, maxSubscriptions)
	}
	if l.subscribed == nil {
		l.subscribed = map[string]int{}
	}
	l.subscribed[uri]++
	l.mu.Unlock()
	if first {
		if err := v.session.Subscribe(ctx, &sdk.SubscribeParams{URI: uri}); err != nil {
			l.release(uri)
			return nil, s.failure(ctx, err)
		}
	}
	return sync.OnceFunc(func() { l.unsubscribe(uri) }), nil
}

// release counts one watcher less and says whether it was the last.
func (l *link) release(uri string) (last bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.subscribed[uri]--; l.subscribed[uri] > 0 {
		return false
	}
	delete(l.subscribed, uri)
	return true
}

// unsubscribe tells the server that nobody watches any more, if it is there to hear it.
func (l *link) unsubscribe(uri string) {
	last := l.release(uri)
	l.mu.Lock()
	v := l.live
	l.mu.Unlock()
	if !last || v == nil {
		return
	}
	l.s.m.wg.Go(func() {
		ctx, cancel := context.WithTimeout(l.s.m.running, listTime)
		defer cancel()
		if err := v.session.Unsubscribe(ctx, &sdk.UnsubscribeParams{URI: uri}); err != nil {
			l.s.log.add("fluxway", "it goes on watching a resource: "+sentence(err))
		}
	})
}

// resubscribe asks a server that was lost and is back for what is still watched.
func (l *link) resubscribe(ctx context.Context, v *live) {
	l.mu.Lock()
	var list []string
	for uri := range l.subscribed {
		list = append(list, uri)
	}
	l.mu.Unlock()
	for _, uri := range list {
		if err := v.session.Subscribe(ctx, &sdk.SubscribeParams{URI: uri}); err != nil {
			l.s.log.add("fluxway", "a resource is not watched any more: "+sentence(err))
		}
	}
}
