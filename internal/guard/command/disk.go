package command

import (
	"fmt"
	"io/fs"
	"path"
)

const maxCounted = 1000 // entries looked at for one command

// isDir reports whether a folder exists or is made by this line; without a disk to look at it is believed.
func (r *run) isDir(s *scope, abs string) bool {
	if r.a.fs == nil || s.remote || r.made[abs] {
		return true
	}
	r.spend(10)
	info, err := r.a.fs.Lstat(abs)
	return err == nil && info.IsDir()
}

// holds reports whether a file exists and has content that a write would lose.
func (r *run) holds(s *scope, abs string) bool {
	if r.a.fs == nil || s.remote || abs == "" {
		return false
	}
	r.spend(10)
	info, err := r.a.fs.Lstat(abs)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// amount is what lies under some paths.
type amount struct {
	files, bytes int64
	more         bool // counting stopped
	left         int
}

// count says in words what lies under the paths, as far as the bound goes; "" when nothing can be told.
func (r *run) count(s *scope, paths []resolved) string {
	if r.a.fs == nil || s.remote {
		return ""
	}
	a := amount{left: maxCounted - r.looked}
	defer func() { r.looked = maxCounted - max(a.left, 0) }()
	for _, p := range paths {
		if p.abs == "" {
			return ""
		}
		if p.word.glob() {
			r.countGlob(&a, p.abs)
		} else {
			r.countPath(&a, p.abs, 0)
		}
	}
	switch {
	case a.more && a.files == 0:
		return "many files"
	case a.more:
		return fmt.Sprintf("more than %d files", a.files)
	case a.files == 0:
		return "no files"
	case a.files == 1:
		return "1 file (" + size(a.bytes) + ")"
	}
	return fmt.Sprintf("%d files (%s)", a.files, size(a.bytes))
}

func (r *run) countPath(a *amount, abs string, depth int) {
	if a.left--; a.left < 0 {
		a.more = true
		return
	}
	info, err := r.a.fs.Lstat(abs)
	if err != nil {
		return
	}
	r.countInfo(a, abs, info, depth)
}

func (r *run) countInfo(a *amount, abs string, info fs.FileInfo, depth int) {
	if a.left--; a.left < 0 || depth > 32 {
		a.more = true
		return
	}
	if !info.IsDir() {
		a.files++
		a.bytes += info.Size()
		return
	}
	entries, err := r.a.fs.ReadDir(abs, a.left+1)
	if err != nil {
		a.more = true
		return
	}
	for _, e := range entries {
		if a.more {
			return
		}
		if info, err := e.Info(); err == nil {
			r.countInfo(a, path.Join(abs, e.Name()), info, depth+1)
		}
	}
}

// countGlob counts what a pattern in the last part of a path matches.
func (r *run) countGlob(a *amount, abs string) {
	dir, pattern := path.Split(abs)
	entries, err := r.a.fs.ReadDir(path.Clean(dir), a.left+1)
	if err != nil {
		return
	}
	for _, e := range entries {
		if ok, err := path.Match(pattern, e.Name()); err != nil || !ok || e.Name()[0] == '.' && pattern[0] != '.' {
			continue
		}
		if info, err := e.Info(); err == nil {
			r.countInfo(a, path.Join(dir, e.Name()), info, 1)
		}
	}
}

func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1_000_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
