package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// Change is what was done to an agent.
type Change string

// The changes.
const (
	WasCreated    Change = "created"
	WasChanged    Change = "changed"
	WasImported   Change = "imported"
	WasRolledBack Change = "rolled_back"
	WasDeleted    Change = "deleted"
	WasReset      Change = "reset"
)

// Saved is an agent as it is now, and what about it may be a mistake.
type Saved struct {
	Agent
	Warnings []Problem `json:"warnings,omitempty"`
}

// Create makes an agent. fields are laid over a blank definition; the name must
// be free.
func (r *Roster) Create(ctx context.Context, ws ids.Workspace, name string, fields json.RawMessage) (Saved, error) {
	s, err := r.fresh(ctx, ws)
	if err != nil {
		return Saved{}, err
	}
	if _, taken := s.agents[name]; taken {
		return Saved{}, exists(name)
	}
	a, err := blank(name).merged(fields)
	if err != nil {
		return Saved{}, err
	}
	return r.put(ctx, ws, s, step{WasCreated, a, 0})
}

func exists(name string) error {
	return fault.New(fault.Conflict, "agent_exists", "There is an agent called %s already.", name).WithParam("name").
		WithHint("Choose another name, or change that one with PATCH /api/v1/agents/%s.", name)
}

// Patch lays a merge patch (RFC 7396) over an agent. A preset becomes the
// workspace's own by it. A version in it must be the present one.
func (r *Roster) Patch(ctx context.Context, ws ids.Workspace, name string, patch json.RawMessage) (Saved, error) {
	s, err := r.fresh(ctx, ws)
	if err != nil {
		return Saved{}, err
	}
	old, ok := s.agents[name]
	if !ok {
		return Saved{}, notFound(ctx, s, name)
	}
	a, err := old.merged(patch)
	if err != nil {
		return Saved{}, err
	}
	if same(old, a) {
		return r.saved(ctx, ws, s, a)
	}
	return r.put(ctx, ws, s, step{WasChanged, a, old.Version})
}

// Delete takes an agent out of the workspace. A preset is hidden by it; its
// versions stay, so it can be rolled back.
func (r *Roster) Delete(ctx context.Context, ws ids.Workspace, name string) error {
	s, err := r.fresh(ctx, ws)
	if err != nil {
		return err
	}
	a, ok := s.agents[name]
	if !ok {
		return notFound(ctx, s, name)
	}
	_, err = r.put(ctx, ws, s, step{WasDeleted, a, a.Version})
	return err
}

// Rollback makes an earlier version the present one. Version 0 is the preset or
// the settings' definition, as it was before the workspace changed it.
func (r *Roster) Rollback(ctx context.Context, ws ids.Workspace, name string, version int) (Saved, error) {
	s, err := r.fresh(ctx, ws)
	if err != nil {
		return Saved{}, err
	}
	if version == 0 {
		return r.reset(ctx, ws, s, name)
	}
	v, err := r.Version(ctx, ws, name, version)
	if err != nil {
		return Saved{}, err
	}
	return r.put(ctx, ws, s, step{WasRolledBack, v.Agent, s.rows[name].Version})
}

func (r *Roster) reset(ctx context.Context, ws ids.Workspace, s *shelf, name string) (Saved, error) {
	below, ok := r.beneath()[name]
	if !ok {
		return Saved{}, fault.New(fault.Conflict, "no_preset", "%s is the workspace's own; there is nothing beneath it.", cut(name, 64)).WithParam("version").
			WithHint("Name one of its versions, or delete it.")
	}
	own, changed := s.rows[name]
	if !changed || own.State == reset {
		return r.saved(ctx, ws, s, s.agents[name])
	}
	return r.put(ctx, ws, s, step{WasReset, below, own.Version})
}

// step is one change to be made: to this definition, from that version.
type step struct {
	change Change
	agent  Agent
	from   int
}

// fresh reads the agents as they are in the database now, to change them.
func (r *Roster) fresh(ctx context.Context, ws ids.Workspace) (*shelf, error) {
	if r.opts.DB == nil {
		return nil, errors.New("agents: this roster cannot be changed")
	}
	return r.read(ctx, ws, r.beneath())
}

// put checks and writes one change.
func (r *Roster) put(ctx context.Context, ws ids.Workspace, s *shelf, st step) (Saved, error) {
	if problems := st.agent.check(); len(problems) > 0 && st.change != WasDeleted {
		return Saved{}, invalid(problems)
	}
	err := r.opts.DB.InTx(ctx, func(tx *store.Tx) error { return r.write(ctx, tx, ws, s, &st) })
	if err != nil {
		return Saved{}, fmt.Errorf("keeping the agent %s: %w", st.agent.Name, err)
	}
	return r.saved(ctx, ws, s, st.agent)
}

// write makes one change in the caller's transaction.
func (r *Roster) write(ctx context.Context, tx *store.Tx, ws ids.Workspace, s *shelf, st *step) error {
	st.agent = st.agent.clone()
	a := &st.agent
	if there := s.agents[a.Name]; there.Origin == FromPlugin {
		return ofPlugin(there)
	}
	own, ok := s.rows[a.Name]
	if ok && st.from != own.Version && st.change != WasCreated {
		return stale(a.Name)
	}
	a.Version, a.UpdatedAt = own.Version+1, time.Now().UTC().Truncate(time.Microsecond)
	to := live
	switch st.change {
	case WasDeleted:
		to = deleted
	case WasReset:
		to = reset
	default:
		a.Origin = FromWorkspace
	}
	kept := store.JSON(a)
	changed, err := tx.Exec(ctx, putRow, ws, a.Name, to, a.Version, kept, a.UpdatedAt, a.UpdatedAt)
	if err != nil {
		return err
	}
	if changed == 0 {
		return stale(a.Name)
	}
	var user ids.User
	if id := identity.From(ctx); id != nil {
		user = id.User
	}
	if _, err := tx.Exec(ctx, insertVersion, ws, a.Name, a.Version, st.change, kept, user, a.UpdatedAt); err != nil {
		return err
	}
	tx.AfterCommit(func() { r.forget(ws) })
	_, before := s.agents[a.Name]
	return r.opts.Hub.Append(ctx, tx, ws, Channel, st.fact(before))
}

func stale(name string) error {
	return fault.New(fault.Conflict, "agent_changed", "%s was changed at the same time.", name).WithHint("Read it again, and make your change to that.")
}

// fact says what happened; an agent that was not there before was created, by
// whatever way it came.
func (st *step) fact(before bool) events.Event {
	switch {
	case st.change == WasDeleted:
		return Deleted{st.agent.Name, st.agent.Version}
	case !before:
		return Created{st.agent.Name, st.agent.Version}
	}
	return Changed{st.agent.Name, st.agent.Version, st.change}
}

// saved is the agent as Get would give it, with what is odd about it.
func (r *Roster) saved(ctx context.Context, ws ids.Workspace, s *shelf, a Agent) (Saved, error) {
	out := Saved{Agent: a.clone(), Warnings: r.odd(ctx, ws, &a, s)}
	var err error
	if out.Model == "" {
		out.Model, err = r.opts.Model(ctx, ws)
	}
	return out, err
}
