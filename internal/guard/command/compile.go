package command

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// ruleset is the packs, ready to match.
type ruleset struct {
	tools     map[string]*tool
	rules     map[string]*ruleList
	dangerous map[string]bool // programs with a rule: a local program of that name is judged as it
}

// tool is a Tool, ready to use.
type tool struct {
	values       map[string]bool
	letters      [128]bool // of values: flags of one letter
	long         bool
	numbers      bool
	firstOperand bool
	allow        [][]segment
	warn         [][]segment
	allowed      subIndex // of allow
	warned       subIndex // of warn
	otherwise    Verdict
	leads        string // see Tool.Leads
}

var plainTool = &tool{otherwise: Ask}

// rule is a Rule, ready to use.
type rule struct {
	id       string // pack.rule
	matches  string // what is noted when it does
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
	rs := &ruleset{tools: map[string]*tool{}, rules: map[string]*ruleList{}, dangerous: map[string]bool{}}
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
	for _, l := range rs.rules {
		slices.SortStableFunc(l.all, strictest)
		l.index()
	}
	for _, t := range rs.tools {
		t.allowed, t.warned = indexSubs(t.allow), indexSubs(t.warn)
		for v := range t.values {
			if len(v) == 2 && v[0] == '-' && v[1] < 128 {
				t.letters[v[1]] = true
			}
		}
	}
	return rs, errors.Join(wrong...)
}

// ruleList is the rules of a program, the strictest first, and which of them a first operand can match.
type ruleList struct {
	all    []*rule
	byWord map[string][]*rule // those that name the word, and those that name none
	others []*rule            // those that name none
}

// index sorts the rules by the first word of their subcommands.
func (l *ruleList) index() {
	l.byWord = map[string][]*rule{}
	open := make([]bool, len(l.all))
	for i, ru := range l.all {
		words, closed := firstWords(ru.subs)
		if open[i] = !closed; open[i] {
			l.others = append(l.others, ru)
		}
		for _, w := range words {
			l.byWord[w] = nil
		}
	}
	for w := range l.byWord {
		for i, ru := range l.all {
			words, _ := firstWords(ru.subs)
			if open[i] || slices.Contains(words, w) {
				l.byWord[w] = append(l.byWord[w], ru)
			}
		}
	}
}

// of gives the rules that can match operands; with an unknown word all can.
func (l *ruleList) of(ops []word) []*rule {
	for i := range ops {
		if ops[i].wild() {
			return l.all
		}
	}
	if len(ops) > 0 {
		if rules, ok := l.byWord[ops[0].text]; ok {
			return rules
		}
	}
	return l.others
}

// firstWords are the words that subcommands can begin with; false: any word.
func firstWords(subs [][]segment) (words []string, closed bool) {
	if len(subs) == 0 {
		return nil, false
	}
	for _, sub := range subs {
		if len(sub) == 0 || sub[0].any || len(sub[0].globs) > 0 {
			return nil, false
		}
		if sub[0].text != "" {
			words = append(words, sub[0].text)
		}
		for w := range sub[0].set {
			words = append(words, w)
		}
	}
	return words, true
}

// subIndex is subcommands by their first word.
type subIndex struct {
	byWord map[string][][]segment
	others [][]segment // that begin with any word
}

func indexSubs(subs [][]segment) subIndex {
	x := subIndex{byWord: map[string][][]segment{}}
	for _, sub := range subs {
		words, closed := firstWords([][]segment{sub})
		if !closed {
			x.others = append(x.others, sub)
		}
		for _, w := range words {
			x.byWord[w] = append(x.byWord[w], sub)
		}
	}
	return x
}

// has reports whether the operands begin with one of the subcommands.
func (x *subIndex) has(ops []word) bool {
	if len(ops) == 0 {
		return false
	}
	begins := func(sub []segment) bool { a, _ := startsWith(ops, sub); return a == yes }
	return slices.ContainsFunc(x.byWord[ops[0].text], begins) || slices.ContainsFunc(x.others, begins)
}

// begins reports whether one of the subcommands begins with a word.
func (x *subIndex) begins(word string) bool {
	if _, named := x.byWord[word]; named {
		return true
	}
	return slices.ContainsFunc(x.others, func(sub []segment) bool { return sub[0].fits(word) })
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
		built.leads = cmp.Or(t.Leads, built.leads)
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
	if s.text != "" {
		return s.text == text
	}
	if s.any || s.set[text] {
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
	if t.allowed.begins(sub) {
		return true
	}
	list := rs.rules[program]
	if list == nil {
		return false
	}
	if _, named := list.byWord[sub]; named {
		return true
	}
	for _, ru := range list.others {
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
	r.matches = r.id + " matches"
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
		if rs.rules[name] == nil {
			rs.rules[name] = &ruleList{}
		}
		rs.rules[name].all = append(rs.rules[name].all, r)
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
