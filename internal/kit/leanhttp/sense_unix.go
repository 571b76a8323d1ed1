//go:build unix

package leanhttp

import (
	"io"
	"net"
	"os"
	"syscall"
)

// sense is what a connection does below net.Conn: a call that need not wait is one call. Its functions are made once, and
// what they are given and say lies here: one reads and one writes at a time.
type sense struct {
	raw              syscall.RawConn
	look, take, give func(fd uintptr) bool
	quiet            bool

	room []byte // where to read to; nil: a buffer is taken once there is something
	in   *intake
	got  int
	lost error // why nothing was read

	out    []byte // what is left to be written
	failed error  // why that is left
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
	s.look, s.take, s.give = s.peek, s.read, s.write
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
	errno := peekNow(fd, one[:])
	s.quiet = errno == syscall.EAGAIN || errno == syscall.EWOULDBLOCK
	return true
}

// receive waits for something to be said, and only then takes a buffer for it.
func (s *sense) receive() (*intake, error) {
	err := s.raw.Read(s.take)
	in, lost := s.in, s.lost
	s.in, s.lost = nil, nil
	if err != nil {
		return nil, err
	}
	return in, lost
}

// Read waits for something to be said.
func (s *sense) Read(p []byte) (int, error) {
	s.room, s.got = p, 0
	err := s.raw.Read(s.take)
	lost := s.lost
	s.room, s.lost = nil, nil
	if err != nil {
		return 0, err
	}
	return s.got, lost
}

func (s *sense) read(fd uintptr) bool {
	room, in := s.room, (*intake)(nil)
	if room == nil {
		in = intakes.Get().(*intake)
		room = in.bytes[:cap(in.bytes)]
	}
	n, errno := readNow(fd, room)
	for errno == syscall.EINTR {
		n, errno = readNow(fd, room)
	}
	switch {
	case errno == syscall.EAGAIN:
		in.release()
		return false
	case errno != 0:
		s.lost = os.NewSyscallError("read", errno)
	case n == 0:
		s.lost = io.EOF
	default:
		if s.got = n; in != nil {
			in.bytes = in.bytes[:n]
			s.in = in
		}
		return true
	}
	in.release()
	return true
}

// Write sends all of p.
func (s *sense) Write(p []byte) (int, error) {
	s.out = p
	err := s.raw.Write(s.give)
	n, failed := len(p)-len(s.out), s.failed
	s.out, s.failed = nil, nil
	if err != nil {
		return n, err
	}
	return n, failed
}

func (s *sense) write(fd uintptr) bool {
	for len(s.out) > 0 {
		n, errno := writeNow(fd, s.out[:min(len(s.out), maxWrite)])
		switch errno {
		case 0:
			s.out = s.out[n:]
		case syscall.EINTR:
		case syscall.EAGAIN:
			return false
		default:
			s.failed = os.NewSyscallError("write", errno)
			return true
		}
	}
	return true
}

// maxWrite is how much is written by one call, so that none lasts.
const maxWrite = 64 << 10
