package ws

import (
	"syscall"
	"unsafe"
)

// prepare makes the closures that talk to the socket directly, once.
func (c *Conn) prepare() {
	if sc, ok := c.conn.(syscall.Conn); ok {
		if raw, err := sc.SyscallConn(); err == nil {
			c.raw = raw
		}
	}
	c.try = func(fd uintptr) bool {
		for len(c.out) > c.written {
			n, err := syscall.Write(int(fd), c.out[c.written:])
			switch {
			case n > 0:
				c.written += n
			case err == syscall.EINTR: //nolint:errorlint // an errno of the system call itself
			case err == syscall.EAGAIN: //nolint:errorlint // as above
				return true
			default:
				c.failed = err
				return true
			}
		}
		return true
	}
	c.ready = writable
}

// pollOut is POLLOUT, which the syscall package lacks.
const pollOut = 0x4

// writable asks the system whether the socket takes more. It must ask: the
// poller tells of a change only once, and may have done so before we waited.
func writable(fd uintptr) bool {
	p := struct {
		fd              int32
		events, revents int16
	}{int32(fd), pollOut, 0}
	var now syscall.Timespec
	n, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, uintptr(unsafe.Pointer(&now)), 0, 0, 0)
	return n > 0 || errno != 0 // a failure shows in the next write
}
