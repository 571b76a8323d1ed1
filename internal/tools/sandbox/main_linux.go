package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Word is the first argument of a stage.
const Word = "__sandbox"

// Main runs a stage if args, without the program's name, ask for one; the program then exits with code. Programs
// that use a Sandbox call it before anything else.
func Main(args []string) (handled bool, code int) {
	if len(args) != 2 || args[0] != Word {
		return false, 0
	}
	runtime.LockOSThread() // what a stage gives up, it gives up for this thread; exec and fork start from it
	code, err := stage(args[1])
	if err != nil {
		status := os.NewFile(statusFD, "status")
		fmt.Fprint(status, err)
		return true, 125
	}
	return true, code
}

func stage(name string) (int, error) {
	o, err := readOrder()
	if err != nil {
		return 0, err
	}
	for _, fd := range []int{orderFD, readyFD, statusFD} {
		unix.CloseOnExec(fd)
	}
	first := name != "exec" || !o.Namespace
	if first {
		if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
			return 0, fmt.Errorf("PR_SET_PDEATHSIG: %w", err)
		}
		if _, err := io.Copy(io.Discard, os.NewFile(readyFD, "ready")); err != nil {
			return 0, fmt.Errorf("waiting for the cgroup: %w", err)
		}
	}
	switch name {
	case "init":
		return initStage(o)
	case "wrap":
		return wrapStage(o)
	case "exec":
		return 0, execStage(o)
	}
	return 0, fmt.Errorf("there is no stage %q", name)
}

func readOrder() (order, error) {
	var o order
	f := os.NewFile(orderFD, "order")
	info, err := f.Stat()
	if err != nil {
		return o, fmt.Errorf("no order: %w", err)
	}
	text := make([]byte, info.Size())
	if _, err := f.ReadAt(text, 0); err != nil {
		return o, fmt.Errorf("reading the order: %w", err)
	}
	return o, json.Unmarshal(text, &o)
}

// initStage prepares the namespaces, starts the second stage and buries whoever dies until that one does.
func initStage(o order) (int, error) {
	if err := prepareMounts(o); err != nil {
		return 0, err
	}
	if o.Loopback {
		if err := loopbackUp(); err != nil {
			return 0, fmt.Errorf("loopback: %w", err)
		}
	}
	if err := unix.Sethostname([]byte("sandbox")); err != nil {
		return 0, fmt.Errorf("sethostname: %w", err)
	}
	pid, err := syscall.ForkExec("/proc/self/exe", []string{"fluxway", Word, "exec"}, &syscall.ProcAttr{
		Env:   []string{"GOMAXPROCS=1", "GOTRACEBACK=none"},
		Files: []uintptr{0, 1, 2, orderFD, orderFD, statusFD},
	})
	if err != nil {
		return 0, fmt.Errorf("starting the second stage: %w", err)
	}
	return reap(pid, untilCommand), nil
}

// How long a stage buries the dead.
const (
	untilCommand = iota // until its command has ended; the kernel ends the rest of the namespace
	untilNobody         // until no process is left to wait for
)

// reap waits for whoever dies and gives the exit code of one of them.
func reap(pid, until int) int {
	for _, fd := range []int{orderFD, readyFD, statusFD} {
		unix.Close(fd)
	}
	code := 125 // the command was never seen to end
	for {
		var ws unix.WaitStatus
		got, err := unix.Wait4(-1, &ws, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return code
		case got != pid:
			continue
		case ws.Signaled():
			code = 128 + int(ws.Signal())
		case ws.Exited():
			code = ws.ExitStatus()
		}
		if until == untilCommand {
			return code
		}
	}
}

func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
}

// execStage gives everything up and becomes the command. It returns only when it fails, or for an order without a command.
func execStage(o order) error {
	if err := os.Chdir(o.Dir); err != nil {
		return fmt.Errorf("entering %s: %w", o.Dir, err)
	}
	if err := confine(o); err != nil {
		return err
	}
	if len(o.Argv) == 0 {
		return nil
	}
	program, err := lookPath(o.Argv[0], o.Env)
	if err != nil {
		return err
	}
	if err := limit(o); err != nil {
		return err
	}
	err = syscall.Exec(program, o.Argv, o.Env)
	return fmt.Errorf("starting %s: %w", program, err)
}

func lookPath(name string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		if unix.Access(name, unix.X_OK) == nil {
			return name, nil
		}
		return "", errors.New(notFound + name)
	}
	for _, entry := range env {
		path, ok := strings.CutPrefix(entry, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(path) {
			program := filepath.Join(dir, name)
			if info, err := os.Stat(program); err == nil && info.Mode().IsRegular() && unix.Access(program, unix.X_OK) == nil {
				return program, nil
			}
		}
	}
	return "", errors.New(notFound + name)
}
