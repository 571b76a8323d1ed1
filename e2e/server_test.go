// Package e2e tests the program as its users have it: the built binary, its
// command line, its HTTP doors, killed and started again.
package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// binary is the program under test: FLUXWAY_BIN, or one built here.
var binary = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("FLUXWAY_BIN"); path != "" {
		return path, nil
	}
	dir, err := os.MkdirTemp("", "fluxway-e2e-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "fluxway")
	build := exec.Command("go", "build", "-o", path, "../cmd/fluxway")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building: %w\n%s", err, out)
	}
	return path, nil
})

// server is a data directory and the process that serves it, if one runs.
type server struct {
	t       testing.TB
	home    string
	address string
	env     []string
	key     string

	cmd  *exec.Cmd
	done chan struct{} // closed when the process ended
	log  *bytes.Buffer // of the process that ran last
}

// newFolder is a server that nobody has set up.
func newFolder(t testing.TB, env ...string) *server {
	t.Helper()
	s := &server{t: t, home: filepath.Join(t.TempDir(), "data of a test"), address: freeAddress(t), env: env}
	t.Cleanup(s.stop)
	return s
}

// newServer sets a data directory up with an administrator and a key.
func newServer(t testing.TB, env ...string) *server {
	t.Helper()
	s := newFolder(t, env...)
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte("correct horse battery staple"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.run("setup", "--user", "mira", "--password-file", password)
	s.key = s.newKey("tests")
	return s
}

func (s *server) newKey(name string, more ...string) string {
	s.t.Helper()
	var made struct {
		Key string `json:"key"`
	}
	out := s.run(append([]string{"keys", "create", "--name", name, "--json"}, more...)...)
	if err := json.Unmarshal(out, &made); err != nil || made.Key == "" {
		s.t.Fatalf("keys create printed %q (%v)", out, err)
	}
	return made.Key
}

func (s *server) command(ctx context.Context, args ...string) *exec.Cmd {
	s.t.Helper()
	path, err := binary()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = s.t.TempDir() // no fluxway.yaml of ours is found there
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + cmd.Dir, "FLUXWAY_HOME=" + s.home, "FLUXWAY_LISTEN=" + s.address}, s.env...)
	return cmd
}

// run runs a command of the program to its end and gives what it printed.
func (s *server) run(args ...string) []byte {
	s.t.Helper()
	cmd := s.command(context.Background(), args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("fluxway %v: %v\n%s%s", args, err, out, &stderr)
	}
	return out
}

// start starts the server and waits until it is ready.
func (s *server) start() {
	s.t.Helper()
	s.cmd = s.command(context.Background(), "up")
	s.log = new(bytes.Buffer)
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	done := make(chan struct{})
	s.done = done
	go func(cmd *exec.Cmd) {
		_ = cmd.Wait()
		close(done)
	}(s.cmd)
	s.waitReady()
}

// waitReady asks until the server says it is ready: a server in another process
// has no other way to tell.
func (s *server) waitReady() {
	s.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		resp, err := http.Get(s.url("/readyz"))
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-s.done:
			s.t.Fatalf("the server ended:\n%s", s.log)
		case <-tick.C:
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("not ready after 30 s (%v)", err)
		}
	}
}

// kill ends the process without a chance to tidy up.
func (s *server) kill() {
	s.t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		s.t.Fatalf("killing: %v\n%s", err, s.log)
	}
	<-s.done
	s.cmd = nil
}

// stop ends the process as a service manager would.
func (s *server) stop() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.done:
	case <-time.After(20 * time.Second):
		_ = s.cmd.Process.Kill()
		<-s.done
		s.t.Errorf("the server did not stop within 20 s:\n%s", s.log)
	}
	s.cmd = nil
}

func (s *server) url(path string) string { return "http://" + s.address + path }

// call sends one request with the server's key and decodes the answer.
func (s *server) call(ctx context.Context, method, path string, in, out any) (int, error) {
	return s.callAs(ctx, s.key, method, path, in, out)
}

func (s *server) callAs(ctx context.Context, key, method, path string, in, out any) (int, error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return 0, err
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.url(path), body)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err // the server was killed in the middle of its answer
	}
	if out != nil && resp.StatusCode < 300 {
		return resp.StatusCode, json.Unmarshal(text, out)
	}
	if resp.StatusCode >= 300 {
		return resp.StatusCode, fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, text)
	}
	return resp.StatusCode, nil
}

func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
