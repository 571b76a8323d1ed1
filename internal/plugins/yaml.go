package plugins

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// The bounds of a file: the parser's time grows with the square of the tokens, its stack with their depth.
const (
	maxManifest = 256 << 10
	maxTokens   = 10_000
	maxDepth    = 16
)

type kind int

const (
	null kind = iota
	text
	number
	boolean
	list
	table
)

var kindNames = [...]string{null: "nothing", text: "text", number: "a number", boolean: "true or false", list: "a list", table: "a table of keys"}

// node is a value in a file and where it stands.
type node struct {
	kind         kind
	text         string // of text, number and boolean
	items        []*node
	entries      []entry
	line, column int
}

type entry struct {
	key          string
	line, column int
	value        *node
}

// get is the value of a key; nil: it is not there.
func (n *node) get(key string) *node {
	for _, e := range n.entries {
		if e.key == key {
			return e.value
		}
	}
	return nil
}

// badYAML is why a file cannot be read at all.
type badYAML struct {
	line, column int
	message      string
}

func (b *badYAML) Error() string { return fmt.Sprintf("%d:%d: %s", b.line, b.column, b.message) }

// parse reads one YAML document that is a table.
func parse(src []byte) (n *node, bad *badYAML) {
	defer func() {
		if r := recover(); r != nil {
			n, bad = nil, &badYAML{1, 1, fmt.Sprintf("cannot be read as YAML: %v", r)}
		}
	}()
	if len(src) > maxManifest {
		return nil, &badYAML{1, 1, fmt.Sprintf("is larger than %d kB", maxManifest>>10)}
	}
	if !utf8.Valid(src) {
		return nil, &badYAML{1, 1, "is not UTF-8 text"}
	}
	// The lexer loses count of lines that end as on Windows.
	tokens := lexer.Tokenize(strings.ReplaceAll(strings.TrimPrefix(string(src), "\ufeff"), "\r\n", "\n"))
	if bad := checkTokens(tokens); bad != nil {
		return nil, bad
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, syntaxError(err)
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return nil, &badYAML{1, 1, "is empty"}
	}
	if len(file.Docs) > 1 {
		return nil, badAt(file.Docs[1].Body, "has a second document")
	}
	n, bad = convert(file.Docs[0].Body, 0)
	if bad == nil && n.kind != table {
		bad = &badYAML{n.line, n.column, "must be a table of keys, and is " + kindNames[n.kind]}
	}
	return n, bad
}

func checkTokens(tokens token.Tokens) *badYAML {
	if len(tokens) > maxTokens {
		return &badYAML{tokens[maxTokens].Position.Line, 1, fmt.Sprintf("has more than %d words and signs", maxTokens)}
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
			return &badYAML{line, t.Position.Column, "has an anchor, an alias or a tag, which are not read here"}
		}
		if flow > maxDepth || onLine > maxDepth || t.Position.Column > 20*maxDepth && t.Type == token.SequenceEntryType {
			return &badYAML{line, t.Position.Column, "is nested too deeply"}
		}
	}
	return nil
}

func syntaxError(err error) *badYAML {
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) && syntax.Token != nil {
		return &badYAML{max(1, syntax.Token.Position.Line), max(1, syntax.Token.Position.Column), syntax.Message}
	}
	var twice *yaml.DuplicateKeyError
	if errors.As(err, &twice) && twice.Token != nil {
		return &badYAML{max(1, twice.Token.Position.Line), max(1, twice.Token.Position.Column), twice.Message}
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return &badYAML{1, 1, first}
}

func badAt(n ast.Node, message string) *badYAML {
	line, column := 1, 1
	if n != nil {
		if t := n.GetToken(); t != nil && t.Position != nil {
			line, column = max(1, t.Position.Line), max(1, t.Position.Column)
		}
	}
	return &badYAML{line, column, message}
}

func convert(n ast.Node, depth int) (*node, *badYAML) {
	at := badAt(n, "is nested too deeply")
	out := &node{line: at.line, column: at.column}
	if depth > maxDepth {
		return nil, at
	}
	switch n := n.(type) {
	case nil, *ast.NullNode:
	case *ast.StringNode:
		out.kind, out.text = text, n.Value
	case *ast.LiteralNode:
		out.kind, out.text = text, n.Value.Value
	case *ast.IntegerNode:
		out.kind, out.text = number, fmt.Sprint(n.Value)
	case *ast.FloatNode:
		out.kind, out.text = number, n.GetToken().Value
	case *ast.BoolNode:
		out.kind, out.text = boolean, fmt.Sprint(n.Value)
	case *ast.SequenceNode:
		out.kind = list
		for _, v := range n.Values {
			item, bad := convert(v, depth+1)
			if bad != nil {
				return nil, bad
			}
			out.items = append(out.items, item)
		}
	case *ast.MappingNode:
		return convertTable(out, n.Values, depth)
	case *ast.MappingValueNode:
		return convertTable(out, []*ast.MappingValueNode{n}, depth)
	default:
		return nil, badAt(n, "has something here that is no value")
	}
	return out, nil
}

func convertTable(out *node, values []*ast.MappingValueNode, depth int) (*node, *badYAML) {
	out.kind = table
	for i, v := range values {
		at := badAt(v.Key, "has a key that is not a plain word")
		if i == 0 {
			out.line, out.column = at.line, at.column
		}
		value, bad := convert(v.Value, depth+1)
		if bad != nil {
			return nil, bad
		}
		key := ""
		switch k := v.Key.(type) {
		case *ast.StringNode:
			key = k.Value
		case *ast.IntegerNode, *ast.BoolNode:
			key = v.Key.GetToken().Value
		default:
			return nil, at
		}
		if out.get(key) != nil {
			return nil, &badYAML{at.line, at.column, fmt.Sprintf("has the key %q twice", key)}
		}
		out.entries = append(out.entries, entry{key, at.line, at.column, value})
	}
	return out, nil
}
