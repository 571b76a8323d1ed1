package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is a pseudo-terminal for a job.
type terminal struct {
	ours, theirs *os.File
	wg           sync.WaitGroup
}

// drainTime is how long what a job wrote last may take to be read.
const drainTime = 2 * time.Second

func newTerminal() (*terminal, error) {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("opening a terminal: %w", err)
	}
	t := &terminal{ours: os.NewFile(uintptr(fd), "terminal")}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, errors.Join(fmt.Errorf("unlocking a terminal: %w", err), t.ours.Close())
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 120}); err != nil {
		return nil, errors.Join(fmt.Errorf("sizing a terminal: %w", err), t.ours.Close())
	}
	// The other end by number and not by name, which may lead elsewhere in another mount namespace.
	peer, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC)
	if errno != 0 {
		return nil, errors.Join(fmt.Errorf("opening the other end of a terminal: %w", errno), t.ours.Close())
	}
	t.theirs = os.NewFile(peer, "terminal")
	return t, nil
}

// connect types in and writes out what is shown, until nobody has the terminal open.
func (t *terminal) connect(in io.Reader, out io.Writer) {
	const endOfInput = "\x04"
	t.wg.Go(func() {
		if out == nil {
			out = io.Discard
		}
		_, _ = io.Copy(out, t.ours) // it ends with an error when the last of them closes it
	})
	t.wg.Go(func() {
		if in != nil {
			if _, err := io.Copy(t.ours, in); err != nil {
				return // nobody reads any more
			}
		}
		_, _ = io.WriteString(t.ours, endOfInput) // a program that is gone needs no end
	})
}

// close waits for what is still to be read, but not for ever.
func (t *terminal) close() {
	_ = t.ours.SetDeadline(time.Now().Add(drainTime)) // without it, what was left behind would keep us
	t.wg.Wait()
	_ = t.ours.Close() // nothing is written any more
}
