//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

type machine struct{}

func probe(context.Context, *Sandbox) (machine, Isolation) {
	why := "there is no sandbox for " + runtime.GOOS
	i := Isolation{Mechanism: Unconfined}
	for _, name := range []string{Files, Network, Processes, Lifetime, Memory, CPU, Disk, Privileges} {
		i.Aspects = append(i.Aspects, Aspect{Name: name, Lacks: why})
	}
	return machine{}, i
}

func (s *Sandbox) run(ctx context.Context, job Job) (Exit, error) {
	if job.Terminal {
		return Exit{}, fault.New(fault.Unavailable, "no_terminal", "Commands have no terminal on this system.").WithHint("Run it without one.")
	}
	cmd := exec.CommandContext(ctx, job.Argv[0], job.Argv[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = job.Dir, job.Stdin, job.Output, job.Output
	if job.Errors != nil {
		cmd.Stderr = job.Errors
	}
	cmd.Env = append([]string{"PATH=" + s.opts.Path, "TERM=dumb"}, job.Env...)
	cmd.WaitDelay = 2 * time.Second
	err := cmd.Run()
	if cause := context.Cause(ctx); cause != nil {
		return Exit{}, cause
	}
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return Exit{}, err
	}
	return Exit{Code: cmd.ProcessState.ExitCode(), CPU: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
}

// Main has no stages to run on this system.
func Main([]string) (handled bool, code int) { return false, 0 }
