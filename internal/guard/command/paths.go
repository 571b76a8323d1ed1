package command

import (
	"io/fs"
	"path"
	"strings"
)

// class says how bad it is to lose a path.
type class uint8

const (
	classUnknown     class = iota // cannot be told
	classNull                     // /dev/null and friends
	classTemporary                // below a folder for temporary files
	classRegenerable              // made again by a build: node_modules, dist
	classInside                   // in the project
	classProject                  // the project itself, a folder above it, or its .git
	classOutside                  // elsewhere
	classHome                     // the home folder or what is right below it
	classSystem                   // belongs to the operating system
	classRoot                     // / or a folder right below it
	classDevice                   // a disk
	classSocket                   // /dev/tcp/…: another machine
	classMaybeRoot                // $X/*: everything, if X is empty
	classSecret                   // (also) keys and credentials
	classDotenv                   // (also) a .env file
	classKeep                     // (also) exists and holds something
)

var classNames = map[string]class{
	"unknown": classUnknown, "temporary": classTemporary, "regenerable": classRegenerable, "inside": classInside,
	"project": classProject, "outside": classOutside, "home": classHome, "system": classSystem, "root": classRoot,
	"device": classDevice, "socket": classSocket, "maybe-root": classMaybeRoot, "secret": classSecret, "dotenv": classDotenv, "existing": classKeep,
}

// resolved is a word as a path.
type resolved struct {
	word  word
	abs   string // "": unknown
	class class
	also  class // classSecret or classDotenv, or 0
}

func (p *resolved) is(c class) bool { return p.class == c || c != 0 && p.also == c }

// resolve finds where a word points, and what is there.
func (r *run) resolve(s *scope, w word) resolved {
	r.spend(4)
	for i := range r.recent[:min(r.resolved, len(r.recent))] { // several rules ask about the same words
		if l := &r.recent[i]; l.text == w.text && l.dir == s.dir && l.flags == w.flags && l.root == s.root && l.remote == s.remote {
			p := l.p
			p.word = w
			return p
		}
	}
	p := r.locate(s, w)
	r.recent[r.resolved%len(r.recent)] = location{w.text, s.dir, s.root, w.flags, s.remote, p}
	r.resolved++
	return p
}

func (r *run) locate(s *scope, w word) resolved {
	p := resolved{word: w}
	text := w.text
	if w.wild() {
		if rest := strings.ReplaceAll(text, wildMark, ""); strings.HasPrefix(text, wildMark) && len(rest) > 0 && strings.Trim(rest, "/*.") == "" {
			p.class = classMaybeRoot
		}
		p.also = secrecy(text, r.a.home)
		return p
	}
	if text == "" || strings.Contains(text, "://") {
		return p
	}
	switch {
	case text[0] == '/':
		p.abs = path.Clean(text)
	case len(text) > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/'):
		p.class = classOutside
		if len(text) < 5 {
			p.class = classRoot
		}
		return p
	case s.dir != "":
		p.abs = below(s.dir, text)
	default:
		p.also = secrecy(text, r.a.home)
		return p
	}
	p.also = secrecy(p.abs, r.a.home)
	p.class = r.classify(s, p.abs, w.glob())
	if r.a.fs != nil && !s.remote && s.root != "" && (p.class == classInside || p.class == classRegenerable) && r.linked(s.root, p.abs) {
		p.class = classOutside
	}
	return p
}

// below is path.Join of a clean folder and a text.
func below(dir, text string) string {
	if text[0] == '.' || text[len(text)-1] == '/' || strings.Contains(text, "//") || strings.Contains(text, "/.") || dir == "/" {
		return path.Join(dir, text)
	}
	return dir + "/" + text
}

// linked reports whether a folder on the way from root to abs is a link.
func (r *run) linked(root, abs string) bool {
	rest := strings.TrimPrefix(abs, root)
	for i := 1; i < len(rest); i++ {
		if rest[i] != '/' {
			continue
		}
		r.spend(10)
		info, err := r.a.fs.Lstat(root + rest[:i])
		if err != nil {
			return false
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

func (r *run) classify(s *scope, abs string, glob bool) class {
	if glob {
		return r.classifyGlob(s, abs)
	}
	if strings.HasPrefix(abs, "/dev/") && !strings.HasPrefix(s.root, "/dev/shm/") {
		return deviceClass(abs)
	}
	if abs == "/" {
		return classRoot
	}
	if s.root != "" && s.root != "/" {
		if abs == s.root || strings.HasPrefix(s.root, abs+"/") {
			if c := r.general(abs); c != classOutside && c != classTemporary && abs != s.root {
				return c
			}
			return classProject
		}
		if rest, ok := strings.CutPrefix(abs, s.root+"/"); ok {
			return insideClass(rest)
		}
	}
	if strings.HasPrefix(abs, "/dev/") {
		return deviceClass(abs)
	}
	return r.general(abs)
}

func (r *run) classifyGlob(s *scope, abs string) class {
	i := strings.IndexAny(abs, "*?[")
	if i < 0 {
		return r.classify(s, abs, false)
	}
	dir, rest := path.Dir(abs[:i]+"x"), abs[i:]
	whole := strings.Trim(rest, "*?.[]!{}") == "" && strings.HasSuffix(abs[:i], "/")
	c := r.classify(s, dir, false)
	switch c {
	case classProject:
		if dir != s.root {
			return c
		}
		if whole {
			return classProject
		}
		return insideClass(strings.TrimPrefix(abs, s.root+"/"))
	case classInside, classRegenerable:
		return insideClass(strings.TrimPrefix(abs, s.root+"/"))
	case classOutside:
		if dir == "/tmp" || dir == "/var/tmp" {
			if whole || len(strings.Trim(rest, "*?.")) < 3 && path.Base(abs[:i]) == "tmp" {
				return classOutside
			}
			return classTemporary
		}
	}
	return c
}

func deviceClass(abs string) class {
	switch name := abs[len("/dev/"):]; {
	case name == "null", name == "stdout", name == "stderr", name == "stdin", name == "tty", name == "zero", name == "random", name == "urandom", strings.HasPrefix(name, "fd/"), strings.HasPrefix(name, "pts/"):
		return classNull
	case strings.HasPrefix(name, "tcp/"), strings.HasPrefix(name, "udp/"):
		if host := name[4:]; strings.HasPrefix(host, "localhost/") || strings.HasPrefix(host, "127.0.0.1/") {
			return classNull
		}
		return classSocket
	case strings.HasPrefix(name, "shm/"):
		return classTemporary
	}
	return classDevice
}

// insideClass classifies a path below the project.
func insideClass(rest string) class {
	for part := range strings.SplitSeq(rest, "/") {
		if regenerable[part] || strings.HasSuffix(part, ".egg-info") || strings.HasPrefix(part, "cmake-build-") {
			return classRegenerable
		}
	}
	base := path.Base(rest)
	if base == ".git" {
		return classProject
	}
	switch path.Ext(base) {
	case ".pyc", ".log", ".tmp", ".o", ".swp", ".class", ".test", ".prof", ".rej":
		return classRegenerable
	}
	return classInside
}

var regenerable = setOf("node_modules dist build target out .next .nuxt .cache __pycache__ .pytest_cache .mypy_cache .ruff_cache" +
	" coverage .coverage htmlcov .turbo .parcel-cache .gradle .venv venv .tox .nox .eggs tmp temp .tmp logs .svelte-kit .output .angular" +
	" bower_components Pods DerivedData .dart_tool obj _build .terraform storybook-static .vite .nyc_output test-results playwright-report" +
	" .eslintcache .DS_Store coverage.out coverage.txt coverage.xml .bundle .sass-cache .docusaurus public/build result a.out .build cover.out")

// general classifies a path without regard to the project.
func (r *run) general(abs string) class {
	home := r.a.home
	if abs == home || strings.HasPrefix(home, abs+"/") {
		if strings.Count(abs, "/") == 1 {
			return classRoot
		}
		return classHome
	}
	if rest, ok := strings.CutPrefix(abs, home+"/"); ok {
		if strings.HasPrefix(rest, ".cache/") || strings.HasPrefix(rest, "Library/Caches/") {
			return classRegenerable
		}
		if !strings.Contains(rest, "/") || strings.HasPrefix(rest, ".ssh/") || strings.HasPrefix(rest, ".gnupg/") || strings.HasPrefix(rest, ".config/") {
			return classHome
		}
		return classOutside
	}
	first, rest, deeper := strings.Cut(abs[1:], "/")
	switch first {
	case "tmp":
		if deeper {
			return classTemporary
		}
		return classOutside
	case "private", "var":
		if t, ok := strings.CutPrefix(rest, "tmp"); ok && strings.HasPrefix(t, "/") || strings.HasPrefix(rest, "folders/") || strings.HasPrefix(rest, "var/folders/") {
			return classTemporary
		}
	}
	if systemFolders[first] {
		if !deeper {
			return classRoot
		}
		return classSystem
	}
	if !deeper {
		return classRoot
	}
	if (first == "home" || first == "Users") && !strings.Contains(rest, "/") {
		return classHome
	}
	return classOutside
}

var systemFolders = setOf("bin boot dev etc lib lib32 lib64 opt proc root run sbin srv sys usr var System Library Applications private Windows cores snap nix")

// secrecy says whether a path names keys or credentials.
func secrecy(abs, home string) class {
	base := path.Base(abs)
	if base == ".env" || strings.HasPrefix(base, ".env.") {
		switch path.Ext(base) {
		case ".example", ".sample", ".template", ".dist", ".defaults", ".schema", ".test":
			return 0
		}
		return classDotenv
	}
	switch path.Ext(base) {
	case ".pub", ".go", ".py", ".js", ".ts", ".md":
		return 0
	case ".pem", ".p12", ".pfx", ".kdbx", ".jks", ".keystore", ".key":
		return classSecret
	}
	switch base {
	case "id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", ".netrc", ".pgpass", ".git-credentials", ".my.cnf", ".credentials.json", "shadow", "gshadow", "sudoers", "application_default_credentials.json", "master.key", ".vault-token", ".htpasswd":
		return classSecret
	case "credentials":
		return secretIf(strings.Contains(abs, "/.aws/") || strings.Contains(abs, "/.cargo/"))
	case "config":
		return secretIf(strings.HasSuffix(abs, "/.kube/config"))
	case "config.json":
		return secretIf(strings.HasSuffix(abs, "/.docker/config.json"))
	case "hosts.yml":
		return secretIf(strings.HasSuffix(abs, "/gh/hosts.yml"))
	case "auth.json":
		return secretIf(strings.Contains(abs, "/.codex/") || strings.Contains(abs, "/.composer/"))
	case ".npmrc", ".pypirc", ".bash_history", ".zsh_history":
		return secretIf(path.Dir(abs) == home)
	case "known_hosts", "authorized_keys":
		return 0
	}
	return secretIf(strings.Contains(abs, "/.ssh/") && strings.ContainsAny(base, "*?") || strings.Contains(abs, "/.gnupg/") ||
		strings.HasSuffix(abs, "/environ") && strings.HasPrefix(abs, "/proc/"))
}

func secretIf(yes bool) class {
	if yes {
		return classSecret
	}
	return 0
}

func setOf(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
