package command

import "strings"

const xargsValues = "-I -n -P -L -d -E -s -a --max-args --max-procs --max-lines --delimiter --arg-file --replace -J -R"

// xargs runs a command with words from its input.
func xargs(r *run, c *call) (value, bool) {
	w := wrapper{values: xargsValues}
	i, _ := w.skip(c)
	words := []word{literal("echo")}
	if i < len(c.words) {
		words = append([]word{}, c.words[i:]...)
	}
	holder, replaces := flagValue(c.words[:min(i+1, len(c.words))], "-I", "-J", "--replace")
	if hasWord(c.words[:i], "-i") {
		holder, replaces = literal("{}"), true
	}
	items := r.inputItems(c.in, hasWord(c.words[:i], "-0") || hasWord(c.words[:i], "--null") || replaces)
	if replaces {
		for k := range words {
			words[k] = replaced(words[k], holder.text, items)
		}
	} else {
		words = append(words, items...)
	}
	r.note(c.s, c.span, "xargs runs "+words[0].shown())
	next := c.with(words)
	next.in = known("")
	r.call(next)
	return unknownFrom(c.in.from), true
}

// inputItems are the words of an input; an unknown input is one unknown word.
func (r *run) inputItems(in value, lines bool) []word {
	if in.state != visible && in.plain {
		return []word{{text: plainMark, flags: isPlain, from: in.from}}
	}
	if in.state != visible {
		return []word{{text: wildMark, flags: isWild, from: in.from}}
	}
	var parts []string
	if lines {
		parts = strings.FieldsFunc(in.text, func(c rune) bool { return c == '\n' || c == 0 })
	} else {
		parts = strings.Fields(strings.NewReplacer(`"`, "", "'", "", `\`, "").Replace(in.text))
	}
	if len(parts) > maxFields {
		return []word{{text: wildMark, flags: isWild, from: in.from}}
	}
	out := make([]word, len(parts))
	for i, p := range parts {
		out[i] = word{text: p, from: in.from, flags: flagsOf(p)}
	}
	return out
}

// replaced puts the items where a word has the placeholder; several items make it unknown unless alike.
func replaced(w word, holder string, items []word) word {
	if holder == "" || !strings.Contains(w.text, holder) {
		return w
	}
	item := unknownWord
	if len(items) == 1 {
		item = items[0]
	}
	w.text = strings.ReplaceAll(w.text, holder, item.text)
	w.flags = w.flags&^isExact | item.flags
	w.from |= item.from
	return w
}

func parallel(r *run, c *call) (value, bool) {
	w := wrapper{values: "-j --jobs -a --arg-file -N -n --delay --timeout --joblog --results -S --sshlogin --colsep --tagstring"}
	i, _ := w.skip(c)
	rest := c.words[i:]
	var cmd, items []word
	for k, arg := range rest {
		if strings.HasPrefix(arg.text, ":::") {
			items = append(items, rest[k+1:]...)
			break
		}
		cmd = append(cmd, arg)
	}
	if len(items) == 0 {
		items = r.inputItems(c.in, true)
	}
	if len(cmd) == 0 { // each item is a command
		for _, item := range items {
			r.runText(c, item, value{})
		}
		return unknownFrom(0), true
	}
	text, from := joined(cmd)
	r.note(c.s, c.span, "parallel runs "+text)
	for _, item := range items[:min(len(items), maxUnrolled)] {
		line := strings.NewReplacer("{}", quote(item), "{.}", quote(item), "{/}", quote(item), "{1}", quote(item)).Replace(text)
		if item.wild() {
			line = strings.NewReplacer("{}", wildArgument, "{.}", wildArgument, "{/}", wildArgument, "{1}", wildArgument).Replace(text)
		}
		if line == text {
			if item.wild() {
				line += " " + wildArgument
			} else {
				line += " " + quote(item)
			}
		}
		r.runText(c, word{text: line, from: from | item.from, flags: flagsOf(line)}, value{})
	}
	return unknownFrom(0), true
}

// wildArgument is shell text for a word whose value is unknown: no variable has this name.
const wildArgument = `"$__unknown"`

// find follows -exec, -ok and -delete; the places searched are what they work on.
func find(r *run, c *call) (value, bool) {
	var places []word
	i := 1
	for ; i < len(c.words); i++ {
		t := c.words[i].text
		if strings.HasPrefix(t, "-") && t != "-H" && t != "-L" && t != "-P" || t == "(" || t == "!" {
			break
		}
		if !strings.HasPrefix(t, "-") {
			places = append(places, c.words[i])
		}
	}
	if len(places) == 0 {
		places = []word{literal(".")}
	}
	narrowed := findNarrow(c.words[i:])
	for ; i < len(c.words); i++ {
		switch c.words[i].text {
		case "-delete":
			r.record(c, Allow, "")
			name := "find-delete"
			if narrowed != "" {
				name = "find-delete-some"
			}
			r.match(&call{s: c.s, env: c.env, words: append([]word{literal(name)}, foundIn(places, narrowed)...), span: c.span}, name)
		case "-exec", "-execdir", "-ok", "-okdir":
			i = r.findExec(c, i+1, foundIn(places, narrowed))
		case "-fprint", "-fprintf", "-fls", "-fprint0":
			if i+1 < len(c.words) {
				r.write(c.s, target{name: c.words[i+1], span: c.span, output: true}, unknownFrom(0))
			}
		}
		if i < len(c.words) && c.words[i].mayFlag() {
			r.ask("analysis.unknown-text", c.span, "Runs find with expressions that cannot be known before.")
		}
	}
	r.record(c, Allow, "")
	return unknownFrom(fromFile), true
}

// findNarrow gives the pattern of -name, or "some" for another test that selects.
func findNarrow(words []word) string {
	narrow := ""
	for i, w := range words {
		switch w.text {
		case "-name", "-iname":
			if i+1 < len(words) && words[i+1].known() && strings.Trim(words[i+1].text, "*.") != "" {
				return words[i+1].text
			}
		case "-mtime", "-mmin", "-empty", "-path", "-regex", "-newer", "-size", "-wholename", "-ctime", "-atime", "-links":
			narrow = "some"
		}
	}
	return narrow
}

// foundIn are the files that find would name, as words: the folder and a pattern.
func foundIn(places []word, narrowed string) []word {
	out := make([]word, 0, len(places))
	for _, p := range places {
		switch narrowed {
		case "":
		case "some":
			p.text = strings.TrimRight(p.text, "/") + "/*" + plainMark
			p.flags |= isGlob | isPlain
		default:
			p.text = strings.TrimRight(p.text, "/") + "/" + narrowed
			p.flags |= globFlag(narrowed)
		}
		out = append(out, p)
	}
	return out
}

func (r *run) findExec(c *call, from int, places []word) int {
	end := from
	for end < len(c.words) && c.words[end].text != ";" && c.words[end].text != "+" {
		end++
	}
	if end == from {
		return end
	}
	var words, plain []word // plain: {} inside a word left as it is, as some finds do
	partly := false
	for _, w := range c.words[from:end] {
		if w.text == "{}" {
			words, plain = append(words, places...), append(plain, places...)
			continue
		}
		plain = append(plain, w)
		if strings.Contains(w.text, "{}") && len(places) > 0 {
			partly = true
			w.text = strings.ReplaceAll(w.text, "{}", places[0].text)
			w.flags = w.flags&^isExact | places[0].flags
		}
		words = append(words, w)
	}
	r.note(c.s, c.span, "find runs "+words[0].shown())
	next := c.with(words)
	next.in = value{}
	r.call(next)
	if partly {
		next.words = plain
		r.call(next)
	}
	return end
}

// fdExec follows fd -x and -X.
func fdExec(r *run, c *call) (value, bool) {
	for i, w := range c.words {
		switch w.text {
		case "-x", "-X", "--exec", "--exec-batch":
			if i+1 < len(c.words) {
				words := append(append([]word{}, c.words[i+1:]...), word{text: "./*" + plainMark, flags: isGlob | isPlain})
				r.note(c.s, c.span, "fd runs "+words[0].shown())
				r.call(c.with(words))
				return unknownFrom(0), true
			}
		}
	}
	return value{}, false
}

// joinedText is for watch: its arguments are joined and given to a shell.
func joinedText(r *run, c *call) (value, bool) {
	w := wrapper{values: "-n --interval -q --equexit"}
	i, _ := w.skip(c)
	if i >= len(c.words) {
		return value{}, false
	}
	text, from := joined(c.words[i:])
	r.note(c.s, c.span, c.name+" runs "+text)
	single := word{text: text, from: from, flags: flagsOf(text)}
	if i == len(c.words)-1 {
		single = c.words[i]
	}
	return r.runText(c, single, value{}), true
}

// eachText is for programs whose every argument is shell text.
func eachText(r *run, c *call) (value, bool) {
	w := wrapper{values: "-w -m -M -r -p -s -c -n -L -P -D -k --warmup --runs --prepare --setup --cleanup --names --prefix-colors --export-json --export-markdown --export-csv --max-processes --prefix --kill-others-on-fail"}
	for i := 1; i < len(c.words); i++ {
		if t := c.words[i].text; len(t) > 1 && t[0] == '-' {
			if t == "-p" || t == "--prepare" || t == "--setup" || t == "--cleanup" || t == "-s" {
				if i+1 < len(c.words) && c.name == "hyperfine" {
					r.runText(c, c.words[i+1], value{})
				}
			}
			if takesValue(w.values, t) {
				i++
			}
			continue
		}
		r.runText(c, c.words[i], value{})
	}
	r.record(c, Allow, "")
	return unknownFrom(0), true
}

func flock(r *run, c *call) (value, bool) {
	w := wrapper{values: "-w -E --timeout --conflict-exit-code", operands: 1, text: "-c --command"}
	i, _ := w.skip(c)
	if text, ok := flagValue(c.words, "-c", "--command"); ok {
		return r.runText(c, text, c.in), true
	}
	if i >= len(c.words) {
		return value{}, false
	}
	return r.call(c.with(c.words[i:])), true
}

// suText follows su -c text, runuser -c text, script -c text.
func suText(r *run, c *call) (value, bool) {
	if text, ok := flagValue(c.words, "-c", "--command"); ok {
		r.note(c.s, c.span, c.name+" runs text given to it")
		return r.runText(c, text, c.in), true
	}
	if c.in.state != nothing {
		return r.runStream(c, c.in), true
	}
	if c.name == "runuser" {
		w := wrapper{values: "-u -g -G"}
		if i, _ := w.skip(c); i < len(c.words) && hasWord(c.words, "-u") {
			return r.call(c.with(c.words[i:])), true
		}
	}
	return value{}, false
}

func tmux(r *run, c *call) (value, bool) {
	send := false
	for i := 1; i < len(c.words); i++ {
		t := c.words[i].text
		switch t {
		case "send-keys", "send", "new-session", "new", "new-window", "neww", "split-window", "splitw", "respawn-pane", "run-shell", "if-shell", "pipe-pane", "respawn-window":
			send = true
			continue
		}
		if len(t) > 1 && t[0] == '-' {
			if takesValue("-t -s -n -c -x -y -e -F -l -p", t) {
				i++
			}
			continue
		}
		if send && t != "Enter" && t != "C-m" && t != "C-c" {
			r.runText(c, c.words[i], value{})
		}
	}
	return value{}, false
}

func screen(r *run, c *call) (value, bool) {
	for i, w := range c.words {
		if w.text == "stuff" && i+1 < len(c.words) {
			return r.runText(c, c.words[i+1], value{}), true
		}
	}
	w := wrapper{values: "-S -t -c -s -T -e -h -p -r -x"}
	if i, _ := w.skip(c); i < len(c.words) && strings.Contains(c.words[1].text, "m") {
		return r.call(c.with(c.words[i:])), true
	}
	return value{}, false
}

// stdinText is for at and batch: they run their input later.
func stdinText(r *run, c *call) (value, bool) {
	if f, ok := flagValue(c.words, "-f"); ok {
		if !r.script(c, f, "sh", nil) {
			r.unreadable(c, f)
		}
		return value{}, true
	}
	if c.in.state == nothing {
		return value{}, false
	}
	return r.runStream(c, c.in), true
}

// crontab - installs what it reads; the commands in it are judged.
func crontab(r *run, c *call) (value, bool) {
	if c.in.state == nothing || hasWord(c.words, "-l") || hasWord(c.words, "-r") {
		return value{}, false
	}
	if c.in.state != visible {
		return r.runStream(c, c.in), true
	}
	for line := range strings.SplitSeq(c.in.text, "\n") {
		fields := strings.Fields(line)
		skip := 5
		if len(fields) > 0 && strings.HasPrefix(fields[0], "@") {
			skip = 1
		}
		if len(fields) > skip && fields[0][0] != '#' {
			text := strings.Join(fields[skip:], " ")
			r.runText(c, word{text: text, from: c.in.from, flags: flagsOf(text)}, value{})
		}
	}
	return value{}, false
}

func stdinUnknown(r *run, c *call) (value, bool) {
	if c.in.state == nothing {
		return value{}, false
	}
	r.record(c, Ask, "analysis.unknown-text")
	r.ask("analysis.unknown-text", c.span, "Gives commands to "+c.name+", which are not followed.")
	return unknownFrom(0), true
}

// editorCommands follows vim -c '!cmd'.
func editorCommands(r *run, c *call) (value, bool) {
	for i := 1; i < len(c.words); i++ {
		w := c.words[i]
		text := ""
		switch {
		case (w.text == "-c" || w.text == "--cmd") && i+1 < len(c.words):
			text = c.words[i+1].text
		case strings.HasPrefix(w.text, "+") && len(w.text) > 1:
			text = w.text[1:]
		}
		if bang := strings.IndexByte(text, '!'); bang >= 0 && bang+1 < len(text) && text[bang+1] != ' ' {
			r.runText(c, word{text: text[bang+1:], flags: flagsOf(text)}, value{})
		} else if strings.Contains(text, "system(") || strings.Contains(text, "delete(") {
			r.ask("analysis.unknown-text", c.span, "Gives commands to "+c.name+", which are not followed.")
		}
	}
	return value{}, false
}

func nodemon(r *run, c *call) (value, bool) {
	if text, ok := flagValue(c.words, "--exec", "-x"); ok {
		return r.runText(c, text, value{}), true
	}
	w := wrapper{values: "-e --ext -w --watch -i --ignore --delay"}
	if i, _ := w.skip(c); i < len(c.words) && strings.HasPrefix(c.words[i].text, "-") {
		return r.call(c.with(c.words[i:])), true
	}
	return value{}, false
}

func nixShell(r *run, c *call) (value, bool) {
	if text, ok := flagValue(c.words, "--run", "--command"); ok {
		return r.runText(c, text, c.in), true
	}
	return value{}, false
}

// pwsh: PowerShell text is not followed.
func pwsh(r *run, c *call) (value, bool) {
	if len(c.words) == 1 || isHelp(c.words[1:]) {
		return value{}, false
	}
	r.record(c, Ask, "analysis.unknown-text")
	r.ask("analysis.unknown-text", c.span, "Runs text of another shell, which is not followed.")
	return unknownFrom(0), true
}
