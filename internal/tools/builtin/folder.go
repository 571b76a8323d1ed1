package builtin

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools"
)

// folder is a project, opened: no path leads out of it, whoever changes links meanwhile.
type folder struct {
	*os.Root
	path string
}

func openFolder(call tools.Call) (*folder, error) {
	if call.Folder == "" {
		return nil, fault.New(fault.Conflict, "no_project", "There is no project folder here, so there are no files to work on.").
			WithHint("Ask the person to choose a project.")
	}
	root, err := os.OpenRoot(call.Folder)
	if err != nil {
		return nil, fault.New(fault.NotFound, "no_project", "The project folder cannot be opened.").
			WithHint("Tell the person that the folder of the project is missing.").Because(err)
	}
	return &folder{root, call.Folder}, nil
}

// rel makes a path below the project out of what a model wrote: relative, or absolute and inside.
func (f *folder) rel(name string) (string, error) {
	if strings.ContainsRune(name, 0) {
		return "", fault.New(fault.Invalid, "bad_path", "A path cannot contain NUL.").WithParam("path")
	}
	if name == "" {
		return ".", nil
	}
	if filepath.IsAbs(name) {
		inside, ok := within(f.path, name)
		if !ok {
			if real, err := filepath.EvalSymlinks(f.path); err == nil {
				inside, ok = within(real, name)
			}
		}
		if !ok {
			return "", outside(name)
		}
		name = inside
	}
	name = filepath.ToSlash(filepath.Clean(name))
	if name == ".." || strings.HasPrefix(name, "../") {
		return "", outside(name)
	}
	return name, nil
}

func within(root, name string) (string, bool) {
	rel, err := filepath.Rel(root, name)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return rel, true
}

func outside(name string) error {
	return fault.New(fault.Forbidden, "outside_project", "%q is outside the project folder.", name).WithParam("path").
		WithHint("Use a path below the project folder, such as src/main.go; list_files shows what there is.")
}

// writable refuses the insides of Git, where a file can name programs that run later, unseen.
func (f *folder) writable(name string) (string, error) {
	rel, err := f.rel(name)
	if err != nil {
		return "", err
	}
	if rel == "." {
		return "", fault.New(fault.Invalid, "is_folder", "The path names the project folder itself.").WithParam("path")
	}
	for _, step := range strings.Split(rel, "/") {
		if strings.EqualFold(step, ".git") {
			return "", fault.New(fault.Forbidden, "inside_git", "%s belongs to Git and is not written directly.", rel).WithParam("path").
				WithHint("Use the git tools.")
		}
	}
	// A link on the way must not lead there either.
	for _, p := range []string{rel, path.Dir(rel)} {
		real, err := filepath.EvalSymlinks(filepath.Join(f.path, p))
		if err == nil && strings.Contains(strings.ToLower(filepath.ToSlash(real))+"/", "/.git/") {
			return "", fault.New(fault.Forbidden, "inside_git", "%s leads into Git's own files.", rel).WithParam("path").WithHint("Use the git tools.")
		}
	}
	return rel, nil
}

// explain puts an error of the file system into words for a model.
func explain(err error, name string) error {
	if err == nil {
		return nil
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.NotFound, "file_not_found", "There is no %s.", name).WithParam("path").
			WithHint("list_files and glob show what there is.").Because(err)
	case strings.Contains(err.Error(), "escapes from parent"):
		return outside(name)
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.Forbidden, "file_forbidden", "%s may not be opened.", name).WithParam("path").Because(err)
	case errors.Is(err, syscall.EISDIR):
		return fault.New(fault.Invalid, "is_folder", "%s is a folder.", name).WithParam("path").WithHint("list_files lists it.").Because(err)
	case errors.Is(err, syscall.ENOTDIR):
		return fault.New(fault.Invalid, "not_a_folder", "A part of %s is a file, not a folder.", name).WithParam("path").Because(err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.ELOOP):
		return fault.New(fault.Conflict, "file_trouble", "%s: %v.", name, errors.Unwrap(err)).WithParam("path").Because(err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// open opens a regular file for reading; a pipe or a device is refused without waiting for it.
func (f *folder) open(rel string) (*os.File, fs.FileInfo, error) {
	file, err := f.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, explain(err, rel)
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = &fs.PathError{Op: "read", Path: rel, Err: syscall.EISDIR}
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fault.New(fault.Invalid, "not_a_file", "%s is not a regular file.", rel).WithParam("path")
	}
	if err != nil {
		file.Close()
		return nil, nil, explain(err, rel)
	}
	return file, info, nil
}

// readAll reads a whole file of at most limit bytes.
func (f *folder) readAll(rel string, limit int64) ([]byte, fs.FileInfo, error) {
	file, info, err := f.open(rel)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, nil, explain(err, rel)
	}
	if int64(len(text)) > limit {
		return nil, nil, fault.New(fault.TooLarge, "file_too_large", "%s is larger than %d bytes.", rel, limit).WithParam("path").
			WithHint("Work on it with run_command, piece by piece.")
	}
	return text, info, nil
}

// replace writes a file so that it is seen whole or not at all. A link is written through, so that it stays one.
func (f *folder) replace(rel string, content []byte) error {
	mode := fs.FileMode(0o644)
	info, err := f.Lstat(rel)
	switch {
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		return explain(f.WriteFile(rel, content, mode), rel)
	case err == nil && !info.Mode().IsRegular():
		return explain(&fs.PathError{Op: "write", Path: rel, Err: syscall.EISDIR}, rel)
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return explain(err, rel)
	default:
		if dir := path.Dir(rel); dir != "." {
			if err := f.MkdirAll(dir, 0o755); err != nil {
				return explain(err, rel)
			}
		}
	}
	temp := path.Join(path.Dir(rel), ".fluxway-"+rand.Text())
	if err := f.WriteFile(temp, content, mode); err != nil {
		_ = f.Remove(temp)
		return explain(err, rel)
	}
	if err := errors.Join(f.Chmod(temp, mode), f.Rename(temp, rel)); err != nil {
		_ = f.Remove(temp)
		return explain(err, rel)
	}
	return nil
}

// receive makes a file of what is read, seen whole or not at all. A link of that name is replaced.
func (f *folder) receive(rel string, from io.Reader) (size int64, err error) {
	if info, err := f.Lstat(rel); err == nil && info.IsDir() {
		return 0, explain(&fs.PathError{Op: "write", Path: rel, Err: syscall.EISDIR}, rel)
	}
	if dir := path.Dir(rel); dir != "." {
		if err := f.MkdirAll(dir, 0o755); err != nil {
			return 0, explain(err, rel)
		}
	}
	temp := path.Join(path.Dir(rel), ".fluxway-"+rand.Text())
	file, err := f.Create(temp)
	if err != nil {
		return 0, explain(err, rel)
	}
	size, err = io.Copy(file, from)
	if err = errors.Join(err, file.Close()); err == nil {
		err = f.Rename(temp, rel)
	}
	if err != nil {
		_ = f.Remove(temp)
		return 0, explain(err, rel)
	}
	return size, nil
}
