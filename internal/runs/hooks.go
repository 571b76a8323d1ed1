package runs

import (
	"context"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/providers"
)

// Hooks are asked before a run and its turns, and told after them.
type Hooks interface {
	agents.Hooks
	// BeforeRun is asked before the first turn, with what the run is to do; an error ends the run.
	BeforeRun(ctx context.Context, asked string) error
	// AfterRun is told how the run ended; ctx outlives the run's.
	AfterRun(ctx context.Context, end State, answer string, trouble *Trouble)
}

// hooked lets hooks have a word before the first turn, and gives them to the loop.
func (a *attempt) hooked(ctx context.Context, l *agents.Loop) error {
	if a.d.opts.Hooks == nil {
		return nil
	}
	if a.hooks = a.d.opts.Hooks(a.run, l.Call.Folder); a.hooks == nil {
		return nil
	}
	l.Hooks = a.hooks
	if len(a.turns) > 0 { // it goes on where it was
		return nil
	}
	asked := ""
	if n := len(l.Request.Messages); n > 0 && l.Request.Messages[n-1].Role == providers.RoleUser {
		asked = l.Request.Messages[n-1].Text()
	}
	return a.hooks.BeforeRun(ctx, asked)
}

// ended tells the hooks how the run ended.
func (a *attempt) ended(ctx context.Context, to State, trouble error) {
	if a.hooks != nil {
		a.hooks.AfterRun(context.WithoutCancel(ctx), to, a.result, troubleOf(trouble))
	}
}
