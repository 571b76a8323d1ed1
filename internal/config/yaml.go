package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// parseYAML reads one YAML document. Tokens are counted before they are parsed,
// because the parser's time grows with their square and its stack with their depth.
func parseYAML(src []byte) (n *node, bad *badFile) {
	defer func() {
		if r := recover(); r != nil {
			n, bad = nil, &badFile{position{1, 1}, fmt.Sprintf("cannot be read as YAML: %v", r)}
		}
	}()
	// The lexer loses count of lines that end as on Windows.
	tokens := lexer.Tokenize(strings.ReplaceAll(string(src), "\r\n", "\n"))
	if bad := checkTokens(tokens); bad != nil {
		return nil, bad
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, syntaxError(err)
	}
	n = &node{kind: null, at: position{1, 1}}
	c := &converter{anchors: map[string]*node{}}
	for i, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if i > 0 && n.kind != null {
			return nil, &badFile{positionAt(doc.Body.GetToken()), "has a second document"}
		}
		if n, bad = c.convert(doc.Body, 0); bad != nil {
			return nil, bad
		}
	}
	return n, nil
}

// checkTokens bounds how many tokens there are and how deep they can nest.
func checkTokens(tokens token.Tokens) *badFile {
	if len(tokens) > maxTokens {
		return &badFile{positionAt(tokens[maxTokens]), fmt.Sprintf("has more than %d words and signs", maxTokens)}
	}
	flow, onLine, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			line, onLine = t.Position.Line, 0
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.SequenceEntryType, token.MappingKeyType, token.AnchorType, token.TagType:
			onLine++
		}
		if flow > maxDepth || onLine > maxDepth || t.Position.Column > 10*maxDepth && t.Type == token.SequenceEntryType {
			return &badFile{positionAt(t), "is nested too deeply"}
		}
	}
	return nil
}

func syntaxError(err error) *badFile {
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) && syntax.Token != nil {
		return &badFile{positionAt(syntax.Token), syntax.Message}
	}
	return &badFile{position{1, 1}, err.Error()}
}

func positionAt(t *token.Token) position {
	if t == nil || t.Position == nil {
		return position{1, 1}
	}
	return position{max(1, t.Position.Line), max(1, t.Position.Column)}
}

// converter turns the syntax tree into nodes. What an alias names is converted
// once and shared; the size with all aliases written out is bounded, so that
// aliases of aliases stay small for whoever walks the tree.
type converter struct{ anchors map[string]*node }

func (c *converter) convert(n ast.Node, depth int) (*node, *badFile) {
	if n == nil {
		return &node{kind: null, at: position{1, 1}}, nil
	}
	at := positionAt(n.GetToken())
	if depth > maxDepth {
		return nil, &badFile{at, "is nested too deeply"}
	}
	switch n := n.(type) {
	case *ast.NullNode:
		return &node{kind: null, at: at}, nil
	case *ast.StringNode:
		return &node{kind: text, text: n.Value, at: at}, nil
	case *ast.LiteralNode:
		return &node{kind: text, text: n.Value.Value, at: at}, nil
	case *ast.IntegerNode:
		return &node{kind: number, text: fmt.Sprint(n.Value), at: at}, nil
	case *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return &node{kind: number, text: n.GetToken().Value, at: at}, nil
	case *ast.BoolNode:
		return &node{kind: boolean, text: fmt.Sprint(n.Value), at: at}, nil
	case *ast.SequenceNode:
		return c.list(n, at, depth)
	case *ast.MappingNode:
		out, bad := c.table(n.Values, at, depth)
		if bad == nil && n.IsFlowStyle {
			out.flow, out.at = true, at
		}
		return out, bad
	case *ast.MappingValueNode:
		return c.table([]*ast.MappingValueNode{n}, at, depth)
	case *ast.AnchorNode:
		value, bad := c.convert(n.Value, depth+1)
		if bad == nil && n.Name != nil {
			c.anchors[n.Name.GetToken().Value] = value
		}
		return value, bad
	case *ast.AliasNode:
		if n.Value != nil {
			if value, ok := c.anchors[n.Value.GetToken().Value]; ok {
				return value, nil
			}
		}
		return nil, &badFile{at, "names an anchor that is not defined before it"}
	case *ast.TagNode:
		return nil, &badFile{at, "has a tag, which has no meaning here"}
	}
	return nil, &badFile{at, "has something here that is no value"}
}

func (c *converter) list(n *ast.SequenceNode, at position, depth int) (*node, *badFile) {
	out := &node{kind: list, at: at, flow: n.IsFlowStyle}
	for _, v := range n.Values {
		item, bad := c.convert(v, depth+1)
		if bad != nil {
			return nil, bad
		}
		out.items = append(out.items, item)
		if bad := out.grow(item); bad != nil {
			return nil, bad
		}
	}
	return out, nil
}

func (n *node) grow(by *node) *badFile {
	if n.size += 1 + by.size; n.size > maxTokens {
		return &badFile{n.at, "is too large with its aliases written out"}
	}
	return nil
}

func (c *converter) table(values []*ast.MappingValueNode, at position, depth int) (*node, *badFile) {
	out := &node{kind: table, at: at}
	var merged []entry
	for _, mv := range values {
		keyAt := positionAt(mv.Key.GetToken())
		value, bad := c.convert(mv.Value, depth+1)
		if bad == nil {
			bad = out.grow(value)
		}
		if bad != nil {
			return nil, bad
		}
		switch key := mv.Key.(type) {
		case *ast.MergeKeyNode:
			if merged, bad = merge(merged, value, keyAt); bad != nil {
				return nil, bad
			}
		case *ast.StringNode:
			out.entries = append(out.entries, entry{key.Value, keyAt, value})
		case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
			out.entries = append(out.entries, entry{mv.Key.GetToken().Value, keyAt, value})
		default:
			return nil, &badFile{keyAt, "has a key that is not a plain word"}
		}
	}
	if len(out.entries) > 0 {
		out.at = out.entries[0].at
	}
	for _, e := range merged {
		if _, own := out.get(e.key); !own {
			out.entries = append(out.entries, e)
		}
	}
	return out, nil
}

// merge adds the entries of a << key: a table, or a list of them, earlier ones first.
func merge(into []entry, value *node, at position) ([]entry, *badFile) {
	sources := []*node{value}
	if value.kind == list {
		sources = value.items
	}
	known := map[string]bool{}
	for _, e := range into {
		known[e.key] = true
	}
	for _, s := range sources {
		if s.kind != table {
			return nil, &badFile{at, "merges something that is not a table of keys"}
		}
		for _, e := range s.entries {
			if !known[e.key] {
				known[e.key] = true
				into = append(into, e)
			}
		}
	}
	return into, nil
}
