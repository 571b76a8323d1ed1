package sandbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// controlDir is where a room's commands and their outputs are, in its folder.
const controlDir = ".fluxway"

// keeper is the first program of a room: it starts a command in a session of its own for each line it reads, and says
// when it ends. What a command leaves running goes on until the room is closed.
const keeper = `
while read -r verb n; do
	case $verb in
	run) { setsid sh "$0/$n.sh" >"$0/$n.out" 2>&1 </dev/null & echo "began $n $!"; wait $!; echo "ended $n $?"; } & ;;
	kill) kill -s KILL -- "-$n" 2>/dev/null ;;
	esac
done`

// Room is a sandbox that lasts: commands share its folder, its processes and its loopback.
type Room struct {
	folder string
	orders *os.File // to the keeper
	stop   context.CancelCauseFunc
	done   chan struct{} // closed when all in it has ended
	wg     sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	next    int
	running map[int]*command
	ended   error
}

// command is one that runs in a room.
type command struct {
	group int // of processes; 0: not yet known
	began chan struct{}
	ended chan int
}

// Open makes a room of a job's folder, network and limits. It lasts until it is closed, or this program ends.
func (s *Sandbox) Open(ctx context.Context, job Job) (*Room, error) {
	if err := os.Mkdir(filepath.Join(job.Folder, controlDir), 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("making a place for commands: %w", err)
	}
	in, orders, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	said, out, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close(), orders.Close())
	}
	living, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	r := &Room{folder: job.Folder, orders: orders, stop: stop, done: make(chan struct{}), running: make(map[int]*command)}
	job.Argv, job.Dir = []string{"sh", "-c", keeper, filepath.Join(job.Folder, controlDir)}, job.Folder
	job.Stdin, job.Output = in, out
	r.wg.Go(func() { r.listen(said) })
	r.wg.Go(func() {
		defer close(r.done)
		exit, err := s.Run(living, job)
		if err == nil {
			err = fault.New(fault.Unavailable, "sandbox_ended", "The sandbox ended%s.", by(exit.Limit)).WithHint("Make another with sandbox_initialize.")
		}
		for _, f := range []io.Closer{in, out, orders} {
			_ = f.Close() // nobody is at the other end
		}
		r.end(err)
	})
	// A room that cannot be is noticed with its first command.
	if _, err := r.Exec(ctx, "true", nil); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func by(limit string) string {
	if limit == "" {
		return ""
	}
	return " by the limit on " + strings.ReplaceAll(limit, "_", " ")
}

// Close ends everything in the room.
func (r *Room) Close() {
	r.stop(fault.New(fault.Unavailable, "sandbox_ended", "The sandbox was stopped.").WithHint("Make another with sandbox_initialize."))
	r.wg.Wait()
}

// Done is closed when the room has ended.
func (r *Room) Done() <-chan struct{} { return r.done }

func (r *Room) end(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = err
	for _, c := range r.running {
		close(c.ended)
	}
	r.running = map[int]*command{}
}

// listen hears what the keeper says. Anyone inside can talk in its place, so nothing here is believed beyond the room.
func (r *Room) listen(said *os.File) {
	defer said.Close()
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		var verb string
		var n, value int
		if _, err := fmt.Sscanf(lines.Text(), "%s %d %d", &verb, &n, &value); err != nil {
			continue
		}
		r.mu.Lock()
		c := r.running[n]
		switch {
		case c == nil:
		case verb == "began" && c.group == 0 && value > 1:
			c.group = value
			close(c.began)
		case verb == "ended":
			delete(r.running, n)
			c.ended <- value
			close(c.ended)
		}
		r.mu.Unlock()
	}
}

// Exec runs a shell command in the room's folder and writes what it printed when it has ended. When ctx ends first,
// the command is ended with its process group; what left that goes on.
func (r *Room) Exec(ctx context.Context, text string, output io.Writer) (Exit, error) {
	r.mu.Lock()
	if r.ended != nil {
		r.mu.Unlock()
		return Exit{}, r.ended
	}
	r.next++
	n := r.next
	c := &command{began: make(chan struct{}), ended: make(chan int, 1)}
	r.running[n] = c
	r.mu.Unlock()
	root, err := os.OpenRoot(r.folder)
	if err != nil {
		return Exit{}, fmt.Errorf("opening the sandbox's folder: %w", err)
	}
	defer root.Close()
	base := controlDir + "/" + strconv.Itoa(n)
	if err := root.WriteFile(base+".sh", []byte(text), 0o600); err != nil {
		return Exit{}, fmt.Errorf("writing a command: %w", err)
	}
	defer func() {
		_ = root.Remove(base + ".sh") // they go with the folder at the latest
		_ = root.Remove(base + ".out")
	}()
	if _, err := fmt.Fprintf(r.orders, "run %d\n", n); err != nil {
		return Exit{}, r.why(err)
	}
	exit, err := r.await(ctx, n, c)
	if output != nil {
		err = errors.Join(err, copyOut(root, base+".out", output))
	}
	return exit, err
}

func (r *Room) await(ctx context.Context, n int, c *command) (Exit, error) {
	select {
	case code, ok := <-c.ended:
		if !ok {
			return Exit{}, r.why(nil)
		}
		return Exit{Code: code}, nil
	case <-ctx.Done():
	}
	wait := time.NewTimer(2 * time.Second)
	defer wait.Stop()
	select {
	case <-c.began:
		r.mu.Lock()
		group := c.group
		r.mu.Unlock()
		_, _ = fmt.Fprintf(r.orders, "kill %d\n", group) // a room that has ended has killed it
		select {
		case <-c.ended:
		case <-wait.C:
		}
	case <-wait.C:
	}
	r.mu.Lock()
	delete(r.running, n)
	r.mu.Unlock()
	return Exit{}, context.Cause(ctx)
}

// why is the reason that the room has ended, or the error itself if it has not.
func (r *Room) why(err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended != nil {
		return r.ended
	}
	return err
}

// copyOut copies what a command printed. The file is the room's: it may have been made anything, and is opened below the folder
// only, without waiting, and only if it is a plain file.
func copyOut(root *os.Root, name string, to io.Writer) error {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("opening the output: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return fault.New(fault.Conflict, "output_lost", "The command made something else of its output file.")
	}
	_, err = io.Copy(to, f)
	return err
}
