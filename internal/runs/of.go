package runs

import (
	"context"
	"errors"
	"fmt"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
)

// Of reads a run of a workspace, without its partial answer, for parts that act for no person; those who act for one use Get.
func (d *Desk) Of(ctx context.Context, ws ids.Workspace, id ids.Run) (Run, error) {
	run, err := store.One[Run](ctx, d.opts.DB.Read(), selectVisibleRun, id, ws)
	if errors.Is(err, store.ErrNoRows) {
		return run, notFound(id)
	}
	if err != nil {
		return run, fmt.Errorf("reading %s: %w", id, err)
	}
	return run, nil
}
