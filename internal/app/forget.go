package app

import (
	"context"
	"fmt"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/store"
)

const forgetKind = "app.forget_workspace"

type forgetArgs struct {
	Workspace ids.Workspace `json:"workspace"`
}

// workspaceDeleted has everything of a workspace deleted in the background; the
// job is one of home, since its own workspace is going.
func (a *App) workspaceDeleted(ctx context.Context, tx *store.Tx, ws, home ids.Workspace) error {
	_, err := a.queue.Enqueue(ctx, tx, jobs.Request{Workspace: home, Kind: forgetKind, Args: forgetArgs{ws}, UniqueKey: string(ws)})
	return err
}

// forgetKind is the job that deletes what a workspace left behind.
func (a *App) forgetKind() jobs.Kind {
	return jobs.Kind{Name: forgetKind, Concurrency: 1, Attempts: 20, Run: func(ctx context.Context, task *jobs.Task) (any, error) {
		var args forgetArgs
		if err := task.Decode(&args); err != nil {
			return nil, err
		}
		rows, err := a.forgetWorkspace(ctx, args.Workspace)
		return map[string]any{"rows": rows}, err
	}}
}

// forgetWorkspace stops what is going on there first, and forgets the events
// last, because stopping says some. The audit stays.
func (a *App) forgetWorkspace(ctx context.Context, ws ids.Workspace) (int64, error) {
	for _, state := range []jobs.State{jobs.Queued, jobs.Paused, jobs.Running} {
		for {
			list, err := a.queue.List(ctx, ws, jobs.Filter{State: state, Query: page.Query{Limit: 100}})
			if err != nil {
				return 0, err
			}
			for _, job := range list.Data {
				if _, err := a.queue.Cancel(ctx, ws, job.ID); err != nil {
					return 0, err
				}
			}
			if state == jobs.Running && len(list.Data) > 0 {
				return 0, fmt.Errorf("%d jobs of %s are still stopping", len(list.Data), ws) // the job tries again
			}
			if len(list.Data) == 0 {
				break
			}
		}
	}
	if err := a.ledger.Forget(ctx, ws); err != nil {
		return 0, err
	}
	if err := a.db.InTx(ctx, func(tx *store.Tx) error { return a.memory.ForgetWorkspace(ctx, tx, ws) }); err != nil {
		return 0, err
	}
	rows, err := a.db.Forget(ctx, ws, "identity_", "events_")
	if err != nil {
		return rows, err
	}
	return rows, a.db.InTx(ctx, func(tx *store.Tx) error { return a.hub.Forget(ctx, tx, ws) })
}
