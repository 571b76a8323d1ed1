package cli

import (
	"regexp"
	"strings"
	"testing"
)

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

func render(pieces ...string) string {
	var b strings.Builder
	m := newMarkdown(&b)
	for _, p := range pieces {
		m.write(p)
	}
	m.end()
	return b.String()
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"plain":           {"Hello.", "Hello.\n"},
		"bold and code":   {"a **b** `c*` d", "a \x1b[0;1mb\x1b[0m \x1b[0;36mc*\x1b[0m d\n"},
		"italic":          {"2 * 3 and *so*", "2 * 3 and \x1b[0;3mso\x1b[0m\n"},
		"a heading":       {"## Title\ntext", "\x1b[0;1;4mTitle\x1b[0m\ntext\n"},
		"no heading":      {"#hash", "#hash\n"},
		"a list":          {"- one\n  * two\n", "• one\n  • two\n"},
		"a quote":         {"> so", "\x1b[2m│ \x1b[0mso\n"},
		"a block of code": {"```go\n# *x*\n```\nafter", "\x1b[2m```go\x1b[0m\n\x1b[0;36m# *x*\x1b[0m\n\x1b[2m```\x1b[0m\nafter\n"},
		"never closed":    {"**bold", "\x1b[0;1mbold\x1b[0m\n"},
		"steering":        {"a\x1b]0;title\x07b\x1b[2Jc\u202ed\r", "a]0;titleb[2Jcd\n"},
		"a lone star":     {"*", "*\n"},
		"empty":           {"", ""},
	} {
		if got := render(tt.text); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// However a text is cut into pieces, the same is shown.
func FuzzMarkdown(f *testing.F) {
	f.Add("# T\n\n- **a** `b`\n```\nx\n```\n> q *i*", uint8(1))
	f.Add("**", uint8(1))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		text = strings.ToValidUTF8(text, "")
		var pieces []string
		runes := []rune(text)
		for n := int(size%7) + 1; len(runes) > 0; {
			n = min(n, len(runes))
			pieces = append(pieces, string(runes[:n]))
			runes = runes[n:]
		}
		whole, cut := render(text), render(pieces...)
		if escapes.ReplaceAllString(whole, "") != escapes.ReplaceAllString(cut, "") {
			t.Errorf("%q: whole %q, in pieces %q", text, whole, cut)
		}
		if strings.Contains(escapes.ReplaceAllString(cut, ""), "\x1b") {
			t.Errorf("%q leaves an escape: %q", text, cut)
		}
	})
}
