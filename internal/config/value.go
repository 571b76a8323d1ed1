package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/kit/suggest"
)

// valueProblem is what is wrong with a value, or with one part of it.
type valueProblem struct {
	at      position
	key     string // of a table's entry
	message string
	hint    string
}

// element is the type of a list's items and of a table's values.
func (f *Field) element() Type {
	switch f.Type {
	case TextList, TextTable:
		return Text
	case NumberTable:
		return Number
	}
	return f.Type
}

// fromNode is the value that a file gives.
func (f *Field) fromNode(n *node, lookup func(string) (string, bool)) (reflect.Value, []valueProblem) {
	wrong := func(message string) (reflect.Value, []valueProblem) {
		return reflect.Value{}, []valueProblem{{at: n.at, message: message}}
	}
	whole := n.kind == text && strings.Contains(n.text, "${")
	switch f.Type {
	case RecordsTable:
		v, problems, _ := f.recordsOf(n, lookup)
		return v, problems
	case TextList:
		if n.kind == list {
			return f.listOf(n, lookup)
		}
		if !whole {
			return wrong("must be a list, and is " + kindNames[n.kind])
		}
	case NumberTable, TextTable:
		if n.kind == table {
			return f.tableOf(n, lookup)
		}
		if !whole {
			return wrong("must be a table of keys, and is " + kindNames[n.kind])
		}
	default:
		v, p := f.one(n, lookup)
		if p != nil {
			return v, []valueProblem{*p}
		}
		return v, nil
	}
	s, err := expand(n.text, lookup)
	if err != nil {
		return wrong(err.Error())
	}
	v, p := f.fromText(s)
	if p != nil {
		p.at = n.at
		return v, []valueProblem{*p}
	}
	return v, nil
}

func (f *Field) listOf(n *node, lookup func(string) (string, bool)) (reflect.Value, []valueProblem) {
	out := []string{}
	var problems []valueProblem
	for _, item := range n.items {
		v, p := f.one(item, lookup)
		if p != nil {
			problems = append(problems, *p)
			continue
		}
		out = append(out, v.String())
	}
	return reflect.ValueOf(out), problems
}

func (f *Field) tableOf(n *node, lookup func(string) (string, bool)) (reflect.Value, []valueProblem) {
	out := reflect.MakeMap(f.typ)
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
		v, p := f.one(e.value, lookup)
		if p != nil {
			p.key = e.key
			problems = append(problems, *p)
			continue
		}
		out.SetMapIndex(key, v)
	}
	return out, problems
}

// one is a single value in a file. Other kinds than text may be written as text
// only through a variable, so that a file means the same to every reader.
func (f *Field) one(n *node, lookup func(string) (string, bool)) (reflect.Value, *valueProblem) {
	s, want := n.text, f.element()
	expanded := n.kind == text && strings.Contains(s, "${")
	if !expanded && !want.takes(n.kind) {
		hint := ""
		if want == Text && (n.kind == number || n.kind == boolean) {
			hint = "Put it in quotes."
		}
		return reflect.Value{}, &valueProblem{n.at, "", fmt.Sprintf("must be %s, and is %s", want.article(), kindNames[n.kind]), hint}
	}
	if expanded {
		var err error
		if s, err = expand(s, lookup); err != nil {
			return reflect.Value{}, &valueProblem{n.at, "", err.Error(), ""}
		}
	}
	v, p := f.scalar(s)
	if p != nil {
		p.at = n.at
	}
	return v, p
}

func (t Type) takes(k kind) bool {
	switch t {
	case Number:
		return k == number
	case Switch:
		return k == boolean
	case Size, Money, Fraction:
		return k == text || k == number
	}
	return k == text
}

func (t Type) article() string {
	switch t {
	case Number:
		return "a number"
	case Switch:
		return "true or false"
	case Span:
		return "a duration such as 30d"
	case Size:
		return "a size such as 10MB"
	case Money:
		return "an amount such as 1.25"
	case Fraction:
		return "a number such as 0.5"
	}
	return "text"
}

// fromText is the value that a variable, flag or default gives: a,b for lists,
// a=1,b=2 for tables.
func (f *Field) fromText(s string) (reflect.Value, *valueProblem) {
	switch f.Type {
	case TextList:
		out := []string{}
		for part := range strings.SplitSeq(s, ",") {
			if part = strings.TrimSpace(part); part == "" {
				continue
			}
			if _, p := f.scalar(part); p != nil {
				return reflect.Value{}, p
			}
			out = append(out, part)
		}
		return reflect.ValueOf(out), nil
	case NumberTable, TextTable:
		return f.tableFromText(s)
	case RecordsTable:
		return reflect.Value{}, &valueProblem{message: "is a table of settings, which only the file can hold"}
	}
	return f.scalar(s)
}

func (f *Field) tableFromText(s string) (reflect.Value, *valueProblem) {
	out := reflect.MakeMap(f.typ)
	for part := range strings.SplitSeq(s, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		key, value, ok := strings.Cut(part, "=")
		key = strings.TrimSpace(key)
		if !ok {
			return out, &valueProblem{message: "must be written as name=value,name=value"}
		}
		if err := formats[f.Keys](key); err != nil {
			return out, &valueProblem{message: fmt.Sprintf("the key %q %v", key, err)}
		}
		v, p := f.scalar(strings.TrimSpace(value))
		if p != nil {
			p.key = key
			return out, p
		}
		out.SetMapIndex(reflect.ValueOf(key), v)
	}
	return out, nil
}

// scalar reads and checks one value.
func (f *Field) scalar(s string) (reflect.Value, *valueProblem) {
	switch f.element() {
	case Number:
		n, err := strconv.Atoi(s)
		if err != nil {
			return reflect.Value{}, f.wrong(s, "is not a whole number")
		}
		return reflect.ValueOf(n), f.bounds(int64(n))
	case Switch:
		if s != "true" && s != "false" {
			return reflect.Value{}, f.wrong(s, "is neither true nor false")
		}
		return reflect.ValueOf(s == "true"), nil
	case Span:
		d, err := ParseDuration(s)
		if err != nil {
			return reflect.Value{}, f.wrong(s, err.Error())
		}
		return reflect.ValueOf(d), f.bounds(int64(d))
	case Size:
		b, err := ParseBytes(s)
		if err != nil {
			return reflect.Value{}, f.wrong(s, err.Error())
		}
		return reflect.ValueOf(b), f.bounds(int64(b))
	case Money:
		d, err := ParseDollars(s)
		if err != nil {
			return reflect.Value{}, f.wrong(s, err.Error())
		}
		return reflect.ValueOf(d), nil
	case Fraction:
		d, err := ParseDollars(s)
		if err != nil {
			return reflect.Value{}, f.wrong(s, "is not a number such as 1 or 0.25")
		}
		return reflect.ValueOf(Decimal(d)), nil
	}
	if p := f.checkText(s); p != nil {
		return reflect.Value{}, p
	}
	if f.Secret {
		return reflect.ValueOf(secret.New(s)), nil
	}
	return reflect.ValueOf(s), nil
}

func (f *Field) checkText(s string) *valueProblem {
	if len(f.Enum) > 0 && !slices.Contains(f.Enum, s) {
		p := f.wrong(s, "is not one of "+strings.Join(f.Enum, ", "))
		if near, ok := suggest.Closest(s, f.Enum); ok {
			p.hint = fmt.Sprintf("Did you mean %q?", near)
		}
		return p
	}
	if f.Format == "" || (s == "" && f.Type == Text) {
		return nil
	}
	if err := formats[f.Format](s); err != nil {
		return f.wrong(s, err.Error())
	}
	return nil
}

// wrong quotes the value, unless it is a secret.
func (f *Field) wrong(s, what string) *valueProblem {
	if f.Secret {
		return &valueProblem{message: "its value " + what}
	}
	if len(s) > 80 {
		s = strings.ToValidUTF8(s[:80], "") + "…"
	}
	return &valueProblem{message: strconv.Quote(s) + " " + what}
}

func (f *Field) bounds(n int64) *valueProblem {
	if low, ok := f.bound(f.Min); ok && n < low {
		return &valueProblem{message: "must be at least " + f.Min}
	}
	if high, ok := f.bound(f.Max); ok && n > high {
		return &valueProblem{message: "must be at most " + f.Max}
	}
	return nil
}

// bound reads min or max, which are written like the values they bound.
func (f *Field) bound(s string) (int64, bool) {
	if s == "" {
		return 0, false
	}
	switch f.element() {
	case Span:
		d, err := ParseDuration(s)
		return int64(d), err == nil
	case Size:
		b, err := ParseBytes(s)
		return int64(b), err == nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}
