package builtin

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/sandbox"
)

const (
	maxRooms     = 16 // at once
	maxOwnRooms  = 3  // of one conversation
	roomLife     = 30 * time.Minute
	longestLife  = 240 // minutes
	roomsTimeout = longestCommand + time.Minute
)

// RoomsOptions are what Rooms need.
type RoomsOptions struct {
	Sandbox *sandbox.Sandbox // required
	Folder  string           // where sandboxes have their files, emptied when the first is made; "": the system's for temporary files
	Log     *slog.Logger     // nil: silent
}

// Rooms are the sandboxes that last longer than a call: each belongs to a conversation, and ends when nobody used it for a while.
type Rooms struct {
	opts RoomsOptions
	log  *slog.Logger

	mu     sync.Mutex // guards the fields below
	rooms  map[string]*room
	swept  bool
	closed bool
}

// room is one of them.
type room struct {
	*sandbox.Room
	name   string
	owner  owner
	folder string
	life   time.Duration
	idle   *time.Timer
	busy   int // commands that run; guarded by Rooms.mu
}

// owner is the conversation, or the run, that a room belongs to.
type owner struct {
	workspace ids.Workspace
	scope     string
}

func ownerOf(call tools.Call) owner {
	return owner{call.Workspace, cmp.Or(call.Scope(), string(call.User))}
}

// NewRooms checks the options; nothing is made yet.
func NewRooms(opts RoomsOptions) (*Rooms, error) {
	if opts.Sandbox == nil {
		return nil, errors.New("builtin: RoomsOptions.Sandbox is nil")
	}
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Rooms{opts: opts, log: log, rooms: make(map[string]*room)}, nil
}

// Run ends all sandboxes when ctx ends.
func (r *Rooms) Run(ctx context.Context) error {
	<-ctx.Done()
	r.Close()
	return nil
}

// Close ends all sandboxes; none can be made afterwards.
func (r *Rooms) Close() {
	r.mu.Lock()
	all := r.rooms
	r.rooms, r.closed = map[string]*room{}, true
	r.mu.Unlock()
	for _, one := range all {
		r.end(one)
	}
}

func (r *Rooms) end(one *room) {
	one.idle.Stop()
	one.Room.Close()
	if err := os.RemoveAll(one.folder); err != nil {
		r.log.Warn("a sandbox's folder could not be removed", "part", "tools", "err", err)
	}
}

// scratch makes an empty folder.
func (r *Rooms) scratch(prefix string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opts.Folder != "" && !r.swept {
		if err := os.RemoveAll(r.opts.Folder); err != nil { // what a server that was killed left behind
			return "", fmt.Errorf("emptying the folder of sandboxes: %w", err)
		}
		if err := os.MkdirAll(r.opts.Folder, 0o700); err != nil {
			return "", fmt.Errorf("making the folder of sandboxes: %w", err)
		}
		r.swept = true
	}
	dir, err := os.MkdirTemp(r.opts.Folder, prefix)
	if err != nil {
		return "", fmt.Errorf("making a folder for a sandbox: %w", err)
	}
	return filepath.EvalSymlinks(dir)
}

// make makes a room.
func (r *Rooms) make(ctx context.Context, who owner, network bool, life time.Duration) (*room, error) {
	r.mu.Lock()
	own, total, closed := 0, len(r.rooms), r.closed
	for _, one := range r.rooms {
		if one.owner == who {
			own++
		}
	}
	r.mu.Unlock()
	switch {
	case closed:
		return nil, fault.New(fault.Unavailable, "sandbox_ended", "The server is stopping.")
	case own >= maxOwnRooms:
		return nil, fault.New(fault.Exhausted, "too_many_sandboxes", "This conversation has %d sandboxes, which is the most it may have.", own).WithHint("Use one of them, or end one with sandbox_stop.")
	case total >= maxRooms:
		return nil, fault.New(fault.Unavailable, "too_many_sandboxes", "There are %d sandboxes, which is the most there may be.", total).WithHint("Try again later, or use run_code.")
	}
	name := "sbx_" + strings.ToLower(rand.Text()[:12])
	folder, err := r.scratch(name + "-")
	if err != nil {
		return nil, err
	}
	made, err := r.opts.Sandbox.Open(ctx, sandbox.Job{Folder: folder, Network: network})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	one := &room{Room: made, name: name, owner: who, folder: folder, life: life}
	one.idle = time.AfterFunc(life, func() { r.idle(one) })
	r.mu.Lock()
	late := r.closed
	if !late {
		r.rooms[name] = one
	}
	r.mu.Unlock()
	if late {
		r.end(one)
		return nil, fault.New(fault.Unavailable, "sandbox_ended", "The server is stopping.")
	}
	return one, nil
}

// idle ends a room that nobody uses.
func (r *Rooms) idle(one *room) {
	r.mu.Lock()
	busy := one.busy > 0
	if !busy {
		delete(r.rooms, one.name)
	}
	r.mu.Unlock()
	if !busy { // else its time begins again when the command has ended
		r.end(one)
	}
}

// use finds a room of the caller's; done says that it is used no more.
func (r *Rooms) use(who owner, name string) (one *room, done func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	one = r.rooms[name]
	if one == nil || one.owner != who {
		return nil, nil, fault.New(fault.NotFound, "sandbox_not_found", "There is no sandbox %q here.", name).WithParam("sandbox").
			WithHint("It may have ended because nobody used it; make another with sandbox_initialize.")
	}
	one.busy++
	one.idle.Stop()
	return one, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		one.busy--
		one.idle.Reset(one.life)
	}, nil
}

// remove ends a room of the caller's.
func (r *Rooms) remove(who owner, name string) error {
	one, done, err := r.use(who, name)
	if err != nil {
		return err
	}
	done()
	r.mu.Lock()
	_, there := r.rooms[name]
	delete(r.rooms, name)
	r.mu.Unlock()
	if there {
		r.end(one)
	}
	return nil
}

type initArgs struct {
	Minutes int  `json:"minutes"`
	Network bool `json:"network"`
}

type execArgs struct {
	Sandbox string `json:"sandbox"`
	Command string `json:"command"`
	Timeout int    `json:"timeout_seconds"`
}

type stopArgs struct {
	Sandbox string `json:"sandbox"`
}

const sandboxProperty = `"sandbox":{"type":"string","minLength":1,"maxLength":64,"description":"as sandbox_initialize named it"}`

func (r *Rooms) tools(opts Options) []tools.Tool {
	return []tools.Tool{
		define(tools.Spec{Name: "sandbox_initialize", Title: "Make a sandbox", Sandboxed: true, Level: tools.Restricted, Network: opts.CommandNetwork, Means: tools.Arguments{Network: "network"}},
			fmt.Sprintf(`{"minutes":{"type":"integer","minimum":1,"maximum":%d,"description":"after which it ends if nobody uses it; 30 if not given"}%s}`, longestLife, networkProperty(opts)), nil,
			func(ctx context.Context, call tools.Call, a initArgs) (tools.Result, error) {
				one, err := r.make(ctx, ownerOf(call), a.Network, cmp.Or(time.Duration(a.Minutes)*time.Minute, roomLife))
				if err != nil {
					return tools.Result{}, err
				}
				res, err := tools.Gives(map[string]any{"sandbox": one.name, "folder": one.folder, "ends_after_idle_minutes": int(one.life / time.Minute)})
				res.Meta = map[string]any{"isolation": r.opts.Sandbox.Isolation().Mechanism}
				return res, err
			}),
		define(tools.Spec{Name: "sandbox_exec", Title: "Run a command in a sandbox", Sandboxed: true, Level: tools.Dangerous, Network: opts.CommandNetwork, Timeout: roomsTimeout, Means: tools.Arguments{Command: "command"}},
			`{`+sandboxProperty+`,"command":{"type":"string","minLength":1,"maxLength":100000,"description":"for the shell"},"timeout_seconds":{"type":"integer","minimum":1,"maximum":1800,"description":"120 if not given"}}`, []string{"sandbox", "command"},
			func(ctx context.Context, call tools.Call, a execArgs) (tools.Result, error) {
				one, done, err := r.use(ownerOf(call), a.Sandbox)
				if err != nil {
					return tools.Result{}, err
				}
				defer done()
				return finish(ctx, r.opts.Sandbox, call, seconds(a.Timeout), func(ctx context.Context, out *spool) (sandbox.Exit, error) { return one.Exec(ctx, a.Command, out) })
			}),
		define(tools.Spec{Name: "sandbox_stop", Title: "End a sandbox", Level: tools.Restricted, Repeatable: true}, `{`+sandboxProperty+`}`, []string{"sandbox"},
			func(_ context.Context, call tools.Call, a stopArgs) (tools.Result, error) {
				if err := r.remove(ownerOf(call), a.Sandbox); err != nil {
					return tools.Result{}, err
				}
				return tools.Says("The sandbox has ended and its files are gone."), nil
			}),
	}
}
