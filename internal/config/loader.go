package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/suggest"
)

// loader puts the layers over each other and collects what is wrong.
type loader struct {
	env      environment
	dir      string // relative paths in variables and flags start here
	path     string // of the file; relative paths in it start beside it
	name     string // of the file, for people
	tree     *section
	config   Config
	origins  map[string]Origin
	problems Problems
	warnings []Problem
}

func newLoader(src Sources, env environment, path string) *loader {
	return &loader{
		env: env, dir: src.Dir, path: path, name: shortPath(path, src.Dir), tree: root(), origins: map[string]Origin{},
	}
}

// defaults sets what the tags say. They are checked by a test, not here.
func (l *loader) defaults() {
	walk(l.tree, func(f *Field) {
		l.origins[f.Path] = Origin{Source: FromDefault}
		if f.Default == "" {
			return
		}
		if v, p := f.fromText(f.Default); p == nil {
			f.of(&l.config).Set(v)
		}
	})
	l.config.Data = l.env.dataDir()
}

func (l *loader) file(f file) {
	n, bad := parse(f.path, f.text)
	if bad != nil {
		l.report(bad.at, "", "the file "+bad.message, "")
		return
	}
	l.table(l.tree, n)
}

// report adds a problem in the file.
func (l *loader) report(p position, key, message, hint string) {
	l.problems = append(l.problems, Problem{
		Where: at(l.name, p), File: l.name, Line: p.line, Column: p.column, Key: key, Message: message, Hint: hint,
	})
}

func (l *loader) table(s *section, n *node) {
	seen := map[string]position{}
	for _, e := range n.entries {
		key := join(s.path, e.key)
		if first, again := seen[e.key]; again {
			l.report(e.at, key, fmt.Sprintf("is given a second time, after line %d", first.line), "")
			continue
		}
		seen[e.key] = e.at
		if f, ok := s.fields[e.key]; ok {
			l.value(f, e)
			continue
		}
		child, ok := s.sections[e.key]
		switch {
		case !ok:
			l.report(e.at, key, "is not a known key", l.meant(s, e.key))
		case e.value.kind == table:
			l.table(child, e.value)
		case e.value.kind != null:
			l.report(e.value.at, key, "must be a table of keys, and is "+kindNames[e.value.kind], "")
		}
	}
}

// meant is the hint for a key that does not exist.
func (l *loader) meant(s *section, key string) string {
	if near, ok := suggest.Closest(key, s.names); ok {
		return fmt.Sprintf("Did you mean %q?", near)
	}
	var same string
	walk(l.tree, func(f *Field) {
		if f.Name() == strings.ToLower(key) {
			same = f.Path
		}
	})
	if same != "" {
		return fmt.Sprintf("Did you mean %q?", same)
	}
	names := slices.Sorted(slices.Values(s.names))
	return "Known here: " + strings.Join(names, ", ") + "."
}

// value sets a field from the file; nothing (key:) is the same as leaving it out.
func (l *loader) value(f *Field, e entry) {
	if e.value.kind == null {
		return
	}
	if f.each != nil {
		l.records(f, e)
		return
	}
	v, problems := f.fromNode(e.value, l.env.lookup)
	for _, p := range problems {
		l.report(p.at, join(f.Path, p.key), p.message, p.hint)
	}
	if len(problems) == 0 {
		l.set(f, v, Origin{FromFile, at(l.name, e.value.at)}, filepath.Dir(l.path))
	}
}

// set stores a checked value; dir is where a relative path starts.
func (l *loader) set(f *Field, v reflect.Value, from Origin, dir string) {
	if f.Format == "path" && v.Kind() == reflect.Slice {
		list := make([]string, v.Len())
		for i := range list {
			list[i] = absolute(v.Index(i).String(), l.env.home(), dir)
		}
		v = reflect.ValueOf(list)
	} else if f.Format == "path" {
		if v.String() == "" {
			return
		}
		v = reflect.ValueOf(absolute(v.String(), l.env.home(), dir))
	}
	f.of(&l.config).Set(v)
	l.origins[f.Path] = from
}

// variables sets what the environment says, and warns of names that are nearly right.
func (l *loader) variables() {
	known := map[string]bool{"FLUXWAY_CONFIG": true, "FLUXWAY_URL": true, "FLUXWAY_KEY": true}
	walk(l.tree, func(f *Field) {
		if f.each != nil {
			return
		}
		for _, name := range f.Also {
			name, meaning, fixed := strings.Cut(name, "=")
			if s, ok := l.env.get(name); ok && s.value != "" {
				if fixed {
					s.value = meaning
				}
				l.text(f, s.value, Origin{s.source, s.where(name)})
			}
		}
		known[f.Env] = true
		s, set := l.env.get(f.Env)
		set = set && s.value != ""
		if f.Secret {
			known[f.Env+"_FILE"] = true
			l.secretFile(f, set)
		}
		if set {
			l.text(f, s.value, Origin{s.source, s.where(f.Env)})
		}
	})
	l.vendorVariables()
	names := slices.Sorted(maps.Keys(known))
	for _, name := range slices.Sorted(maps.Keys(l.env)) {
		if !strings.HasPrefix(name, "FLUXWAY_") || known[name] {
			continue
		}
		if near, ok := suggest.Closest(name, names); ok {
			l.warnings = append(l.warnings, Problem{
				Where: l.env[name].where(name), Key: name, Message: "is not a variable this program reads", Hint: fmt.Sprintf("Did you mean %s?", near),
			})
		}
	}
}

// secretFile reads a secret from the file that NAME_FILE names.
func (l *loader) secretFile(f *Field, alsoSet bool) {
	if text, from, ok := l.fileOf(f.Env, f.Path, alsoSet); ok {
		l.text(f, text, from)
	}
}

// fileOf is what the file holds that NAME_FILE names.
func (l *loader) fileOf(variable, key string, alsoSet bool) (string, Origin, bool) {
	name := variable + "_FILE"
	s, ok := l.env.get(name)
	if !ok || s.value == "" {
		return "", Origin{}, false
	}
	from := Origin{s.source, s.where(name)}
	if alsoSet {
		l.problem(from, key, fmt.Sprintf("is given by both %s and %s", variable, name), "Unset one of them.")
		return "", from, false
	}
	text, err := readSecret(absolute(s.value, l.env.home(), l.dir))
	if err != nil {
		l.problem(from, key, err.Error(), "")
		return "", from, false
	}
	return text, from, true
}

// readSecret reads a short file and leaves its last line end out.
func readSecret(path string) (string, error) {
	secret, err := readFile(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("the file %s %w", path, err)
	case !secret.exists:
		return "", errors.New("the file " + path + " does not exist")
	case len(secret.text) > 64<<10:
		return "", errors.New("the file " + path + " is larger than 64 kB")
	}
	return strings.TrimRight(string(secret.text), "\r\n"), nil
}

func (l *loader) flags(flags map[string]string) {
	for _, path := range slices.Sorted(maps.Keys(flags)) {
		from := Origin{FromFlag, "--" + path}
		f, ok := l.tree.find(path)
		if !ok {
			var paths []string
			walk(l.tree, func(f *Field) { paths = append(paths, f.Path) })
			hint := ""
			if near, ok := suggest.Closest(path, paths); ok {
				hint = fmt.Sprintf("Did you mean %q?", near)
			}
			l.problem(from, path, "is not a known key", hint)
			continue
		}
		l.text(f, flags[path], from)
	}
}

// text sets a field from a variable or flag.
func (l *loader) text(f *Field, s string, from Origin) {
	v, p := f.fromText(s)
	if p != nil {
		l.problem(from, join(f.Path, p.key), p.message, p.hint)
		return
	}
	l.set(f, v, from, l.dir)
}

func (l *loader) problem(from Origin, key, message, hint string) {
	l.problems = append(l.problems, Problem{Where: from.Where, Key: key, Message: message, Hint: hint})
}

// settle checks what only the whole can show.
func (l *loader) settle() {
	c := &l.config
	if c.Data == "" {
		l.problem(Origin{}, "data", "has no value, and there is no home folder to put it in", "Set FLUXWAY_HOME.")
	}
	if c.OIDC.Issuer != "" && c.OIDC.ClientID == "" {
		l.problem(l.origins["oidc.issuer"], "oidc.client_id", "is needed with oidc.issuer", "")
	}
	if c.OIDC.Issuer == "" && c.OIDC.ClientID != "" {
		l.problem(l.origins["oidc.client_id"], "oidc.issuer", "is needed with oidc.client_id", "")
	}
	l.settleProviders()
	l.settleModels()
	l.settleAgents()
}
