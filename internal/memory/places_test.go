package memory_test

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/lifecycle"
	"github.com/fluxway/fluxway/internal/kit/safenet"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// TestWatchedFolder changes files below a folder that is watched, and waits until memory says that it has read it.
func TestWatchedFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir+"/one.md", "The heron stands in the reeds.\n")
	db := storetest.SQLite(t)
	hub := eventstest.New(t, db)
	queue, err := jobs.New(jobs.Options{DB: db, Hub: hub, Worker: "test", Sole: true})
	must(t, err)
	mind, err := memory.New(memory.Options{DB: db, Hub: hub, Jobs: queue})
	must(t, err)
	w := &world{Mind: mind, t: t, db: db, anna: memory.Owner{Workspace: storetest.Workspace()}}
	ctx, cancel := context.WithCancel(t.Context())
	group := lifecycle.Group{}
	group.Add("jobs", queue)
	group.Add("memory", mind)
	stopped := make(chan error, 1)
	go func() { stopped <- group.Run(ctx) }()
	t.Cleanup(func() { cancel(); must(t, <-stopped) })
	sub, err := hub.Subscribe(t.Context(), events.Request{Workspace: w.anna.Workspace, Channels: []string{memory.Channel}})
	must(t, err)
	until := func(ok func() bool) {
		t.Helper()
		for {
			batch, err := sub.Next(t.Context())
			must(t, err)
			for _, d := range batch.Deliveries {
				if d.Kind == "memory.source_indexed" && ok() {
					return
				}
			}
		}
	}
	w.addSource(memory.NewSource{Location: dir, Watch: true})
	until(func() bool { return len(w.knows(w.anna, "heron")) == 1 })
	write(t, dir+"/two.md", "The kingfisher dives.\n")
	until(func() bool { return len(w.knows(w.anna, "kingfisher")) == 1 })
	must(t, os.Remove(dir+"/one.md"))
	until(func() bool { return len(w.knows(w.anna, "heron")) == 0 })
}

// local lets a mind reach servers of this machine.
func local(t *testing.T) memory.Options {
	t.Helper()
	dialer, err := safenet.New(safenet.Options{Allow: []string{"127.0.0.1"}})
	must(t, err)
	return memory.Options{Net: dialer}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	page := "<html><head><title>Harbour rules</title></head><body><h1>Mooring</h1><p>Boats moor at the eastern quay.</p></body></html>"
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		switch in.URL.Path {
		case "/rules":
			out.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(out, page)
		case "/away":
			http.Redirect(out, in, "http://169.254.169.254/secrets", http.StatusFound)
		default:
			http.NotFound(out, in)
		}
	}))
	t.Cleanup(server.Close)
	w := newWorld(t, storetest.SQLite(t), local(t))
	s := w.addSource(memory.NewSource{Location: server.URL + "/rules"})
	if got := w.index(s); s.Kind != memory.URLSource || got.Pieces != 1 || got.Failed != 0 {
		t.Fatalf("%s: %+v", s.Kind, got)
	}
	found := w.knows(w.anna, "where do boats moor")
	if len(found) != 1 || found[0].Source.URL != server.URL+"/rules" || !strings.HasPrefix(found[0].Title, "Harbour rules") {
		t.Errorf("found %+v", found)
	}
	page = strings.ReplaceAll(page, "eastern quay", "western pier")
	if got := w.index(s); got.Read != 1 || len(w.knows(w.anna, "pier")) != 1 || len(w.knows(w.anna, "quay")) != 0 {
		t.Errorf("after a change: %+v", got)
	}
	for path, code := range map[string]string{"/nothing": "404", "/away": "169.254.169.254"} {
		s := w.addSource(memory.NewSource{Location: server.URL + path})
		if _, err := w.Index(t.Context(), s.ID); err == nil {
			t.Errorf("%s was read", path)
		}
		got, err := w.Source(t.Context(), w.anna, s.ID)
		must(t, err)
		if got.State != "failed" || !strings.Contains(got.Error, code) {
			t.Errorf("%s is %s: %q, want %s in it", path, got.State, got.Error, code)
		}
	}
}

// TestRepositories reads a repository over HTTP, as Git itself serves it, and from a folder.
func TestRepositories(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git")
	}
	root := t.TempDir()
	work := root + "/work"
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command(git, args...)
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	run("init", "-q", "-b", "main", work)
	write(t, work+"/README.md", "# Sundial\n\nThe gnomon casts a shadow.\n")
	write(t, work+"/clock.go", "package clock\n\n// Chime rings the bell.\nfunc Chime() {}\n")
	run("-C", work, "add", ".")
	run("-C", work, "commit", "-q", "-m", "begin")
	run("clone", "-q", "--bare", work, root+"/sundial.git")
	path, err := exec.Command(git, "--exec-path").Output()
	must(t, err)
	server := httptest.NewServer(&cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(path)), "git-http-backend"), Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1"},
	})
	t.Cleanup(server.Close)
	w := newWorld(t, storetest.SQLite(t), local(t))
	for name, in := range map[string]memory.NewSource{
		"http":   {Location: server.URL + "/sundial.git", SourceOptions: memory.SourceOptions{Branch: "main"}},
		"folder": {Location: work, Kind: memory.GitSource},
	} {
		s := w.addSource(in)
		if got := w.index(s); s.Kind != memory.GitSource || got.Files != 2 || got.Failed != 0 {
			t.Errorf("%s: a %s of %+v", name, s.Kind, got)
		}
		found := w.knows(w.anna, "gnomon shadow")
		if len(found) == 0 || found[0].Source.Path != "README.md" || found[0].Source.Line != 1 {
			t.Errorf("%s: found %+v", name, found)
		}
		must(t, w.RemoveSource(t.Context(), w.anna, s.ID))
	}
	s := w.addSource(memory.NewSource{Location: server.URL + "/none.git"})
	if _, err := w.Index(t.Context(), s.ID); !fault.HasCode(err, "clone_failed") {
		t.Errorf("a repository that is not there: %v", err)
	}
}

// letters are drawn five wide and seven high.
var letters = map[rune][7]string{
	'H': {"#...#", "#...#", "#...#", "#####", "#...#", "#...#", "#...#"}, 'E': {"#####", "#....", "#....", "####.", "#....", "#....", "#####"},
	'L': {"#....", "#....", "#....", "#....", "#....", "#....", "#####"}, 'O': {".###.", "#...#", "#...#", "#...#", "#...#", "#...#", ".###."},
	'F': {"#####", "#....", "#....", "####.", "#....", "#....", "#...."}, 'T': {"#####", "..#..", "..#..", "..#..", "..#..", "..#..", "..#.."},
}

// picture writes a word as a picture of it.
func picture(t *testing.T, path, word string) {
	t.Helper()
	const size = 12
	img := image.NewGray(image.Rect(0, 0, len(word)*7*size+4*size, 15*size))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	for n, r := range word {
		for y, line := range letters[r] {
			for x, dot := range line {
				if dot != '#' {
					continue
				}
				for dy := range size {
					for dx := range size {
						img.SetGray((n*7+x+2)*size+dx, (y+4)*size+dy, color.Gray{})
					}
				}
			}
		}
	}
	f, err := os.Create(path)
	must(t, err)
	must(t, png.Encode(f, img))
	must(t, f.Close())
}

// TestPictures has text read out of a picture where tesseract is installed, and is told plainly where it is not.
func TestPictures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	picture(t, dir+"/sign.png", "HOTEL")
	w := newWorld(t, storetest.SQLite(t), memory.Options{})
	s := w.addSource(memory.NewSource{Location: dir})
	out := w.index(s)
	if _, err := exec.LookPath("tesseract"); err == nil {
		if found := w.knows(w.anna, "hotel"); out.Failed != 0 || len(found) != 1 || found[0].Source.Page != 1 || found[0].Source.Path != "sign.png" {
			t.Errorf("read %+v, found %+v", out, found)
		}
		return
	}
	files, err := w.Files(t.Context(), w.anna, s.ID, memory.FileFilter{State: "failed"})
	must(t, err)
	if len(files.Data) != 1 || files.Data[0].Code != "ocr_missing" || !strings.Contains(files.Data[0].Hint, "tesseract") {
		t.Errorf("%+v", files.Data)
	}
}

// TestBadDocuments puts everything that can be wrong with a file into one folder. Each has its own clear error, the
// good one is read, and memory stays small.
func TestBadDocuments(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/good.md", "The walrus sings.\n")
	write(t, dir+"/empty.txt", "")
	write(t, dir+"/latin.txt", "The caf\xe9 serves walrus.\n")
	write(t, dir+"/noise.txt", strings.Repeat("\x01\x02\xff\x80", 200))
	write(t, dir+"/really-a-page.pdf", "<!doctype html><html><body><p>The walrus swims.</p></body></html>")
	write(t, dir+"/torn.docx", "PK\x03\x04 and nothing more")
	huge, err := os.Create(dir + "/huge.log")
	must(t, err)
	must(t, huge.Truncate(500<<20))
	must(t, huge.Close())
	must(t, os.Symlink(dir+"/b", dir+"/a"))
	must(t, os.Symlink(dir+"/a", dir+"/b"))
	must(t, os.Mkdir(dir+"/sub", 0o700))
	must(t, os.Symlink(dir, dir+"/sub/up"))
	w := newWorld(t, storetest.SQLite(t), memory.Options{})
	s := w.addSource(memory.NewSource{Location: dir})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out := w.index(s)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
		t.Errorf("reading it took %d MB", used>>20)
	}
	files, err := w.Files(t.Context(), w.anna, s.ID, memory.FileFilter{})
	must(t, err)
	codes := map[string]string{}
	for _, f := range files.Data {
		codes[f.Path] = f.Code
		if f.State == "failed" && f.Error == "" {
			t.Errorf("%s failed without a word", f.Path)
		}
	}
	want := map[string]string{
		"good.md": "", "latin.txt": "", "really-a-page.pdf": "", "empty.txt": "file_empty", "noise.txt": "not_text", "torn.docx": "file_broken", "huge.log": "file_too_large",
		"a": "path_unreadable", "b": "path_unreadable", "sub/up": "link_to_folder",
	}
	if diff := cmp.Diff(want, codes); diff != "" {
		t.Errorf("%+v\n%s", out, diff)
	}
	if got := w.knows(w.anna, "walrus"); len(got) != 3 {
		t.Errorf("found %d of three", len(got))
	}
}

func TestChangingASource(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, dir := t.Context(), t.TempDir()
		write(t, dir+"/one.md", "Zebras graze.")
		write(t, dir+"/two.txt", "Yaks graze.")
		s := w.addSource(memory.NewSource{Location: dir})
		w.index(s)
		title, watch, include := "Animals", true, []string{"*.md"}
		got, err := w.ChangeSource(ctx, w.anna, s.ID, memory.SourceChange{Title: &title, Watch: &watch, Include: &include})
		must(t, err)
		if got.Title != title || !got.Watch || got.State != "queued" {
			t.Errorf("%+v", got)
		}
		if out := w.index(s); out.Removed != 1 || len(w.knows(w.anna, "yaks")) != 0 {
			t.Errorf("%+v", out)
		}
		text := "Gnus graze."
		if _, err := w.ChangeSource(ctx, w.anna, s.ID, memory.SourceChange{Text: &text}); !fault.HasCode(err, "not_pasted") {
			t.Errorf("the text of a folder: %v", err)
		}
		pasted := w.addSource(memory.NewSource{Scope: memory.Scope{User: w.anna.User}, Title: "Birds", Text: "Emus run."})
		w.index(pasted)
		if _, err := w.ChangeSource(ctx, w.bert, pasted.ID, memory.SourceChange{Text: &text}); !fault.HasCode(err, "source_not_found") {
			t.Errorf("by someone else: %v", err)
		}
		_, err = w.ChangeSource(ctx, w.anna, pasted.ID, memory.SourceChange{Text: &text})
		must(t, err)
		w.index(pasted)
		if len(w.knows(w.anna, "gnus")) != 1 || len(w.knows(w.anna, "emus")) != 0 {
			t.Error("the pasted text is as before")
		}
	})
}
