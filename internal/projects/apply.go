package projects

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/fluxway/fluxway/internal/ids"
)

// alone lists one path and not what is below it.
func (s *scan) alone(rel string) error {
	info, err := s.root.Lstat(rel)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking at %s: %w", rel, err)
	}
	if info.IsDir() {
		s.out[rel] = entry{Kind: folder, Mode: uint32(info.Mode().Perm() | info.Mode()&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky))}
		return nil
	}
	return s.visit(rel, true)
}

// undoFolder makes the steps of one folder, with a snapshot of its own around them.
func (p *Projects) undoFolder(ctx context.Context, ws ids.Workspace, plan Plan, dir string, by ids.User) error {
	var steps []Step
	var paths []string
	for _, s := range plan.Steps {
		if s.Folder == dir && s.Action != ActionNothing {
			steps, paths = append(steps, s), append(paths, filepath.Join(dir, filepath.FromSlash(s.Path)))
		}
	}
	if len(steps) == 0 {
		return nil
	}
	t := Touched{Workspace: ws, Call: plan.Call, Agent: string(by), Tool: "undo", Folder: dir, Paths: paths}
	if err := p.Before(ctx, t); err != nil {
		return fmt.Errorf("keeping what the undo changes: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("opening the project folder: %w", err)
	}
	defer root.Close()
	if err := p.apply(root, steps); err != nil {
		return errors.Join(err, p.After(ctx, ws, plan.Call))
	}
	return p.After(ctx, ws, plan.Call)
}

// apply clears away from the deepest up, then makes from the top down; modes of folders come last, since
// one may forbid to write.
func (p *Projects) apply(root *os.Root, steps []Step) error {
	slices.SortFunc(steps, func(a, b Step) int { return strings.Compare(a.Path, b.Path) })
	for _, s := range slices.Backward(steps) {
		if err := clearAway(root, s); err != nil {
			return fmt.Errorf("removing %s: %w", s.Path, err)
		}
	}
	for _, s := range steps {
		if s.Action != ActionRestore {
			continue
		}
		if err := p.restore(root, s); err != nil {
			return fmt.Errorf("bringing back %s: %w", s.Path, err)
		}
	}
	for _, s := range slices.Backward(steps) {
		if s.Action == ActionRestore && s.to.Kind == folder {
			if err := root.Chmod(s.Path, modeOf(s.to)); err != nil {
				return fmt.Errorf("bringing back %s: %w", s.Path, err)
			}
		}
	}
	return nil
}

// clearAway removes what is in the way. A folder that holds something else stays.
func clearAway(root *os.Root, s Step) error {
	info, err := root.Lstat(s.Path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	if err != nil {
		return err
	}
	if s.Action == ActionRestore && (s.to.Kind == file && info.Mode().IsRegular() || s.to.Kind == folder && info.IsDir()) {
		return nil // written over
	}
	err = root.Remove(s.Path)
	if info.IsDir() && s.Action == ActionRemove && (errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrExist)) {
		return nil
	}
	return err
}

func modeOf(e entry) fs.FileMode { return fs.FileMode(e.Mode) }

func (p *Projects) restore(root *os.Root, s Step) error {
	if dir := path.Dir(s.Path); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	switch s.to.Kind {
	case folder:
		if err := root.Mkdir(s.Path, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil
	case link:
		return root.Symlink(s.to.Target, s.Path)
	case file:
		return p.restoreFile(root, s)
	}
	return nil
}

// restoreFile writes a file so that it is seen whole or not at all.
func (p *Projects) restoreFile(root *os.Root, s Step) error {
	content, err := p.blobs.get(s.to.Hash)
	if err != nil {
		return err
	}
	temp := path.Join(path.Dir(s.Path), ".fluxway-"+rand.Text())
	if err := root.WriteFile(temp, content, 0o600); err != nil {
		_ = root.Remove(temp)
		return err
	}
	if err := errors.Join(root.Chmod(temp, modeOf(s.to)), root.Rename(temp, s.Path)); err != nil {
		_ = root.Remove(temp)
		return err
	}
	return nil
}
