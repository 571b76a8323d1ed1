//go:build unix && !(linux && (amd64 || arm64))

package leanhttp

import (
	"errors"
	"syscall"
)

func readNow(fd uintptr, p []byte) (int, syscall.Errno) {
	n, err := syscall.Read(int(fd), p)
	return n, number(err)
}

func writeNow(fd uintptr, p []byte) (int, syscall.Errno) {
	n, err := syscall.Write(int(fd), p)
	return n, number(err)
}

// peekNow looks at what would be read.
func peekNow(fd uintptr, p []byte) syscall.Errno {
	_, _, err := syscall.Recvfrom(int(fd), p, syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	return number(err)
}

// number is the error of a call as the system says it; 0: none.
func number(err error) (errno syscall.Errno) {
	errors.As(err, &errno)
	return errno
}
