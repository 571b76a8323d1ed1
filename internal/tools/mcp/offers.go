package mcp

import (
	"context"
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

// ResourcePrefix is before the server and its own address of a resource: fluxway://mcp/files/file:///notes.md.
const ResourcePrefix = "fluxway://mcp/"

// listTime is how long a server may take to say what it has; the others are listed without it.
const listTime = 10 * time.Second

// publicURI is how our clients call a resource of a server.
func publicURI(server, uri string) string { return ResourcePrefix + server + "/" + uri }

// Prompts lists the prompts of all servers that a person of a workspace has, named server__prompt. A server that cannot say
// is left out; its log says why.
func (m *Manager) Prompts(ctx context.Context, ws ids.Workspace, user ids.User) []*sdk.Prompt {
	var out []*sdk.Prompt
	m.eachOffer(ctx, ws, user, func(def Definition, o *offers) {
		taken := map[string]bool{}
		for _, p := range o.prompts {
			if name := toolName(def.Name, p.Name, taken); def.has(p.Name) {
				shown := *p
				shown.Name = name
				out = append(out, &shown)
			}
		}
	})
	return out
}

// Resources lists the resources of all servers that a person of a workspace has.
func (m *Manager) Resources(ctx context.Context, ws ids.Workspace, user ids.User) []*sdk.Resource {
	var out []*sdk.Resource
	m.eachOffer(ctx, ws, user, func(def Definition, o *offers) {
		for _, r := range o.resources {
			if def.hasURI(r.URI) {
				shown := *r
				shown.URI = publicURI(def.Name, r.URI)
				out = append(out, &shown)
			}
		}
	})
	return out
}

// Templates lists how more resources of the servers are addressed.
func (m *Manager) Templates(ctx context.Context, ws ids.Workspace, user ids.User) []*sdk.ResourceTemplate {
	var out []*sdk.ResourceTemplate
	m.eachOffer(ctx, ws, user, func(def Definition, o *offers) {
		for _, t := range o.templates {
			if def.hasURI(t.URITemplate) {
				shown := *t
				shown.URITemplate = publicURI(def.Name, t.URITemplate)
				out = append(out, &shown)
			}
		}
	})
	return out
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

// eachOffer asks all servers at once and goes through their answers by name.
func (m *Manager) eachOffer(ctx context.Context, ws ids.Workspace, user ids.User, take func(Definition, *offers)) {
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
	for i, s := range list {
		if found[i] != nil {
			take(s.definition(), found[i])
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
		for p, err := range session.Prompts(ctx, nil) {
			if err != nil {
				return err
			}
			if o.prompts = append(o.prompts, p); len(o.prompts) >= maxTools {
				break
			}
		}
	}
	if r.Capabilities.Resources == nil {
		return nil
	}
	for res, err := range session.Resources(ctx, nil) {
		if err != nil {
			return err
		}
		if o.resources = append(o.resources, res); len(o.resources) >= maxResources {
			break
		}
	}
	for t, err := range session.ResourceTemplates(ctx, nil) {
		if err != nil {
			return err
		}
		if o.templates = append(o.templates, t); len(o.templates) >= maxTools {
			break
		}
	}
	return nil
}

// maxResources bounds what of one server is listed; any other can be read by its address.
const maxResources = 2000
