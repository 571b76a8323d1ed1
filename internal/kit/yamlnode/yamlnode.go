// Package yamlnode reads YAML into a tree whose every value knows where it stands.
//
// In:    the text of a file somebody wrote, and how much of it is read.
// Out:   its values with line and column, or where and why it cannot be read. Nothing in it makes the reader slow or deep.
// Keeps: nothing.
// Says:  nothing.
// Not here: what the values mean; writing YAML.
package yamlnode

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Kind is what a value is.
type Kind int

// The kinds.
const (
	Null Kind = iota
	Text
	Number
	Boolean
	List
	Table
)

// String is the kind in words: "a table of keys".
func (k Kind) String() string {
	return [...]string{Null: "nothing", Text: "text", Number: "a number", Boolean: "true or false", List: "a list", Table: "a table of keys"}[k]
}

// Position counts lines and characters from 1.
type Position struct{ Line, Column int }

// Node is a value in a file and where it stands.
type Node struct {
	Kind    Kind
	Text    string // of Text, Number and Boolean
	Items   []*Node
	Entries []Entry
	At      Position
	Flow    bool // in brackets

	size int // values in it, aliases written out
}

// Entry is one key of a table.
type Entry struct {
	Key   string
	At    Position
	Value *Node
}

// Get is the last entry with a key.
func (n *Node) Get(key string) (Entry, bool) {
	for i := len(n.Entries) - 1; i >= 0; i-- {
		if n.Entries[i].Key == key {
			return n.Entries[i], true
		}
	}
	return Entry{}, false
}

// Error is why a file cannot be read at all.
type Error struct {
	At      Position
	Message string // goes on from the file's name: "is nested too deeply"
}

// Error is the message with its place.
func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.At.Line, e.At.Column, e.Message) }

// Limits are how much is read.
type Limits struct {
	Tokens  int  // words and signs
	Depth   int  // of values in values
	Aliases bool // anchors, aliases and merges are followed; tags never are
	Repeats bool // a key may stand in a table more than once
}

// Parse reads one YAML document; an empty one is Null. Tokens are counted before they are parsed, because the parser's
// time grows with their square and its stack with their depth.
func Parse(src []byte, limits Limits) (n *Node, bad *Error) {
	defer func() {
		if r := recover(); r != nil {
			n, bad = nil, &Error{Position{1, 1}, fmt.Sprintf("cannot be read as YAML: %v", r)}
		}
	}()
	if !utf8.Valid(src) {
		return nil, &Error{Position{1, 1}, "is not UTF-8 text"}
	}
	// The lexer loses count of lines that end as on Windows.
	tokens := lexer.Tokenize(strings.ReplaceAll(strings.TrimPrefix(string(src), "\ufeff"), "\r\n", "\n"))
	if bad := limits.check(tokens); bad != nil {
		return nil, bad
	}
	var options []parser.Option
	if limits.Repeats {
		options = append(options, parser.AllowDuplicateMapKey())
	}
	file, err := parser.Parse(tokens, 0, options...)
	if err != nil {
		return nil, syntaxError(err)
	}
	n = &Node{Kind: Null, At: Position{1, 1}}
	c := &converter{limits: limits, anchors: map[string]*Node{}}
	for i, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if i > 0 && n.Kind != Null {
			return nil, &Error{positionAt(doc.Body.GetToken()), "has a second document"}
		}
		if n, bad = c.convert(doc.Body, 0); bad != nil {
			return nil, bad
		}
	}
	return n, nil
}

// check bounds how many tokens there are and how deep they can nest.
func (l Limits) check(tokens token.Tokens) *Error {
	if len(tokens) > l.Tokens {
		return &Error{positionAt(tokens[l.Tokens]), fmt.Sprintf("has more than %d words and signs", l.Tokens)}
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
		case token.SequenceEntryType, token.MappingKeyType:
			onLine++
		case token.AnchorType, token.AliasType, token.MergeKeyType, token.TagType:
			if onLine++; !l.Aliases {
				return &Error{positionAt(t), "has an anchor, an alias or a tag, which are not read here"}
			}
		}
		if flow > l.Depth || onLine > l.Depth || t.Position.Column > 10*l.Depth && t.Type == token.SequenceEntryType {
			return &Error{positionAt(t), "is nested too deeply"}
		}
	}
	return nil
}

func syntaxError(err error) *Error {
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) && syntax.Token != nil {
		return &Error{positionAt(syntax.Token), syntax.Message}
	}
	var twice *yaml.DuplicateKeyError
	if errors.As(err, &twice) && twice.Token != nil {
		return &Error{positionAt(twice.Token), twice.Message}
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return &Error{Position{1, 1}, first}
}

func positionAt(t *token.Token) Position {
	if t == nil || t.Position == nil {
		return Position{1, 1}
	}
	return Position{max(1, t.Position.Line), max(1, t.Position.Column)}
}

// converter turns the syntax tree into nodes. What an alias names is converted
// once and shared; the size with all aliases written out is bounded, so that
// aliases of aliases stay small for whoever walks the tree.
type converter struct {
	limits  Limits
	anchors map[string]*Node
}

func (c *converter) convert(n ast.Node, depth int) (*Node, *Error) {
	if n == nil {
		return &Node{Kind: Null, At: Position{1, 1}}, nil
	}
	at := positionAt(n.GetToken())
	if depth > c.limits.Depth {
		return nil, &Error{at, "is nested too deeply"}
	}
	switch n := n.(type) {
	case *ast.NullNode:
		return &Node{Kind: Null, At: at}, nil
	case *ast.StringNode:
		return &Node{Kind: Text, Text: n.Value, At: at}, nil
	case *ast.LiteralNode:
		return &Node{Kind: Text, Text: n.Value.Value, At: at}, nil
	case *ast.IntegerNode:
		return &Node{Kind: Number, Text: fmt.Sprint(n.Value), At: at}, nil
	case *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return &Node{Kind: Number, Text: n.GetToken().Value, At: at}, nil
	case *ast.BoolNode:
		return &Node{Kind: Boolean, Text: fmt.Sprint(n.Value), At: at}, nil
	case *ast.SequenceNode:
		return c.list(n, at, depth)
	case *ast.MappingNode:
		out, bad := c.table(n.Values, at, depth)
		if bad == nil && n.IsFlowStyle {
			out.Flow, out.At = true, at
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
		return nil, &Error{at, "names an anchor that is not defined before it"}
	case *ast.TagNode:
		return nil, &Error{at, "has a tag, which has no meaning here"}
	}
	return nil, &Error{at, "has something here that is no value"}
}

func (c *converter) list(n *ast.SequenceNode, at Position, depth int) (*Node, *Error) {
	out := &Node{Kind: List, At: at, Flow: n.IsFlowStyle}
	for _, v := range n.Values {
		item, bad := c.convert(v, depth+1)
		if bad != nil {
			return nil, bad
		}
		out.Items = append(out.Items, item)
		if bad := c.grow(out, item); bad != nil {
			return nil, bad
		}
	}
	return out, nil
}

func (c *converter) grow(n, by *Node) *Error {
	if n.size += 1 + by.size; n.size > c.limits.Tokens {
		return &Error{n.At, "is too large with its aliases written out"}
	}
	return nil
}

func (c *converter) table(values []*ast.MappingValueNode, at Position, depth int) (*Node, *Error) {
	out := &Node{Kind: Table, At: at}
	var merged []Entry
	for _, mv := range values {
		keyAt := positionAt(mv.Key.GetToken())
		value, bad := c.convert(mv.Value, depth+1)
		if bad == nil {
			bad = c.grow(out, value)
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
			out.Entries = append(out.Entries, Entry{key.Value, keyAt, value})
		case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
			out.Entries = append(out.Entries, Entry{mv.Key.GetToken().Value, keyAt, value})
		default:
			return nil, &Error{keyAt, "has a key that is not a plain word"}
		}
	}
	if len(out.Entries) > 0 {
		out.At = out.Entries[0].At
	}
	for _, e := range merged {
		if _, own := out.Get(e.Key); !own {
			out.Entries = append(out.Entries, e)
		}
	}
	return out, nil
}

// merge adds the entries of a << key: a table, or a list of them, earlier ones first.
func merge(into []Entry, value *Node, at Position) ([]Entry, *Error) {
	sources := []*Node{value}
	if value.Kind == List {
		sources = value.Items
	}
	known := map[string]bool{}
	for _, e := range into {
		known[e.Key] = true
	}
	for _, s := range sources {
		if s.Kind != Table {
			return nil, &Error{at, "merges something that is not a table of keys"}
		}
		for _, e := range s.Entries {
			if !known[e.Key] {
				known[e.Key] = true
				into = append(into, e)
			}
		}
	}
	return into, nil
}

// Value is the node as plain values: nil, string, bool, uint64, int64, float64, []any and map[string]any.
func (n *Node) Value() any {
	switch n.Kind {
	case Text:
		return n.Text
	case Boolean:
		return n.Text == "true"
	case Number:
		return n.number()
	case List:
		out := make([]any, len(n.Items))
		for i, item := range n.Items {
			out[i] = item.Value()
		}
		return out
	case Table:
		out := make(map[string]any, len(n.Entries))
		for _, e := range n.Entries {
			out[e.Key] = e.Value.Value()
		}
		return out
	case Null:
	}
	return nil
}

func (n *Node) number() any {
	if u, err := strconv.ParseUint(n.Text, 10, 64); err == nil {
		return u
	}
	if i, err := strconv.ParseInt(n.Text, 10, 64); err == nil {
		return i
	}
	if f, err := strconv.ParseFloat(n.Text, 64); err == nil {
		return f
	}
	return n.Text
}
