//go:build unix

package leanhttp

import (
	"io"
	"net"
	"os"
	"syscall"
)

// sense is what a connection does below net.Conn. Its functions are made once, and what they say lies here.
type sense struct {
	raw   syscall.RawConn
	look  func(fd uintptr) bool
	quiet bool
	take  func(fd uintptr) bool
	in    *intake
	err   error
}

// newSense makes the sense of a connection; nil: it has none.
func newSense(c net.Conn) (*sense, error) {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return nil, nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil, err
	}
	s := &sense{raw: raw}
	s.look, s.take = s.peek, s.read
	return s, nil
}

// alive says whether an idle connection is neither closed nor has anything to
// say, which no server may at this point.
func (s *sense) alive() bool {
	if s == nil {
		return true
	}
	return s.raw.Read(s.look) == nil && s.quiet
}

func (s *sense) peek(fd uintptr) bool {
	var one [1]byte
	_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	s.quiet = err == syscall.EAGAIN || err == syscall.EWOULDBLOCK //nolint:errorlint // system calls answer bare numbers
	return true
}

// receive waits for something to be said, and only then takes a buffer for it.
func (s *sense) receive() (*intake, error) {
	err := s.raw.Read(s.take)
	in, failed := s.in, s.err
	s.in, s.err = nil, nil
	if err != nil {
		return nil, err
	}
	return in, failed
}

func (s *sense) read(fd uintptr) bool {
	in := intakes.Get().(*intake)
	n, err := syscall.Read(int(fd), in.bytes[:cap(in.bytes)])
	for err == syscall.EINTR { //nolint:errorlint // system calls answer bare numbers
		n, err = syscall.Read(int(fd), in.bytes[:cap(in.bytes)])
	}
	switch {
	case n > 0:
		in.bytes = in.bytes[:n]
		s.in = in
		return true
	case err == nil:
		s.err = io.EOF
	case err == syscall.EAGAIN: //nolint:errorlint // as above
		in.release()
		return false
	default:
		s.err = os.NewSyscallError("read", err)
	}
	in.release()
	return true
}
