//go:build linux

package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	if handled, code := Main(os.Args[1:]); handled {
		os.Exit(code)
	}
	if len(os.Args) > 2 && os.Args[1] == "hostile" {
		os.Exit(hostile(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

// hostile is the program that tries what it must not. It ends with 0 if it succeeds, with 1 and the reason if not.
func hostile(what string, args []string) int {
	var err error
	switch what {
	case "read":
		_, err = os.ReadFile(args[0])
	case "list":
		var names []os.DirEntry
		names, err = os.ReadDir(args[0])
		fmt.Println(names)
	case "write":
		err = os.WriteFile(args[0], []byte("x"), 0o644)
	case "connect":
		_, err = net.Dial("tcp", args[0])
	case "unix":
		_, err = net.Dial("unix", args[0])
	case "interfaces":
		err = interfaces()
	case "fork":
		err = forkBomb()
	case "fill":
		err = fill(args[0], 1<<40)
	case "fill-many":
		for i := 0; err == nil; i++ {
			err = fill(filepath.Join(args[0], strconv.Itoa(i)), 4<<20)
		}
	case "memory":
		memory()
	case "spin":
		for n := 0; ; n++ {
			if n < 0 {
				break
			}
		}
	case "outlive":
		err = outlive(args[0])
	case "linger":
		err = linger(args[0])
	case "kill":
		pid, _ := strconv.Atoi(args[0])
		err = syscall.Kill(pid, syscall.SIGTERM)
	case "mount":
		err = unix.Mount("tmpfs", args[0], "tmpfs", 0, "")
	case "namespace":
		err = unix.Unshare(unix.CLONE_NEWUSER)
	case "clone":
		cmd := exec.Command("/bin/true")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
		err = cmd.Run()
	case "status":
		var text []byte
		text, err = os.ReadFile("/proc/self/status")
		os.Stdout.Write(text)
	case "serve":
		err = serve(args[0], args[1])
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func interfaces() error {
	list, err := net.Interfaces()
	if err != nil {
		return err
	}
	for _, i := range list {
		if i.Name != "lo" {
			return nil
		}
	}
	return fmt.Errorf("only a loopback")
}

func forkBomb() error {
	for i := range 2000 {
		cmd := exec.Command("/bin/sleep", "600")
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("stopped after %d: %w", i, err)
		}
	}
	return nil
}

func fill(path string, size int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	chunk := bytes.Repeat([]byte{1}, 1<<20)
	for written := 0; written < size; written += len(chunk) {
		if _, err := f.Write(chunk); err != nil {
			return fmt.Errorf("stopped after %d MiB: %w", written>>20, err)
		}
	}
	return nil
}

func memory() {
	var all [][]byte
	for range 1024 {
		all = append(all, bytes.Repeat([]byte{1}, 1<<20))
	}
	fmt.Println(len(all))
}

// outlive starts a process in a session of its own that holds a lock, and leaves it behind.
func outlive(lock string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, "hostile", "linger", lock)
	cmd.ExtraFiles = []*os.File{w}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	w.Close()
	_, err = r.Read(make([]byte, 1))
	return err
}

func linger(lock string) error {
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	fmt.Println("locked")
	if ready := os.NewFile(3, "ready"); ready != nil {
		ready.Write([]byte("x"))
	}
	woken := make(chan os.Signal, 1) // without it the runtime would see that nobody wakes it, and end
	signal.Notify(woken, unix.SIGUSR1)
	<-woken
	return nil
}

// serve is a server with a job that does not end.
func serve(folder, program string) error {
	s, err := New(Options{})
	if err != nil {
		return err
	}
	_, err = s.Run(context.Background(), Job{Folder: folder, Argv: []string{program, "hostile", "linger", filepath.Join(folder, "lock")}, Output: os.Stdout})
	return err
}

// yard is a sandbox with the hostile program in its project.
type yard struct {
	*Sandbox
	folder, program string
}

func newYard(t *testing.T, opts Options) yard {
	t.Helper()
	s, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	y := yard{Sandbox: s, folder: t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	y.program = filepath.Join(y.folder, "program")
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(y.program, text, 0o755); err != nil {
		t.Fatal(err)
	}
	return y
}

// try runs the hostile program and gives how it ended and what it said.
func (y yard) try(t *testing.T, job Job, args ...string) (Exit, string) {
	t.Helper()
	var out bytes.Buffer
	job.Folder, job.Argv, job.Output = y.folder, append([]string{y.program, "hostile"}, args...), &out
	exit, err := y.Run(t.Context(), job)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return exit, strings.TrimSpace(out.String())
}
