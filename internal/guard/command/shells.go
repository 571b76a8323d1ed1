package command

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"
)

// shell follows sh -c text, sh script, and sh reading its input.
func shell(r *run, c *call) (value, bool) {
	i := 1
	stdin := false
	for ; i < len(c.words); i++ {
		w := c.words[i]
		text := w.text
		if w.mayFlag() {
			r.ask("analysis.unknown-text", c.span, "Runs a shell with arguments that cannot be known before.")
			return unknownFrom(0), true
		}
		if len(text) < 2 || text[0] != '-' && text[0] != '+' || text == "--" {
			break
		}
		if text[1] == '-' {
			if text == "--rcfile" || text == "--init-file" {
				i++
			}
			continue
		}
		if strings.IndexByte(text, 'c') >= 0 {
			return r.shellText(c, i+1)
		}
		if strings.IndexByte(text, 's') >= 0 {
			stdin = true
		}
		if strings.HasSuffix(text, "o") || strings.HasSuffix(text, "O") {
			i++
		}
	}
	if i < len(c.words) && c.words[i].text == "--" {
		i++
	}
	if i >= len(c.words) || stdin || c.words[i].text == "-" || c.words[i].text == "/dev/stdin" {
		if c.in.state == nothing {
			if isHelp(c.words[1:]) || len(c.words) == 1 || i >= len(c.words) {
				r.record(c, Allow, "")
				return unknownFrom(0), true
			}
		}
		return r.runStream(c, c.in), true
	}
	if r.script(c, c.words[i], "sh", c.words[i+1:]) {
		return unknownFrom(c.in.from), true
	}
	return r.unreadable(c, c.words[i]), true
}

func (r *run) shellText(c *call, i int) (value, bool) {
	for i < len(c.words) && (strings.HasPrefix(c.words[i].text, "-") || c.words[i].text == "--") {
		i++
	}
	if i >= len(c.words) {
		return value{}, false
	}
	next := *c
	next.s = c.env.child()
	next.s.dir, next.s.lang = c.s.dir, language(c.name)
	next.s.args = []word{}
	if i+2 <= len(c.words) {
		next.s.args = append(next.s.args, c.words[min(i+2, len(c.words)):]...)
	}
	next.s.vars = withZero(next.s, c.words, i+1)
	r.note(c.s, c.span, c.name+" runs text given to it")
	return r.runText(&next, c.words[i], c.in), true
}

// withZero sets $0 of sh -c text name args.
func withZero(s *scope, words []word, i int) map[string][]word {
	if i >= len(words) {
		return s.vars
	}
	s.set("0", []word{words[i]})
	return s.vars
}

// runText walks shell text that is an argument.
func (r *run) runText(c *call, w word, in value) value {
	if w.text == wildMark {
		if w.from&fromNetwork != 0 {
			return r.fetched(c)
		}
		r.ask("analysis.unknown-text", c.span, "Runs shell text that cannot be known before.")
		return unknownFrom(w.from)
	}
	if w.from&fromNetwork != 0 {
		r.fetched(c)
	}
	at := within(c.span)
	if w.flags&isExact != 0 && c.s.place.exact {
		at = place{exact: true, base: c.s.place.base + int(w.start) + 1}
	}
	return r.inner(c.s, w.text, at, in)
}

// runStream walks what a shell reads from its input.
func (r *run) runStream(c *call, in value) value {
	switch {
	case in.state == visible:
		if in.has(fromNetwork) {
			r.fetched(c)
		}
		r.note(c.s, c.span, c.name+" runs its input")
		at := within(c.span)
		if in.at > 0 {
			at = place{exact: true, base: in.at - 1}
		}
		return r.inner(c.s, in.text, at, value{})
	case in.has(fromNetwork):
		return r.fetched(c)
	}
	r.record(c, Ask, "analysis.unknown-text")
	r.ask("analysis.unknown-text", c.span, "Runs input as shell text that cannot be known before.")
	return unknownFrom(in.from)
}

// fetched is the finding about text from the network that runs unseen.
func (r *run) fetched(c *call) value {
	piped := *c
	piped.in = unknownFrom(fromNetwork)
	piped.words = []word{literal("run-fetched"), literal(c.name)}
	if c.s.pipe.End > 0 {
		piped.span = c.s.pipe
	}
	r.match(&piped, "run-fetched")
	return unknownFrom(fromNetwork)
}

// unreadable is the finding about a script that cannot be looked into.
func (r *run) unreadable(c *call, w word) value {
	r.record(c, Ask, "analysis.unreadable")
	r.ask("analysis.unreadable", c.span, "Runs "+w.shown()+", which cannot be read before.")
	return unknownFrom(0)
}

// content is a file's text, from this line's own writing or from disk.
func (r *run) content(s *scope, w word) value {
	if w.stream != nil {
		return *w.stream
	}
	p := r.resolve(s, w)
	if p.abs == "" || w.glob() {
		return value{}
	}
	if v, ok := r.written[p.abs]; ok {
		return v
	}
	if r.a.fs == nil || s.remote {
		return value{}
	}
	r.spend(20)
	text, err := r.a.fs.ReadFile(p.abs, maxScript+1)
	if err != nil {
		return value{}
	}
	if len(text) > maxScript {
		return unknownFrom(fromFile)
	}
	return known(string(text)).with(fromFile)
}

// script judges a file that is run. lang "" is found by its first line and
// name; false: the file cannot be read or is no script.
func (r *run) script(c *call, w word, lang string, args []word) bool {
	v := r.content(c.s, w)
	if v.state == hidden && v.has(fromNetwork) {
		r.fetched(c)
		return true
	}
	if v.state == hidden && v.from&fromFile == 0 {
		r.record(c, Ask, "analysis.unknown-text")
		r.ask("analysis.unknown-text", c.span, "Runs a file whose content cannot be known before.")
		return true
	}
	if v.state != visible || !utf8.ValidString(v.text) || bytes.IndexByte([]byte(v.text[:min(512, len(v.text))]), 0) >= 0 {
		return false
	}
	found := scriptLanguage(w.text, v.text)
	if found != "" {
		lang = found
	}
	if lang == "" {
		return false
	}
	r.record(c, Allow, "")
	r.note(c.s, c.span, "reads the script "+w.shown())
	s := c.env.child()
	s.dir = c.s.dir
	s.args = append([]word{}, args...)
	if lang == "sh" {
		r.inner(s, v.text, within(c.span), c.in)
		return true
	}
	next := *c
	next.s = s
	r.code(&next, lang, v.text, inFile)
	return true
}

// scriptLanguage looks at the first line and the name of a file.
func scriptLanguage(name, text string) string {
	if line, ok := strings.CutPrefix(text, "#!"); ok {
		line, _, _ = strings.Cut(line, "\n")
		for f := range strings.FieldsSeq(line) {
			if lang := languageOf(strings.TrimRight(path.Base(f), "0123456789.")); lang != "" {
				return lang
			}
		}
		return ""
	}
	switch path.Ext(name) {
	case ".sh", ".bash", ".zsh", ".ksh":
		return "sh"
	case ".py":
		return "python"
	case ".js", ".mjs", ".cjs", ".ts", ".mts":
		return "node"
	case ".rb":
		return "ruby"
	case ".pl", ".pm":
		return "perl"
	case ".php":
		return "php"
	case ".lua":
		return "lua"
	}
	return ""
}

func languageOf(program string) string {
	switch program {
	case "sh", "bash", "zsh", "dash", "ksh", "ash", "mksh":
		return "sh"
	case "python", "pypy":
		return "python"
	case "node", "nodejs", "deno", "bun", "tsx", "ts-node":
		return "node"
	case "ruby", "perl", "php", "lua":
		return program
	case "Rscript":
		return "r"
	case "osascript":
		return "osascript"
	}
	return ""
}

func evalText(r *run, c *call) (value, bool) {
	text, from := joined(c.words[1:])
	if text == "" {
		return value{}, true
	}
	w := word{text: text, from: from, flags: flagsOf(text)}
	if len(c.words) == 2 {
		w = c.words[1]
	}
	if harmlessEval(c) {
		r.record(c, Allow, "")
		return value{}, true
	}
	r.note(c.s, c.span, "eval runs its arguments")
	return r.runTextHere(c, w), true
}

// runTextHere is runText in the same shell: what it sets stays set.
func (r *run) runTextHere(c *call, w word) value {
	if w.text == wildMark || w.from&fromNetwork != 0 {
		return r.runText(c, w, c.in)
	}
	s := c.s.child()
	next := *c
	next.s = s
	at := within(c.span)
	if w.flags&isExact != 0 && c.s.place.exact {
		at = place{exact: true, base: c.s.place.base + int(w.start) + 1}
	}
	if r.nested -= len(w.text); r.nested < 0 {
		panic(stop{"too large inside"})
	}
	if flags := flagsOf(w.text); flags != 0 {
		r.marked = true
		if flags&isWild != 0 {
			r.ask("analysis.unknown-text", c.span, "Runs shell text that holds a part which cannot be known before.")
		}
	}
	s.place = at
	out := r.source(s, w.text, c.in)
	keep := *c.s
	*c.s = *s
	c.s.depth, c.s.place = keep.depth, keep.place
	return out
}

// harmlessEval knows the lines by which tools set up a shell: eval "$(ssh-agent -s)".
func harmlessEval(c *call) bool {
	return len(c.words) == 2 && c.words[1].text == wildMark && c.words[1].from&shellSetup != 0
}

func sourceFile(r *run, c *call) (value, bool) {
	if len(c.words) < 2 {
		return value{}, true
	}
	w := c.words[1]
	v := r.content(c.s, w)
	if v.state == hidden && v.has(fromNetwork) {
		return r.fetched(c), true
	}
	if isActivate(w) || v.state == hidden && v.has(shellSetup) {
		r.record(c, Allow, "")
		return value{}, true
	}
	if v.state == visible {
		r.record(c, Allow, "")
		r.note(c.s, c.span, "reads the script "+w.shown())
		return r.runTextHere(c, word{text: v.text, from: v.from, flags: flagsOf(v.text)}), true
	}
	return r.unreadable(c, w), true
}

// isActivate knows the files that set up an environment and are sourced all day.
func isActivate(w word) bool {
	if !w.known() {
		return false
	}
	for _, tail := range []string{"bin/activate", "Scripts/activate", "/.nvm/nvm.sh", "/.bashrc", "/.zshrc", "/.profile", "/.bash_profile", "/.cargo/env", "/etc/profile", "conda.sh", "/export-esp.sh", "/.sdkman/bin/sdkman-init.sh", "/etc/os-release", "bash_completion"} {
		if strings.HasSuffix(w.text, tail) {
			return true
		}
	}
	return false
}
