package command

import (
	"maps"

	"mvdan.cc/sh/v3/syntax"
)

// place maps offsets in the text being walked to the text of the command.
type place struct {
	exact bool // the text is part of the command's, starting at base
	base  int
	whole Span // otherwise: where the command is that runs the text
}

func (p place) span(start, end int) Span {
	if p.exact {
		return Span{p.base + start, p.base + end}
	}
	return p.whole
}

func (p place) of(n syntax.Node) Span {
	if p.exact {
		return Span{p.base + int(n.Pos().Offset()), p.base + int(n.End().Offset())}
	}
	return p.whole
}

// literal is where a part begins whose text stands as it is, and one more; 0: it does not.
func (p place) literal(part syntax.WordPart) int {
	if !p.exact {
		return 0
	}
	offset := p.base + int(part.Pos().Offset())
	switch part := part.(type) {
	case *syntax.Lit:
		return offset + 1
	case *syntax.SglQuoted:
		if !part.Dollar {
			return offset + 2
		}
	case *syntax.DblQuoted:
		if _, ok := onlyLit(part); ok {
			return offset + 2
		}
	}
	return 0
}

// across is where words stand; those that come from elsewhere do not count. If none stands in the text, or they were put
// together in another order, it is otherwise.
func (p place) across(words []word, otherwise Span) Span {
	if !p.exact {
		return otherwise
	}
	start, end := int32(-1), int32(0)
	for i := range words {
		w := &words[i]
		if w.end == 0 {
			continue
		}
		if w.end < end {
			return otherwise
		}
		if start < 0 {
			start = w.start
		}
		end = w.end
	}
	if start < 0 {
		return otherwise
	}
	return p.span(int(start), int(end))
}

// within places text that a command at span runs.
func within(at Span) place { return place{whole: at} }

// scope is what a shell knows while it runs. A child shares its maps with the
// parent until one of them writes.
type scope struct {
	dir     string // "": unknown
	root    string // where the command started: the project
	lang    syntax.LangVariant
	env     map[string]string
	vars    map[string][]word
	funcs   map[string]*syntax.Stmt
	aliases map[string]string
	args    []word // $1…; nil: unknown
	shared  bool
	depth   int
	place   place
	pipe    Span   // the pipe that brings something from the network; zero: none
	mirror  string // the folder here that a container is taken to hold; "": none
	remote  bool   // runs on another machine or in a container: our disk says nothing about it
}

func (s *scope) child() *scope {
	s.shared = true
	c := *s
	if c.depth++; c.depth > maxDepth {
		panic(stop{"nested too deeply"})
	}
	return &c
}

func (s *scope) own() {
	if s.shared {
		s.vars, s.funcs, s.aliases = maps.Clone(s.vars), maps.Clone(s.funcs), maps.Clone(s.aliases)
		s.shared = false
	}
}

func (s *scope) set(name string, value []word) {
	s.own()
	if s.vars == nil {
		s.vars = map[string][]word{}
	}
	s.vars[name] = value
}

func (s *scope) forget(name string) { s.set(name, []word{unknownWord}) }

// merge takes over what a branch that may or may not run did: what it changed is unknown.
func (s *scope) merge(branch *scope) (changed bool) {
	for name, now := range branch.vars {
		if before, ok := s.vars[name]; !ok || !sameWords(before, now) {
			s.forget(name)
			changed = true
		}
	}
	for name, body := range branch.funcs {
		if s.funcs[name] == nil {
			s.define(name, body)
		} else if s.funcs[name] != body {
			s.define(name, nil) // either: calling it is asked
		}
	}
	for name, text := range branch.aliases {
		if s.aliases[name] != text {
			s.alias(name, text)
		}
	}
	if branch.dir != s.dir {
		s.dir = ""
		changed = true
	}
	return changed
}

func (s *scope) define(name string, body *syntax.Stmt) {
	s.own()
	if s.funcs == nil {
		s.funcs = map[string]*syntax.Stmt{}
	}
	s.funcs[name] = body
}

func (s *scope) alias(name, text string) {
	s.own()
	if s.aliases == nil {
		s.aliases = map[string]string{}
	}
	s.aliases[name] = text
}

func sameWords(a, b []word) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].text != b[i].text || a[i].flags != b[i].flags {
			return false
		}
	}
	return true
}

// origin says where data came from.
type origin uint8

const (
	fromNetwork origin = 1 << iota
	fromSecret
	fromFile
	fromVariable // a variable whose name says it holds a secret
	shellSetup   // lines by which a known tool sets up the shell
)

// value is what flows through a pipe or a substitution.
type value struct {
	text  string
	state state
	plain bool // unknown, but a name or a number: no path, no flag
	from  origin
	at    int // where the text begins in the command's, and one more; 0: nowhere as it is
}

type state uint8

const (
	nothing state = iota // no input: a terminal
	hidden               // some text, unknown
	visible              // the text is known
)

func known(text string) value       { return value{text: text, state: visible} }
func unknownFrom(from origin) value { return value{state: hidden, from: from} }
func (v value) with(o origin) value { v.from |= o; return v }
func (v value) has(o origin) bool   { return v.from&o != 0 }
func (v value) then(next value) value { // output of one command after another
	switch {
	case v.state == nothing:
		return next
	case next.state == nothing:
		return v
	case v.state == visible && next.state == visible:
		if len(v.text)+len(next.text) > maxText {
			panic(stop{"too long once run"})
		}
		return value{text: v.text + next.text, state: visible, from: v.from | next.from}
	}
	return value{state: hidden, from: v.from | next.from}
}
