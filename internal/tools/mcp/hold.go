package mcp

import (
	"context"
	"errors"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools"
)

// holdTime is how long a call is kept open for a person's answer.
const holdTime = time.Hour

// callKey is where a held call is found again: calls have ids of their own within a run.
type callKey struct {
	run ids.Run
	id  string
}

// held is a call that goes on while the run it belongs to waits for a person. The server's question is put to the run as
// a need of the call; the run is free to end its process meanwhile, which ends the call.
type held struct {
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the call has ended; then the next two are set
	result *sdk.CallToolResult
	err    error
	asks   chan asked // what the server wants to know next
	first  string     // an answer that was given before the call was made again; "": none
	timer  *time.Timer
}

// asked is a question that waits for its answer.
type asked struct {
	need   tools.Need
	answer chan string
}

var errUnanswered = errors.New("nobody answered")

// callOf marks the context of a call, so that what the server asks because of it is known to be about it.
type callOf struct{}

// hold makes a call that may be held: it outlives the caller's context.
func (l *link) hold(ctx context.Context, v *live, name string, call tools.Call) *held {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	h := &held{cancel: cancel, done: make(chan struct{}), asks: make(chan asked), first: call.Answer}
	l.s.m.wg.Go(func() {
		defer close(h.done)
		h.result, h.err = l.call(context.WithValue(ctx, callOf{}, h), v, name, call, h)
	})
	return h
}

// follow waits for the end of a call, or for a question that somebody has to answer first.
func (m *Manager) follow(ctx context.Context, h *held, call tools.Call) (tools.Result, error) {
	select {
	case <-h.done:
		h.cancel(nil)
		if h.err != nil {
			return tools.Result{}, h.err
		}
		return resultOf(h.result), nil
	case q := <-h.asks:
		m.keep(h, call, q)
		return tools.Result{Code: "answer_needed", Needs: &q.need}, nil
	case <-ctx.Done():
		h.cancel(context.Cause(ctx))
		<-h.done
		return tools.Result{}, context.Cause(ctx)
	}
}

// waits is a held call with the question it waits for.
type waits struct {
	*held
	question asked
}

func (m *Manager) keep(h *held, call tools.Call, q asked) {
	at := callKey{call.Run, call.ID}
	m.holding.Lock()
	defer m.holding.Unlock()
	m.held[at] = waits{h, q}
	h.timer = time.AfterFunc(holdTime, func() { m.letGo(at, errUnanswered) })
}

// takeHeld gives a held call back to its run.
func (m *Manager) takeHeld(at callKey) (waits, bool) {
	m.holding.Lock()
	defer m.holding.Unlock()
	w, ok := m.held[at]
	delete(m.held, at)
	if ok {
		w.timer.Stop()
	}
	return w, ok
}

func (m *Manager) letGo(at callKey, why error) {
	if w, ok := m.takeHeld(at); ok {
		w.cancel(why)
	}
}

// Withdraw ends the calls that a run left open, because the run is over.
func (m *Manager) Withdraw(run ids.Run) {
	m.holding.Lock()
	var open []callKey
	for at := range m.held {
		if at.run == run {
			open = append(open, at)
		}
	}
	m.holding.Unlock()
	for _, at := range open {
		m.letGo(at, fault.New(fault.Conflict, "run_over", "The run is over."))
	}
}

// Waits says whether a call is held for an answer.
func (t *tool) Waits(call tools.Call) bool {
	m := t.s.m
	m.holding.Lock()
	defer m.holding.Unlock()
	_, ok := m.held[callKey{call.Run, call.ID}]
	return ok
}

// resume gives a held call its answer and follows it on.
func (m *Manager) resume(ctx context.Context, w waits, call tools.Call) (tools.Result, error) {
	select {
	case w.question.answer <- call.Answer:
	case <-w.done: // the server did not want to wait any longer
	}
	return m.follow(ctx, w.held, call)
}

// put asks the person of a run, and waits for the answer.
func (h *held) put(ctx context.Context, need tools.Need) (string, error) {
	if first := h.first; first != "" {
		h.first = ""
		return first, nil
	}
	need.Kind, need.Again = tools.NeedAnswer, true
	q := asked{need, make(chan string)}
	select {
	case h.asks <- q:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	select {
	case answer := <-q.answer:
		return answer, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
