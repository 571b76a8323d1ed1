package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/safenet"
	"github.com/fluxway/fluxway/internal/tools/sandbox"
)

// Options are what a Browser needs.
type Options struct {
	Program string           // of Chromium; "": found by its usual names
	Sandbox *sandbox.Sandbox // nil: Chromium has only its own
	// Unconfined lets it run as root where nothing confines it.
	Unconfined bool
	Net        *safenet.Dialer // required: how pages reach anything
	// Reach says whether pages of a workspace may talk to a host; nil: to all that Net dials.
	Reach  func(ctx context.Context, ws ids.Workspace, host, port string) error
	Folder string        // where profiles are made, emptied when the first browser starts; "": the system's for temporary files
	Idle   time.Duration // after which a run's pages are closed; 0: 5 min
	Linger time.Duration // how long the browser stays without any; 0: 1 min
	Log    *slog.Logger  // nil: silent
}

// Owner is whose pages they are. Owners share nothing: no cookies, no storage, no connections.
type Owner struct {
	Workspace ids.Workspace
	Name      string // of the run, or whatever stands for it
}

// maxTabs bounds how many owners have pages at once.
const maxTabs = 32

// Browser is a Chromium that is started when somebody needs it.
type Browser struct {
	opts Options
	log  *slog.Logger
	wg   sync.WaitGroup

	starting chan struct{} // held while a browser or a context is made

	mu     sync.Mutex // guards the fields below
	proc   *process   // nil: none runs
	tabs   map[Owner]*Tab
	linger *time.Timer
	swept  bool
	closed bool
}

// New checks the options. Nothing is looked for or started.
func New(opts Options) (*Browser, error) {
	if opts.Net == nil {
		return nil, errors.New("browser: Options.Net is nil")
	}
	opts.Idle, opts.Linger = cmp.Or(opts.Idle, 5*time.Minute), cmp.Or(opts.Linger, time.Minute)
	if opts.Reach == nil {
		opts.Reach = func(context.Context, ids.Workspace, string, string) error { return nil }
	}
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Browser{opts: opts, log: log, starting: make(chan struct{}, 1), tabs: make(map[Owner]*Tab)}, nil
}

// Run ends what was started when ctx ends.
func (b *Browser) Run(ctx context.Context) error {
	<-ctx.Done()
	b.Close()
	return nil
}

// Close ends the browser and all pages; nothing can be opened afterwards.
func (b *Browser) Close() {
	b.mu.Lock()
	b.closed = true
	tabs, proc := b.tabs, b.proc
	b.tabs, b.proc = map[Owner]*Tab{}, nil
	if b.linger != nil {
		b.linger.Stop()
	}
	b.mu.Unlock()
	for _, t := range tabs {
		t.proxy.close()
	}
	if proc != nil {
		proc.stop(errors.New("the server stops"))
		<-proc.done
	}
	b.wg.Wait()
}

// RunOver closes the pages of a run that is over, without waiting for it.
func (b *Browser) RunOver(ws ids.Workspace, run ids.Run) {
	b.Forget(Owner{Workspace: ws, Name: string(run)})
}

// Forget closes the pages of an owner who is done, without waiting for it.
func (b *Browser) Forget(who Owner) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := b.tabs[who]; t != nil && !b.closed {
		b.wg.Go(func() { b.drop(t) })
	}
}

// Opened reports whether an owner has a page open, in a browser that runs.
func (b *Browser) Opened(who Owner) bool {
	b.mu.Lock()
	t := b.tabs[who]
	b.mu.Unlock()
	if t == nil || t.proc.gone() != nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.used
}

// Tab gives an owner's pages to one caller at a time; release gives them back.
func (b *Browser) Tab(ctx context.Context, who Owner) (t *Tab, release func(), err error) {
	for {
		if t, err = b.open(ctx, who); err != nil {
			return nil, nil, err
		}
		select {
		case t.turn <- struct{}{}:
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
		b.mu.Lock()
		mine := b.tabs[who] == t
		b.mu.Unlock()
		if mine {
			t.idle.Stop()
			return t, func() { t.idle.Reset(b.opts.Idle); <-t.turn }, nil
		}
		<-t.turn // it was closed while we waited
	}
}

// open finds the owner's tab, or makes one.
func (b *Browser) open(ctx context.Context, who Owner) (*Tab, error) {
	select {
	case b.starting <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-b.starting }()
	b.mu.Lock()
	t, n, closed := b.tabs[who], len(b.tabs), b.closed
	b.mu.Unlock()
	switch {
	case closed:
		return nil, fault.New(fault.Unavailable, "browser_closed", "The server is stopping.")
	case t != nil && t.proc.gone() == nil:
		return t, nil
	case t != nil:
		b.drop(t)
	case n >= maxTabs:
		return nil, fault.New(fault.Unavailable, "browser_busy", "%d runs have pages open, which is the most there may be.", n).WithHint("Try again when one of them has ended.")
	}
	proc, err := b.process(ctx)
	if err != nil {
		return nil, err
	}
	if t, err = b.newTab(ctx, proc, who); err != nil {
		return nil, proc.explain(ctx, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.linger != nil {
		b.linger.Stop()
	}
	b.tabs[who] = t
	t.idle = time.AfterFunc(b.opts.Idle, func() { b.idle(t) })
	return t, nil
}

// idle closes a tab that nobody uses; one in use is given another while when it is released.
func (b *Browser) idle(t *Tab) {
	select {
	case t.turn <- struct{}{}:
		b.drop(t)
		<-t.turn
	default:
	}
}

// drop forgets a tab and closes its pages.
func (b *Browser) drop(t *Tab) {
	b.mu.Lock()
	if b.tabs[t.owner] != t {
		b.mu.Unlock()
		return
	}
	delete(b.tabs, t.owner)
	if len(b.tabs) == 0 && !b.closed {
		b.linger = time.AfterFunc(b.opts.Linger, b.quit)
	}
	b.mu.Unlock()
	t.idle.Stop()
	t.dispose()
}

// quit ends a browser without pages.
func (b *Browser) quit() {
	b.mu.Lock()
	proc := b.proc
	if len(b.tabs) > 0 || proc == nil {
		b.mu.Unlock()
		return
	}
	b.proc = nil
	b.mu.Unlock()
	proc.stop(errors.New("nobody uses the browser"))
}

// process gives the running browser or starts one; the caller holds starting.
func (b *Browser) process(ctx context.Context) (*process, error) {
	b.mu.Lock()
	proc, sweep := b.proc, !b.swept
	b.mu.Unlock()
	if proc != nil && proc.gone() == nil {
		return proc, nil
	}
	if b.opts.Folder != "" {
		if sweep { // what a server that was killed left behind
			if err := os.RemoveAll(b.opts.Folder); err != nil {
				return nil, fmt.Errorf("emptying the folder of browsers: %w", err)
			}
		}
		if err := os.MkdirAll(b.opts.Folder, 0o700); err != nil {
			return nil, fmt.Errorf("making the folder of browsers: %w", err)
		}
	}
	proc, err := b.start(ctx)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.swept = true
	if b.closed {
		proc.stop(errors.New("the server stops"))
		return nil, fault.New(fault.Unavailable, "browser_closed", "The server is stopping.")
	}
	b.proc = proc
	return proc, nil
}
