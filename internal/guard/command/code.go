package command

import "strings"

// deed is what a function of a language does.
type deed uint8

const (
	doesShell  deed = iota + 1 // runs shell text
	doesArgv                   // runs a program with arguments
	doesDelete                 // deletes a file
	doesTree                   // deletes a folder and all in it
	doesWrite                  // writes over a file
	doesHide                   // runs or finds code that cannot be seen
	doesSQL                    // sends a statement
	doesMove                   // renames a file
)

// deeds by language and name. A name with a dot must be called so; one that
// starts with a dot is a method of anything.
var deeds = map[string]map[string]deed{
	"python": {
		"os.system": doesShell, "os.popen": doesShell, "subprocess.getoutput": doesShell, "subprocess.getstatusoutput": doesShell, "commands.getoutput": doesShell,
		"subprocess.run": doesArgv, "subprocess.call": doesArgv, "subprocess.check_call": doesArgv, "subprocess.check_output": doesArgv, "subprocess.Popen": doesArgv, "Popen": doesArgv,
		"check_output": doesArgv, "check_call": doesArgv, "system": doesShell, "popen": doesShell, ".system": doesShell, "pty.spawn": doesArgv, "asyncio.create_subprocess_shell": doesShell, "asyncio.create_subprocess_exec": doesArgv,
		"os.execv": doesArgv, "os.execvp": doesArgv, "os.execl": doesArgv, "os.execlp": doesArgv, "os.spawnv": doesArgv, "os.posix_spawn": doesArgv,
		"shutil.rmtree": doesTree, "rmtree": doesTree, ".rmtree": doesTree, "os.remove": doesDelete, "os.unlink": doesDelete, "unlink": doesDelete, "os.rmdir": doesDelete, "os.removedirs": doesTree, ".unlink": doesDelete, ".rmdir": doesDelete,
		"open": doesWrite, ".write_text": doesWrite, ".write_bytes": doesWrite, "shutil.move": doesMove, "os.rename": doesMove, "os.replace": doesMove, "os.truncate": doesWrite,
		"exec": doesHide, "eval": doesHide, "compile": doesHide, "__import__": doesHide, "getattr": doesHide, "importlib.import_module": doesHide, "marshal.loads": doesHide, "runpy.run_path": doesHide, "ctypes.CDLL": doesHide,
		".execute": doesSQL, ".executescript": doesSQL, ".executemany": doesSQL,
	},
	"node": {
		"child_process.exec": doesShell, "child_process.execSync": doesShell, "cp.exec": doesShell, "cp.execSync": doesShell, "execSync": doesShell, ".execSync": doesShell, "exec": doesShell, "().exec": doesShell,
		"child_process.spawn": doesArgv, "child_process.spawnSync": doesArgv, "spawn": doesArgv, "spawnSync": doesArgv, ".spawnSync": doesArgv, "().spawn": doesArgv, "execFile": doesArgv, "execFileSync": doesArgv, ".execFileSync": doesArgv, ".execFile": doesArgv,
		"execa": doesArgv, "execaSync": doesArgv, "Bun.spawn": doesArgv, "Bun.spawnSync": doesArgv, "Deno.Command": doesArgv, "cp.spawn": doesArgv, "shell.exec": doesShell, "execaCommand": doesShell,
		".rmSync": doesTree, "rmSync": doesTree, "fs.rm": doesTree, "().rm": doesTree, "promises.rm": doesTree, "fsp.rm": doesTree, "rm": doesTree, "fs.promises.rm": doesTree, "fs.remove": doesTree, "fs.removeSync": doesTree, "fse.remove": doesTree, "fse.removeSync": doesTree, "fs.emptyDirSync": doesTree, "rimraf": doesTree, "rimraf.sync": doesTree, "rimrafSync": doesTree, "del": doesTree, "deleteAsync": doesTree, "deleteSync": doesTree,
		"Deno.remove": doesTree, "Deno.removeSync": doesTree, ".rmdirSync": doesTree, "fs.rmdir": doesTree, "().rmdir": doesTree, ".unlinkSync": doesDelete, "unlinkSync": doesDelete, "fs.unlink": doesDelete, "().unlink": doesDelete, "fsp.unlink": doesDelete, "promises.unlink": doesDelete, "fs.promises.unlink": doesDelete, "unlink": doesDelete, "shell.rm": doesTree,
		".writeFileSync": doesWrite, "writeFileSync": doesWrite, "fs.writeFile": doesWrite, ".truncateSync": doesWrite, ".renameSync": doesMove, "fs.rename": doesMove, "Bun.write": doesWrite, "Deno.writeTextFile": doesWrite, "fs.promises.writeFile": doesWrite, "().writeFile": doesWrite,
		"eval": doesHide, "Function": doesHide, "vm.runInThisContext": doesHide, "vm.runInNewContext": doesHide, "process.binding": doesHide, "process.dlopen": doesHide,
		".query": doesSQL, ".execute": doesSQL,
	},
	"perl": {
		"system": doesShell, "exec": doesShell, "qx": doesShell, "unlink": doesDelete, "rmtree": doesTree, "remove_tree": doesTree, "rmdir": doesDelete, "rename": doesMove, "eval": doesHide, "do": doesHide, "syscall": doesHide, "File::Path::rmtree": doesTree, "File::Path::remove_tree": doesTree,
	},
	"ruby": {
		"system": doesShell, "exec": doesShell, "spawn": doesShell, "Kernel.system": doesShell, "Kernel.exec": doesShell, "IO.popen": doesShell, "Open3.capture2": doesShell, "Open3.capture2e": doesShell, "Open3.capture3": doesShell, "Open3.popen3": doesShell, "Process.spawn": doesShell, "Process.exec": doesShell, "sh": doesShell,
		"File.delete": doesDelete, "File.unlink": doesDelete, "FileUtils.rm": doesDelete, "FileUtils.rm_f": doesDelete, "FileUtils.rm_rf": doesTree, "FileUtils.rm_r": doesTree, "FileUtils.remove_dir": doesTree, "FileUtils.remove_entry": doesTree, "FileUtils.remove_entry_secure": doesTree, "FileUtils.rmtree": doesTree, "rm_rf": doesTree, "rm_r": doesTree, "Dir.rmdir": doesDelete, "Dir.delete": doesDelete, "Dir.unlink": doesDelete, "Pathname.delete": doesDelete, ".rmtree": doesTree,
		"File.write": doesWrite, "File.truncate": doesWrite, "File.rename": doesMove, "FileUtils.mv": doesMove, "eval": doesHide, "instance_eval": doesHide, ".send": doesHide, "Object.const_get": doesHide,
	},
	"php": {
		"system": doesShell, "exec": doesShell, "shell_exec": doesShell, "passthru": doesShell, "popen": doesShell, "proc_open": doesShell, "pcntl_exec": doesArgv, "unlink": doesDelete, "rmdir": doesDelete, "rename": doesMove, "file_put_contents": doesWrite, "eval": doesHide, "assert": doesHide, "create_function": doesHide, "call_user_func": doesHide,
	},
	"lua": {"os.execute": doesShell, "io.popen": doesShell, "os.remove": doesDelete, "os.rename": doesMove, "load": doesHide, "loadstring": doesHide, "dofile": doesHide},
	"r":   {"system": doesShell, "system2": doesArgv, "shell": doesShell, "unlink": doesTree, "file.remove": doesDelete, "eval": doesHide, "source": doesHide},
	"awk": {"system": doesShell},
}

// code looks for calls that do harm. It reads calls and their literal
// arguments, no more: what it cannot read becomes an unknown word.
func (r *run) code(c *call, lang, text string, where whereCode) {
	if r.nested -= len(text) / 2; r.nested < 0 {
		panic(stop{"too large inside"})
	}
	if lang == "osascript" {
		r.appleScript(c, text)
		return
	}
	table := deeds[lang]
	if table == nil {
		r.ask("analysis.unknown-text", c.span, "Runs code of a language that is not followed.")
		return
	}
	if strings.Contains(text, wildMark) || strings.Contains(text, plainMark) {
		r.marked = true
	}
	if where == onLine && strings.Contains(text, "onnect(") && (strings.Contains(text, "/sh") || strings.Contains(text, "/bash") || strings.Contains(text, "cmd.exe")) {
		r.match(&call{s: c.s, env: c.env, words: []word{literal("reverse-shell")}, span: c.span}, "reverse-shell")
	}
	s := codeScanner{r: r, c: c, lang: lang, text: text, table: table, where: where}
	s.imports()
	s.scan()
}

func (r *run) appleScript(c *call, text string) {
	rest := text
	for {
		i := strings.Index(strings.ToLower(rest), "do shell script")
		if i < 0 {
			return
		}
		rest = rest[i+len("do shell script"):]
		q := strings.TrimLeft(rest, " \t")
		if q == "" || q[0] != '"' {
			r.ask("analysis.unknown-text", c.span, "Runs shell text that cannot be known before.")
			return
		}
		end := skipQuoted(q, 0)
		r.runText(c, literal(string(ansiC(nil, q[1:max(1, end-1)]))), value{})
	}
}

// codeScanner walks the text of a program once.
type codeScanner struct {
	r     *run
	c     *call
	lang  string
	text  string
	table map[string]deed
	where whereCode
	as    map[string]string // names that imports give: sp stands for subprocess
	i     int
	last  []argument // of the call just before a dot: Path("x").unlink()
	dot   bool       // the next name follows a call
}

func (s *codeScanner) scan() {
	for s.i < len(s.text) {
		s.r.spend(1)
		c := s.text[s.i]
		switch {
		case s.comment():
			s.i = lineEnd(s.text, s.i)
		case c == '/' && s.lang == "node" && strings.HasPrefix(s.text[s.i:], "/*"):
			if j := strings.Index(s.text[s.i+2:], "*/"); j >= 0 {
				s.i += j + 4
			} else {
				s.i = len(s.text)
			}
		case c == '`' && s.lang != "python":
			s.backticks()
		case c == '"' || c == '\'':
			s.i = skipString(s.text, s.i, s.lang)
		case c == '%' && s.lang == "ruby" && s.i+2 < len(s.text) && s.text[s.i+1] == 'x' && !isWordByte(s.text[s.i+2]):
			s.delimited(s.i + 2)
		case isNameStart(c):
			s.name()
		default:
			s.i++
		}
	}
}

func (s *codeScanner) comment() bool {
	switch s.lang {
	case "node":
		return strings.HasPrefix(s.text[s.i:], "//") && (s.i == 0 || s.text[s.i-1] != ':')
	case "php":
		return strings.HasPrefix(s.text[s.i:], "//") || s.text[s.i] == '#'
	case "lua":
		return strings.HasPrefix(s.text[s.i:], "--")
	case "perl":
		return s.text[s.i] == '#' && (s.i == 0 || s.text[s.i-1] != '$')
	}
	return s.text[s.i] == '#'
}

// backticks run shell text in Perl, Ruby and PHP; in Node they are strings, unless behind $.
func (s *codeScanner) backticks() {
	start := s.i
	end := skipQuoted(s.text, s.i)
	body := s.text[start+1 : max(start+1, end-1)]
	shellish := s.lang != "node" || start > 0 && s.text[start-1] == '$'
	s.i = end
	if shellish {
		s.shell(stringArgument(body, strings.Contains(body, "#{") || strings.Contains(body, "${") || s.lang != "node" && strings.Contains(body, "$")))
	}
}

// delimited is the text of qx{…} and %x(…).
func (s *codeScanner) delimited(open int) {
	closer := map[byte]byte{'(': ')', '{': '}', '[': ']', '<': '>'}[s.text[open]]
	if closer == 0 {
		closer = s.text[open]
	}
	end := strings.IndexByte(s.text[open+1:], closer)
	if end < 0 {
		s.i = len(s.text)
		return
	}
	body := s.text[open+1 : open+1+end]
	s.i = open + end + 2
	s.shell(stringArgument(body, strings.ContainsAny(body, "$#")))
}

// name reads a dotted name and, if it is called, what the call does.
func (s *codeScanner) name() {
	start := s.i
	for s.i < len(s.text) {
		c := s.text[s.i]
		switch {
		case isWordByte(c) && c != '$':
			s.i++
			continue
		case c == '.' && s.i+1 < len(s.text) && isNameStart(s.text[s.i+1]):
			s.i++
			continue
		case strings.HasPrefix(s.text[s.i:], "?.") && s.i+2 < len(s.text) && isNameStart(s.text[s.i+2]):
			s.i += 2
			continue
		case strings.HasPrefix(s.text[s.i:], "::") && s.i+2 < len(s.text) && isNameStart(s.text[s.i+2]):
			s.i += 2
			continue
		}
		break
	}
	name := strings.ReplaceAll(s.text[start:s.i], "?.", ".")
	afterCall := s.dot
	if start > 0 && s.text[start-1] == '.' && !afterCall { // a method of what is no name: /x/.exec()
		name = "?." + name
	}
	if !afterCall {
		name = s.meaning(name)
	}
	s.dot = false
	if start > 0 && (s.text[start-1] == '$' || s.text[start-1] == '@') && s.lang != "node" {
		return // a variable
	}
	j := s.i
	for j < len(s.text) && (s.text[j] == ' ' || s.text[j] == '\t') {
		j++
	}
	if s.lang == "perl" && name == "qx" && j < len(s.text) {
		s.delimited(j)
		return
	}
	called := j < len(s.text) && s.text[j] == '('
	bare := !called && (s.lang == "perl" || s.lang == "ruby" || s.lang == "php") && j > s.i && j < len(s.text) && strings.IndexByte("\"'%<$@", s.text[j]) >= 0
	d := s.deed(name, afterCall)
	if !called && !bare {
		follows := (s.lang == "perl" || s.lang == "ruby") && j > s.i && j < len(s.text) && isNameStart(s.text[j])
		if follows && d != 0 && d != doesHide { // unlink glob "*"
			s.do(d, name, nil, nil, false)
		}
		if s.where == onLine && d != 0 && d != doesWrite && d != doesSQL && strings.Contains(name, ".") && (s.lang == "python" || s.lang == "node") && !s.importing(start) {
			s.hidden(name, argument{unknown: true}) // f = os.system
		}
		return
	}
	args, end := parseArguments(s.text, j, called, s.lang)
	if d == doesHide && s.where == inFile {
		d = 0
	}
	receiver := s.last
	s.last = args
	if d == 0 {
		s.i = j + 1
		if called && end < len(s.text) && s.text[end] == '.' && !nested(s.text[j:end]) {
			s.i, s.dot = end+1, true
		}
		return
	}
	s.i = j + 1
	s.do(d, name, args, receiver, afterCall)
	if !called {
		s.i = end
	}
}

// importing reports whether a name stands in an import, where it is only named.
func (s *codeScanner) importing(start int) bool {
	line := s.text[strings.LastIndexAny(s.text[:start], "\n;")+1 : start]
	return strings.Contains(line, "import")
}

// nested reports whether arguments hold calls that must be looked at themselves.
func nested(text string) bool { return strings.Count(text, "(") > 1 }

// imports reads what names stand for: import a as b, from a import b, b = require("a").
func (s *codeScanner) imports() {
	if s.lang != "python" && s.lang != "node" || !strings.Contains(s.text, "import") && !strings.Contains(s.text, "require") {
		return
	}
	s.as = map[string]string{}
	for line := range strings.FieldsFuncSeq(s.text, func(c rune) bool { return c == '\n' || c == ';' }) {
		s.r.spend(1)
		f := strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t,(){}'\"=:", c) })
		switch {
		case len(f) > 1 && f[0] == "import":
			s.named("", f[1:])
		case len(f) > 3 && f[0] == "from" && f[2] == "import":
			s.named(f[1]+".", f[3:])
		case s.lang == "node" && len(f) > 2 && strings.Contains(line, "require"):
			if k := indexText(f, "require"); k > 0 && k+1 < len(f) {
				module := f[k+1]
				if module == "node" && k+2 < len(f) { // node:fs
					module = f[k+2]
				}
				if k == 2 && !strings.Contains(line, "{") {
					s.as[f[1]] = module
				}
			}
		}
	}
}

func indexText(list []string, text string) int {
	for i, t := range list {
		if t == text {
			return i
		}
	}
	return -1
}

// named takes a, b as c: what each name stands for.
func (s *codeScanner) named(prefix string, words []string) {
	for i := 0; i < len(words); i++ {
		if i+2 < len(words) && words[i+1] == "as" {
			s.as[words[i+2]] = prefix + words[i]
			i += 2
		} else if prefix != "" {
			s.as[words[i]] = prefix + words[i]
		}
	}
}

// meaning is a name with what an import made of its first part.
func (s *codeScanner) meaning(name string) string {
	head, rest, dotted := strings.Cut(name, ".")
	full, ok := s.as[head]
	if !ok {
		return name
	}
	if dotted {
		return full + "." + rest
	}
	return full
}

func (s *codeScanner) deed(name string, afterCall bool) deed {
	if afterCall {
		if d := s.table["()."+name]; d != 0 {
			return d
		}
		return s.table["."+name]
	}
	if d := s.table[name]; d != 0 {
		return d
	}
	if i := strings.LastIndexAny(name, ".:"); i >= 0 {
		return s.table["."+name[i+1:]]
	}
	return 0
}

func (s *codeScanner) do(d deed, name string, args, receiver []argument, afterCall bool) {
	first := argument{unknown: true}
	if len(args) > 0 {
		first = args[0]
	}
	target := first
	if afterCall || strings.Contains(name, ".") && s.table[name] == 0 && (d == doesDelete || d == doesTree || d == doesWrite) && s.lang == "python" {
		target = argument{unknown: true}
		if afterCall && len(receiver) > 0 && s.lang == "python" {
			target = receiver[0]
		} else if s.lang != "python" {
			target = first
		}
	}
	s.r.note(s.c.s, s.c.span, s.lang+" calls "+name)
	switch d {
	case doesShell:
		if len(args) > 1 && (s.lang == "perl" || s.lang == "ruby") && !first.unknown && !args[1].keyed {
			s.argv(args)
			return
		}
		if first.list != nil {
			s.argv(args)
			return
		}
		s.shell(first)
	case doesArgv:
		s.argv(args)
	case doesDelete:
		s.like("rm", "-f", target)
	case doesTree:
		s.like("rm", "-rf", target)
	case doesMove:
		if len(args) > 1 {
			s.r.call(s.c.with([]word{literal("mv"), args[0].word(), args[1].word()}))
		}
	case doesWrite:
		s.write(name, target, args)
	case doesSQL:
		s.statement(first)
	case doesHide:
		s.hidden(name, first)
	}
}

func (s *codeScanner) shell(a argument) {
	if a.unknown {
		s.r.ask("analysis.unknown-text", s.c.span, "Runs a command from code that cannot be known before.")
		return
	}
	s.r.runText(s.c, a.word(), value{})
}

func (s *codeScanner) argv(args []argument) {
	var words []word
	for _, a := range args {
		switch {
		case a.keyed:
		case a.list != nil:
			words = append(words, a.list...)
		default:
			words = append(words, a.word())
		}
	}
	if len(words) == 0 {
		return
	}
	if len(words) == 1 && strings.ContainsAny(words[0].text, " ;|&$") && words[0].known() { // a text for the shell
		s.r.runText(s.c, words[0], value{})
		return
	}
	if s.lang == "python" && len(words) > 1 && words[0].text == words[1].text { // os.execvp("rm", ["rm", …])
		words = words[1:]
	}
	s.r.call(s.c.with(words))
}

// like judges a deletion as the shell command that does the same.
func (s *codeScanner) like(program, flag string, a argument) {
	words := []word{literal(program), literal(flag), literal("--")}
	if a.list != nil {
		words = append(words, a.list...)
	} else {
		words = append(words, a.word())
	}
	s.r.call(s.c.with(words))
}

func (s *codeScanner) write(name string, target argument, args []argument) {
	if name == "open" {
		if len(args) < 2 || args[1].unknown || !strings.ContainsAny(args[1].text, "wx+") || strings.Contains(args[1].text, "a") {
			return
		}
		target = args[0]
	}
	if target.unknown { // a file of its own choosing: what programs do
		return
	}
	s.r.match(&call{s: s.c.s, env: s.c.env, words: []word{literal(">"), target.word()}, span: s.c.span}, ">")
}

func (s *codeScanner) statement(a argument) {
	if a.unknown {
		return
	}
	c := s.c.with([]word{literal("psql"), literal("-c"), a.word()})
	c.name = "psql"
	s.r.match(c, "psql")
}

func (s *codeScanner) hidden(name string, a argument) {
	if !a.unknown && (name == "exec" || name == "eval") {
		s.r.code(s.c, s.lang, a.text, onLine)
		return
	}
	if s.lang == "perl" && name == "eval" || s.lang == "perl" && name == "do" {
		return // a block
	}
	s.r.ask("analysis.unknown-text", s.c.span, "Runs code that hides what it does ("+name+").")
}
