package builtin_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/builtin"
)

type m = map[string]any

func TestPathsStayInside(t *testing.T) {
	t.Parallel()
	b := newBench(t, builtin.Options{}, tools.Options{})
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.put("dir/in.txt", "inside")
	for name, to := range map[string]string{"out": outside, "outdir": filepath.Dir(outside), "in": "dir/in.txt", "up": "../..", "gitlink": ".git", "conflink": ".git/config"} {
		if err := os.Symlink(to, filepath.Join(b.folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	b.git("init", "-q")
	for _, p := range []string{outside, "../secret", "dir/../../secret", "out", "outdir/secret", "up/etc/passwd", b.folder + "x/secret", "/etc/passwd"} {
		b.lacks(b.fails("outside_project", "read_file", m{"path": p}), "\tsecret")
		b.fails("outside_project", "write_file", m{"path": p, "content": "x"})
	}
	b.fails("outside_project", "list_files", m{"path": "outdir"})
	b.fails("outside_project", "search_text", m{"path": "..", "pattern": "secret"})
	if text, err := os.ReadFile(outside); err != nil || string(text) != "secret" {
		t.Errorf("the file outside is %q, %v", text, err)
	}
	for _, p := range []string{"in", "dir/in.txt", "./dir//in.txt", filepath.Join(b.folder, "dir/in.txt")} {
		b.contains(b.ok("read_file", m{"path": p}), "inside")
	}
	for _, p := range []string{".git/config", ".git/hooks/pre-commit", "dir/.GIT/config", "gitlink/config", "conflink"} {
		b.fails("inside_git", "write_file", m{"path": p, "content": "x"})
	}
	b.call.Folder = ""
	b.fails("no_project", "read_file", m{"path": "in"})
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	b := newBench(t, builtin.Options{}, tools.Options{})
	b.put("a.txt", "one\r\ntwo\nthree")
	b.put("empty", "")
	b.put("long", strings.Repeat("ü", 3000))
	b.put("data", "a\x00b")
	b.put("pic.png", "\x89PNG\r\n\x1a\n\x00\x00")
	if got, want := b.ok("read_file", m{"path": "a.txt"}), "     1\tone\n     2\ttwo\n     3\tthree"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := b.ok("read_file", m{"path": "a.txt", "offset": "2", "limit": 1}), "     2\ttwo\n[Lines 2 to 2 of 3; read on with offset 3.]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b.contains(b.ok("read_file", m{"path": "a.txt", "offset": 9}), "has 3 lines")
	b.contains(b.ok("read_file", m{"path": "empty"}), "empty")
	b.contains(b.ok("read_file", m{"path": "long"}), "4000 bytes more")
	b.contains(b.ok("read_file", m{"path": "data"}), "binary file")
	if r := b.do("read_file", m{"path": "pic.png"}); len(r.Parts) != 1 || r.Parts[0].Kind != tools.PartImage || r.Parts[0].MediaType != "image/png" {
		t.Errorf("an image: %+v", r)
	}
	b.contains(b.fails("file_not_found", "read_file", m{"path": "nope"}), "list_files")
	b.fails("is_folder", "read_file", m{"path": "."})
	if err := syscall.Mkfifo(filepath.Join(b.folder, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.fails("not_a_file", "read_file", m{"path": "pipe"})
}

func TestWriteFile(t *testing.T) {
	t.Parallel()
	b := newBench(t, builtin.Options{}, tools.Options{})
	b.ok("write_file", m{"path": "new/deep/file.txt", "content": "hi\n"})
	if got := b.get("new/deep/file.txt"); got != "hi\n" {
		t.Errorf("got %q", got)
	}
	script := filepath.Join(b.folder, "run.sh")
	if err := os.WriteFile(script, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("run.sh", filepath.Join(b.folder, "link")); err != nil {
		t.Fatal(err)
	}
	b.ok("write_file", m{"path": "run.sh", "content": "a"})
	b.ok("write_file", m{"path": "link", "content": "bb"})
	info, err := os.Lstat(script)
	if err != nil || info.Mode().Perm() != 0o755 || info.Size() != 2 {
		t.Errorf("run.sh is %v, %v", info, err)
	}
	if info, err := os.Lstat(filepath.Join(b.folder, "link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("link is %v, %v", info, err)
	}
	b.fails("is_folder", "write_file", m{"path": "new", "content": ""})
	b.fails("not_a_folder", "write_file", m{"path": "run.sh/x", "content": ""})
	entries, err := os.ReadDir(b.folder)
	if err != nil || len(entries) != 3 {
		t.Errorf("left over: %v, %v", entries, err)
	}
}

func TestEditFile(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		before string
		args   m
		after  string
		code   string
	}{
		"one place":            {before: "a b c", args: m{"edits": []m{{"old": "b", "new": "B"}}}, after: "a B c"},
		"several":              {before: "a b c", args: m{"edits": []m{{"old": "a", "new": "b"}, {"old": "b b", "new": "x"}}}, after: "x c"},
		"all":                  {before: "a a a", args: m{"edits": []m{{"old": "a", "new": "b", "all": true}}}, after: "b b b"},
		"not there":            {before: "a", args: m{"edits": []m{{"old": "x", "new": "y"}}}, code: "text_not_found"},
		"not unique":           {before: "a a", args: m{"edits": []m{{"old": "a", "new": "y"}}}, code: "text_not_unique"},
		"the second fails":     {before: "a b", args: m{"edits": []m{{"old": "a", "new": "y"}, {"old": "q", "new": "y"}}}, code: "text_not_found"},
		"other line ends":      {before: "a\r\nb\r\n", args: m{"edits": []m{{"old": "a\nb", "new": "x\ny"}}}, after: "x\r\ny\r\n"},
		"nothing changes":      {before: "a", args: m{"edits": []m{{"old": "a", "new": "a"}}}, code: "no_change"},
		"not text":             {before: "a\xff", args: m{"edits": []m{{"old": "a", "new": "b"}}}, code: "not_text"},
		"neither":              {before: "a", args: m{}, code: "invalid_arguments"},
		"both":                 {before: "a", args: m{"patch": "@@\n-a\n+b", "edits": []m{{"old": "a", "new": "b"}}}, code: "invalid_arguments"},
		"edits in a string":    {before: "a b", args: m{"edits": `[{"old":"a","new":"x"}]`}, after: "x b"},
		"a patch":              {before: "1\n2\n3\n4\n", args: m{"patch": "--- a/f\n+++ b/f\n@@ -2,2 +2,2 @@\n 2\n-3\n+drei\n"}, after: "1\n2\ndrei\n4\n"},
		"a patch, wrong lines": {before: "1\n2\n3\n", args: m{"patch": "@@ -99,1 +99,1 @@\n-3\n+drei\n"}, after: "1\n2\ndrei\n"},
		"a patch, no lines":    {before: "1\n2\n3\n", args: m{"patch": "@@\n 2\n-3\n+drei"}, after: "1\n2\ndrei\n"},
		"a patch, two hunks":   {before: "1\n2\n3\n4\n5\n", args: m{"patch": "@@ -1 +1,2 @@\n 1\n+1b\n@@ -5 +6 @@\n-5\n+fünf\n"}, after: "1\n1b\n2\n3\n4\nfünf\n"},
		"a patch, nearest":     {before: "x\na\nx\nb\nx\n", args: m{"patch": "@@ -5,1 +5,1 @@\n-x\n+y\n"}, after: "x\na\nx\nb\ny\n"},
		"a patch, \\r\\n":      {before: "1\r\n2\r\n", args: m{"patch": "@@ -2 +2 @@\n-2\n+zwei\n"}, after: "1\r\nzwei\r\n"},
		"a patch, no newline":  {before: "1\n2", args: m{"patch": "@@ -2 +2 @@\n-2\n\\ No newline at end of file\n+zwei\n"}, after: "1\nzwei\n"},
		"a patch, added":       {before: "1\n2\n", args: m{"patch": "@@ -1,0 +2,1 @@\n+1b\n"}, after: "1\n1b\n2\n"},
		"a patch that fails":   {before: "1\n", args: m{"patch": "@@ -1 +1 @@\n-2\n+3\n"}, code: "patch_does_not_fit"},
		"no patch at all":      {before: "1\n", args: m{"patch": "replace 1 by 2"}, code: "bad_patch"},
		"a broken patch":       {before: "1\n", args: m{"patch": "@@ -1 +1 @@\n1\n"}, code: "bad_patch"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, builtin.Options{}, tools.Options{})
			b.put("f", tt.before)
			tt.args["path"] = "f"
			if tt.code != "" {
				b.fails(tt.code, "edit_file", tt.args)
				tt.after = tt.before
			} else {
				b.ok("edit_file", tt.args)
			}
			if got := b.get("f"); got != tt.after {
				t.Errorf("the file is %q, want %q", got, tt.after)
			}
		})
	}
}

func TestFinding(t *testing.T) {
	t.Parallel()
	b := newBench(t, builtin.Options{}, tools.Options{})
	b.put(".gitignore", "*.log\n/build/\n!keep.log\n# comment\nsub/secret.txt\n")
	b.put("main.go", "package main\n\nfunc main() {}\n")
	b.put("lib/a.go", "package lib\n// FUNC here\n")
	b.put("lib/.gitignore", "gen_*\n")
	b.put("lib/gen_a.go", "package func\n")
	b.put("x.log", "func\n")
	b.put("keep.log", "func\n")
	b.put("build/out.go", "func\n")
	b.put("lib/build/in.go", "func\n")
	b.put("sub/secret.txt", "func\n")
	b.put("bin", "func\x00")
	b.git("init", "-q")

	all := b.ok("list_files", m{"depth": 4})
	b.contains(all, "main.go (29 bytes)", "lib/\n", "lib/a.go", "keep.log", "lib/build/in.go")
	b.lacks(all, "x.log", "build/out.go (", "gen_a", ".git/", "secret")
	b.contains(b.ok("list_files", m{"ignored": true, "depth": 2}), "x.log", "build/out.go", "gen_a")
	b.lacks(b.ok("list_files", m{}), "lib/a.go")
	b.fails("not_a_folder", "list_files", m{"path": "main.go"})
	b.fails("file_not_found", "list_files", m{"path": "nope"})

	found := b.ok("glob", m{"pattern": "**/*.go"})
	b.contains(found, "main.go", "lib/a.go")
	b.lacks(found, "gen_a")
	b.contains(b.ok("glob", m{"pattern": "*.go", "path": "lib"}), "lib/a.go")
	b.lacks(b.ok("glob", m{"pattern": "*.go"}), "lib/a.go")
	b.contains(b.ok("glob", m{"pattern": "{main,lib/a}.go"}), "main.go", "lib/a.go")
	b.contains(b.ok("glob", m{"pattern": "nothing"}), "No file")

	hits := b.ok("search_text", m{"pattern": "^func"})
	b.contains(hits, "main.go:3: func main() {}", "keep.log:1: func")
	b.lacks(hits, "x.log", "gen_a", "bin", "build/out.go:1: func\nbuild", "FUNC")
	b.contains(b.ok("search_text", m{"pattern": "func", "ignore_case": true, "glob": "*.go", "context": 1}), "lib/a.go-1- package lib\nlib/a.go:2: // FUNC here")
	b.contains(b.ok("search_text", m{"pattern": "func", "limit": 1}), "Only the first 1")
	b.contains(b.ok("search_text", m{"pattern": "zzz"}), "No match")
	b.fails("bad_pattern", "search_text", m{"pattern": "("})
}
