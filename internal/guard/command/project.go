package command

import (
	"encoding/json"
	"path"
	"strings"
)

// makeTargets reads the Makefile and walks the recipes of the targets named.
func makeTargets(r *run, c *call) (value, bool) {
	if isHelp(c.words[1:]) || hasWord(c.words, "-n") || hasWord(c.words, "--dry-run") || hasWord(c.words, "--just-print") {
		r.record(c, Allow, "")
		return unknownFrom(0), true
	}
	s := c.s
	if dir, ok := flagValue(c.words, "-C", "--directory"); ok {
		s = c.s.child()
		s.dir = r.resolve(c.s, dir).abs
	}
	var names []string
	vars := map[string]string{}
	for i := 1; i < len(c.words); i++ {
		t := c.words[i].text
		switch {
		case len(t) > 1 && t[0] == '-':
			if takesValue("-C -f -j -l -I -o -W --file --directory --makefile --jobs", t) && i+1 < len(c.words) && (t != "-j" || isNumber(c.words[i+1].text)) {
				i++
			}
		case strings.Contains(t, "="):
			name, val, _ := strings.Cut(t, "=")
			vars[strings.TrimRight(name, ":?+")] = val
		case c.words[i].known():
			names = append(names, t)
		default:
			r.ask("analysis.unknown-text", c.span, "Runs a make target that cannot be known before.")
		}
	}
	text, ok := r.makefile(c, s)
	if !ok {
		return r.unreadable(c, literal("a Makefile")), true
	}
	r.record(c, Allow, "")
	m := parseMakefile(text, vars)
	if len(names) == 0 && m.first != "" {
		names = []string{m.first}
	}
	next := *c
	next.s = s
	r.recipes(&next, m, names)
	return unknownFrom(0), true
}

func (r *run) makefile(c *call, s *scope) (string, bool) {
	names := []word{literal("GNUmakefile"), literal("makefile"), literal("Makefile")}
	if f, ok := flagValue(c.words, "-f", "--file", "--makefile"); ok {
		names = []word{f}
	}
	for _, n := range names {
		if v := r.projectFile(s, n); v.state == visible {
			return v.text, true
		}
	}
	return "", false
}

// projectFile reads a file of the project; a container is taken to hold the project it was started from.
func (r *run) projectFile(s *scope, name word) value {
	if s.remote && s.mirror != "" {
		here := *s
		here.remote, here.dir, here.root = false, s.mirror, s.mirror
		return r.content(&here, name)
	}
	return r.content(s, name)
}

// recipes walks targets and what they depend on, each once.
func (r *run) recipes(c *call, m makefile, names []string) {
	seen := map[string]bool{}
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		r.spend(5)
		t, ok := m.targets[name]
		if !ok {
			continue
		}
		names = append(names, t.needs...)
		for _, line := range t.lines {
			r.note(c.s, c.span, "make "+name+" runs "+clip(line))
			r.inner(c.s, line, within(c.span), value{})
		}
	}
}

type makefile struct {
	first   string
	targets map[string]makeTarget
}

type makeTarget struct {
	needs []string
	lines []string
}

// parseMakefile reads rules and simple variables: enough to see what a recipe runs.
func parseMakefile(text string, vars map[string]string) makefile {
	m := makefile{targets: map[string]makeTarget{}}
	given := map[string]bool{}
	for k := range vars {
		given[k] = true
	}
	var current []string
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\\\n", " ")
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "\t") {
			body := strings.TrimLeft(line, "\t @-+")
			for _, name := range current {
				t := m.targets[name]
				if body != "" && body[0] != '#' {
					t.lines = append(t.lines, expandMake(body, vars, name, t.needs, 0))
				}
				m.targets[name] = t
			}
			continue
		}
		line, _, _ = strings.Cut(line, " #")
		if i := strings.IndexByte(line, '='); i > 0 && !strings.Contains(line[:i], ":") || i > 0 && strings.Contains(line[:min(i+1, len(line))], ":=") || i > 0 && strings.Contains(line[:i], "::") {
			name := strings.TrimSpace(strings.TrimRight(line[:i], ":?+ !"))
			name = strings.TrimSpace(strings.TrimPrefix(name, "export "))
			if !given[name] && !strings.ContainsAny(name, " \t") {
				vars[name] = strings.TrimSpace(line[i+1:])
			}
			current = nil
			continue
		}
		head, needs, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") || strings.HasPrefix(line, " ") {
			if strings.TrimSpace(line) != "" {
				current = nil
			}
			continue
		}
		needs, inline, hasInline := strings.Cut(strings.TrimPrefix(needs, ":"), ";")
		current = strings.Fields(expandMake(head, vars, "", nil, 0))
		for _, name := range current {
			t := m.targets[name]
			t.needs = append(t.needs, strings.Fields(expandMake(needs, vars, name, nil, 0))...)
			if hasInline {
				t.lines = append(t.lines, expandMake(strings.TrimSpace(inline), vars, name, t.needs, 0))
			}
			m.targets[name] = t
			if m.first == "" && !strings.HasPrefix(name, ".") && !strings.Contains(name, "%") {
				m.first = name
			}
		}
	}
	return m
}

// expandMake replaces $(VAR) and automatic variables; what it cannot tell becomes an unknown shell variable.
func expandMake(text string, vars map[string]string, target string, needs []string, depth int) string {
	if depth > 8 || strings.IndexByte(text, '$') < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch c := text[i]; c {
		case '$':
			b.WriteByte('$')
		case '@':
			b.WriteString(target)
		case '<':
			if len(needs) > 0 {
				b.WriteString(needs[0])
			}
		case '^', '+':
			b.WriteString(strings.Join(needs, " "))
		case '(', '{':
			end := closing(text, i)
			if end < 0 {
				return text
			}
			b.WriteString(makeValue(text[i+1:end], vars, target, needs, depth))
			i = end
		default:
			b.WriteString("${__make_" + string(c) + "}")
		}
		if b.Len() > maxScript {
			return text
		}
	}
	return b.String()
}

func makeValue(name string, vars map[string]string, target string, needs []string, depth int) string {
	if shell, ok := strings.CutPrefix(name, "shell "); ok {
		return "$(" + expandMake(shell, vars, target, needs, depth+1) + ")"
	}
	if v, ok := vars[name]; ok {
		return expandMake(v, vars, target, needs, depth+1)
	}
	switch name {
	case "MAKE":
		return "make"
	case "CURDIR", "PWD":
		return "$PWD"
	case "RM":
		return "rm -f"
	case "CC":
		return "cc"
	case "CXX":
		return "c++"
	case "AR":
		return "ar"
	case "GO":
		return "go"
	case "CFLAGS", "CXXFLAGS", "LDFLAGS", "LDLIBS", "CPPFLAGS", "MAKEFLAGS", "ARGS", "TESTFLAGS", "GOFLAGS":
		return ""
	}
	if strings.ContainsAny(name, " ,:%@<^") {
		return "${__make}"
	}
	return "${" + name + "}"
}

// closing finds the bracket that ends the one at open; -1: none.
func closing(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '(', '{':
			depth++
		case ')', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// npmScript resolves npm run x, npm test, yarn x, pnpm x, and their exec forms.
func npmScript(r *run, c *call) (value, bool) {
	i := skipFlags(c.words, 1, "-C --prefix --dir -w --workspace --filter -F --cwd")
	if i >= len(c.words) {
		return value{}, false
	}
	sub := c.words[i].text
	rest := c.words[i+1:]
	switch sub {
	case "exec", "dlx", "x":
		j := skipFlags(c.words, i+1, "-p --package -w --workspace")
		if text, ok := flagValue(c.words[i:], "-c", "--call"); ok {
			return r.runText(c, text, value{}), true
		}
		if j < len(c.words) && c.words[j].text == "--" {
			j++
		}
		if j < len(c.words) {
			words := append([]word{packageName(c.words[j])}, c.words[j+1:]...)
			return r.call(c.with(words)), true
		}
		return value{}, false
	case "run", "run-script", "rum", "urn":
		j := skipFlags(c.words, i+1, "-w --workspace --prefix")
		if j >= len(c.words) {
			r.record(c, Allow, "")
			return unknownFrom(0), true
		}
		return r.npmRun(c, c.words[j], c.words[j+1:], true)
	case "test", "t", "tst", "start", "stop", "restart":
		if sub == "t" || sub == "tst" {
			sub = "test"
		}
		return r.npmRun(c, literal(sub), rest, true)
	}
	if c.name != "npm" {
		return r.npmRun(c, c.words[i], rest, false)
	}
	return value{}, false
}

// npmRun walks a script of package.json. A script that must exist and does not is asked.
func (r *run) npmRun(c *call, name word, args []word, must bool) (value, bool) {
	s := c.s
	if dir, ok := flagValue(c.words, "-C", "--prefix", "--dir", "--cwd"); ok {
		s = c.s.child()
		s.dir = r.resolve(c.s, dir).abs
	}
	elsewhere := hasFlagLike(c.words, "-w", "--workspace", "--filter", "-F", "-r", "--recursive", "-ws", "--workspaces")
	var file struct {
		Scripts map[string]string `json:"scripts"`
	}
	v := r.projectFile(s, literal("package.json"))
	if v.state == visible {
		_ = json.Unmarshal([]byte(v.text), &file) // a broken file has no scripts
	}
	text, ok := file.Scripts[name.text]
	if !ok || !name.known() {
		if must && !elsewhere {
			return r.unreadable(c, literal("the script "+name.shown()+" of package.json")), true
		}
		return value{}, false
	}
	r.record(c, Allow, "")
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	next := *c
	next.s = s.child()
	for _, part := range []string{file.Scripts["pre"+name.text], file.Scripts["post"+name.text]} {
		if part != "" {
			r.inner(next.s, part, within(c.span), value{})
		}
	}
	r.note(c.s, c.span, c.name+" runs the script "+name.text+": "+clip(text))
	return r.spliced(next.s, &next, text, args), true
}

func hasFlagLike(words []word, names ...string) bool {
	for _, w := range words {
		head, _, _ := strings.Cut(w.text, "=")
		for _, n := range names {
			if head == n {
				return true
			}
		}
	}
	return false
}

func bun(r *run, c *call) (value, bool) {
	if len(c.words) < 2 {
		return value{}, false
	}
	switch sub := c.words[1].text; {
	case sub == "run" && len(c.words) > 2:
		if path.Ext(c.words[2].text) != "" {
			return interpreter(r, c.with(append([]word{c.words[0]}, c.words[2:]...)).named("bun"))
		}
		return r.npmRun(c, c.words[2], c.words[3:], true)
	case sub == "x" && len(c.words) > 2:
		return r.call(c.with(append([]word{packageName(c.words[2])}, c.words[3:]...))), true
	case sub == "-e" || sub == "--eval" || strings.Contains(sub, ".ts") || strings.Contains(sub, ".js"):
		return interpreter(r, c)
	}
	return value{}, false
}

func (c *call) named(name string) *call { c.name = name; return c }

// git resolves aliases of the repository and of -c, and the commands that git itself runs.
func git(r *run, c *call) (value, bool) {
	i := 1
	aliases := map[string]string{}
	s := c.s
	for i < len(c.words) && strings.HasPrefix(c.words[i].text, "-") {
		switch t := c.words[i].text; t {
		case "-C", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env":
			if t == "-C" && i+1 < len(c.words) {
				s = s.child()
				s.dir = r.resolve(c.s, c.words[i+1]).abs
			}
			i++
		case "-c":
			if i+1 < len(c.words) {
				r.gitConfig(c, c.words[i+1].text, aliases)
			}
			i++
		}
		i++
	}
	if i >= len(c.words) || !c.words[i].known() {
		return value{}, false
	}
	if s != c.s {
		moved := *c
		moved.s = s
		c = &moved
	}
	sub := c.words[i].text
	switch sub {
	case "bisect":
		if i+2 < len(c.words) && c.words[i+1].text == "run" {
			return r.call(c.with(c.words[i+2:])), true
		}
	case "submodule":
		if j := indexOf(c.words, "foreach"); j > 0 {
			j = skipFlags(c.words, j+1, "")
			if j < len(c.words) {
				text, from := joined(c.words[j:])
				return r.runText(c, word{text: text, from: from, flags: flagsOf(text)}, value{}), true
			}
		}
	case "rebase":
		if text, ok := flagValue(c.words, "-x", "--exec"); ok {
			r.runText(c, text, value{})
		}
	}
	if r.a.rules.knows("git", sub) {
		return r.program(c), true
	}
	text, ok := aliases[sub]
	if !ok {
		text, ok = r.gitAlias(c.s, sub)
	}
	if !ok {
		return value{}, false
	}
	r.note(c.s, c.span, "the git alias "+sub+" stands for "+text)
	next := *c
	next.s = c.s.child()
	if shellText, bang := strings.CutPrefix(text, "!"); bang {
		return r.spliced(next.s, &next, shellText, c.words[i+1:]), true
	}
	return r.spliced(next.s, &next, "git "+text, c.words[i+1:]), true
}

func indexOf(words []word, text string) int {
	for i, w := range words {
		if w.text == text {
			return i
		}
	}
	return -1
}

// gitConfig judges -c key=value: some keys name a command.
func (r *run) gitConfig(c *call, setting string, aliases map[string]string) {
	key, val, _ := strings.Cut(setting, "=")
	key = strings.ToLower(key)
	switch {
	case strings.HasPrefix(key, "alias."):
		aliases[key[len("alias."):]] = val
	case key == "core.sshcommand", key == "core.pager", key == "core.editor", key == "core.fsmonitor", key == "diff.external", key == "sequence.editor", key == "core.hookspath", strings.HasSuffix(key, ".helper"), strings.HasSuffix(key, ".command"), strings.HasSuffix(key, ".cmd"), strings.HasSuffix(key, ".textconv"):
		if val == "" || val == "cat" || val == "less" || val == "true" || val == ":" || val == "/dev/null" || val == "false" {
			return
		}
		r.runText(c, word{text: strings.TrimPrefix(val, "!"), flags: flagsOf(val)}, value{})
	}
}

// gitAlias looks for an alias in the repository's and the user's configuration.
func (r *run) gitAlias(s *scope, name string) (string, bool) {
	files := []string{path.Join(r.a.home, ".gitconfig"), path.Join(r.a.home, ".config/git/config")}
	if s.dir != "" {
		files = append([]string{path.Join(s.dir, ".git/config")}, files...)
	}
	for _, f := range files {
		v := r.content(s, literal(f))
		if v.state != visible {
			continue
		}
		inAlias := false
		for line := range strings.SplitSeq(v.text, "\n") {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "[") {
				inAlias = strings.EqualFold(strings.Trim(line, "[] "), "alias")
				continue
			}
			key, val, ok := strings.Cut(line, "=")
			if inAlias && ok && strings.EqualFold(strings.TrimSpace(key), name) {
				return strings.Trim(strings.TrimSpace(val), `"`), true
			}
		}
	}
	return "", false
}
