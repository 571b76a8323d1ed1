package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// machine is what probing found.
type machine struct {
	namespaces bool
	bubblewrap string // the program that makes them for us; "": we do
	proc       bool   // a /proc of its own
	landlock   int    // ABI; 0: none
	seccomp    bool
	groups     cgroups
}

// order is what the stages are told.
type order struct {
	Argv      []string
	Dir       string
	Env       []string
	Writable  []string
	Readable  []string
	Hidden    []string
	Limits    Limits
	Loopback  bool // the network is a new, empty one
	NoNetwork bool // the network is the machine's and must be kept from the job
	Namespace bool
	Proc      bool
	InGroup   bool // a cgroup limits memory
	Landlock  bool
	Seccomp   bool
	Wrap      []string // the command line of bubblewrap, up to its command
}

// The stages' files, after the three standard ones.
const (
	orderFD  = 3 // the order, in memory
	readyFD  = 4 // ends when the first stage is in its cgroup
	statusFD = 5 // says what went wrong before the command began; ends without a word when it begins
)

func (s *Sandbox) run(ctx context.Context, job Job) (Exit, error) {
	folder, err := filepath.EvalSymlinks(job.Folder)
	if err != nil || !filepath.IsAbs(folder) {
		return Exit{}, fault.New(fault.Invalid, "no_folder", "The project folder %q does not exist.", job.Folder).Because(err)
	}
	m := s.machine
	o := order{
		Argv: job.Argv, Dir: job.Dir, Hidden: s.opts.Hidden, Readable: slices.Concat(s.opts.Readable, job.Readable), Limits: job.Limits,
		Namespace: m.namespaces, Proc: m.proc, Landlock: m.landlock > 0, Seccomp: m.seccomp,
		Loopback: m.namespaces && !job.Network, NoNetwork: !m.namespaces && !job.Network,
	}
	if job.ReadOnly {
		o.Readable = append(o.Readable, folder)
	} else {
		o.Writable = append(o.Writable, folder)
	}
	scratch := "/tmp"
	if !m.namespaces {
		if hidden := inside(o.Hidden, o); len(hidden) > 0 { // Landlock gives and cannot take back below
			return Exit{}, fault.New(fault.Conflict, "hidden_in_project", "The project, or a folder that may be read, contains %s, which cannot be hidden on this machine.", hidden[0]).
				WithHint("Choose a project folder that does not contain the data of this server.")
		}
		if scratch, err = os.MkdirTemp("", "fluxway-job-"); err != nil {
			return Exit{}, fmt.Errorf("making a temporary folder: %w", err)
		}
		defer os.RemoveAll(scratch)
		o.Writable = append(o.Writable, scratch)
	}
	if m.bubblewrap != "" {
		if o.Wrap, err = wrapping(m.bubblewrap, o); err != nil {
			return Exit{}, err
		}
	}
	o.Env = append([]string{"PATH=" + s.opts.Path, "HOME=" + scratch, "TMPDIR=" + scratch, "LANG=C.UTF-8", "TERM=" + term(job)}, job.Env...)
	return s.start(ctx, job, o, folder)
}

// term is the kind of terminal a job has.
func term(job Job) string {
	if job.Terminal {
		return "xterm-256color"
	}
	return "dumb"
}

func (s *Sandbox) start(ctx context.Context, job Job, o order, folder string) (Exit, error) {
	group, err := s.machine.groups.make(job.Limits)
	if err != nil {
		return Exit{}, fmt.Errorf("making a cgroup: %w", err)
	}
	defer group.remove()
	o.InGroup = group.memory != ""
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	p, err := newProcess(ctx, job, o, group)
	if err != nil {
		return Exit{}, err
	}
	if p.terminal != nil {
		defer p.terminal.close()
	}
	if err := p.begin(group); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return Exit{}, cause
		}
		return Exit{}, err
	}
	var watch sync.WaitGroup
	ended := make(chan struct{})
	if !job.ReadOnly {
		watch.Go(func() { watchDisk(ended, folder, job.Limits.Disk, func() { stop(errDisk) }) })
	}
	err = p.cmd.Wait()
	close(ended)
	watch.Wait()
	exit := p.exit(group)
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errDisk):
		exit.Limit = "disk"
		return exit, nil
	case cause != nil:
		return Exit{}, cause
	}
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) && !errors.Is(err, exec.ErrWaitDelay) {
		return Exit{}, fmt.Errorf("waiting for the command: %w", err)
	}
	return exit, nil
}

var errDisk = errors.New("the project folder grew too large")

// process is the first stage, seen from outside.
type process struct {
	cmd           *exec.Cmd
	ready, status *os.File // our ends
	theirs        []*os.File
	cpu           time.Duration // the limit; past it the kernel asks, and a second later it kills
	terminal      *terminal     // nil: none
}

func newProcess(ctx context.Context, job Job, o order, group *cgroup) (*process, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("fluxway-order", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("memfd_create: %w", err)
	}
	memory := os.NewFile(uintptr(fd), "order")
	if _, err := memory.Write(text); err != nil {
		return nil, errors.Join(err, memory.Close())
	}
	readyIn, readyOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, memory.Close())
	}
	statusIn, statusOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, memory.Close(), readyIn.Close(), readyOut.Close())
	}
	stage := "exec"
	attr := &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	switch {
	case o.Wrap != nil:
		stage = "wrap"
	case o.Namespace:
		stage = "init"
		attr.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
		if o.Loopback {
			attr.Cloneflags |= unix.CLONE_NEWNET
		}
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: insideID, HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: insideID, HostID: os.Getegid(), Size: 1}}
		attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP, unix.CAP_NET_ADMIN}
	}
	cmd := exec.CommandContext(ctx, "/proc/self/exe")
	cmd.Args = []string{"fluxway", Word, stage}
	cmd.Env = []string{"GOMAXPROCS=1", "GOTRACEBACK=none"}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = job.Stdin, job.Output, job.Output
	if job.Errors != nil {
		cmd.Stderr = job.Errors
	}
	cmd.ExtraFiles = []*os.File{memory, readyIn, statusOut}
	cmd.SysProcAttr = attr
	cmd.WaitDelay = 2 * time.Second
	cmd.Cancel = func() error {
		group.kill()
		return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	p := &process{cmd: cmd, ready: readyOut, status: statusIn, theirs: cmd.ExtraFiles, cpu: o.Limits.CPU}
	if job.Terminal {
		if p.terminal, err = newTerminal(); err != nil {
			return nil, errors.Join(err, memory.Close(), readyIn.Close(), readyOut.Close(), statusIn.Close(), statusOut.Close())
		}
		tty := p.terminal.theirs
		cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
		attr.Setctty = true
		p.theirs = append(p.theirs[:len(p.theirs):len(p.theirs)], tty)
		p.terminal.connect(job.Stdin, job.Output)
	}
	return p, nil
}

const insideID = 1000 // who the job is, in its own user namespace

// begin starts the stages and returns when the command runs, or says why it does not.
func (p *process) begin(group *cgroup) error {
	err := p.cmd.Start()
	for _, f := range p.theirs {
		f.Close()
	}
	defer p.ready.Close()
	defer p.status.Close()
	if err != nil {
		return fmt.Errorf("starting the sandbox: %w", err)
	}
	err = group.add(p.cmd.Process.Pid)
	p.ready.Close()
	var said []byte
	if err == nil {
		said, err = io.ReadAll(io.LimitReader(p.status, 4096))
	}
	if err == nil && len(said) == 0 {
		return nil
	}
	// The first stage ends by itself after it has spoken; this is for one that could not be placed.
	kill := p.cmd.Cancel()
	waited := p.cmd.Wait()
	if err != nil {
		return fmt.Errorf("starting the sandbox: %w", errors.Join(err, kill, waited))
	}
	text := string(said)
	if missing, ok := strings.CutPrefix(text, notFound); ok {
		return fault.New(fault.NotFound, "command_not_found", "There is no program called %s here.", missing).
			WithHint("Look for it with another name, or do it with the tools there are.")
	}
	return fmt.Errorf("starting the sandbox: %s", text)
}

// notFound starts the status of a job whose program does not exist.
const notFound = "not found: "

func (p *process) exit(group *cgroup) Exit {
	state := p.cmd.ProcessState
	e := Exit{Code: state.ExitCode(), CPU: state.UserTime() + state.SystemTime()}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		e.Code = 128 + int(ws.Signal())
	}
	switch {
	case group.outOfMemory():
		e.Limit = "memory"
	case e.Code == 128+int(unix.SIGXCPU), e.Code == 128+int(unix.SIGKILL) && e.CPU >= p.cpu:
		e.Limit = "cpu"
	case e.Code == 128+int(unix.SIGXFSZ):
		e.Limit = "file_size"
	}
	return e
}
