// Package toolstest holds what tests of and around tools need: gates, a journal, and small tools.
package toolstest

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/fluxway/fluxway/internal/tools"
)

// Gate is a gate made of a function.
type Gate func(spec tools.Spec, call tools.Call) (tools.Ruling, error)

// Judge asks the function.
func (g Gate) Judge(_ context.Context, spec tools.Spec, call tools.Call) (tools.Ruling, error) {
	return g(spec, call)
}

// Open is the gate that allows everything.
func Open() Gate {
	return func(tools.Spec, tools.Call) (tools.Ruling, error) {
		return tools.Ruling{Verdict: tools.Allow, Rule: "test.open"}, nil
	}
}

// Tool is a tool made of a spec and a function.
type Tool struct {
	Is tools.Spec
	Do func(ctx context.Context, call tools.Call) (tools.Result, error)
}

// Spec gives the spec.
func (t Tool) Spec() tools.Spec { return t.Is }

// Run calls the function.
func (t Tool) Run(ctx context.Context, call tools.Call) (tools.Result, error) { return t.Do(ctx, call) }

// Echo is a public tool that gives its arguments back.
func Echo(name string) Tool {
	return Tool{
		Is: tools.Spec{Name: name, Level: tools.Public, ReadOnly: true, Repeatable: true, Schema: json.RawMessage(`{"type":"object"}`)},
		Do: func(_ context.Context, call tools.Call) (tools.Result, error) {
			return tools.Says(string(call.Args)), nil
		},
	}
}

// Journal keeps what an auditor is told.
type Journal struct {
	Refuse error // what Started answers

	mu       sync.Mutex // guards the fields below
	started  []tools.Entry
	finished []tools.Entry
}

// Started keeps the entry.
func (j *Journal) Started(_ context.Context, e tools.Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.started = append(j.started, e)
	return j.Refuse
}

// Finished keeps the entry.
func (j *Journal) Finished(_ context.Context, e tools.Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.finished = append(j.finished, e)
	return nil
}

// Lines gives what was started and what finished, so far.
func (j *Journal) Lines() (started, finished []tools.Entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]tools.Entry(nil), j.started...), append([]tools.Entry(nil), j.finished...)
}
