package command

import (
	"errors"
	"slices"
	"strings"
)

// ruleset is the packs, ready to match.
type ruleset struct {
	tools     map[string]*tool
	rules     map[string][]*rule
	dangerous map[string]bool // programs with a rule: a local program of that name is judged as it
}

// tool is a Tool, ready to use.
type tool struct {
	values       map[string]bool
	long         bool
	numbers      bool
	firstOperand bool
	allow        [][]segment
	warn         [][]segment
	otherwise    Verdict
}

var plainTool = &tool{otherwise: Ask}

// rule is a Rule, ready to use.
type rule struct {
	id       string // pack.rule
	family   string
	severity Severity
	verdict  Verdict
	subs     [][]segment
	flags    [][]string
	notFlags []string
	args     []string
	notArgs  []string
	values   []string
	paths    []class
	writes   []class
	mentions []class
	stdin    origin
	sql      []string
	dashes   bool
	least    int
	most     int // -1: any number

	effect      string
	alternative string
}

// compile joins packs. A later pack adds to what earlier ones say about a tool.
func compile(list []Pack) (*ruleset, error) {
	rs := &ruleset{tools: map[string]*tool{}, rules: map[string][]*rule{}, dangerous: map[string]bool{}}
	var wrong []error
	ids := map[string]bool{}
	for i := range list {
		p := &list[i]
		if wrongs := p.check(); len(wrongs) > 0 {
			wrong = append(wrong, wrongs...)
			continue
		}
		if ids[p.ID] {
			wrong = append(wrong, Problem{p.source, 1, "the pack " + p.ID + " is there twice"})
		}
		ids[p.ID] = true
		for _, name := range p.Programs {
			if rs.tools[name] == nil {
				rs.tools[name] = &tool{otherwise: Allow}
			}
		}
		for _, t := range p.Tools {
			rs.addTool(t)
		}
		for _, r := range p.Rules {
			rs.addRule(p, r)
		}
	}
	for _, rules := range rs.rules {
		slices.SortStableFunc(rules, strictest)
	}
	return rs, errors.Join(wrong...)
}

func (rs *ruleset) addTool(t Tool) {
	otherwise := Allow
	if t.Otherwise == "ask" || t.Otherwise == "" && len(t.Allow) > 0 {
		otherwise = Ask
	}
	for _, name := range t.Names {
		built := rs.tools[name]
		if built == nil || len(built.values)+len(built.allow) == 0 {
			built = &tool{values: map[string]bool{}, otherwise: otherwise}
			rs.tools[name] = built
		}
		if built.values == nil {
			built.values = map[string]bool{}
		}
		for _, v := range t.Values {
			built.values[v] = true
		}
		built.long = built.long || t.Long
		built.numbers = built.numbers || t.Numbers
		built.allow = append(built.allow, subsOf(t.Allow)...)
		built.warn = append(built.warn, subsOf(t.Warn)...)
	}
}

// segment is one word of a subcommand: a text, a choice of texts and globs, or any.
type segment struct {
	text  string
	any   bool
	set   map[string]bool
	globs []string
}

func (s *segment) fits(text string) bool {
	if s.any || s.text == text && s.text != "" || s.set[text] {
		return true
	}
	for _, g := range s.globs {
		if like(text, g) {
			return true
		}
	}
	return false
}

func segmentOf(word string) segment {
	if word == "*" {
		return segment{any: true}
	}
	if !strings.ContainsAny(word, "|*") {
		return segment{text: word}
	}
	s := segment{set: map[string]bool{}}
	for choice := range strings.SplitSeq(word, "|") {
		if strings.Contains(choice, "*") {
			s.globs = append(s.globs, choice)
		} else {
			s.set[choice] = true
		}
	}
	return s
}

func subsOf(list List) (out [][]segment) {
	for _, s := range list {
		var segments []segment
		for word := range strings.FieldsSeq(s) {
			segments = append(segments, segmentOf(word))
		}
		out = append(out, segments)
	}
	return out
}

// knows reports whether a program's first operand is a subcommand that a tool or a rule names.
func (rs *ruleset) knows(program, sub string) bool {
	t := rs.tools[program]
	if t == nil {
		return false
	}
	for _, s := range t.allow {
		if s[0].fits(sub) {
			return true
		}
	}
	for _, ru := range rs.rules[program] {
		for _, s := range ru.subs {
			if s[0].fits(sub) {
				return true
			}
		}
	}
	return false
}

func (rs *ruleset) addRule(p *Pack, src Rule) {
	r := &rule{id: p.ID + "." + src.ID, family: p.Family, effect: src.Effect, alternative: src.Alternative, most: -1}
	_ = r.severity.UnmarshalText([]byte(src.Severity)) // checked before
	r.verdict = r.severity.verdict()
	if src.Verdict != "" {
		_ = r.verdict.UnmarshalText([]byte(src.Verdict))
	}
	m := src.Match
	r.subs = subsOf(m.Sub)
	for _, group := range m.Flags {
		r.flags = append(r.flags, strings.Split(group, "|"))
	}
	for _, group := range m.NotFlags {
		r.notFlags = append(r.notFlags, strings.Split(group, "|")...)
	}
	r.args, r.notArgs, r.values = lower(m.Args), lower(m.NotArgs), lower(m.Values)
	r.paths, r.writes, r.mentions = classesOf(m.Paths), classesOf(m.Writes), classesOf(m.Mentions)
	switch m.Stdin {
	case "secret":
		r.stdin = fromSecret
	case "network":
		r.stdin = fromNetwork
	}
	r.sql, r.least, r.dashes = m.SQL, m.Least, m.Dashes
	if m.Most != nil {
		r.most = *m.Most
	}
	for _, name := range m.Program {
		rs.rules[name] = append(rs.rules[name], r)
		rs.dangerous[name] = true
	}
}

// strictest puts the rule that weighs most first.
func strictest(a, b *rule) int {
	if a.verdict != b.verdict {
		return int(b.verdict) - int(a.verdict)
	}
	return int(b.severity) - int(a.severity)
}

func lower(list List) []string {
	var out []string
	for _, s := range list {
		out = append(out, strings.ToLower(s))
	}
	return out
}

func classesOf(list List) (out []class) {
	for _, name := range list {
		out = append(out, classNames[name])
	}
	return out
}
