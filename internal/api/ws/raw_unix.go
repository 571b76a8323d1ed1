//go:build unix

package ws

import "syscall"

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
	c.ready = func(uintptr) bool {
		first := c.first
		c.first = false
		return !first // the second look comes when the system says writable
	}
}
