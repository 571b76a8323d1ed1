package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// The bounds of a file: beyond them it is not a configuration.
const (
	maxFile   = 1 << 20
	maxTokens = 20_000
	maxDepth  = 32
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

// node is a value in a file, YAML or JSON, and where it stands.
type node struct {
	kind    kind
	text    string // of text, number and boolean
	items   []*node
	entries []entry
	at      position
	flow    bool // YAML in brackets

	start, end int // the bytes of a JSON value
}

type entry struct {
	key   string
	at    position
	value *node
}

// position counts lines and characters from 1.
type position struct{ line, column int }

// get is the last entry with a key.
func (n *node) get(key string) (entry, bool) {
	for i := len(n.entries) - 1; i >= 0; i-- {
		if n.entries[i].key == key {
			return n.entries[i], true
		}
	}
	return entry{}, false
}

// badFile is why a file cannot be read at all.
type badFile struct {
	at      position
	message string
}

// Error is the message with its position.
func (b *badFile) Error() string { return fmt.Sprintf("%d:%d: %s", b.at.line, b.at.column, b.message) }

// parse reads YAML or JSON, by the name's ending, into a table.
func parse(name string, src []byte) (*node, *badFile) {
	if len(src) > maxFile {
		return nil, &badFile{position{1, 1}, "is larger than 1 MB"}
	}
	src = []byte(strings.TrimPrefix(string(src), "\ufeff"))
	if at := invalidUTF8(src); at >= 0 {
		return nil, &badFile{positionOf(src, at), "is not UTF-8 text"}
	}
	var n *node
	var bad *badFile
	if isJSON(name) {
		n, bad = parseJSON(src)
	} else {
		n, bad = parseYAML(src)
	}
	if bad != nil {
		return nil, bad
	}
	switch n.kind {
	case null:
		return &node{kind: table, at: position{1, 1}}, nil
	case table:
		return n, nil
	}
	return nil, &badFile{n.at, "must be a table of keys, and is " + kindNames[n.kind]}
}

func isJSON(name string) bool { return strings.EqualFold(filepath.Ext(name), ".json") }

func invalidUTF8(src []byte) int {
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// positionOf is the line and column of a byte.
func positionOf(src []byte, offset int) position {
	before := string(src[:min(offset, len(src))])
	line := strings.Count(before, "\n") + 1
	return position{line, utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:]) + 1}
}
