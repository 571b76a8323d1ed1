package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func setAlias(r *run, c *call) (value, bool) {
	for _, w := range c.words[1:] {
		name, text, ok := strings.Cut(w.text, "=")
		if !ok {
			continue
		}
		if w.wild() {
			text = wildMark
		}
		c.s.alias(name, text)
		r.note(c.s, c.span, "the alias "+name+" is defined")
	}
	r.record(c, Allow, "")
	return value{}, true
}

func unsetAlias(_ *run, c *call) (value, bool) {
	c.s.own()
	for _, w := range c.words[1:] {
		delete(c.s.aliases, w.text)
	}
	return value{}, true
}

func changeDir(r *run, c *call) (value, bool) {
	r.record(c, Allow, "")
	ops := c.words[1:]
	for len(ops) > 0 && len(ops[0].text) > 1 && ops[0].text[0] == '-' {
		ops = ops[1:]
	}
	if len(ops) == 0 {
		c.s.dir = r.a.home
		return value{}, true
	}
	if ops[0].text == "-" {
		c.s.dir = ""
		return value{}, true
	}
	p := r.resolve(c.s, ops[0])
	if p.abs != "" && !ops[0].glob() && r.isDir(c.s, p.abs) {
		c.s.dir = p.abs
	} else {
		c.s.dir = ""
	}
	return value{}, true
}

// setArgs follows set -- a b; other uses of set only change options.
func setArgs(r *run, c *call) (value, bool) {
	for i, w := range c.words[1:] {
		if w.text == "--" {
			c.s.args = append([]word{}, c.words[i+2:]...)
			break
		}
	}
	if len(c.words) == 1 {
		return unknownFrom(fromSecret), true
	}
	r.record(c, Allow, "")
	return value{}, true
}

func forgetArgs(_ *run, c *call) (value, bool) {
	if len(c.words) == 1 && len(c.s.args) > 0 {
		c.s.args = c.s.args[1:]
	} else {
		c.s.args = nil
	}
	return value{}, true
}

func unsetVars(_ *run, c *call) (value, bool) {
	for _, w := range c.words[1:] {
		if c.s.funcs[w.text] != nil {
			c.s.own()
			delete(c.s.funcs, w.text)
		}
		if syntax.ValidName(w.text) {
			c.s.set(w.text, []word{{}})
		}
	}
	return value{}, true
}

// readVars forgets what read and mapfile set, unless the input is known and of one line.
func readVars(r *run, c *call) (value, bool) {
	r.record(c, Allow, "")
	var names []string
	for _, w := range c.words[1:] {
		if syntax.ValidName(w.text) {
			names = append(names, w.text)
		}
	}
	if len(names) == 0 {
		names = []string{"REPLY", "MAPFILE"}
	}
	for _, n := range names {
		c.s.set(n, []word{{text: wildMark, flags: isWild, from: c.in.from}})
	}
	line := strings.TrimRight(c.in.text, "\n")
	if c.name == "read" && c.in.state == visible && len(names) == 1 && !strings.Contains(line, "\n") {
		c.s.set(names[0], []word{{text: line, flags: flagsOf(line), from: c.in.from}})
	}
	return value{}, true
}

// exportVars is for declarations that reach us as plain calls, as in `builtin export x=y`.
func exportVars(r *run, c *call) (value, bool) {
	for _, w := range c.words[1:] {
		if name, val, ok := strings.Cut(w.text, "="); ok && syntax.ValidName(name) {
			c.s.set(name, []word{{text: val, flags: w.flags &^ isExact, from: w.from}})
		}
	}
	r.record(c, Allow, "")
	if len(c.words) == 1 {
		return unknownFrom(fromSecret), true
	}
	return value{}, true
}

// printfVar follows printf -v name.
func printfVar(r *run, c *call) (value, bool) {
	if len(c.words) < 4 || c.words[1].text != "-v" {
		return value{}, false
	}
	v := printf(c.words[3:])
	c.s.set(c.words[2].text, []word{substituted(v)})
	r.record(c, Allow, "")
	return value{}, true
}

func trapText(r *run, c *call) (value, bool) {
	r.record(c, Allow, "")
	i := 1
	for i < len(c.words) && strings.HasPrefix(c.words[i].text, "-") {
		i++
	}
	if len(c.words)-i >= 2 && c.words[i].text != "" {
		r.note(c.s, c.span, "trap runs text later")
		next := *c
		next.s = c.s.child()
		r.runText(&next, c.words[i], value{})
	}
	return value{}, true
}
