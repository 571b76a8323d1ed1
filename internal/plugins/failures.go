package plugins

import (
	"context"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/observe"
	"github.com/fluxway/fluxway/internal/store"
)

// Failure is something of a plugin that did not work.
type Failure struct {
	At      time.Time `db:"at" json:"at"`
	Hook    string    `db:"hook" json:"hook,omitempty"`
	Code    string    `db:"code" json:"code"`
	Message string    `db:"message" json:"message"`
	Output  string    `db:"output" json:"output,omitempty" doc:"The end of what it printed."`
	Run     ids.Run   `db:"run_id" json:"run,omitempty"`
}

// keptFailures is how many failures of a plugin are kept.
const keptFailures = 50

// failed keeps that something did not work, and says so. It must not stop anything else, so what cannot be kept is logged.
func (m *Manager) failed(ctx context.Context, k key, f Failure) {
	ctx = context.WithoutCancel(ctx)
	f.At = time.Now().UTC().Truncate(time.Microsecond)
	f.Message, f.Output = observe.Redact(f.Message), observe.Redact(f.Output)
	err := m.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, insertFailure, k.ws, k.name, f.At, f.Hook, f.Code, f.Message, f.Output, f.Run); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, trimFailures, k.ws, k.name, k.ws, k.name, keptFailures); err != nil {
			return err
		}
		return m.opts.Hub.Append(ctx, tx, k.ws, Channel, Failed{k.name, f.Hook, f.Code, f.Message})
	})
	if err != nil {
		m.log.ErrorContext(ctx, "a plugin's failure not kept", "part", "plugins", "plugin", k.name, "hook", f.Hook, "message", f.Message, "err", err)
	}
}

// say tells a fact that nothing depends on.
func (m *Manager) say(ctx context.Context, ws ids.Workspace, fact events.Event) {
	ctx = context.WithoutCancel(ctx)
	err := m.opts.DB.InTx(ctx, func(tx *store.Tx) error { return m.opts.Hub.Append(ctx, tx, ws, Channel, fact) })
	if err != nil {
		m.log.ErrorContext(ctx, "an event of a plugin not kept", "part", "plugins", "kind", fact.Kind(), "err", err)
	}
}

// failures lists the last failures of a plugin, the newest first.
func (m *Manager) failures(ctx context.Context, k key, most int) ([]Failure, error) {
	list, err := store.All[Failure](ctx, m.opts.DB.Read(), selectFailures, k.ws, k.name, most)
	if err != nil {
		return nil, fmt.Errorf("reading the failures of %s: %w", k.name, err)
	}
	if list == nil {
		list = []Failure{}
	}
	return list, nil
}
