package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// isAll reports whether a parameter stands for all words of a list, as "$@" does.
func isAll(p *syntax.ParamExp) bool {
	if p.Param != nil && p.Param.Value == "@" {
		return true
	}
	w, ok := p.Index.(*syntax.Word)
	return ok && w.Lit() == "@"
}

// param gives the values of $x and ${x…}; operators it does not follow give an unknown word.
func (r *run) param(s *scope, p *syntax.ParamExp) []word {
	r.arithm(s, p.Index)
	var alt word
	if p.Exp != nil && p.Exp.Word != nil {
		alt = r.one(s, p.Exp.Word) // what it runs, runs
	}
	if p.Repl != nil {
		r.one(s, p.Repl.Orig)
		r.one(s, p.Repl.With)
	}
	if p.Slice != nil {
		r.arithm(s, p.Slice.Offset)
		r.arithm(s, p.Slice.Length)
	}
	if p.Length {
		return []word{{text: plainMark, flags: isPlain}}
	}
	if p.Param == nil || p.Excl || p.Flags != nil || len(p.Modifiers) > 0 || p.Slice != nil || p.Repl != nil || p.Names != 0 {
		return []word{unknownWord}
	}
	values, set := r.lookup(s, p.Param.Value)
	if p.Index != nil {
		if w, ok := p.Index.(*syntax.Word); !ok || w.Lit() != "@" && w.Lit() != "*" {
			values, set = []word{unknownWord}, true
		}
	} else if len(values) > 1 && p.Param.Value != "@" && p.Param.Value != "*" {
		values = values[:1]
	}
	if p.Exp == nil {
		if !set {
			w := unknownWord
			if secretName(p.Param.Value) {
				w.from = fromVariable
			}
			return []word{w}
		}
		return values
	}
	return r.operator(s, p, values, set, alt)
}

// secretName reports whether a variable is named after what it hides.
func secretName(name string) bool {
	for _, part := range []string{"SECRET", "TOKEN", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIAL"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

func (r *run) operator(s *scope, p *syntax.ParamExp, values []word, set bool, alt word) []word {
	certain := set && len(values) == 1 && values[0].known()
	empty := certain && values[0].text == ""
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if certain && !empty {
			return values
		}
		if empty && (p.Exp.Op == syntax.DefaultUnsetOrNull || p.Exp.Op == syntax.AssignUnsetOrNull) {
			return []word{alt}
		}
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if set {
			return values
		}
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if certain && !empty {
			return []word{alt}
		}
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		if certain && alt.known() && !strings.ContainsAny(alt.text, "*?[") {
			return []word{{text: strings.TrimSuffix(values[0].text, alt.text), flags: values[0].flags}}
		}
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		if certain && alt.known() && !strings.ContainsAny(alt.text, "*?[") {
			return []word{{text: strings.TrimPrefix(values[0].text, alt.text), flags: values[0].flags}}
		}
	}
	return []word{unknownWord}
}

// lookup finds a variable; what the line does not set and nobody told us is unknown.
func (r *run) lookup(s *scope, name string) ([]word, bool) {
	if v, ok := s.vars[name]; ok {
		return v, true
	}
	switch name {
	case "@", "*":
		return s.args, s.args != nil
	case "?", "$", "!", "#", "RANDOM", "SECONDS", "EPOCHSECONDS", "LINENO", "UID", "EUID", "PPID", "USER", "LOGNAME", "HOSTNAME", "SHLVL":
		return []word{{text: plainMark, flags: isPlain}}, true
	}
	if len(name) == 1 && name[0] >= '1' && name[0] <= '9' && s.args != nil {
		if i := int(name[0] - '1'); i < len(s.args) {
			return s.args[i : i+1], true
		}
		return nil, true
	}
	if v, ok := s.env[name]; ok {
		return []word{literal(v)}, true
	}
	switch name {
	case "HOME":
		return []word{literal(r.a.home)}, true
	case "PWD":
		if s.dir != "" {
			return []word{literal(s.dir)}, true
		}
	case "TMPDIR":
		return []word{literal("/tmp")}, true
	}
	return nil, false
}

// arithm walks an arithmetic expression: only the substitutions in it run anything.
func (r *run) arithm(s *scope, x syntax.ArithmExpr) {
	switch x := x.(type) {
	case nil:
	case *syntax.Word:
		if x != nil {
			r.one(s, x)
		}
	case *syntax.BinaryArithm:
		r.spend(1)
		r.arithm(s, x.X)
		r.arithm(s, x.Y)
		r.assigned(s, x)
	case *syntax.UnaryArithm:
		r.arithm(s, x.X)
		r.counted(s, x.X)
	case *syntax.ParenArithm:
		r.arithm(s, x.X)
	case *syntax.FlagsArithm:
		r.arithm(s, x.X)
	}
}

// assigned forgets what ((x = 1)) sets; it can only be a number.
func (r *run) assigned(s *scope, x *syntax.BinaryArithm) {
	switch x.Op {
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn,
		syntax.AndAssgn, syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
		r.counted(s, x.X)
	}
}

func (r *run) counted(s *scope, x syntax.ArithmExpr) {
	if w, ok := x.(*syntax.Word); ok && w != nil && syntax.ValidName(w.Lit()) {
		s.set(w.Lit(), []word{{text: plainMark, flags: isPlain}})
	}
}
