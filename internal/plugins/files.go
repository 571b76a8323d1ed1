package plugins

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// The bounds of a plugin's folder.
const (
	maxFiles = 5000
	maxBytes = 64 << 20
)

// tree is the files of a plugin. Folders of Git are left out: nothing of them is run.
type tree struct {
	files  map[string]string // by path, with slashes: what each file is
	digest string            // of all of them
	size   int64
}

// treeOf reads every file of a folder.
func treeOf(folder string) (tree, error) {
	t := tree{files: map[string]string{}}
	err := walk(folder, func(name, full string, info fs.FileInfo) error {
		if t.size += info.Size(); t.size > maxBytes {
			return fmt.Errorf("the folder holds more than %d MB", maxBytes>>20)
		}
		sum, err := fileSum(name, full, info)
		t.files[name] = sum
		return err
	})
	if err != nil {
		return tree{}, err
	}
	t.digest = digestOf(t.files)
	return t, nil
}

// walk goes over the files and links of a folder, in no special order.
func walk(folder string, each func(name, full string, info fs.FileInfo) error) error {
	n := 0
	return filepath.WalkDir(folder, func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" && full != folder {
				return filepath.SkipDir
			}
			return nil
		}
		if n++; n > maxFiles {
			return fmt.Errorf("the folder holds more than %d files", maxFiles)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
			return fmt.Errorf("%s is neither a file nor a link", d.Name())
		}
		name, err := filepath.Rel(folder, full)
		if err != nil {
			return err
		}
		return each(filepath.ToSlash(name), full, info)
	})
}

var errLeads = errors.New("leads out of the folder")

// fileSum says what a file is: its content and whether it may be executed, or where a link leads.
func fileSum(name, full string, info fs.FileInfo) (string, error) {
	if info.Mode()&fs.ModeSymlink != 0 {
		to, err := os.Readlink(full)
		if err != nil {
			return "", err
		}
		if leads := path.Join(path.Dir(name), filepath.ToSlash(to)); filepath.IsAbs(to) || leads == ".." || strings.HasPrefix(leads, "../") {
			return "", fmt.Errorf("the link %s %w", name, errLeads)
		}
		return "link:" + filepath.ToSlash(to), nil
	}
	f, err := os.Open(full)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, maxBytes+1)); err != nil {
		return "", err
	}
	mode := ""
	if info.Mode()&0o111 != 0 {
		mode = "x:"
	}
	return mode + hex.EncodeToString(h.Sum(nil)), nil
}

func digestOf(files map[string]string) string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	h := sha256.New()
	for _, name := range names {
		fmt.Fprintf(h, "%q %s\n", name, files[name])
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// stampOf is another once a file was written, without reading one.
func stampOf(folder string) (string, error) {
	var lines []string
	err := walk(folder, func(name, _ string, info fs.FileInfo) error {
		lines = append(lines, fmt.Sprintf("%q %v %d %d %d", name, info.Mode(), info.Size(), info.ModTime().UnixNano(), changedAt(info)))
		return nil
	})
	if err != nil {
		return "", err
	}
	slices.Sort(lines)
	h := sha256.New()
	for _, line := range lines {
		fmt.Fprintln(h, line)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// FileChange is a file that is another than a person agreed to.
type FileChange struct {
	Path   string `json:"path"`
	Change string `json:"change" enum:"added,changed,removed"`
}

// changesOf lists what differs between two sets of files, by path.
func changesOf(agreed, now map[string]string) []FileChange {
	out := []FileChange{}
	for name, sum := range now {
		if old, ok := agreed[name]; !ok {
			out = append(out, FileChange{name, "added"})
		} else if old != sum {
			out = append(out, FileChange{name, "changed"})
		}
	}
	for name := range agreed {
		if _, ok := now[name]; !ok {
			out = append(out, FileChange{name, "removed"})
		}
	}
	slices.SortFunc(out, func(a, b FileChange) int { return strings.Compare(a.Path, b.Path) })
	return out
}
