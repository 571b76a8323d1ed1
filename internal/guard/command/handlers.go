package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// newHandlers lists the programs that run other commands, or change the shell itself.
func newHandlers() map[string]handler {
	h := map[string]handler{
		"eval": evalText, "source": sourceFile, ".": sourceFile, "alias": setAlias, "unalias": unsetAlias, "cd": changeDir, "pushd": changeDir,
		"set": setArgs, "unset": unsetVars, "read": readVars, "mapfile": readVars, "readarray": readVars, "export": exportVars, "local": exportVars,
		"declare": exportVars, "typeset": exportVars, "readonly": exportVars, "printf": printfVar, "trap": trapText, "getopts": readVars, "shift": forgetArgs,
		"xargs": xargs, "parallel": parallel, "find": find, "fd": fdExec, "fdfind": fdExec, "watch": joinedText,
		"ssh": ssh, "su": suText, "runuser": suText, "script": suText, "flock": flock, "tmux": tmux, "screen": screen, "at": stdinText, "batch": stdinText, "crontab": crontab,
		"hyperfine": eachText, "concurrently": eachText, "nodemon": nodemon, "nix-shell": nixShell, "ansible": ansible, "gcloud": gcloudSSH, "vagrant": vagrantSSH,
		"python": interpreter, "python3": interpreter, "python2": interpreter, "pypy3": interpreter, "node": interpreter, "nodejs": interpreter, "deno": interpreter, "bun": bun,
		"perl": interpreter, "ruby": interpreter, "php": interpreter, "lua": interpreter, "osascript": interpreter, "tsx": interpreter, "ts-node": interpreter, "Rscript": interpreter,
		"awk": awk, "gawk": awk, "mawk": awk, "nawk": awk, "sed": sed, "gsed": sed,
		"make": makeTargets, "gmake": makeTargets, "npm": npmScript, "pnpm": npmScript, "yarn": npmScript, "git": git, "busybox": busybox, "rimraf": rimraf, "del-cli": rimraf, "trash": rimraf, "trash-put": rimraf, "toybox": busybox,
		"pwsh": pwsh, "powershell": pwsh, "cmd": pwsh, "docker": docker, "podman": docker, "nerdctl": docker, "docker-compose": compose, "kubectl": kubectl, "oc": kubectl,
		"vim": editorCommands, "vi": editorCommands, "nvim": editorCommands, "ed": stdinUnknown, "ex": editorCommands, "expect": stdinUnknown,
	}
	for _, name := range []string{"sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "rbash"} {
		h[name] = shell
	}
	for name := range wrappers {
		if h[name] == nil {
			h[name] = wrapped
		}
	}
	return h
}

// wrapper says how to find the command inside a command such as sudo.
type wrapper struct {
	sub      string // operands that come first, by name: "run", "exec"
	values   string // flags with a value
	operands int    // to skip
	dash     bool   // only what follows -- runs, if there is one
	text     string // flags whose value is shell text
	bare     string // flags that make it run nothing
	remote   bool
	fetched  bool // the first word is a package: strip its version
}

// wrappers by program; the first whose sub fits is used.
var wrappers = map[string][]wrapper{
	"sudo":             {{values: "-u -g -h -p -C -D -R -r -t -T -U --user --group --host --prompt --chdir --chroot --close-from --role --type", bare: "-l -v -k -K --list --validate"}},
	"doas":             {{values: "-u -C -a", bare: "-L"}},
	"env":              {{values: "-u --unset -C --chdir", text: "-S --split-string"}},
	"nohup":            {{}},
	"timeout":          {{values: "-s -k --signal --kill-after", operands: 1}},
	"gtimeout":         {{values: "-s -k --signal --kill-after", operands: 1}},
	"nice":             {{values: "-n --adjustment"}},
	"ionice":           {{values: "-c -n -t --class --classdata"}},
	"chrt":             {{values: "-T -P -D", operands: 1}},
	"taskset":          {{values: "-c --cpu-list", operands: 1}},
	"setsid":           {{}},
	"stdbuf":           {{values: "-i -o -e --input --output --error"}},
	"unbuffer":         {{}},
	"time":             {{values: "-f -o --format --output"}},
	"command":          {{bare: "-v -V"}},
	"builtin":          {{}},
	"exec":             {{values: "-a"}},
	"noglob":           {{}},
	"nocorrect":        {{}},
	"strace":           {{values: "-e -o -p -s -u -E -P -a -I -O -S -X"}},
	"ltrace":           {{values: "-e -o -p -s -u"}},
	"caffeinate":       {{values: "-t -w"}},
	"chroot":           {{values: "--userspec --groups", operands: 1}},
	"unshare":          {{values: "-S -G -R -w"}},
	"nsenter":          {{values: "-t -S -G -r -w --target"}},
	"systemd-run":      {{values: "-p -u -E -M -H --unit --property --slice --uid --gid --description --setenv"}},
	"pkexec":           {{values: "--user"}},
	"xvfb-run":         {{values: "-e -f -n -p -s -w --server-args"}},
	"dbus-run-session": {{}},
	"firejail":         {{}},
	"proot":            {{values: "-r -b -w -q"}},
	"setarch":          {{operands: 1}},
	"prlimit":          {{}},
	"catchsegv":        {{}},
	"rlwrap":           {{values: "-a -f -H -s"}},
	"entr":             {{}},
	"cross-env":        {{}},
	"dotenv":           {{values: "-e -f -v", dash: true}},
	"npx":              {{values: "-p --package", text: "-c --call", fetched: true}},
	"bunx":             {{fetched: true}},
	"pnpx":             {{fetched: true}},
	"uvx":              {{values: "--from --with --python -p --index-url", fetched: true}},
	"pipx":             {{sub: "run", values: "--spec --python", fetched: true}},
	"uv":               {{sub: "run", values: "--with --extra --group --python -p --env-file --package --directory --project"}, {sub: "tool run", values: "--from --with", fetched: true}},
	"poetry":           {{sub: "run", values: "-C --directory -P --project"}},
	"pipenv":           {{sub: "run"}},
	"pdm":              {{sub: "run"}},
	"hatch":            {{sub: "run"}},
	"rye":              {{sub: "run"}},
	"bundle":           {{sub: "exec"}},
	"mise":             {{sub: "exec", dash: true}, {sub: "x", dash: true}},
	"asdf":             {{sub: "exec"}},
	"rbenv":            {{sub: "exec"}},
	"pyenv":            {{sub: "exec"}},
	"volta":            {{sub: "run", values: "--node --npm --yarn"}},
	"fnm":              {{sub: "exec", values: "--using"}},
	"direnv":           {{sub: "exec", operands: 1}},
	"conda":            {{sub: "run", values: "-n -p --name --prefix --cwd"}},
	"mamba":            {{sub: "run", values: "-n -p --name --prefix"}},
	"aws-vault":        {{sub: "exec", operands: 1, dash: true}},
	"op":               {{sub: "run", values: "--env-file", dash: true}},
	"doppler":          {{sub: "run", values: "-p -c --project --config", text: "--command", dash: true}},
	"infisical":        {{sub: "run", values: "--env --path --projectId", dash: true}},
	"nix":              {{sub: "develop", values: "-c --command", dash: true}, {sub: "shell", dash: true}},
	"lerna":            {{sub: "exec", values: "--scope --concurrency", dash: true}},
	"corepack":         {{}},
	"heroku":           {{sub: "run", values: "-a --app -r --remote", remote: true}},
	"fly":              {{sub: "ssh console", text: "-C --command", remote: true}},
	"flyctl":           {{sub: "ssh console", text: "-C --command", remote: true}},
	"railway":          {{sub: "run"}},
	"lima":             {{remote: true}},
	"limactl":          {{sub: "shell", operands: 1, remote: true}},
	"multipass":        {{sub: "exec", operands: 1, dash: true, remote: true}},
	"lxc":              {{sub: "exec", operands: 1, dash: true, remote: true}},
	"incus":            {{sub: "exec", operands: 1, dash: true, remote: true}},
	"wsl":              {{values: "-d -u --distribution --user", remote: true}},
	"devcontainer":     {{sub: "exec", values: "--workspace-folder --container-id", remote: true}},
	"distrobox":        {{sub: "enter", dash: true, remote: true}},
	"toolbox":          {{sub: "run", values: "-c", remote: true}},
	"nvm":              {{sub: "exec", operands: 1}, {sub: "run", operands: 1}},
	"rustup":           {{sub: "run", operands: 1}},
	"rtk":              {{}},
	"reptyr":           {{}},
	"valgrind":         {{}},
	"perf":             {{sub: "record", values: "-o -e -F -g", dash: true}, {sub: "stat", values: "-e -r", dash: true}},
}

// wrapped runs what a wrapper wraps.
func wrapped(r *run, c *call) (value, bool) {
	for _, w := range wrappers[c.name] {
		rest, ok := w.skip(c)
		if !ok {
			continue
		}
		next := *c
		s := c.env.child()
		s.dir = c.s.dir
		next.s, next.env = s, s
		if w.remote {
			s.remote, s.dir, s.root = true, "", ""
		}
		if text, ok := w.shellText(c.words, rest); ok {
			r.note(c.s, c.span, c.name+" runs the text of a flag")
			return r.runText(&next, text, c.in), true
		}
		rest = r.assignments(s, c.words, rest)
		if rest >= len(c.words) || w.isBare(c.words[1:rest]) {
			return r.wrapsNothing(c), true
		}
		words := c.words[rest:]
		if w.fetched {
			words = append([]word{packageName(words[0])}, words[1:]...)
		}
		r.note(c.s, c.span, c.name+" runs "+words[0].shown())
		return r.call((&next).with(words)), true
	}
	return value{}, false
}

// wrapsNothing: sudo -l, env, exec >file.
func (r *run) wrapsNothing(c *call) value {
	if c.name == "sudo" && c.in.state != nothing && (hasWord(c.words, "-s") || hasWord(c.words, "-i")) {
		return r.runStream(c, c.in)
	}
	r.record(c, Allow, "")
	return r.output(c)
}

func hasWord(words []word, text string) bool {
	for _, w := range words {
		if w.text == text {
			return true
		}
	}
	return false
}

// skip finds where the wrapped command starts; false: this is another use of the program.
func (w wrapper) skip(c *call) (int, bool) {
	i := 1
	if w.sub != "" {
		for want := range strings.FieldsSeq(w.sub) {
			for i < len(c.words) && strings.HasPrefix(c.words[i].text, "-") {
				i++
			}
			if i >= len(c.words) || c.words[i].text != want {
				return 0, false
			}
			i++
		}
	}
	if w.dash {
		for j := i; j < len(c.words); j++ {
			if c.words[j].text == "--" {
				return j + 1, true
			}
		}
	}
	left := w.operands
	for i < len(c.words) {
		text := c.words[i].text
		switch {
		case text == "--":
			i++
			if left == 0 {
				return i, true
			}
		case len(text) > 1 && text[0] == '-':
			i++
			if takesValue(w.values, text) {
				i++
			}
			if c.name == "nix" && (text == "-c" || text == "--command") {
				return i - 1, true
			}
		case left > 0:
			left--
			i++
		default:
			return i, true
		}
	}
	return i, true
}

// takesValue reports whether a flag's value is the next word.
func takesValue(list, flag string) bool {
	if list == "" || strings.Contains(flag, "=") {
		return false
	}
	for v := range strings.FieldsSeq(list) {
		if v == flag || len(v) == 2 && len(flag) > 2 && flag[1] != '-' && strings.HasSuffix(flag, v[1:]) && strings.IndexByte(flag, v[1]) == len(flag)-1 {
			return true
		}
	}
	return false
}

func (w wrapper) isBare(flags []word) bool {
	for b := range strings.FieldsSeq(w.bare) {
		if hasWord(flags, b) {
			return true
		}
	}
	return false
}

// shellText finds the value of a flag that holds shell text, before the wrapped command starts.
func (w wrapper) shellText(words []word, until int) (word, bool) {
	if w.text == "" {
		return word{}, false
	}
	v, ok := flagValue(words[:min(until+1, len(words))], strings.Fields(w.text)...)
	return v, ok
}

// assignments takes VAR=value words in front of the wrapped command.
func (r *run) assignments(s *scope, words []word, i int) int {
	for ; i < len(words); i++ {
		name, val, ok := strings.Cut(words[i].text, "=")
		if !ok || !syntax.ValidName(name) {
			break
		}
		s.set(name, []word{{text: val, flags: words[i].flags &^ isExact, from: words[i].from}})
	}
	return i
}

func packageName(w word) word {
	text := w.text
	if i := strings.LastIndexByte(text, '@'); i > 0 {
		text = text[:i]
	}
	w.text = text
	return w
}

func busybox(r *run, c *call) (value, bool) {
	if len(c.words) < 2 {
		return value{}, false
	}
	return r.call(c.with(c.words[1:])), true
}

// rimraf deletes folders without a flag: it is judged as rm -rf.
func rimraf(r *run, c *call) (value, bool) {
	words := []word{literal("rm"), literal("-rf"), literal("--")}
	for _, w := range c.words[1:] {
		if !strings.HasPrefix(w.text, "-") {
			words = append(words, w)
		}
	}
	return r.call(c.with(words)), true
}
