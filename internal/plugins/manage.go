package plugins

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/suggest"
	"github.com/fluxway/fluxway/internal/store"
)

func notFound(places []*place, name string) error {
	var names []string
	for _, p := range places {
		names = append(names, p.manifest.Name)
	}
	f := fault.New(fault.NotFound, "plugin_not_found", "There is no plugin %q.", name)
	if near, ok := suggest.Closest(name, names); ok {
		return f.WithHint("Did you mean %s?", near)
	}
	return f.WithHint("GET /api/v1/plugins lists them.")
}

// rowOf is what a workspace knows of a plugin; the zero row: nothing.
func (m *Manager) rowOf(ctx context.Context, k key) (row, error) {
	r, err := store.One[row](ctx, m.opts.DB.Read(), selectRow, k.ws, k.name)
	if errors.Is(err, store.ErrNoRows) {
		return row{Workspace: k.ws, Name: k.name}, nil
	}
	if err != nil {
		return r, fmt.Errorf("reading the plugin %s: %w", k.name, err)
	}
	return r, nil
}

// Enable lets a plugin give a workspace what it contributes. digest is of the files that the person looked at: if
// they are others by now, nothing is enabled.
func (m *Manager) Enable(ctx context.Context, ws ids.Workspace, user ids.User, name, digest string) error {
	p, err := m.place(name)
	if err != nil {
		return err
	}
	if len(p.problems) > 0 {
		return invalid(name, p.problems)
	}
	if digest != p.tree.digest {
		return fault.New(fault.Conflict, "plugin_changed", "The files of %s are not those that were shown.", name).WithParam("digest").
			WithHint("Look at what it contributes now, then enable it with digest %s.", p.tree.digest)
	}
	r, err := m.rowOf(ctx, key{ws, name})
	if err != nil {
		return err
	}
	have, err := m.open(r)
	if err != nil {
		return err
	}
	if _, err := p.manifest.resolve(have, m.opts.Lookup); err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	what := agreed{p.tree.digest, p.manifest.Version, p.tree.files, p.manifest.Hooks}
	err = m.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, enable, ws, name, store.JSON(what), user, now, now); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, clearFailures, ws, name); err != nil {
			return err
		}
		return m.opts.Hub.Append(ctx, tx, ws, Channel, Enabled{name, p.manifest.Version, p.tree.digest})
	})
	if err != nil {
		return fmt.Errorf("enabling %s: %w", name, err)
	}
	return m.Load(ctx)
}

// Disable takes back what a plugin gives a workspace; its settings stay.
func (m *Manager) Disable(ctx context.Context, ws ids.Workspace, name string) error {
	r, err := m.rowOf(ctx, key{ws, name})
	if err != nil {
		return err
	}
	if !r.Enabled {
		if _, err := m.place(name); err != nil {
			return err
		}
		return nil
	}
	err = m.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, disable, time.Now(), ws, name); err != nil {
			return err
		}
		return m.opts.Hub.Append(ctx, tx, ws, Channel, Disabled{name})
	})
	if err != nil {
		return fmt.Errorf("disabling %s: %w", name, err)
	}
	return m.Load(ctx)
}

// Configure sets some of a plugin's settings: null goes back to the default, an empty secret is forgotten.
func (m *Manager) Configure(ctx context.Context, ws ids.Workspace, name string, change map[string]json.RawMessage) error {
	p, err := m.place(name)
	if err != nil {
		return err
	}
	if len(p.problems) > 0 {
		return invalid(name, p.problems)
	}
	k := key{ws, name}
	r, err := m.rowOf(ctx, k)
	if err != nil {
		return err
	}
	have, err := m.open(r)
	if err != nil {
		return err
	}
	next, err := p.manifest.with(have, change)
	if err != nil {
		return err
	}
	if r.Enabled {
		if _, err := p.manifest.resolve(next, m.opts.Lookup); err != nil {
			return err
		}
	}
	box, err := m.seal(k, next)
	if err != nil {
		return err
	}
	err = m.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, configure, ws, name, store.JSON(next.values), box, time.Now()); err != nil {
			return err
		}
		return m.opts.Hub.Append(ctx, tx, ws, Channel, Configured{name, slices.Sorted(maps.Keys(change))})
	})
	if err != nil {
		return fmt.Errorf("keeping the settings of %s: %w", name, err)
	}
	return m.Load(ctx)
}

func (m *Manager) seal(k key, s stored) ([]byte, error) {
	if len(s.secrets) == 0 {
		return nil, nil
	}
	plain := make(map[string]string, len(s.secrets))
	for name, text := range s.secrets {
		plain[name] = text.Reveal()
	}
	text, err := json.Marshal(plain)
	if err != nil {
		return nil, err
	}
	box, err := m.opts.Box.Seal(text, sealed(k))
	if err != nil {
		return nil, fmt.Errorf("sealing the secrets of %s: %w", k.name, err)
	}
	return box, nil
}
