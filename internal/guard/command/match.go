package command

import (
	"cmp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// answer of a rule: a word whose value is unknown may make it match.
type answer uint8

const (
	no answer = iota
	maybe
	yes
)

// matching is one call while rules look at it; what several rules need is worked out once.
type matching struct {
	r    *run
	c    *call
	name string
	tool *tool
	args arguments

	resolved []resolved // of args.operands, when asked for
	hit      []resolved // places that made the rule match
	targets  []resolved
	looked   bool // targets were worked out
	sql      *sqlFound
	rest     []word // operands after the subcommand, for the rule being matched
	used     int    // words of the subcommand
}

// match judges a call by the rules of its program. The rules are in order, the strictest first.
func (r *run) match(c *call, name string) {
	known := c.known
	if known == nil || c.name != name {
		known = r.a.find(name)
	}
	list, t := known.rules, known.tool
	if t == nil {
		if list == nil {
			r.unknown(c)
			return
		}
		t = plainTool
	}
	m := matching{r: r, c: c, name: name, tool: t, args: r.split(t, c.words)}
	var possible *rule
	var rules []*rule
	if list != nil {
		rules = list.of(m.args.operands)
	}
	for _, ru := range rules {
		r.spend(1)
		switch m.try(ru) {
		case yes:
			r.hitBy(&m, ru)
			if possible != nil && ru.verdict < Ask {
				r.maybeBy(&m, possible)
			}
			return
		case maybe:
			if possible == nil && ru.verdict >= Ask {
				possible = ru
			}
		}
	}
	if possible != nil {
		r.record(c, Ask, possible.id)
		r.maybeBy(&m, possible)
		return
	}
	if m.sql != nil && m.sql.unknown {
		r.record(c, Ask, "analysis.unknown-sql")
		r.ask("analysis.unknown-sql", c.span, "Sends "+name+" statements that cannot be known before.")
		return
	}
	r.byTool(&m)
}

func (r *run) hitBy(m *matching, ru *rule) {
	c := m.c
	r.record(c, ru.verdict, ru.id)
	r.note(c.s, c.span, ru.matches)
	if ru.verdict < r.best.verdict || ru.verdict == r.best.verdict && ru.severity <= r.best.severity {
		return
	}
	r.kept = *m // the words for it are put together when it is known to be the strictest
	r.found(finding{verdict: ru.verdict, severity: ru.severity, rule: ru.id, family: ru.family, span: c.span, by: ru, of: &r.kept})
}

func (r *run) maybeBy(m *matching, ru *rule) {
	r.note(m.c.s, m.c.span, ru.id+" may match: a word is unknown")
	m.hit = nil
	r.found(finding{
		verdict: Ask, severity: Medium, rule: ru.id, family: ru.family, span: m.c.span,
		effect: "Holds a part that cannot be known before; it may be that this " + lowerFirst(m.fill(ru.effect, false)),
	})
}

// byTool is the answer when no rule matches: what the tool says of the subcommand.
func (r *run) byTool(m *matching) {
	t, ops := m.tool, m.args.operands
	verdict := t.otherwise
	switch {
	case len(t.allow) == 0 || len(ops) == 0:
		if len(ops) == 0 {
			verdict = Allow
		}
	default:
		if t.allowed.has(ops) {
			verdict = Allow
		}
	}
	if len(t.warn) > 0 && t.warned.has(ops) {
		verdict = Warn
	}
	switch verdict {
	case Ask:
		r.record(m.c, Ask, "program.unknown-subcommand")
		r.ask("program.unknown-subcommand", m.c.span, "No pack says what "+m.name+" "+shown(ops, 3)+" does.")
	case Warn:
		r.record(m.c, Warn, "program.noted")
		r.found(finding{verdict: Warn, severity: Low, rule: "program.noted", family: "analysis", span: m.c.span, effect: "Runs " + m.name + " " + shown(ops, 3) + "."})
	default:
		r.record(m.c, Allow, "")
	}
}

func (m *matching) try(ru *rule) answer {
	sure := yes
	m.rest, m.used = m.args.operands, 0
	if len(ru.subs) > 0 {
		a := m.sub(ru.subs)
		if a == no {
			return no
		}
		sure = min(sure, a)
	}
	if len(m.rest) < ru.least && !m.args.may || ru.most >= 0 && len(m.rest) > ru.most {
		return no
	}
	for _, f := range ru.notFlags {
		if m.tool.hasFlag(m.args.flags, f) {
			return no
		}
	}
	for _, group := range ru.flags {
		a := m.flag(group)
		if a == no {
			return no
		}
		sure = min(sure, a)
	}
	if ru.dashes && m.args.dashed == 0 {
		return no
	}
	if ru.stdin != 0 && !m.c.in.has(ru.stdin) && (ru.stdin != fromSecret || !m.c.in.has(fromVariable)) {
		return no
	}
	return min(sure, m.operands(ru))
}

func (m *matching) sub(subs [][]segment) answer {
	best := no
	for _, sub := range subs {
		a, n := startsWith(m.args.operands, sub)
		if a > best {
			best, m.rest, m.used = a, m.args.operands[n:], n
		}
	}
	return best
}

// startsWith compares operands with the words of a subcommand.
func startsWith(ops []word, sub []segment) (answer, int) {
	if len(ops) < len(sub) {
		for _, w := range ops {
			if w.wild() {
				return maybe, len(ops)
			}
		}
		return no, 0
	}
	sure := yes
	for i := range sub {
		if ops[i].wild() {
			sure = maybe
		} else if !sub[i].fits(ops[i].text) {
			return no, 0
		}
	}
	return sure, len(sub)
}

func (m *matching) flag(group []string) answer {
	for _, f := range group {
		if m.tool.hasFlag(m.args.flags, f) {
			return yes
		}
	}
	if m.args.may {
		return maybe
	}
	return no
}

// operands checks the conditions on what a command works on.
func (m *matching) operands(ru *rule) answer {
	sure := yes
	if len(ru.notArgs) > 0 && anyLike(m.rest, ru.notArgs) == yes {
		return no
	}
	if len(ru.args) > 0 {
		sure = min(sure, anyLike(m.rest, ru.args))
	}
	if len(ru.values) > 0 {
		sure = min(sure, m.flagValue(ru.values))
	}
	if sure == no {
		return no
	}
	if len(ru.paths) > 0 && !m.places(m.operandPaths(), ru.paths) {
		return no
	}
	if len(ru.writes) > 0 && !m.places(m.writeTargets(), ru.writes) {
		return no
	}
	if len(ru.mentions) > 0 && !m.mentioned(ru.mentions) {
		return no
	}
	if len(ru.sql) > 0 && !m.statements().any(ru.sql) {
		return no
	}
	return sure
}

func (m *matching) flagValue(globs []string) answer {
	if a := anyLike(m.args.values, globs); a != no {
		return a
	}
	for _, f := range m.args.flags {
		if _, v, ok := strings.Cut(f.text, "="); ok {
			for _, g := range globs {
				if like(strings.ToLower(v), g) {
					return yes
				}
			}
		}
	}
	return no
}

func anyLike(words []word, globs []string) answer {
	best := no
	for _, w := range words {
		if w.wild() {
			best = max(best, maybe)
			continue
		}
		text := strings.ToLower(w.text)
		for _, g := range globs {
			if like(text, g) {
				return yes
			}
		}
	}
	return best
}

// like is a glob where * stands for any text, slashes too.
func like(text, glob string) bool {
	head, rest, star := strings.Cut(glob, "*")
	if !star {
		return text == glob
	}
	if !strings.HasPrefix(text, head) {
		return false
	}
	text = text[len(head):]
	for {
		part, after, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(text, part)
		}
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text, rest = text[i+len(part):], after
	}
}

func (m *matching) operandPaths() []resolved {
	if m.resolved == nil {
		m.resolved = m.r.room(len(m.args.operands))
		for _, w := range m.args.operands {
			m.resolved = append(m.resolved, m.r.resolve(m.c.s, w))
		}
	}
	return m.resolved[max(m.used, m.lead()):]
}

// lead is how many operands say how and not on what: the mode of chmod, the owner of chown.
func (m *matching) lead() int {
	ops := m.args.operands
	if m.tool.leads == "" || len(ops) == 0 || m.tool.hasFlag(m.args.flags, "--reference") {
		return 0
	}
	first := ops[0].text
	if m.tool.leads == "owner" && strings.ContainsAny(first, "/~") || m.tool.leads == "mode" && strings.Trim(first, "ugoa+-=rwxXst01234567,") != "" {
		return 0
	}
	return 1
}

// places reports whether one of the paths is in one of the classes; "existing" must hold besides.
func (m *matching) places(paths []resolved, classes []class) bool {
	existing, others := false, 0
	for _, c := range classes {
		if c == classKeep {
			existing = true
		} else {
			others++
		}
	}
	m.hit = nil
	for i := range paths {
		p := &paths[i]
		in := others == 0
		for _, c := range classes {
			if c != classKeep && p.is(c) {
				in = true
			}
		}
		if in && (!existing || m.r.holds(m.c.s, p.abs)) {
			if m.hit == nil {
				m.hit = m.r.room(len(paths) - i)
			}
			m.hit = append(m.hit, *p)
		}
	}
	return len(m.hit) > 0
}

// mentioned looks at every word, also behind @, = and :, for a place.
func (m *matching) mentioned(classes []class) bool {
	for i := range m.c.words[1:] {
		w := &m.c.words[1+i]
		if w.from&fromSecret != 0 && classes[0] == classSecret {
			m.hit = []resolved{{word: *w}}
			return true
		}
		if m.names(*w, classes) {
			return true
		}
		for _, sep := range [...]byte{'@', '=', '<'} {
			if i := strings.LastIndexByte(w.text, sep); i >= 0 && i+1 < len(w.text) {
				part := *w
				part.text = w.text[i+1:]
				if m.names(part, classes) {
					return true
				}
			}
		}
	}
	return false
}

// names reports whether a word is a path of one of the classes.
func (m *matching) names(w word, classes []class) bool {
	p := m.r.resolve(m.c.s, w)
	for _, c := range classes {
		if p.is(c) {
			m.hit = []resolved{p}
			return true
		}
	}
	return false
}

const maxNamed = 8 // words named in a suggestion

// fill puts what was found into a text for people, or quoted into a command.
func (m *matching) fill(text string, quoted bool) string {
	i := strings.IndexByte(text, '{')
	if i < 0 {
		return text
	}
	b := m.r.text8[:0]
	for ; i >= 0; i = strings.IndexByte(text, '{') {
		j := strings.IndexByte(text[i:], '}')
		if j < 0 {
			break
		}
		b = append(b, text[:i]...)
		b = m.part(b, text[i+1:i+j], quoted)
		text = text[i+j+1:]
	}
	m.r.text8 = append(b, text...)
	return string(m.r.text8)
}

// part adds the text for one name in braces.
func (m *matching) part(b []byte, name string, quoted bool) []byte {
	switch name {
	case "args":
		return named(b, m.rest, quoted)
	case "targets":
		return named(b, m.rest[min(max(0, m.lead()-m.used), len(m.rest)):], quoted)
	case "first":
		return named(b, m.rest[:min(1, len(m.rest))], quoted)
	case "last":
		return named(b, m.rest[max(0, len(m.rest)-1):], quoted)
	case "paths":
		for i := range m.hit[:min(len(m.hit), maxNamed)] {
			if i > 0 {
				b = append(b, ' ')
			}
			if !quoted && i == maxShown {
				return append(b, "…"...)
			}
			b = append(b, spelled(&m.hit[i].word, quoted)...)
		}
		return b
	case "count":
		return append(b, cmp.Or(m.r.count(m.c.s, m.hit), "what is")...)
	case "dir":
		return append(b, cmp.Or(m.c.s.dir, "the current folder")...)
	case "program":
		return append(b, m.name...)
	}
	return append(append(append(b, '{'), name...), '}')
}

const maxShown = 4 // words shown of a command

// named adds words for people, or quoted for a shell.
func named(b []byte, words []word, quoted bool) []byte {
	for i := range words[:min(len(words), maxNamed)] {
		if i > 0 {
			b = append(b, ' ')
		}
		if !quoted && i == maxShown {
			return append(b, "…"...)
		}
		b = append(b, spelled(&words[i], quoted)...)
	}
	return b
}

func spelled(w *word, quoted bool) string {
	if quoted {
		return quote(*w)
	}
	switch w.text {
	case ".", "./":
		return "this folder"
	case "..", "../":
		return "the folder above"
	}
	return clip(w.shown())
}

func shown(words []word, most int) string {
	var b []byte
	for i := range words {
		if i > 0 {
			b = append(b, ' ')
		}
		if i == most {
			b = append(b, "…"...)
			break
		}
		b = append(b, clip(words[i].shown())...)
	}
	return string(b)
}

func clip(text string) string {
	if len(text) <= 80 {
		return text
	}
	return strings.ToValidUTF8(text[:77], "") + "…"
}

// quote writes a word so that a shell reads it back; globs stay.
func quote(w word) string {
	text := w.shown()
	if isBare(text) {
		return text
	}
	if w.glob() && !strings.ContainsAny(text, " '\"$`\\;&|<>()\n") {
		return text
	}
	q, err := syntax.Quote(text, syntax.LangBash)
	if err != nil {
		return "…"
	}
	return q
}

// isBare reports whether a shell reads the text as it stands.
func isBare(text string) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '/' || c == '.' || c == '-' || c == '_' || c == ':' || c == '@' || c == ',' || c == '+') {
			return false
		}
	}
	return text != ""
}

func lowerFirst(text string) string {
	if text == "" {
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}
