package builtin_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/builtin"
)

func newRooms(t *testing.T, folder string) *builtin.Rooms {
	t.Helper()
	r, err := builtin.NewRooms(builtin.RoomsOptions{Sandbox: newSandbox(t), Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func TestSandboxes(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "sandboxes")
	rooms := newRooms(t, folder)
	b := newBench(t, builtin.Options{Rooms: rooms}, tools.Options{})
	if err := os.MkdirAll(filepath.Join(folder, "left-behind"), 0o755); err != nil {
		t.Fatal(err)
	}
	var made struct{ Sandbox, Folder string }
	if err := json.Unmarshal([]byte(b.ok("sandbox_initialize", m{})), &made); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "left-behind")); !os.IsNotExist(err) {
		t.Errorf("what was left behind is still there: %v", err)
	}
	run := func(command string) string {
		return b.ok("sandbox_exec", m{"sandbox": made.Sandbox, "command": command})
	}
	run("echo one >a.txt; (while :; do sleep 1; done) & echo $! >pid")
	b.contains(run("cat a.txt; kill -0 $(cat pid) && echo alive"), "one", "alive")
	b.contains(b.fails("command_failed", "sandbox_exec", m{"sandbox": made.Sandbox, "command": "echo begun; sleep 600", "timeout_seconds": 1}), "begun", "Stopped after 1s")
	b.fails("command_failed", "sandbox_exec", m{"sandbox": made.Sandbox, "command": "ls " + b.folder})
	b.fails("sandbox_not_found", "sandbox_exec", m{"sandbox": "sbx_nothing", "command": "ls"})
	mine := b.call
	b.call.Conversation = ids.New[ids.Conversation]()
	b.fails("sandbox_not_found", "sandbox_exec", m{"sandbox": made.Sandbox, "command": "ls"})
	b.fails("sandbox_not_found", "sandbox_stop", m{"sandbox": made.Sandbox})
	b.call = mine
	b.ok("sandbox_initialize", m{})
	b.ok("sandbox_initialize", m{})
	b.fails("too_many_sandboxes", "sandbox_initialize", m{})
	b.ok("sandbox_stop", m{"sandbox": made.Sandbox})
	b.fails("sandbox_not_found", "sandbox_stop", m{"sandbox": made.Sandbox})
	if _, err := os.Stat(made.Folder); !os.IsNotExist(err) {
		t.Errorf("its folder is still there: %v", err)
	}
	rooms.Close()
	left, err := os.ReadDir(folder)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	b.fails("sandbox_ended", "sandbox_initialize", m{})
}

func TestRunJS(t *testing.T) {
	t.Parallel()
	rooms := newRooms(t, "")
	b := newBench(t, builtin.Options{Rooms: rooms}, tools.Options{})
	if r := b.do("run_js", m{"code": "console.log(6 * 7)"}); r.Code == "node_missing" {
		b.contains(r.Text(), "install Node.js")
		t.Skip(r.Text())
	} else if r.Text() != "42" {
		t.Errorf("got %s %q", r.Code, r.Text())
	}
	b.contains(b.ok("run_js", m{"code": "import fs from 'node:fs'; const p = require('path'); console.log(await Promise.resolve(p.basename(process.cwd()).slice(0, 3)), fs.readdirSync('.').join())"}), "js- main.mjs")
	b.contains(b.fails("command_failed", "run_js", m{"code": "throw new Error('no')"}), "Error: no", "main.mjs:1")
	b.contains(b.fails("command_failed", "run_js", m{"code": "for (;;);", "timeout_seconds": 1}), "Stopped after 1s")
	b.contains(b.fails("no_network", "run_js", m{"code": "1", "dependencies": []string{"zod"}}), "tools.command_network")
	b.fails("bad_package", "run_js", m{"code": "1", "dependencies": []string{"--registry=http://evil.test"}})
	b.fails("invalid_arguments", "run_js", m{"code": "1", "network": true})
	var made struct{ Sandbox string }
	if err := json.Unmarshal([]byte(b.ok("sandbox_initialize", m{})), &made); err != nil {
		t.Fatal(err)
	}
	b.ok("run_js", m{"sandbox": made.Sandbox, "code": "import fs from 'node:fs'; fs.writeFileSync('note', 'kept')"})
	b.contains(b.ok("run_js", m{"sandbox": made.Sandbox, "code": "console.log(require('fs').readFileSync('note', 'utf8'))"}), "kept")
}

// registry is a small registry of packages.
type registry struct {
	*httptest.Server

	mu    sync.Mutex // guards the field below
	asked []string
}

func newRegistry(t *testing.T, packages map[string]map[string]string) *registry {
	t.Helper()
	r := &registry{}
	archives := map[string][]byte{}
	for name, files := range packages {
		archives[name] = archive(t, files)
	}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		r.asked = append(r.asked, req.URL.RequestURI())
		r.mu.Unlock()
		name := strings.TrimPrefix(req.URL.Path, "/")
		if tgz, ok := archives[strings.TrimSuffix(strings.TrimPrefix(name, "files/"), ".tgz")]; ok && strings.HasPrefix(name, "files/") {
			w.Write(tgz)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if name == "-/v1/search" {
			json.NewEncoder(w).Encode(m{"total": 1, "objects": []m{{"package": m{"name": "left-pad", "version": "1.3.0", "description": "Pads " + req.URL.Query().Get("text"), "date": "2026-01-01T00:00:00Z", "maintainers": []m{{"username": "ada"}}, "keywords": []string{"pad"}}}}})
			return
		}
		tgz, ok := archives[name]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			w.Write([]byte(`{"error":"not found"}`))
			return
		}
		sum := sha512.Sum512(tgz)
		json.NewEncoder(w).Encode(m{"name": name, "dist-tags": m{"latest": "1.0.0"}, "versions": m{"1.0.0": m{"name": name, "version": "1.0.0",
			"dist": m{"tarball": r.URL + "/files/" + name + ".tgz", "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}}}})
	}))
	t.Cleanup(r.Close)
	return r
}

func archive(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	w := tar.NewWriter(packed)
	for name, text := range files {
		if err := w.WriteHeader(&tar.Header{Name: "package/" + name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestPackages(t *testing.T) {
	t.Parallel()
	none := newBench(t, builtin.Options{Environ: []string{"PATH=" + t.TempDir()}}, tools.Options{})
	none.contains(none.fails("node_missing", "search_npm_packages", m{"query": "pad"}), "install Node.js")
	program, err := exec.LookPath("npm")
	if err != nil {
		t.Skip(err)
	}
	r := newRegistry(t, map[string]map[string]string{
		"typed": {"package.json": `{"name":"typed","version":"1.0.0","exports":{".":{"import":{"types":"./dist/index.d.mts"}}},"scripts":{"prepack":"touch ran"}}`,
			"dist/index.d.mts": "export * from './deep.js';\nexport declare const one: 1;", "dist/deep.d.ts": "export declare function deep(): void;", "other.d.ts": "unused"},
		"bare":        {"package.json": `{"name":"bare","version":"1.0.0","main":"index.js"}`, "index.js": "module.exports = 1"},
		"@types/bare": {"package.json": `{"name":"@types/bare","version":"1.0.0","types":"index.d.ts"}`, "index.d.ts": "declare const bare: number; export = bare;"},
		"untyped":     {"package.json": `{"name":"untyped","version":"1.0.0"}`},
	})
	home := t.TempDir()
	b := newBench(t, builtin.Options{Environ: []string{"PATH=" + filepath.Dir(program) + ":/usr/bin:/bin", "HOME=" + home, "npm_config_registry=" + r.URL, "npm_config_cache=" + home}}, tools.Options{})
	b.contains(b.ok("search_npm_packages", m{"query": "pad strings", "limit": 5}), `"name":"left-pad"`, `"description":"Pads pad strings"`)
	got := b.ok("get_dependency_types", m{"dependencies": []string{"typed@^1", "bare", "untyped"}})
	b.contains(got, "// typed 1.0.0", "// dist/index.d.mts\nexport * from './deep.js';", "// dist/deep.d.ts\nexport declare function deep(): void;",
		"// @types/bare 1.0.0", "declare const bare: number", "// untyped 1.0.0: it comes without types")
	b.lacks(got, "unused")
	b.fails("registry_failed", "get_dependency_types", m{"dependencies": []string{"nowhere"}})
	for _, bad := range []string{"file:/etc", "git+https://x.test/y", "../x", "-g", "a@file:/etc", "https://x.test/a.tgz", "a b"} {
		b.fails("bad_package", "get_dependency_types", m{"dependencies": []string{bad}})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.asked) == 0 || !strings.Contains(r.asked[0], "size=5") {
		t.Errorf("asked: %v", r.asked)
	}
}
