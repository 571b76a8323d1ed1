package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// patience is how long a program may take at each step of being ended.
const patience = 2 * time.Second

// process is a server's program, in a process group of its own so that nothing it started outlives it.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *os.File
	stderr *os.File
	exited chan struct{}
	ending chan struct{} // closed by end
	err    error         // of exited
	once   sync.Once
	wg     sync.WaitGroup
}

// launch starts a program; its stderr goes to the log.
func launch(cmd *exec.Cmd, log *ring) (*process, error) {
	p := &process{cmd: cmd, exited: make(chan struct{}), ending: make(chan struct{})}
	out, outW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	errR, errW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, out.Close(), outW.Close())
	}
	p.stdout, p.stderr = out, errR
	cmd.Stdout, cmd.Stderr = outW, errW
	ownGroup(cmd)
	if p.stdin, err = cmd.StdinPipe(); err == nil {
		err = cmd.Start()
	}
	closing := errors.Join(outW.Close(), errW.Close())
	if err = errors.Join(err, closing); err != nil {
		return nil, errors.Join(notStarted(cmd, err), out.Close(), errR.Close())
	}
	p.wg.Go(func() { _, _ = io.Copy(&into{ring: log, from: "stderr"}, errR) }) // it ends when the pipe does
	p.wg.Go(p.wait)
	return p, nil
}

func notStarted(cmd *exec.Cmd, err error) error {
	f := fault.New(fault.Unavailable, "mcp_not_started", "The program %s cannot be started.", cmd.Path).Because(err)
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return f.WithHint("It is not installed, or not in the PATH of this server.")
	}
	return f
}

// wait notices the end of the program, whoever still holds its pipes.
func (p *process) wait() {
	p.err = p.cmd.Wait()
	killGroup(p.cmd)
	close(p.exited)
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-timer.C: // what it said last has been read by now
	case <-p.ending:
	}
	_ = p.stdout.Close() // something that left the group may still hold the other end; our readers end here
	_ = p.stderr.Close()
}

// end stops the program and waits for its end; a second call waits for the first.
func (p *process) end() { p.once.Do(p.terminate) }

// terminate asks the program by closing its input, then tells it, then kills it.
func (p *process) terminate() {
	_ = p.stdin.Close() // it may have closed it itself
	for _, next := range []func(*exec.Cmd){termGroup, killGroup} {
		timer := time.NewTimer(patience)
		select {
		case <-p.exited:
			timer.Stop()
		case <-timer.C:
			next(p.cmd)
		}
	}
	<-p.exited
	close(p.ending)
	p.wg.Wait()
}

// how says in words how the program ended.
func (p *process) how() string {
	select {
	case <-p.exited:
	default:
		return "it closed its output"
	}
	if p.err == nil {
		return "it exited"
	}
	return p.err.Error()
}

// transport is the SDK's view of the program.
func (p *process) transport(log *ring) sdk.Transport {
	return &sdk.IOTransport{Reader: newMessages(p.stdout, log), Writer: p.stdin, MaxLineLength: maxMessage + 1<<10}
}

// command makes the command of a definition. The environment is what the program was given, not all of ours: keys of
// model providers are none of a tool's business.
func (m *Manager) command(def Definition) (*exec.Cmd, error) {
	path, err := lookPath(def.Command, m.opts.Environ)
	if err != nil {
		return nil, notStarted(&exec.Cmd{Path: def.Command}, err)
	}
	cmd := exec.Command(path, def.Args...)
	cmd.Args[0] = def.Command
	cmd.Dir = def.Folder
	cmd.Env = append([]string{}, m.opts.Environ...)
	for name, value := range def.Env {
		text, err := def.expand(value, m.opts.Lookup)
		if err != nil {
			return nil, err
		}
		cmd.Env = append(cmd.Env, name+"="+text)
	}
	return cmd, nil
}

// lookPath finds a program in the PATH that it will have itself.
func lookPath(name string, environ []string) (string, error) {
	if found, err := exec.LookPath(name); err == nil {
		return found, nil
	}
	for _, dir := range pathOf(environ) {
		full := dir + string(os.PathSeparator) + name
		if info, err := os.Stat(full); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return full, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, exec.ErrNotFound)
}

// dialStdio starts the program and gives its transport, and how to end it and to say how it ended.
func (m *Manager) dialStdio(_ context.Context, s *server, def Definition) (*dialled, error) {
	cmd, err := m.command(def)
	if err != nil {
		return nil, err
	}
	p, err := launch(cmd, &s.log)
	if err != nil {
		return nil, err
	}
	return &dialled{transport: p.transport(&s.log), end: p.end, how: p.how, pid: cmd.Process.Pid}, nil
}
