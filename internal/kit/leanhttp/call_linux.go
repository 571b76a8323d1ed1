//go:build linux && (amd64 || arm64)

package leanhttp

import (
	"syscall"
	"unsafe"
)

// The calls of a socket that does not block are made without telling the scheduler: it would hand our processor to others
// in case the call lasts, which none of these does, and wakes its own watcher for that, another thread, while a caller waits.

func readNow(fd uintptr, p []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall(syscall.SYS_READ, fd, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
	return int(n), errno
}

func writeNow(fd uintptr, p []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
	return int(n), errno
}

// peekNow looks at what would be read.
func peekNow(fd uintptr, p []byte) syscall.Errno {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), syscall.MSG_PEEK|syscall.MSG_DONTWAIT, 0, 0)
	return errno
}
