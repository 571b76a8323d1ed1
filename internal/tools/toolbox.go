package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/suggest"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools/sandbox"
)

// Options are what a Toolbox needs.
type Options struct {
	Gate    Gate          // nil: only public tools that look may run
	Auditor Auditor       // nil: no journal
	DB      *store.DB     // with Bodies; nil: outputs that are cut are not kept
	Bodies  *store.Bodies // keeps what was cut
	Grace   time.Duration // how long a tool may go on after its time is up; 0: 5 s
	// Patience is how long the gate may take; then the call is refused. 0: 10 s. One that Warms may take six times as long
	// before, since many wait for that at once and may be on a busy machine.
	Patience time.Duration
	// Isolation says what confines the programs that tools run; nil: nobody knows.
	Isolation func() Isolation
	Log       *slog.Logger // nil: silent
}

// Isolation is what confines the programs that tools run, and what does not.
type Isolation = sandbox.Isolation

// Isolation says what holds on this machine; the first time it is tried out. It is empty where no tool runs programs.
func (b *Toolbox) Isolation() Isolation {
	if b.opts.Isolation == nil {
		return Isolation{}
	}
	return b.opts.Isolation()
}

// Toolbox holds every tool and is the only way to run one.
type Toolbox struct {
	opts     Options
	log      *slog.Logger
	punctual bool           // the gate is
	warms    Warms          // the gate, if it does
	wg       sync.WaitGroup // calls that are running, also those nobody waits for any more
	waits    sync.Pool      // of *wait that nobody uses

	mu    sync.RWMutex // guards the fields below
	tools map[string]*entry
	own   map[ids.Workspace]map[string]*entry // tools that only one workspace has
}

// entry is a tool with what was worked out when it was put in.
type entry struct {
	tool     Tool
	spec     Spec
	args     *shape
	punctual bool
	late     *fault.Fault // of a call that took too long
}

// New makes an empty toolbox.
func New(opts Options) (*Toolbox, error) {
	if (opts.DB == nil) != (opts.Bodies == nil) {
		return nil, errors.New("tools: Options.DB and Options.Bodies go together")
	}
	if opts.Gate == nil {
		opts.Gate = closed{}
	}
	opts.Grace = cmp.Or(opts.Grace, 5*time.Second)
	opts.Patience = cmp.Or(opts.Patience, 10*time.Second)
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	_, punctual := opts.Gate.(Punctual)
	warms, _ := opts.Gate.(Warms)
	return &Toolbox{
		opts: opts, log: log, punctual: punctual, warms: warms, waits: sync.Pool{New: newWait},
		tools: make(map[string]*entry), own: make(map[ids.Workspace]map[string]*entry),
	}, nil
}

// Put makes these the tools of an origin for everyone, replacing what it had; none removes them. A name that
// another origin has, a schema that cannot be read or a level that does not exist changes nothing.
func (b *Toolbox) Put(origin string, list ...Tool) error {
	fresh, err := prepareAll(origin, list)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for name := range fresh {
		if old, ok := b.tools[name]; ok && old.spec.Origin != origin {
			return nameTaken(name, old.spec.Origin)
		}
	}
	maps.DeleteFunc(b.tools, func(_ string, e *entry) bool { return e.spec.Origin == origin })
	maps.Copy(b.tools, fresh)
	return nil
}

// PutIn is Put for the tools that only one workspace has. Everyone's tools come first: a name
// that one of them has is taken.
func (b *Toolbox) PutIn(ws ids.Workspace, origin string, list ...Tool) error {
	fresh, err := prepareAll(origin, list)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	own := b.own[ws]
	for name := range fresh {
		if old, ok := b.tools[name]; ok {
			return nameTaken(name, old.spec.Origin)
		}
		if old, ok := own[name]; ok && old.spec.Origin != origin {
			return nameTaken(name, old.spec.Origin)
		}
	}
	maps.DeleteFunc(own, func(_ string, e *entry) bool { return e.spec.Origin == origin })
	if own == nil && len(fresh) > 0 {
		own = make(map[string]*entry, len(fresh))
		b.own[ws] = own
	}
	maps.Copy(own, fresh)
	if len(own) == 0 {
		delete(b.own, ws)
	}
	return nil
}

func prepareAll(origin string, list []Tool) (map[string]*entry, error) {
	fresh := make(map[string]*entry, len(list))
	for _, t := range list {
		e, err := prepare(origin, t)
		if err != nil {
			return nil, err
		}
		if _, twice := fresh[e.spec.Name]; twice {
			return nil, nameTaken(e.spec.Name, origin)
		}
		fresh[e.spec.Name] = e
	}
	return fresh, nil
}

func prepare(origin string, t Tool) (*entry, error) {
	spec := t.Spec()
	spec.Origin = origin
	if spec.Name = Normalize(spec.Name); spec.Name == "" {
		return nil, fmt.Errorf("tools: a tool of %s has no name", origin)
	}
	if spec.Level != Public && spec.Level != Restricted && spec.Level != Dangerous {
		return nil, fmt.Errorf("tools: %s of %s has the unknown level %q", spec.Name, origin, spec.Level)
	}
	spec.Timeout = cmp.Or(spec.Timeout, DefaultTimeout)
	spec.MaxOutput = cmp.Or(spec.MaxOutput, DefaultOutput)
	args, err := newShape(spec.Schema, spec.Defaults)
	if err != nil {
		return nil, fmt.Errorf("tools: the schema of %s of %s: %w", spec.Name, origin, err)
	}
	spec.Schema = args.text
	e := &entry{tool: t, spec: spec, args: args}
	_, e.punctual = t.(Punctual)
	e.late = fault.New(fault.Timeout, "tool_timeout", "%s took longer than %s and was stopped.", spec.Name, spec.Timeout).WithHint("Ask for less at once.")
	return e, nil
}

func nameTaken(name, origin string) error {
	return fault.New(fault.Conflict, "tool_name_taken", "A tool called %s exists already, from %s.", name, origin).
		WithHint("Give the tool another name, or its server a prefix.")
}

// For gives an agent its tools among those that everyone has; nothing else can be called through the belt.
func (b *Toolbox) For(f Filter) (*Belt, error) { return b.In("", f) }

// In gives an agent its tools among everyone's and those of its workspace.
func (b *Toolbox) In(ws ids.Workspace, f Filter) (*Belt, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	return &Belt{box: b, ws: ws, filter: f}, nil
}

// Wait returns when no tool is running any more, or ctx ends.
func (b *Toolbox) Wait(ctx context.Context) error {
	done := make(chan struct{})
	var waiter sync.WaitGroup
	waiter.Go(func() { b.wg.Wait(); close(done) })
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Belt is the part of a toolbox that one agent has.
type Belt struct {
	box    *Toolbox
	ws     ids.Workspace // "": only what everyone has
	filter Filter
	extra  map[string]*entry // tools that only this belt has, whatever the filter says
}

// With is the belt and some tools that only it has, such as those that hand work to another agent. They
// hide others of the same name and take the same road: checked, judged and journalled.
func (t *Belt) With(origin string, list ...Tool) (*Belt, error) {
	extra, err := prepareAll(origin, list)
	if err != nil {
		return nil, err
	}
	maps.Copy(extra, t.extra)
	return &Belt{box: t.box, ws: t.ws, filter: t.filter, extra: extra}, nil
}

// Specs lists the belt's tools by name.
func (t *Belt) Specs() []Spec {
	t.box.mu.RLock()
	defer t.box.mu.RUnlock()
	var list []Spec
	for _, e := range t.each() {
		list = append(list, e.spec)
	}
	slices.SortFunc(list, func(a, b Spec) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// each goes through the belt's own tools, everyone's and those of the workspace, as far as the filter lets them
// through and no other hides them; the caller holds the lock.
func (t *Belt) each() iter.Seq2[string, *entry] {
	return func(yield func(string, *entry) bool) {
		for name, e := range t.extra {
			if !yield(name, e) {
				return
			}
		}
		for name, e := range t.box.tools {
			if _, hidden := t.extra[name]; !hidden && t.filter.Has(name) && !yield(name, e) {
				return
			}
		}
		for name, e := range t.box.own[t.ws] {
			_, hidden := t.box.tools[name]
			_, mine := t.extra[name]
			if !hidden && !mine && t.filter.Has(name) && !yield(name, e) {
				return
			}
		}
	}
}

// Spec finds one tool of the belt.
func (t *Belt) Spec(name string) (Spec, error) {
	e, err := t.find(name)
	if err != nil {
		return Spec{}, err
	}
	return e.spec, nil
}

// find treats a tool that exists and is not the agent's like one that does not exist.
func (t *Belt) find(name string) (*entry, error) {
	t.box.mu.RLock()
	defer t.box.mu.RUnlock()
	normal := Normalize(name)
	if e, ok := t.extra[normal]; ok {
		return e, nil
	}
	e, ok := t.box.tools[normal]
	if !ok {
		e, ok = t.box.own[t.ws][normal]
	}
	if ok && t.filter.Has(normal) {
		return e, nil
	}
	var names []string
	for n := range t.each() {
		names = append(names, n)
	}
	slices.Sort(names)
	f := fault.New(fault.NotFound, "tool_not_found", "There is no tool called %q.", normal).WithParam("tool")
	if close, ok := suggest.Closest(normal, names); ok {
		return nil, f.WithHint("Did you mean %s?", close)
	}
	if len(names) == 0 {
		return nil, f.WithHint("No tools are available here; answer without them.")
	}
	return nil, f.WithHint("Available: %s.", list(names, 40))
}

func list(names []string, most int) string {
	rest := ""
	if len(names) > most {
		rest = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	out := ""
	for i, n := range names {
		if i > 0 {
			out += ", "
		}
		out += n
	}
	return out + rest
}
