package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// edit sets a path to a value, or removes it if value is nil.
type edit struct {
	path  []string
	value *node
}

func splitPath(path string) []string { return strings.Split(path, ".") }

// errByHand is given when a file is written in a way that cannot be edited
// without disturbing the rest of it.
var errByHand = errors.New("written in a way that cannot be edited from here")

// applyEdits changes the text of a file and nothing in it but the given paths.
func applyEdits(name string, src []byte, edits []edit) ([]byte, error) {
	src = []byte(strings.TrimPrefix(string(src), "\ufeff"))
	for _, e := range edits {
		before, bad := parse(name, src)
		if bad != nil {
			return nil, bad
		}
		var out []byte
		var err error
		if isJSON(name) {
			out, err = editJSON(src, before, e)
		} else {
			out, err = editYAML(src, before, e)
		}
		if err == nil {
			// What the text means is compared with what was asked for: an edit that
			// missed, or touched anything else, is never written.
			after, bad := parse(name, out)
			if bad != nil || !same(after, with(before, e.path, e.value)) {
				err = errByHand
			}
		}
		if err != nil {
			return nil, fault.New(fault.Conflict, "config_by_hand", "%s in %s is %s.", strings.Join(e.path, "."), name, err).
				WithHint("Change it in the file itself.").WithParam(strings.Join(e.path, "."))
		}
		src = out
	}
	return src, nil
}

// with is a copy of a table in which path has the value, or is gone if that is nil.
func with(n *node, path []string, value *node) *node {
	out := &node{kind: table, flow: n != nil && n.flow}
	found := false
	if n != nil {
		for _, e := range n.entries {
			if e.key != path[0] {
				out.entries = append(out.entries, e)
				continue
			}
			found = true
			if len(path) > 1 {
				out.entries = append(out.entries, entry{e.key, e.at, with(e.value, path[1:], value)})
			} else if value != nil {
				out.entries = append(out.entries, entry{e.key, e.at, value})
			}
		}
	}
	if found || value == nil {
		return out
	}
	if len(path) > 1 {
		value = with(nil, path[1:], value)
	}
	out.entries = append(out.entries, entry{key: path[0], value: value})
	return out
}

// same compares what two values mean; an empty table means nothing.
func same(a, b *node) bool {
	empty := func(n *node) bool { return n == nil || n.kind == null || (n.kind == table && len(n.entries) == 0) }
	if empty(a) || empty(b) {
		return empty(a) && empty(b)
	}
	if a.kind != b.kind || a.text != b.text || len(a.items) != len(b.items) {
		return false
	}
	for i := range a.items {
		if !same(a.items[i], b.items[i]) {
			return false
		}
	}
	covers := func(a, b *node) bool {
		for _, e := range a.entries {
			other, ok := b.get(e.key)
			if (!ok && !empty(e.value)) || (ok && !same(e.value, other.value)) {
				return false
			}
		}
		return true
	}
	return covers(a, b) && covers(b, a)
}

// nodeOf is a value from a program, as a file would hold it. What looks like a
// variable is kept as text: who may save settings may not read the environment.
func nodeOf(value any) (*node, error) {
	src, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encoding the value: %w", err)
	}
	n, bad := parseJSON(src)
	if bad != nil {
		return nil, errors.New(bad.message)
	}
	escape(n)
	return n, nil
}

func escape(n *node) {
	if n.kind == text {
		n.text = strings.ReplaceAll(n.text, "${", "$${")
	}
	for _, item := range n.items {
		escape(item)
	}
	for _, e := range n.entries {
		escape(e.value)
	}
}

// editJSON splices the value into the text.
func editJSON(src []byte, root *node, e edit) ([]byte, error) {
	if root.end == 0 { // an empty file
		src, root = []byte("{}\n"), &node{kind: table, end: 2}
	}
	t, value := root, e.value
	path := e.path
	for len(path) > 1 {
		child, ok := t.get(path[0])
		if !ok || child.value.kind != table {
			break
		}
		t, path = child.value, path[1:]
	}
	at := slices.IndexFunc(t.entries, func(x entry) bool { return x.key == path[0] })
	if value == nil {
		if at < 0 || len(path) > 1 {
			return src, nil
		}
		return removeJSON(src, t, at), nil
	}
	if len(path) > 1 {
		value = with(nil, path[1:], value)
	}
	indent := indentOf(src, t.start)
	if at >= 0 {
		old := t.entries[at].value
		return splice(src, old.start, old.end, renderJSON(value, indentOf(src, old.start))), nil
	}
	if len(t.entries) == 0 {
		inner := indent + "  "
		return splice(src, t.start, t.end, "{\n"+inner+quoteJSON(path[0])+": "+renderJSON(value, inner)+"\n"+indent+"}"), nil
	}
	first := skipSpace(src, t.start+1)
	gap := string(src[t.start+1 : first])
	if gap == "" {
		gap = " "
	}
	last := t.entries[len(t.entries)-1].value
	return splice(src, last.end, last.end, ","+gap+quoteJSON(path[0])+": "+renderJSON(value, indentOf(src, first))), nil
}

func removeJSON(src []byte, t *node, i int) []byte {
	end := t.entries[i].value.end
	switch {
	case i > 0:
		return splice(src, t.entries[i-1].value.end, end, "")
	case len(t.entries) == 1:
		return splice(src, t.start, t.end, "{}")
	}
	comma := skipSpace(src, end)
	return splice(src, skipSpace(src, t.start+1), skipSpace(src, comma+1), "")
}

func splice(src []byte, from, to int, text string) []byte {
	return slices.Concat(src[:from], []byte(text), src[to:])
}

func skipSpace(src []byte, i int) int {
	for i < len(src) && strings.IndexByte(" \t\r\n", src[i]) >= 0 {
		i++
	}
	return i
}

// indentOf is the white space at the start of the line that holds a byte.
func indentOf(src []byte, i int) string {
	line := string(src[:i])
	line = line[strings.LastIndex(line, "\n")+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

func quoteJSON(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // a string always encodes
		panic("config: text cannot be encoded: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// renderJSON writes tables over several lines and lists on one.
func renderJSON(n *node, indent string) string {
	switch n.kind {
	case text:
		return quoteJSON(n.text)
	case list:
		items := make([]string, len(n.items))
		for i, item := range n.items {
			items[i] = renderJSON(item, indent)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case table:
		if len(n.entries) == 0 {
			return "{}"
		}
		inner := indent + "  "
		lines := make([]string, len(n.entries))
		for i, e := range n.entries {
			lines[i] = inner + quoteJSON(e.key) + ": " + renderJSON(e.value, inner)
		}
		return "{\n" + strings.Join(lines, ",\n") + "\n" + indent + "}"
	case null:
		return "null"
	}
	return n.text
}
