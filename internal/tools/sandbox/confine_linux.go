package sandbox

import (
	"errors"
	"fmt"
	"time"

	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"
)

// system is what every program needs to run.
var system = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store", "/gnu/store", "/sys/devices/system", "/sys/fs/cgroup", "/run/systemd/resolve"}

// devices may be read and written; none of them leads anywhere.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// confine gives up files, capabilities, and system calls no job needs.
func confine(o order) error {
	if o.Landlock {
		if err := landlockFiles(o); err != nil {
			return fmt.Errorf("landlock: %w", err)
		}
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("PR_SET_NO_NEW_PRIVS: %w", err)
	}
	if o.Seccomp {
		if err := seccomp(); err != nil {
			return fmt.Errorf("seccomp: %w", err)
		}
	}
	return nil
}

func landlockFiles(o order) error {
	config := landlock.V7.BestEffort()
	rules := []landlock.Rule{
		landlock.RODirs(append(append([]string(nil), system...), o.Readable...)...).IgnoreIfMissing(),
		landlock.RWDirs(o.Writable...).WithRefer(),
		landlock.RWFiles(devices...).IgnoreIfMissing(),
	}
	if o.Namespace {
		rules = append(rules, landlock.RWDirs("/tmp", "/dev/shm").WithRefer().IgnoreIfMissing())
	}
	if o.Proc {
		rules = append(rules, landlock.RODirs("/proc"))
	}
	if err := config.RestrictPaths(rules...); err != nil {
		return err
	}
	if o.NoNetwork {
		if err := config.RestrictNet(); err != nil {
			return err
		}
	}
	return config.RestrictScoped()
}

// dropCapabilities leaves this thread, and what it becomes, none at all.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("clearing ambient capabilities: %w", err)
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		// Without CAP_SETPCAP there is nothing to lose: no capability can be gained without new privileges.
		if err != nil && !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EINVAL) {
			return fmt.Errorf("dropping capability %d: %w", c, err)
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("capset: %w", err)
	}
	return nil
}

// limit sets the limits of the kernel. It comes last, since our own runtime could trip over them.
func limit(o order) error {
	l := o.Limits
	seconds := uint64(max(1, (l.CPU+time.Second-1)/time.Second))
	limits := []struct {
		what       int
		soft, hard uint64
	}{
		{unix.RLIMIT_CORE, 0, 0},
		{unix.RLIMIT_CPU, seconds, seconds + 1},
		{unix.RLIMIT_FSIZE, uint64(l.FileSize), uint64(l.FileSize)},
		{unix.RLIMIT_NOFILE, 4096, 4096},
	}
	if !o.InGroup { // of each process: the address space would be too coarse, some runtimes reserve a lot and use little
		limits = append(limits, struct {
			what       int
			soft, hard uint64
		}{unix.RLIMIT_DATA, uint64(l.Memory), uint64(l.Memory)})
	}
	if o.Namespace { // counted per user namespace; does not hold for root, whom only a cgroup limits
		limits = append(limits, struct {
			what       int
			soft, hard uint64
		}{unix.RLIMIT_NPROC, uint64(l.Processes), uint64(l.Processes)})
	}
	for _, one := range limits {
		var now unix.Rlimit
		if err := unix.Getrlimit(one.what, &now); err != nil {
			return fmt.Errorf("rlimit %d: %w", one.what, err)
		}
		set := unix.Rlimit{Cur: min(one.soft, now.Max), Max: min(one.hard, now.Max)}
		if err := unix.Setrlimit(one.what, &set); err != nil {
			return fmt.Errorf("rlimit %d: %w", one.what, err)
		}
	}
	return nil
}
