package jsonschema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// Bounds of a schema.
const (
	maxNodes = 20_000
	maxDepth = 200
)

// Schema is a compiled schema; it may be used by many at once.
type Schema struct {
	root   *node
	tracks bool // unevaluatedProperties or unevaluatedItems is somewhere in it
}

// node is one (sub)schema. Counts are -1 where the schema says nothing.
type node struct {
	never bool // the schema false

	types    []string
	enum     []any
	constant any
	isConst  bool

	ref *node

	properties   map[string]*node
	patterns     []patterned
	additional   *node
	names        *node
	required     []string
	needs        map[string][]string
	dependent    map[string]*node
	minProps     int
	maxProps     int
	unevaluatedP *node

	prefix       []*node
	items        *node
	contains     *node
	minContains  int
	maxContains  int
	minItems     int
	maxItems     int
	unique       bool
	unevaluatedI *node

	minimum, maximum, above, below, multiple *big.Rat

	minLength int
	maxLength int
	pattern   *regexp.Regexp

	all, anyOf, one            []*node
	not, when, then, otherwise *node
}

type patterned struct {
	pattern *regexp.Regexp
	node    *node
}

// Compile reads a decoded schema: an object or a boolean.
func Compile(doc any) (*Schema, error) {
	c := &compiler{made: map[string]*node{}, places: map[string]place{}}
	c.index(doc, "", "#", 0)
	if c.err != nil {
		return nil, c.err
	}
	root := c.at("#", c.places["#"])
	for len(c.todo) > 0 && c.err == nil {
		next := c.todo[0]
		c.todo = c.todo[1:]
		c.fill(next)
	}
	if c.err != nil {
		return nil, c.err
	}
	return &Schema{root: root, tracks: c.tracks}, nil
}

// place is a subschema and the address that references inside it are relative to.
type place struct {
	doc  any
	base string
}

type job struct {
	node  *node
	path  string
	place place
}

type compiler struct {
	made   map[string]*node  // by pointer from the root
	places map[string]place  // by pointer and by address, for references
	named  map[string]string // address or anchor to pointer
	todo   []job
	tracks bool
	count  int
	err    error
}

func (c *compiler) fail(path, format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("at %s: "+format, append([]any{path}, args...)...)
	}
}

// index finds every address and anchor that a reference may name.
func (c *compiler) index(doc any, base, path string, depth int) {
	if c.count++; c.count > maxNodes || depth > maxDepth {
		c.fail(path, "the schema is too large")
		return
	}
	switch v := doc.(type) {
	case map[string]any:
		base = c.name(v, base, path)
		c.places[path] = place{v, base}
		for key, sub := range v {
			if key == "enum" || key == "const" {
				continue
			}
			c.index(sub, base, path+"/"+escape(key), depth+1)
		}
	case []any:
		for i, sub := range v {
			c.index(sub, base, path+"/"+strconv.Itoa(i), depth+1)
		}
	default:
		c.places[path] = place{v, base}
	}
}

// name registers what an object calls itself and gives the base for what is inside.
func (c *compiler) name(v map[string]any, base, path string) string {
	if c.named == nil {
		c.named = map[string]string{}
	}
	if id, ok := v["$id"].(string); ok {
		if strings.HasPrefix(id, "#") { // draft 7 anchors
			c.named[base+id] = path
		} else {
			base = strings.TrimSuffix(resolve(base, id), "#")
			c.named[base] = path
		}
	}
	for _, key := range []string{"$anchor", "$dynamicAnchor"} {
		if anchor, ok := v[key].(string); ok {
			c.named[base+"#"+anchor] = path
		}
	}
	return base
}

func resolve(base, ref string) string {
	b, err := url.Parse(base)
	if err != nil || base == "" {
		return ref
	}
	u, err := b.Parse(ref)
	if err != nil {
		return ref
	}
	return u.String()
}

// target finds what a reference names.
func (c *compiler) target(ref, base string) (path string, ok bool) {
	full := ref
	if !strings.HasPrefix(ref, "#") {
		full = resolve(base, ref)
	} else {
		full = base + ref
	}
	if path, ok := c.named[strings.TrimSuffix(full, "#")]; ok {
		return path, true
	}
	address, fragment, _ := strings.Cut(full, "#")
	root := "#"
	if address != "" {
		found, ok := c.named[address]
		if !ok {
			return "", false
		}
		root = found
	}
	if fragment == "" {
		return root, true
	}
	if !strings.HasPrefix(fragment, "/") {
		return "", false
	}
	if plain, err := url.PathUnescape(fragment); err == nil {
		fragment = plain
	}
	path = root + fragment
	_, ok = c.places[path]
	return path, ok
}

// at gives the node of a place, to be filled later: schemas may refer to themselves.
func (c *compiler) at(path string, p place) *node {
	if n, ok := c.made[path]; ok {
		return n
	}
	n := &node{minProps: -1, maxProps: -1, minContains: -1, maxContains: -1, minItems: -1, maxItems: -1, minLength: -1, maxLength: -1}
	c.made[path] = n
	c.todo = append(c.todo, job{n, path, p})
	return n
}

func (c *compiler) sub(j job, key string) *node {
	v, ok := j.place.doc.(map[string]any)[key]
	if !ok {
		return nil
	}
	return c.child(j, "/"+escape(key), v)
}

func (c *compiler) child(j job, step string, v any) *node {
	switch v.(type) {
	case map[string]any, bool:
	default:
		c.fail(j.path+step, "a schema is an object or a boolean")
		return nil
	}
	path := j.path + step
	p, ok := c.places[path]
	if !ok { // below an enum or const, where nothing was indexed
		p = place{v, j.place.base}
	}
	return c.at(path, p)
}

func (c *compiler) list(j job, key string) []*node {
	list, ok := j.place.doc.(map[string]any)[key].([]any)
	if !ok {
		return nil
	}
	out := make([]*node, len(list))
	for i, v := range list {
		out[i] = c.child(j, "/"+key+"/"+strconv.Itoa(i), v)
	}
	return out
}

func (c *compiler) table(j job, key string) map[string]*node {
	table, ok := j.place.doc.(map[string]any)[key].(map[string]any)
	if !ok {
		return nil
	}
	out := make(map[string]*node, len(table))
	for name, v := range table {
		out[name] = c.child(j, "/"+key+"/"+escape(name), v)
	}
	return out
}

func (c *compiler) fill(j job) {
	doc, ok := j.place.doc.(map[string]any)
	if !ok {
		j.node.never = j.place.doc == false
		return
	}
	n := j.node
	for _, key := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		ref, ok := doc[key].(string)
		if !ok {
			continue
		}
		path, found := c.target(ref, j.place.base)
		if !found {
			c.fail(j.path, "a schema must stand alone, and this one refers to %s", ref)
			return
		}
		n.ref = c.at(path, c.places[path])
	}
	c.formed(j.path, doc)
	c.general(j, n, doc)
	c.object(j, n, doc)
	c.array(j, n, doc)
	n.minimum, n.maximum = rat(doc["minimum"]), rat(doc["maximum"])
	n.above, n.below, n.multiple = rat(doc["exclusiveMinimum"]), rat(doc["exclusiveMaximum"]), rat(doc["multipleOf"])
	n.minLength, n.maxLength = whole(doc["minLength"]), whole(doc["maxLength"])
	if text, ok := doc["pattern"].(string); ok {
		n.pattern = expression(text)
	}
}

func (c *compiler) general(j job, n *node, doc map[string]any) {
	switch t := doc["type"].(type) {
	case nil:
	case string:
		n.types = []string{t}
	case []any:
		n.types = words(t)
	default:
		c.fail(j.path, "type must be a word or a list of words")
	}
	for _, t := range n.types {
		switch t {
		case "null", "boolean", "integer", "number", "string", "array", "object":
		default:
			c.fail(j.path, "there is no type %q", t)
		}
	}
	if list, ok := doc["enum"].([]any); ok {
		n.enum = list
	}
	n.constant, n.isConst = doc["const"]
	n.all, n.anyOf, n.one = c.list(j, "allOf"), c.list(j, "anyOf"), c.list(j, "oneOf")
	n.not, n.when, n.then, n.otherwise = c.sub(j, "not"), c.sub(j, "if"), c.sub(j, "then"), c.sub(j, "else")
}

func (c *compiler) object(j job, n *node, doc map[string]any) {
	n.properties = c.table(j, "properties")
	for text, sub := range c.table(j, "patternProperties") {
		if re := expression(text); re != nil {
			n.patterns = append(n.patterns, patterned{re, sub})
		}
	}
	n.additional, n.names, n.unevaluatedP = c.sub(j, "additionalProperties"), c.sub(j, "propertyNames"), c.sub(j, "unevaluatedProperties")
	n.required = words(doc["required"])
	n.minProps, n.maxProps = whole(doc["minProperties"]), whole(doc["maxProperties"])
	n.dependent = c.table(j, "dependentSchemas")
	for _, key := range []string{"dependentRequired", "dependencies"} {
		table, _ := doc[key].(map[string]any)
		for name, v := range table {
			if list, ok := v.([]any); ok {
				if n.needs == nil {
					n.needs = map[string][]string{}
				}
				n.needs[name] = words(list)
				continue
			}
			if n.dependent == nil {
				n.dependent = map[string]*node{}
			}
			n.dependent[name] = c.child(j, "/"+key+"/"+escape(name), v)
		}
	}
	c.tracks = c.tracks || n.unevaluatedP != nil
}

func (c *compiler) array(j job, n *node, doc map[string]any) {
	n.prefix = c.list(j, "prefixItems")
	if _, tuple := doc["items"].([]any); tuple { // draft 7
		n.prefix, n.items = c.list(j, "items"), c.sub(j, "additionalItems")
	} else {
		n.items = c.sub(j, "items")
	}
	n.contains, n.unevaluatedI = c.sub(j, "contains"), c.sub(j, "unevaluatedItems")
	n.minContains, n.maxContains = whole(doc["minContains"]), whole(doc["maxContains"])
	n.minItems, n.maxItems = whole(doc["minItems"]), whole(doc["maxItems"])
	n.unique = doc["uniqueItems"] == true
	c.tracks = c.tracks || n.unevaluatedI != nil
}

// expression compiles a pattern. One that this engine cannot express (it has no look-around)
// is left to whoever reads the value.
func expression(text string) *regexp.Regexp {
	re, err := regexp.Compile(ecma(text))
	if err != nil {
		return nil
	}
	return re
}

// ecma rewrites the few spellings that differ: \d and \w are the same, \p{Letter} has long names.
func ecma(text string) string {
	for long, short := range longNames {
		text = strings.ReplaceAll(text, `\p{`+long+`}`, `\p{`+short+`}`)
	}
	return strings.ReplaceAll(text, `\cC`, `\x03`)
}

var longNames = map[string]string{"Letter": "L", "Number": "N", "Punctuation": "P", "Symbol": "S", "Separator": "Z", "digit": "Nd", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll"}

func words(v any) []string {
	list, _ := v.([]any)
	out := make([]string, 0, len(list))
	for _, one := range list {
		if s, ok := one.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

func whole(v any) int {
	r := rat(v)
	if r == nil || !r.IsInt() || !r.Num().IsInt64() {
		return -1
	}
	return int(r.Num().Int64())
}

func rat(v any) *big.Rat {
	n, ok := v.(json.Number)
	if !ok {
		return nil
	}
	return number(n)
}

// number reads a number; nil for one whose exponent would make it enormous.
func number(n json.Number) *big.Rat {
	text := n.String()
	if _, exponent, ok := strings.Cut(strings.ToLower(text), "e"); ok && len(strings.TrimLeft(exponent, "+-0")) > 3 || len(text) > 400 {
		return nil
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return r
}

func escape(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}
