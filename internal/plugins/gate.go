package plugins

import (
	"context"

	"github.com/fluxway/fluxway/internal/tools"
)

// Gate asks hooks before next judges a call, so that nobody is asked about what a plugin forbids anyway.
func (m *Manager) Gate(next tools.Gate) tools.Gate { return gate{m, next} }

type gate struct {
	m    *Manager
	next tools.Gate
}

// Punctual: a hook is ended when its ctx ends, and so is the guard behind it.
func (g gate) Punctual() {}

// Cold says whether the guard has something to make first.
func (g gate) Cold(spec tools.Spec, call tools.Call) bool {
	w, ok := g.next.(tools.Warms)
	return ok && w.Cold(spec, call)
}

// Warm has the guard make it.
func (g gate) Warm(ctx context.Context) {
	if w, ok := g.next.(tools.Warms); ok {
		w.Warm(ctx)
	}
}

func (g gate) Judge(ctx context.Context, spec tools.Spec, call tools.Call) (tools.Ruling, error) {
	if !g.m.Hooks(call.Workspace, BeforeTool) {
		return g.next.Judge(ctx, spec, call)
	}
	if v := g.m.Ask(ctx, aboutCall(BeforeTool, spec, call)); v != nil {
		hint := "Do it another way, or leave it; do not try to get around it."
		if v.Failed {
			hint = "Do not try again; tell the person that the plugin " + v.Plugin + " does not work."
		}
		return tools.Ruling{Verdict: tools.Refuse, Rule: "plugin/" + v.Plugin, Reason: v.Error(), Hint: hint}, nil
	}
	return g.next.Judge(ctx, spec, call)
}

func aboutCall(e Event, spec tools.Spec, call tools.Call) Message {
	return Message{
		Event: e, Workspace: call.Workspace, User: call.User, Agent: call.Agent, Run: call.Run, Conversation: call.Conversation, Door: call.Door, Folder: call.Folder,
		Tool: &ToolFacts{Name: spec.Name, Origin: spec.Origin, Level: string(spec.Level), Args: call.Args},
	}
}

// Auditor tells hooks of calls that were made, after next has kept them.
func (m *Manager) Auditor(next tools.Auditor) tools.Auditor { return auditor{m, next} }

type auditor struct {
	m    *Manager
	next tools.Auditor
}

func (a auditor) Started(ctx context.Context, e tools.Entry) error { return a.next.Started(ctx, e) }

func (a auditor) Finished(ctx context.Context, e tools.Entry) error {
	if err := a.next.Finished(ctx, e); err != nil {
		return err
	}
	if e.Ruling.Verdict != tools.Allow || !a.m.Hooks(e.Call.Workspace, AfterTool) {
		return nil
	}
	msg := aboutCall(AfterTool, e.Spec, e.Call)
	msg.Result = &ResultFacts{Text: told(e.Result.Text()), IsError: e.Result.IsError, Code: e.Result.Code, TookMs: e.Took.Milliseconds()}
	a.m.Tell(ctx, msg)
	return nil
}
