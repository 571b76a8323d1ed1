package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// list walks statements one after another and gives what they print.
func (r *run) list(s *scope, stmts []*syntax.Stmt, in value) value {
	var out value
	for _, st := range stmts {
		out = out.then(r.stmt(s, st, in))
	}
	return out
}

func (r *run) stmt(s *scope, st *syntax.Stmt, in value) value {
	r.spend(1)
	if len(st.Redirs) == 0 {
		if st.Background || st.Coprocess {
			s = s.child()
		}
		return r.cmd(s, st.Cmd, in)
	}
	var targets []target
	for _, rd := range st.Redirs {
		var t target
		if in, t = r.redirect(s, rd, in); t.name.text != "" || t.name.wild() {
			targets = append(targets, t)
		}
	}
	out := r.cmd(s, st.Cmd, in)
	if st.Cmd == nil && len(targets) == 0 { // $(< file)
		out = in
	}
	for _, t := range targets {
		out = r.write(s, t, out)
	}
	return out
}

func (r *run) cmd(s *scope, cmd syntax.Command, in value) value {
	r.spend(1)
	switch c := cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		return r.callExpr(s, c, in)
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			out := r.stmt(s.child(), c.X, in)
			if out.state == nothing {
				out.state = hidden
			}
			right := s.child()
			if out.has(fromNetwork) {
				right.pipe = s.place.of(c)
			}
			return r.stmt(right, c.Y, out)
		}
		return r.chain(s, c, in)
	case *syntax.Subshell:
		return r.list(s.child(), c.Stmts, in)
	case *syntax.Block:
		return r.list(s, c.Stmts, in)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return r.stmt(s, c.Stmt, in)
		}
	case *syntax.CoprocClause:
		return r.stmt(s.child(), c.Stmt, in)
	case *syntax.FuncDecl:
		r.function(s, c)
	case *syntax.DeclClause:
		r.declare(s, c)
	default:
		return r.compound(s, cmd, in)
	}
	return value{}
}

func (r *run) compound(s *scope, cmd syntax.Command, in value) value {
	switch c := cmd.(type) {
	case *syntax.IfClause:
		return r.ifClause(s, c, in)
	case *syntax.WhileClause:
		r.list(s, c.Cond, in)
		return r.repeat(s, func(b *scope) value {
			r.list(b, c.Cond, in)
			return r.list(b, c.Do, in)
		})
	case *syntax.ForClause:
		return r.forClause(s, c, in)
	case *syntax.CaseClause:
		return r.caseClause(s, c, in)
	case *syntax.TestClause:
		r.test(s, c.X)
	case *syntax.ArithmCmd:
		r.arithm(s, c.X)
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			r.arithm(s, x)
		}
	default:
		r.ask("analysis.syntax", s.place.of(cmd), "The shell text uses something that cannot be followed.")
	}
	return value{}
}

// chain walks a && b || c. What runs first runs for certain; the rest may not.
func (r *run) chain(s *scope, c *syntax.BinaryCmd, in value) value {
	r.spend(1)
	out := value{}
	if left, ok := c.X.Cmd.(*syntax.BinaryCmd); ok && left.Op != syntax.Pipe && left.Op != syntax.PipeAll && len(c.X.Redirs) == 0 {
		links := r.links(c)
		out = r.stmt(s, links[0], in)
		rest := s.child()
		rest.depth--
		for _, st := range links[1:] {
			out = out.then(r.stmt(rest, st, in))
		}
		r.settle(s, rest)
		return out
	}
	out = r.stmt(s, c.X, in)
	rest := s.child()
	rest.depth--
	out = out.then(r.stmt(rest, c.Y, in))
	r.settle(s, rest)
	return out
}

// links are the statements of a chain in order.
func (r *run) links(c *syntax.BinaryCmd) []*syntax.Stmt {
	var back []*syntax.Stmt
	for {
		r.spend(1)
		back = append(back, c.Y)
		left, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok || left.Op == syntax.Pipe || left.Op == syntax.PipeAll || len(c.X.Redirs) > 0 {
			back = append(back, c.X)
			break
		}
		c = left
	}
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	return back
}

// settle merges the later part of a chain. A folder that exists was surely entered.
func (r *run) settle(s, rest *scope) {
	dir := rest.dir
	s.merge(rest)
	if s.dir == "" && dir != "" && r.isDir(s, dir) {
		s.dir = dir
	}
}

func (r *run) ifClause(s *scope, c *syntax.IfClause, in value) value {
	r.list(s, c.Cond, in)
	yes := s.child()
	out := r.list(yes, c.Then, in)
	if c.Else == nil {
		s.merge(yes)
		return hide(out)
	}
	no := s.child()
	if len(c.Else.Cond) > 0 {
		out = out.then(r.ifClause(no, c.Else, in))
	} else {
		out = out.then(r.list(no, c.Else.Then, in))
	}
	s.merge(yes)
	s.merge(no)
	return hide(out)
}

// hide forgets what a branch printed, since it may not have run; what it may print still counts.
func hide(v value) value {
	if v.state == visible {
		v.state = hidden
	}
	return v
}

// repeat walks the body of a loop, again if the first time changed what it starts from.
func (r *run) repeat(s *scope, body func(*scope) value) value {
	r.spend(20 + 4*len(s.vars))
	b := s.child()
	out := body(b)
	if s.merge(b) {
		again := s.child()
		out = out.then(body(again))
		s.merge(again)
	}
	return hide(out)
}

const maxUnrolled = 12

func (r *run) forClause(s *scope, c *syntax.ForClause, in value) value {
	if loop, ok := c.Loop.(*syntax.CStyleLoop); ok {
		r.arithm(s, loop.Init)
		r.arithm(s, loop.Cond)
		r.arithm(s, loop.Post)
		return r.repeat(s, func(b *scope) value { return r.list(b, c.Do, in) })
	}
	loop, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		r.ask("analysis.syntax", s.place.of(c), "The shell text uses a loop that cannot be followed.")
		return value{}
	}
	var items []word
	for _, w := range loop.Items {
		items = r.fields(s, w, items)
	}
	if !loop.InPos.IsValid() {
		items = append(items, unknownWord) // for x: the positional parameters
	}
	if len(items) > maxUnrolled || c.Select {
		items = summary(items)
	}
	var out value
	for _, item := range items {
		out = out.then(r.repeat(s, func(b *scope) value {
			b.set(loop.Name.Value, []word{item})
			return r.list(b, c.Do, in)
		}))
	}
	return out
}

// summary stands for many items: plain names stay plain, anything else is unknown.
func summary(items []word) []word {
	for _, w := range items {
		if !w.known() || w.glob() || strings.ContainsAny(w.text, "/-.~ ") {
			return []word{unknownWord}
		}
	}
	return []word{{text: plainMark, flags: isPlain}}
}

func (r *run) caseClause(s *scope, c *syntax.CaseClause, in value) value {
	r.one(s, c.Word)
	var out value
	var branches []*scope
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			r.one(s, p)
		}
		b := s.child()
		out = out.then(r.list(b, item.Stmts, in))
		branches = append(branches, b)
	}
	for _, b := range branches {
		s.merge(b)
	}
	return hide(out)
}

func (r *run) test(s *scope, x syntax.TestExpr) {
	r.spend(1)
	switch x := x.(type) {
	case *syntax.Word:
		r.one(s, x)
	case *syntax.BinaryTest:
		r.test(s, x.X)
		r.test(s, x.Y)
	case *syntax.UnaryTest:
		r.test(s, x.X)
	case *syntax.ParenTest:
		r.test(s, x.X)
	}
}

func (r *run) function(s *scope, c *syntax.FuncDecl) {
	names := c.Names
	if c.Name != nil {
		names = append(names, c.Name)
	}
	for _, n := range names {
		s.define(n.Value, c.Body)
		r.note(s, s.place.of(c), "defines the function "+n.Value)
	}
}

// declare handles export, local, declare, readonly, typeset.
func (r *run) declare(s *scope, c *syntax.DeclClause) {
	for _, a := range c.Args {
		if a.Name == nil {
			if a.Value != nil {
				for _, w := range r.fields(s, a.Value, nil) {
					if name, val, ok := strings.Cut(w.text, "="); ok && syntax.ValidName(name) {
						s.set(name, []word{{text: val, flags: w.flags, from: w.from}})
					}
				}
			}
			continue
		}
		if !a.Naked {
			r.assign(s, a)
		}
	}
}

func (r *run) assign(s *scope, a *syntax.Assign) {
	name := a.Name.Value
	if a.Index != nil {
		r.arithm(s, a.Index)
		r.one(s, a.Value)
		s.forget(name)
		return
	}
	if a.Array != nil {
		var values []word
		for _, e := range a.Array.Elems {
			r.arithm(s, e.Index)
			if e.Value != nil {
				values = r.fields(s, e.Value, values)
			}
		}
		if a.Append {
			values = append(append([]word{}, s.vars[name]...), values...)
		}
		s.set(name, values)
		return
	}
	v := r.one(s, a.Value)
	if a.Append {
		before, set := r.lookup(s, name)
		if !set || len(before) != 1 {
			s.forget(name)
			return
		}
		v = word{text: before[0].text + v.text, flags: before[0].flags | v.flags, from: before[0].from | v.from}
	}
	v.flags &^= isExact
	s.set(name, []word{v})
}

// callExpr expands the words of a simple command and calls it.
func (r *run) callExpr(s *scope, c *syntax.CallExpr, in value) value {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			r.assign(s, a)
		}
		return value{}
	}
	env := s
	if len(c.Assigns) > 0 {
		env = s.child() // seen by the program only
		env.depth--
		for _, a := range c.Assigns {
			r.assign(env, a)
		}
	}
	words := r.words(len(c.Args) + 2)
	for _, w := range c.Args {
		words = r.fields(s, w, words)
	}
	if len(words) == 0 {
		return value{}
	}
	if len(c.Assigns) > 0 && words[0].text != "read" {
		r.prefixes(env, c)
	}
	return r.call(r.newCall(call{s: s, env: env, words: words, in: in, span: s.place.across(words, s.place.of(c))}))
}

// prefixes asks about variables that change which code a program runs.
func (r *run) prefixes(s *scope, c *syntax.CallExpr) {
	for _, a := range c.Assigns {
		switch a.Name.Value {
		case "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "PROMPT_COMMAND", "PERL5OPT", "RUBYOPT", "IFS",
			"GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_PAGER", "GIT_EDITOR", "PAGER", "EDITOR", "VISUAL", "GIT_SEQUENCE_EDITOR":
			r.hooked(s, a)
		}
	}
}

// hooked judges the command that a variable such as PAGER names.
func (r *run) hooked(s *scope, a *syntax.Assign) {
	at := s.place.of(a)
	v := s.vars[a.Name.Value]
	if len(v) != 1 || !v[0].known() || strings.HasPrefix(a.Name.Value, "LD_") || strings.HasPrefix(a.Name.Value, "DYLD_") || a.Name.Value == "IFS" || strings.HasSuffix(a.Name.Value, "OPT") {
		r.ask("analysis.environment", at, "Sets "+a.Name.Value+", which changes what programs do in a way that cannot be followed.")
		return
	}
	if a.Name.Value == "BASH_ENV" {
		r.script(&call{s: s, env: s, words: []word{literal("source"), v[0]}, span: at}, v[0], "sh", nil)
		return
	}
	if strings.TrimSpace(v[0].text) != "" {
		r.inner(s, v[0].text, within(at), value{})
	}
}
