package providers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/suggest"
)

// RouterOptions sets a router up.
type RouterOptions struct {
	Providers map[string]Model  // by name; required
	Catalogue *Catalogue        // required
	Routes    []Route           // virtual models
	Upgrades  map[string]string // provider/model to one with a larger context window
	Default   string            // the name for "" and "default"; empty: none
	Observer  Observer          // of embeddings and audio; streams are observed by Observe; nil: nobody
	Random    func() float64    // in [0,1), for weighted routes; nil: math/rand
}

// Route is a virtual model: a name with targets.
type Route struct {
	Name    string
	Targets []Target
	Choose  Choice
	Needs   []Capability // of every target, besides what a request itself needs
}

// Target is one of a route's models, or another route.
type Target struct {
	Model  string // provider/model, or a route's name
	Weight int    // with ChooseWeighted; 0: 1
}

// Choice is the order in which a route's targets are tried.
type Choice string

// The choices; empty is ChooseOrder.
const (
	ChooseOrder    Choice = "order"    // as written: the first, then its fallbacks
	ChooseWeighted Choice = "weighted" // at random by weight, the others as fallbacks
	ChooseCheapest Choice = "cheapest" // by the price of this very request
)

// Router serves every provider's models under one roof. It is a Model itself.
type Router struct {
	opts   RouterOptions
	routes map[string]Route
}

// NewRouter checks the routes: every target exists, and none leads to itself.
func NewRouter(opts RouterOptions) (*Router, error) {
	if opts.Catalogue == nil {
		return nil, errors.New("providers: RouterOptions.Catalogue is nil")
	}
	if opts.Random == nil {
		opts.Random = rand.Float64
	}
	r := &Router{opts: opts, routes: make(map[string]Route, len(opts.Routes))}
	for _, route := range opts.Routes {
		if _, twice := r.routes[route.Name]; twice || route.Name == "" || strings.Contains(route.Name, "/") {
			return nil, badRoute(route.Name, "A route's name is unique and has no slash.")
		}
		if len(route.Targets) == 0 {
			return nil, badRoute(route.Name, "It has no targets.")
		}
		r.routes[route.Name] = route
	}
	for _, route := range opts.Routes {
		if _, err := r.expand(route.Name, nil); err != nil {
			return nil, err
		}
	}
	for from, to := range opts.Upgrades {
		if _, err := r.provider(to); err != nil {
			return nil, fmt.Errorf("upgrade of %s: %w", from, err)
		}
	}
	if opts.Default != "" {
		if _, err := r.expand(r.name(opts.Default), nil); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func badRoute(name, why string) error {
	return fault.New(fault.Invalid, "route_invalid", "The route %q cannot be used. %s", name, why).WithParam("routes")
}

// Stream asks the model of that name, and its fallbacks while nothing was shown.
func (r *Router) Stream(ctx context.Context, req *Request) (Stream, error) {
	candidates, err := r.Plan(req)
	if err != nil {
		return nil, err
	}
	trail := req.Trail.shared()
	trail.Asked = req.Model
	var tried []string
	for len(candidates) > 0 {
		id := candidates[0]
		candidates = candidates[1:]
		s, failure := r.try(ctx, id, req, trail)
		if failure == nil {
			return s, nil
		}
		tried, err = append(tried, id), failure
		// Vendors count tokens otherwise than we estimate.
		if up, ok := r.opts.Upgrades[id]; ok && fault.HasCode(failure, CodeContext) && !slices.Contains(tried, up) {
			candidates = append([]string{up}, candidates...)
		}
		candidates = slices.DeleteFunc(candidates, func(next string) bool { return !r.moveOn(ctx, failure, id, next) })
	}
	return nil, err
}

func (r *Router) try(ctx context.Context, id string, req *Request, trail Trail) (Stream, error) {
	model, err := r.provider(id)
	if err != nil {
		return nil, err
	}
	try := *req
	try.Trail = trail
	_, try.Model, _ = strings.Cut(id, "/")
	s, err := model.Stream(ctx, &try)
	if err != nil {
		return nil, err
	}
	return primeStream(s)
}

// moveOn says whether the next candidate may succeed where the last one failed.
func (r *Router) moveOn(ctx context.Context, err error, failed, next string) bool {
	if ctx.Err() != nil {
		return false
	}
	f := fault.From(err)
	switch f.Code {
	case CodeRate, CodeQuota, CodeAuth, CodeOverloaded, CodeUnavailable, CodeSlow, CodeBroken, CodeNoModel:
		return true
	case CodeContext:
		return r.window(next) > r.window(failed)
	}
	return false
}

func (r *Router) window(id string) int64 {
	e, _ := r.opts.Catalogue.Find(id)
	return e.Context
}

// Plan is the list of provider/model that a request would be tried with.
func (r *Router) Plan(req *Request) ([]string, error) {
	name := r.name(req.Model)
	candidates, err := r.order(name, req, nil)
	if err != nil {
		return nil, err
	}
	return r.fit(candidates, req), nil
}

// name resolves the default and bare model names.
func (r *Router) name(name string) string {
	if (name == "" || name == "default") && r.opts.Default != "" {
		name = r.opts.Default
	}
	if _, ok := r.routes[name]; ok || strings.Contains(name, "/") && r.has(name) {
		return name
	}
	for _, provider := range slices.Sorted(maps.Keys(r.opts.Providers)) {
		if _, ok := r.opts.Catalogue.Find(provider + "/" + name); ok && !isLocal(provider) {
			return provider + "/" + name
		}
	}
	return name
}

func (r *Router) has(id string) bool {
	provider, model, _ := strings.Cut(id, "/")
	_, ok := r.opts.Providers[provider]
	return ok && model != ""
}

func (r *Router) provider(id string) (Model, error) {
	provider, model, _ := strings.Cut(id, "/")
	if m, ok := r.opts.Providers[provider]; ok && model != "" {
		return m, nil
	}
	flt := fault.New(fault.NotFound, CodeNoModel, "There is no model %q.", id).WithParam("model")
	if close, ok := suggest.Closest(id, r.names()); ok {
		return nil, flt.WithHint("Did you mean %q? `fluxway models` lists them all.", close)
	}
	return nil, flt.WithHint("Name it provider/model; `fluxway models` lists what can be used, `fluxway auth` which providers are ready.")
}

func (r *Router) names() []string {
	names := slices.Collect(maps.Keys(r.routes))
	for _, e := range r.opts.Catalogue.All() {
		if _, ok := r.opts.Providers[e.Provider()]; ok {
			names = append(names, e.ID)
		}
	}
	return names
}

// expand lists every model a name can lead to, in the order written.
func (r *Router) expand(name string, path []string) ([]string, error) {
	route, ok := r.routes[name]
	if !ok {
		_, err := r.provider(name)
		return []string{name}, err
	}
	if slices.Contains(path, name) {
		return nil, badRoute(name, "It leads to itself: "+strings.Join(append(path, name), " → ")+".")
	}
	var all []string
	for _, t := range route.Targets {
		ids, err := r.expand(r.name(t.Model), append(path, name))
		if err != nil {
			return nil, fmt.Errorf("route %s: %w", name, err)
		}
		all = append(all, ids...)
	}
	return all, nil
}

// Listing is a model that can be asked for.
type Listing struct {
	Name  string // what to ask for
	Route bool   // it is a route
	Entry Entry  // zero for a route
}

// List shows routes and the catalogue's models of the providers at hand.
func (r *Router) List() []Listing {
	var all []Listing
	for _, name := range slices.Sorted(maps.Keys(r.routes)) {
		all = append(all, Listing{Name: name, Route: true})
	}
	for _, e := range r.opts.Catalogue.All() {
		if _, ok := r.opts.Providers[e.Provider()]; ok {
			all = append(all, Listing{Name: e.ID, Entry: e})
		}
	}
	return all
}
