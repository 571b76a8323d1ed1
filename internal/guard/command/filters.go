package command

import "strings"

// awk programs can run commands and write files.
func awk(r *run, c *call) (value, bool) {
	var program word
	given := false
	i := 1
	for ; i < len(c.words); i++ {
		t := c.words[i].text
		if (t == "-e" || t == "--source") && i+1 < len(c.words) {
			program, given = word{text: program.text + "\n" + c.words[i+1].text, flags: program.flags | c.words[i+1].flags&^isExact}, true
			i++
			continue
		}
		if t == "-f" || t == "--file" || t == "-E" || t == "--exec" {
			if i+1 < len(c.words) {
				if v := r.content(c.s, c.words[i+1]); v.state == visible {
					program, given = word{text: v.text}, true
				} else {
					return r.unreadable(c, c.words[i+1]), true
				}
				i++
			}
			continue
		}
		if len(t) > 1 && t[0] == '-' {
			if takesValue("-F -v --field-separator --assign -i --include -l --load", t) {
				i++
			}
			continue
		}
		break
	}
	if !given {
		if i >= len(c.words) {
			return value{}, false
		}
		program = c.words[i]
	}
	if program.wild() {
		r.ask("analysis.unknown-text", c.span, "Runs awk code that holds a part which cannot be known before.")
		return unknownFrom(c.in.from), true
	}
	r.awkProgram(c, program.text)
	r.match(c, c.name)
	v := unknownFrom(c.in.from | r.readOrigin(c))
	return v, true
}

func (r *run) awkProgram(c *call, text string) {
	if strings.Contains(text, "system") {
		r.code(c, "awk", text, onLine)
	}
	for i := 0; i < len(text); i++ {
		r.spend(1)
		switch text[i] {
		case '"':
			end := skipQuoted(text, i)
			after := skipSpace(text, end)
			if after < len(text) && text[after] == '|' && strings.HasPrefix(strings.TrimLeft(text[after+1:], "& \t"), "getline") {
				r.runText(c, literal(string(ansiC(nil, text[i+1:max(i+1, end-1)]))), value{})
			}
			i = end - 1
		case '/':
			if end := regexEnd(text, i); end > i {
				i = end
			}
		case '|', '>':
			i = r.awkOutput(c, text, i)
		case '#':
			i = lineEnd(text, i) - 1
		}
	}
}

// regexEnd skips /…/ where a pattern can stand.
func regexEnd(text string, i int) int {
	before := strings.TrimRight(text[:i], " \t")
	if before != "" && strings.IndexByte("({,;&|!~\n", before[len(before)-1]) < 0 {
		return i
	}
	for j := i + 1; j < len(text) && text[j] != '\n'; j++ {
		if text[j] == '\\' {
			j++
		} else if text[j] == '/' {
			return j
		}
	}
	return i
}

func (r *run) awkOutput(c *call, text string, i int) int {
	op := text[i]
	j := i + 1
	if j < len(text) && (text[j] == op || text[j] == '&') {
		if op == '|' && text[j] == '|' {
			return j
		}
		j++
	}
	j = skipSpace(text, j)
	if j >= len(text) || text[j] != '"' {
		if op == '|' && !strings.HasPrefix(text[min(j, len(text)):], "getline") && j < len(text) {
			r.ask("analysis.unknown-text", c.span, "awk runs a command that cannot be known before.")
		}
		return i
	}
	end := skipQuoted(text, j)
	w := literal(string(ansiC(nil, text[j+1:max(j+1, end-1)])))
	if op == '|' {
		r.runText(c, w, value{})
	} else {
		r.write(c.s, target{name: w, span: c.span, output: true}, unknownFrom(0))
	}
	return end - 1
}

// sed scripts can run commands (e) and write files (w); -i changes files.
func sed(r *run, c *call) (value, bool) {
	var scripts, files []word
	inPlace, explicit := false, false
	for i := 1; i < len(c.words); i++ {
		w := c.words[i]
		t := w.text
		switch {
		case (t == "-e" || t == "--expression") && i+1 < len(c.words):
			scripts = append(scripts, c.words[i+1])
			explicit = true
			i++
		case (t == "-f" || t == "--file") && i+1 < len(c.words):
			explicit = true
			if v := r.content(c.s, c.words[i+1]); v.state == visible {
				scripts = append(scripts, literal(v.text))
			} else {
				r.unreadable(c, c.words[i+1])
			}
			i++
		case t == "--in-place" || strings.HasPrefix(t, "--in-place=") || strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "--") && strings.Contains(t, "i"):
			inPlace = true
			if t == "-i" && i+1 < len(c.words) && c.words[i+1].text == "" { // BSD: -i ''
				i++
			}
			if strings.HasSuffix(t, "e") && len(t) > 2 && i+1 < len(c.words) && strings.IndexByte(t, 'i') > strings.IndexByte(t, 'e') {
				explicit = true
			}
		case len(t) > 1 && t[0] == '-':
		case w.mayFlag() && len(files) == 0 && !explicit: // it may be -i
			inPlace = true
			files = append(files, w)
		default:
			files = append(files, w)
		}
	}
	if !explicit && len(files) > 0 {
		scripts, files = files[:1], files[1:]
	}
	for _, s := range scripts {
		if sedRuns(s.text) {
			r.ask("analysis.unknown-text", c.span, "The sed script runs a command or writes a file of its own.")
		}
	}
	if inPlace {
		r.edited(c, files)
	}
	r.match(c, c.name)
	return unknownFrom(c.in.from | r.readOrigin(c)), true
}

// sedFlags are what follows s/…/…/.
func sedFlags(part string) string {
	if len(part) < 2 {
		return ""
	}
	left := 2
	for i := 2; i < len(part); i++ {
		switch part[i] {
		case '\\':
			i++
		case part[1]:
			if left--; left == 0 {
				return part[i+1:]
			}
		}
	}
	return ""
}

// sedRuns reports whether a script uses e or w.
func sedRuns(script string) bool {
	for part := range strings.FieldsFuncSeq(script, func(c rune) bool { return c == '\n' || c == ';' || c == '{' || c == '}' }) {
		part = strings.TrimLeft(part, " \t0123456789,$!~+")
		if strings.HasPrefix(part, "/") {
			if end := strings.IndexByte(part[1:], '/'); end >= 0 {
				part = strings.TrimLeft(part[end+2:], " \tI!,")
			}
		}
		if part == "" {
			continue
		}
		switch part[0] {
		case 'e':
			return true
		case 'w', 'W':
			return len(part) > 1 && part[1] == ' '
		case 's':
			if flags := sedFlags(part); strings.ContainsAny(flags[:min(4, len(flags))], "ew") {
				return true
			}
		}
	}
	return false
}
