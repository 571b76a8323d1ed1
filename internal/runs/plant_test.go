package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/scripted"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/builtin"
	"github.com/fluxway/fluxway/internal/tools/toolstest"
)

// team is agents by name.
type team map[string]agents.Agent

func (t team) Get(_ context.Context, _ ids.Workspace, name string) (agents.Agent, error) {
	a, ok := t[name]
	if !ok {
		return a, fault.New(fault.NotFound, "agent_not_found", "There is no agent %s.", name)
	}
	a.Name = name
	if a.Model == "" {
		a.Model = "scripted/" + name
	}
	return a, nil
}

func (t team) List(ctx context.Context, ws ids.Workspace) ([]agents.Agent, error) {
	var all []agents.Agent
	for name := range t {
		a, err := t.Get(ctx, ws, name)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// plant is a desk whose agents have tools, on a database that survives it.
type plant struct {
	*office
	hub    *events.Hub
	models map[string]*scripted.Model
	guard  *guard.Guard  // nil: nobody is asked about money
	ledger *costs.Ledger // nil: nothing costs anything
}

// setup says what a plant is made of.
type setup struct {
	who    conversations.Asker
	team   team
	models map[string]*scripted.Model // by agent
	gate   tools.Gate
	tools  []tools.Tool
	ledger *costs.Ledger // nil: nothing costs anything
	mind   *mind         // nil: nothing is remembered
	over   func(ids.Workspace, ids.Run)
	asks   bool            // a guard asks people about money
	picker runs.Picker     // nil: the newest messages are taken
	serves providers.Model // answers for all agents; nil: models do
}

func newPlant(t *testing.T, db *store.DB, s setup) *plant {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	hub, err := events.New(events.Options{DB: db})
	must(err)
	queue, err := jobs.New(jobs.Options{DB: db, Hub: hub, Sole: true, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	must(err)
	bodies, err := store.NewBodies(store.BodiesOptions{DB: db})
	must(err)
	book, err := conversations.New(conversations.Options{DB: db, Hub: hub, Bodies: bodies})
	must(err)
	if s.gate == nil {
		s.gate = toolstest.Open()
	}
	box, err := tools.New(tools.Options{Gate: s.gate, Grace: time.Second})
	must(err)
	basics, err := builtin.All(builtin.Options{})
	must(err)
	must(box.Put("builtin", basics...))
	must(box.Put("test", s.tools...))
	if s.team == nil {
		s.team = team{"assistant": {Tools: tools.All()}}
	}
	options := runs.Options{
		DB: db, Hub: hub, Jobs: queue, Conversations: book, Agents: s.team, Tools: box, Journal: journalOf(db), Over: s.over, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Model: func(_ context.Context, _ ids.Workspace, name string) (providers.Model, string, error) {
			if s.serves != nil {
				return s.serves, "m", nil
			}
			m := s.models[strings.TrimPrefix(name, "scripted/")]
			if m == nil {
				return nil, "", fault.New(fault.NotFound, "model_not_found", "There is no model %s.", name)
			}
			if s.ledger != nil {
				return costs.Meter(s.ledger, "openai", m), "gpt-5", nil
			}
			return m, name, nil
		},
	}
	options.Picker = s.picker
	if s.mind != nil {
		options.Recaller, options.Observer = s.mind, s.mind
	}
	var g *guard.Guard
	if s.asks {
		g, err = guard.New(guard.Options{DB: db, Hub: hub, Commands: func() (*guard.Commands, error) { return nil, errors.New("there are no commands here") }})
		must(err)
		options.Overdraw, options.Withdraw = g.Overdraw, g.Withdraw
		if s.ledger != nil {
			s.ledger.OnRoom(g.Room)
		}
	}
	desk, err := runs.New(options)
	must(err)
	if g != nil {
		g.OnAnswer(func(ctx context.Context, tx *store.Tx, a guard.Approval) error { return desk.Wake(ctx, tx, a.Run) })
	}
	if s.who.Workspace == "" {
		s.who = conversations.Asker{Workspace: storetest.Workspace(), User: ids.New[ids.User]()}
	}
	return &plant{&office{desk, t, db, queue, book, s.who}, hub, s.models, g, s.ledger}
}

// work runs the queue and the hub until the returned function is called.
func (p *plant) work() (stop func()) { return p.together(p.Run, p.queue.Run, p.hub.Run) }

// heard is an event as a client gets it.
type heard struct {
	Cursor  int64           `json:"cursor"`
	Channel string          `json:"channel"`
	Kind    string          `json:"kind"`
	Data    json.RawMessage `json:"data"`
}

// listener follows channels from the beginning.
type listener struct {
	t   *testing.T
	sub *events.Subscription
	all []heard
}

func (p *plant) listen(channels ...string) *listener {
	p.t.Helper()
	sub, err := p.hub.Subscribe(p.t.Context(), events.Request{Workspace: p.who.Workspace, Channels: channels, After: new(int64)})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(sub.Close)
	return &listener{t: p.t, sub: sub}
}

// until reads on until an event fits, and gives it.
func (l *listener) until(kind string, fits ...func(heard) bool) heard {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), 20*time.Second)
	defer cancel()
	for from := 0; ; {
		for _, e := range l.all[from:] {
			from++
			if e.Kind == kind && (len(fits) == 0 || fits[0](e)) {
				return e
			}
		}
		batch, err := l.sub.Next(ctx)
		if err != nil {
			l.t.Fatalf("waiting for %s: %v; heard %v", kind, err, l.kinds())
		}
		for _, d := range batch.Deliveries {
			var e heard
			if err := json.Unmarshal(d.JSON, &e); err != nil {
				l.t.Fatal(err)
			}
			l.all = append(l.all, e)
		}
	}
}

func of(run ids.Run) func(heard) bool {
	return func(e heard) bool { return strings.Contains(string(e.Data), `"run":"`+string(run)+`"`) }
}

// kinds are the facts about runs, without those that may be dropped.
func (l *listener) kinds() []string {
	var all []string
	for _, e := range l.all {
		if e.Cursor > 0 && strings.HasPrefix(e.Kind, "runs.") && !strings.Contains(e.Kind, "delta") && !strings.Contains(e.Kind, "progress") {
			all = append(all, strings.TrimPrefix(e.Kind, "runs."))
		}
	}
	return all
}

func script(t *testing.T, turns ...scripted.Turn) *scripted.Model {
	t.Helper()
	m, err := scripted.New(scripted.Script{Turns: turns})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func turn(steps ...scripted.Step) scripted.Turn { return scripted.Turn{Steps: steps} }

func says(text string) scripted.Step { return scripted.Step{Says: text} }

func calls(tool string, args map[string]any) scripted.Step {
	return scripted.Step{Calls: tool, Args: args}
}

// effect is a tool that must not run twice without being asked; it counts and may block.
type effect struct {
	mu      sync.Mutex // guards n
	n       int
	started chan struct{}
	hold    bool // until the context ends
}

func newEffect(hold bool) *effect { return &effect{started: make(chan struct{}, 16), hold: hold} }

func (e *effect) tool(name string) tools.Tool {
	return toolstest.Tool{Is: tools.Spec{Name: name, Title: "Effect", Level: tools.Restricted, Schema: json.RawMessage(`{"type":"object"}`)},
		Do: func(ctx context.Context, _ tools.Call) (tools.Result, error) {
			e.mu.Lock()
			e.n++
			e.mu.Unlock()
			e.started <- struct{}{}
			if e.hold {
				<-ctx.Done()
				return tools.Result{}, ctx.Err()
			}
			return tools.Says("It happened."), nil
		}}
}

func (e *effect) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.n
}
