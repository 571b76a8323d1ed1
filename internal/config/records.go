package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/suggest"
)

// A record is one name of a RecordsTable with its settings: providers.openai.
// Its fields have no variables of their own.

// anyName stands for the name in the paths of a record's fields.
const anyName = "NAME"

func recordsField(sf reflect.StructField, path string, index []int) *Field {
	f := &Field{
		Path: path, Type: RecordsTable, Doc: sf.Tag.Get("doc"), Live: sf.Tag.Get("live") == "true", Keys: sf.Tag.Get("keys"), index: index, typ: sf.Type,
		each: sectionOf(sf.Type.Elem(), join(path, anyName), sf.Tag.Get("doc"), nil),
	}
	walk(f.each, func(sub *Field) { sub.Env = "" })
	return f
}

// recordsOf is the table that a file gives, and where each setting in it stands.
func (f *Field) recordsOf(n *node, lookup func(string) (string, bool)) (reflect.Value, []valueProblem, map[string]position) {
	out, places := reflect.MakeMap(f.typ), map[string]position{}
	if n.kind == null {
		return out, nil, places
	}
	if n.kind != table {
		return out, []valueProblem{{at: n.at, message: "must be a table of keys, and is " + kindNames[n.kind]}}, nil
	}
	var problems []valueProblem
	for _, e := range n.entries {
		key := reflect.ValueOf(e.key)
		if err := formats[f.Keys](e.key); err != nil {
			problems = append(problems, valueProblem{e.at, "", fmt.Sprintf("the key %q %v", e.key, err), ""})
			continue
		}
		if out.MapIndex(key).IsValid() {
			problems = append(problems, valueProblem{e.at, e.key, "is given a second time", ""})
			continue
		}
		places[e.key] = e.at
		record, more := f.recordOf(e, lookup, places)
		problems = append(problems, more...)
		out.SetMapIndex(key, record)
	}
	return out, problems, places
}

func (f *Field) recordOf(e entry, lookup func(string) (string, bool), places map[string]position) (reflect.Value, []valueProblem) {
	record := f.fresh()
	if e.value.kind != table {
		if e.value.kind == null {
			return record, nil
		}
		return record, []valueProblem{{e.value.at, e.key, "must be a table of keys, and is " + kindNames[e.value.kind], ""}}
	}
	var problems []valueProblem
	for _, x := range e.value.entries {
		path := join(e.key, x.key)
		sub, ok := f.each.fields[x.key]
		switch {
		case !ok:
			problems = append(problems, valueProblem{x.at, path, "is not a known key", f.each.meant(x.key)})
			continue
		case x.value.kind == null:
			continue
		}
		if _, again := places[path]; again {
			problems = append(problems, valueProblem{x.at, path, "is given a second time", ""})
			continue
		}
		v, more := sub.fromNode(x.value, lookup)
		for _, p := range more {
			p.key = join(path, p.key)
			problems = append(problems, p)
		}
		if len(more) == 0 {
			record.FieldByIndex(sub.index).Set(v)
			places[path] = x.value.at
		}
	}
	return record, problems
}

// fresh is a record with its defaults, which can be set.
func (f *Field) fresh() reflect.Value {
	record := reflect.New(f.typ.Elem()).Elem()
	walk(f.each, func(sub *Field) {
		if v, p := sub.fromText(sub.Default); sub.Default != "" && p == nil {
			record.FieldByIndex(sub.index).Set(v)
		}
	})
	return record
}

func (s *section) meant(key string) string {
	if near, ok := suggest.Closest(key, s.names); ok {
		return fmt.Sprintf("Did you mean %q?", near)
	}
	return "Known here: " + strings.Join(slices.Sorted(slices.Values(s.names)), ", ") + "."
}

// records sets a table from the file.
func (l *loader) records(f *Field, e entry) {
	v, problems, places := f.recordsOf(e.value, l.env.lookup)
	for _, p := range problems {
		l.report(p.at, join(f.Path, p.key), p.message, p.hint)
	}
	if len(problems) > 0 {
		return
	}
	for _, name := range sortedKeys(v) {
		l.origins[join(f.Path, name)] = Origin{FromFile, at(l.name, places[name])}
		record := reflect.New(f.typ.Elem()).Elem()
		record.Set(v.MapIndex(reflect.ValueOf(name)))
		walk(f.each, func(sub *Field) {
			path := join(name, sub.Name())
			place, given := places[path]
			if !given {
				return
			}
			l.origins[join(f.Path, path)] = Origin{FromFile, at(l.name, place)}
			if at := record.FieldByIndex(sub.index); sub.Format == "path" && at.String() != "" {
				at.SetString(absolute(at.String(), l.env.home(), filepath.Dir(l.path)))
			}
		})
		v.SetMapIndex(reflect.ValueOf(name), record)
	}
	f.of(&l.config).Set(v)
	l.origins[f.Path] = Origin{FromFile, at(l.name, e.value.at)}
}

// leaf is one setting with its value; those of records have their names in the path.
type leaf struct {
	path  string
	field *Field
	value reflect.Value
}

func (a leaf) equal(b leaf) bool {
	kind := a.value.Kind()
	if (kind == reflect.Slice || kind == reflect.Map) && a.value.Len() == 0 && b.value.Len() == 0 {
		return true
	}
	return reflect.DeepEqual(a.value.Interface(), b.value.Interface())
}

// leaves are all settings of c. A table of settings is there itself, with its
// names as its value, and then every setting of every name.
func leaves(c *Config) []leaf {
	var all []leaf
	walk(root(), func(f *Field) {
		v := f.of(c)
		if f.each == nil {
			all = append(all, leaf{f.Path, f, v})
			return
		}
		names := sortedKeys(v)
		all = append(all, leaf{f.Path, &Field{
			Path: f.Path, Type: f.Type, Doc: f.Doc, Live: f.Live, Keys: f.Keys,
		}, reflect.ValueOf(names)})
		for _, name := range names {
			record := v.MapIndex(reflect.ValueOf(name))
			walk(f.each, func(sub *Field) {
				all = append(all, leaf{join(join(f.Path, name), sub.Name()), sub, record.FieldByIndex(sub.index)})
			})
		}
	})
	return all
}

// split parts what follows a table's path: openai.base_url is the name openai
// and its setting base_url. Names may hold dots, settings do not.
func (f *Field) split(rest string) (name string, sub *Field) {
	if i := strings.LastIndex(rest, "."); i > 0 {
		if sub, ok := f.each.fields[rest[i+1:]]; ok {
			return rest[:i], sub
		}
	}
	return rest, nil
}

// recordEdits takes what a patch says of a table's names out of flat.
func (f *Field) recordEdits(flat map[string]any, add func(f *Field, path string, parts []string, value any)) {
	for _, path := range slices.Sorted(maps.Keys(flat)) {
		rest, inside := strings.CutPrefix(path, f.Path+".")
		if !inside {
			continue
		}
		name, sub := f.split(rest)
		empty, isMap := flat[path].(map[string]any)
		switch {
		case sub != nil:
			add(sub, path, append(splitPath(f.Path), name, sub.Name()), flat[path])
		case flat[path] == nil, isMap && len(empty) == 0:
			add(f, path, append(splitPath(f.Path), name), flat[path])
		default:
			continue // it is reported as not known
		}
		delete(flat, path)
	}
}
