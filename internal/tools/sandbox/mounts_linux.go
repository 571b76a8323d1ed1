package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// private folders hold other people's files, and the sockets of services that would act for us.
var private = []string{"/root", "/home", "/run", "/var", "/srv", "/mnt", "/media", "/boot", "/lost+found"}

// secrets are files among the readable ones that are not for everybody. As root we own them, so they are covered.
var secrets = []string{"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/ssh", "/etc/ssl/private", "/etc/sudoers", "/etc/sudoers.d", "/etc/letsencrypt"}

// prepareMounts makes the view of files: all read-only, private folders empty, a scratch in memory, the project on top.
func prepareMounts(o order) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	keep, err := openAll(append(append([]string(nil), o.Readable...), o.Writable...))
	if err != nil {
		return err
	}
	readOnly := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, readOnly); err != nil {
		return fmt.Errorf("making everything read-only: %w", err)
	}
	if err := cover(append(append(append([]string(nil), private...), secrets...), o.Hidden...)); err != nil {
		return err
	}
	for _, dir := range []string{"/tmp", "/dev/shm"} {
		if err := scratch(dir, fmt.Sprintf("mode=1777,size=%d,nr_inodes=65536", o.Limits.Scratch)); err != nil {
			return err
		}
	}
	if err := putBack(keep, o); err != nil {
		return err
	}
	if err := cover(inside(o.Hidden, o)); err != nil {
		return err
	}
	if !o.Proc {
		return nil
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mounting /proc: %w", err)
	}
	return nil
}

// kept is a folder held open while things are mounted over the way to it.
type kept struct {
	path string
	fd   int
}

func openAll(paths []string) ([]kept, error) {
	var out []kept
	for _, p := range paths {
		fd, err := unix.Open(p, unix.O_PATH|unix.O_CLOEXEC, 0)
		if errors.Is(err, unix.ENOENT) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("opening %s: %w", p, err)
		}
		out = append(out, kept{p, fd})
	}
	return out, nil
}

// cover hides folders behind empty ones and files behind nothing.
func cover(paths []string) error {
	for _, p := range paths {
		info, err := os.Lstat(p)
		if err != nil || info.Mode()&os.ModeSymlink != 0 {
			continue // what does not exist needs no cover, and a link is covered where it leads
		}
		if info.IsDir() {
			err = unix.Mount("tmpfs", p, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755,size=1m")
		} else {
			err = unix.Mount("/dev/null", p, "", unix.MS_BIND, "")
		}
		if err != nil {
			return fmt.Errorf("covering %s: %w", p, err)
		}
	}
	return nil
}

func scratch(dir, options string) error {
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return fmt.Errorf("mounting a scratch on %s: %w", dir, err)
	}
	return nil
}

// putBack mounts the kept folders at their places, each with the rights it should have, and freezes the covers.
func putBack(keep []kept, o order) error {
	for _, k := range keep {
		if err := os.MkdirAll(k.path, 0o755); err != nil {
			return fmt.Errorf("making a place for %s: %w", k.path, err)
		}
		if err := unix.Mount(fmt.Sprintf("/proc/self/fd/%d", k.fd), k.path, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("mounting %s: %w", k.path, err)
		}
		attr := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}
		if contains(o.Writable, k.path) {
			attr = &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY, Attr_set: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
		}
		if err := unix.MountSetattr(unix.AT_FDCWD, k.path, 0, attr); err != nil {
			return fmt.Errorf("setting the rights of %s: %w", k.path, err)
		}
		unix.Close(k.fd)
	}
	freeze := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	for _, p := range append(append([]string(nil), private...), o.Hidden...) {
		if contains(o.Writable, p) {
			continue
		}
		if info, err := os.Lstat(p); err == nil && info.IsDir() {
			if err := unix.MountSetattr(unix.AT_FDCWD, p, 0, freeze); err != nil && !errors.Is(err, unix.EINVAL) {
				return fmt.Errorf("freezing %s: %w", p, err)
			}
		}
	}
	return nil
}

func contains(list []string, p string) bool {
	for _, one := range list {
		if one == p {
			return true
		}
	}
	return false
}

// inside gives the hidden paths that lie below a folder that was put back, and so showed again.
func inside(hidden []string, o order) []string {
	var out []string
	for _, h := range hidden {
		for _, list := range [][]string{o.Readable, o.Writable} {
			for _, p := range list {
				if below(h, p) {
					out = append(out, h)
				}
			}
		}
	}
	return out
}

// below reports whether p is a path strictly below root.
func below(p, root string) bool {
	rel, err := filepath.Rel(root, p)
	return err == nil && rel != "." && rel != ".." && !strings.HasPrefix(rel, "../")
}
