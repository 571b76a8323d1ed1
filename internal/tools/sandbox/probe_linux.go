package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// probe tries each mechanism with a job that does nothing, and believes only what worked.
func probe(ctx context.Context, s *Sandbox) (machine, Isolation) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	m := machine{landlock: landlockABI(), groups: findCgroups()}
	m.groups.sweep(time.Now().Add(-time.Hour))
	filtered := errors.New("not known for this processor")
	if auditArch() != 0 {
		filtered = try(ctx, s, machine{seccomp: true})
	}
	m.seccomp = filtered == nil
	without := m.findNamespaces(ctx, s)
	if m.landlock > 0 && try(ctx, s, machine{landlock: m.landlock}) != nil {
		m.landlock = 0
	}
	return m, report(m, reasons{namespaces: without, seccomp: filtered}, os.Geteuid() == 0)
}

// findNamespaces makes namespaces by itself, else with bubblewrap; the error is why there are none.
func (m *machine) findNamespaces(ctx context.Context, s *Sandbox) error {
	candidates := []machine{{}, {}}
	// Containers often mask parts of /proc, and then no new one may be mounted.
	candidates[0].proc = true
	if program, err := lookPath("bwrap", []string{"PATH=" + s.opts.Path}); err == nil {
		candidates = append(candidates, machine{proc: true, bubblewrap: program})
	}
	reason := errors.New("they were left out")
	for _, c := range candidates {
		if s.opts.Mechanism == Landlock || s.opts.Mechanism == Bubblewrap && c.bubblewrap == "" {
			continue
		}
		c.namespaces, c.landlock, c.seccomp = true, m.landlock, m.seccomp
		if reason = try(ctx, s, c); reason == nil {
			m.namespaces, m.proc, m.bubblewrap = true, c.proc, c.bubblewrap
			return nil
		}
	}
	return reason
}

// landlockABI asks the kernel for its version of Landlock.
func landlockABI() int {
	const createVersion = 1
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, createVersion)
	if errno != 0 {
		return 0
	}
	return int(abi)
}

// try runs the stages without a command in an empty folder.
func try(ctx context.Context, s *Sandbox, m machine) error {
	folder, err := os.MkdirTemp("", "fluxway-probe-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	var said bytes.Buffer
	trial := &Sandbox{opts: s.opts, machine: m}
	if !m.namespaces {
		trial.opts.Hidden = nil // whether these can be hidden depends on the job
	}
	exit, err := trial.run(ctx, Job{Folder: folder, Dir: folder, Limits: s.opts.Limits, Output: &said})
	if err == nil && exit.Code != 0 {
		err = fmt.Errorf("a trial ended with %d: %s", exit.Code, said.String())
	}
	return err
}

// reasons say why a mechanism is not there.
type reasons struct{ namespaces, seccomp error }

// report puts into words what a machine offers.
func report(m machine, why reasons, root bool) Isolation {
	i := Isolation{Mechanism: Unconfined}
	switch {
	case m.bubblewrap != "":
		i.Mechanism = Bubblewrap
	case m.namespaces:
		i.Mechanism = Namespaces
	case m.landlock > 0:
		i.Mechanism = Landlock
	}
	add := func(a Aspect) { i.Aspects = append(i.Aspects, a) }
	add(files(m, why.namespaces))
	add(network(m))
	add(processes(m, root))
	add(lifetime(m))
	if m.groups.memory != "" {
		add(Aspect{Name: Memory, Active: true, By: "cgroup, for the whole job"})
	} else {
		add(Aspect{Name: Memory, Active: true, By: "rlimit", Lacks: "each process has the limit for itself, since no cgroup can be made"})
	}
	add(Aspect{Name: CPU, Active: true, By: "rlimit", Lacks: "each process has the limit for itself; the time-out of the call bounds them all"})
	scratch := "; a scratch of limited size"
	if !m.namespaces {
		scratch = ""
	}
	add(Aspect{Name: Disk, Active: true, By: "limited size of files; jobs whose folder grows too much are ended" + scratch})
	add(privileges(m, why.seccomp, root))
	return i
}

func files(m machine, without error) Aspect {
	a := Aspect{Name: Files, Active: m.namespaces || m.landlock > 0}
	switch {
	case m.namespaces && m.landlock > 0:
		a.By = fmt.Sprintf("mount namespace and Landlock (ABI %d)", m.landlock)
	case m.namespaces:
		a.By = "mount namespace"
	case m.landlock > 0:
		a.By = fmt.Sprintf("Landlock (ABI %d)", m.landlock)
		a.Lacks = fmt.Sprintf("all of /etc that this user may read, and sockets of local services, because there are no namespaces: %v", without)
	default:
		a.Lacks = fmt.Sprintf("this kernel has no Landlock, and no namespaces: %v", without)
	}
	return a
}

func network(m machine) Aspect {
	switch {
	case m.namespaces:
		return Aspect{Name: Network, Active: true, By: "network namespace with nothing but a loopback of its own"}
	case m.landlock >= 4:
		return Aspect{Name: Network, Active: true, By: "Landlock", Lacks: "only TCP is refused"}
	}
	return Aspect{Name: Network, Lacks: "there is neither a network namespace nor Landlock ABI 4"}
}

func processes(m machine, root bool) Aspect {
	a := Aspect{Name: Processes}
	switch {
	case m.groups.pids != "":
		a.Active, a.By = true, "cgroup limits their number"
	case m.namespaces && !root:
		a.Active, a.By = true, "rlimit limits their number"
	default:
		a.Lacks = "their number is not limited, since no cgroup can be made"
	}
	if m.proc {
		a.By = join(a.By, "process namespace hides the others")
	} else if !m.namespaces {
		a.Lacks = join(a.Lacks, "others can be seen")
	}
	return a
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

func lifetime(m machine) Aspect {
	switch {
	case m.namespaces:
		return Aspect{Name: Lifetime, Active: true, By: "process namespace: all end with the first; death signal"}
	case m.groups.pids != "" || m.groups.memory != "":
		return Aspect{Name: Lifetime, Active: true, By: "cgroup and process group are killed", Lacks: "if this server is killed, processes that left their group stay"}
	}
	return Aspect{Name: Lifetime, Active: true, By: "process group is killed", Lacks: "processes that leave their group stay"}
}

func privileges(m machine, without error, root bool) Aspect {
	a := Aspect{Name: Privileges, Active: true, By: "no capabilities, no new privileges"}
	if m.namespaces {
		a.By += ", user namespace"
	} else if root {
		a.Lacks = "the job is still user 0"
	}
	if m.seccomp {
		a.By += ", seccomp"
	} else {
		a.Lacks = join(a.Lacks, fmt.Sprintf("no seccomp filter: %v", without))
	}
	return a
}
