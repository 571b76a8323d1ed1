package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// screen is what a program shows on a terminal.
type screen struct {
	done chan error
	all  []byte
}

// terminal runs a command of the program as a person does: on a terminal of its own.
func (s *server) terminal(ctx context.Context, args ...string) *screen {
	s.t.Helper()
	main, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(main.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = errors.Join(unix.IoctlSetPointerInt(int(main.Fd()), unix.TIOCSPTLCK, 0),
			unix.IoctlSetWinsize(int(main.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 200}))
	}
	if err != nil {
		s.t.Fatal(err)
	}
	side, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := s.command(ctx, args...)
	cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = side, side, side
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	side.Close()
	sc := &screen{done: make(chan error, 1)}
	go func() {
		sc.all, _ = io.ReadAll(main) // ends with an error when nobody holds the other side any more
		main.Close()
		sc.done <- cmd.Wait()
	}()
	return sc
}

var controls = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|\x1b[()][A-Z0-9]`)

// bare is a text without its spaces and the marks that a terminal shows as styles.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n*`#_-", r) {
			return -1
		}
		return r
	}, text)
}

// text waits for the end of the program and gives the bare text that it showed.
func (sc *screen) text(t *testing.T) string {
	t.Helper()
	if err := <-sc.done; err != nil {
		t.Errorf("the command ended with %v:\n%s", err, sc.all)
	}
	return bare(controls.ReplaceAllString(string(sc.all), ""))
}
