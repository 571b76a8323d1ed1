package config

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/kit/suggest"
)

// Patch is settings to write into the file.
type Patch struct {
	Set  map[string]any // by path, or by section with a map of its keys; nil takes a key out of the file
	ETag string         // Loaded.ETag of what the patch was made from; "": what was read last
}

// Saved is what came of a Patch.
type Saved struct {
	Change   Change            `json:"change"`
	ETag     string            `json:"etag"`
	Shadowed map[string]Origin `json:"shadowed,omitempty"` // saved, but a variable or flag says otherwise
}

// Save edits the file, keeping its comments and order, and puts what is live
// into effect. Nothing is written unless the result is valid, and nothing if the
// file changed since it was read. Without a file one is made.
func (r *Reloader) Save(ctx context.Context, patch Patch) (Saved, error) {
	if err := r.enter(ctx); err != nil {
		return Saved{}, err
	}
	defer r.leave()
	current := r.State().Loaded
	if current.Path == "" {
		return Saved{}, errNoPlace()
	}
	edits, paths, problems := patch.edits()
	if len(problems) > 0 {
		return Saved{}, problems
	}
	f, err := readFile(current.Path)
	if err != nil {
		return Saved{}, fmt.Errorf("reading %s: %w", current.Path, err)
	}
	etag := patch.ETag
	if etag == "" {
		etag = current.ETag
	}
	if err := f.unchanged(etag); err != nil {
		return Saved{}, err
	}
	next, err := applyEdits(f.path, f.text, edits)
	if err != nil {
		return Saved{}, err
	}
	l, change, err := r.put(ctx, f, next)
	if err != nil {
		return Saved{}, err
	}
	saved := Saved{Change: change, ETag: l.ETag, Shadowed: map[string]Origin{}}
	for _, path := range paths {
		if from := l.Origins[path]; from.Source != FromFile && from.Source != FromDefault {
			saved.Shadowed[path] = from
		}
	}
	return saved, nil
}

func errNoPlace() error {
	return fault.New(fault.Conflict, "config_no_place", "There is no folder for a configuration file.").WithHint("Set FLUXWAY_HOME.")
}

// unchanged says whether the file is still the one that a change was made from.
func (f file) unchanged(etag string) error {
	if f.etag() == etag {
		return nil
	}
	return fault.New(fault.Conflict, "config_changed", "%s was changed by someone else in the meantime.", filepath.Base(f.path)).
		WithHint("Read the configuration again and repeat the change.").WithDetail("etag", f.etag())
}

// put writes a text that is valid into the file and puts what is live into effect.
func (r *Reloader) put(ctx context.Context, f file, next []byte) (*Loaded, Change, error) {
	l, err := Check(r.src, f.path, next)
	if err != nil {
		return nil, Change{}, err
	}
	if string(next) != string(f.text) {
		if err := write(f.path, next); err != nil {
			return nil, Change{}, fmt.Errorf("writing %s: %w", f.path, err)
		}
		select {
		case r.made <- struct{}{}:
		default: // Run is told already
		}
	}
	return l, r.apply(ctx, l), nil
}

// edits checks a patch and turns it into changes of the file, in a fixed order.
func (p Patch) edits() (edits []edit, paths []string, problems Problems) {
	flat := map[string]any{}
	tree := root()
	for path, value := range p.Set {
		flatten(tree, path, value, flat)
	}
	add := func(f *Field, path string, parts []string, value any) {
		paths = append(paths, path)
		e := edit{path: parts}
		if value != nil {
			n, err := f.patched(path, value)
			if err != nil {
				problems = append(problems, err...)
				return
			}
			e.value = n
		}
		edits = append(edits, e)
	}
	var known []string
	walk(tree, func(f *Field) {
		known = append(known, f.Path)
		if f.each != nil {
			f.recordEdits(flat, add)
		}
		value, ok := flat[f.Path]
		if !ok {
			return
		}
		delete(flat, f.Path)
		add(f, f.Path, splitPath(f.Path), value)
	})
	for _, path := range slices.Sorted(maps.Keys(flat)) {
		p := Problem{Key: path, Message: "is not a known key"}
		if near, ok := suggest.Closest(path, known); ok {
			p.Hint = fmt.Sprintf("Did you mean %q?", near)
		}
		problems = append(problems, p)
	}
	return edits, paths, problems
}

// flatten spreads a map given for a section over its keys.
func flatten(tree *section, path string, value any, into map[string]any) {
	keys, isMap := value.(map[string]any)
	spreads, record := tree.spreads(path)
	if !isMap || !spreads || (record && len(keys) == 0) { // a name may be there without settings
		into[path] = value
		return
	}
	for key, v := range keys {
		flatten(tree, join(path, key), v, into)
	}
}

// spreads says whether a path holds keys of its own: a section, a table of
// settings, or a record, which is one name in such a table.
func (s *section) spreads(path string) (spreads, record bool) {
	if _, ok := s.section(path); ok {
		return true, false
	}
	walk(s, func(f *Field) {
		if f.each == nil {
			return
		}
		name, inside := strings.CutPrefix(path, f.Path+".")
		_, sub := f.split(name)
		record = record || (inside && sub == nil)
		spreads = spreads || path == f.Path || record
	})
	return spreads, record
}

func (s *section) section(path string) (*section, bool) {
	for key := range strings.SplitSeq(path, ".") {
		child, ok := s.sections[key]
		if !ok {
			return nil, false
		}
		s = child
	}
	return s, true
}

// patched is a value of a patch as the file will hold it.
func (f *Field) patched(path string, value any) (*node, Problems) {
	n, err := nodeOf(value)
	if err != nil {
		return nil, Problems{{Key: path, Message: err.Error()}}
	}
	var out Problems
	if f.Secret && masked(n) {
		return nil, Problems{{Key: path, Message: "is the sign for a hidden value", Hint: "Leave it out to keep the value, or give a new one."}}
	}
	_, problems := f.fromNode(n, func(string) (string, bool) { return "", false })
	for _, p := range problems {
		out = append(out, Problem{Key: join(path, p.key), Message: p.message, Hint: p.hint})
	}
	return n, out
}

func masked(n *node) bool {
	for _, e := range n.entries {
		if masked(e.value) {
			return true
		}
	}
	return n.kind == text && strings.Contains(n.text, secret.Mask)
}

// write replaces a file at once, through a link if it is one, and keeps its
// permissions; a new file is for its owner only, since it may hold secrets.
func write(path string, text []byte) error {
	mode := os.FileMode(0o600)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return renameio.WriteFile(path, text, mode, renameio.IgnoreUmask())
}
