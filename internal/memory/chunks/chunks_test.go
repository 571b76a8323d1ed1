package chunks

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/memory/documents"
)

func doc(style documents.Style, text string) documents.Document {
	return documents.Document{Sections: []documents.Section{{Style: style, Text: text, Line: 1}}}
}

func TestProse(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# Manual\n\n## Setup\n\nFirst plug it in.\n\n```\nmake all\n\nmake test\n```\n\n")
	for i := range 60 {
		fmt.Fprintf(&b, "Step %d is about the number %d and nothing else at all. ", i, i)
	}
	b.WriteString("\n\n## Repair\n\nCall the shop.\n")
	list := Cut(doc(documents.Prose, b.String()))
	if len(list) < 4 {
		t.Fatalf("%d pieces", len(list))
	}
	lines := strings.Split(b.String(), "\n")
	for _, c := range list {
		if n := Tokens(c.Text); n > longest {
			t.Errorf("a piece has %d tokens", n)
		}
		if strings.Count(c.Text, "```")%2 != 0 {
			t.Errorf("a fence was cut: %q", c.Text)
		}
		if !strings.HasPrefix(c.Heading, "Manual") {
			t.Errorf("a piece has lost its headings: %q", c.Heading)
		}
		if first := strings.SplitN(c.Text, "\n", 2)[0]; !strings.Contains(lines[c.Line-1], strings.TrimSpace(first)) {
			t.Errorf("line %d is %q, the piece begins with %q", c.Line, lines[c.Line-1], first)
		}
	}
	last := list[len(list)-1]
	if last.Heading != "Manual > Repair" || !strings.Contains(last.Text, "Call the shop.") || last.EndLine != len(lines)-1 {
		t.Errorf("the last piece is %+v", last)
	}
}

func TestCode(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("package a\n\nimport \"fmt\"\n")
	for i := range 30 {
		fmt.Fprintf(&b, "\n// F%d prints %d.\nfunc F%d() {\n\tfmt.Println(%d)\n\n\tfmt.Println(\"done with it\")\n}\n", i, i, i, i)
	}
	list := Cut(doc(documents.Code, b.String()))
	for _, c := range list {
		if strings.Count(c.Text, "{") != strings.Count(c.Text, "}") {
			t.Errorf("a function was cut:\n%s", c.Text)
		}
	}
	if len(list) < 4 || !strings.HasPrefix(list[1].Heading, "func F") {
		t.Errorf("%d pieces, the second headed %q", len(list), list[1].Heading)
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("name | city\n")
	for i := range 200 {
		fmt.Fprintf(&b, "person%d | town%d\n", i, i)
	}
	list := Cut(doc(documents.Table, b.String()))
	lines := strings.Split(b.String(), "\n")
	seen := 0
	for i, c := range list {
		if !strings.HasPrefix(c.Text, "name | city\n") {
			t.Fatalf("a piece has no first row: %q", c.Text)
		}
		rows := strings.Split(c.Text, "\n")[1:]
		seen += len(rows)
		if i > 0 && lines[c.Line-1] != rows[0] || lines[c.EndLine-1] != rows[len(rows)-1] {
			t.Errorf("lines %d–%d are not %q … %q", c.Line, c.EndLine, rows[0], rows[len(rows)-1])
		}
	}
	if seen != 200 {
		t.Errorf("%d rows of 200", seen)
	}
}

func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no spaces": strings.Repeat("abcdefghij", 1000),
		"han":       strings.Repeat("我喜欢北京烤鸭", 500),
		"one line":  strings.Repeat("word ", 3000),
	} {
		var back strings.Builder
		for _, c := range Cut(doc(documents.Prose, text)) {
			if !utf8.ValidString(c.Text) {
				t.Errorf("%s: a letter was cut", name)
			}
			back.WriteString(c.Text)
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if squeeze(back.String()) != squeeze(text) {
			t.Errorf("%s: %d bytes of %d came back", name, back.Len(), len(text))
		}
	}
}

func FuzzCut(f *testing.F) {
	f.Add("# a\n\n```\nx\n")
	f.Add("| a |\n| b |\n\x80")
	f.Fuzz(func(t *testing.T, text string) {
		for _, style := range []documents.Style{documents.Prose, documents.Code, documents.Table} {
			for _, c := range Cut(doc(style, text)) {
				if strings.TrimSpace(c.Text) == "" || c.Line < 1 || c.EndLine < c.Line {
					t.Errorf("%s: %+v", style, c)
				}
			}
		}
	})
}
