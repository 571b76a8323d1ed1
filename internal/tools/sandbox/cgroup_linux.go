package sandbox

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	cgroupRoot = "/sys/fs/cgroup"
	groupName  = "fluxway-" // begins the name of every group
)

// cgroups is where this process may make groups of its own; empty fields: nowhere.
type cgroups struct {
	pids, memory string // folders; the same one with version 2
	second       bool   // version 2
}

// findCgroups looks for controllers in which a group can be made.
func findCgroups() cgroups {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return cgroups{}
	}
	var c cgroups
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		for _, controller := range strings.Split(parts[1], ",") {
			dir := filepath.Join(cgroupRoot, controller, parts[2])
			switch {
			case controller == "pids" && makeable(dir, "pids.max"):
				c.pids = dir
			case controller == "memory" && makeable(dir, "memory.limit_in_bytes"):
				c.memory = dir
			case controller == "" && parts[0] == "0" && c.pids == "" && c.memory == "":
				dir = filepath.Join(cgroupRoot, parts[2])
				if makeable(dir, "pids.max") && makeable(dir, "memory.max") {
					c = cgroups{pids: dir, memory: dir, second: true}
				}
			}
		}
	}
	return c
}

// sweep takes away groups that a server which was killed left behind: old, and empty, since others cannot be removed.
func (c cgroups) sweep(before time.Time) {
	for _, parent := range []string{c.pids, c.memory} {
		if parent == "" {
			continue
		}
		found, err := filepath.Glob(filepath.Join(parent, groupName+"*"))
		if err != nil {
			continue
		}
		for _, dir := range found {
			if info, err := os.Stat(dir); err == nil && info.ModTime().Before(before) {
				_ = os.Remove(dir) // busy: it is somebody's
			}
		}
	}
}

// makeable tries it: a group below dir that has the file.
func makeable(dir, file string) bool {
	trial, err := os.MkdirTemp(dir, groupName+"trial-")
	if err != nil {
		return false
	}
	defer os.Remove(trial)
	_, err = os.Stat(filepath.Join(trial, file))
	return err == nil
}

// cgroup holds one job.
type cgroup struct {
	pids, memory string // folders of the job; "": not limited
	second       bool
}

// make makes a group for a job with its limits.
func (c cgroups) make(l Limits) (*cgroup, error) {
	name := groupName + rand.Text()
	g := &cgroup{second: c.second}
	limit := func(parent, file, value string) (string, error) {
		if parent == "" {
			return "", nil
		}
		dir := filepath.Join(parent, name)
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return "", err
		}
		return dir, os.WriteFile(filepath.Join(dir, file), []byte(value), 0o644)
	}
	var first, second error
	g.pids, first = limit(c.pids, "pids.max", strconv.Itoa(l.Processes))
	file := "memory.limit_in_bytes"
	if c.second {
		file = "memory.max"
	}
	g.memory, second = limit(c.memory, file, strconv.FormatInt(l.Memory, 10))
	if err := errors.Join(first, second); err != nil {
		g.remove()
		return nil, err
	}
	if g.memory != "" { // without swap where that is counted too; the kernel may be built without it
		swap, value := "memory.memsw.limit_in_bytes", strconv.FormatInt(l.Memory, 10)
		if c.second {
			swap, value = "memory.swap.max", "0"
		}
		_ = os.WriteFile(filepath.Join(g.memory, swap), []byte(value), 0o644)
	}
	return g, nil
}

func (g *cgroup) folders() []string {
	if g.pids == g.memory {
		return []string{g.pids}
	}
	return []string{g.pids, g.memory}
}

// add puts a process, and all it will start, into the group.
func (g *cgroup) add(pid int) error {
	for _, dir := range g.folders() {
		if dir == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// kill ends every process of the group, also one that left its process group.
func (g *cgroup) kill() {
	for _, dir := range g.folders() {
		if dir == "" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		if err != nil {
			continue
		}
		for _, field := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil && pid > 1 {
				_ = unix.Kill(pid, unix.SIGKILL) // it may be gone already
			}
		}
	}
}

// remove ends what is left and takes the group away.
func (g *cgroup) remove() {
	for range 50 {
		g.kill()
		busy := false
		for _, dir := range g.folders() {
			if dir != "" && errors.Is(os.Remove(dir), unix.EBUSY) {
				busy = true
			}
		}
		if !busy {
			return
		}
		time.Sleep(10 * time.Millisecond) // the kernel takes a moment to bury the dead
	}
}

// outOfMemory says whether the kernel killed a process of the group for its memory.
func (g *cgroup) outOfMemory() bool {
	if g.memory == "" {
		return false
	}
	file := "memory.oom_control"
	if g.second {
		file = "memory.events"
	}
	text, err := os.ReadFile(filepath.Join(g.memory, file))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if count, ok := strings.CutPrefix(strings.TrimSpace(line), "oom_kill "); ok {
			return count != "0"
		}
	}
	return false
}
