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
	for _, p := range private { // what is hidden may lie below the scratch, and be gone
		if info, err := os.Lstat(p); err == nil && info.IsDir() && !contains(o.Writable, p) && !contains(o.Readable, p) {
			args = append(args, "--remount-ro", p)
		}
	}
	return append(args, "--", inWrap, Word, "exec"), nil
}

// wrapStage runs bubblewrap, whose command is the second stage. Bubblewrap ends before the first process of its
// namespace does, so this one adopts that and waits for it too.
func wrapStage(o order) (int, error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("PR_SET_CHILD_SUBREAPER: %w", err)
	}
	pid, err := syscall.ForkExec(o.Wrap[0], o.Wrap, &syscall.ProcAttr{
		Env:   []string{"GOMAXPROCS=1", "GOTRACEBACK=none"},
		Files: []uintptr{0, 1, 2, orderFD, orderFD, statusFD},
	})
	if err != nil {
		return 0, fmt.Errorf("starting bubblewrap: %w", err)
	}
	return reap(pid, untilNobody), nil
}
