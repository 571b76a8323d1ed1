package command

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// word is one word of a command after the shell's expansions.
type word struct {
	text   string // with wild and plain where a part is unknown
	flags  wordFlags
	start  int32 // in the text being walked
	end    int32
	stream *value // what can be read from it, for <(…)
	from   origin
}

type wordFlags uint8

const (
	isWild  wordFlags = 1 << iota // holds a part that may be anything
	isPlain                       // holds a part that is unknown but a plain name or number
	isGlob                        // holds an unquoted * ? or [
	isExact                       // the text stands as it is at start+1, in quotes
)

// The marks of unknown parts inside a word's text.
const (
	wildMark  = "\ue000"
	plainMark = "\ue001"
)

var unknownMarks = strings.NewReplacer(wildMark, "…", plainMark, "…")

var unknownWord = word{text: wildMark, flags: isWild}

func (w word) known() bool   { return w.flags&(isWild|isPlain) == 0 }
func (w word) wild() bool    { return w.flags&isWild != 0 }
func (w word) glob() bool    { return w.flags&isGlob != 0 }
func (w word) mayFlag() bool { return w.flags&isWild != 0 && strings.HasPrefix(w.text, wildMark) }

// shown is the text for people.
func (w word) shown() string {
	if w.known() {
		return w.text
	}
	return unknownMarks.Replace(w.text)
}

func literal(text string) word { return word{text: text} }

const maxFields = 256

// fields expands one word of the source to the words a program would get.
func (r *run) fields(s *scope, w *syntax.Word, out []word) []word {
	r.spend(1)
	start, end := int32(w.Pos().Offset()), int32(w.End().Offset()) //nolint:gosec // maxText bounds them
	if len(w.Parts) == 1 {
		switch p := w.Parts[0].(type) {
		case *syntax.Lit:
			if isPlainText(p.Value) {
				return append(out, word{text: p.Value, start: start, end: end, flags: r.marks(p.Value)})
			}
		case *syntax.SglQuoted:
			if !p.Dollar {
				return append(out, word{text: p.Value, start: start, end: end, flags: isExact | r.marks(p.Value)})
			}
		case *syntax.DblQuoted:
			if lit, ok := onlyLit(p); ok {
				return append(out, word{text: lit, start: start, end: end, flags: isExact | r.marks(lit)})
			}
		}
	}
	b := builder{r: r, s: s, out: out, start: start, end: end}
	if hasBrace(w) && syntax.SplitBraces(w) {
		for _, parts := range r.braces(w.Parts) {
			b.word(parts)
		}
	} else {
		b.word(w.Parts)
	}
	if len(b.out)-len(out) > maxFields {
		panic(stop{"too long once expanded"})
	}
	return b.out
}

// onlyLit is the text of double quotes in which nothing happens.
func onlyLit(p *syntax.DblQuoted) (string, bool) {
	if p.Dollar || len(p.Parts) != 1 {
		return "", false
	}
	lit, ok := p.Parts[0].(*syntax.Lit)
	if !ok || strings.IndexByte(lit.Value, '\\') >= 0 {
		return "", false
	}
	return lit.Value, true
}

// isPlainText reports whether the shell leaves a literal as it is.
func isPlainText(text string) bool {
	for i := 0; i < len(text); i++ {
		if expands[text[i]] {
			return false
		}
	}
	return true
}

// expands are the bytes of a literal that a shell does not leave as they are.
var expands = [256]bool{'\\': true, '~': true, '{': true, '*': true, '?': true, '[': true}

// one expands a word where no splitting happens: an assignment, a redirect.
func (r *run) one(s *scope, w *syntax.Word) word {
	if w == nil {
		return word{}
	}
	r.spend(1)
	b := builder{r: r, s: s, start: int32(w.Pos().Offset()), end: int32(w.End().Offset()), whole: true} //nolint:gosec // maxText bounds them
	b.word(w.Parts)
	if len(b.out) == 0 {
		return word{start: b.start, end: b.end}
	}
	return b.out[0]
}

// marks finds the marks of unknown parts in text that was built from other text.
func (r *run) marks(text string) wordFlags {
	if !r.marked {
		return 0
	}
	return flagsOf(text)
}

func hasBrace(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok && strings.IndexByte(lit.Value, '{') >= 0 {
			return true
		}
	}
	return false
}

// braces multiplies out {a,b} and {1..3}.
func (r *run) braces(parts []syntax.WordPart) [][]syntax.WordPart {
	all := [][]syntax.WordPart{nil}
	for _, p := range parts {
		brace, ok := p.(*syntax.BraceExp)
		if !ok {
			for i := range all {
				all[i] = append(all[i], p)
			}
			continue
		}
		var choices [][]syntax.WordPart
		if brace.Sequence {
			choices = sequence(brace)
		} else {
			for _, e := range brace.Elems {
				choices = append(choices, r.braces(e.Parts)...)
			}
		}
		if len(all)*len(choices) > maxFields {
			panic(stop{"too long once expanded"})
		}
		var next [][]syntax.WordPart
		for _, head := range all {
			for _, choice := range choices {
				r.spend(1)
				joined := append(append([]syntax.WordPart{}, head...), choice...)
				next = append(next, joined)
			}
		}
		all = next
	}
	return all
}

func sequence(b *syntax.BraceExp) [][]syntax.WordPart {
	text := func(i int) string { return b.Elems[i].Lit() }
	from, err1 := strconv.Atoi(text(0))
	to, err2 := strconv.Atoi(text(1))
	letters := err1 != nil || err2 != nil
	if letters {
		if len(text(0)) != 1 || len(text(1)) != 1 {
			panic(stop{"using braces that cannot be followed"})
		}
		from, to = int(text(0)[0]), int(text(1)[0])
	}
	step := 1
	if len(b.Elems) > 2 {
		if n, err := strconv.Atoi(text(2)); err == nil && n != 0 {
			step = max(n, -n)
		}
	}
	var out [][]syntax.WordPart
	for n := from; ; {
		value := strconv.Itoa(n)
		if letters {
			value = string(rune(n))
		}
		out = append(out, []syntax.WordPart{&syntax.Lit{Value: value}})
		if len(out) > maxFields {
			panic(stop{"too long once expanded"})
		}
		if from <= to {
			n += step
		} else {
			n -= step
		}
		if from <= to && n > to || from > to && n < to {
			return out
		}
	}
}

// builder puts words together from parts.
type builder struct {
	r          *run
	s          *scope
	out        []word
	buf        []byte
	flags      wordFlags
	from       origin
	stream     *value
	started    bool // a word exists, even if empty: it was quoted
	whole      bool // do not split
	start, end int32
}

func (b *builder) word(parts []syntax.WordPart) {
	for i, p := range parts {
		b.part(p, i == 0, false)
	}
	b.finish()
}

func (b *builder) finish() {
	if b.started || len(b.buf) > 0 {
		text := string(b.buf)
		b.out = append(b.out, word{text: text, flags: b.flags | b.r.marks(text), start: b.start, end: b.end, stream: b.stream, from: b.from})
	}
	b.buf, b.flags, b.stream, b.from, b.started = b.buf[:0], 0, nil, 0, false
}

func (b *builder) part(p syntax.WordPart, first, quoted bool) {
	b.r.spend(1)
	switch p := p.(type) {
	case *syntax.Lit:
		if quoted {
			b.buf = unescape(b.buf, p.Value, "$`\"\\\n")
			return
		}
		b.literal(p.Value, first)
	case *syntax.SglQuoted:
		b.started = true
		if p.Dollar {
			b.buf = ansiC(b.buf, p.Value)
		} else {
			b.buf = append(b.buf, p.Value...)
		}
	case *syntax.DblQuoted:
		b.started = true
		for _, inner := range p.Parts {
			b.part(inner, false, true)
		}
	case *syntax.ParamExp:
		b.expand(b.r.param(b.s, p), quoted, isAll(p))
	case *syntax.CmdSubst:
		c := b.s.child()
		v := b.r.list(c, p.Stmts, value{})
		b.expand([]word{substituted(v)}, quoted, false)
	case *syntax.ArithmExp:
		b.r.arithm(b.s, p.X)
		b.mark(isPlain)
	case *syntax.ProcSubst:
		b.process(p)
	case *syntax.ExtGlob:
		b.flags |= isGlob
		b.buf = append(b.buf, '*')
	default:
		b.mark(isWild)
	}
}

// process runs <(…) and >(…); the word is a file to read from or write to.
func (b *builder) process(p *syntax.ProcSubst) {
	b.started = true
	b.buf = append(b.buf, "/dev/fd/63"...)
	c := b.s.child()
	if p.Op == syntax.CmdOut {
		b.r.list(c, p.Stmts, unknownFrom(0))
		return
	}
	v := b.r.list(c, p.Stmts, value{})
	if v.state == nothing {
		v.state = hidden
	}
	b.stream = &v
}

func (b *builder) mark(f wordFlags) {
	b.flags |= f
	if f == isWild {
		b.buf = append(b.buf, wildMark...)
	} else {
		b.buf = append(b.buf, plainMark...)
	}
	b.started = true
}

func (b *builder) literal(text string, first bool) {
	if first && strings.HasPrefix(text, "~") {
		name, rest, slash := strings.Cut(text[1:], "/")
		if slash {
			rest = "/" + rest
		}
		switch name {
		case "":
			b.buf = append(b.buf, b.r.a.home...)
		case "+":
			b.buf = append(b.buf, b.s.dir...)
		case "-":
			b.mark(isWild)
		default:
			b.buf = append(b.buf, "/home/"+name...)
		}
		text = rest
	}
	if strings.ContainsAny(text, "*?[") {
		b.flags |= globFlag(text)
	}
	b.buf = unescape(b.buf, text, "")
}

func globFlag(text string) wordFlags {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '*', '?':
			return isGlob
		case '[':
			if strings.IndexByte(text[i:], ']') > 0 {
				return isGlob
			}
		}
	}
	return 0
}

// expand adds what a parameter or a substitution gave.
func (b *builder) expand(values []word, quoted, all bool) {
	if quoted || b.whole {
		b.started = true
		for i, v := range values {
			if i > 0 {
				if all && quoted && !b.whole {
					b.finish()
					b.started = true
				} else {
					b.buf = append(b.buf, ' ')
				}
			}
			b.add(v, v.text)
		}
		return
	}
	_, custom := b.s.vars["IFS"]
	for i, v := range values {
		if i > 0 {
			b.finish()
		}
		if v.known() && custom {
			v = unknownWord
		}
		pieces := strings.Fields(v.text)
		if len(pieces) == 0 || v.text != "" && isSpace(v.text[0]) {
			b.finishIfAny()
		}
		for j, piece := range pieces {
			if j > 0 {
				b.finish()
			}
			b.add(v, piece)
			b.flags |= globFlag(piece)
			if !v.known() {
				b.flags |= flagsOf(piece)
			}
		}
		if len(pieces) > 0 && isSpace(v.text[len(v.text)-1]) {
			b.finishIfAny()
		}
	}
}

func (b *builder) finishIfAny() {
	if len(b.buf) > 0 {
		b.finish()
	}
}

func (b *builder) add(v word, text string) {
	b.r.spend(len(text) / 64)
	if len(b.buf)+len(text) > maxText {
		panic(stop{"too long once expanded"})
	}
	b.buf = append(b.buf, text...)
	b.flags |= v.flags &^ isExact
	b.from |= v.from
	if v.stream != nil {
		b.stream = v.stream
	}
}

func flagsOf(text string) (f wordFlags) {
	if strings.Contains(text, wildMark) {
		f |= isWild
	}
	if strings.Contains(text, plainMark) {
		f |= isPlain
	}
	return f
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// substituted turns the output of a command into a word.
func substituted(v value) word {
	switch {
	case v.state == visible:
		text := strings.TrimRight(v.text, "\n")
		return word{text: text, from: v.from, flags: flagsOf(text)}
	case v.state == nothing:
		return word{from: v.from}
	case v.plain:
		return word{text: plainMark, flags: isPlain, from: v.from}
	}
	w := unknownWord
	w.from = v.from
	return w
}

// unescape removes backslashes; only names the characters they can hide, "" all.
func unescape(buf []byte, text, only string) []byte {
	if strings.IndexByte(text, '\\') < 0 {
		return append(buf, text...)
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			buf = append(buf, text[i])
			continue
		}
		i++
		switch {
		case text[i] == '\n':
		case only == "" || strings.IndexByte(only, text[i]) >= 0:
			buf = append(buf, text[i])
		default:
			buf = append(buf, '\\', text[i])
		}
	}
	return buf
}

// ansiC decodes $'…' and the escapes of printf and echo -e.
func ansiC(buf []byte, text string) []byte {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			buf = append(buf, text[i])
			continue
		}
		i++
		switch c := text[i]; c {
		case 'n':
			buf = append(buf, '\n')
		case 't':
			buf = append(buf, '\t')
		case 'r':
			buf = append(buf, '\r')
		case 'a':
			buf = append(buf, 7)
		case 'b':
			buf = append(buf, 8)
		case 'e', 'E':
			buf = append(buf, 27)
		case 'f':
			buf = append(buf, 12)
		case 'v':
			buf = append(buf, 11)
		case 'x':
			n, used := digits(text[i+1:], 16, 2)
			buf, i = append(buf, byte(n)), i+used
		case 'u':
			n, used := digits(text[i+1:], 16, 4)
			buf, i = utf8.AppendRune(buf, rune(n)), i+used
		case 'U':
			n, used := digits(text[i+1:], 16, 8)
			buf, i = utf8.AppendRune(buf, rune(n)), i+used
		case '0', '1', '2', '3', '4', '5', '6', '7':
			size := 3
			if c == '0' {
				size = 4
			}
			n, used := digits(text[i:], 8, size)
			buf, i = append(buf, byte(n)), i+used-1
		case '\\', '\'', '"', '?':
			buf = append(buf, c)
		default:
			buf = append(buf, '\\', c)
		}
	}
	return buf
}

func digits(text string, base, most int) (n, used int) {
	for used < most && used < len(text) {
		d, err := strconv.ParseUint(text[used:used+1], base, 8)
		if err != nil {
			break
		}
		n, used = n*base+int(d), used+1
	}
	return n, used
}
