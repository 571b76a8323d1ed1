package command

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/guard/packs"
)

// tree is a small file system: names are absolute, "-> x" is a link.
type tree struct {
	files map[string]string
	dirs  map[string][]string // names in each folder
}

func newTree(files map[string]string) tree {
	t := tree{files, map[string][]string{}}
	for name := range files {
		for dir := path.Dir(name); !slices.Contains(t.dirs[dir], path.Base(name)); dir = path.Dir(name) {
			t.dirs[dir] = append(t.dirs[dir], path.Base(name))
			if name = dir; dir == "/" {
				break
			}
		}
	}
	return t
}

type treeFile struct {
	name string
	size int64
	mode fs.FileMode
}

func (f treeFile) Name() string               { return f.name }
func (f treeFile) Size() int64                { return f.size }
func (f treeFile) Mode() fs.FileMode          { return f.mode }
func (f treeFile) ModTime() time.Time         { return time.Time{} }
func (f treeFile) IsDir() bool                { return f.mode.IsDir() }
func (f treeFile) Sys() any                   { return nil }
func (f treeFile) Type() fs.FileMode          { return f.mode.Type() }
func (f treeFile) Info() (fs.FileInfo, error) { return f, nil }

func (t tree) Lstat(name string) (fs.FileInfo, error) {
	if text, ok := t.files[name]; ok {
		if target, link := strings.CutPrefix(text, "-> "); link {
			return treeFile{path.Base(name), int64(len(target)), fs.ModeSymlink}, nil
		}
		return treeFile{path.Base(name), int64(len(text)), 0o644}, nil
	}
	if _, ok := t.dirs[name]; ok {
		return treeFile{path.Base(name), 0, fs.ModeDir | 0o755}, nil
	}
	return nil, fs.ErrNotExist
}

func (t tree) ReadFile(name string, limit int) ([]byte, error) {
	text, ok := t.files[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(text[:min(limit, len(text))]), nil
}

func (t tree) ReadDir(name string, limit int) ([]fs.DirEntry, error) {
	var out []fs.DirEntry
	for _, n := range t.dirs[name] {
		if info, err := t.Lstat(path.Join(name, n)); err == nil && len(out) < limit {
			out = append(out, info.(treeFile))
		}
	}
	return out, nil
}

const project = "/home/user/work/app"

// world is a project such as developers have.
var world = newTree(map[string]string{
	project + "/README.md":         "# app\n",
	project + "/go.mod":            "module app\n",
	project + "/main.go":           "package main\n",
	project + "/src/a.go":          "package src\n",
	project + "/src/b.go":          strings.Repeat("x", 2000),
	project + "/build/out.js":      "1",
	project + "/build/deep/x.js":   "22",
	project + "/.env":              "TOKEN=1\n",
	project + "/.git/HEAD":         "ref: refs/heads/main\n",
	project + "/.git/config":       "[alias]\n\tnuke = reset --hard\n\tst = status\n\tboom = !rm -rf ~\n",
	project + "/dir/keep.txt":      "k",
	project + "/link":              "-> /etc",
	project + "/safe.sh":           "#!/bin/sh\nset -e\ngo test ./...\necho done\n",
	project + "/danger.sh":         "#!/usr/bin/env bash\nset -e\nrm -rf /\n",
	project + "/scripts/lint.sh":   "golangci-lint run\n",
	project + "/scripts/deploy.sh": "terraform destroy -auto-approve\n",
	project + "/train.py":          "import os\nprint('hi')\n",
	project + "/wipe.py":           "import shutil\nshutil.rmtree('/')\n",
	project + "/manage.py":         "#!/usr/bin/env python\nimport sys\n",
	project + "/server.js":         "console.log(1)\n",
	project + "/wipe.js":           "require('fs').rmSync('/', {recursive: true})\n",
	project + "/app.rb":            "puts 1\n",
	project + "/query.sql":         "SELECT 1;\n",
	project + "/drop.sql":          "DROP TABLE users;\n",
	project + "/bin/server":        "\x7fELF\x00\x00",
	project + "/package.json":      `{"scripts":{"test":"jest","build":"tsc -p . && vite build","dev":"vite","start":"node server.js","lint":"eslint .","clean":"rm -rf dist","nuke":"rm -rf /","format":"prettier --write .","typecheck":"tsc --noEmit","deploy":"terraform apply -auto-approve"}}`,
	project + "/Makefile":          "BIN := app\nall: build test\nbuild:\n\tgo build -o build/$(BIN) ./...\ntest: build\n\tgo test ./...\nlint:\n\tgolangci-lint run\nclean:\n\trm -rf build dist\nnuke:\n\trm -rf /\ndeep: nuke\nfmt:\n\tgofmt -w .\nvariable:\n\trm -rf $(DIR)\n",
	"/home/user/.bashrc":           "alias ll='ls -l'\n",
	"/home/user/.ssh/id_rsa":       "key",
	"/etc/passwd":                  "root\n",
	"/home/user/work/other/x.go":   "package x\n",
})

func newAnalyser(t testing.TB) *Analyser {
	t.Helper()
	a, err := New(Options{FS: world})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func judge(a *Analyser, text string) Ruling {
	return a.Judge(tContext, Command{Text: text, Dir: project})
}

var update = flag.Bool("update", false, "write packs.json anew")

// sourcePacks reads the YAML files, so that problems have their lines.
func sourcePacks(t testing.TB) []Pack {
	t.Helper()
	packs, err := ReadPacks("../packs")
	if err != nil {
		t.Fatal(err)
	}
	return packs
}

func TestCompiledPacksAreUpToDate(t *testing.T) {
	t.Parallel()
	want, err := json.MarshalIndent(sourcePacks(t), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile("../packs/packs.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(want, packs.Compiled) {
		t.Error("packs.json is not made from the YAML files as they are; run: go test ./internal/guard/command -run Compiled -update")
	}
}

func TestPackProblemsNameTheLine(t *testing.T) {
	t.Parallel()
	good := "id: my.pack\nfamily: mine\nabout: Mine.\nprograms: [mytool]\nrules:\n  - id: wipe\n    severity: high\n    match: {program: mytool, sub: wipe}\n    effect: Wipes.\n    dangerous: [mytool wipe]\n    harmless: [mytool list]\n"
	for name, tt := range map[string]struct{ old, new, want string }{
		"good":                 {"", "", ""},
		"unknown key":          {"effect:", "efect:", "my.yaml:9: unknown field \"efect\""},
		"severity":             {"high", "huge", "my.yaml:7: severity \"huge\""},
		"verdict":              {"    effect", "    verdict: allow\n    effect", "my.yaml:9: verdict \"allow\""},
		"no program":           {"program: mytool, ", "", "my.yaml:6: the rule wipe can never match: it names no program"},
		"no examples":          {"    dangerous: [mytool wipe]\n", "", "my.yaml:6: the rule wipe needs examples"},
		"no flag":              {"sub: wipe", "flags: force", "my.yaml:8: \"force\" is no flag"},
		"wanted and not":       {"sub: wipe", "flags: --a, not_flags: --a", "can never match: --a is both wanted and not"},
		"more than most":       {"sub: wipe", "least: 2, most: 1", "can never match: most is below least"},
		"kind of place":        {"sub: wipe", "paths: moon", "my.yaml:8: \"moon\" is no kind of place"},
		"kind of statement":    {"sub: wipe", "sql: dance", "my.yaml:8: \"dance\" is no kind of statement"},
		"no text":              {"sub: wipe", "sub: {a: b}", "my.yaml:8"},
		"not YAML":             {"family: mine", "family: [", "my.yaml:"},
		"example not matched":  {"[mytool wipe]", "[mytool list]", "my.yaml:10: my.pack.wipe: does not match"},
		"harmless is matched":  {"harmless: [mytool list]", "harmless: [mytool wipe]", "my.yaml:11: my.pack.wipe: matches \"mytool wipe\", which is harmless"},
		"suggestion refused":   {"    dangerous", "    alternative: rm -rf /\n    dangerous", "which itself is not allowed"},
		"same rule twice":      {"", "  - id: wipe\n    severity: high\n    match: {program: mytool}\n    effect: X.\n    dangerous: [mytool]\n    harmless: [ls]\n", "my.yaml:12: the rule wipe is there twice"},
		"id of a built-in one": {"my.pack", "core.git", "the pack core.git is there twice"},
	} {
		dir := t.TempDir()
		text := good + tt.new
		if tt.old != "" {
			text = strings.Replace(good, tt.old, tt.new, 1)
		}
		if err := os.WriteFile(filepath.Join(dir, "my.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(Options{}, dir)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

func TestPackExamples(t *testing.T) {
	t.Parallel()
	packs := sourcePacks(t)
	a := newAnalyser(t)
	rules, examples := 0, 0
	for _, p := range packs {
		for _, r := range p.Rules {
			rules++
			examples += len(r.Dangerous) + len(r.Harmless)
		}
	}
	for _, problem := range Check(a, packs, project) {
		t.Error(problem)
	}
	t.Logf("%d packs, %d rules, %d examples", len(packs), rules, examples)
}
