package memory_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

func (w *world) addSource(in memory.NewSource) memory.Source {
	w.t.Helper()
	in.Local = true
	s, err := w.AddSource(w.t.Context(), w.anna, in)
	must(w.t, err)
	return s
}

func (w *world) index(s memory.Source) memory.Indexed {
	w.t.Helper()
	out, err := w.Index(w.t.Context(), s.ID)
	must(w.t, err)
	return out
}

// knows searches documents alone.
func (w *world) knows(o memory.Owner, text string) []memory.Found {
	w.t.Helper()
	answer, err := w.Search(w.t.Context(), memory.Query{Workspace: o.Workspace, User: o.User, Text: text, Kinds: []memory.Kind{memory.KindKnowledge}})
	must(w.t, err)
	return answer.Found
}

func TestFolder(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, dir := t.Context(), t.TempDir()
		write(t, dir+"/guide.md", "# Guide\n\nIntro.\n\n## Brewing\n\nWater the pelargonium with cold coffee.\n")
		write(t, dir+"/src/main.go", "package main\n\n// Brew boils the kettle twice.\nfunc Brew() {}\n")
		write(t, dir+"/empty.txt", "")
		write(t, dir+"/noise.bin", "\x00\x01\x02")
		write(t, dir+"/.git/config", "pelargonium")
		write(t, dir+"/node_modules/x.md", "pelargonium")
		must(t, os.Symlink(dir, dir+"/src/loop"))
		must(t, os.Symlink("/etc/hostname", dir+"/outside.txt"))
		s := w.addSource(memory.NewSource{Location: dir})
		if s.Kind != memory.FolderSource {
			t.Errorf("a folder is taken for a %s", s.Kind)
		}
		if diff := cmp.Diff(memory.Indexed{Files: 6, Read: 6, Failed: 4, Pieces: 2}, w.index(s)); diff != "" {
			t.Error(diff)
		}
		files, err := w.Files(ctx, w.anna, s.ID, memory.FileFilter{State: "failed"})
		must(t, err)
		reasons := map[string]string{}
		for _, f := range files.Data {
			reasons[f.Path] = f.Code
		}
		if diff := cmp.Diff(map[string]string{"empty.txt": "file_empty", "noise.bin": "not_text", "outside.txt": "link_outside", "src/loop": "link_to_folder"}, reasons); diff != "" {
			t.Error(diff)
		}
		found := w.knows(w.anna, "how to water a pelargonium")
		if len(found) == 0 || found[0].Source.Path != "guide.md" || found[0].Source.Line != 1 || found[0].Source.EndLine != 7 || found[0].Source.Heading != "Guide > Brewing" {
			t.Fatalf("found %+v", found)
		}
		if got := w.knows(w.anna, "boil kettle"); len(got) == 0 || got[0].Source.Path != "src/main.go" {
			t.Errorf("found %+v", got)
		}
		if got := w.index(s); got.Read > 2 { // links are looked at again
			t.Errorf("nothing changed, and %d files were read", got.Read)
		}
		write(t, dir+"/guide.md", "# Guide\n\nWater it with tea.\n")
		must(t, os.Remove(dir+"/src/main.go"))
		if got := w.index(s); got.Removed != 1 || got.Pieces != 1 {
			t.Errorf("after a change: %+v", got)
		}
		if got := w.knows(w.anna, "pelargonium kettle"); len(got) != 0 {
			t.Errorf("found what is gone: %+v", got)
		}
		got, err := w.Source(ctx, w.anna, s.ID)
		must(t, err)
		if got.State != "ready" || got.IndexedAt.IsZero() {
			t.Errorf("the source is %s", got.State)
		}
		must(t, w.RemoveSource(ctx, w.anna, s.ID))
		if got := w.knows(w.anna, "tea"); len(got) != 0 {
			t.Errorf("found what was removed: %+v", got)
		}
	})
}

func TestSources(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, dir := t.Context(), t.TempDir()
		pasted := w.addSource(memory.NewSource{Scope: memory.Scope{User: w.anna.User}, Text: "# Treasure\n\nIt is buried under the third palm.\n"})
		w.index(pasted)
		if got := w.knows(w.anna, "where is it buried"); len(got) != 1 || got[0].Title != "Treasure" {
			t.Errorf("found %+v", got)
		}
		if got := w.knows(w.bert, "where is it buried"); len(got) != 0 {
			t.Errorf("someone else found %+v", got)
		}
		if _, err := w.Source(ctx, w.bert, pasted.ID); !fault.HasCode(err, "source_not_found") {
			t.Errorf("someone else sees it: %v", err)
		}
		for glob, want := range map[string]int{"Treasure": 1, "Trea*": 1, "Other": 0} {
			answer, err := w.Search(ctx, memory.Query{Workspace: w.anna.Workspace, User: w.anna.User, Text: "buried", Knowledge: []string{glob}})
			if err != nil || len(answer.Found) != want {
				t.Errorf("of %s found %d, %v", glob, len(answer.Found), err)
			}
		}
		write(t, dir+"/a/one.md", "Zebras graze.")
		write(t, dir+"/a/two.txt", "Yaks graze.")
		write(t, dir+"/b/c/three.md", "Xerus digs.")
		glob := w.addSource(memory.NewSource{Location: dir + "/**/*.md"})
		if got := w.index(glob); got.Files != 2 || glob.Kind != memory.GlobSource {
			t.Errorf("%s: %+v", glob.Kind, got)
		}
		if _, err := w.AddSource(ctx, w.anna, memory.NewSource{Location: dir}); !fault.HasCode(err, "path_not_allowed") {
			t.Errorf("from elsewhere: %v", err)
		}
		if _, err := w.AddSource(ctx, w.anna, memory.NewSource{Location: "notes", Local: true}); !fault.HasCode(err, "path_not_absolute") {
			t.Errorf("a path that is not absolute: %v", err)
		}
		if _, err := w.AddSource(ctx, w.anna, memory.NewSource{Location: dir + "/nothing", Local: true}); !fault.HasCode(err, "path_not_found") {
			t.Errorf("a path to nothing: %v", err)
		}
		if _, err := w.AddSource(ctx, w.anna, memory.NewSource{Location: "https://example.com", Local: true}); !fault.HasCode(err, "no_network") {
			t.Errorf("without a network: %v", err)
		}
	})
}

func TestForbiddenFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir+"/data/secret.key", "the key of everything")
	write(t, dir+"/notes.md", "The notes of everything")
	w := newWorld(t, storetest.SQLite(t), memory.Options{Rules: memory.Rules{Forbidden: []string{dir + "/data"}, Folders: []string{dir}}})
	if _, err := w.AddSource(t.Context(), w.anna, memory.NewSource{Location: dir + "/data/secret.key", Local: true}); !fault.HasCode(err, "path_forbidden") {
		t.Errorf("the server's own data: %v", err)
	}
	s, err := w.AddSource(t.Context(), w.anna, memory.NewSource{Location: dir}) // an allowed folder, from elsewhere
	must(t, err)
	w.index(s)
	for _, f := range w.knows(w.anna, "key notes of everything") {
		if strings.Contains(f.Source.Path, "secret") {
			t.Errorf("found %+v", f)
		}
	}
}

// TestAnInterruptedIndexLosesAndRepeatsNothing stops reading after every number of steps.
func TestAnInterruptedIndexLosesAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d"} {
		write(t, dir+"/"+name+".md", strings.Repeat("The "+name+" story goes on and on for a long while. ", 400))
	}
	w := newWorld(t, storetest.SQLite(t), memory.Options{})
	s := w.addSource(memory.NewSource{Location: dir})
	stop := errors.New("stopped")
	for after := range 4 {
		ctx, cancel := context.WithCancelCause(t.Context())
		_, err := w.IndexUntil(ctx, s.ID, func(done int) {
			if done == after+1 {
				cancel(stop)
			}
		})
		cancel(nil)
		if after < 3 && !errors.Is(err, stop) {
			t.Fatalf("stopped after %d: %v", after, err)
		}
	}
	out := w.index(s)
	rows, err := store.One[int](t.Context(), w.db.Read(), `SELECT count(*) FROM memory_texts WHERE kind = 'knowledge'`)
	must(t, err)
	twice, err := store.One[int](t.Context(), w.db.Read(), `SELECT count(*) FROM (SELECT thread, seq FROM memory_texts GROUP BY thread, seq HAVING count(*) > 1) AS t`)
	must(t, err)
	if out.Files != 4 || out.Failed != 0 || rows != out.Pieces || twice != 0 {
		t.Errorf("%+v, %d pieces kept, %d twice", out, rows, twice)
	}
}
