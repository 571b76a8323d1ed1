package command

import (
	"encoding/base64"
	"encoding/hex"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"
)

// output is what a program prints, as far as it can be told: what flows into
// the next command of a pipe decides what that one does.
func (r *run) output(c *call) value {
	args := c.words[1:]
	switch c.name {
	case "echo":
		return echo(c.s, args)
	case "printf":
		return printf(args)
	case "cat", "tac", "tee", "pv", "sponge", "head", "tail", "less", "more", "bat":
		return r.passed(c, args)
	case "base64", "base32", "openssl":
		return decoded(c, base64Text).with(r.readOrigin(c))
	case "xxd":
		return decoded(c, hexText).with(r.readOrigin(c))
	case "rev":
		return mapped(c.in, reversed)
	case "tr":
		return translated(c)
	case "pwd":
		if c.s.dir != "" {
			return known(c.s.dir + "\n")
		}
		return unknownFrom(0)
	case "curl", "wget", "http", "https", "aria2c", "fetch", "nc", "ncat", "scp", "ftp":
		return r.downloaded(c)
	case "env", "printenv", "export", "set", "history":
		return unknownFrom(fromSecret)
	case "mktemp":
		return known("/tmp/" + plainMark + "\n")
	case "date", "whoami", "hostname", "nproc", "uname", "id", "wc", "uuidgen", "tty", "arch", "sw_vers", "getconf", "lsb_release", "git", "jq", "yq", "basename", "seq", "cut", "sha256sum", "md5sum", "shasum", "node", "go", "npm":
		return r.plainOutput(c)
	case "pgrep", "pidof", "fuser":
		return value{state: hidden, plain: true}
	case "lsof", "docker", "podman":
		v := unknownFrom(c.in.from)
		v.plain = hasShort(c.words, 't') && c.name == "lsof" || hasShort(c.words, 'q') && c.name != "lsof"
		return v
	case "dirname":
		if len(args) == 1 && args[0].known() {
			return known(path.Dir(args[0].text) + "\n")
		}
	case "mkdir", "cd", "touch", "rm", "mv", "cp", "chmod", "chown", "true", "false", "test", "[", "sleep", "export-n", "pushd", "popd", "kill", "wait", ":", "unset", "shift", "umask", "ln":
		r.sideEffects(c)
		return value{}
	}
	if r.setsUpShell(c) {
		return unknownFrom(shellSetup)
	}
	return unknownFrom(r.readOrigin(c) | c.in.from)
}

// downloaded remembers the file that curl -o writes.
func (r *run) downloaded(c *call) value {
	for _, flag := range outputFlags[c.name] {
		if w, ok := flagValue(c.words, flag); ok {
			if w.text == "-" {
				return unknownFrom(fromNetwork | c.in.from)
			}
			r.remember(c.s, w, unknownFrom(fromNetwork), false)
			return value{}
		}
	}
	if c.name == "wget" || hasShort(c.words, 'O') { // the file is named after the address
		for _, w := range c.words[1:] {
			if strings.Contains(w.text, "://") {
				r.remember(c.s, word{text: path.Base(w.text), flags: w.flags &^ isExact}, unknownFrom(fromNetwork), false)
			}
		}
	}
	return unknownFrom(fromNetwork | c.in.from)
}

// setsUpShell knows what is typed inside eval "$(…)".
func (r *run) setsUpShell(c *call) bool {
	want, ok := shellSetups[c.name]
	if len(c.words) > 1 && c.words[1].text == "completion" && r.a.rules.tools[c.name] != nil {
		want, ok = "completion", true
	}
	if !ok {
		return false
	}
	for _, w := range c.words[1:] {
		if !w.known() {
			return false
		}
	}
	return want == "" || len(c.words) > 1 && c.words[1].text == want
}

var shellSetups = map[string]string{
	"ssh-agent": "", "direnv": "hook", "pyenv": "init", "rbenv": "init", "nodenv": "init", "brew": "shellenv", "fnm": "env", "starship": "init", "zoxide": "init",
	"opam": "env", "dircolors": "", "mise": "activate", "minikube": "docker-env", "docker-machine": "env", "thefuck": "--alias", "atuin": "init", "conda": "shell.bash", "gpg-agent": "", "keychain": "",
	"register-python-argcomplete": "", "luarocks": "path", "rustup": "completions", "goenv": "init", "jenv": "init",
}

// plainOutput is for programs that print a name or a number.
func (r *run) plainOutput(c *call) value {
	v := unknownFrom(r.readOrigin(c) | c.in.from)
	switch c.name {
	case "git":
		if len(c.words) > 2 {
			switch c.words[1].text {
			case "rev-parse":
				if c.words[2].text == "--show-toplevel" {
					return r.toplevel(c)
				}
				v.plain = true
			case "branch", "describe", "symbolic-ref", "merge-base", "rev-list", "hash-object":
				v.plain = true
			}
		}
	case "jq", "yq", "cut", "basename", "node", "go", "npm":
		v.plain = c.name == "basename" || c.name == "go"
	default:
		v.plain = true
	}
	return v
}

// toplevel finds the repository's folder on disk.
func (r *run) toplevel(c *call) value {
	if r.a.fs == nil || c.s.dir == "" || c.s.remote {
		return unknownFrom(0)
	}
	for dir := c.s.dir; ; dir = path.Dir(dir) {
		r.spend(10)
		if _, err := r.a.fs.Lstat(path.Join(dir, ".git")); err == nil {
			return known(dir + "\n")
		}
		if dir == "/" || dir == "." {
			return unknownFrom(0)
		}
	}
}

// readOrigin tells whether a program's arguments name a file of secrets.
func (r *run) readOrigin(c *call) (from origin) {
	for _, w := range c.words[1:] {
		from |= w.from
		if strings.HasPrefix(w.text, "-") {
			continue
		}
		if secrecy(w.text, r.a.home) != 0 {
			from |= fromSecret
		}
		if w.stream != nil {
			from |= w.stream.from
		}
	}
	return from
}

func (r *run) sideEffects(c *call) {
	switch c.name {
	case "mkdir":
		for _, w := range c.words[1:] {
			if p := r.resolve(c.s, w); p.abs != "" && w.known() {
				if r.made == nil {
					r.made = map[string]bool{}
				}
				r.made[p.abs] = true
			}
		}
	case "cp", "mv":
		if n := len(c.words); n >= 3 {
			from, to := r.resolve(c.s, c.words[n-2]), c.words[n-1]
			v, ok := r.written[from.abs]
			if !ok {
				v = r.content(c.s, c.words[n-2])
			}
			r.remember(c.s, to, hideEmpty(v), false)
		}
	}
}

func hideEmpty(v value) value {
	if v.state == nothing {
		v.state = hidden
	}
	return v
}

func echo(s *scope, args []word) value {
	escapes, end := false, "\n"
	for len(args) > 0 && len(args[0].text) > 1 && strings.Trim(args[0].text[1:], "neE") == "" && args[0].text[0] == '-' {
		escapes = escapes || strings.ContainsRune(args[0].text, 'e')
		if strings.ContainsRune(args[0].text, 'n') {
			end = ""
		}
		args = args[1:]
	}
	text, from := joined(args)
	if escapes || strings.Contains(text, `\x`) || strings.Contains(text, `\0`) {
		text = string(ansiC(nil, text))
	}
	v := value{text: text + end, state: visible, from: from}
	if len(args) == 1 && args[0].flags&isExact != 0 && text == args[0].text && s.place.exact {
		v.at = s.place.base + int(args[0].start) + 2
	}
	return v
}

func joined(args []word) (string, origin) {
	if len(args) == 1 {
		return args[0].text, args[0].from
	}
	var b strings.Builder
	var from origin
	for i, w := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.text)
		from |= w.from
	}
	return b.String(), from
}

// printf follows %s, %b, %c and %d; the format is used again while arguments are left.
func printf(args []word) value {
	if len(args) > 1 && args[0].text == "-v" {
		return value{}
	}
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return known("")
	}
	format, rest := args[0], args[1:]
	_, from := joined(args)
	if format.wild() {
		return unknownFrom(from)
	}
	var out []byte
	for round := 0; round == 0 || len(rest) > 0; round++ {
		before := len(rest)
		var ok bool
		if out, rest, ok = printfOnce(out, format.text, rest); !ok || round > maxFields {
			return unknownFrom(from)
		}
		if len(rest) == before {
			break
		}
	}
	return value{text: string(out), state: visible, from: from}
}

func printfOnce(out []byte, format string, rest []word) ([]byte, []word, bool) {
	for i := 0; i < len(format); {
		j := strings.IndexByte(format[i:], '%')
		if j < 0 {
			return ansiC(out, format[i:]), rest, true
		}
		out = ansiC(out, format[i:i+j])
		i += j + 1
		k := i
		for k < len(format) && strings.IndexByte("-+ #0123456789.", format[k]) >= 0 {
			k++
		}
		if k == len(format) {
			return out, rest, false
		}
		verb := format[k]
		if verb == '%' {
			out = append(out, '%')
			i = k + 1
			continue
		}
		arg := ""
		if len(rest) > 0 {
			arg, rest = rest[0].text, rest[1:]
		}
		switch verb {
		case 's', 'q':
			out = append(out, arg...)
		case 'b':
			out = ansiC(out, arg)
		case 'c':
			if arg != "" {
				out = append(out, arg[0])
			}
		case 'd', 'i', 'u':
			out = append(out, arg...)
		case 'x', 'o', 'X':
			n, err := strconv.ParseInt(arg, 0, 64)
			if err != nil {
				return out, rest, false
			}
			out = strconv.AppendInt(out, n, map[byte]int{'o': 8}[verb]|map[byte]int{'x': 16, 'X': 16}[verb])
		default:
			return out, rest, false
		}
		i = k + 1
	}
	return out, rest, true
}

// passed is the output of cat and others that print what they read.
func (r *run) passed(c *call, args []word) value {
	var out value
	files := 0
	for _, w := range args {
		if strings.HasPrefix(w.text, "-") && w.text != "-" || isNumber(w.text) && (c.name == "head" || c.name == "tail") {
			continue
		}
		files++
		if c.name == "tee" || c.name == "sponge" {
			r.remember(c.s, w, c.in, false)
			continue
		}
		out = out.then(hideEmpty(r.read(c.s, w)))
	}
	if files == 0 || c.name == "tee" || c.name == "sponge" {
		out = c.in
	}
	if c.name == "head" || c.name == "tail" || c.name == "tac" {
		out = part(out)
	}
	return hideEmpty(out)
}

// part is some of a text: which lines is not followed, unless there is but one.
func part(v value) value {
	if v.state == visible && strings.Count(strings.TrimRight(v.text, "\n"), "\n") > 0 {
		return value{state: hidden, from: v.from}
	}
	return v
}

// decoded follows base64 -d and xxd -r; encoding gives text that is of no use to a shell.
func decoded(c *call, decode func(string) (string, bool)) value {
	back := false
	text, state := c.in.text, c.in.state
	for _, w := range c.words[1:] {
		switch w.text {
		case "-d", "-D", "--decode", "-r", "-di", "-rp", "-r-p", "-A", "-a":
			back = back || w.text != "-a" && w.text != "-A"
		default:
			if w.stream != nil {
				text, state = w.stream.text, w.stream.state
			}
		}
	}
	if !back || state != visible || flagsOf(text) != 0 {
		return unknownFrom(c.in.from)
	}
	if plain, ok := decode(text); ok && utf8.ValidString(plain) && strings.IndexByte(plain, 0) < 0 {
		return value{text: plain, state: visible, from: c.in.from}
	}
	return unknownFrom(c.in.from)
}

func base64Text(text string) (string, bool) {
	text = strings.TrimRight(strings.Join(strings.Fields(text), ""), "=")
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if out, err := enc.DecodeString(text); err == nil {
			return string(out), true
		}
	}
	return "", false
}

func hexText(text string) (string, bool) {
	out, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	return string(out), err == nil
}

func mapped(in value, f func(string) string) value {
	if in.state != visible || flagsOf(in.text) != 0 {
		return unknownFrom(in.from)
	}
	in.text, in.at = f(in.text), 0
	return in
}

func reversed(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		runes := []rune(line)
		for a, b := 0, len(runes)-1; a < b; a, b = a+1, b-1 {
			runes[a], runes[b] = runes[b], runes[a]
		}
		lines[i] = string(runes)
	}
	return strings.Join(lines, "\n")
}

// translated follows tr with two sets or -d with one.
func translated(c *call) value {
	args := c.words[1:]
	if len(args) != 2 || !args[0].known() || !args[1].known() {
		return unknownFrom(c.in.from)
	}
	if args[0].text == "-d" {
		drop := trSet(args[1].text)
		return mapped(c.in, func(text string) string {
			return strings.Map(func(r rune) rune {
				if strings.ContainsRune(drop, r) {
					return -1
				}
				return r
			}, text)
		})
	}
	from, to := []rune(trSet(args[0].text)), []rune(trSet(args[1].text))
	if strings.HasPrefix(args[0].text, "-") || len(to) == 0 {
		return unknownFrom(c.in.from)
	}
	return mapped(c.in, func(text string) string {
		return strings.Map(func(r rune) rune {
			for i := len(from) - 1; i >= 0; i-- {
				if from[i] == r {
					return to[min(i, len(to)-1)]
				}
			}
			return r
		}, text)
	})
}

func trSet(text string) string {
	switch text {
	case "[:lower:]":
		text = "a-z"
	case "[:upper:]":
		text = "A-Z"
	}
	runes := []rune(string(ansiC(nil, text)))
	var out []rune
	for i := 0; i < len(runes); i++ {
		if i+2 < len(runes) && runes[i+1] == '-' && runes[i+2] >= runes[i] && runes[i+2]-runes[i] < 256 {
			for c := runes[i]; c <= runes[i+2]; c++ {
				out = append(out, c)
			}
			i += 2
			continue
		}
		out = append(out, runes[i])
	}
	return string(out)
}
