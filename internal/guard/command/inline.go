package command

import (
	"path"
	"strings"
)

// whereCode says how far code is trusted to be what it looks like.
type whereCode uint8

const (
	onLine whereCode = iota // written for this command: tricks are asked
	inFile                  // a file of the project
)

// interpreters say which flags hold code, and which take a value that is none.
var interpreters = map[string]struct{ lang, code, values string }{
	"python": {"python", "-c", "-W -X"}, "python3": {"python", "-c", "-W -X"}, "python2": {"python", "-c", "-W -X"}, "pypy3": {"python", "-c", "-W -X"},
	"node": {"node", "-e --eval -p --print -pe", "-r --require --import --loader --experimental-loader --env-file --max-old-space-size -C --conditions --test-name-pattern --test-reporter"}, "nodejs": {"node", "-e --eval -p --print", "-r --require"},
	"deno": {"node", "--eval", ""}, "bun": {"node", "-e --eval -p --print", "--preload -r"}, "tsx": {"node", "-e --eval", "--tsconfig"}, "ts-node": {"node", "-e --eval -p", "-P -r --project"},
	"perl": {"perl", "-e -E", "-I"}, "ruby": {"ruby", "-e", "-I -r -C"}, "php": {"php", "-r", "-d -c -S -t"}, "lua": {"lua", "-e", "-l"}, "Rscript": {"r", "-e", ""}, "osascript": {"osascript", "-e", "-l"},
}

// interpreter follows code on the line, a script named, a module, or code from the input.
func interpreter(r *run, c *call) (value, bool) {
	in := interpreters[c.name]
	if isHelp(c.words[1:]) {
		return value{}, false
	}
	if c.name == "deno" {
		return r.deno(c)
	}
	found := false
	for i := 1; i < len(c.words); i++ {
		w := c.words[i]
		t := w.text
		if w.mayFlag() {
			r.ask("analysis.unknown-text", c.span, "Runs "+c.name+" with arguments that cannot be known before.")
			return unknownFrom(0), true
		}
		if len(t) < 2 || t[0] != '-' {
			if found {
				return r.codeFiles(c, in.lang, c.words[i:]), true
			}
			return r.scriptOrInput(c, in.lang, i)
		}
		if in.lang == "python" && (t == "-m" || strings.HasPrefix(t, "-m") && t[1] != '-') {
			return r.module(c, i)
		}
		if code, skip, ok := codeFlag(in.lang, in.code, c.words, i); ok {
			found = true
			r.codeWord(c, in.lang, code)
			i += skip
			if in.lang == "python" || in.lang == "php" {
				break
			}
			continue
		}
		if takesValue(in.values, t) {
			i++
		}
		if t == "--" && i+1 < len(c.words) {
			return r.scriptOrInput(c, in.lang, i+1)
		}
	}
	if found {
		r.record(c, Allow, "")
		return unknownFrom(c.in.from), true
	}
	return r.scriptOrInput(c, in.lang, len(c.words))
}

// codeFlag finds code given with -e, also inside -ne or attached as -e'…'.
func codeFlag(lang, flags string, words []word, i int) (code word, skip int, ok bool) {
	t := words[i].text
	for f := range strings.FieldsSeq(flags) {
		if t == f && i+1 < len(words) {
			return words[i+1], 1, true
		}
		if strings.HasPrefix(f, "--") && strings.HasPrefix(t, f+"=") {
			w := words[i]
			w.text = t[len(f)+1:]
			w.flags &^= isExact
			return w, 0, true
		}
		if len(f) != 2 || t[1] == '-' {
			continue
		}
		k := strings.IndexByte(t, f[1])
		if k < 1 {
			continue
		}
		if (lang == "perl" || lang == "ruby") && strings.ContainsAny(t[1:k], "iIxMmC") && strings.IndexByte(t, 'i') < k && len(t)-1 != k {
			continue
		}
		if k == len(t)-1 && i+1 < len(words) {
			return words[i+1], 1, true
		}
		if k == 1 {
			w := words[i]
			w.text = t[2:]
			w.flags &^= isExact
			return w, 0, true
		}
	}
	return word{}, 0, false
}

func (r *run) codeWord(c *call, lang string, w word) {
	if w.from&fromNetwork != 0 {
		r.fetched(c)
	}
	if w.wild() {
		r.ask("analysis.unknown-text", c.span, "Runs code that holds a part which cannot be known before.")
	}
	r.note(c.s, c.span, "reads the "+lang+" code on the line")
	r.code(c, lang, w.text, onLine)
}

// codeFiles are the files that perl -pi -e edits.
func (r *run) codeFiles(c *call, lang string, files []word) value {
	if (lang == "perl" || lang == "ruby") && hasShort(c.words, 'i') {
		r.edited(c, files)
	}
	r.record(c, Allow, "")
	return unknownFrom(c.in.from)
}

func hasShort(words []word, letter byte) bool {
	for _, w := range words[1:] {
		if len(w.text) > 1 && w.text[0] == '-' && w.text[1] != '-' {
			head := w.text[1:min(4, len(w.text))]
			if strings.IndexByte(head, letter) >= 0 {
				return true
			}
		}
	}
	return false
}

// edited judges files changed in place.
func (r *run) edited(c *call, files []word) {
	if len(files) > 0 {
		words := append([]word{literal("edit-in-place")}, files...)
		r.match(&call{s: c.s, env: c.env, words: words, span: c.span}, "edit-in-place")
	}
}

func (r *run) scriptOrInput(c *call, lang string, i int) (value, bool) {
	if i < len(c.words) && c.words[i].text != "-" {
		if c.words[i].text == "inspect" || c.words[i].text == "debug" {
			return r.scriptOrInput(c, lang, i+1)
		}
		if base := path.Base(c.words[i].text); r.a.rules.tools[base] != nil && path.Ext(base) != "" {
			r.match(c.with(c.words[i:]), base)
			return unknownFrom(c.in.from), true
		}
		if r.script(c, c.words[i], lang, c.words[i+1:]) {
			return unknownFrom(c.in.from), true
		}
		return r.unreadable(c, c.words[i]), true
	}
	switch {
	case c.in.state == nothing:
		r.record(c, Allow, "")
		return unknownFrom(0), true
	case c.in.has(fromNetwork):
		return r.fetched(c), true
	case c.in.state == hidden || flagsOf(c.in.text)&isWild != 0:
		r.record(c, Ask, "analysis.unknown-text")
		r.ask("analysis.unknown-text", c.span, "Runs input as code that cannot be known before.")
		return unknownFrom(0), true
	}
	r.record(c, Allow, "")
	r.code(c, lang, c.in.text, onLine)
	return unknownFrom(0), true
}

// module follows python -m: pip, pytest and others are programs of their own.
func (r *run) module(c *call, i int) (value, bool) {
	words := append([]word{}, c.words[i:]...)
	if len(words[0].text) > 2 {
		words[0].text = words[0].text[2:]
		words[0].flags &^= isExact
	} else if words = words[1:]; len(words) == 0 {
		return value{}, false
	}
	name := words[0].text
	file := strings.ReplaceAll(name, ".", "/")
	for _, f := range []string{file + ".py", file + "/__main__.py"} {
		if words[0].known() && r.script(c, literal(f), "python", words[1:]) {
			return unknownFrom(0), true
		}
	}
	switch name {
	case "cProfile", "pdb", "trace", "coverage", "torch.distributed.run", "debugpy", "timeit":
		for _, w := range words[1:] {
			if path.Ext(w.text) == ".py" {
				if !r.script(c, w, "python", nil) {
					r.unreadable(c, w)
				}
				return unknownFrom(0), true
			}
		}
		if name == "timeit" || name == "coverage" {
			r.record(c, Allow, "")
			return unknownFrom(0), true
		}
	}
	return r.call(c.with(words)), true
}

func (r *run) deno(c *call) (value, bool) {
	i := skipFlags(c.words, 1, "")
	if i >= len(c.words) {
		return value{}, false
	}
	switch c.words[i].text {
	case "eval":
		if j := skipFlags(c.words, i+1, ""); j < len(c.words) {
			r.codeWord(c, "node", c.words[j])
			r.record(c, Allow, "")
			return unknownFrom(0), true
		}
	case "run":
		if j := skipFlags(c.words, i+1, "-c --config --import-map --lock"); j < len(c.words) {
			if strings.Contains(c.words[j].text, "://") {
				return r.fetched(c), true
			}
			return r.scriptOrInput(c, "node", j)
		}
	}
	return value{}, false
}
