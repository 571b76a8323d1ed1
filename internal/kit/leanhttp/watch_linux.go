package leanhttp

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"
)

// watch hears from the kernel which callers have left. A connection is told to it
// once; requests cost nothing.
type watch struct {
	file *os.File // of epoll
	raw  syscall.RawConn

	mu    sync.Mutex // guards the fields below
	links map[uint64]*link
	last  uint64
}

func newWatch() (*watch, error) {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	if err := syscall.SetNonblock(fd, true); err != nil {
		return nil, errors.Join(err, syscall.Close(fd))
	}
	w := &watch{file: os.NewFile(uintptr(fd), "callers"), links: map[uint64]*link{}}
	if w.raw, err = w.file.SyscallConn(); err != nil {
		return nil, errors.Join(err, w.file.Close())
	}
	if err := w.file.SetReadDeadline(time.Time{}); err != nil { // the runtime cannot wait for it
		return nil, errors.Join(err, w.file.Close())
	}
	return w, nil
}

const leaves = syscall.EPOLLRDHUP | 1<<31 // told once, as EPOLLET says

// add begins to watch a connection and gives its number.
func (w *watch) add(k *link) (id uint64, ok bool) {
	raw, err := k.conn.SyscallConn()
	if err != nil {
		return 0, false
	}
	w.mu.Lock()
	w.last++
	id = w.last
	w.links[id] = k
	w.mu.Unlock()
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = w.control(syscall.EPOLL_CTL_ADD, int(fd), &syscall.EpollEvent{Events: leaves, Fd: int32(uint32(id)), Pad: int32(uint32(id >> 32))})
	})
	if err != nil || failed != nil {
		w.remove(id)
		return 0, false
	}
	return id, true
}

func (w *watch) control(op, fd int, event *syscall.EpollEvent) error {
	var failed error
	err := w.raw.Control(func(epoll uintptr) { failed = syscall.EpollCtl(int(epoll), op, fd, event) })
	return errors.Join(err, failed)
}

// remove forgets a connection; the kernel does when it is closed.
func (w *watch) remove(id uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.links, id)
}

// run tells those whose callers leave, until stop.
func (w *watch) run() {
	var events [64]syscall.EpollEvent
	for {
		n := 0
		err := w.raw.Read(func(fd uintptr) bool {
			for failed := error(syscall.EINTR); failed == syscall.EINTR; { //nolint:errorlint // system calls answer bare numbers
				n, failed = syscall.EpollWait(int(fd), events[:], 0) // it fails in no other way
			}
			return n > 0
		})
		if err != nil {
			return
		}
		for _, e := range events[:n] {
			w.mu.Lock()
			k := w.links[uint64(uint32(e.Fd))|uint64(uint32(e.Pad))<<32]
			w.mu.Unlock()
			if k != nil {
				k.gone()
			}
		}
	}
}

func (w *watch) stop() { _ = w.file.Close() } // it holds nothing
