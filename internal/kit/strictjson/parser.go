package strictjson

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// parser is one pass over one body.
type parser struct {
	data    []byte
	pos     int
	limit   int // of depth
	depth   int
	path    []step
	steps   [8]step // where path starts
	scratch []byte  // of the string that is being read, when it has escapes
}

// step is one name or index on the way to the value that is being read.
type step struct {
	name  string
	index int // when name is empty
}

// where is the path of the value being read, as messages[2].role.
func (p *parser) where() string {
	var b strings.Builder
	for _, s := range p.path {
		if s.name == "" {
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(short(s.name))
	}
	if b.Len() == 0 {
		return "body"
	}
	return b.String()
}

// short keeps a name from the outside presentable in a message.
func short(name string) string {
	if len(name) > 64 {
		return strings.ToValidUTF8(name[:64], "") + "…"
	}
	return name
}

func (p *parser) fail(code, message, hint string) error {
	f := fault.New(fault.Invalid, code, "%s", message).WithParam(p.where())
	if hint != "" {
		f = f.WithHint("%s", hint)
	}
	return f
}

// place is the line and column of the next byte.
func (p *parser) place() string {
	before := p.data[:min(p.pos, len(p.data))]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return "line " + strconv.Itoa(line) + ", column " + strconv.Itoa(column)
}

// syntax fails at the next byte.
func (p *parser) syntax(expected string) error {
	at := p.place()
	if p.pos >= len(p.data) {
		return p.fail("malformed_json", "The JSON ends too early, at "+at+": "+expected+" was expected.", "Was the body cut off? Check its brackets and quotes.")
	}
	r, size := utf8.DecodeRune(p.data[p.pos:])
	if r == utf8.RuneError && size <= 1 {
		return p.invalidText()
	}
	return p.fail("malformed_json", "The JSON cannot be read at "+at+": "+expected+" was expected, not "+strconv.QuoteRune(r)+".", "Check quotes, commas and brackets near there.")
}

func (p *parser) invalidText() error {
	return p.fail("invalid_utf8", "The text at "+p.place()+" is not valid UTF-8.", "Send the body encoded as UTF-8.")
}

func (p *parser) space() {
	for p.pos < len(p.data) {
		switch p.data[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// peek is the next byte that is not space, or 0 at the end.
func (p *parser) peek() byte {
	p.space()
	if p.pos < len(p.data) {
		return p.data[p.pos]
	}
	return 0
}

// enter goes one level down.
func (p *parser) enter() error {
	if p.depth++; p.depth > p.limit {
		return p.fail("too_deep", "Arrays and objects nest deeper than "+strconv.Itoa(p.limit)+" levels.", "Send a flatter value.")
	}
	p.pos++
	return nil
}

// object calls member for each name; member reads the value.
func (p *parser) object(member func(name []byte) error) error {
	if p.peek() != '{' {
		return p.wrongType("an object")
	}
	if err := p.enter(); err != nil {
		return err
	}
	if p.peek() == '}' {
		p.pos++
		p.depth--
		return nil
	}
	for {
		if p.peek() != '"' {
			return p.syntax("a name in quotes")
		}
		name, err := p.text()
		if err != nil {
			return err
		}
		if p.peek() != ':' {
			return p.syntax("a colon")
		}
		p.pos++
		p.space()
		if err := member(name); err != nil {
			return err
		}
		switch p.peek() {
		case ',':
			p.pos++
		case '}':
			p.pos++
			p.depth--
			return nil
		default:
			return p.syntax("a comma or }")
		}
	}
}

// array calls element for each value; element reads it.
func (p *parser) array(element func(i int) error) error {
	if p.peek() != '[' {
		return p.wrongType("an array")
	}
	if err := p.enter(); err != nil {
		return err
	}
	if p.peek() == ']' {
		p.pos++
		p.depth--
		return nil
	}
	p.path = append(p.path, step{})
	for i := 0; ; i++ {
		p.path[len(p.path)-1].index = i
		p.space()
		if err := element(i); err != nil {
			return err
		}
		switch p.peek() {
		case ',':
			p.pos++
		case ']':
			p.pos++
			p.depth--
			p.path = p.path[:len(p.path)-1]
			return nil
		default:
			return p.syntax("a comma or ]")
		}
	}
}

// text reads a string; the bytes are valid until the next call.
func (p *parser) text() ([]byte, error) {
	start := p.pos + 1
	for i := start; i < len(p.data); i++ {
		switch c := p.data[i]; {
		case c == '"':
			if !utf8.Valid(p.data[start:i]) {
				return nil, p.invalidText()
			}
			p.pos = i + 1
			return p.data[start:i], nil
		case c == '\\':
			return p.escapedText(start, i)
		case c < ' ':
			p.pos = i
			return nil, p.syntax("the end of the text, or an escape such as \\n,")
		}
	}
	p.pos = len(p.data)
	return nil, p.syntax("a closing quote")
}

// escapedText goes on from the first escape, at i.
func (p *parser) escapedText(start, i int) ([]byte, error) {
	p.scratch = append(p.scratch[:0], p.data[start:i]...)
	p.pos = i
	for p.pos < len(p.data) {
		switch c := p.data[p.pos]; {
		case c == '"':
			if !utf8.Valid(p.scratch) {
				return nil, p.invalidText()
			}
			p.pos++
			return p.scratch, nil
		case c == '\\':
			if err := p.escape(); err != nil {
				return nil, err
			}
		case c < ' ':
			return nil, p.syntax("the end of the text, or an escape such as \\n,")
		default:
			p.scratch = append(p.scratch, c)
			p.pos++
		}
	}
	return nil, p.syntax("a closing quote")
}

// escape reads one escape into scratch.
func (p *parser) escape() error {
	p.pos++
	if p.pos >= len(p.data) {
		return p.syntax("an escape")
	}
	if i := strings.IndexByte(`"\/bfnrt`, p.data[p.pos]); i >= 0 {
		p.scratch = append(p.scratch, "\"\\/\b\f\n\r\t"[i])
		p.pos++
		return nil
	}
	if p.data[p.pos] != 'u' {
		return p.syntax("an escape such as \\n or \\u00e9")
	}
	p.pos++
	r, err := p.hex4()
	if err != nil {
		return err
	}
	switch {
	case r == 0:
		return p.fail("nul_character", "The text holds the character NUL, which cannot be kept.", "Leave \\u0000 out.")
	case utf16.IsSurrogate(r):
		low := rune(0)
		if bytes.HasPrefix(p.data[p.pos:], []byte(`\u`)) {
			p.pos += 2
			if low, err = p.hex4(); err != nil {
				return err
			}
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			return p.fail("invalid_utf8", "The text at "+p.place()+" holds half of a character (a lone surrogate).", "Was the text cut in the middle of an emoji? Send whole characters.")
		}
	}
	p.scratch = utf8.AppendRune(p.scratch, r)
	return nil
}

func (p *parser) hex4() (rune, error) {
	var r rune
	for range 4 {
		if p.pos >= len(p.data) {
			return 0, p.syntax("a hexadecimal digit")
		}
		c := p.data[p.pos]
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, p.syntax("a hexadecimal digit")
		}
		r = r<<4 | rune(c)
		p.pos++
	}
	return r, nil
}

// number reads a number's text; whole says that it has no fraction or exponent.
func (p *parser) number() (text []byte, whole bool, err error) {
	start := p.pos
	if p.data[p.pos] == '-' {
		p.pos++
	}
	if p.pos < len(p.data) && p.data[p.pos] == '0' {
		p.pos++
	} else if err := p.digits(); err != nil {
		return nil, false, err
	}
	whole = true
	if p.pos < len(p.data) && p.data[p.pos] == '.' {
		p.pos++
		whole = false
		if err := p.digits(); err != nil {
			return nil, false, err
		}
	}
	if p.pos < len(p.data) && p.data[p.pos]|0x20 == 'e' {
		p.pos++
		whole = false
		if p.pos < len(p.data) && (p.data[p.pos] == '+' || p.data[p.pos] == '-') {
			p.pos++
		}
		if err := p.digits(); err != nil {
			return nil, false, err
		}
	}
	return p.data[start:p.pos], whole, nil
}

func (p *parser) digits() error {
	start := p.pos
	for p.pos < len(p.data) && p.data[p.pos] >= '0' && p.data[p.pos] <= '9' {
		p.pos++
	}
	if p.pos == start {
		return p.syntax("a digit")
	}
	return nil
}

// word reads true, false or null.
func (p *parser) word(word string) error {
	for i := range len(word) {
		if p.pos >= len(p.data) || p.data[p.pos] != word[i] {
			return p.syntax(word)
		}
		p.pos++
	}
	return nil
}

// skip checks a value of any kind and leaves it behind.
func (p *parser) skip() error {
	switch c := p.peek(); {
	case c == '{':
		var seen names
		return p.object(func(name []byte) error {
			p.path = append(p.path, step{name: string(name)})
			if !seen.add(p.path[len(p.path)-1].name) {
				return p.duplicate()
			}
			if err := p.skip(); err != nil {
				return err
			}
			p.path = p.path[:len(p.path)-1]
			return nil
		})
	case c == '[':
		return p.array(func(int) error { return p.skip() })
	case c == '"':
		_, err := p.text()
		return err
	case c == '-' || (c >= '0' && c <= '9'):
		_, _, err := p.number()
		return err
	case c == 't':
		return p.word("true")
	case c == 'f':
		return p.word("false")
	case c == 'n':
		return p.word("null")
	}
	return p.syntax("a value")
}

func (p *parser) duplicate() error {
	return p.fail("duplicate_key", "The name "+strconv.Quote(short(p.path[len(p.path)-1].name))+" is given twice.", "Keep one of them.")
}

// names are those of one object; most have few, so a map is made only late.
type names struct {
	few  []string
	many map[string]struct{}
}

// add says false for a name that was there.
func (n *names) add(name string) bool {
	if n.many == nil {
		for _, known := range n.few {
			if known == name {
				return false
			}
		}
		if len(n.few) < 16 {
			n.few = append(n.few, name)
			return true
		}
		n.many = make(map[string]struct{}, 64)
		for _, known := range n.few {
			n.many[known] = struct{}{}
		}
	}
	if _, known := n.many[name]; known {
		return false
	}
	n.many[name] = struct{}{}
	return true
}

// wrongType fails because the next value is of another kind than expected.
func (p *parser) wrongType(expected string) error {
	got := ""
	switch c := p.peek(); {
	case c == '{':
		got = "an object"
	case c == '[':
		got = "an array"
	case c == '"':
		got = "text"
	case c == '-' || (c >= '0' && c <= '9'):
		got = "a number"
	case c == 't' || c == 'f':
		got = "a boolean"
	case c == 'n':
		got = "null"
	default:
		return p.syntax("a value")
	}
	start := p.pos
	if err := p.skip(); err != nil { // a syntax error is the better answer
		return err
	}
	p.pos = start
	hint := "Send " + expected + "."
	switch {
	case got == "null":
		hint = "Leave the field out instead of sending null."
	case got == "text" && strings.Contains(expected, "number"), got == "text" && expected == "true or false":
		hint = "Leave out the quotes."
	case expected == "text" && (got == "a number" || got == "a boolean"):
		hint = "Put the value in quotes."
	case expected == "an array":
		hint = "Put the value in brackets: [ … ]."
	}
	return p.fail("wrong_type", p.where()+" must be "+expected+", not "+got+".", hint)
}
