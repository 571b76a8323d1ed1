package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// target is a file that a redirect writes.
type target struct {
	name   word
	span   Span
	append bool
	output bool // standard output goes there, not only errors
}

// redirect follows one redirect: new standard input, or a file that is written.
func (r *run) redirect(s *scope, rd *syntax.Redirect, in value) (value, target) {
	r.spend(1)
	switch rd.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		return r.heredoc(s, rd), target{}
	case syntax.WordHdoc:
		w := r.one(s, rd.Word)
		v := asValue(w, "\n")
		if fields := rd.Word.Parts; len(fields) == 1 {
			v.at = s.place.literal(fields[0])
		}
		return v, target{}
	case syntax.DplIn, syntax.DplOut:
		w := r.one(s, rd.Word)
		if rd.Op == syntax.DplOut && w.text != "-" && !isNumber(strings.TrimSuffix(w.text, "-")) {
			return in, target{name: w, span: s.place.of(rd), output: true}
		}
		return in, target{}
	case syntax.RdrIn:
		w := r.one(s, rd.Word)
		return r.read(s, w), target{}
	}
	w := r.one(s, rd.Word)
	t := target{name: w, span: s.place.of(rd)}
	t.append = rd.Op == syntax.AppOut || rd.Op == syntax.AppAll || rd.Op == syntax.RdrInOut
	t.output = rd.N == nil || rd.N.Value == "1"
	return in, t
}

func (r *run) heredoc(s *scope, rd *syntax.Redirect) value {
	if rd.Hdoc == nil {
		return known("")
	}
	b := builder{r: r, s: s, whole: true}
	for _, p := range rd.Hdoc.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			if quotedDelimiter(rd.Word) {
				b.buf = append(b.buf, lit.Value...)
			} else {
				b.buf = unescape(b.buf, lit.Value, "$`\\\n")
			}
			continue
		}
		b.part(p, false, true)
	}
	text := string(b.buf)
	if b.flags&(isWild|isPlain) != 0 {
		return value{text: text, state: visible, from: b.from}
	}
	v := known(text).with(b.from)
	if parts := rd.Hdoc.Parts; len(parts) == 1 && rd.Op == syntax.Hdoc {
		if lit, ok := parts[0].(*syntax.Lit); ok && lit.Value == text {
			v.at = s.place.literal(lit)
		}
	}
	return v
}

func quotedDelimiter(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); !ok || strings.IndexByte(lit.Value, '\\') >= 0 {
			return true
		}
	}
	return false
}

// asValue is what a program reads when a word is its input; unknown parts stay marked.
func asValue(w word, end string) value {
	if w.text == wildMark {
		return unknownFrom(w.from)
	}
	return value{text: w.text + end, state: visible, from: w.from}
}

// read is the content of a file named on the line.
func (r *run) read(s *scope, w word) value {
	if w.stream != nil {
		return *w.stream
	}
	p := r.resolve(s, w)
	if p.also != 0 {
		return unknownFrom(fromSecret)
	}
	if v, ok := r.written[p.abs]; ok && p.abs != "" {
		return v
	}
	return unknownFrom(fromFile)
}

// write judges a redirect into a file, remembers what is in it, and gives what is still printed.
func (r *run) write(s *scope, t target, out value) value {
	if t.name.text == "/dev/null" || t.name.text == "/dev/stdout" || t.name.text == "/dev/stderr" || t.name.stream != nil {
		if t.output && t.name.text == "/dev/null" {
			return value{}
		}
		return out
	}
	name := ">"
	if t.append {
		name = ">>"
	}
	r.spend(6)
	r.match(&call{s: s, env: s, words: []word{literal(name), t.name}, in: out, span: t.span}, name)
	if !t.output {
		return out
	}
	r.remember(s, t.name, out, t.append)
	return value{}
}

func (r *run) remember(s *scope, name word, v value, appended bool) {
	p := r.resolve(s, name)
	if p.abs == "" {
		return
	}
	if r.written == nil {
		r.written = map[string]value{}
	}
	if v.state == nothing {
		v = known("")
	}
	if appended {
		if before, ok := r.written[p.abs]; ok {
			v = before.then(v)
		} else {
			v = value{state: hidden, from: v.from, text: v.text}
		}
	}
	r.written[p.abs] = v
}

func isNumber(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}
