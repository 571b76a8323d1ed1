package projects_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/projects"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// world is a folder with files in it, and who keeps it.
type world struct {
	*projects.Projects
	t      *testing.T
	db     *store.DB
	hub    *events.Hub
	dir    string
	blobs  string
	ws     ids.Workspace
	user   ids.User
	change func(*projects.Options)
}

func newWorld(t *testing.T, db *store.DB, change func(*projects.Options)) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, db: db, dir: filepath.Join(dir, "project"), blobs: filepath.Join(dir, "blobs"), ws: ids.New[ids.Workspace](), user: ids.New[ids.User](), change: change}
	w.open()
	w.write("a.txt", "one\n", 0o644)
	w.write("run.sh", "#!/bin/sh\n", 0o755)
	w.write("secret", "key", 0o600)
	w.write("src/main.go", "package main\n", 0o644)
	w.write("src/deep/er/x.bin", "\x00\x01\x02", 0o644)
	w.must(os.Symlink("a.txt", w.path("link")))
	w.must(os.Mkdir(w.path("empty"), 0o750))
	return w
}

// open makes the part anew, as after a restart.
func (w *world) open() {
	if w.hub == nil {
		w.hub = eventstest.New(w.t, w.db)
	}
	opts := projects.Options{DB: w.db, Hub: w.hub, Blobs: w.blobs}
	if w.change != nil {
		w.change(&opts)
	}
	var err error
	w.Projects, err = projects.New(opts)
	w.must(err)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

func (w *world) write(name, text string, mode fs.FileMode) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
	w.must(os.WriteFile(w.path(name), []byte(text), mode))
	w.must(os.Chmod(w.path(name), mode))
}

func (w *world) git(args ...string) {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.invalid"}, args...)...)
	cmd.Dir = w.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// tree is everything there is: kinds, modes, contents, targets. Git's own is left out.
func (w *world) tree() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	w.must(filepath.WalkDir(w.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.Name() == ".git" {
			return fs.SkipDir
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(w.dir, path)
		switch {
		case info.IsDir():
			all[rel] = info.Mode().String()
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			all[rel] = "-> " + target
			return err
		default:
			text, err := os.ReadFile(path)
			all[rel] = info.Mode().String() + " " + string(text)
			return err
		}
		return nil
	}))
	return all
}

// call makes a change with a snapshot around it.
func (w *world) call(run ids.Run, turn string, anything bool, paths []string, change func()) ids.ToolCall {
	w.t.Helper()
	t := projects.Touched{Workspace: w.ws, Call: ids.New[ids.ToolCall](), Run: run, Turn: turn, Agent: "coder", Tool: "tool", Folder: w.dir, Anything: anything}
	for _, p := range paths {
		t.Paths = append(t.Paths, w.path(p))
	}
	w.must(w.Before(w.t.Context(), t))
	change()
	w.must(w.After(w.t.Context(), w.ws, t.Call))
	return t.Call
}

// changes are what calls do to files.
var changes = map[string]struct {
	paths []string // that a call would name
	do    func(w *world)
}{
	"bytes":               {[]string{"a.txt"}, func(w *world) { w.write("a.txt", "two\n", 0o644) }},
	"bytes of equal size": {[]string{"a.txt"}, func(w *world) { w.write("a.txt", "eno\n", 0o644) }},
	"a mode":              {[]string{"run.sh"}, func(w *world) { w.must(os.Chmod(w.path("run.sh"), 0o600)) }},
	"a private file":      {[]string{"secret"}, func(w *world) { w.must(os.Remove(w.path("secret"))) }},
	"a deletion":          {[]string{"a.txt"}, func(w *world) { w.must(os.Remove(w.path("a.txt"))) }},
	"a tree deleted":      {[]string{"src"}, func(w *world) { w.must(os.RemoveAll(w.path("src"))) }},
	"an empty folder":     {[]string{"empty"}, func(w *world) { w.must(os.Remove(w.path("empty"))) }},
	"a folder's mode":     {[]string{"src"}, func(w *world) { w.must(os.Chmod(w.path("src"), 0o700)) }},
	"a rename":            {[]string{"a.txt", "b.txt"}, func(w *world) { w.must(os.Rename(w.path("a.txt"), w.path("b.txt"))) }},
	"a folder renamed":    {[]string{"src", "lib"}, func(w *world) { w.must(os.Rename(w.path("src"), w.path("lib"))) }},
	"a new file":          {[]string{"new.txt"}, func(w *world) { w.write("new.txt", "x", 0o644) }},
	"a new tree":          {[]string{"n/e/w/file"}, func(w *world) { w.write("n/e/w/file", "x", 0o644) }},
	"a link deleted":      {[]string{"link"}, func(w *world) { w.must(os.Remove(w.path("link"))) }},
	"a link turned": {[]string{"link"}, func(w *world) {
		w.must(os.Remove(w.path("link")))
		w.must(os.Symlink("run.sh", w.path("link")))
	}},
	"through a link":           {[]string{"link"}, func(w *world) { w.write("link", "through\n", 0o644) }},
	"a link out of the folder": {[]string{"out"}, func(w *world) { w.must(os.Symlink("/etc/passwd", w.path("out"))) }},
	"a file becomes a folder": {[]string{"a.txt"}, func(w *world) {
		w.must(os.Remove(w.path("a.txt")))
		w.write("a.txt/inside", "x", 0o644)
	}},
	"a folder becomes a file": {[]string{"src"}, func(w *world) {
		w.must(os.RemoveAll(w.path("src")))
		w.write("src", "x", 0o644)
	}},
	"a link becomes a file": {[]string{"link"}, func(w *world) {
		w.must(os.Remove(w.path("link")))
		w.write("link", "x", 0o644)
	}},
	"an empty file": {[]string{"a.txt"}, func(w *world) { w.write("a.txt", "", 0o644) }},
	"its time kept": {[]string{"a.txt"}, func(w *world) {
		info, err := os.Stat(w.path("a.txt"))
		w.must(err)
		w.write("a.txt", "eno\n", 0o644)
		w.must(os.Chtimes(w.path("a.txt"), info.ModTime(), info.ModTime()))
	}},
}

func TestUndo(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	for name, c := range changes {
		for _, inGit := range []bool{false, true} {
			for _, named := range []bool{false, true} {
				if inGit && named {
					continue // Git makes no difference to how a path is named
				}
				t.Run(fmt.Sprintf("%s, git %v, named %v", name, inGit, named), func(t *testing.T) {
					t.Parallel()
					w := newWorld(t, db, nil)
					if inGit {
						w.git("init", "-q")
						w.git("add", "-A")
						w.git("commit", "-qm", "first")
					}
					before := w.tree()
					var paths []string
					if named {
						paths = c.paths
					}
					call := w.call("run_1", "1", !named, paths, func() { c.do(w) })
					after := w.tree()
					if cmp.Equal(before, after) {
						t.Fatal("the change changes nothing")
					}
					plan, err := w.Preview(t.Context(), w.ws, projects.Target{Call: call})
					if err != nil || len(plan.Steps) == 0 || plan.Stuck > 0 || plan.Done {
						t.Fatalf("Preview = %+v, %v", plan, err)
					}
					if diff := cmp.Diff(after, w.tree()); diff != "" {
						t.Fatalf("a preview changes files:\n%s", diff)
					}
					undone, err := w.Undo(t.Context(), w.ws, projects.Target{Call: call}, w.user)
					if err != nil || !undone.Done {
						t.Fatalf("Undo = %+v, %v", undone, err)
					}
					if diff := cmp.Diff(before, w.tree()); diff != "" {
						t.Errorf("after the undo (-want +got):\n%s", diff)
					}
					if inGit {
						w.git("diff", "--exit-code")
					}
					if _, err := w.Undo(t.Context(), w.ws, projects.Target{Call: call}, w.user); !fault.HasCode(err, "undone_already") {
						t.Errorf("a second undo: %v", err)
					}
					if _, err := w.Undo(t.Context(), w.ws, projects.Target{Call: undone.Call}, w.user); err != nil {
						t.Fatalf("undoing the undo: %v", err)
					}
					if diff := cmp.Diff(after, w.tree()); diff != "" {
						t.Errorf("after undoing the undo (-want +got):\n%s", diff)
					}
				})
			}
		}
	}
}

func TestUndoOfTurnsAndRuns(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, nil)
		start := w.tree()
		w.call("run_1", "1", false, []string{"a.txt"}, func() { w.write("a.txt", "first", 0o644) })
		middle := w.tree()
		w.call("run_1", "2", false, []string{"a.txt"}, func() { w.write("a.txt", "second", 0o644) })
		w.call("run_1", "2", true, nil, func() { w.must(os.Rename(w.path("a.txt"), w.path("b.txt"))) })
		w.call("run_2", "1", false, []string{"other"}, func() { w.write("other", "of run 2", 0o644) })
		w.open()
		if _, err := w.Undo(t.Context(), w.ws, projects.Target{Run: "run_1", Turn: "2"}, w.user); err != nil {
			t.Fatal(err)
		}
		middle["other"] = w.tree()["other"]
		if diff := cmp.Diff(middle, w.tree()); diff != "" {
			t.Errorf("after undoing the turn (-want +got):\n%s", diff)
		}
		if _, err := w.Undo(t.Context(), w.ws, projects.Target{Run: "run_1"}, w.user); err != nil {
			t.Fatal(err)
		}
		start["other"] = middle["other"]
		if diff := cmp.Diff(start, w.tree()); diff != "" {
			t.Errorf("after undoing the run (-want +got):\n%s", diff)
		}
		if _, err := w.Undo(t.Context(), w.ws, projects.Target{Run: "run_1"}, w.user); !fault.HasCode(err, "nothing_to_undo") {
			t.Errorf("undoing it again: %v", err)
		}
		if _, err := w.Undo(t.Context(), ids.New[ids.Workspace](), projects.Target{Run: "run_2"}, w.user); !fault.HasCode(err, "nothing_to_undo") {
			t.Errorf("from another workspace: %v", err)
		}
		list, err := w.Snapshots(t.Context(), w.ws, projects.SnapshotFilter{Run: "run_1"})
		if err != nil || len(list.Data) != 3 || list.Data[0].State != projects.StateUndone {
			t.Errorf("Snapshots = %+v, %v", list, err)
		}
	})
}

func TestWhatChangedSinceIsNotWrittenOver(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	tests := map[string]struct {
		since func(w *world)
		why   string
	}{
		"edited":       {func(w *world) { w.write("a.txt", "by hand", 0o644) }, "It changed since."},
		"deleted":      {func(w *world) { w.must(os.Remove(w.path("a.txt"))) }, "It changed since."},
		"another mode": {func(w *world) { w.must(os.Chmod(w.path("a.txt"), 0o600)) }, "It changed since."},
		"by a later call": {func(w *world) {
			w.call("run_2", "", false, []string{"a.txt"}, func() { w.write("a.txt", "later", 0o644) })
		}, "tool of coder did so in run_2"},
		"between two calls": {func(w *world) {
			w.write("a.txt", "by hand", 0o644)
			w.call("run_1", "", false, []string{"a.txt"}, func() { w.write("a.txt", "again", 0o644) })
		}, "between two of these calls"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, db, nil)
			w.call("run_1", "", false, []string{"a.txt", "new"}, func() {
				w.write("a.txt", "by the agent", 0o644)
				w.write("new", "by the agent", 0o644)
			})
			tt.since(w)
			now := w.tree()
			plan, err := w.Undo(t.Context(), w.ws, projects.Target{Run: "run_1"}, w.user)
			if !fault.HasCode(err, "changed_since") || plan.Stuck != 1 || !strings.Contains(err.Error(), tt.why) || !strings.Contains(err.Error(), "a.txt") {
				t.Errorf("Undo = %v, want changed_since with %q", err, tt.why)
			}
			if diff := cmp.Diff(now, w.tree()); diff != "" {
				t.Errorf("an undo that is refused changes files:\n%s", diff)
			}
		})
	}
	t.Run("back by hand already", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, db, nil)
		before := w.tree()
		w.call("run_1", "", false, []string{"a.txt", "run.sh"}, func() { w.write("a.txt", "x", 0o644); w.write("run.sh", "x", 0o755) })
		w.write("a.txt", "one\n", 0o644)
		if _, err := w.Undo(t.Context(), w.ws, projects.Target{Run: "run_1"}, w.user); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, w.tree()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("something else in a new folder", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, db, nil)
		w.call("run_1", "", false, []string{"new/file"}, func() { w.write("new/file", "x", 0o644) })
		w.write("new/mine", "keep", 0o644)
		if _, err := w.Undo(t.Context(), w.ws, projects.Target{Run: "run_1"}, w.user); err != nil {
			t.Fatal(err)
		}
		if got := w.tree(); got["new/mine"] == "" || got["new/file"] != "" {
			t.Errorf("tree = %v", got)
		}
	})
}

func TestLimitsAreSaid(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	t.Run("a large file", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, db, func(o *projects.Options) { o.Limits.FileBytes = 100 })
		w.write("big", strings.Repeat("x", 200), 0o644)
		w.call("run_1", "", true, nil, func() { w.write("big", strings.Repeat("y", 201), 0o644); w.write("a.txt", "x", 0o644) })
		plan, err := w.Preview(t.Context(), w.ws, projects.Target{Run: "run_1"})
		if err != nil || plan.Stuck != 1 || len(plan.Notes) == 0 {
			t.Errorf("Preview = %+v, %v; want big to be stuck and a note", plan, err)
		}
	})
	t.Run("more files than are covered", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, db, func(o *projects.Options) { o.Limits.Files = 3 })
		before := w.tree()
		call := w.call("run_1", "", true, nil, func() { w.write("0", "x", 0o644); w.write("a.txt", "x", 0o644) })
		plan, err := w.Undo(t.Context(), w.ws, projects.Target{Call: call}, w.user)
		if err != nil || len(plan.Notes) == 0 || !strings.Contains(plan.Notes[0], "Only 3 files") {
			t.Errorf("Undo = %+v, %v", plan, err)
		}
		before["0"] = w.tree()["0"] // not covered, as the note says
		if diff := cmp.Diff(before, w.tree()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("what is skipped", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, db, nil)
		w.write("node_modules/x/index.js", "x", 0o644)
		w.call("run_1", "", true, []string{"node_modules/x"}, func() { w.must(os.RemoveAll(w.path("node_modules"))); w.write("new", "x", 0o644) })
		plan, err := w.Undo(t.Context(), w.ws, projects.Target{Run: "run_1"}, w.user)
		if err != nil || !strings.Contains(strings.Join(plan.Notes, " "), "node_modules") {
			t.Errorf("Undo = %+v, %v", plan, err)
		}
		if got := w.tree()["node_modules/x/index.js"]; !strings.HasSuffix(got, "x") {
			t.Errorf("a path that the call named was not brought back: %q", got)
		}
	})
}

func TestACallThatNeverEnded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, nil)
		before := w.tree()
		call := ids.New[ids.ToolCall]()
		w.must(w.Before(t.Context(), projects.Touched{Workspace: w.ws, Call: call, Run: "run_1", Tool: "run_command", Folder: w.dir, Anything: true}))
		w.must(os.RemoveAll(w.path("src")))
		w.open() // the process died here
		plan, err := w.Undo(t.Context(), w.ws, projects.Target{Run: "run_1"}, w.user)
		if err != nil || !strings.Contains(strings.Join(plan.Notes, " "), "did not end properly") {
			t.Fatalf("Undo = %+v, %v", plan, err)
		}
		if diff := cmp.Diff(before, w.tree()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestNothingChangedLeavesNoSnapshot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), nil)
	w.call("run_1", "", true, []string{"a.txt"}, func() {})
	list, err := w.Snapshots(t.Context(), w.ws, projects.SnapshotFilter{})
	if err != nil || len(list.Data) != 0 {
		t.Errorf("Snapshots = %+v, %v; want none", list, err)
	}
}

func TestProjects(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, func(o *projects.Options) { o.Own = o.Blobs })
		ctx := t.Context()
		made, err := w.Create(ctx, w.ws, projects.NewProject{Folder: w.dir, By: w.user})
		if err != nil || made.Name != "project" || made.Trusted {
			t.Fatalf("Create = %+v, %v", made, err)
		}
		if _, err := w.Create(ctx, w.ws, projects.NewProject{Folder: w.dir, Name: "again", By: w.user}); !fault.HasCode(err, "project_exists") {
			t.Errorf("the same folder: %v", err)
		}
		for name, dir := range map[string]string{"relative": "x", "missing": w.path("nothing"), "a file": w.path("a.txt"), "the root": "/", "our data": w.blobs, "around our data": filepath.Dir(w.blobs)} {
			if _, err := w.Create(ctx, w.ws, projects.NewProject{Folder: dir, Name: name}); !fault.HasCode(err, "bad_folder") {
				t.Errorf("%s: %v, want bad_folder", name, err)
			}
		}
		elsewhere := t.TempDir()
		for folder, want := range map[string][2]bool{w.path("src"): {false, true}, elsewhere: {}, filepath.Join(w.blobs, string(w.ws), "x"): {true, true}, filepath.Join(w.blobs, "ws_other"): {}} {
			if trusted, known, err := w.Trust(ctx, w.ws, folder); err != nil || trusted != want[0] || known != want[1] {
				t.Errorf("Trust(%s) = %v, %v, %v; want %v", folder, trusted, known, err, want)
			}
		}
		if trusted, err := w.Trusted(ctx, w.ws, w.path("src")); err != nil || trusted {
			t.Errorf("Trusted = %v, %v; want false inside", trusted, err)
		}
		yes, name := true, "renamed"
		changed, err := w.Update(ctx, w.ws, made.ID, projects.Change{Name: &name, Trusted: &yes})
		if err != nil || changed.Name != name || !changed.Trusted {
			t.Errorf("Update = %+v, %v", changed, err)
		}
		if trusted, err := w.Trusted(ctx, w.ws, w.dir); err != nil || !trusted {
			t.Errorf("Trusted = %v, %v", trusted, err)
		}
		if _, err := w.Get(ctx, ids.New[ids.Workspace](), made.ID); !fault.HasCode(err, "project_not_found") {
			t.Errorf("from another workspace: %v", err)
		}
		for _, ref := range []string{string(made.ID), name} {
			if found, err := w.Find(ctx, w.ws, ref); err != nil || found != changed {
				t.Errorf("Find(%s) = %+v, %v", ref, found, err)
			}
		}
		if _, err := w.Find(ctx, w.ws, "nobody"); !fault.HasCode(err, "project_not_found") {
			t.Errorf("Find of nothing: %v", err)
		}
		if list, err := w.List(ctx, w.ws); err != nil || len(list) != 1 || list[0] != changed {
			t.Errorf("List = %+v, %v", list, err)
		}
		if err := w.Delete(ctx, w.ws, made.ID); err != nil {
			t.Fatal(err)
		}
		if err := w.Delete(ctx, w.ws, made.ID); !fault.HasCode(err, "project_not_found") {
			t.Errorf("Delete again: %v", err)
		}
	})
}

func TestOldSnapshotsGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), func(o *projects.Options) { o.Keep = time.Nanosecond; o.TotalBytes = 1 })
	w.call("run_1", "", false, []string{"a.txt"}, func() { w.write("a.txt", "x", 0o644) })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if err := projects.Prune(ctx, w.Projects, time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Preview(t.Context(), w.ws, projects.Target{Run: "run_1"}); !fault.HasCode(err, "nothing_to_undo") {
		t.Errorf("Preview = %v", err)
	}
	kept := 0
	w.must(filepath.WalkDir(w.blobs, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			kept++
		}
		return err
	}))
	if kept > 0 {
		t.Errorf("%d contents are left", kept)
	}
}
