package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/store"
)

// Version is one state an agent was in.
type Version struct {
	Number int       `db:"version" json:"version"`
	Change Change    `db:"change" json:"change"`
	User   ids.User  `db:"user_id" json:"user,omitempty" doc:"Who did it; empty: a command on the server's machine."`
	At     time.Time `db:"at" json:"at"`
	Name   string    `db:"name" json:"-"`
	Agent  Agent     `db:"definition,json" json:"agent" doc:"As it was from then on; of a deleted one, until then."`
}

// Versions lists what an agent was, the latest first; also of one that is deleted.
func (r *Roster) Versions(ctx context.Context, ws ids.Workspace, name string, q page.Query) (page.Page[Version], error) {
	before, _, err := page.Decode[int](q.Cursor)
	if err != nil {
		return page.Page[Version]{}, err
	}
	if err := r.readable(ctx, ws, name); err != nil {
		return page.Page[Version]{}, err
	}
	rows, err := store.All[Version](ctx, r.opts.DB.Read(), selectVersions, ws, name, before, before, q.Size()+1)
	if err != nil {
		return page.Page[Version]{}, fmt.Errorf("listing the versions of %s: %w", name, err)
	}
	return page.Of(q, rows, func(v Version) int { return v.Number }), nil
}

// readable says that there is such an agent, or was one.
func (r *Roster) readable(ctx context.Context, ws ids.Workspace, name string) error {
	s, err := r.fresh(ctx, ws)
	if err != nil {
		return err
	}
	a, there := s.agents[name]
	own, was := s.rows[name]
	if !there && was {
		a = own.Definition
	}
	if (!there && !was) || !open(ctx, &a) {
		return notFound(ctx, s, name)
	}
	return nil
}

// Version reads one state. Number 0 is what lies beneath the workspace's own.
func (r *Roster) Version(ctx context.Context, ws ids.Workspace, name string, number int) (Version, error) {
	if err := r.readable(ctx, ws, name); err != nil {
		return Version{}, err
	}
	if below, ok := r.beneath()[name]; ok && number == 0 {
		return Version{Change: WasCreated, Name: name, Agent: below.clone()}, nil
	}
	v, err := store.One[Version](ctx, r.opts.DB.Read(), selectVersion, ws, name, number)
	if errors.Is(err, store.ErrNoRows) {
		return v, fault.New(fault.NotFound, "version_not_found", "%s has no version %d.", name, number).WithParam("version").
			WithHint("GET /api/v1/agents/%s/versions lists them.", name)
	}
	if err != nil {
		return v, fmt.Errorf("reading version %d of %s: %w", number, name, err)
	}
	v.Agent.Name = name
	return v, nil
}

// Difference is one field that two versions do not share.
type Difference struct {
	Field string `json:"field"`
	From  any    `json:"from" doc:"null: it was not set."`
	To    any    `json:"to" doc:"null: it is not set."`
}

// Compared is how two versions differ.
type Compared struct {
	Agent       string       `json:"agent"`
	From        int          `json:"from"`
	To          int          `json:"to"`
	Differences []Difference `json:"differences"`
}

// Compare says how version to differs from version from; negative: the present one.
func (r *Roster) Compare(ctx context.Context, ws ids.Workspace, name string, from, to int) (Compared, error) {
	out := Compared{Agent: name, From: from, To: to}
	pick := func(number *int) (Agent, error) {
		if *number >= 0 {
			v, err := r.Version(ctx, ws, name, *number)
			return v.Agent, err
		}
		s, err := r.fresh(ctx, ws)
		if err != nil {
			return Agent{}, err
		}
		a, ok := s.agents[name]
		if !ok || !open(ctx, &a) {
			return a, notFound(ctx, s, name)
		}
		*number = a.Version
		return a, nil
	}
	a, err := pick(&out.From)
	if err != nil {
		return out, err
	}
	b, err := pick(&out.To)
	if err != nil {
		return out, err
	}
	out.Differences, err = differences(a, b)
	return out, err
}

// differences lists the fields that differ, by name; those inside others as limits.turns.
func differences(a, b Agent) ([]Difference, error) {
	x, err := a.object()
	if err != nil {
		return nil, err
	}
	y, err := b.object()
	if err != nil {
		return nil, err
	}
	all := []Difference{}
	compare("", x, y, &all)
	return all, nil
}

func compare(prefix string, x, y map[string]any, all *[]Difference) {
	names := maps.Clone(x)
	if names == nil {
		names = map[string]any{}
	}
	maps.Copy(names, y)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a, b := x[name], y[name]
		inner, ok := a.(map[string]any)
		other, okToo := b.(map[string]any)
		switch {
		case ok || okToo:
			compare(prefix+name+".", inner, other, all)
		case !reflect.DeepEqual(plain(a), plain(b)):
			*all = append(*all, Difference{prefix + name, a, b})
		}
	}
}

// plain lets what is empty count as not set.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		return v.String()
	case []any:
		if len(v) == 0 {
			return nil
		}
	case string:
		if v == "" {
			return nil
		}
	}
	return v
}

// same says whether two definitions say the same.
func same(a, b Agent) bool {
	d, err := differences(a, b)
	return err == nil && len(d) == 0
}
