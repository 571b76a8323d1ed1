//go:build unix

package leanhttp

import "syscall"

// alive says whether an idle connection is neither closed nor has anything to
// say, which no server may at this point.
func alive(raw syscall.RawConn) bool {
	if raw == nil {
		return true
	}
	quiet := false
	err := raw.Read(func(fd uintptr) bool {
		var one [1]byte
		_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		quiet = err == syscall.EAGAIN || err == syscall.EWOULDBLOCK //nolint:errorlint // system calls answer bare numbers
		return true
	})
	return err == nil && quiet
}
