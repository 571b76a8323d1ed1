package config

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// yamlLines is a YAML text that is edited by lines, so that comments, blank
// lines and quotes elsewhere stay as they are, to the byte.
type yamlLines struct {
	lines []string
	eol   string
}

func splitYAML(src []byte) *yamlLines {
	s, eol := string(src), "\n"
	if n := strings.Count(s, "\n"); n > 0 && n == strings.Count(s, "\r\n") {
		eol = "\r\n"
	}
	s = strings.TrimSuffix(s, eol)
	if s == "" {
		return &yamlLines{nil, eol}
	}
	return &yamlLines{strings.Split(s, eol), eol}
}

func (y *yamlLines) bytes() []byte {
	if len(y.lines) == 0 {
		return nil
	}
	return []byte(strings.Join(y.lines, y.eol) + y.eol)
}

// editYAML changes one path. Tables are changed key by key, so that only the
// keys that differ are touched.
func editYAML(src []byte, root *node, e edit) ([]byte, error) {
	if old, ok := lookupNode(root, e.path); ok && e.value != nil && old.kind == table && e.value.kind == table && !old.flow && len(old.entries) > 0 {
		return editTable(src, root, e, old)
	}
	y := splitYAML(src)
	if root.flow || !y.holds(root) {
		return nil, errByHand
	}
	t := root
	for i, key := range e.path {
		found, ok := t.get(key)
		rest := e.path[i+1:]
		switch {
		case !ok && e.value == nil:
			return src, nil
		case !ok:
			y.insert(t, key, rest, e.value)
			return y.bytes(), nil
		case len(rest) == 0 && e.value == nil:
			from, to := y.extent(found)
			y.lines = slices.Delete(y.lines, from, to)
			return y.bytes(), nil
		case len(rest) == 0:
			return y.replaced(found, e.value)
		case found.value.kind == null && e.value == nil:
			return src, nil
		case found.value.kind == null:
			return y.fill(found, rest, e.value)
		case found.value.kind != table:
			return nil, errByHand
		case found.value.flow:
			return y.replaced(found, with(found.value, rest, e.value))
		}
		t = found.value
	}
	return nil, errByHand
}

// holds says whether every key stands on a line of the text: a lone carriage
// return is a line's end to YAML and none to us.
func (y *yamlLines) holds(t *node) bool {
	for _, e := range t.entries {
		if e.at.line > len(y.lines) || !y.holds(e.value) {
			return false
		}
	}
	return true
}

func lookupNode(n *node, path []string) (*node, bool) {
	for _, key := range path {
		e, ok := n.get(key)
		if !ok {
			return nil, false
		}
		n = e.value
	}
	return n, true
}

// editTable turns the change of a table into changes of its keys.
func editTable(src []byte, root *node, e edit, old *node) ([]byte, error) {
	var edits []edit
	for _, x := range old.entries {
		if _, stays := e.value.get(x.key); !stays {
			edits = append(edits, edit{append(slices.Clone(e.path), x.key), nil})
		}
	}
	for _, x := range e.value.entries {
		if was, ok := old.get(x.key); !ok || !same(was.value, x.value) {
			edits = append(edits, edit{append(slices.Clone(e.path), x.key), x.value})
		}
	}
	// Additions first: a table that is empty for a moment would lose its place.
	slices.SortStableFunc(edits, func(a, b edit) int {
		return boolInt(a.value == nil) - boolInt(b.value == nil)
	})
	for i, one := range edits {
		var err error
		if src, err = editYAML(src, root, one); err != nil {
			return nil, err
		}
		var bad *badFile
		if root, bad = parse("fluxway.yaml", src); bad != nil || i > maxTokens {
			return nil, errByHand
		}
	}
	return src, nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// extent is the lines of an entry, from its key to before the next key or the
// comment above that.
func (y *yamlLines) extent(e entry) (from, to int) {
	from = e.at.line - 1
	own := e.at.column - 1
	end := from + 1
	for i := from + 1; i < len(y.lines); i++ {
		line := y.lines[i]
		body := strings.TrimLeft(line, " ")
		depth := len(line) - len(body)
		switch {
		case strings.TrimSpace(body) == "":
			continue
		case depth > own:
			end = i + 1
			continue
		case strings.HasPrefix(body, "#"):
			continue
		case depth == own && (body == "-" || strings.HasPrefix(body, "- ")) && e.value.kind == list:
			end = i + 1
			continue
		}
		return from, end
	}
	return from, end
}

// insert adds a key behind the last one of a table.
func (y *yamlLines) insert(t *node, key string, rest []string, value *node) {
	indent, at := "", len(y.lines)
	if len(t.entries) > 0 {
		last := t.entries[0]
		for _, e := range t.entries {
			if e.at.line > last.at.line {
				last = e
			}
		}
		indent = strings.Repeat(" ", last.at.column-1)
		_, at = y.extent(last)
	}
	y.lines = slices.Insert(y.lines, at, entryLines(indent, key, rest, value)...)
}

// fill puts the first key under one that stands there without a value.
func (y *yamlLines) fill(e entry, rest []string, value *node) ([]byte, error) {
	before, after, ok := y.behindKey(e)
	if !ok || (after != "" && !strings.HasPrefix(after, "#")) {
		return nil, errByHand
	}
	y.lines[e.at.line-1] = before
	if after != "" {
		y.lines[e.at.line-1] += " " + after
	}
	lines := entryLines(strings.Repeat(" ", e.at.column+1), rest[0], rest[1:], value)
	y.lines = slices.Insert(y.lines, e.at.line, lines...)
	return y.bytes(), nil
}

func entryLines(indent, key string, rest []string, value *node) []string {
	if len(rest) == 0 {
		return []string{indent + plain(key) + ": " + inline(value)}
	}
	return append([]string{indent + plain(key) + ":"}, entryLines(indent+"  ", rest[0], rest[1:], value)...)
}

// behindKey cuts the line of an entry behind the colon.
func (y *yamlLines) behindKey(e entry) (before, after string, ok bool) {
	if e.at.line > len(y.lines) {
		return "", "", false
	}
	line := y.lines[e.at.line-1]
	start := byteColumn(line, e.at.column)
	if start >= len(line) {
		return "", "", false
	}
	end := start + scalarEnd(line[start:], true)
	colon := strings.IndexByte(line[end:], ':')
	if colon < 0 || strings.TrimSpace(line[end:end+colon]) != "" {
		return "", "", false
	}
	end += colon + 1
	return line[:end], strings.TrimLeft(line[end:], " "), true
}

func byteColumn(line string, column int) int {
	i := 0
	for range column - 1 {
		if i >= len(line) {
			break
		}
		_, size := utf8.DecodeRuneInString(line[i:])
		i += size
	}
	return i
}

// scalarEnd is where the scalar at the start of s ends; a key ends at its colon.
func scalarEnd(s string, key bool) int {
	switch {
	case strings.HasPrefix(s, `"`):
		for i := 1; i < len(s); i++ {
			if s[i] == '\\' {
				i++
			} else if s[i] == '"' {
				return i + 1
			}
		}
		return len(s)
	case strings.HasPrefix(s, "'"):
		for i := 1; i < len(s); i++ {
			if s[i] != '\'' {
				continue
			}
			if i+1 < len(s) && s[i+1] == '\'' {
				i++
				continue
			}
			return i + 1
		}
		return len(s)
	}
	end := len(s)
	if i := strings.Index(s, " #"); i >= 0 {
		end = i
	}
	if key {
		for i := range end {
			if s[i] == ':' && (i+1 == len(s) || s[i+1] == ' ') {
				end = i
				break
			}
		}
	}
	return len(strings.TrimRight(s[:end], " \t\r"))
}

// replaced gives an existing entry another value.
func (y *yamlLines) replaced(e entry, value *node) ([]byte, error) {
	before, after, ok := y.behindKey(e)
	if !ok || (after != "" && strings.ContainsRune("&*!", rune(after[0]))) {
		return nil, errByHand
	}
	line := e.at.line - 1
	switch {
	case e.value.kind == null && (after == "" || after[0] == '#'):
		y.lines[line] = strings.TrimRight(before+" "+inline(value)+" "+after, " ")
	case e.value.kind == list && !e.value.flow && value.kind == list && len(value.items) > 0:
		return y.relist(e, value)
	case e.value.flow:
		return y.replaceFlow(e, before, value)
	default:
		end := scalarEnd(after, false)
		on, bad := parseYAML([]byte("k: " + after[:end] + "\n"))
		if whole, found := lookupNode(on, []string{"k"}); bad == nil && found && same(whole, e.value) {
			y.lines[line] = before + " " + inline(value) + after[end:]
			break
		}
		from, to := y.extent(e)
		y.lines = slices.Replace(y.lines, from, to, before+" "+inline(value))
	}
	return y.bytes(), nil
}

// replaceFlow replaces a value in brackets; one with comments inside is left alone.
func (y *yamlLines) replaceFlow(e entry, before string, value *node) ([]byte, error) {
	from, to := y.extent(e)
	body := strings.Join(y.lines[from:to], "\n")[len(before):]
	depth, end := 0, 0
	for i := 0; i < len(body) && end == 0; i++ {
		switch body[i] {
		case '"', '\'':
			i += scalarEnd(body[i:], false) - 1
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				end = i + 1
			}
		case '#':
			return nil, errByHand
		}
	}
	tail := strings.TrimRight(body[end:], " ")
	if end == 0 || strings.Contains(tail, "\n") {
		return nil, errByHand
	}
	y.lines = slices.Replace(y.lines, from, to, before+" "+inline(value)+tail)
	return y.bytes(), nil
}

// relist writes a list over several lines; items that stay keep their line and
// the comments above it.
func (y *yamlLines) relist(e entry, value *node) ([]byte, error) {
	from, to := y.extent(e)
	first := e.value.at
	indent := strings.Repeat(" ", first.column-1)
	kept := map[string][]string{}
	start := from + 1
	for _, item := range e.value.items {
		if item.kind == list || item.kind == table || item.at.line-1 < start || item.at.line > to {
			return nil, errByHand
		}
		kept[item.text] = y.lines[start:item.at.line]
		start = item.at.line
	}
	lines := []string{y.lines[from]}
	for _, item := range value.items {
		if old, ok := kept[item.text]; ok {
			lines = append(lines, old...)
			delete(kept, item.text)
			continue
		}
		lines = append(lines, indent+"- "+inline(item))
	}
	lines = append(lines, y.lines[start:to]...)
	y.lines = slices.Replace(y.lines, from, to, lines...)
	return y.bytes(), nil
}

// inline writes a value on one line.
func inline(n *node) string {
	switch n.kind {
	case text:
		return plain(n.text)
	case list:
		items := make([]string, len(n.items))
		for i, item := range n.items {
			items[i] = inline(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case table:
		items := make([]string, len(n.entries))
		for i, e := range n.entries {
			items[i] = plain(e.key) + ": " + inline(e.value)
		}
		return "{" + strings.Join(items, ", ") + "}"
	case null:
		return "null"
	}
	return n.text
}

// plain writes a text without quotes where that means the same everywhere.
func plain(s string) string {
	quoted := quoteJSON(s)
	if s == "" || strings.ContainsAny(s, "\n\r\t") || len(quoted) != len(s)+2 {
		return quoted
	}
	for _, frame := range []string{"k: " + s + "\n", "k: [" + s + ", x]\n", s + ": x\n"} {
		n, bad := parseYAML([]byte(frame))
		if bad != nil || n.kind != table || len(n.entries) != 1 {
			return quoted
		}
		e := n.entries[0]
		switch {
		case e.value.kind == list:
			if len(e.value.items) != 2 || e.value.items[0].kind != text || e.value.items[0].text != s {
				return quoted
			}
		case e.key == "k" && e.value.text != "x":
			if e.value.kind != text || e.value.text != s {
				return quoted
			}
		case e.key != s:
			return quoted
		}
	}
	return s
}
