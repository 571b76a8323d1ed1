package plugins

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/kit/suggest"
	"github.com/fluxway/fluxway/internal/kit/yamlnode"
)

// reader reads values of a file and collects what is wrong with them.
type reader struct {
	file     string
	problems []Problem
}

func (r *reader) wrong(line, column int, key, hint, format string, args ...any) {
	r.problems = append(r.problems, Problem{File: r.file, Line: line, Column: column, Key: key, Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (r *reader) at(n *node, key, hint, format string, args ...any) {
	r.wrong(n.At.Line, n.At.Column, key, hint, format, args...)
}

// is reports whether a value that is there is of a kind; nil and nothing are not.
func (r *reader) is(n *node, key string, want yamlnode.Kind) bool {
	if n == nil || n.Kind == yamlnode.Null {
		return false
	}
	if n.Kind != want {
		r.at(n, key, "", "must be %s, and is %s", want, n.Kind)
		return false
	}
	return true
}

// known reports keys that have no meaning.
func (r *reader) known(n *node, under string, keys ...string) {
	for _, e := range n.Entries {
		if slices.Contains(keys, e.Key) {
			continue
		}
		hint := "There are: " + strings.Join(keys, ", ") + "."
		if near, ok := suggest.Closest(e.Key, keys); ok {
			hint = fmt.Sprintf("Did you mean %q?", near)
		}
		r.wrong(e.At.Line, e.At.Column, join(under, e.Key), hint, "is not known here")
	}
}

func join(under, key string) string {
	if under == "" {
		return key
	}
	return under + "." + key
}

// text reads a line of text. A number is one too: version: 1.0.
func (r *reader) text(n *node, key string, most int) string {
	if n != nil && n.Kind == yamlnode.Number {
		return n.Text
	}
	if !r.is(n, key, yamlnode.Text) {
		return ""
	}
	if len(n.Text) > most {
		r.at(n, key, "", "has %d bytes; the most is %d", len(n.Text), most)
		return ""
	}
	return n.Text
}

func (r *reader) flag(n *node, key string) bool {
	return r.is(n, key, yamlnode.Boolean) && n.Text == "true"
}

func (r *reader) number(n *node, key string) *float64 {
	if !r.is(n, key, yamlnode.Number) {
		return nil
	}
	f, err := strconv.ParseFloat(n.Text, 64)
	if err != nil {
		r.at(n, key, "", "cannot be read as a number")
		return nil
	}
	return &f
}

func (r *reader) texts(n *node, key string, most int) []string {
	if !r.is(n, key, yamlnode.List) {
		return nil
	}
	var out []string
	for i, item := range n.Items {
		if s := r.text(item, fmt.Sprintf("%s[%d]", key, i), 4096); s != "" {
			out = append(out, s)
		}
	}
	if len(out) > most {
		r.at(n, key, "", "has %d entries; the most is %d", len(out), most)
		return nil
	}
	return out
}

func (r *reader) globs(n *node, key string) []string {
	all := r.texts(n, key, 100)
	for _, g := range all {
		if _, err := path.Match(g, ""); err != nil {
			r.at(n, key, "", "has the pattern %q, which cannot be read", g)
		}
	}
	return all
}

// table reads a table of texts.
func (r *reader) table(n *node, key string) map[string]string {
	if !r.is(n, key, yamlnode.Table) {
		return nil
	}
	out := map[string]string{}
	for _, e := range n.Entries {
		if e.Value.Kind == yamlnode.Boolean {
			out[e.Key] = e.Value.Text
			continue
		}
		out[e.Key] = r.text(e.Value, join(key, e.Key), 16<<10)
	}
	return out
}

// choice reads a text that is one of several.
func (r *reader) choice(n *node, key, preset string, choices ...string) string {
	s := r.text(n, key, 100)
	if s == "" {
		return preset
	}
	if slices.Contains(choices, s) {
		return s
	}
	hint := ""
	if near, ok := suggest.Closest(s, choices); ok {
		hint = fmt.Sprintf("Did you mean %q?", near)
	}
	r.at(n, key, hint, "must be one of %s", strings.Join(choices, ", "))
	return preset
}

// duration reads a time such as 5s; a number is seconds.
func (r *reader) duration(n *node, key string, preset, most time.Duration) time.Duration {
	if n == nil || n.Kind == yamlnode.Null {
		return preset
	}
	s := n.Text
	if n.Kind == yamlnode.Number {
		s += "s"
	}
	d, err := time.ParseDuration(s)
	switch {
	case n.Kind != yamlnode.Number && n.Kind != yamlnode.Text || err != nil:
		r.at(n, key, "Write it as 5s or 1m.", "cannot be read as a time")
	case d <= 0 || d > most:
		r.at(n, key, "", "must be more than 0 and at most %s", most)
	default:
		return d
	}
	return preset
}
