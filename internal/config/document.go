package config

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
)

// Document is the settings file as people edit it whole.
type Document struct {
	Path string
	Text string // secrets hidden; SaveDocument puts them back
	ETag string
}

// Document reads the file. A file that cannot be parsed is not shown: nobody
// could say where its secrets stand.
func (r *Reloader) Document() (Document, error) {
	f, tree, err := r.document()
	if err != nil {
		return Document{}, err
	}
	shown, err := applyEdits(f.path, f.text, maskEdits(tree, &node{kind: text, text: secret.Mask}))
	if err != nil {
		return Document{}, err
	}
	return Document{Path: f.path, Text: string(shown), ETag: f.etag()}, nil
}

// SaveDocument replaces the file by a text that was made from Document. Hidden
// secrets stay as they are, and variables of the environment can be kept or
// taken out but not brought in: who may save settings may not read them.
func (r *Reloader) SaveDocument(ctx context.Context, doc, etag string) (Saved, error) {
	if err := r.enter(ctx); err != nil {
		return Saved{}, err
	}
	defer r.leave()
	f, before, err := r.document()
	if err != nil {
		return Saved{}, err
	}
	if err := f.unchanged(etag); err != nil {
		return Saved{}, err
	}
	next, err := unmasked(f.path, []byte(doc), before)
	if err != nil {
		return Saved{}, err
	}
	l, change, err := r.put(ctx, f, next)
	if err != nil {
		return Saved{}, err
	}
	return Saved{Change: change, ETag: l.ETag, Shadowed: map[string]Origin{}}, nil
}

// document is the file there is, or would be, and what it says.
func (r *Reloader) document() (file, *node, error) {
	path := r.State().Loaded.Path
	if path == "" {
		return file{}, nil, errNoPlace()
	}
	f, err := readFile(path)
	if err != nil {
		return file{}, nil, fmt.Errorf("reading %s: %w", path, err)
	}
	tree, bad := parse(path, f.text)
	if bad != nil {
		return file{}, nil, fault.New(fault.Conflict, "config_broken", "%s cannot be read: line %d, %s.", filepath.Base(path), bad.at.line, bad.message).
			WithHint("Mend it in the file itself; the settings that were read last stay in effect.")
	}
	return f, tree, nil
}

// unmasked is a text with the secrets of before where it holds the sign for
// hidden values.
func unmasked(name string, src []byte, before *node) ([]byte, error) {
	tree, bad := parse(name, src)
	if bad != nil {
		return nil, Problems{{Where: at(filepath.Base(name), bad.at), Line: bad.at.line, Column: bad.at.column, Message: bad.message}}
	}
	old := map[string]*node{}
	eachText(before, nil, func(path []string, n *node) { old[strings.Join(path, "\x00")] = n })
	var edits []edit
	var problems Problems
	eachText(tree, nil, func(path []string, n *node) {
		was := old[strings.Join(path, "\x00")]
		key := strings.Join(path, ".")
		where := Problem{Where: at(filepath.Base(name), n.at), Line: n.at.line, Column: n.at.column, Key: key}
		switch {
		case n.text == secret.Mask && was == nil:
			where.Message, where.Hint = "is the sign for a hidden value", "Give the value itself."
			problems = append(problems, where)
		case n.text == secret.Mask:
			edits = append(edits, edit{path: path, value: was})
		case refers(n.text) && (was == nil || was.text != n.text):
			where.Message, where.Hint = "names a variable of the server", "Bring variables in by editing the file itself; write $${ for the two characters."
			problems = append(problems, where)
		}
	})
	if len(problems) > 0 {
		return nil, problems
	}
	return applyEdits(name, src, edits)
}

// refers says whether a text takes something from the environment.
func refers(s string) bool {
	return strings.Contains(strings.ReplaceAll(s, "$${", ""), "${")
}

// eachText visits every text with its path; in lists the path holds the place.
func eachText(n *node, path []string, visit func(path []string, n *node)) {
	if n.kind == text {
		visit(path, n)
	}
	for i, item := range n.items {
		eachText(item, append(path[:len(path):len(path)], fmt.Sprintf("[%d]", i)), visit)
	}
	for _, e := range n.entries {
		eachText(e.value, append(path[:len(path):len(path)], e.key), visit)
	}
}

// maskEdits hides every secret that a file holds; one that stands in a variable is none of its own.
func maskEdits(tree, mask *node) []edit {
	var edits []edit
	hide := func(path []string, n *node) {
		eachText(n, path, func(path []string, n *node) {
			whole := strings.HasPrefix(n.text, "${") && strings.IndexByte(n.text, '}') == len(n.text)-1 && !strings.Contains(n.text, ":-")
			if n.text != "" && !whole {
				edits = append(edits, edit{path: path, value: mask})
			}
		})
	}
	walk(root(), func(f *Field) {
		n := tree.under(splitPath(f.Path))
		if n == nil {
			return
		}
		if f.Secret {
			hide(splitPath(f.Path), n)
		}
		if f.each == nil {
			return
		}
		for _, record := range n.entries {
			walk(f.each, func(sub *Field) {
				if e, ok := record.value.get(sub.Name()); ok && sub.Secret {
					hide(append(splitPath(f.Path), record.key, sub.Name()), e.value)
				}
			})
		}
	})
	return edits
}

// under is the value at a path; nil if there is none.
func (n *node) under(path []string) *node {
	for _, key := range path {
		e, ok := n.get(key)
		if !ok {
			return nil
		}
		n = e.value
	}
	return n
}
