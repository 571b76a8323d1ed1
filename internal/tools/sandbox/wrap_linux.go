package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// inWrap is where our own program is inside bubblewrap, whatever is hidden.
const inWrap = "/run/fluxway-sandbox"

// wrapping is the command line with which bubblewrap makes what prepareMounts makes.
func wrapping(program string, o order) ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding our own program: %w", err)
	}
	id := strconv.Itoa(insideID)
	args := []string{program, "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--uid", id, "--gid", id, "--hostname", "sandbox", "--die-with-parent"}
	if o.Loopback {
		args = append(args, "--unshare-net")
	}
	args = append(args, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
	cover := func(paths []string) {
		for _, p := range paths {
			info, err := os.Lstat(p)
			switch {
			case err != nil || info.Mode()&os.ModeSymlink != 0:
			case info.IsDir():
				args = append(args, "--size", "1048576", "--tmpfs", p)
			default:
				args = append(args, "--ro-bind", "/dev/null", p)
			}
		}
	}
	cover(private)
	cover(secrets)
	cover(o.Hidden)
	size := strconv.FormatInt(o.Limits.Scratch, 10)
	for _, dir := range []string{"/tmp", "/dev/shm"} {
		args = append(args, "--perms", "1777", "--size", size, "--tmpfs", dir)
	}
	for _, p := range o.Readable {
		args = append(args, "--ro-bind-try", p, p)
	}
	for _, p := range o.Writable {
		args = append(args, "--bind", p, p)
	}
	cover(inside(o.Hidden, o))
	args = append(args, "--ro-bind", self, inWrap)
	for _, p := range append(append([]string(nil), private...), o.Hidden...) {
		if info, err := os.Lstat(p); err == nil && info.IsDir() && !contains(o.Writable, p) && !contains(o.Readable, p) {
			args = append(args, "--remount-ro", p)
		}
	}
	return append(args, "--", inWrap, Word, "exec"), nil
}

// wrapStage becomes bubblewrap, whose command is the second stage.
func wrapStage(o order) error {
	for _, fd := range []int{orderFD, statusFD} {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0); err != nil {
			return fmt.Errorf("keeping a file open: %w", err)
		}
	}
	err := syscall.Exec(o.Wrap[0], o.Wrap, []string{"GOMAXPROCS=1", "GOTRACEBACK=none"})
	return fmt.Errorf("starting bubblewrap: %w", err)
}
