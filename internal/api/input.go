package api

import (
	"encoding"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/strictjson"
	"github.com/fluxway/fluxway/internal/kit/suggest"
)

// decoder reads all bodies; text types of ids must be ids.
var decoder = strictjson.New(strictjson.Options{Text: func(t reflect.Type) func(string) error {
	noun, ok := reflect.Zero(t).Interface().(interface{ Prefix() string })
	if !ok {
		return nil
	}
	prefix := noun.Prefix()
	return func(text string) error { return ids.Check(prefix, text) }
}})

// input is how the In of a route is filled; worked out once, by prepare.
type input struct {
	params     []param
	queryNames []string
	body       bool // some fields come from the body
	mustHave   bool // some of them are required
	loose      bool
}

// param is one field that comes from the path, the query or a header.
type param struct {
	in    string // "path", "query", "header"
	name  string
	index []int
	place int // of a path parameter
	set   setter
	many  bool
	rules strictjson.Rules
	doc   string
	typ   reflect.Type
}

type setter func(v reflect.Value, text string) error

func (in *input) prepare(r route) error {
	if in.params != nil || r.Action.in == nil {
		return nil
	}
	if r.Action.in.Kind() != reflect.Struct {
		return fmt.Errorf("%s is not a struct", r.Action.in)
	}
	in.loose = r.Action.looseQuery
	if err := in.addFields(r, r.Action.in, nil, false); err != nil {
		return err
	}
	for _, name := range patternNames(r.Pattern) {
		if !in.has("path", name) {
			return fmt.Errorf("no field of %s is tagged path:%q", r.Action.in, name)
		}
	}
	return decoder.Prepare(r.Action.in)
}

func (in *input) has(where, name string) bool {
	for _, p := range in.params {
		if p.in == where && p.name == name {
			return true
		}
	}
	return false
}

// addFields collects what the tags ask for; inline takes query names from json tags.
func (in *input) addFields(r route, t reflect.Type, at []int, inline bool) error {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(append([]int(nil), at...), i)
		jsonName, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Tag.Get("query") == "inline":
			if err := in.addFields(r, f.Type, index, true); err != nil {
				return err
			}
			continue
		case inline:
			if err := in.addParam(r, f, index, "query", jsonName); err != nil {
				return err
			}
			continue
		case f.Anonymous && jsonName == "" && f.Type.Kind() == reflect.Struct:
			if err := in.addFields(r, f.Type, index, false); err != nil {
				return err
			}
			continue
		}
		found := false
		for _, where := range []string{"path", "query", "header"} {
			if name := f.Tag.Get(where); name != "" {
				found = true
				if err := in.addParam(r, f, index, where, name); err != nil {
					return err
				}
			}
		}
		if !found && jsonName != "" && jsonName != "-" {
			in.body = true
			in.mustHave = in.mustHave || f.Tag.Get("required") == "true"
		}
	}
	return nil
}

func (in *input) addParam(r route, f reflect.StructField, index []int, where, name string) error {
	rules, err := strictjson.RulesOf(f)
	if err != nil {
		return err
	}
	p := param{in: where, name: name, index: index, rules: rules, doc: f.Tag.Get("doc"), typ: f.Type}
	elem := f.Type
	if where == "query" && elem.Kind() == reflect.Slice {
		p.many = true
		elem = elem.Elem()
	}
	if p.set, err = setterOf(elem); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	switch where {
	case "path":
		p.place = -1
		for i, n := range patternNames(r.Pattern) {
			if n == name {
				p.place = i
			}
		}
		if p.place < 0 {
			return fmt.Errorf("%s is tagged path:%q, which the pattern lacks", f.Name, name)
		}
	case "query":
		in.queryNames = append(in.queryNames, name)
	case "header":
		p.name = http.CanonicalHeaderKey(name)
	}
	in.params = append(in.params, p)
	return nil
}

func setterOf(t reflect.Type) (setter, error) {
	if t.Kind() == reflect.Pointer {
		set, err := setterOf(t.Elem())
		if err != nil {
			return nil, err
		}
		return func(v reflect.Value, text string) error {
			fresh := reflect.New(t.Elem())
			v.Set(fresh)
			return set(fresh.Elem(), text)
		}, nil
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return setText, nil
	}
	switch t.Kind() {
	case reflect.String:
		noun, ok := reflect.Zero(t).Interface().(interface{ Prefix() string })
		if !ok {
			return setString, nil
		}
		prefix := noun.Prefix()
		return func(v reflect.Value, text string) error {
			if err := ids.Check(prefix, text); err != nil {
				return err
			}
			v.SetString(text)
			return nil
		}, nil
	case reflect.Bool:
		return setBool, nil
	case reflect.Int, reflect.Int32, reflect.Int64:
		return setInt, nil
	}
	return nil, fmt.Errorf("a %s cannot be a parameter", t)
}

func setText(v reflect.Value, text string) error {
	err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
	if err == nil {
		return nil
	}
	if f := fault.From(err); f.Kind != fault.Internal {
		return f
	}
	return fault.New(fault.Invalid, "invalid_value", "The value cannot be used: %s.", err).WithHint("Look at the expected form in the API reference at /docs.")
}

func setString(v reflect.Value, text string) error {
	v.SetString(text)
	return nil
}

func setBool(v reflect.Value, text string) error {
	switch text {
	case "true", "1":
		v.SetBool(true)
	case "false", "0":
		v.SetBool(false)
	default:
		return fault.New(fault.Invalid, "wrong_type", "The value must be true or false.").WithHint("Write true or false.")
	}
	return nil
}

func setInt(v reflect.Value, text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v.OverflowInt(n) {
		return fault.New(fault.Invalid, "wrong_type", "The value must be a whole number.").WithHint("Write digits only.")
	}
	v.SetInt(n)
	return nil
}

// bind fills v, which is *target as a reflect.Value.
func (in *input) bind(c *call, v reflect.Value, target any) error {
	if len(c.body) > 0 || in.mustHave { // also where none is expected: what is sent in vain is told
		if err := decoder.Unmarshal(c.body, target); err != nil {
			return err
		}
	}
	for i := range in.params {
		p := &in.params[i]
		switch p.in {
		case "path":
			if err := p.put(v, c.params[p.place]); err != nil {
				return err
			}
		case "header":
			if values := c.r.Header[p.name]; len(values) > 0 {
				if err := p.put(v, values[0]); err != nil {
					return err
				}
			}
		}
	}
	return in.bindQuery(c.r.URL.RawQuery, v)
}

// bindQuery walks the raw query without making a map of it.
func (in *input) bindQuery(raw string, v reflect.Value) error {
	var seen uint64
	for raw != "" {
		var pair string
		pair, raw, _ = strings.Cut(raw, "&")
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, err1 := unescape(name)
		value, err2 := unescape(value)
		if err1 != nil || err2 != nil {
			return fault.New(fault.Invalid, "malformed_query", "The query cannot be read near %q.", cut(pair)).
				WithParam("query").WithHint("Encode special characters as %%XX, for example a space as %%20.")
		}
		i := in.find(name)
		if i < 0 {
			if in.loose {
				continue
			}
			return in.unknown(name)
		}
		p := &in.params[i]
		if seen&(1<<i) != 0 && !p.many {
			return fault.New(fault.Invalid, "duplicate_parameter", "The parameter %s is given twice.", p.name).WithParam(p.name).WithHint("Keep one of them.")
		}
		seen |= 1 << i
		if err := p.put(v, value); err != nil {
			return err
		}
	}
	for i := range in.params {
		if p := &in.params[i]; p.in == "query" && p.rules.Required && seen&(1<<i) == 0 {
			return fault.New(fault.Invalid, "required", "The parameter %s is missing.", p.name).WithParam(p.name).WithHint("Add ?%s=… to the URL.", p.name)
		}
	}
	return nil
}

func unescape(s string) (string, error) {
	if strings.ContainsAny(s, "%+") {
		return url.QueryUnescape(s)
	}
	return s, nil
}

func (in *input) find(name string) int {
	for i := range in.params {
		if in.params[i].in == "query" && in.params[i].name == name {
			return i
		}
	}
	return -1
}

func (in *input) unknown(name string) error {
	f := fault.New(fault.Invalid, "unknown_parameter", "There is no parameter %q.", cut(name)).WithParam(cut(name))
	if near, ok := suggest.Closest(cut(name), in.queryNames); ok {
		return f.WithHint("Did you mean %s?", near)
	}
	if len(in.queryNames) == 0 {
		return f.WithHint("This route takes no query parameters.")
	}
	return f.WithHint("The parameters are: %s.", strings.Join(in.queryNames, ", "))
}

// put checks text and sets the field; a list takes several values, or one with commas.
func (p *param) put(v reflect.Value, text string) error {
	if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
		return fault.New(fault.Invalid, "invalid_utf8", "The value of %s is not valid UTF-8 text.", p.name).WithParam(p.name).WithHint("Send UTF-8 without the character NUL.")
	}
	field := v.FieldByIndex(p.index)
	if p.many {
		for part := range strings.SplitSeq(text, ",") {
			field.Grow(1)
			field.SetLen(field.Len() + 1)
			if err := p.set(field.Index(field.Len()-1), part); err != nil {
				return fault.From(err).WithParam(p.name)
			}
		}
	} else if err := p.set(field, text); err != nil {
		return fault.From(err).WithParam(p.name)
	}
	if err := p.rules.Check(field); err != nil {
		return fault.From(err).WithParam(p.name)
	}
	return nil
}

// cut keeps text from outside presentable in a message.
func cut(s string) string {
	if len(s) > 64 {
		s = s[:64] + "…"
	}
	return strings.ToValidUTF8(s, "?")
}
