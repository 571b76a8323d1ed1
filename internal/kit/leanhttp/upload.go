package leanhttp

import (
	"io"
	"net/http"
	"time"
)

// upload is the body of a request.
type upload struct {
	k      *link
	left   int64
	began  time.Time
	slow   bool // it did not come with the head
	closed bool
}

// Read gives what came with the head, and then what comes. The last bytes come
// together with io.EOF.
func (u *upload) Read(p []byte) (n int, err error) {
	switch {
	case u.closed:
		return 0, http.ErrBodyReadAfterClose
	case u.left == 0:
		return 0, io.EOF
	case len(p) == 0:
		return 0, nil
	}
	p = p[:min(int64(len(p)), u.left)]
	k := u.k
	if len(k.in) > 0 {
		n = copy(p, k.in)
		if k.in = k.in[n:]; len(k.in) == 0 {
			k.release()
		}
	} else if n, err = u.receive(p); err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if u.left -= int64(n); u.left == 0 {
		err = io.EOF
	}
	return n, err
}

func (u *upload) receive(p []byte) (int, error) {
	k := u.k
	if limit := k.s.Rest.ReadTimeout; limit > 0 && !u.slow {
		u.slow = true
		k.readUntil = u.began.Add(limit)
		if err := k.conn.SetReadDeadline(k.readUntil); err != nil {
			return 0, err
		}
	}
	return k.sense.Read(p)
}

// Close does not wait for the rest.
func (u *upload) Close() error {
	u.closed = true
	return nil
}

// skip takes what the handler did not read, if that is not too much.
func (u *upload) skip() bool {
	u.closed = false
	if u.left > maxSkipped {
		return false
	}
	for u.left > 0 {
		var buf [1 << 10]byte
		if _, err := u.Read(buf[:]); err != nil && err != io.EOF {
			return false
		}
	}
	return true
}
