//go:build linux

package sandbox

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// needs skips a test on a machine that cannot isolate the aspect; the Isolation has said so.
func needs(t *testing.T, s *Sandbox, aspect string) {
	t.Helper()
	if a := s.Isolation().Aspect(aspect); !a.Active {
		t.Skipf("%s: %s", aspect, a.Lacks)
	}
}

// mechanisms are all tried where the machine has them.
var mechanisms = []string{Namespaces, Bubblewrap, Landlock}

func TestHostileProgram(t *testing.T) {
	t.Parallel()
	for _, mechanism := range mechanisms {
		t.Run(mechanism, func(t *testing.T) {
			t.Parallel()
			secret := filepath.Join(t.TempDir(), "secret")
			if err := os.WriteFile(secret, []byte("x"), 0o644); err != nil {
				t.Fatal(err)
			}
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			y := newYard(t, Options{Mechanism: mechanism})
			if got := y.Isolation().Mechanism; got != mechanism {
				t.Skipf("this machine has %s: %s", got, y.Isolation().Lacking())
			}
			t.Logf("%+v", y.Isolation())
			link := filepath.Join(y.folder, "link")
			if err := os.Symlink(secret, link); err != nil {
				t.Fatal(err)
			}
			fails := map[string][]string{
				"reading outside":                  {"read", secret},
				"reading outside through a link":   {"read", link},
				"listing a home folder":            {"read", "/root/.profile"},
				"writing outside":                  {"write", secret},
				"writing into the system":          {"write", "/usr/bin/fluxway-was-here"},
				"writing into /etc":                {"write", "/etc/fluxway-was-here"},
				"connecting":                       {"connect", listener.Addr().String()},
				"killing the server":               {"kill", strconv.Itoa(os.Getpid())},
				"mounting":                         {"mount", y.folder},
				"a namespace of its own":           {"namespace"},
				"a namespace of its own, by clone": {"clone"},
			}
			for name, args := range fails {
				if exit, said := y.try(t, Job{}, args...); exit.Code != 1 {
					t.Errorf("%s: ended with %d: %s", name, exit.Code, said)
				}
			}
			works := map[string][]string{
				"writing the project": {"write", filepath.Join(y.folder, "new")},
				"reading the system":  {"read", "/etc/passwd"},
				"a device":            {"write", "/dev/null"},
			}
			for name, args := range works {
				if exit, said := y.try(t, Job{}, args...); exit.Code != 0 {
					t.Errorf("%s: ended with %d: %s", name, exit.Code, said)
				}
			}
			if exit, said := y.try(t, Job{ReadOnly: true}, "write", filepath.Join(y.folder, "other")); exit.Code != 1 {
				t.Errorf("writing a project that is read-only: ended with %d: %s", exit.Code, said)
			}
		})
	}
}

func TestNamespaces(t *testing.T) {
	t.Parallel()
	for _, mechanism := range []string{Namespaces, Bubblewrap} {
		t.Run(mechanism, func(t *testing.T) {
			t.Parallel()
			testNamespaces(t, mechanism)
		})
	}
}

func testNamespaces(t *testing.T, mechanism string) {
	t.Helper()
	readable := t.TempDir()
	data := filepath.Join(readable, "data")
	if err := os.Mkdir(data, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "fluxway.db"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	y := newYard(t, Options{Hidden: []string{data}, Readable: []string{readable}, Mechanism: mechanism})
	if y.Isolation().Mechanism != mechanism {
		t.Skip(y.Isolation().Lacking())
	}
	fails := map[string][]string{
		"another interface than a loopback": {"interfaces"},
		"the data directory":                {"read", filepath.Join(data, "fluxway.db")},
		"a socket of a service":             {"unix", socket},
		"a home folder":                     {"write", "/root/x"},
	}
	for name, args := range fails {
		if exit, said := y.try(t, Job{}, args...); exit.Code != 1 {
			t.Errorf("%s: ended with %d: %s", name, exit.Code, said)
		}
	}
	if exit, said := y.try(t, Job{}, "read", "/etc/shadow"); exit.Code == 0 && said != "" {
		t.Errorf("passwords: %s", said)
	}
	_, status := y.try(t, Job{}, "status")
	wants := []string{"CapPrm:\t0000000000000000", "CapEff:\t0000000000000000", "CapInh:\t0000000000000000"}
	if mechanism == Namespaces { // bubblewrap leaves the second stage no right to empty the bounding set; without new privileges it gives nothing
		wants = append(wants, "CapBnd:\t0000000000000000")
	}
	for _, want := range append(wants, "CapAmb:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2", "Uid:\t1000") {
		if !strings.Contains(status, want) {
			t.Errorf("status lacks %q (%s):\n%s", want, y.Isolation().Lacking(), status)
		}
	}
	if exit, said := y.try(t, Job{Network: true}, "interfaces"); exit.Code != 0 {
		t.Logf("with network: %s (this machine may have none)", said)
	}
}

func TestHiddenInsideTheProject(t *testing.T) {
	t.Parallel()
	for _, mechanism := range mechanisms {
		t.Run(mechanism, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			data := filepath.Join(folder, "data")
			if err := os.Mkdir(data, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(data, "secret"), []byte("x"), 0o644); err != nil {
				t.Fatal(err)
			}
			s, err := New(Options{Hidden: []string{data}, Mechanism: mechanism})
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Isolation().Mechanism; got != mechanism {
				t.Skipf("this machine has %s", got)
			}
			exit, err := s.Run(t.Context(), Job{Folder: folder, Argv: []string{"cat", "data/secret"}})
			if mechanism == Landlock && !fault.HasCode(err, "hidden_in_project") || mechanism != Landlock && (err != nil || exit.Code == 0) {
				t.Errorf("reading it: %+v, %v", exit, err)
			}
		})
	}
}

func BenchmarkRun(b *testing.B) {
	for _, mechanism := range mechanisms {
		b.Run(mechanism, func(b *testing.B) {
			s, err := New(Options{Mechanism: mechanism})
			if err != nil {
				b.Fatal(err)
			}
			folder := b.TempDir()
			for b.Loop() {
				if exit, err := s.Run(b.Context(), Job{Folder: folder, Argv: []string{"true"}}); err != nil || exit.Code != 0 {
					b.Fatal(exit, err)
				}
			}
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	y := newYard(t, Options{})
	t.Run("fork bomb", func(t *testing.T) {
		t.Parallel()
		needs(t, y.Sandbox, Processes)
		exit, said := y.try(t, Job{Limits: Limits{Processes: 40}}, "fork")
		if exit.Code != 1 || !strings.Contains(said, "stopped after") {
			t.Errorf("ended with %d: %s", exit.Code, said)
		}
	})
	t.Run("one large file", func(t *testing.T) {
		t.Parallel()
		exit, said := y.try(t, Job{Limits: Limits{FileSize: 8 << 20}}, "fill", filepath.Join(y.folder, "large"))
		if exit.Limit != "file_size" && !strings.Contains(said, "stopped after 8 MiB") {
			t.Errorf("%+v: %s", exit, said)
		}
	})
	t.Run("a full scratch", func(t *testing.T) {
		t.Parallel()
		if y.Isolation().Mechanism != Namespaces {
			t.Skip(y.Isolation().Lacking())
		}
		exit, said := y.try(t, Job{Limits: Limits{Scratch: 8 << 20}}, "fill-many", "/tmp")
		if exit.Code != 1 || !strings.Contains(said, "no space left") {
			t.Errorf("%+v: %s", exit, said)
		}
	})
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		exit, said := y.try(t, Job{Limits: Limits{Memory: 128 << 20}}, "memory")
		if exit.Code == 0 {
			t.Errorf("%+v: %s", exit, said)
		}
		if y.machine.groups.memory != "" && exit.Limit != "memory" {
			t.Errorf("%+v does not name the limit", exit)
		}
	})
	t.Run("time of the processor", func(t *testing.T) {
		t.Parallel()
		if exit, said := y.try(t, Job{Limits: Limits{CPU: time.Second}}, "spin"); exit.Limit != "cpu" {
			t.Errorf("%+v: %s", exit, said)
		}
	})
}

func TestManyFilesFillNoDisk(t *testing.T) {
	t.Parallel()
	y := newYard(t, Options{})
	many := filepath.Join(y.folder, "many")
	if err := os.Mkdir(many, 0o755); err != nil {
		t.Fatal(err)
	}
	exit, said := y.try(t, Job{Limits: Limits{Disk: 64 << 20}}, "fill-many", many)
	if exit.Limit != "disk" {
		t.Errorf("%+v: %s", exit, said)
	}
}

// free reports whether nobody holds the lock.
func free(t *testing.T, lock string, how int) bool {
	t.Helper()
	f, err := os.Open(lock)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return unix.Flock(int(f.Fd()), how) == nil
}

func TestNothingOutlivesAJob(t *testing.T) {
	t.Parallel()
	for _, mechanism := range mechanisms {
		t.Run(mechanism, func(t *testing.T) {
			t.Parallel()
			y := newYard(t, Options{Mechanism: mechanism})
			if got := y.Isolation().Mechanism; got != mechanism {
				t.Skipf("this machine has %s: %s", got, y.Isolation().Lacking())
			}
			if mechanism == Landlock && y.machine.groups == (cgroups{}) {
				t.Skip("no cgroup can be made here")
			}
			lock := filepath.Join(y.folder, "lock")
			if exit, said := y.try(t, Job{}, "outlive", lock); exit.Code != 0 {
				t.Fatalf("ended with %d: %s", exit.Code, said)
			}
			if !free(t, lock, unix.LOCK_EX|unix.LOCK_NB) {
				t.Error("a process it left behind still holds its lock")
			}
		})
	}
}

func TestCancelEndsEverything(t *testing.T) {
	t.Parallel()
	y := newYard(t, Options{})
	lock := filepath.Join(y.folder, "lock")
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	_, err := y.Run(ctx, Job{Folder: y.folder, Output: writer(func([]byte) { cancel(stopped) }),
		Argv: []string{"/bin/sh", "-c", "./program hostile outlive lock; echo ready; while :; do sleep 1; done"}})
	if !errors.Is(err, stopped) {
		t.Errorf("Run = %v", err)
	}
	if !free(t, lock, unix.LOCK_EX|unix.LOCK_NB) {
		t.Error("a process it left behind still holds its lock")
	}
}

type writer func([]byte)

func (w writer) Write(p []byte) (int, error) { w(p); return len(p), nil }

func TestNothingOutlivesTheServer(t *testing.T) {
	t.Parallel()
	y := newYard(t, Options{})
	if y.Isolation().Mechanism != Namespaces {
		t.Skip(y.Isolation().Lacking())
	}
	cmd := exec.Command(y.program, "hostile", "serve", y.folder, y.program)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if !free(t, filepath.Join(y.folder, "lock"), unix.LOCK_EX) { // waits until the job is gone
		t.Error("the lock cannot be had")
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	all := findCgroups()
	if all.pids == "" {
		t.Skip("no cgroup can be made here")
	}
	parent := filepath.Join(all.pids, "test-"+filepath.Base(t.TempDir())+strconv.Itoa(os.Getpid()))
	if err := os.Mkdir(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(parent)
	c := cgroups{pids: parent, second: all.second}
	g, err := c.make(Limits{}.filled())
	if err != nil {
		t.Fatal(err)
	}
	defer g.remove()
	c.sweep(time.Now().Add(-time.Hour))
	if _, err := os.Stat(g.pids); err != nil {
		t.Errorf("a young group is gone: %v", err)
	}
	c.sweep(time.Now().Add(time.Hour))
	if _, err := os.Stat(g.pids); err == nil {
		t.Error("an old and empty group is still there")
	}
}

func TestExit(t *testing.T) {
	t.Parallel()
	y := newYard(t, Options{})
	tests := map[string]struct {
		argv []string
		want int
		code string
	}{
		"success":         {[]string{"true"}, 0, ""},
		"a code":          {[]string{"sh", "-c", "exit 7"}, 7, ""},
		"a signal":        {[]string{"sh", "-c", "kill -TERM $$"}, 143, ""},
		"no such program": {[]string{"fluxway-no-such"}, 0, "command_not_found"},
		"no such path":    {[]string{"./nothing"}, 0, "command_not_found"},
		"no command":      {nil, 0, "no_command"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exit, err := y.Run(t.Context(), Job{Folder: y.folder, Argv: tt.argv})
			if tt.code != "" && !fault.HasCode(err, tt.code) || tt.code == "" && (err != nil || exit.Code != tt.want) {
				t.Errorf("Run(%v) = %+v, %v; want %d %s", tt.argv, exit, err, tt.want, tt.code)
			}
		})
	}
}

func TestReportNeverOverstates(t *testing.T) {
	t.Parallel()
	none := report(machine{}, reasons{errors.New("forbidden"), errors.New("forbidden")}, true)
	for _, name := range []string{Files, Network, Processes} {
		if a := none.Aspect(name); a.Active || a.Lacks == "" {
			t.Errorf("with nothing, %s is %+v", name, a)
		}
	}
	if none.Mechanism != Unconfined || none.Confined() || none.Aspect(Privileges).Lacks == "" {
		t.Errorf("with nothing: %+v", none)
	}
	alone := report(machine{landlock: 3}, reasons{namespaces: errors.New("forbidden")}, false)
	if alone.Aspect(Network).Active || !alone.Confined() || alone.Aspect(Files).Lacks == "" {
		t.Errorf("with an old Landlock: %+v", alone)
	}
	if a := report(machine{namespaces: true}, reasons{}, true).Aspect(Processes); a.Active {
		t.Errorf("root without a cgroup: %+v", a)
	}
	s := &Sandbox{isolation: none}
	s.tried.Do(func() {}) // as if it had been found out
	if _, err := s.Run(t.Context(), Job{Argv: []string{"true"}}); !fault.HasCode(err, "no_sandbox") {
		t.Errorf("without a sandbox: %v", err)
	}
}
