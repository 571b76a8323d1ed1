package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// row is one line of a table: what is said of a command.
type row struct {
	file string
	line int
	want Verdict
	text string
}

// readTables reads testdata/tables: "verdict: command", ⏎ for a new line.
func readTables(t testing.TB) []row {
	t.Helper()
	files, err := filepath.Glob("testdata/tables/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	var rows []row
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if line == "" || line[0] == '#' {
				continue
			}
			word, rest, ok := strings.Cut(line, ": ")
			r := row{file: filepath.Base(f), line: i + 1, text: strings.ReplaceAll(rest, "⏎", "\n")}
			if err := r.want.UnmarshalText([]byte(word)); err != nil || !ok {
				t.Fatalf("%s:%d: %v", f, i+1, err)
			}
			rows = append(rows, r)
		}
	}
	return rows
}

func TestTables(t *testing.T) {
	t.Parallel()
	a := newAnalyser(t)
	rows := readTables(t)
	for _, r := range rows {
		got := judge(a, r.text)
		if got.Verdict != r.want {
			t.Errorf("%s:%d: %q: %s by %s (%s), want %s", r.file, r.line, r.text, got.Verdict, got.Rule, got.Effect, r.want)
		}
		if alt := got.Alternative; alt != "" {
			if back := judge(a, alt); back.Verdict != Allow {
				t.Errorf("%s:%d: %q: suggests %q, which is %s by %s", r.file, r.line, r.text, alt, back.Verdict, back.Rule)
			}
		}
		if got.Verdict > Allow && (got.Effect == "" || got.Rule == "") {
			t.Errorf("%s:%d: %q: %s without a reason", r.file, r.line, r.text, got.Verdict)
		}
	}
	t.Logf("%d rows", len(rows))
}
