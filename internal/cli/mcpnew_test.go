package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

func TestANewServerIsAskedFor(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	b := blueprint{Language: "typescript"}
	if err := b.ask(strings.NewReader("words\n\nCounts.\n\n"), &out); err != nil {
		t.Fatal(err)
	}
	if b.Name != "words" || b.Language != "typescript" || b.Tool != "count_words" || b.Description != "Counts." || b.Folder != "words" {
		t.Errorf("%+v", b)
	}
	if strings.Contains(out.String(), "language") || !strings.Contains(out.String(), "[count_words]") {
		t.Errorf("asked: %s", &out)
	}
	if err := new(blueprint).ask(strings.NewReader("words\n"), &out); err == nil {
		t.Error("no answer was taken for one")
	}
}

func TestANewServerIsChecked(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]blueprint{
		"no name": {}, "a name with a dot": {Name: "a.b"}, "another language": {Name: "a", Language: "cobol"}, "a tool with a space": {Name: "a", Tool: "a b"},
	} {
		if err := b.complete(); err == nil {
			t.Errorf("%s was taken: %+v", name, b)
		}
	}
}

func TestANewServerIsWrittenIntoAnEmptyFolder(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"go", "typescript"} {
		b := blueprint{Name: "words", Language: language, Folder: filepath.Join(t.TempDir(), "a folder"), Description: `Counts "words".`}
		if err := b.complete(); err != nil {
			t.Fatal(err)
		}
		if err := b.write(); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(filepath.Join(b.Folder, ".gitignore")); err != nil || len(text) == 0 {
			t.Errorf("%s: %q, %v", language, text, err)
		}
		if err := b.write(); !fault.HasCode(err, "folder_not_empty") {
			t.Errorf("%s was written twice: %v", language, err)
		}
	}
}
