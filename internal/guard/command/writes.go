package command

import (
	"path"
	"strings"
)

// writeTargets are the files a call would write over.
func (m *matching) writeTargets() []resolved {
	if m.looked {
		return m.targets
	}
	m.looked = true
	ops := m.args.operands
	switch m.name {
	case ">", ">>", "tee", "truncate", "shred", "touch":
		m.writeTo(ops...)
	case "cp", "mv", "ln", "install", "rsync", "scp":
		m.copyTargets(ops)
	case "dd":
		for _, w := range ops {
			if of, ok := strings.CutPrefix(w.text, "of="); ok {
				w.text = of
				m.writeTo(w)
			}
		}
	default:
		for _, flag := range outputFlags[m.name] {
			if w, ok := flagValue(m.c.words, flag); ok {
				m.writeTo(w)
			}
		}
	}
	return m.targets
}

// outputFlags name the file a program writes.
var outputFlags = map[string][]string{
	"curl": {"-o", "--output"}, "wget": {"-O", "--output-document"}, "sort": {"-o", "--output"}, "openssl": {"-out"},
	"pg_dump": {"-f", "--file"}, "tar": {"-C", "--directory"}, "unzip": {"-d"}, "go": {"-o"}, "gcc": {"-o"}, "clang": {"-o"},
}

func (m *matching) writeTo(words ...word) {
	for _, w := range words {
		m.targets = append(m.targets, m.r.resolve(m.c.s, w))
	}
}

// copyTargets follows cp a b dir: the files that appear in dir.
func (m *matching) copyTargets(ops []word) {
	dest, ok := flagValue(m.c.words, "-t", "--target-directory")
	sources := ops
	if !ok {
		if len(ops) == 0 || len(ops) == 1 && m.name != "ln" {
			return
		}
		dest, sources = ops[len(ops)-1], ops[:len(ops)-1]
	}
	if isRemotePath(dest.text) && (m.name == "rsync" || m.name == "scp") {
		return
	}
	d := m.r.resolve(m.c.s, dest)
	into := d.abs != "" && (strings.HasSuffix(dest.text, "/") || d.abs == "/tmp" || m.r.made[d.abs] || m.r.stat(m.c.s, d.abs))
	if !into {
		m.targets = append(m.targets, d)
		return
	}
	if d.class == classSystem || d.class == classRoot || d.class == classHome || d.class == classDevice {
		m.targets = append(m.targets, d)
		return
	}
	for _, src := range sources {
		if src.known() && !src.glob() {
			joined := dest
			joined.text = path.Join(dest.text, path.Base(src.text))
			m.writeTo(joined)
		}
	}
}

// stat reports whether a folder is on disk.
func (r *run) stat(s *scope, abs string) bool {
	if r.a.fs == nil || s.remote {
		return false
	}
	r.spend(10)
	info, err := r.a.fs.Lstat(abs)
	return err == nil && info.IsDir()
}

// isRemotePath reports whether a word is host:path.
func isRemotePath(text string) bool {
	i := strings.IndexByte(text, ':')
	return i > 0 && !strings.Contains(text[:i], "/")
}

// flagValue finds the value of a flag: -o x, -ox, --output x, --output=x.
func flagValue(words []word, names ...string) (word, bool) {
	for i := 1; i < len(words); i++ {
		w := words[i]
		for _, name := range names {
			switch {
			case w.text == name && i+1 < len(words):
				return words[i+1], true
			case strings.HasPrefix(name, "--") && strings.HasPrefix(w.text, name+"="):
				w.text, w.flags = w.text[len(name)+1:], w.flags&^isExact
				return w, true
			case len(name) == 2 && len(w.text) > 2 && strings.HasPrefix(w.text, name) && w.text[0] == '-' && w.text[1] != '-':
				w.text, w.flags = w.text[2:], w.flags&^isExact
				return w, true
			}
		}
		if w.text == "--" {
			break
		}
	}
	return word{}, false
}
