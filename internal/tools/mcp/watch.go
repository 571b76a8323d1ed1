package mcp

import (
	"context"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools"
)

// Watch has f told of changes; it must not block.
func (m *Manager) Watch(f func(tools.UpstreamChanged)) {
	m.watching.Lock()
	defer m.watching.Unlock()
	m.watchers = append(m.watchers, f)
}

func (m *Manager) changed(c tools.UpstreamChanged) {
	m.watching.Lock()
	list := m.watchers
	m.watching.Unlock()
	for _, f := range list {
		f(c)
	}
}

// changed forgets what is known of the server's offers and tells.
func (l *link) changed(v *live, c tools.UpstreamChanged) {
	v.mu.Lock()
	v.offers = nil
	v.mu.Unlock()
	c.Workspace = l.s.key.ws
	l.s.m.changed(c)
}

// updated tells that the content of a resource is another.
func (l *link) updated(p *sdk.ResourceUpdatedNotificationParams) {
	l.s.m.changed(tools.UpstreamChanged{Workspace: l.s.key.ws, Resource: publicURI(l.s.key.name, p.URI)})
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
	ctx, done := context.WithTimeoutCause(ctx, listTime, fault.New(fault.Unavailable, "mcp_timeout", "The MCP server %s did not say in time whether it watches the resource.", s.key.name))
	defer done()
	if !l.alone(ctx) {
		return nil, s.failure(ctx, context.Cause(ctx))
	}
	defer l.let()
	l.mu.Lock()
	first, many := l.subscribed[uri] == 0, len(l.subscribed)
	l.mu.Unlock()
	if first && many >= maxSubscriptions {
		return nil, fault.New(fault.Exhausted, "mcp_too_many_subscriptions", "The MCP server %s watches %d resources already.", s.key.name, maxSubscriptions)
	}
	if first {
		if err := v.session.Subscribe(ctx, &sdk.SubscribeParams{URI: uri}); err != nil {
			return nil, s.failure(ctx, err)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.subscribed == nil {
		l.subscribed = map[string]int{}
	}
	l.subscribed[uri]++
	return sync.OnceFunc(func() { l.s.m.wg.Go(func() { l.unsubscribe(uri) }) }), nil
}

// alone waits until nobody else changes what the server watches: who comes second must know whether the first was heard,
// and the server must hear both in the order in which they are counted.
func (l *link) alone(ctx context.Context) bool {
	select {
	case l.changing <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (l *link) let() { <-l.changing }

// unsubscribe tells the server that nobody watches any more, if it is there to hear it.
func (l *link) unsubscribe(uri string) {
	ctx, cancel := context.WithTimeout(l.s.m.running, listTime)
	defer cancel()
	waited := l.alone(ctx)
	if waited {
		defer l.let()
	}
	l.mu.Lock()
	l.subscribed[uri]--
	last := l.subscribed[uri] == 0
	if last {
		delete(l.subscribed, uri)
	}
	v := l.live
	l.mu.Unlock()
	if !last || v == nil || !waited {
		return
	}
	if err := v.session.Unsubscribe(ctx, &sdk.UnsubscribeParams{URI: uri}); err != nil {
		l.s.log.add("fluxway", "it goes on watching a resource: "+sentence(err))
	}
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
