package memory

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/memory/documents"
)

// Reader is how documents are read.
type Reader struct {
	Limits documents.Limits
	Files  int           // of one source; 0: 50000
	Fetch  time.Duration // for one address or repository; 0: 2 min
}

func (r Reader) withDefaults() Reader {
	if r.Files == 0 {
		r.Files = 50_000
	}
	if r.Fetch == 0 {
		r.Fetch = 2 * time.Minute
	}
	if r.Limits.File == 0 {
		r.Limits.File = 64 << 20
	}
	return r
}

// item is a document that was found and is not yet read.
type item struct {
	path  string // within its source
	stamp string // the same as before: it need not be read again; "": always read it
	url   string
	open  func() (documents.Input, func() error, error)
	err   error // it cannot be read, and why
}

// collect lists the documents of a source. done removes what was fetched for it.
func (m *Mind) collect(ctx context.Context, s Source, body string) (items []item, done func(), err error) {
	done = func() {}
	switch s.Kind {
	case TextSource:
		return []item{bytesItem(s.Title+".md", "", []byte(body))}, done, nil
	case URLSource:
		one, err := m.fetch(ctx, s.Location)
		return []item{one}, done, err
	case GitSource:
		if !filepath.IsAbs(s.Location) {
			dir, err := m.clone(ctx, s)
			if err != nil {
				return nil, done, err
			}
			items, err = m.walk(ctx, dir, s.Options, nil)
			return items, func() { os.RemoveAll(dir) }, err
		}
		items, err = m.walk(ctx, s.Location, s.Options, nil)
	case FolderSource:
		items, err = m.walk(ctx, s.Location, s.Options, nil)
	case GlobSource:
		root, pattern := globRoot(s.Location)
		only, bad := globPattern(pattern)
		if bad != nil {
			return nil, done, bad
		}
		items, err = m.walk(ctx, root, s.Options, only)
	default:
		info, bad := os.Stat(s.Location)
		if bad != nil {
			return nil, done, unreadable(s.Location, bad)
		}
		items = []item{m.fileItem(filepath.Base(s.Location), s.Location, info)}
	}
	return items, done, err
}

func unreadable(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.NotFound, "path_not_found", "There is nothing at %s.", path)
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.Forbidden, "path_unreadable", "The server may not read %s.", path).WithHint("Give the user it runs as the right to.")
	}
	return fault.New(fault.Invalid, "path_unreadable", "%s cannot be read.", path).Because(err)
}

// skipped are folders that hold nothing a person wrote.
var skipped = map[string]bool{"node_modules": true, "__pycache__": true, "vendor": true}

// walk lists the files below a folder. Links are followed to files that stay
// below it, and never to folders, so that there is no way to go in circles.
func (m *Mind) walk(ctx context.Context, root string, opts SourceOptions, only *regexp.Regexp) ([]item, error) {
	include, exclude := patternsOf(opts.Include), patternsOf(opts.Exclude)
	top := realPath(root)
	var items []item
	err := filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		rel, relErr := filepath.Rel(root, at)
		if relErr != nil {
			return relErr
		}
		rel = filepath.ToSlash(rel)
		if err != nil {
			if at == root {
				return unreadable(root, err)
			}
			items = append(items, item{path: rel, err: unreadable(at, err)})
			return nil
		}
		hidden := at != root && (strings.HasPrefix(d.Name(), ".") || skipped[d.Name()]) || anyMatch(exclude, rel)
		if d.IsDir() {
			if hidden || slices.ContainsFunc(m.rules.Forbidden, func(f string) bool { return within(realPath(at), realPath(f)) }) {
				return filepath.SkipDir
			}
			return nil
		}
		if hidden || only != nil && !only.MatchString(rel) || len(include) > 0 && !anyMatch(include, rel) {
			return nil
		}
		if len(items) >= m.reader.Files {
			return fault.New(fault.TooLarge, "too_many_files", "There are more than %d files.", m.reader.Files).WithHint("Narrow it with include and exclude, or add folders below it.")
		}
		one, ok := m.found(at, rel, top, d)
		if ok {
			items = append(items, one)
		}
		return nil
	})
	return items, err
}

// found makes an item of what a folder holds; links out of it, sockets and devices are left alone.
func (m *Mind) found(at, rel, top string, d fs.DirEntry) (item, bool) {
	if d.Type()&fs.ModeSymlink != 0 {
		real, err := filepath.EvalSymlinks(at)
		if err != nil {
			return item{path: rel, err: unreadable(rel, err)}, true
		}
		if !within(real, top) {
			return item{path: rel, err: fault.New(fault.Forbidden, "link_outside", "The link leads out of the folder.")}, true
		}
		at = real
	}
	info, err := os.Stat(at)
	if err != nil {
		return item{path: rel, err: unreadable(rel, err)}, true
	}
	switch {
	case info.IsDir():
		return item{path: rel, err: fault.New(fault.Unsupported, "link_to_folder", "Links to folders are not followed.").WithHint("Add the folder itself.")}, true
	case !info.Mode().IsRegular():
		return item{}, false
	}
	return m.fileItem(rel, at, info), true
}

func (m *Mind) fileItem(name, at string, info fs.FileInfo) item {
	return item{
		path: name, stamp: fmt.Sprintf("%d@%d", info.Size(), info.ModTime().UnixNano()),
		open: func() (documents.Input, func() error, error) {
			f, err := os.Open(at)
			if err != nil {
				return documents.Input{}, nil, unreadable(name, err)
			}
			info, err := f.Stat()
			if err != nil || !info.Mode().IsRegular() {
				return documents.Input{}, nil, errors.Join(unreadable(name, cmpErr(err)), f.Close())
			}
			return documents.Input{Name: name, Data: f, Size: info.Size()}, f.Close, nil
		},
	}
}

func cmpErr(err error) error {
	if err == nil {
		return errors.New("it is no longer a file")
	}
	return err
}

func bytesItem(name, address string, data []byte) item {
	return item{path: name, url: address, open: func() (documents.Input, func() error, error) {
		return documents.Input{Name: name, Data: bytes.NewReader(data), Size: int64(len(data))}, func() error { return nil }, nil
	}}
}

// fetch reads one address of the web.
func (m *Mind) fetch(ctx context.Context, address string) (item, error) {
	if m.net == nil {
		return item{}, fault.New(fault.Unsupported, "no_network", "This server reads nothing from the web.")
	}
	ctx, cancel := context.WithTimeout(ctx, m.reader.Fetch)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return item{}, err
	}
	req.Header.Set("Accept", "text/html, text/plain, text/markdown, application/pdf, */*;q=0.5")
	resp, err := m.net.Client(5).Do(req)
	if err != nil {
		var f *fault.Fault
		if errors.As(err, &f) {
			return item{}, f
		}
		return item{}, fault.New(fault.Upstream, "fetch_failed", "%s did not answer.", address).Because(err).RetryIn(0)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return item{}, fault.New(fault.Upstream, "fetch_failed", "%s answered %s.", address, resp.Status)
	}
	most := m.reader.Limits.File
	data, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err != nil {
		return item{}, fault.New(fault.Upstream, "fetch_failed", "%s broke off.", address).Because(err).RetryIn(0)
	}
	if int64(len(data)) > most {
		return item{}, fault.New(fault.TooLarge, "file_too_large", "%s has more than %d MB.", address, most>>20)
	}
	return bytesItem(webName(req.URL.Path, resp.Header.Get("Content-Type")), address, data), nil
}

// webName is a file name with the ending that fits what the server says it sent.
func webName(at, contentType string) string {
	name := path.Base(at)
	if name == "." || name == "/" {
		name = "index"
	}
	kind, _, err := mime.ParseMediaType(contentType)
	if err == nil && (kind == "text/html" || kind == "application/xhtml+xml") && !strings.HasSuffix(name, ".html") {
		name += ".html"
	}
	return name
}

// clone fetches the newest commit of a repository into a folder that the caller removes.
func (m *Mind) clone(ctx context.Context, s Source) (string, error) {
	if m.net == nil {
		return "", fault.New(fault.Unsupported, "no_network", "This server reads nothing from the web.")
	}
	program, err := exec.LookPath("git")
	if err != nil {
		return "", fault.New(fault.Unsupported, "git_missing", "Git is not installed here.").WithHint("Install it, then index again.")
	}
	req, err := http.NewRequest(http.MethodGet, s.Location, nil)
	if err != nil {
		return "", err
	}
	port := req.URL.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[req.URL.Scheme]
	}
	if _, err := m.net.Resolve(ctx, req.URL.Hostname(), port); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "fluxway-clone-")
	if err != nil {
		return "", err
	}
	args := []string{
		"-c", "protocol.allow=never", "-c", "protocol.https.allow=always", "-c", "protocol.http.allow=always", "-c", "http.followRedirects=false", "-c", "core.askPass=true",
		"-c", "credential.helper=", "-c", "core.hooksPath=/dev/null", "-c", "core.symlinks=false", "clone", "--quiet", "--depth", "1", "--no-tags", "--single-branch",
	}
	if s.Options.Branch != "" {
		args = append(args, "--branch", s.Options.Branch)
	}
	ctx, cancel := context.WithTimeout(ctx, m.reader.Fetch)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append(args, "--", s.Location, dir)...)
	apart(cmd)
	out, err := cmd.CombinedOutput()
	if err != nil {
		why := cut(strings.TrimSpace(string(out)), 300)
		return "", errors.Join(fault.New(fault.Upstream, "clone_failed", "The repository could not be fetched: %s", why).Because(err), os.RemoveAll(dir))
	}
	return dir, nil
}

// globRoot splits a pattern into the folder before its first wildcard and the rest.
func globRoot(pattern string) (root, rest string) {
	parts := strings.Split(filepath.ToSlash(pattern), "/")
	for i, p := range parts {
		if strings.ContainsAny(p, "*?[{") {
			root = strings.Join(parts[:i], "/")
			return filepath.FromSlash(cmp.Or(root, "/")), strings.Join(parts[i:], "/")
		}
	}
	return filepath.Dir(pattern), filepath.Base(pattern)
}

// globPattern turns a glob into an expression: * within a name, ** across folders, ?, [a-z] and {a,b}.
// A pattern without a slash fits the name in any folder.
func globPattern(glob string) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString("^")
	if !strings.Contains(glob, "/") {
		b.WriteString("(?:.*/)?")
	}
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; {
		case strings.HasPrefix(glob[i:], "**/"):
			b.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(glob[i:], "**"):
			b.WriteString(".*")
			i++
		case c == '*':
			b.WriteString("[^/]*")
		case c == '?':
			b.WriteString("[^/]")
		case c == '{':
			b.WriteString("(?:")
		case c == '}':
			b.WriteString(")")
		case c == ',' && strings.Contains(glob[:i], "{") && strings.Contains(glob[i:], "}"):
			b.WriteString("|")
		case c == '[' || c == ']' || c == '-':
			b.WriteByte(c)
		default:
			b.WriteString(regexp.QuoteMeta(glob[i : i+1]))
		}
	}
	return regexp.Compile(b.String() + "$")
}

func patternsOf(globs []string) []*regexp.Regexp {
	var list []*regexp.Regexp
	for _, g := range globs {
		if p, err := globPattern(g); err == nil { // checked when the source was added
			list = append(list, p)
		}
	}
	return list
}

func anyMatch(list []*regexp.Regexp, path string) bool {
	return slices.ContainsFunc(list, func(p *regexp.Regexp) bool { return p.MatchString(path) })
}
