package command

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call is one program about to run.
type call struct {
	s     *scope // of the shell
	env   *scope // with the variables set for this program only
	words []word
	in    value
	span  Span
	name  string // the program without its folder
	known *program
}

// with is the same call of other words: what a wrapper runs.
func (c *call) with(words []word) *call {
	next := *c
	next.words, next.name, next.known = words, "", nil
	next.span = c.s.place.across(words, c.span)
	return &next
}

// handler understands one program beyond rules; false: judge it as any other.
type handler func(r *run, c *call) (value, bool)

func (r *run) call(c *call) value {
	r.spend(2)
	first := c.words[0]
	if !first.known() || first.glob() {
		r.record(c, Ask, "program.unknown")
		r.ask("program.unknown", c.span, "Which program runs cannot be known before.")
		return unknownFrom(first.from | c.in.from)
	}
	if first.text == "" {
		r.ask("program.unknown", c.span, "Runs a program without a name.")
		return value{}
	}
	if text, ok := c.s.aliases[first.text]; ok {
		return r.aliased(c, text)
	}
	if body, ok := c.s.funcs[first.text]; ok {
		return r.invoke(c, body)
	}
	c.name = first.text
	if i := strings.LastIndexByte(c.name, '/'); i >= 0 {
		c.name = c.name[i+1:]
	}
	c.name = strings.TrimSuffix(c.name, ".exe")
	c.known = r.a.find(c.name)
	if c.known.handler != nil && r.trusted(c) {
		if out, done := c.known.handler(r, c); done {
			return out
		}
	}
	return r.program(c)
}

// program judges a call that is no wrapper and no interpreter.
func (r *run) program(c *call) value {
	if c.known == nil {
		c.known = r.a.find(c.name)
	}
	if isHelp(c.words[1:]) && (c.known.tool != nil || !strings.Contains(c.words[0].text, "/")) {
		r.record(c, Allow, "")
		return unknownFrom(0)
	}
	if !r.trusted(c) && r.local(c) {
		return unknownFrom(c.in.from)
	}
	r.match(c, c.name)
	return r.output(c)
}

// trusted reports whether the name of the program says what it is: it has no
// folder, or one where programs are installed.
func (r *run) trusted(c *call) bool {
	name := c.words[0].text
	if strings.IndexByte(name, '/') < 0 {
		return true
	}
	dir := path.Dir(name)
	switch dir {
	case "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin", "/usr/local/go/bin", "/snap/bin", "/run/current-system/sw/bin":
		return true
	}
	switch c.name {
	case "gradlew", "mvnw", "configure", "rm", "dd", "mkfs", "sh", "bash", "zsh", "dash":
		return true
	}
	for _, tail := range []string{"node_modules/.bin", ".venv/bin", "venv/bin", "vendor/bin", ".local/bin", ".cargo/bin", "go/bin", ".bun/bin", ".deno/bin", "env/bin"} {
		if dir == tail || strings.HasSuffix(dir, "/"+tail) {
			return true
		}
	}
	return false
}

// local judges a program of the project, ./scripts/x: its text if it is a
// script. false: nothing is known about the file but its name.
func (r *run) local(c *call) bool {
	p := r.resolve(c.s, c.words[0])
	if isHelp(c.words[1:]) && p.class == classInside && !r.a.rules.dangerous[c.name] {
		r.record(c, Allow, "")
		return true
	}
	if r.script(c, c.words[0], "", c.words[1:]) {
		return true
	}
	if r.a.rules.dangerous[c.name] {
		return false
	}
	if p.class == classRegenerable || p.class == classInside && path.Base(path.Dir(p.abs)) == "bin" {
		r.record(c, Warn, "program.local")
		r.found(finding{verdict: Warn, severity: Low, rule: "program.local", family: "analysis", span: c.span,
			effect: "Runs " + c.words[0].shown() + ", a program built here that was not looked into."})
		return true
	}
	return r.unknown(c)
}

func (r *run) unknown(c *call) bool {
	r.record(c, Ask, "program.unknown")
	r.ask("program.unknown", c.span, "No pack knows the program "+c.words[0].shown()+", so what it does cannot be told.")
	return true
}

// isHelp reports whether the arguments only ask a program about itself.
func isHelp(args []word) bool {
	if len(args) == 0 || len(args) > 3 {
		return false
	}
	switch last := args[len(args)-1]; last.text {
	case "--help", "--version":
	case "-h", "-V", "version", "help", "-version", "-help":
		if len(args) > 1 {
			return false
		}
	default:
		return false
	}
	for _, w := range args[:len(args)-1] {
		if !w.known() || strings.HasPrefix(w.text, "-") || strings.ContainsAny(w.text, "/=") {
			return false
		}
	}
	return true
}

func (r *run) record(c *call, v Verdict, rule string) {
	if len(r.commands) >= 200 {
		return
	}
	n := min(len(c.words), 64)
	used := len(r.argv)
	if used+n > cap(r.argv) {
		r.argv, used = make([]string, 0, max(n, 8)), 0
	}
	r.argv = r.argv[:used+n]
	argv := r.argv[used : used+n : used+n]
	for i := range argv {
		argv[i] = c.words[i].shown()
	}
	r.commands = append(r.commands, Simple{Argv: argv, Span: c.span, Verdict: v, Rule: rule})
}

// aliased runs what an alias stands for, followed by the arguments.
func (r *run) aliased(c *call, text string) value {
	s := c.s.child()
	s.own()
	delete(s.aliases, c.words[0].text) // an alias is not expanded inside itself
	r.note(s, c.span, "the alias "+c.words[0].text+" stands for "+text)
	return r.spliced(s, c, text, c.words[1:])
}

// spliced walks text with words appended to its last command, as aliases and git aliases do.
func (r *run) spliced(s *scope, c *call, text string, rest []word) value {
	var b strings.Builder
	b.WriteString(text)
	for i := range rest {
		name := argName(i)
		s.set(name, rest[i:i+1])
		b.WriteString(` "$` + name + `"`)
	}
	return r.inner(s, b.String(), within(c.span), c.in)
}

func argName(i int) string { return "__arg" + string(rune('a'+i%26)) + strings.Repeat("_", i/26) }

func (r *run) invoke(c *call, body *syntax.Stmt) value {
	if body == nil {
		r.ask("program.unknown", c.span, "The function "+c.words[0].text+" is defined in two ways.")
		return unknownFrom(0)
	}
	if r.active[body] != nil {
		return r.recursed(c, body)
	}
	s := c.s.child()
	s.args = append([]word{}, c.words[1:]...)
	r.note(s, c.span, "calls the function "+c.words[0].text)
	if r.active == nil {
		r.active = map[*syntax.Stmt]map[Span]bool{}
	}
	r.active[body] = map[Span]bool{}
	out := r.stmt(s, body, c.in)
	delete(r.active, body)
	c.s.merge(s)
	if s.dir != "" && c.s.dir == "" {
		c.s.dir = s.dir
	}
	return out
}

// recursed ends a function that calls itself; one that does so from two places fills the machine.
func (r *run) recursed(c *call, body *syntax.Stmt) value {
	r.active[body][c.span] = true
	f := finding{verdict: Ask, severity: Medium, rule: "analysis.recursion", family: "analysis", span: c.span,
		effect: "The function " + c.words[0].text + " calls itself, which cannot be followed."}
	if len(r.active[body]) > 1 {
		f.verdict, f.severity, f.rule = Refuse, Critical, "analysis.fork-bomb"
		f.effect = "The function " + c.words[0].text + " starts itself again and again until the machine stops."
	}
	r.found(f)
	return unknownFrom(0)
}
