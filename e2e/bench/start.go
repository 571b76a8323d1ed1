package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// bareServer is the floor of start: the smallest useful net/http program.
func bareServer(args []string) error {
	l, err := net.Listen("tcp", args[0])
	if err != nil {
		return err
	}
	fmt.Println("ready")
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") }))
}

// The bars of start: CPU until ready, and memory when nothing happens.
const (
	startCPU = 60.0 // milliseconds
	idleRSS  = 40.0 // MB
)

func startLane(ctx context.Context, b *bench) error {
	binary, err := b.product()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var ours, base, oursRSS, baseRSS []float64
	home := filepath.Join(b.dir, "home")
	for i := range b.rounds + 1 {
		address, err := freeAddress()
		if err != nil {
			return err
		}
		bare, err := startOnce(ctx, exec.CommandContext(ctx, self, "-helper", "bare", address), address, "/")
		if err != nil {
			return err
		}
		if address, err = freeAddress(); err != nil {
			return err
		}
		cmd := exec.CommandContext(ctx, binary, "up")
		cmd.Env = append(os.Environ(), "FLUXWAY_HOME="+home, "FLUXWAY_LISTEN="+address)
		full, err := startOnce(ctx, cmd, address, "/readyz")
		if err != nil {
			return err
		}
		if i == 0 {
			b.limit("first start, database made: CPU", "ms", full.cpu, bare.cpu, 0)
			b.lines[len(b.lines)-1].Bar, b.lines[len(b.lines)-1].Verdict = "", "shown"
			continue
		}
		ours, base = append(ours, full.cpu), append(base, bare.cpu)
		oursRSS, baseRSS = append(oursRSS, full.rss), append(baseRSS, bare.rss)
	}
	b.limit("ready: CPU", "ms", median(ours), median(base), startCPU)
	b.limit("idle: resident memory", "MB", median(oursRSS), median(baseRSS), idleRSS)
	return nil
}

type started struct{ cpu, rss float64 }

// startOnce starts a server, waits until it answers, and reads its CPU then and
// its memory two seconds later.
func startOnce(ctx context.Context, cmd *exec.Cmd, address, path string) (started, error) {
	cmd.Stderr = nil
	out, err := cmd.StdoutPipe()
	if err != nil {
		return started{}, err
	}
	if err := cmd.Start(); err != nil {
		return started{}, err
	}
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}()
	go func() { // drain, so that a banner never blocks it
		for s := bufio.NewScanner(out); s.Scan(); {
			continue
		}
	}()
	if err := waitReady(ctx, "http://"+address+path); err != nil {
		return started{}, fmt.Errorf("%s: %w", cmd.Path, err)
	}
	cpu, err := preciseCPU(cmd.Process.Pid)
	if err != nil {
		return started{}, err
	}
	select {
	case <-ctx.Done():
		return started{}, ctx.Err()
	case <-time.After(2 * time.Second):
	}
	mem, err := rss(cmd.Process.Pid)
	return started{float64(cpu.Microseconds()) / 1000, float64(mem) / 1e6}, err
}

func waitReady(ctx context.Context, url string) error {
	deadline := time.Now().Add(30 * time.Second)
	for {
		resp, err := http.Get(url)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
			err = fmt.Errorf("it answers %s", resp.Status)
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not ready after 30 s: %w", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}
