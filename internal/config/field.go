package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/secret"
)

// Type is what kind of value a key holds.
type Type string

// The types of values.
const (
	Text         Type = "text"
	Number       Type = "number"
	Switch       Type = "yes or no"
	Span         Type = "duration"
	Size         Type = "size"
	Money        Type = "dollars"
	Fraction     Type = "decimal"
	TextList     Type = "list of texts"
	NumberTable  Type = "table of numbers"
	TextTable    Type = "table of texts"
	RecordsTable Type = "table of settings" // each name has the same keys
)

// Field describes one key that holds a value.
type Field struct {
	Path    string // security.session_days
	Type    Type
	Doc     string
	Default string
	Env     string   // FLUXWAY_SECURITY_SESSION_DAYS
	Also    []string // further variables, as NAME or NAME=value
	Live    bool     // changes take effect without a restart
	Secret  bool
	URL     bool // a secret URL: shown without its password
	Enum    []string
	Min     string
	Max     string
	Format  string
	Keys    string // the shape of a table's keys

	index []int        // of the field in Config, or in a record
	typ   reflect.Type // of the field
	each  *section     // the keys of a record; nil for all but a RecordsTable
}

// Name is the last part of the path.
func (f Field) Name() string { return f.Path[strings.LastIndex(f.Path, ".")+1:] }

// section is a key that holds other keys.
type section struct {
	path     string
	doc      string
	names    []string // in the order of the struct
	fields   map[string]*Field
	sections map[string]*section
}

var types = map[reflect.Type]Type{
	reflect.TypeFor[string]():                 Text,
	reflect.TypeFor[secret.Text]():            Text,
	reflect.TypeFor[int]():                    Number,
	reflect.TypeFor[bool]():                   Switch,
	reflect.TypeFor[Duration]():               Span,
	reflect.TypeFor[Bytes]():                  Size,
	reflect.TypeFor[Dollars]():                Money,
	reflect.TypeFor[Decimal]():                Fraction,
	reflect.TypeFor[[]string]():               TextList,
	reflect.TypeFor[map[string]int]():         NumberTable,
	reflect.TypeFor[map[string]string]():      TextTable,
	reflect.TypeFor[map[string]secret.Text](): TextTable,
}

// Fields lists every key that holds a value, in the order of the reference page.
func Fields() []Field {
	var all []Field
	walk(root(), func(f *Field) { all = append(all, *f) })
	return all
}

// root is the tree of keys, read from the tags of Config.
func root() *section { return sectionOf(reflect.TypeFor[Config](), "", "", nil) }

func walk(s *section, visit func(*Field)) {
	for _, name := range s.names {
		if f, ok := s.fields[name]; ok {
			visit(f)
			continue
		}
		walk(s.sections[name], visit)
	}
}

func sectionOf(t reflect.Type, path, doc string, index []int) *section {
	s := &section{path: path, doc: doc, fields: map[string]*Field{}, sections: map[string]*section{}}
	for i := range t.NumField() {
		sf := t.Field(i)
		name := sf.Tag.Get("yaml")
		full := join(path, name)
		at := append(slices.Clone(index), i)
		s.names = append(s.names, name)
		if typ, ok := types[sf.Type]; ok {
			s.fields[name] = fieldOf(sf, full, typ, at)
			continue
		}
		if sf.Type.Kind() == reflect.Map {
			s.fields[name] = recordsField(sf, full, at)
			continue
		}
		s.sections[name] = sectionOf(sf.Type, full, sf.Tag.Get("doc"), at)
	}
	return s
}

func fieldOf(sf reflect.StructField, path string, typ Type, index []int) *Field {
	tag := sf.Tag
	f := &Field{
		Path: path, Type: typ, Doc: tag.Get("doc"), Default: tag.Get("default"), Env: tag.Get("env"),
		Live: tag.Get("live") == "true", Secret: tag.Get("secret") != "", URL: tag.Get("secret") == "url",
		Min: tag.Get("min"), Max: tag.Get("max"), Format: tag.Get("format"), Keys: tag.Get("keys"), index: index, typ: sf.Type,
	}
	if f.Env == "" {
		f.Env = "FLUXWAY_" + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
	}
	if enum := tag.Get("enum"); enum != "" {
		f.Enum = strings.Split(enum, "|")
	}
	if also := tag.Get("also"); also != "" {
		f.Also = strings.Split(also, ",")
	}
	return f
}

// find is the field at a path.
func (s *section) find(path string) (*Field, bool) {
	first, rest, nested := strings.Cut(path, ".")
	if !nested {
		f, ok := s.fields[first]
		return f, ok
	}
	child, ok := s.sections[first]
	if !ok {
		return nil, false
	}
	return child.find(rest)
}

// of is the field's value in a Config.
func (f *Field) of(c *Config) reflect.Value { return reflect.ValueOf(c).Elem().FieldByIndex(f.index) }

// Show is the field's value in c as text, with secrets hidden; of a table of
// settings it is the names.
func (f *Field) Show(c *Config) string { return f.show(f.of(c)) }

func (f *Field) show(v reflect.Value) string {
	if f.each != nil {
		return strings.Join(sortedKeys(v), ",")
	}
	if text, ok := v.Interface().(secret.Text); ok {
		if f.URL {
			return hidePassword(text.Reveal())
		}
		return text.String()
	}
	switch v.Kind() {
	case reflect.Slice:
		return strings.Join(v.Interface().([]string), ",")
	case reflect.Map:
		keys := sortedKeys(v)
		for i, k := range keys {
			keys[i] = fmt.Sprintf("%s=%v", k, v.MapIndex(reflect.ValueOf(k)).Interface())
		}
		return strings.Join(keys, ",")
	}
	return fmt.Sprint(v.Interface())
}

func sortedKeys(v reflect.Value) []string {
	keys := make([]string, 0, v.Len())
	for _, k := range v.MapKeys() {
		keys = append(keys, k.String())
	}
	slices.Sort(keys)
	return keys
}

func join(path, name string) string {
	if path == "" || name == "" {
		return path + name
	}
	return path + "." + name
}
