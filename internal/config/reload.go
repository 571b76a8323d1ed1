package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settleTime is how long a file must rest before it is read: editors write in steps.
const settleTime = 150 * time.Millisecond

// Diff is one setting that changed; secrets are hidden.
type Diff struct {
	Key    string `json:"key"`
	Old    string `json:"old"`
	New    string `json:"new"`
	Origin Origin `json:"origin"`
}

// Change is what differs between the running settings and those just read.
type Change struct {
	Live         []Diff `json:"live"`          // in effect now
	NeedsRestart []Diff `json:"needs_restart"` // in effect after a restart
}

// State is what a Reloader knows at a moment.
type State struct {
	Running  Config   // what is in effect
	Loaded   *Loaded  // what was read last and is valid
	Pending  []Diff   // what a restart would bring
	Problems Problems // of the last attempt to read; empty if it went well
}

// ReloaderOptions say what to watch.
type ReloaderOptions struct {
	Sources Sources      // required: the same that Load was given
	Loaded  *Loaded      // required: what Load gave
	Log     *slog.Logger // nil: silent
}

// Reloader reads the settings again when they change and passes on what may
// change live. It is the one holder of the running settings.
type Reloader struct {
	src  Sources
	log  *slog.Logger
	turn chan struct{} // holds one token: reloads and saves happen one after the other

	watching chan struct{} // closed once Run hears of changes
	made     chan struct{} // Save wrote the file, perhaps for the first time

	mu    sync.Mutex // guards the fields below
	state State
	subs  []func(context.Context, Config)
}

// NewReloader checks its options; Run watches the files.
func NewReloader(opts ReloaderOptions) (*Reloader, error) {
	if opts.Loaded == nil {
		return nil, errors.New("config: ReloaderOptions.Loaded is nil")
	}
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	r := &Reloader{src: opts.Sources, log: log, turn: make(chan struct{}, 1), watching: make(chan struct{}), made: make(chan struct{}, 1)}
	r.turn <- struct{}{}
	r.state = State{Running: opts.Loaded.Config, Loaded: opts.Loaded}
	return r, nil
}

// Subscribe calls f with the running settings whenever live ones changed, in
// order. f must be quick and must not call Reload or Save.
func (r *Reloader) Subscribe(f func(context.Context, Config)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.subs = append(r.subs, f)
}

// State is the settings in effect and what waits for a restart.
func (r *Reloader) State() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// Reload reads all sources again. If they are not valid nothing changes, and
// the error is the Problems.
func (r *Reloader) Reload(ctx context.Context) (Change, error) {
	if err := r.enter(ctx); err != nil {
		return Change{}, err
	}
	defer r.leave()
	l, err := Load(r.src)
	if err != nil {
		r.failed(err)
		return Change{}, err
	}
	return r.apply(ctx, l), nil
}

func (r *Reloader) enter(ctx context.Context) error {
	select {
	case <-r.turn:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *Reloader) leave() { r.turn <- struct{}{} }

func (r *Reloader) failed(err error) {
	var problems Problems
	if !errors.As(err, &problems) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Problems = problems
}

// apply makes the live part of l run and tells the subscribers.
func (r *Reloader) apply(ctx context.Context, l *Loaded) Change {
	r.mu.Lock()
	change := compare(&r.state.Running, l)
	running := r.state.Running
	for _, f := range Fields() {
		if f.Live {
			f.of(&running).Set(f.of(&l.Config))
		}
	}
	r.state = State{Running: running, Loaded: l, Pending: change.NeedsRestart}
	subs := slices.Clone(r.subs)
	r.mu.Unlock()
	if len(change.Live) > 0 {
		for _, f := range subs {
			f(ctx, running)
		}
	}
	return change
}

// compare lists the settings in which l differs from the running ones.
func compare(running *Config, l *Loaded) Change {
	var c Change
	was := map[string]leaf{}
	for _, one := range leaves(running) {
		was[one.path] = one
	}
	add := func(f *Field, d Diff) {
		if f.Live {
			c.Live = append(c.Live, d)
		} else {
			c.NeedsRestart = append(c.NeedsRestart, d)
		}
	}
	for _, is := range leaves(&l.Config) {
		old, ok := was[is.path]
		delete(was, is.path)
		if !ok { // of a name that is new
			if shown := is.field.show(is.value); shown != is.field.Default {
				add(is.field, Diff{is.path, "", shown, l.Origins[is.path]})
			}
		} else if !old.equal(is) {
			add(is.field, Diff{is.path, old.field.show(old.value), is.field.show(is.value), l.Origins[is.path]})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(was)) { // settings of names that are gone
		if shown := was[path].field.show(was[path].value); shown != was[path].field.Default {
			add(was[path].field, Diff{path, shown, "", Origin{Source: FromDefault}})
		}
	}
	return c
}

// Run reloads when the settings file or .env changes, until ctx ends. Folders
// are watched rather than files, because editors replace files by renaming. Only
// in the data folder it is the file, since the database would wake the watch
// with every write; a file that is put there later is read on SIGHUP. Run is
// called once.
func (r *Reloader) Run(ctx context.Context) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		// Too many watchers on the machine is no reason to refuse service: SIGHUP still works.
		r.log.WarnContext(ctx, "settings are not watched; send SIGHUP to reload them", "err", err)
		<-ctx.Done()
		return nil
	}
	defer w.Close()
	names := r.names()
	r.watch(ctx, w, names)
	close(r.watching)
	rest := time.NewTimer(settleTime)
	rest.Stop()
	defer rest.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-w.Events:
			if ok && names[e.Name] && e.Op != fsnotify.Chmod {
				rest.Reset(settleTime)
			}
		case err := <-w.Errors:
			r.log.WarnContext(ctx, "watching settings", "err", err)
		case <-r.made:
			r.watch(ctx, w, names)
		case <-rest.C:
			r.watch(ctx, w, names) // a file that was replaced is another file now
			r.logged(ctx)
		}
	}
}

// names are the files that matter, whether they exist or not.
func (r *Reloader) names() map[string]bool {
	env, _ := readEnvironment(r.src)
	names := map[string]bool{r.State().Loaded.Path: true}
	if r.src.File == "" && r.src.Dir != "" {
		for _, name := range []string{"fluxway.yaml", "fluxway.yml", "fluxway.json"} {
			names[filepath.Join(r.src.Dir, name)] = true
		}
	}
	switch {
	case r.src.DotEnv != "":
		names[absolute(r.src.DotEnv, env.home(), r.src.Dir)] = true
	case r.src.Dir != "":
		names[filepath.Join(r.src.Dir, ".env")] = true
	}
	for name := range maps.Clone(names) {
		names[filepath.Join(filepath.Dir(name), "..data")] = true // Kubernetes swaps this link when a mounted file changes
	}
	return names
}

// watch adds what is to be watched; adding again does nothing.
func (r *Reloader) watch(ctx context.Context, w *fsnotify.Watcher, names map[string]bool) {
	targets := map[string]bool{}
	for name := range names {
		if dir := filepath.Dir(name); dir != r.State().Running.Data {
			name = dir
		}
		targets[name] = true
	}
	for target := range targets {
		if err := w.Add(target); err != nil && !errors.Is(err, fs.ErrNotExist) {
			r.log.WarnContext(ctx, "settings are not watched; send SIGHUP to reload them", "path", target, "err", err)
		}
	}
}

// logged reloads and says what came of it.
func (r *Reloader) logged(ctx context.Context) {
	change, err := r.Reload(ctx)
	var problems Problems
	switch {
	case errors.As(err, &problems):
		for _, p := range problems {
			r.log.ErrorContext(ctx, "new settings are not valid; the old ones stay", "problem", p.String())
		}
	case err != nil:
		r.log.ErrorContext(ctx, "settings not reloaded", "err", err)
	}
	for _, d := range change.Live {
		r.log.InfoContext(ctx, "setting changed", "key", d.Key, "old", d.Old, "new", d.New)
	}
	for _, d := range change.NeedsRestart {
		r.log.WarnContext(ctx, "setting needs a restart", "key", d.Key, "running", d.Old, "new", d.New)
	}
}

// String is the change in a line for a log or terminal.
func (c Change) String() string {
	return fmt.Sprintf("%d in effect, %d after a restart", len(c.Live), len(c.NeedsRestart))
}
