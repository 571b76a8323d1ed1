package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	osexec "os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/scripted"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/toolstest"
)

func TestSteerQueueAndInterrupt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		gate := make(chan struct{})
		slow := toolstest.Tool{Is: toolstest.Echo("slow").Is, Do: func(ctx context.Context, _ tools.Call) (tools.Result, error) {
			select {
			case <-gate:
			case <-ctx.Done():
			}
			return tools.Says("at last"), ctx.Err()
		}}
		m := script(t, turn(calls("slow", nil)), turn(says("In blue.")), turn(says("Queued answer.")), turn(calls("slow", map[string]any{"n": 2})), turn(says("Instead.")))
		p := newPlant(t, db, setup{models: map[string]*scripted.Model{"assistant": m}, tools: []tools.Tool{slow}})
		stop := p.work()
		defer stop()
		a := p.ask("Paint it", "")
		l := p.listen(conversations.Channel(a.Conversation.ID))
		l.until("runs.tool_started")
		start := func(text string, mode runs.Mode) runs.Accepted {
			got, err := p.Start(t.Context(), p.who, runs.Request{Agent: "assistant", Message: text, Conversation: a.Conversation.ID, Mode: mode})
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		if s := start("In blue please", ""); !s.Steered || s.Run.ID != a.Run.ID {
			t.Errorf("steering made %+v", s)
		}
		queued := start("And then this", runs.Queue)
		if queued.Run.State != runs.Queued || queued.Run.Job != "" {
			t.Errorf("queueing made %+v", queued.Run)
		}
		close(gate)
		l.until("runs.finished", of(queued.Run.ID))
		requests := m.Requests()
		if got := requests[1].Messages[len(requests[1].Messages)-1].Text(); got != "In blue please" {
			t.Errorf("the second turn was asked with %q", got)
		}
		var order []string
		for _, s := range p.said(a.Conversation.ID) {
			msg := providers.Message{Parts: s.Parts}
			order = append(order, msg.Text())
		}
		if want := []string{"Paint it", "In blue please", "In blue.", "And then this", "Queued answer."}; !slices.Equal(order, want) {
			t.Errorf("said %q, want %q", order, want)
		}
		gate = make(chan struct{})
		b := start("Go slowly", "")
		l.until("runs.tool_started", of(b.Run.ID))
		c := start("No, this instead", runs.Interrupt)
		l.until("runs.cancelled", of(b.Run.ID))
		l.until("runs.finished", of(c.Run.ID))
		if p.get(b.Run.ID).State != runs.Cancelled {
			t.Errorf("the interrupted run is %s", p.get(b.Run.ID).State)
		}
	})
}

func TestStopIsQuick(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		e := newEffect(true)
		m := script(t, turn(says("I act. "), calls("act", nil)))
		p := newPlant(t, db, setup{models: map[string]*scripted.Model{"assistant": m}, tools: []tools.Tool{e.tool("act")}})
		stop := p.work()
		defer stop()
		a := p.ask("Act", "")
		<-e.started
		l := p.listen(conversations.Channel(a.Conversation.ID))
		began := time.Now()
		if _, err := p.Cancel(t.Context(), p.who, a.Run.ID); err != nil {
			t.Fatal(err)
		}
		l.until("runs.cancelled")
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("stopping took %s", took)
		}
		parts := p.said(a.Conversation.ID)[1].Parts
		if len(parts) != 3 || parts[2].Kind != providers.PartToolResult || !parts[2].IsError {
			t.Errorf("what is kept: %+v", parts)
		}
	})
}

func TestStopEndsTheProcessOfATool(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		pids := make(chan int, 1)
		sleeper := toolstest.Tool{Is: tools.Spec{Name: "sleep", Level: tools.Dangerous, Schema: json.RawMessage(`{"type":"object"}`)},
			Do: func(ctx context.Context, _ tools.Call) (tools.Result, error) {
				cmd := osexec.CommandContext(ctx, "sleep", "60")
				if err := cmd.Start(); err != nil {
					return tools.Result{}, err
				}
				pids <- cmd.Process.Pid
				return tools.Says("slept"), cmd.Wait()
			}}
		m := script(t, turn(calls("delegate", map[string]any{"agent": "sleeper", "task": "Sleep"})))
		p := newPlant(t, db, setup{
			team:   team{"assistant": {Tools: tools.All(), Helpers: []string{"sleeper"}}, "sleeper": {Tools: tools.All()}},
			models: map[string]*scripted.Model{"assistant": m, "sleeper": script(t, turn(calls("sleep", nil)))}, tools: []tools.Tool{sleeper},
		})
		stop := p.work()
		defer stop()
		a := p.ask("Have someone sleep", "")
		pid := <-pids
		l := p.listen(conversations.Channel(a.Conversation.ID))
		if _, err := p.Cancel(t.Context(), p.who, a.Run.ID); err != nil {
			t.Fatal(err)
		}
		l.until("runs.cancelled")
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("the process lives on: %v", err)
		}
		helpers, err := p.Helpers(t.Context(), p.who, a.Run.ID)
		if err != nil || len(helpers) != 1 || helpers[0].State != runs.Cancelled {
			t.Errorf("helpers %+v, %v", helpers, err)
		}
	})
}
