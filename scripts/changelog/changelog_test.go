package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const page = "# Changelog\n\n" + marker + "\n\n## v0.1.0, 2026-11-01\n\nFirst.\n"

func folder(t *testing.T, changes map[string]string) string {
	t.Helper()
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(root, "changes"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("CHANGELOG.md", page)
	for name, text := range changes {
		write("changes/"+name, text)
	}
	return root
}

func TestReleaseFoldsAndDeletes(t *testing.T) {
	t.Parallel()
	root := folder(t, map[string]string{
		"b.md":      "# Fixed\n\nA bug.\n",
		"a.md":      "# Added\n\nA thing.\n",
		"c.md":      "# Added\n\nAnother.\n",
		"README.md": "how to write one",
	})
	at := time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC)
	if err := run(root, []string{"v0.2.0"}, at, nil); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := "# Changelog\n\n" + marker + "\n\n## v0.2.0, 2026-11-15\n\n### Added\n\nA thing.\n\nAnother.\n\n### Fixed\n\nA bug.\n\n## v0.1.0, 2026-11-01\n\nFirst.\n"
	if string(got) != want {
		t.Errorf("CHANGELOG.md = %q, want %q", got, want)
	}
	left, err := os.ReadDir(filepath.Join(root, "changes"))
	if err != nil || len(left) != 1 || left[0].Name() != "README.md" {
		t.Errorf("changes = %v, %v; want README.md only", left, err)
	}
}

func TestWithoutAVersionNothingIsWritten(t *testing.T) {
	t.Parallel()
	root := folder(t, map[string]string{"a.md": "# Security\n\nA hole is closed.\n"})
	var out bytes.Buffer
	if err := run(root, nil, time.Now(), &out); err != nil || !strings.Contains(out.String(), "### Security\n\nA hole is closed.") {
		t.Errorf("run = %q, %v", out.String(), err)
	}
	if got, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md")); err != nil || string(got) != page {
		t.Errorf("CHANGELOG.md = %q, %v; want it untouched", got, err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		changes map[string]string
		version string
		want    string
	}{
		"an unknown heading": {map[string]string{"a.md": "# News\n\nx\n"}, "v1.0.0", "start with"},
		"no heading":         {map[string]string{"a.md": "Added\n\nx\n"}, "v1.0.0", "start with"},
		"an empty change":    {map[string]string{"a.md": "# Added\n"}, "v1.0.0", "says nothing"},
		"no changes":         {nil, "v1.0.0", "nothing in changes"},
		"no version":         {map[string]string{"a.md": "# Added\n\nx\n"}, "1.0", "not a version"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := folder(t, tt.changes)
			err := run(root, []string{tt.version}, time.Now(), nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("run = %v, want an error with %q", err, tt.want)
			}
			if got, readErr := os.ReadFile(filepath.Join(root, "CHANGELOG.md")); readErr != nil || string(got) != page {
				t.Errorf("CHANGELOG.md was touched: %q, %v", got, readErr)
			}
		})
	}
}

// TestThisCheckout folds the change files that wait for the next release.
func TestThisCheckout(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := run("../..", nil, time.Now(), &out); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil || !strings.Contains(string(text), marker+"\n") {
		t.Errorf("CHANGELOG.md has no line %q (%v)", marker, err)
	}
}
