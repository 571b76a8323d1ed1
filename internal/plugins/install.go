package plugins

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// Way is how a folder is installed.
type Way string

// The ways.
const (
	Copy Way = "copy" // its files are copied; the folder itself is not needed any more
	Link Way = "link" // it stays where it is, for whoever works on it
)

const (
	binName   = ".bin"  // what was removed
	freshName = ".new-" // what is being copied; a crash may leave one behind
)

// Install makes a folder of this machine a plugin of the server. It gives nothing until a person has agreed to it.
// The plugin appears whole or not at all.
func (m *Manager) Install(ctx context.Context, ws ids.Workspace, folder string, way Way) (string, error) {
	m.changing.Lock()
	defer m.changing.Unlock()
	folder, err := m.source(folder)
	if err != nil {
		return "", err
	}
	man, problems := Read(folder, m.opts.Checks)
	if len(problems) > 0 {
		return "", invalid(man.Name, problems)
	}
	if _, err := treeOf(folder); err != nil {
		return "", fault.New(fault.Invalid, "plugin_invalid", "The folder cannot be a plugin: %v.", reason(err))
	}
	places, err := m.places()
	if err != nil {
		return "", err
	}
	to := filepath.Join(m.opts.Folder, man.Name)
	if _, err := os.Lstat(to); err == nil || find(places, man.Name) != nil {
		return "", fault.New(fault.Conflict, "plugin_exists", "There is a plugin %s already.", man.Name).
			WithHint("To replace it, remove it first: fluxway plugins remove %s. Its settings stay.", man.Name)
	}
	if err := os.MkdirAll(m.opts.Folder, 0o700); err != nil {
		return "", fmt.Errorf("making the folder of plugins: %w", err)
	}
	m.sweep()
	fresh := filepath.Join(m.opts.Folder, freshName+man.Name)
	if way == Link {
		err = os.Symlink(folder, fresh)
	} else {
		err = copyTree(folder, fresh)
	}
	if err == nil {
		err = os.Rename(fresh, to)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("installing %s: %w", man.Name, err), os.RemoveAll(fresh))
	}
	err = m.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		return m.opts.Hub.Append(ctx, tx, ws, Channel, Installed{man.Name, man.Version})
	})
	if err != nil {
		return "", fmt.Errorf("telling that %s was installed: %w", man.Name, err)
	}
	return man.Name, m.Load(ctx)
}

// source checks the folder that a person named.
func (m *Manager) source(folder string) (string, error) {
	bad := func(format string, args ...any) error {
		return fault.New(fault.Invalid, "bad_folder", format, args...).WithParam("folder").WithHint("Give the path of a folder with a %s on the server's machine.", ManifestFile)
	}
	if !filepath.IsAbs(folder) {
		return "", bad("%q is not an absolute path.", folder)
	}
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "", bad("The folder cannot be read: %v.", reason(err))
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return "", bad("%s is not a folder.", folder)
	}
	if in, err := filepath.Rel(m.opts.Folder, real); err == nil && in != ".." && !strings.HasPrefix(in, "../") {
		return "", bad("The folder is in the folder of plugins already.")
	}
	return real, nil
}

// sweep takes away what a crash left behind.
func (m *Manager) sweep() {
	entries, err := os.ReadDir(m.opts.Folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), freshName) {
			if err := os.RemoveAll(filepath.Join(m.opts.Folder, e.Name())); err != nil {
				m.log.Warn("a half copied plugin is still there", "part", "plugins", "err", err)
			}
		}
	}
}

func copyTree(from, to string) error {
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	return walk(from, func(name, full string, info fs.FileInfo) error {
		target := filepath.Join(to, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			leads, err := os.Readlink(full)
			if err != nil {
				return err
			}
			return os.Symlink(leads, target)
		}
		return copyFile(full, target, info.Mode().Perm()&0o755|0o600)
	})
}

func copyFile(from, to string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// Remove takes a plugin away. Its folder goes to the bin and can be restored; of a link only the link goes.
func (m *Manager) Remove(ctx context.Context, ws ids.Workspace, name string) error {
	m.changing.Lock()
	defer m.changing.Unlock()
	p, err := m.place(name)
	if err != nil {
		return err
	}
	if p.source == FromConfig {
		return fault.New(fault.Conflict, "plugin_in_settings", "The settings name the folder of %s.", name).WithHint("Take it out there, under plugins.folders, or disable the plugin.")
	}
	others, err := store.One[int](ctx, m.opts.DB.Read(), elsewhere, name, ws)
	if err != nil {
		return fmt.Errorf("asking who uses %s: %w", name, err)
	}
	if others > 0 {
		return fault.New(fault.Conflict, "plugin_in_use", "Other workspaces have enabled %s.", name).WithHint("It has to be disabled there first; disable it here instead.")
	}
	// It is off before it is gone: a crash in between leaves a plugin that gives nothing.
	err = m.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, disable, time.Now(), ws, name); err != nil {
			return err
		}
		return m.opts.Hub.Append(ctx, tx, ws, Channel, Removed{name})
	})
	if err != nil {
		return fmt.Errorf("removing %s: %w", name, err)
	}
	bin := filepath.Join(m.opts.Folder, binName)
	if err := os.MkdirAll(bin, 0o700); err != nil {
		return fmt.Errorf("making the bin: %w", err)
	}
	if err := os.Rename(p.path, filepath.Join(bin, fmt.Sprintf("%s~%d", name, time.Now().UnixMicro()))); err != nil {
		return fmt.Errorf("moving %s to the bin: %w", name, err)
	}
	return m.Load(ctx)
}

func (m *Manager) place(name string) (*place, error) {
	places, err := m.places()
	if err != nil {
		return nil, err
	}
	if p := find(places, name); p != nil {
		return p, nil
	}
	return nil, notFound(places, name)
}

// Binned is a plugin that was removed.
type Binned struct {
	Name      string    `json:"name"`
	RemovedAt time.Time `json:"removed_at"`
	Until     time.Time `json:"until" doc:"Then it is deleted."`

	path string
}

// Bin lists what was removed, the newest first.
func (m *Manager) Bin() ([]Binned, error) {
	entries, err := os.ReadDir(filepath.Join(m.opts.Folder, binName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the bin: %w", err)
	}
	out := []Binned{}
	for _, e := range entries {
		name, at, ok := strings.Cut(e.Name(), "~")
		micros, err := strconv.ParseInt(at, 10, 64)
		if !ok || err != nil {
			continue
		}
		when := time.UnixMicro(micros).UTC()
		out = append(out, Binned{name, when, when.Add(m.opts.Bin), filepath.Join(m.opts.Folder, binName, e.Name())})
	}
	slices.SortFunc(out, func(a, b Binned) int { return cmp.Or(b.RemovedAt.Compare(a.RemovedAt), cmp.Compare(a.Name, b.Name)) })
	return out, nil
}

// Restore brings the plugin of a name back that was removed last. It has to be enabled again.
func (m *Manager) Restore(ctx context.Context, ws ids.Workspace, name string) error {
	m.changing.Lock()
	defer m.changing.Unlock()
	bin, err := m.Bin()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(bin, func(b Binned) bool { return b.Name == name })
	if i < 0 {
		return fault.New(fault.NotFound, "plugin_not_removed", "There is no plugin %q in the bin.", name).WithHint("GET /api/v1/plugins/removed lists what is there.")
	}
	places, err := m.places()
	if err != nil {
		return err
	}
	to := filepath.Join(m.opts.Folder, name)
	if _, err := os.Lstat(to); err == nil || find(places, name) != nil {
		return fault.New(fault.Conflict, "plugin_exists", "There is a plugin %s now.", name).WithHint("Remove that one first.")
	}
	if err := os.Rename(bin[i].path, to); err != nil {
		return fmt.Errorf("restoring %s: %w", name, err)
	}
	err = m.opts.DB.InTx(ctx, func(tx *store.Tx) error { return m.opts.Hub.Append(ctx, tx, ws, Channel, Restored{name}) })
	if err != nil {
		return fmt.Errorf("telling that %s was restored: %w", name, err)
	}
	return m.Load(ctx)
}

// emptyBin deletes what was removed long ago, and what workspaces had set of plugins that are gone for good.
func (m *Manager) emptyBin(ctx context.Context, before time.Time) (int64, error) {
	if !m.Any() {
		return 0, nil
	}
	m.changing.Lock()
	defer m.changing.Unlock()
	bin, err := m.Bin()
	if err != nil {
		return 0, err
	}
	places, err := m.places()
	if err != nil {
		return 0, err
	}
	var n int64
	for i, b := range bin {
		if !b.RemovedAt.Before(before) {
			continue
		}
		if err := os.RemoveAll(b.path); err != nil {
			return n, fmt.Errorf("deleting %s from the bin: %w", b.Name, err)
		}
		n++
		if find(places, b.Name) != nil || slices.ContainsFunc(bin[:i], func(o Binned) bool { return o.Name == b.Name }) {
			continue
		}
		err := m.opts.DB.InTx(ctx, func(tx *store.Tx) error { _, err := tx.Exec(ctx, forgetRow, b.Name); return err })
		if err != nil {
			return n, fmt.Errorf("forgetting the settings of %s: %w", b.Name, err)
		}
	}
	return n, nil
}
