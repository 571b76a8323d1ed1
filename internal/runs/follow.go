package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
)

// Wait returns when a run is over, wherever it is worked on.
func (d *Desk) Wait(ctx context.Context, id ids.Run) (Run, error) {
	run, err := d.one(ctx, id)
	if err != nil || run.State.Over() {
		return run, err
	}
	sub, err := d.opts.Hub.Subscribe(ctx, events.Request{Workspace: run.Workspace, Channels: []string{run.channel()}})
	if err != nil {
		return run, err
	}
	defer sub.Close()
	for {
		if run, err = d.one(ctx, id); err != nil || run.State.Over() { // after the subscription, so that no end is missed
			return run, err
		}
		for over := false; !over; {
			batch, err := sub.Next(ctx)
			if err != nil {
				return run, err
			}
			for _, e := range batch.Deliveries {
				over = over || ends(e, id)
			}
		}
	}
}

func (d *Desk) one(ctx context.Context, id ids.Run) (Run, error) {
	run, err := store.One[Run](ctx, d.opts.DB.Read(), selectRun, id)
	if errors.Is(err, store.ErrNoRows) {
		return run, notFound(id)
	}
	if err != nil {
		return run, fmt.Errorf("reading %s: %w", id, err)
	}
	return run, nil
}

// ends says whether an event is the end of a run.
func ends(e events.Delivery, id ids.Run) bool {
	switch e.Kind {
	case RunFinished{}.Kind(), RunFailed{}.Kind(), RunCancelled{}.Kind():
	default:
		return false
	}
	var envelope struct {
		Data struct {
			Run ids.Run `json:"run"`
		} `json:"data"`
	}
	return json.Unmarshal(e.JSON, &envelope) == nil && envelope.Data.Run == id
}
