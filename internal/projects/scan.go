package projects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// kind is what stands at a path.
type kind string

const (
	absent kind = ""
	file   kind = "file"
	folder kind = "folder"
	link   kind = "link"
	other  kind = "other" // a pipe, a socket, a device
)

// entry is what stands at a path, as far as it can be brought back.
type entry struct {
	Kind   kind   `json:"kind,omitempty"`
	Mode   uint32 `json:"mode,omitempty"`
	Size   int64  `json:"size,omitempty"`
	Hash   string `json:"hash,omitempty"`   // of a file; "": its content is not kept
	Target string `json:"target,omitempty"` // of a link
	Time   int64  `json:"time,omitempty"`   // of a file: when it was last written; it counts where a hash is missing
}

// same reports whether two entries are the same to whoever reads them.
func (e entry) same(o entry) bool {
	if e.Kind != o.Kind || e.Kind != link && e.Mode != o.Mode {
		return false
	}
	switch {
	case e.Kind == link:
		return e.Target == o.Target
	case e.Kind == file && e.Hash != "" && o.Hash != "":
		return e.Hash == o.Hash
	case e.Kind == file:
		return e.Size == o.Size && e.Time == o.Time
	}
	return true
}

// listing is what stands below a folder, by path with slashes.
type listing map[string]entry

// area is the part of a folder that a call may change.
type area struct {
	Named []string `json:"named,omitempty"` // paths below the folder
	Whole bool     `json:"whole,omitempty"` // and all the rest, but for what is skipped
}

// skipped are folders that programs make again and that are often large, and Git's own.
var skipped = []string{".git", "node_modules", ".venv", "venv", "__pycache__", ".cache", ".next", ".gradle", ".tox", ".terraform"}

// scan lists an area. With keep it also keeps the contents.
type scan struct {
	p     *Projects
	ctx   context.Context
	root  *os.Root
	seen  *seen
	keep  bool
	out   listing
	left  int64 // bytes that may still be kept
	files int   // that may still be listed in the whole folder
	named int   // and under named paths

	large, beyond int
	passed        map[string]bool // names of folders that were passed over
}

func (p *Projects) scan(ctx context.Context, root *os.Root, dir string, a area, keep bool) (*scan, error) {
	s := &scan{
		p: p, ctx: ctx, root: root, seen: p.seenOf(dir), keep: keep, out: make(listing), left: p.limits.Bytes, files: p.limits.Files, named: p.limits.NamedFiles,
		passed: make(map[string]bool),
	}
	for _, name := range a.Named {
		if err := s.visit(name, true); err != nil {
			return nil, err
		}
	}
	if a.Whole {
		if err := s.children(".", false); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *scan) notes() []string {
	var notes []string
	if len(s.passed) > 0 {
		names := make([]string, 0, len(s.passed))
		for n := range s.passed {
			names = append(names, n)
		}
		slices.Sort(names)
		notes = append(notes, "Not covered: "+strings.Join(names, ", ")+".")
	}
	if s.large > 0 {
		notes = append(notes, fmt.Sprintf("The contents of %d files are not kept, because of their size.", s.large))
	}
	if s.beyond > 0 {
		notes = append(notes, fmt.Sprintf("Only %d files of the project are covered; it has more.", s.p.limits.Files))
	}
	return notes
}

// visit lists a path and what is below it.
func (s *scan) visit(rel string, named bool) error {
	if err := context.Cause(s.ctx); err != nil {
		return err
	}
	if _, done := s.out[rel]; done {
		return nil
	}
	info, err := s.root.Lstat(rel)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking at %s: %w", rel, err)
	}
	e := entry{Mode: uint32(info.Mode().Perm() | info.Mode()&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky))}
	switch {
	case info.IsDir():
		e.Kind = folder
		if rel != "." {
			s.out[rel] = e
		}
		return s.children(rel, named)
	case info.Mode()&fs.ModeSymlink != 0:
		e.Kind, e.Mode = link, 0
		if e.Target, err = s.root.Readlink(rel); err != nil {
			return fmt.Errorf("reading the link %s: %w", rel, err)
		}
	case info.Mode().IsRegular():
		if !s.room(named) {
			return nil
		}
		e.Kind, e.Size, e.Time = file, info.Size(), info.ModTime().UnixNano()
		if err := s.content(rel, info, &e, named); err != nil {
			return err
		}
	default:
		e.Kind = other
	}
	s.out[rel] = e
	return nil
}

// room counts a file.
func (s *scan) room(named bool) bool {
	left := &s.files
	if named {
		left = &s.named
	}
	if *left == 0 {
		s.beyond++
		return false
	}
	*left--
	return true
}

func (s *scan) children(dir string, named bool) error {
	f, err := s.root.Open(dir)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			s.passed[dir] = true
			return nil
		}
		return fmt.Errorf("listing %s: %w", dir, err)
	}
	entries, err := f.ReadDir(-1)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("listing %s: %w", dir, err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		if !named && e.IsDir() && slices.Contains(skipped, e.Name()) {
			s.passed[e.Name()] = true
			continue
		}
		if err := s.visit(path.Join(dir, e.Name()), named); err != nil {
			return err
		}
	}
	return nil
}

// content finds the hash of a file, and keeps its content if that is asked for.
func (s *scan) content(rel string, info fs.FileInfo, e *entry, named bool) error {
	limit := s.p.limits.FileBytes
	if named {
		limit = s.p.limits.NamedBytes
	}
	if info.Size() > limit {
		s.large++
		return nil
	}
	if sum, ok := s.seen.hash(rel, info); ok && (!s.keep || s.p.blobs.has(sum)) {
		e.Hash = sum
		return nil
	}
	if s.keep && info.Size() > s.left {
		s.large++
		return nil
	}
	began := time.Now()
	f, err := s.root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
			s.large++
			return nil
		}
		return fmt.Errorf("reading %s: %w", rel, err)
	}
	defer f.Close()
	sum, size, ok, err := s.read(f, limit)
	if err != nil {
		return fmt.Errorf("reading %s: %w", rel, err)
	}
	if !ok {
		s.large++
		return nil
	}
	s.left -= size
	e.Hash, e.Size = sum, size
	if size == info.Size() {
		s.seen.note(rel, info, sum, began)
	}
	return nil
}

func (s *scan) read(r io.Reader, limit int64) (sum string, size int64, ok bool, err error) {
	if s.keep {
		return s.p.blobs.put(r, limit)
	}
	return hashOf(r, limit)
}

// seen remembers the hashes of files that have not been touched since.
type seen struct {
	mu    sync.Mutex // guards the field below
	files map[string]stamp
}

// stamp is what changes when a file does.
type stamp struct {
	size, written, changed int64
	inode                  uint64
	hash                   string
}

const (
	maxSeen    = 64 // folders
	coarseTime = 20 * time.Millisecond
)

func (p *Projects) seenOf(dir string) *seen {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.known[dir]
	if s == nil {
		if len(p.known) >= maxSeen {
			clear(p.known)
		}
		s = &seen{files: make(map[string]stamp)}
		p.known[dir] = s
	}
	return s
}

func (s *seen) hash(rel string, info fs.FileInfo) (string, bool) {
	now, ok := stampOf(info)
	if !ok {
		return "", false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	was, ok := s.files[rel]
	now.hash = was.hash
	return was.hash, ok && was == now
}

// note remembers a hash, unless the file was changed so shortly before that
// another change could bear the same time.
func (s *seen) note(rel string, info fs.FileInfo, sum string, began time.Time) {
	st, ok := stampOf(info)
	if !ok || began.UnixNano()-st.changed < int64(coarseTime) {
		return
	}
	st.hash = sum
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[rel] = st
}

// relative is a path below a folder, once links on the way are followed; "" when it leads elsewhere. The
// last element is not followed, since it may be a link that is changed itself.
func relative(real, name string) string {
	rest := filepath.Base(name)
	for dir := filepath.Dir(name); ; dir = filepath.Dir(dir) {
		found, err := filepath.EvalSymlinks(dir)
		if err == nil {
			rel, err := filepath.Rel(real, filepath.Join(found, rest))
			if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
				return ""
			}
			return filepath.ToSlash(rel)
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// areaOf is the area that named paths stand for: each path, the file that a link leads to, and of folders that do
// not exist yet the topmost, which goes again when the call is undone.
func areaOf(root *os.Root, real string, paths []string, whole bool) (area, []string) {
	a := area{Whole: whole}
	outside := 0
	add := func(rel string) {
		if rel == "" {
			outside++
			return
		}
		for dir := path.Dir(rel); dir != "." && dir != "/"; dir = path.Dir(dir) {
			if _, err := root.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
				rel = dir
			}
		}
		if !slices.Contains(a.Named, rel) {
			a.Named = append(a.Named, rel)
		}
	}
	for _, p := range paths {
		add(relative(real, p))
		if target, err := filepath.EvalSymlinks(p); err == nil && target != filepath.Clean(p) {
			if rel := relative(real, target); rel != "" {
				add(rel)
			}
		}
	}
	if outside > 0 {
		return a, []string{fmt.Sprintf("%d paths outside the project are not covered.", outside)}
	}
	return a, nil
}
