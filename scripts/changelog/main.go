// Command changelog folds changes/*.md into CHANGELOG.md when a version is
// released.
//
//	go run ./scripts/changelog           print what the next release would say
//	go run ./scripts/changelog v0.2.0    write it, and delete the files it took
//
// A change file starts with one of the headings of kinds, then says in plain
// words what was and what is now.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// kinds are the headings a change file may start with, in the order of the release notes.
var kinds = []string{"Security", "Breaking", "Added", "Changed", "Fixed", "Removed"}

// marker is the line of CHANGELOG.md below which releases are written, newest first.
const marker = "<!-- releases -->"

var version = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`)

func main() {
	if err := run(".", os.Args[1:], time.Now().UTC(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "changelog:", err)
		os.Exit(1)
	}
}

func run(root string, args []string, now time.Time, out io.Writer) error {
	files, err := filepath.Glob(filepath.Join(root, "changes", "*.md"))
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(f string) bool { return filepath.Base(f) == "README.md" })
	notes, err := fold(files)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		_, err := io.WriteString(out, notes)
		return err
	}
	if !version.MatchString(args[0]) {
		return fmt.Errorf("%q is not a version such as v0.2.0", args[0])
	}
	if notes == "" {
		return errors.New("there is nothing in changes/ to release")
	}
	return release(root, fmt.Sprintf("## %s, %s\n\n%s", args[0], now.Format(time.DateOnly), notes), files)
}

// fold groups the change files by kind, each group in the order of the file names.
func fold(files []string) (string, error) {
	groups := map[string][]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		heading, body, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
		kind := strings.TrimSpace(strings.TrimPrefix(heading, "#"))
		body = strings.TrimSpace(body)
		if !strings.HasPrefix(heading, "# ") || !slices.Contains(kinds, kind) {
			return "", fmt.Errorf("%s starts with %q; start with \"# \" and one of %s", file, heading, strings.Join(kinds, ", "))
		}
		if body == "" {
			return "", fmt.Errorf("%s says nothing below its heading", file)
		}
		groups[kind] = append(groups[kind], body)
	}
	var b strings.Builder
	for _, kind := range kinds {
		if len(groups[kind]) > 0 {
			fmt.Fprintf(&b, "### %s\n\n%s\n\n", kind, strings.Join(groups[kind], "\n\n"))
		}
	}
	return b.String(), nil
}

func release(root, section string, files []string) error {
	name := filepath.Join(root, "CHANGELOG.md")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, after, ok := strings.Cut(string(text), marker+"\n")
	if !ok {
		return fmt.Errorf("%s has no line %q", name, marker)
	}
	text = []byte(before + marker + "\n\n" + strings.TrimRight(section, "\n") + "\n" + after)
	if err := os.WriteFile(name, text, 0o644); err != nil {
		return err
	}
	// Only what is written down is deleted; Git still has the files if this stops half-way.
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}
