package plugins

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Message is what a hook reads from its standard input, as JSON.
type Message struct {
	Event        Event            `json:"event"`
	Plugin       string           `json:"plugin"`
	Hook         string           `json:"hook"`
	Fluxway      string           `json:"fluxway"` // the version of this program
	Workspace    ids.Workspace    `json:"workspace"`
	User         ids.User         `json:"user,omitempty"`
	Agent        string           `json:"agent,omitempty"`
	Run          ids.Run          `json:"run,omitempty"`
	Parent       ids.Run          `json:"parent,omitempty"` // of a helper: the run it works for
	Conversation ids.Conversation `json:"conversation,omitempty"`
	Door         string           `json:"door,omitempty"`
	Folder       string           `json:"folder,omitempty"` // the project's
	Model        string           `json:"model,omitempty"`
	Asked        string           `json:"asked,omitempty"` // before a run: what it is to do
	Turn         int              `json:"turn,omitempty"`
	Text         string           `json:"text,omitempty"`  // after a turn: what the model said
	Calls        []string         `json:"calls,omitempty"` // after a turn: the tools it asked for
	Tool         *ToolFacts       `json:"tool,omitempty"`
	Result       *ResultFacts     `json:"result,omitempty"` // after a tool
	State        string           `json:"state,omitempty"`  // after a run: finished, failed, cancelled
	Answer       string           `json:"answer,omitempty"` // after a run
	Error        string           `json:"error,omitempty"`  // after a run that failed
	Settings     map[string]any   `json:"settings"`
}

// ToolFacts is a call as a hook sees it.
type ToolFacts struct {
	Name   string          `json:"name"`
	Origin string          `json:"origin"`
	Level  string          `json:"level"`
	Args   json.RawMessage `json:"args"`
}

// ResultFacts is what came of a call.
type ResultFacts struct {
	Text    string `json:"text"`
	IsError bool   `json:"is_error"`
	Code    string `json:"code,omitempty"`
	TookMs  int64  `json:"took_ms"`
}

// hookTable is the hooks of each workspace by event, those of the first plugin first. It does not change.
type hookTable map[ids.Workspace]map[Event][]*bound

// bound is a hook of an enabled plugin.
type bound struct {
	Hook
	plugin *active
	health *health
	held   bool // its plugin gives nothing: it only refuses
}

// tableOf lists the hooks of what is enabled; nil: there are none. A plugin that gives nothing although a person
// enabled it keeps those hooks that must not fail: otherwise touching its files would lift what it forbids.
func tableOf(all map[key]*active, healthOf func(*active) *health) *hookTable {
	t := hookTable{}
	keys := slices.SortedFunc(maps.Keys(all), func(a, b key) int { return cmp.Or(cmp.Compare(a.ws, b.ws), cmp.Compare(a.name, b.name)) })
	for _, k := range keys {
		a := all[k]
		hooks := a.row.Agreed.Hooks
		if a.gives() {
			hooks = a.place.manifest.Hooks
		}
		for _, h := range hooks {
			if !a.gives() && h.OnError != FailClosed {
				continue
			}
			if t[k.ws] == nil {
				t[k.ws] = map[Event][]*bound{}
			}
			t[k.ws][h.Event] = append(t[k.ws][h.Event], &bound{h, a, healthOf(a), !a.gives()})
		}
	}
	if len(t) == 0 {
		return nil
	}
	return &t
}

// matching lists the hooks that are to be called.
func (m *Manager) matching(msg *Message) []*bound {
	t := m.hooks.Load()
	if t == nil {
		return nil
	}
	var list []*bound
	for _, b := range (*t)[msg.Workspace][msg.Event] {
		if !fits(b.Agents, msg.Agent) || msg.Tool != nil && !fits(b.Tools, msg.Tool.Name) {
			continue
		}
		list = append(list, b)
	}
	return list
}

func fits(globs []string, name string) bool {
	return len(globs) == 0 || slices.ContainsFunc(globs, func(g string) bool { ok, err := path.Match(g, name); return ok || err != nil })
}

// Veto is why something may not be done.
type Veto struct {
	Plugin string
	Hook   string
	Reason string
	Failed bool // the hook did not say so: it failed, and its plugin wants that to count as no
}

// Error is the veto as a sentence.
func (v *Veto) Error() string {
	return fmt.Sprintf("The plugin %s does not allow it: %s", v.Plugin, v.Reason)
}

// Fault is the veto as every door shows it.
func (v *Veto) Fault() error {
	f := fault.New(fault.Forbidden, "plugin_refused", "%s", v.Error())
	if v.Failed {
		return f.WithHint("The plugin does not work: fluxway plugins show %s says why, and fluxway plugins disable %s goes on without it.", v.Plugin, v.Plugin)
	}
	return f.WithHint("Do it another way, or ask whoever looks after the plugin %s.", v.Plugin)
}

// Ask calls the hooks that may veto, at the same time. With several vetoes that of the first plugin counts.
func (m *Manager) Ask(ctx context.Context, msg Message) *Veto {
	list := m.matching(&msg)
	vetoes := make([]*Veto, len(list))
	m.each(list, func(i int, b *bound) { vetoes[i] = m.ask(ctx, b, msg) })
	for _, v := range vetoes {
		if v != nil {
			return v
		}
	}
	return nil
}

// Tell calls the hooks that only want to know, and waits for them.
func (m *Manager) Tell(ctx context.Context, msg Message) {
	list := m.matching(&msg)
	m.each(list, func(_ int, b *bound) { m.ask(ctx, b, msg) })
}

func (m *Manager) each(list []*bound, do func(int, *bound)) {
	if len(list) == 1 {
		do(0, list[0])
		return
	}
	var wg sync.WaitGroup
	for i, b := range list {
		wg.Go(func() { do(i, b) })
	}
	wg.Wait()
}

// ask calls one hook and makes of what comes a veto, a failure, or nothing.
func (m *Manager) ask(ctx context.Context, b *bound, msg Message) *Veto {
	veto := &Veto{Plugin: b.plugin.name, Hook: b.Name}
	said, err := m.call(ctx, b, msg)
	switch {
	case err == nil && said.Decision == deny && b.Event.asks():
		veto.Reason = said.Reason
		b.health.worked(b.Name)
		m.say(ctx, b.plugin.ws, Vetoed{b.plugin.name, b.Name, veto.Reason, msg.Run, toolOf(msg)})
		return veto
	case err == nil:
		b.health.worked(b.Name)
		return nil
	}
	f := fault.From(err)
	if context.Cause(ctx) == nil && m.running.Err() == nil && !b.held && !errors.Is(err, errResting) { // else it is not the hook's fault, or known
		b.health.broke(b.Name, time.Now(), m.opts.Rest)
		m.failed(ctx, b.plugin.key, Failure{Hook: b.Name, Code: f.Code, Message: f.Message, Output: said.output, Run: msg.Run})
	}
	if b.OnError == FailOpen {
		return nil
	}
	veto.Failed, veto.Reason = true, f.Message
	return veto
}

func toolOf(msg Message) string {
	if msg.Tool == nil {
		return ""
	}
	return msg.Tool.Name
}

// failuresInARow is how often a hook may fail before it is left alone for a while.
const failuresInARow = 3

// errResting is why a hook that failed again and again is not called.
var errResting = fault.New(fault.Unavailable, "hook_resting", "The hook failed several times in a row and is left alone for a while.")

// health is how the hooks of a plugin fare in a workspace.
type health struct {
	enabled time.Time // of the consent it belongs to

	mu    sync.Mutex // guards hooks
	hooks map[string]*pulse
}

type pulse struct {
	failures int       // in a row
	rests    time.Time // until then it is not called
}

func (h *health) pulse(hook string) *pulse {
	if h.hooks[hook] == nil {
		h.hooks[hook] = &pulse{}
	}
	return h.hooks[hook]
}

func (h *health) worked(hook string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	*h.pulse(hook) = pulse{}
}

func (h *health) broke(hook string, now time.Time, rest time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.pulse(hook)
	if p.failures++; p.failures >= failuresInARow {
		p.rests = now.Add(rest)
	}
}

func (h *health) resting(hook string, now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return now.Before(h.pulse(hook).rests)
}

// sick lists the hooks whose last call failed.
func (h *health) sick() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := []string{}
	for name, p := range h.hooks {
		if p.failures > 0 {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// healthOf keeps how a plugin fares for as long as the same consent holds.
func (m *Manager) healthOf(a *active) *health {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.health[a.key]
	if h == nil || !h.enabled.Equal(a.row.EnabledAt) {
		h = &health{enabled: a.row.EnabledAt, hooks: map[string]*pulse{}}
		m.health[a.key] = h
	}
	return h
}
