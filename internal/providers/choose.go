package providers

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// needs is what a request asks of a model.
func needs(req *Request) []Capability {
	var out []Capability
	add := func(c Capability) {
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	if len(req.Tools) > 0 {
		add(CanTools)
	}
	if req.Format != nil {
		add(CanJSON)
	}
	for i := range req.Messages {
		for j := range req.Messages[i].Parts {
			p := &req.Messages[i].Parts[j]
			addKind(p.Kind, add)
			for k := range p.Parts { // of a tool's result
				addKind(p.Parts[k].Kind, add)
			}
		}
	}
	return out
}

func addKind(kind PartKind, add func(Capability)) {
	switch kind {
	case PartImage:
		add(CanVision)
	case PartAudio:
		add(CanAudio)
	case PartDocument:
		add(CanDocuments)
	case PartText, PartReasoning, PartToolCall, PartToolResult:
	}
}

// order lists a name's models in the order they should be tried.
func (r *Router) order(name string, req *Request, inherited []Capability) ([]string, error) {
	route, ok := r.routes[name]
	if !ok {
		_, err := r.provider(name)
		return []string{name}, err
	}
	targets := route.Targets
	if route.Choose == ChooseWeighted {
		targets = weighted(targets, r.opts.Random)
	}
	wanted := append(slices.Clone(inherited), route.Needs...)
	var ids []string
	for _, t := range targets {
		inner, err := r.order(r.name(t.Model), req, wanted)
		if err != nil {
			return nil, err
		}
		for _, id := range inner {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	ids = r.capable(ids, append(needs(req), wanted...))
	if route.Choose == ChooseCheapest {
		r.byPrice(ids, req)
	}
	return ids, nil
}

// capable leaves out models known to lack something, unless none would be
// left: then the vendor's own refusal is the better answer.
func (r *Router) capable(ids []string, wanted []Capability) []string {
	kept := slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		e, ok := r.opts.Catalogue.Find(id)
		return ok && len(e.Can) > 0 && !e.Cans(wanted...)
	})
	if len(kept) == 0 {
		return ids
	}
	return kept
}

// usualAnswer is how many tokens an answer is taken to have when the request
// sets no limit.
const usualAnswer = 1000

// byPrice sorts by what this request would cost; an unknown price comes last.
func (r *Router) byPrice(ids []string, req *Request) {
	usage := Usage{Input: EstimateRequest(req), Output: cmp.Or(req.MaxTokens, usualAnswer)}
	now := time.Now()
	costs := make(map[string]int64, len(ids))
	for _, id := range ids {
		costs[id] = math.MaxInt64
		if e, ok := r.opts.Catalogue.Find(id); ok {
			if price, ok := e.PriceAt(now); ok {
				if cost, known := price.Cost(usage); known {
					costs[id] = cost
				}
			}
		}
	}
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(costs[a], costs[b]) })
}

// weighted draws without returning: the first by weight, then the next.
func weighted(targets []Target, random func() float64) []Target {
	left := slices.Clone(targets)
	out := make([]Target, 0, len(left))
	for len(left) > 0 {
		total := 0
		for _, t := range left {
			total += cmp.Or(t.Weight, 1)
		}
		at := int(random() * float64(total))
		i := 0
		for ; i < len(left)-1; i++ {
			if at -= cmp.Or(left[i].Weight, 1); at < 0 {
				break
			}
		}
		out = append(out, left[i])
		left = slices.Delete(left, i, i+1)
	}
	return out
}

// fit leaves out models whose window is known to be too small for the request,
// or puts their upgrade in their place. If none is large enough the list stays.
func (r *Router) fit(ids []string, req *Request) []string {
	if len(ids) == 1 && r.opts.Upgrades[ids[0]] == "" {
		return ids // whether it fits or not
	}
	tokens := EstimateRequest(req) + req.MaxTokens
	var kept []string
	for _, id := range ids {
		if up := r.upgrade(id, tokens); up != "" && !slices.Contains(kept, up) {
			kept = append(kept, up)
		}
	}
	if len(kept) == 0 {
		return ids
	}
	return kept
}

// upgrade follows the upgrades until the tokens fit; "" when they never do.
func (r *Router) upgrade(id string, tokens int64) string {
	for range len(r.opts.Upgrades) + 1 {
		window := r.window(id)
		if window == 0 || tokens <= window {
			return id
		}
		next, ok := r.opts.Upgrades[id]
		if !ok {
			return ""
		}
		id = next
	}
	return ""
}
