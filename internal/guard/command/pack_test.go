package command

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"time"
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

func TestPackExamples(t *testing.T) {
	t.Parallel()
	packs, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
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
