package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/sqlite"
	"github.com/fluxway/fluxway/internal/tools"
)

// The bars of the loop.
const (
	turnCPU    = 5.0  // one turn with its tool call, everything on, beside the bare loop: 100 µs where that takes 20
	idleMemory = 10.0 // kB of a conversation that nobody uses
	firstPage  = 20.0 // milliseconds of opening a conversation of ten thousand messages
	turnsOfRun = 20
)

// loopLane measures turns of the native loop with an instant model and one tool call each, with history, events, guard,
// ledger and journal, beside a bare Go loop that writes and reads the same JSON. What a turn costs is what twenty
// cost more than one: accepting a request, its job, its answer and its title are a run's, and shown by themselves.
func loopLane(ctx context.Context, b *bench) error {
	for _, at := range []int{1, 32} {
		wrong := 0
		all, err := b.rotate(
			func() (sample, error) { return turnsBare(b, at) },
			func() (sample, error) { return turnsOurs(ctx, b, at, turnsOfRun, &wrong) },
			func() (sample, error) { return turnsOurs(ctx, b, at, 1, &wrong) },
		)
		if err != nil {
			return err
		}
		bare, long, short := all[0], all[1], all[2]
		turns := make([]float64, len(long))
		for i := range long {
			turns[i] = (turnsOfRun*long[i].perOp() - short[i].perOp()) / (turnsOfRun - 1)
		}
		what := fmt.Sprintf("%d runs at once", at)
		b.judge("turns/s, "+what, "/s", long, bare, sample.perSecond, 0, 0)
		b.compare("CPU of a turn with a tool call, "+what+", beside a bare loop", "µs", turns, values(bare, sample.perOp), turnCPU, 0)
		b.show("CPU of a run of one turn, "+what, "µs", median(values(short, sample.perOp)), 0)
		b.show(fmt.Sprintf("CPU of a run of %d turns by turn, %s", turnsOfRun, what), "µs", median(values(long, sample.perOp)), 0)
		b.must("runs that did not end well, "+what, wrong)
	}
	if err := measureParked(ctx, b); err != nil {
		return err
	}
	return measureLong(ctx, b)
}

// works is a desk with all that stands under it.
type works struct {
	db   *store.DB
	book *conversations.Book
	desk *runs.Desk
	who  conversations.Asker
	stop func()
}

// staff is one agent for everyone.
type staff struct{ agent agents.Agent }

func (s staff) Get(context.Context, ids.Workspace, string) (agents.Agent, error) { return s.agent, nil }

func (s staff) List(context.Context, ids.Workspace) ([]agents.Agent, error) {
	return []agents.Agent{s.agent}, nil
}

// echo is the tool that every turn calls: one that only computes, as the calculator and the clock.
type echo struct{}

// Punctual: it waits for nothing.
func (echo) Punctual() {}

func (echo) Spec() tools.Spec {
	return tools.Spec{Name: "echo", Title: "Echo", Description: "Gives back what it gets.", Level: tools.Public, ReadOnly: true, Repeatable: true,
		Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`)}
}

func (echo) Run(_ context.Context, call tools.Call) (tools.Result, error) {
	return tools.Says(string(call.Args)), nil
}

func newWorks(ctx context.Context, b *bench, model providers.Model) (w *works, err error) {
	engine, err := sqlite.Open(b.benchFile())
	if err != nil {
		return nil, err
	}
	w = &works{who: conversations.Asker{Workspace: ids.New[ids.Workspace](), User: ids.New[ids.User]()}}
	if w.db, err = store.New(store.Options{Engine: engine}); err != nil {
		return nil, err
	}
	if err := w.db.Migrate(ctx); err != nil {
		return nil, err
	}
	hub, err := events.New(events.Options{DB: w.db})
	if err != nil {
		return nil, err
	}
	queue, err := jobs.New(jobs.Options{DB: w.db, Hub: hub, Sole: true})
	if err != nil {
		return nil, err
	}
	if w.book, err = conversations.New(conversations.Options{DB: w.db, Hub: hub}); err != nil {
		return nil, err
	}
	catalogue, err := providers.NewCatalogue(nil)
	if err != nil {
		return nil, err
	}
	journal := filepath.Join(b.dir, fmt.Sprintf("journal-%d", benchFiles.Add(1)))
	ledger, err := costs.New(costs.Options{DB: w.db, Hub: hub, Catalogue: catalogue, Sole: true, Journal: journal})
	if err != nil {
		return nil, err
	}
	box, judge, err := w.toolbox(hub, journal)
	if err != nil {
		return nil, err
	}
	metered := costs.Meter(ledger, "demo", model)
	w.desk, err = runs.New(runs.Options{
		DB: w.db, Hub: hub, Jobs: queue, Conversations: w.book, Tools: box, Concurrency: 4096, Journal: journal,
		Agents: staff{agents.Agent{Name: "assistant", Model: "demo/assistant", Instructions: "You are a helpful assistant.", Tools: tools.All()}},
		Model: func(context.Context, ids.Workspace, string) (providers.Model, string, error) {
			return metered, "assistant", nil
		},
	})
	if err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	for _, run := range []func(context.Context) error{hub.Run, ledger.Run, judge.Run, w.desk.Run, queue.Run} {
		wg.Go(func() { _ = run(running) })
	}
	w.stop = func() { cancel(); wg.Wait(); w.db.Close() }
	return w, nil
}

// toolbox is the one tool behind the guard.
func (w *works) toolbox(hub *events.Hub, journal string) (*tools.Toolbox, *guard.Guard, error) {
	policy := guard.DefaultPolicy()
	policy.Rates = nil
	commands := sync.OnceValues(func() (*guard.Commands, error) {
		return guard.NewCommands(guard.CommandOptions{FS: guard.Disk{}}, "")
	})
	g, err := guard.New(guard.Options{DB: w.db, Hub: hub, Commands: commands, Policy: &policy, Journal: journal})
	if err != nil {
		return nil, nil, err
	}
	box, err := tools.New(tools.Options{Gate: g, Auditor: g})
	if err != nil {
		return nil, nil, err
	}
	return box, g, box.Put("bench", echo{}, asking{})
}

// instant asks for one tool call a turn, and answers in the last turn.
type instant struct{ turns int }

func (m instant) Stream(_ context.Context, req *providers.Request) (providers.Stream, error) {
	return &script{turn: len(req.Messages) / 2, turns: m.turns, tool: "echo"}, nil
}

// script is one answer.
type script struct {
	turn, turns, at int
	tool            string
}

func (s *script) Next(c *providers.Chunk) error {
	s.at++
	last := s.turn == s.turns-1
	switch {
	case s.at == 1:
		*c = providers.Chunk{Kind: providers.ChunkStart, ID: "x", Model: "assistant"}
	case s.at == 2:
		*c = providers.Chunk{Kind: providers.ChunkText, Text: "I go on with the next step of the task. "}
	case s.at == 3 && !last:
		*c = providers.Chunk{Kind: providers.ChunkToolStart, ID: "call_" + strconv.Itoa(s.turn), Name: s.tool}
	case s.at == 4 && !last:
		*c = providers.Chunk{Kind: providers.ChunkToolArgs, Text: `{"n":` + strconv.Itoa(s.turn) + `}`}
	case s.at == 5 && !last:
		*c = providers.Chunk{Kind: providers.ChunkToolEnd}
	case (s.at == 6 && !last) || (s.at == 3 && last):
		*c = providers.Chunk{Kind: providers.ChunkUsage, Usage: providers.Usage{Input: 100, Output: 10}}
	case (s.at == 7 && !last) || (s.at == 4 && last):
		stop := providers.StopTools
		if last {
			stop = providers.StopEnd
		}
		*c = providers.Chunk{Kind: providers.ChunkFinish, Stop: stop}
	default:
		return io.EOF
	}
	return nil
}

func (s *script) Close() error { return nil }

// turnsOurs has many people ask at once, again and again.
func turnsOurs(ctx context.Context, b *bench, at, turns int, wrong *int) (sample, error) {
	w, err := newWorks(ctx, b, instant{turns})
	if err != nil {
		return sample{}, err
	}
	defer w.stop()
	if err := w.ask(ctx, at, time.Now(), 0, nil); err != nil { // warm
		return sample{}, err
	}
	var done atomic.Int64
	began, cpu := time.Now(), ownCPU()
	if err := w.ask(ctx, at, began, b.slice, &done); err != nil {
		return sample{}, err
	}
	s := sample{ops: float64(done.Load() * int64(turns)), cpu: ownCPU() - cpu, wall: time.Since(began)}
	n, err := store.One[int](ctx, w.db.Read(), `SELECT count(*) FROM runs_runs WHERE state <> 'finished' OR turns <> ?`, turns)
	*wrong += n
	return s, err
}

// ask has each of several people ask, wait for the answer, and ask again until the time is over.
func (w *works) ask(ctx context.Context, people int, began time.Time, slice time.Duration, done *atomic.Int64) error {
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	for range people {
		wg.Go(func() {
			for {
				if err := w.one(ctx); err != nil {
					failed.Store(&err)
					return
				}
				if done != nil {
					done.Add(1)
				}
				if time.Since(began) >= slice {
					return
				}
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// one asks and waits for the end.
func (w *works) one(ctx context.Context) error {
	a, err := w.desk.Start(ctx, w.who, runs.Request{Agent: "assistant", Message: "Do the task in twenty steps, please."})
	if err != nil {
		return err
	}
	_, err = w.desk.Wait(ctx, a.Run.ID)
	return err
}

// turnsBare is the floor: the same turns with the request written and the answer read as JSON, and nothing else.
func turnsBare(b *bench, at int) (sample, error) {
	type answer struct {
		Text string          `json:"text"`
		Call string          `json:"call"`
		Args json.RawMessage `json:"args"`
	}
	var turns atomic.Int64
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	began, cpu := time.Now(), ownCPU()
	for range at {
		wg.Go(func() {
			for time.Since(began) < b.slice {
				req := providers.Request{Model: "assistant", System: []providers.Part{providers.Text("You are a helpful assistant.")},
					Messages: []providers.Message{providers.UserText("Do the task in twenty steps, please.")}}
				for n := range turnsOfRun {
					body, err := json.Marshal(&req)
					if err != nil {
						failed.Store(&err)
						return
					}
					var got answer
					reply := `{"text":"I go on with the next step of the task. ","call":"echo","args":{"n":` + strconv.Itoa(n+len(body)-len(body)) + `}}`
					if err := json.Unmarshal([]byte(reply), &got); err != nil {
						failed.Store(&err)
						return
					}
					id := "call_" + strconv.Itoa(n)
					req.Messages = append(req.Messages,
						providers.Message{Role: providers.RoleModel, Parts: []providers.Part{providers.Text(got.Text), {Kind: providers.PartToolCall, ID: id, Name: got.Call, Args: got.Args}}},
						providers.Message{Role: providers.RoleUser, Parts: []providers.Part{providers.ToolResult(id, got.Call, string(got.Args))}})
					turns.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return sample{}, *err
	}
	return sample{ops: float64(turns.Load()), cpu: ownCPU() - cpu, wall: time.Since(began)}, nil
}
