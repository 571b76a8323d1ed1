package api

import (
	"context"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/runs"
)

// runsAPI is requests being worked on.
type runsAPI struct{ desk *runs.Desk }

func (a runsAPI) routes() []route {
	return []route{
		{"GET", "/api/v1/runs", "runs:read", "The caller's runs, newest first.", handler(a.list)},
		{"GET", "/api/v1/runs/{run}", "runs:read", "One run, with the answer so far.", handler(a.get)},
		{"POST", "/api/v1/runs/{run}/cancel", "runs:write", "Stop a run; what was answered so far is kept.", handler(a.cancel)},
	}
}

type runsQuery struct {
	listQuery
	State        string           `query:"state" enum:"queued,running,waiting,finished,failed,cancelled"`
	Conversation ids.Conversation `query:"conversation"`
}

func (a runsAPI) list(ctx context.Context, in runsQuery) (page.Page[runs.Run], error) {
	return a.desk.List(ctx, asker(ctx), runs.Filter{Query: in.Query, State: runs.State(in.State), Conversation: in.Conversation})
}

type runPath struct {
	Run ids.Run `path:"run"`
}

func (a runsAPI) get(ctx context.Context, in runPath) (runs.Run, error) {
	return a.desk.Get(ctx, asker(ctx), in.Run)
}

func (a runsAPI) cancel(ctx context.Context, in runPath) (runs.Run, error) {
	return a.desk.Cancel(ctx, asker(ctx), in.Run)
}
