package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// parseJSON reads one JSON value and remembers where each part of it stands.
func parseJSON(src []byte) (*node, *badFile) {
	p := &jsonParser{src: src, dec: json.NewDecoder(bytes.NewReader(src))}
	p.dec.UseNumber()
	if len(bytes.TrimSpace(src)) == 0 {
		return &node{kind: null, at: position{1, 1}}, nil
	}
	n, bad := p.value(0)
	if bad != nil {
		return nil, bad
	}
	if rest := p.next(); rest < len(src) {
		return nil, &badFile{positionOf(src, rest), "has something behind its end"}
	}
	return n, nil
}

type jsonParser struct {
	src    []byte
	dec    *json.Decoder
	tokens int

	seen   int // bytes that are already counted in seenAt
	seenAt position
}

// at is positionOf for offsets that only grow, in one pass over the text.
func (p *jsonParser) at(offset int) position {
	if p.seenAt.line == 0 {
		p.seenAt = position{1, 1}
	}
	for p.seen < min(offset, len(p.src)) {
		r, size := utf8.DecodeRune(p.src[p.seen:])
		p.seen += size
		p.seenAt.column++
		if r == '\n' {
			p.seenAt = position{p.seenAt.line + 1, 1}
		}
	}
	return p.seenAt
}

// next is where the next token starts.
func (p *jsonParser) next() int {
	i := int(p.dec.InputOffset())
	for i < len(p.src) && bytes.IndexByte([]byte(" \t\r\n,:"), p.src[i]) >= 0 {
		i++
	}
	return i
}

func (p *jsonParser) token() (json.Token, int, *badFile) {
	start := p.next()
	if p.tokens++; p.tokens > maxTokens {
		return nil, 0, &badFile{p.at(start), fmt.Sprintf("has more than %d words and signs", maxTokens)}
	}
	t, err := p.dec.Token()
	if err == nil {
		return t, start, nil
	}
	var syntax *json.SyntaxError
	switch {
	case errors.As(json.Unmarshal(p.src, new(any)), &syntax) && !errors.Is(err, io.EOF): // its offset counts from the start of the text
		return nil, 0, &badFile{positionOf(p.src, int(syntax.Offset)-1), "is not JSON: " + syntax.Error()}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, 0, &badFile{positionOf(p.src, len(p.src)), "ends too early"}
	}
	return nil, 0, &badFile{positionOf(p.src, start), "is not JSON: " + err.Error()}
}

func (p *jsonParser) value(depth int) (*node, *badFile) {
	t, start, bad := p.token()
	if bad != nil {
		return nil, bad
	}
	n := &node{at: p.at(start), start: start}
	if depth > maxDepth {
		return nil, &badFile{n.at, "is nested too deeply"}
	}
	switch t := t.(type) {
	case string:
		n.kind, n.text = text, t
	case json.Number:
		n.kind, n.text = number, t.String()
	case bool:
		n.kind, n.text = boolean, map[bool]string{true: "true", false: "false"}[t]
	case json.Delim:
		if t == '[' {
			n.kind = list
			bad = p.list(n, depth)
		} else {
			n.kind = table
			bad = p.table(n, depth)
		}
	}
	n.end = int(p.dec.InputOffset())
	return n, bad
}

func (p *jsonParser) list(n *node, depth int) *badFile {
	for p.dec.More() {
		item, bad := p.value(depth + 1)
		if bad != nil {
			return bad
		}
		n.items = append(n.items, item)
	}
	_, _, bad := p.token()
	return bad
}

func (p *jsonParser) table(n *node, depth int) *badFile {
	for p.dec.More() {
		key, start, bad := p.token()
		if bad != nil {
			return bad
		}
		at := p.at(start)
		value, bad := p.value(depth + 1)
		if bad != nil {
			return bad
		}
		n.entries = append(n.entries, entry{key.(string), at, value})
	}
	_, _, bad := p.token()
	return bad
}
