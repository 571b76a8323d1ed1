//go:build linux

package sandbox

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

func openRoom(t *testing.T, y yard) *Room {
	t.Helper()
	r, err := y.Open(t.Context(), Job{Folder: y.folder})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func in(t *testing.T, r *Room, text string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	exit, err := r.Exec(t.Context(), text, &out)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return exit.Code, strings.TrimSpace(out.String())
}

func TestRoomLasts(t *testing.T) {
	t.Parallel()
	y := newYard(t, Options{})
	r := openRoom(t, y)
	if code, out := in(t, r, "echo one >file; echo out; echo err >&2; exit 4"); code != 4 || out != "out\nerr" {
		t.Errorf("%d %q", code, out)
	}
	if code, out := in(t, r, "cat file; test -t 0 || echo no terminal"); code != 0 || out != "one\nno terminal" {
		t.Errorf("%d %q", code, out)
	}
	// What a command leaves running is still there for the next.
	in(t, r, "mkfifo pipe; (read line <pipe; echo \"got $line\" >answer; echo done >pipe) &")
	if code, out := in(t, r, "echo hello >pipe; cat pipe answer"); code != 0 || out != "done\ngot hello" {
		t.Errorf("%d %q", code, out)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, out := in(t, r, "cat "+secret); code == 0 {
		t.Errorf("it read outside: %q", out)
	}
}

func TestRoomEndsWithAllInIt(t *testing.T) {
	t.Parallel()
	y := newYard(t, Options{})
	needs(t, y.Sandbox, Lifetime)
	r := openRoom(t, y)
	in(t, r, "./program hostile outlive lock")
	if free(t, filepath.Join(y.folder, "lock"), unix.LOCK_EX|unix.LOCK_NB) {
		t.Error("nothing holds the lock between commands")
	}
	r.Close()
	if !free(t, filepath.Join(y.folder, "lock"), unix.LOCK_EX|unix.LOCK_NB) {
		t.Error("a process outlived its room")
	}
	if _, err := r.Exec(t.Context(), "true", nil); !fault.HasCode(err, "sandbox_ended") {
		t.Errorf("after the end: %v", err)
	}
}

func TestRoomCommandIsStopped(t *testing.T) {
	t.Parallel()
	y := newYard(t, Options{})
	r := openRoom(t, y)
	in(t, r, "mkfifo ready")
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan error, 1)
	var out bytes.Buffer
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := r.Exec(ctx, "echo before; echo x >ready; ./program hostile linger lock", &out)
		done <- err
	})
	defer wg.Wait()
	in(t, r, "cat ready; while ! test -e lock; do :; done")
	cancel(stopped)
	if err := <-done; !errors.Is(err, stopped) {
		t.Errorf("err = %v", err)
	}
	if !strings.Contains(out.String(), "before") {
		t.Errorf("what it had printed is lost: %q", out.String())
	}
	if !free(t, filepath.Join(y.folder, "lock"), unix.LOCK_EX) { // waits until it is gone: it was killed, and dies when the kernel gets to it
		t.Error("its process group is still there")
	}
	if code, _ := in(t, r, "true"); code != 0 {
		t.Error("the room is of no use afterwards")
	}
}

// TestRoomOutputIsNoWayOut: the output file belongs to those inside, who may make a link of it.
func TestRoomOutputIsNoWayOut(t *testing.T) {
	t.Parallel()
	y := newYard(t, Options{})
	r := openRoom(t, y)
	var out bytes.Buffer
	for _, trick := range []string{"ln -sf /etc/passwd", "ln -sf /dev/zero", "f() { rm -f $1; mkfifo $1; }; g() { f $2; }; g x"} {
		out.Reset()
		text := `out=$(ls .fluxway/*.out); ` + strings.Replace(trick, "; g x", `; g x $out`, 1)
		if !strings.Contains(trick, "g x") {
			text += " $out"
		}
		_, err := r.Exec(t.Context(), text, &out)
		if err == nil || out.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", trick, err, out.Len())
		}
	}
}
