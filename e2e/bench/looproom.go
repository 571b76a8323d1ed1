package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

// silent is a model that says nothing until it is stopped.
type silent struct{ asked *atomic.Int64 }

func (m silent) Stream(ctx context.Context, _ *providers.Request) (providers.Stream, error) {
	return hush{ctx, m.asked}, nil
}

type hush struct {
	ctx   context.Context
	asked *atomic.Int64
}

func (h hush) Next(*providers.Chunk) error {
	h.asked.Add(1)
	<-h.ctx.Done()
	return h.ctx.Err()
}

func (hush) Close() error { return nil }

// measureParked counts the memory of conversations that nobody uses, of runs that wait for a person and of runs that
// wait for their model.
func measureParked(ctx context.Context, b *bench) error {
	few, many, runCount := 10_000, 100_000, 1_000
	if b.quick {
		few, many, runCount = 1_000, 2_000, 100
	}
	var asked atomic.Int64
	w, err := newWorks(ctx, b, silent{&asked})
	if err != nil {
		return err
	}
	defer w.stop()
	before := heap()
	if err := w.talks(ctx, few); err != nil {
		return err
	}
	b.limit(fmt.Sprintf("memory of an idle conversation, of %d", few), "kB", max(0, heap()-before)/1024/float64(few), 0, idleMemory)
	start := heap()
	for range runCount {
		if _, err := w.desk.Start(ctx, w.who, runs.Request{Agent: "assistant", Message: "Think for a long time."}); err != nil {
			return err
		}
	}
	if err := until(ctx, func() bool { return asked.Load() >= int64(runCount) }); err != nil {
		return err
	}
	b.show(fmt.Sprintf("memory of a running run, of %d beside %d conversations", runCount, few), "kB", max(0, heap()-start)/1024/float64(runCount), 0)
	if err := w.talks(ctx, many-few); err != nil {
		return err
	}
	whole := max(0, heap()-before) / 1024 / float64(many)
	b.limit(fmt.Sprintf("memory of a conversation, of %d with %d running", many, runCount), "kB", whole, 0, idleMemory)
	return measureWaiting(ctx, b, runCount)
}

// talks makes conversations of a question and an answer.
func (w *works) talks(ctx context.Context, count int) error {
	for from := 0; from < count; from += 500 {
		err := w.db.InTx(ctx, func(tx *store.Tx) error {
			for n := range min(500, count-from) {
				c, err := w.book.Open(ctx, tx, w.who, "assistant", fmt.Sprintf("Conversation %d", from+n))
				if err != nil {
					return err
				}
				for _, role := range []providers.Role{providers.RoleUser, providers.RoleModel} {
					_, err := w.book.Add(ctx, tx, conversations.Message{Workspace: w.who.Workspace, Conversation: c.ID, Role: role, Author: "assistant",
						State: conversations.Complete, Parts: []providers.Part{providers.Text("What people and agents say to each other in a line or two of plain text.")}})
					if err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// measureWaiting counts the memory of runs that wait for a person.
func measureWaiting(ctx context.Context, b *bench, count int) error {
	w, err := newWorks(ctx, b, curious{})
	if err != nil {
		return err
	}
	defer w.stop()
	before := heap()
	for range count {
		if _, err := w.desk.Start(ctx, w.who, runs.Request{Agent: "assistant", Message: "Ask me something."}); err != nil {
			return err
		}
	}
	err = until(ctx, func() bool {
		n, err := store.One[int](ctx, w.db.Read(), `SELECT count(*) FROM runs_runs WHERE state = 'waiting'`)
		return err == nil && n == count
	})
	if err != nil {
		return err
	}
	b.limit(fmt.Sprintf("memory of a run that waits for a person, of %d", count), "kB", max(0, heap()-before)/1024/float64(count), 0, idleMemory)
	return nil
}

// until looks again and again; the lane measures memory, not time.
func until(ctx context.Context, done func() bool) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}

// curious is a model that asks the person.
type curious struct{}

func (curious) Stream(context.Context, *providers.Request) (providers.Stream, error) {
	return &script{turns: 2, tool: "ask"}, nil
}

// asking is a tool that needs an answer.
type asking struct{}

func (asking) Spec() tools.Spec {
	return tools.Spec{Name: "ask", Title: "Ask", Description: "Asks the person.", Level: tools.Public, ReadOnly: true, Schema: json.RawMessage(`{"type":"object"}`)}
}

func (asking) Run(context.Context, tools.Call) (tools.Result, error) {
	return tools.Result{Code: "answer_needed", Needs: &tools.Need{Kind: tools.NeedAnswer, Question: "Which one?"}}, nil
}

// heap is what is in use after a collection, stacks included.
func heap() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse)
}

// measureLong opens a conversation of ten thousand messages.
func measureLong(ctx context.Context, b *bench) error {
	count := 10_000
	if b.quick {
		count = 1_000
	}
	w, err := newWorks(ctx, b, instant{1})
	if err != nil {
		return err
	}
	defer w.stop()
	c, err := w.book.Create(ctx, w.who, "assistant", "A long talk")
	if err != nil {
		return err
	}
	for from := 0; from < count; from += 500 {
		err := w.db.InTx(ctx, func(tx *store.Tx) error {
			for n := range 500 {
				role := []providers.Role{providers.RoleUser, providers.RoleModel}[n%2]
				_, err := w.book.Add(ctx, tx, conversations.Message{Workspace: w.who.Workspace, Conversation: c.ID, Role: role, Author: "assistant",
					State: conversations.Complete, Parts: []providers.Part{providers.Text(fmt.Sprintf("Message %d says what messages say, in a line or two of plain text.", from+n))}})
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	var took []float64
	for range b.rounds * 3 {
		began := time.Now()
		list, err := w.book.Messages(ctx, w.who, c.ID, page.Query{Limit: 50})
		if err != nil || len(list.Data) != 50 {
			return fmt.Errorf("%d messages: %w", len(list.Data), err)
		}
		took = append(took, float64(time.Since(began).Microseconds())/1000)
	}
	b.limit(fmt.Sprintf("first page of %d messages", count), "ms", median(took), 0, firstPage)
	return nil
}
