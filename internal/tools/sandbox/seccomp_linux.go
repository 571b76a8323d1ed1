package sandbox

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// refused are system calls that widen the kernel's attack surface and that no build or test needs.
var refused = []uint32{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN, unix.SYS_FSMOUNT,
	unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_BPF, unix.SYS_KEYCTL, unix.SYS_ADD_KEY,
	unix.SYS_REQUEST_KEY, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_IO_URING_SETUP, unix.SYS_QUOTACTL, unix.SYS_ACCT, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME,
}

// auditArch is how a filter knows that a number means the call we think it does; 0: we do not know.
func auditArch() uint32 {
	switch runtime.GOARCH {
	case "amd64":
		return unix.AUDIT_ARCH_X86_64
	case "arm64":
		return unix.AUDIT_ARCH_AARCH64
	}
	return 0
}

// seccomp makes the refused calls fail, as well as new user namespaces and calls of another architecture.
func seccomp() error {
	program := filter(auditArch())
	p := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&p)), 0, 0)
}

const (
	offsetNumber = 0
	offsetArch   = 4
	offsetArg0   = 16
	x32Bit       = 0x40000000
)

func filter(arch uint32) []unix.SockFilter {
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	answer := func(value uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: value} }
	jump := func(how uint16, k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | how | unix.BPF_K, Jt: yes, Jf: no, K: k}
	}
	denied := answer(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
	unknown := answer(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS))
	out := []unix.SockFilter{
		load(offsetArch), jump(unix.BPF_JEQ, arch, 1, 0), denied,
		load(offsetNumber), jump(unix.BPF_JGE, x32Bit, 0, 1), denied,
		// The flags of clone3 are in memory, where a filter cannot look: libraries fall back to clone.
		jump(unix.BPF_JEQ, unix.SYS_CLONE3, 0, 1), unknown,
	}
	for _, number := range refused {
		out = append(out, jump(unix.BPF_JEQ, number, 0, 1), denied)
	}
	return append(out,
		jump(unix.BPF_JEQ, unix.SYS_CLONE, 0, 3), load(offsetArg0), jump(unix.BPF_JSET, unix.CLONE_NEWUSER, 0, 1), denied,
		answer(unix.SECCOMP_RET_ALLOW))
}
