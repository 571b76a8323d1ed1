package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/suggest"
)

// maxParams is how many {names} a pattern may have.
const maxParams = 3

// router finds the endpoint of a path. A literal segment wins over a {name}.
type router struct {
	root     node
	patterns []string
}

type node struct {
	literals  map[string]*node
	param     *node
	endpoints []*endpoint // one per method
	allow     string      // the Allow header
}

// patternNames are the {names} of a pattern, in order.
func patternNames(pattern string) []string {
	var names []string
	for segment := range strings.SplitSeq(pattern, "/") {
		if strings.HasPrefix(segment, "{") {
			names = append(names, strings.Trim(segment, "{}"))
		}
	}
	return names
}

func (rt *router) add(e *endpoint) error {
	pattern := e.route.Pattern
	if !strings.HasPrefix(pattern, "/") || len(patternNames(pattern)) > maxParams {
		return fmt.Errorf("api: pattern %q does not start with / or has more than %d names", pattern, maxParams)
	}
	n := &rt.root
	for segment := range strings.SplitSeq(pattern[1:], "/") {
		if strings.HasPrefix(segment, "{") {
			if n.param == nil {
				n.param = new(node)
			}
			n = n.param
			continue
		}
		if n.literals == nil {
			n.literals = map[string]*node{}
		}
		if n.literals[segment] == nil {
			n.literals[segment] = new(node)
		}
		n = n.literals[segment]
	}
	if n.endpoint(e.route.Method) != nil {
		return fmt.Errorf("api: two routes for %s", e.route.name())
	}
	n.endpoints = append(n.endpoints, e)
	n.allow = allowOf(n.endpoints)
	if !slices.Contains(rt.patterns, pattern) {
		rt.patterns = append(rt.patterns, pattern)
	}
	return nil
}

func allowOf(endpoints []*endpoint) string {
	methods := []string{http.MethodOptions}
	for _, e := range endpoints {
		methods = append(methods, e.route.Method)
		if e.route.Method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}

// endpoint is the one for a method; GET serves HEAD too.
func (n *node) endpoint(method string) *endpoint {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for _, e := range n.endpoints {
		if e.route.Method == method {
			return e
		}
	}
	return nil
}

// find gives the node of a path and fills params; nil when there is none.
func (rt *router) find(path string, params *[maxParams]string) *node {
	if path == "" || path[0] != '/' {
		return nil
	}
	n := rt.root.find(path[1:], params, 0)
	if n == nil || len(n.endpoints) == 0 {
		return nil
	}
	return n
}

func (n *node) find(rest string, params *[maxParams]string, used int) *node {
	segment, tail, more := strings.Cut(rest, "/")
	if next := n.literals[segment]; next != nil {
		found := next
		if more {
			found = next.find(tail, params, used)
		}
		if found != nil && len(found.endpoints) > 0 {
			return found
		}
	}
	if n.param == nil || segment == "" {
		return nil
	}
	params[used] = segment
	if more {
		return n.param.find(tail, params, used+1)
	}
	return n.param
}

// closest is the existing path someone probably meant.
func (rt *router) closest(path string) (string, bool) {
	asked := strings.Split(path, "/")
	var candidates []string
	for _, pattern := range rt.patterns {
		known := strings.Split(pattern, "/")
		if len(known) != len(asked) {
			continue
		}
		for i, segment := range known {
			if strings.HasPrefix(segment, "{") && asked[i] != "" {
				known[i] = asked[i]
			}
		}
		candidates = append(candidates, strings.Join(known, "/"))
	}
	if near, ok := suggest.Closest(path, candidates); ok && near != path {
		return near, true
	}
	return "", false
}
