package sandbox

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Limits bound one job; zero fields take the defaults.
type Limits struct {
	CPU       time.Duration `json:"cpu_ns"`    // of each process; 0: 10 min
	Memory    int64         `json:"memory"`    // bytes, of the whole job where a cgroup is to be had, else of each process; 0: 2 GiB
	Processes int           `json:"processes"` // and threads; 0: 512
	FileSize  int64         `json:"file_size"` // of each file written; 0: 1 GiB
	Disk      int64         `json:"disk"`      // by which the project folder may grow; 0: 4 GiB
	Scratch   int64         `json:"scratch"`   // size of the private /tmp, in memory; 0: 512 MiB
}

func (l Limits) filled() Limits {
	l.CPU = cmp.Or(l.CPU, 10*time.Minute)
	l.Memory = cmp.Or(l.Memory, 2<<30)
	l.Processes = cmp.Or(l.Processes, 512)
	l.FileSize = cmp.Or(l.FileSize, 1<<30)
	l.Disk = cmp.Or(l.Disk, 4<<30)
	l.Scratch = cmp.Or(l.Scratch, 512<<20)
	return l
}

// Options are what a Sandbox needs.
type Options struct {
	Hidden   []string // folders nobody inside may see, besides home folders: the data directory
	Readable []string // folders outside the system's that may be read: tool chains in a home folder
	Path     string   // where commands are found; "": the usual folders
	Limits   Limits   // of a job that names none
	// Unconfined lets jobs run where the machine cannot hide files from them. It is for machines without Landlock
	// and namespaces, and the Isolation says so.
	Unconfined bool
	// Mechanism is the best one to use: Namespaces, Bubblewrap or Landlock; "": the best there is.
	Mechanism string
}

// The mechanisms, best first. Bubblewrap makes the same namespaces and helps where only known programs may.
const (
	Namespaces = "namespaces"
	Bubblewrap = "bubblewrap"
	Landlock   = "landlock"
	Unconfined = "none"
)

const usualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/go/bin"

// Job is one command to run.
type Job struct {
	Argv     []string
	Dir      string   // where it starts; in Folder
	Folder   string   // the project
	ReadOnly bool     // the project too may only be read
	Readable []string // more folders that may be read, also hidden ones
	Env      []string // besides PATH, HOME, TMPDIR, LANG and TERM
	Network  bool     // may talk to other machines
	Terminal bool     // its streams are a terminal; what Stdin gives is typed, then the end of input
	Limits   Limits   // zero fields: as Options.Limits
	Stdin    io.Reader
	Output   io.Writer // both streams, in the order they were written
	Errors   io.Writer // takes the second stream apart; nil: it is in Output
}

// Exit is how a job ended.
type Exit struct {
	Code  int           // 128 + the signal for one that was killed
	Limit string        // the limit that ended it, if one did: "memory", "cpu", "disk", "file_size"
	CPU   time.Duration // used by everything in it
}

// Sandbox runs jobs.
type Sandbox struct {
	opts Options

	tried     sync.Once // the fields below are known after it
	isolation Isolation
	machine   machine
}

// New checks the options. What this machine offers is found out by trying it, when it is first asked for: that
// starts programs, which a server that runs no command need not do.
func New(opts Options) (*Sandbox, error) {
	opts.Path = cmp.Or(opts.Path, usualPath)
	opts.Limits = opts.Limits.filled()
	for _, list := range [][]string{opts.Hidden, opts.Readable} {
		for i, p := range list {
			if !filepath.IsAbs(p) {
				return nil, errors.New("sandbox: " + p + " is not an absolute path")
			}
			list[i] = filepath.Clean(p)
		}
	}
	switch opts.Mechanism {
	case "", Namespaces, Bubblewrap, Landlock:
	default:
		return nil, errors.New("sandbox: there is no mechanism " + opts.Mechanism)
	}
	return &Sandbox{opts: opts}, nil
}

// Isolation says what holds for jobs on this machine; the first time it takes a moment.
func (s *Sandbox) Isolation() Isolation {
	s.try()
	return s.isolation
}

// try is not bound to a caller: what it finds out is for all.
func (s *Sandbox) try() {
	s.tried.Do(func() { s.machine, s.isolation = probe(context.Background(), s) })
}

// Run runs a job to its end. Cancelling ctx ends it and all it started. An error means that it was not
// run, or that ctx ended; a command that fails is an Exit.
func (s *Sandbox) Run(ctx context.Context, job Job) (Exit, error) {
	if len(job.Argv) == 0 || job.Argv[0] == "" {
		return Exit{}, fault.New(fault.Invalid, "no_command", "There is no command to run.")
	}
	s.try()
	if !s.isolation.Confined() && !s.opts.Unconfined {
		return Exit{}, fault.New(fault.Unavailable, "no_sandbox", "This machine cannot keep a command away from other files: %s.", s.isolation.Lacking()).
			WithHint("Whoever runs this server can allow commands without a sandbox in its settings.")
	}
	job.Limits = merge(job.Limits, s.opts.Limits)
	if job.Dir == "" {
		job.Dir = job.Folder
	}
	return s.run(ctx, job)
}

func merge(l, base Limits) Limits {
	return Limits{
		CPU: cmp.Or(l.CPU, base.CPU), Memory: cmp.Or(l.Memory, base.Memory), Processes: cmp.Or(l.Processes, base.Processes),
		FileSize: cmp.Or(l.FileSize, base.FileSize), Disk: cmp.Or(l.Disk, base.Disk), Scratch: cmp.Or(l.Scratch, base.Scratch),
	}
}
