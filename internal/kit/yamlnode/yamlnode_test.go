package yamlnode_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/yamlnode"
)

var strict = yamlnode.Limits{Tokens: 1000, Depth: 8}

func TestValuesKnowWhereTheyStand(t *testing.T) {
	t.Parallel()
	n, bad := yamlnode.Parse([]byte("\ufeffname: x\r\nlist:\r\n  - 1\r\n  - {on: true, off: }\r\nrate: -2.5\r\n"), strict)
	if bad != nil {
		t.Fatal(bad)
	}
	list, ok := n.Get("list")
	if !ok || list.At != (yamlnode.Position{Line: 2, Column: 1}) || list.Value.Items[0].At.Line != 3 || !list.Value.Items[1].Flow {
		t.Errorf("list is %+v", list)
	}
	want := map[string]any{"name": "x", "list": []any{uint64(1), map[string]any{"on": true, "off": nil}}, "rate": -2.5}
	if got := n.Value(); !reflect.DeepEqual(got, want) {
		t.Errorf("Value() = %#v, want %#v", got, want)
	}
}

func TestWhatCannotBeReadSaysWhere(t *testing.T) {
	t.Parallel()
	follows := yamlnode.Limits{Tokens: 200, Depth: 8, Aliases: true, Repeats: true}
	bomb := "a: &a [x, x, x, x]\nb: &b [*a, *a, *a, *a]\nc: &c [*b, *b, *b, *b]\nd: [*c, *c, *c, *c]\n"
	for name, tt := range map[string]struct {
		text   string
		limits yamlnode.Limits
		says   string // "": it is read
	}{
		"a key twice":              {"a: 1\na: 2", strict, "2:1: "},
		"a key twice, as allowed":  {"a: 1\na: 2", follows, ""},
		"an alias":                 {"a: &x 1\nb: *x", strict, "1:4: has an anchor, an alias or a tag"},
		"an alias that is read":    {"a: &x 1\nb: *x", follows, ""},
		"an alias of nothing":      {"b: *x", follows, "not defined before it"},
		"aliases of aliases":       {bomb, follows, "too large with its aliases written out"},
		"a tag":                    {"a: !!binary x", follows, "has a tag"},
		"a second document":        {"a: 1\n---\nb: 2", strict, "has a second document"},
		"deep brackets":            {"a: " + strings.Repeat("[", 50), strict, "nested too deeply"},
		"deep dashes":              {strings.Repeat("- ", 50) + "x", strict, "nested too deeply"},
		"many words":               {strings.Repeat("- x\n", 1001), strict, "more than 1000 words and signs"},
		"not text":                 {"a: \xff", strict, "is not UTF-8 text"},
		"broken":                   {"a: [", strict, "1:"},
		"nothing":                  {"", strict, ""},
		"a list where keys may be": {"- x", strict, ""},
	} {
		_, bad := yamlnode.Parse([]byte(tt.text), tt.limits)
		got := ""
		if bad != nil {
			got = fmt.Sprint(bad)
		}
		if (tt.says == "") != (got == "") || !strings.Contains(got, tt.says) {
			t.Errorf("%s: %q, want %q", name, got, tt.says)
		}
	}
}
