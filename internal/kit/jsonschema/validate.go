package jsonschema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Problem is one thing that does not fit.
type Problem struct {
	At   []string // property names and indices from the root
	Says string
}

// maxSteps bounds the work of one check.
const maxSteps = 200_000

// Validate finds what does not fit; none means that the value is valid.
func (s *Schema) Validate(value any) []Problem {
	r := &run{tracks: s.tracks}
	problems, _ := r.check(s.root, value, nil, 0)
	if r.steps > maxSteps {
		return []Problem{{Says: "is too complex to be checked"}}
	}
	return problems
}

type run struct {
	tracks bool
	steps  int
}

// seen is which properties and items some keyword has looked at.
type seen struct {
	properties map[string]bool
	all        bool // of the items
	items      map[int]bool
}

func (s *seen) add(o seen) {
	for name := range o.properties {
		s.property(name)
	}
	for i := range o.items {
		s.item(i)
	}
	s.all = s.all || o.all
}

func (s *seen) property(name string) {
	if s.properties == nil {
		s.properties = map[string]bool{}
	}
	s.properties[name] = true
}

func (s *seen) item(i int) {
	if s.items == nil {
		s.items = map[int]bool{}
	}
	s.items[i] = true
}

func (r *run) check(n *node, v any, at []string, depth int) ([]Problem, seen) {
	var out []Problem
	var saw seen
	if r.steps++; r.steps > maxSteps {
		return nil, saw
	}
	if n.never {
		return []Problem{{at, "there is no such parameter"}}, saw
	}
	if depth > 2*maxDepth {
		r.steps = maxSteps + 1
		return nil, saw
	}
	if len(n.types) > 0 && !fits(n.types, v) {
		return []Problem{{at, fmt.Sprintf("expected %s, got %s", strings.Join(n.types, " or "), TypeOf(v))}}, saw
	}
	if n.ref != nil {
		more, s := r.check(n.ref, v, at, depth+1)
		out = append(out, more...)
		saw.add(s)
	}
	if n.enum != nil && !slices.ContainsFunc(n.enum, func(one any) bool { return equal(one, v) }) {
		out = append(out, Problem{at, "expected one of " + values(n.enum)})
	}
	if n.isConst && !equal(n.constant, v) {
		out = append(out, Problem{at, "expected " + values([]any{n.constant})})
	}
	switch v := v.(type) {
	case map[string]any:
		out = append(out, r.object(n, v, at, depth, &saw)...)
	case []any:
		out = append(out, r.array(n, v, at, depth, &saw)...)
	case string:
		out = append(out, n.text(v, at)...)
	case json.Number:
		out = append(out, n.number(v, at)...)
	}
	out = append(out, r.combined(n, v, at, depth, &saw)...)
	return append(out, r.rest(n, v, at, depth, &saw)...), saw
}

func (r *run) object(n *node, v map[string]any, at []string, depth int, saw *seen) []Problem {
	var out []Problem
	for _, name := range n.required {
		if _, ok := v[name]; !ok {
			out = append(out, Problem{step(at, name), "is required"})
		}
	}
	if n.minProps >= 0 && len(v) < n.minProps {
		out = append(out, Problem{at, fmt.Sprintf("must have at least %d properties, has %d", n.minProps, len(v))})
	}
	if n.maxProps >= 0 && len(v) > n.maxProps {
		out = append(out, Problem{at, fmt.Sprintf("must have at most %d properties, has %d", n.maxProps, len(v))})
	}
	for _, name := range sorted(v) {
		out = append(out, r.property(n, name, v[name], at, depth, saw)...)
		for _, other := range n.needs[name] {
			if _, ok := v[other]; !ok {
				out = append(out, Problem{step(at, other), "is required together with " + name})
			}
		}
		if sub := n.dependent[name]; sub != nil {
			more, s := r.check(sub, v, at, depth+1)
			out = append(out, more...)
			saw.add(s)
		}
	}
	return out
}

func (r *run) property(n *node, name string, value any, at []string, depth int, saw *seen) []Problem {
	var out []Problem
	known := false
	if n.names != nil {
		if more, _ := r.check(n.names, name, step(at, name), depth+1); len(more) > 0 {
			out = append(out, Problem{step(at, name), "is not a name that is allowed here: " + more[0].Says})
		}
	}
	try := func(sub *node) {
		more, _ := r.check(sub, value, step(at, name), depth+1)
		out = append(out, more...)
		known = true
	}
	if sub := n.properties[name]; sub != nil {
		try(sub)
	}
	for _, p := range n.patterns {
		if p.pattern.MatchString(name) {
			try(p.node)
		}
	}
	if !known && n.additional != nil {
		try(n.additional)
	}
	if known && r.tracks {
		saw.property(name)
	}
	return out
}

func (r *run) array(n *node, v []any, at []string, depth int, saw *seen) []Problem {
	var out []Problem
	if n.minItems >= 0 && len(v) < n.minItems {
		out = append(out, Problem{at, fmt.Sprintf("must have at least %d items, has %d", n.minItems, len(v))})
	}
	if n.maxItems >= 0 && len(v) > n.maxItems {
		out = append(out, Problem{at, fmt.Sprintf("must have at most %d items, has %d", n.maxItems, len(v))})
	}
	for i, item := range v {
		sub := n.items
		if i < len(n.prefix) {
			sub = n.prefix[i]
		}
		if sub == nil {
			continue
		}
		more, _ := r.check(sub, item, step(at, strconv.Itoa(i)), depth+1)
		out = append(out, more...)
		saw.item(i)
	}
	saw.all = saw.all || n.items != nil
	if n.unique && r.twice(v) {
		out = append(out, Problem{at, "must not have an item twice"})
	}
	return append(out, r.containing(n, v, at, depth, saw)...)
}

func (r *run) containing(n *node, v []any, at []string, depth int, saw *seen) []Problem {
	if n.contains == nil {
		return nil
	}
	found := 0
	for i, item := range v {
		if more, _ := r.check(n.contains, item, at, depth+1); len(more) == 0 {
			found++
			saw.item(i)
		}
	}
	least := n.minContains
	if least < 0 {
		least = 1
	}
	if found < least {
		return []Problem{{at, fmt.Sprintf("must have at least %d fitting items, has %d", least, found)}}
	}
	if n.maxContains >= 0 && found > n.maxContains {
		return []Problem{{at, fmt.Sprintf("must have at most %d fitting items, has %d", n.maxContains, found)}}
	}
	return nil
}

func (r *run) twice(v []any) bool {
	for i := range v {
		for k := range i {
			if r.steps++; r.steps > maxSteps {
				return false
			}
			if equal(v[i], v[k]) {
				return true
			}
		}
	}
	return false
}

func (n *node) text(v string, at []string) []Problem {
	var out []Problem
	if n.minLength >= 0 || n.maxLength >= 0 {
		length := utf8.RuneCountInString(v)
		if n.minLength >= 0 && length < n.minLength {
			out = append(out, Problem{at, fmt.Sprintf("must have at least %d characters, has %d", n.minLength, length)})
		}
		if n.maxLength >= 0 && length > n.maxLength {
			out = append(out, Problem{at, fmt.Sprintf("must have at most %d characters, has %d", n.maxLength, length)})
		}
	}
	if n.pattern != nil && !n.pattern.MatchString(v) {
		out = append(out, Problem{at, "must match the pattern " + n.pattern.String()})
	}
	return out
}

func (n *node) number(v json.Number, at []string) []Problem {
	if n.minimum == nil && n.maximum == nil && n.above == nil && n.below == nil && n.multiple == nil {
		return nil
	}
	x := number(v)
	if x == nil {
		return []Problem{{at, "is too large a number"}}
	}
	var out []Problem
	say := func(wrong bool, text string, bound *big.Rat) {
		if wrong {
			out = append(out, Problem{at, text + bound.RatString()})
		}
	}
	say(n.minimum != nil && x.Cmp(orZero(n.minimum)) < 0, "must be at least ", n.minimum)
	say(n.maximum != nil && x.Cmp(orZero(n.maximum)) > 0, "must be at most ", n.maximum)
	say(n.above != nil && x.Cmp(orZero(n.above)) <= 0, "must be more than ", n.above)
	say(n.below != nil && x.Cmp(orZero(n.below)) >= 0, "must be less than ", n.below)
	say(n.multiple != nil && n.multiple.Sign() != 0 && !new(big.Rat).Quo(x, orOne(n.multiple)).IsInt(), "must be a multiple of ", n.multiple)
	return out
}

func orZero(r *big.Rat) *big.Rat {
	if r == nil {
		return new(big.Rat)
	}
	return r
}

func orOne(r *big.Rat) *big.Rat {
	if r == nil || r.Sign() == 0 {
		return big.NewRat(1, 1)
	}
	return r
}

func (r *run) combined(n *node, v any, at []string, depth int, saw *seen) []Problem {
	var out []Problem
	for _, sub := range n.all {
		more, s := r.check(sub, v, at, depth+1)
		out = append(out, more...)
		saw.add(s)
	}
	if n.anyOf != nil {
		fitting, closest := r.alternatives(n.anyOf, v, at, depth, saw)
		if fitting == 0 {
			out = append(out, closest...)
		}
	}
	if n.one != nil {
		fitting, closest := r.alternatives(n.one, v, at, depth, saw)
		if fitting == 0 {
			out = append(out, closest...)
		} else if fitting > 1 {
			out = append(out, Problem{at, fmt.Sprintf("fits %d of the alternatives and must fit exactly one", fitting)})
		}
	}
	if n.not != nil {
		if more, _ := r.check(n.not, v, at, depth+1); len(more) == 0 {
			out = append(out, Problem{at, "is a value that is not allowed"})
		}
	}
	if n.when == nil {
		return out
	}
	more, s := r.check(n.when, v, at, depth+1)
	branch := n.otherwise
	if len(more) == 0 {
		saw.add(s)
		branch = n.then
	}
	if branch != nil {
		more, s := r.check(branch, v, at, depth+1)
		out = append(out, more...)
		saw.add(s)
	}
	return out
}

// alternatives counts those that fit, and otherwise says what the closest one misses.
func (r *run) alternatives(list []*node, v any, at []string, depth int, saw *seen) (fitting int, closest []Problem) {
	for _, sub := range list {
		more, s := r.check(sub, v, at, depth+1)
		if len(more) == 0 {
			fitting++
			saw.add(s)
			continue
		}
		if closest == nil || nearer(more, closest) {
			closest = more
		}
	}
	return fitting, closest
}

// nearer prefers a problem further inside over one with the whole value, then fewer problems.
func nearer(a, b []Problem) bool {
	if len(a[0].At) != len(b[0].At) {
		return len(a[0].At) > len(b[0].At)
	}
	return len(a) < len(b)
}

// rest applies the unevaluated keywords, which look at what nothing else has.
func (r *run) rest(n *node, v any, at []string, depth int, saw *seen) []Problem {
	var out []Problem
	switch v := v.(type) {
	case map[string]any:
		if n.unevaluatedP == nil {
			return nil
		}
		for _, name := range sorted(v) {
			if saw.properties[name] {
				continue
			}
			more, _ := r.check(n.unevaluatedP, v[name], step(at, name), depth+1)
			out = append(out, more...)
			saw.property(name)
		}
	case []any:
		if n.unevaluatedI == nil {
			return nil
		}
		for i, item := range v {
			if saw.all || saw.items[i] {
				continue
			}
			more, _ := r.check(n.unevaluatedI, item, step(at, strconv.Itoa(i)), depth+1)
			out = append(out, more...)
		}
		saw.all = true
	}
	return out
}

// TypeOf is the JSON Schema word for a decoded value.
func TypeOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case json.Number:
		if !strings.ContainsAny(v.String(), ".eE") {
			return "integer"
		}
		if r := number(v); r != nil && r.IsInt() {
			return "integer"
		}
		return "number"
	}
	return ""
}

func fits(types []string, value any) bool {
	t := TypeOf(value)
	return slices.Contains(types, t) || t == "integer" && slices.Contains(types, "number")
}

func equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		if !ok {
			return false
		}
		x, y := number(a), number(b)
		if x == nil || y == nil {
			return a == b
		}
		return x.Cmp(y) == 0
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			other, ok := b[k]
			if !ok || !equal(v, other) {
				return false
			}
		}
		return true
	}
	return a == b
}

func values(list []any) string {
	const most = 20
	rest := ""
	if len(list) > most {
		rest = fmt.Sprintf(" and %d more", len(list)-most)
		list = list[:most]
	}
	text, err := json.Marshal(list)
	if err != nil {
		return "other values"
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(text), "["), "]") + rest
}

func sorted(v map[string]any) []string {
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func step(at []string, name string) []string {
	return append(at[:len(at):len(at)], name)
}
