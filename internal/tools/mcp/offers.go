package mcp

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/tools"
)

// offers is what a server has besides tools. Unlike tools they are chosen by people, so nothing of them is pinned.
type offers struct {
	prompts   []*sdk.Prompt
	resources []*sdk.Resource
	templates []*sdk.ResourceTemplate
	at        time.Time
}

// listTime is how long a server may take to say what it has; the others are listed without it.
const listTime = 10 * time.Second

// publicURI is how our clients call a resource of a server.
func publicURI(server, uri string) string { return tools.UpstreamURI + server + "/" + uri }

// Prompts lists the prompts of all servers that a person of a workspace has, named server__prompt. A server that cannot say
// is left out; its log says why.
func (m *Manager) Prompts(ctx context.Context, ws ids.Workspace, user ids.User) []*sdk.Prompt {
	return collect(m.everyOffer(ctx, ws, user), func(o *offers) []*sdk.Prompt { return o.prompts }, func(def Definition) func(*sdk.Prompt) bool {
		taken := map[string]bool{}
		return func(p *sdk.Prompt) bool {
			own := p.Name
			p.Name = toolName(def.Name, own, taken)
			return def.has(own)
		}
	})
}

// Resources lists the resources of all servers that a person of a workspace has.
func (m *Manager) Resources(ctx context.Context, ws ids.Workspace, user ids.User) []*sdk.Resource {
	return collect(m.everyOffer(ctx, ws, user), func(o *offers) []*sdk.Resource { return o.resources }, func(def Definition) func(*sdk.Resource) bool {
		return func(r *sdk.Resource) bool { return def.address(&r.URI) }
	})
}

// Templates lists how more resources of the servers are addressed.
func (m *Manager) Templates(ctx context.Context, ws ids.Workspace, user ids.User) []*sdk.ResourceTemplate {
	return collect(m.everyOffer(ctx, ws, user), func(o *offers) []*sdk.ResourceTemplate { return o.templates }, func(def Definition) func(*sdk.ResourceTemplate) bool {
		return func(t *sdk.ResourceTemplate) bool { return def.address(&t.URITemplate) }
	})
}

// collect puts copies of what servers have in one list, under the names our clients use. Rename says how those of a server
// are called, and false for what its patterns hide.
func collect[T any](found iter.Seq2[Definition, *offers], of func(*offers) []*T, rename func(Definition) func(*T) bool) []*T {
	var out []*T
	for def, o := range found {
		shown := rename(def)
		for _, one := range of(o) {
			if mine := *one; shown(&mine) {
				out = append(out, &mine)
			}
		}
	}
	return out
}

// address turns a server's own address into ours and says whether its patterns let it through.
func (d *Definition) address(uri *string) bool {
	own := *uri
	*uri = publicURI(d.Name, own)
	return d.hasURI(own)
}

// hasURI says whether the patterns let a resource through; in them * stands for anything, slashes too.
func (d *Definition) hasURI(uri string) bool {
	flat := func(list []string) []string {
		out := make([]string, len(list))
		for i, text := range list {
			out[i] = strings.ReplaceAll(text, "/", "\x00")
		}
		return out
	}
	allow := d.Allow
	if len(allow) == 0 {
		allow = []string{"*"}
	}
	return tools.Filter{Allow: flat(allow), Deny: flat(d.Deny)}.Has(strings.ReplaceAll(uri, "/", "\x00"))
}

// everyOffer asks all servers at once and gives their answers by name.
func (m *Manager) everyOffer(ctx context.Context, ws ids.Workspace, user ids.User) iter.Seq2[Definition, *offers] {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	list := m.of(ws)
	found := make([]*offers, len(list))
	var wg sync.WaitGroup
	for i, s := range list {
		wg.Go(func() {
			o, err := s.offers(ctx, user)
			if err != nil {
				s.log.add("fluxway", "its prompts and resources could not be listed: "+sentence(err))
				return
			}
			found[i] = o
		})
	}
	wg.Wait()
	return func(yield func(Definition, *offers) bool) {
		for i, s := range list {
			if found[i] != nil && !yield(s.definition(), found[i]) {
				return
			}
		}
	}
}

// of lists the servers that a workspace has, by name; its own hide those of the settings.
func (m *Manager) of(ws ids.Workspace) []*server {
	m.mu.Lock()
	defer m.mu.Unlock()
	byName := map[string]*server{}
	for k, s := range m.servers {
		if _, own := m.servers[key{ws, k.name}]; k.ws == ws || k.ws == "" && !own {
			byName[k.name] = s
		}
	}
	var out []*server
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, byName[name])
	}
	return out
}

// offers gives what the server has for a person, asked for at most once a minute unless it says that it changed. Nil: nothing.
func (s *server) offers(ctx context.Context, user ids.User) (*offers, error) {
	def := s.definition()
	if def.Disabled || def.SignIn && user == "" {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	l := s.link(user)
	v, err := l.ensure(ctx)
	if err != nil {
		return nil, err
	}
	v.offering.Lock() // one asks, the others wait for its answer
	defer v.offering.Unlock()
	v.mu.Lock()
	known := v.offers
	v.mu.Unlock()
	if known != nil && time.Since(known.at) < fresh {
		return known, nil
	}
	o := &offers{at: time.Now()} // what changes while it is asked for is asked for again
	v.mu.Lock()
	v.offers = o
	v.mu.Unlock()
	if err := o.fetch(ctx, v.session); err != nil {
		v.mu.Lock()
		v.offers = nil
		v.mu.Unlock()
		return nil, s.failure(ctx, err)
	}
	return o, nil
}

// fetch asks a server for all that it says it can have.
func (o *offers) fetch(ctx context.Context, session *sdk.ClientSession) error {
	r := session.InitializeResult()
	if r == nil || r.Capabilities == nil {
		return nil
	}
	if r.Capabilities.Prompts != nil {
		if err := take(&o.prompts, session.Prompts(ctx, nil), maxTools); err != nil {
			return err
		}
	}
	if r.Capabilities.Resources == nil {
		return nil
	}
	if err := take(&o.resources, session.Resources(ctx, nil), maxResources); err != nil {
		return err
	}
	return take(&o.templates, session.ResourceTemplates(ctx, nil), maxTools)
}

// take reads a server's list as far as there is room.
func take[T any](into *[]T, list iter.Seq2[T, error], most int) error {
	for one, err := range list {
		if err != nil {
			return err
		}
		if *into = append(*into, one); len(*into) >= most {
			break
		}
	}
	return nil
}

// maxResources bounds what of one server is listed; any other can be read by its address.
const maxResources = 2000
