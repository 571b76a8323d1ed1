package api

import (
	"context"
	"encoding/json"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/page"
)

// jobsAPI is durable background work.
type jobsAPI struct{ q *jobs.Queue }

func (a jobsAPI) routes() []route {
	return []route{
		{"GET", "/api/v1/jobs", "jobs:read", "Background work, newest first.", handler(a.list)},
		{"GET", "/api/v1/jobs/{job}", "jobs:read", "One job.", handler(a.get)},
		{"POST", "/api/v1/jobs/{job}/cancel", "jobs:write", "Stop a job.", handler(a.cancel)},
		{"POST", "/api/v1/jobs/{job}/retry", "jobs:write", "Try a failed job again.", handler(a.retry)},
		{"POST", "/api/v1/jobs/{job}/pause", "jobs:write", "Keep a waiting job from starting.", handler(a.pause)},
		{"POST", "/api/v1/jobs/{job}/resume", "jobs:write", "Let a paused job start.", handler(a.resume)},
		{"GET", "/api/v1/jobs/kinds", "jobs:read", "The kinds of work this server does.", handler(a.kinds)},
		{"POST", "/api/v1/jobs/kinds/{kind}/pause", "system:write", "Stop starting work of a kind, everywhere.", handler(a.pauseKind)},
		{"POST", "/api/v1/jobs/kinds/{kind}/resume", "system:write", "Start work of a kind again.", handler(a.resumeKind)},
		{"GET", "/api/v1/jobs/schedules", "jobs:read", "What starts again and again.", handler(a.schedules)},
		{"POST", "/api/v1/jobs/schedules", "system:write", "Start a kind of work again and again.", handler(a.addSchedule, status(201))},
		{"GET", "/api/v1/jobs/schedules/{schedule}", "jobs:read", "One schedule.", handler(a.schedule)},
		{"PATCH", "/api/v1/jobs/schedules/{schedule}", "jobs:write", "Change when a schedule fires, or turn it off.", handler(a.changeSchedule)},
		{"DELETE", "/api/v1/jobs/schedules/{schedule}", "jobs:write", "Remove a schedule.", handler(a.deleteSchedule)},
	}
}

// workspaceOf is the caller's workspace.
func workspaceOf(ctx context.Context) ids.Workspace { return identity.From(ctx).Workspace }

type jobsQuery struct {
	listQuery
	State string `query:"state" enum:"queued,running,paused,finished,failed,cancelled"`
	Kind  string `query:"kind" max:"128"`
}

func (a jobsAPI) list(ctx context.Context, in jobsQuery) (page.Page[jobs.Job], error) {
	return a.q.List(ctx, workspaceOf(ctx), jobs.Filter{Query: in.Query, State: jobs.State(in.State), Kind: in.Kind})
}

type jobPath struct {
	Job ids.Job `path:"job"`
}

func (a jobsAPI) get(ctx context.Context, in jobPath) (jobs.Job, error) {
	return a.q.Get(ctx, workspaceOf(ctx), in.Job)
}

func (a jobsAPI) cancel(ctx context.Context, in jobPath) (jobs.Job, error) {
	return a.q.Cancel(ctx, workspaceOf(ctx), in.Job)
}

func (a jobsAPI) retry(ctx context.Context, in jobPath) (jobs.Job, error) {
	return a.q.Retry(ctx, workspaceOf(ctx), in.Job)
}

func (a jobsAPI) pause(ctx context.Context, in jobPath) (jobs.Job, error) {
	return a.q.Pause(ctx, workspaceOf(ctx), in.Job)
}

func (a jobsAPI) resume(ctx context.Context, in jobPath) (jobs.Job, error) {
	return a.q.Resume(ctx, workspaceOf(ctx), in.Job)
}

func (a jobsAPI) kinds(ctx context.Context, in listQuery) (page.Page[jobs.KindInfo], error) {
	rows, err := a.q.Kinds(ctx, workspaceOf(ctx))
	return pieceOf(in, rows, err, func(k jobs.KindInfo) string { return k.Kind })
}

type kindPath struct {
	Kind string `path:"kind"`
}

func (a jobsAPI) pauseKind(ctx context.Context, in kindPath) (jobs.KindInfo, error) {
	if err := a.q.PauseKind(ctx, in.Kind); err != nil {
		return jobs.KindInfo{}, err
	}
	return a.kind(ctx, in.Kind)
}

func (a jobsAPI) resumeKind(ctx context.Context, in kindPath) (jobs.KindInfo, error) {
	if err := a.q.ResumeKind(ctx, in.Kind); err != nil {
		return jobs.KindInfo{}, err
	}
	return a.kind(ctx, in.Kind)
}

func (a jobsAPI) kind(ctx context.Context, name string) (jobs.KindInfo, error) {
	all, err := a.q.Kinds(ctx, workspaceOf(ctx))
	for _, k := range all {
		if k.Kind == name {
			return k, err
		}
	}
	return jobs.KindInfo{Kind: name}, err
}

func (a jobsAPI) schedules(ctx context.Context, in listQuery) (page.Page[jobs.Schedule], error) {
	return a.q.Schedules(ctx, workspaceOf(ctx), in.Query)
}

type newScheduleRequest struct {
	Name     string          `json:"name" required:"true" min:"1" max:"128"`
	Kind     string          `json:"kind" required:"true" max:"128"`
	Args     json.RawMessage `json:"args" doc:"What the work is told; depends on its kind."`
	Cron     string          `json:"cron" required:"true" max:"128" doc:"Five fields such as 0 9 * * 1-5, or @daily, or @every 15m."`
	TimeZone string          `json:"time_zone" max:"64" doc:"Such as Europe/Berlin; UTC if left out."`
	Enabled  *bool           `json:"enabled" doc:"On if left out."`
}

func (a jobsAPI) addSchedule(ctx context.Context, in newScheduleRequest) (jobs.Schedule, error) {
	return a.q.AddSchedule(ctx, jobs.Schedule{
		Workspace: workspaceOf(ctx), Name: in.Name, Kind: in.Kind, Args: in.Args, Cron: in.Cron, TimeZone: in.TimeZone,
		Enabled: in.Enabled == nil || *in.Enabled,
	})
}

type schedulePath struct {
	Schedule ids.Schedule `path:"schedule"`
}

func (a jobsAPI) schedule(ctx context.Context, in schedulePath) (jobs.Schedule, error) {
	return a.q.Schedule(ctx, workspaceOf(ctx), in.Schedule)
}

type scheduleRequest struct {
	schedulePath
	Name     *string `json:"name" min:"1" max:"128"`
	Cron     *string `json:"cron" max:"128"`
	TimeZone *string `json:"time_zone" max:"64"`
	Enabled  *bool   `json:"enabled"`
}

func (a jobsAPI) changeSchedule(ctx context.Context, in scheduleRequest) (jobs.Schedule, error) {
	return a.q.ChangeSchedule(ctx, workspaceOf(ctx), in.Schedule, func(s *jobs.Schedule) {
		put(&s.Name, in.Name)
		put(&s.Cron, in.Cron)
		put(&s.TimeZone, in.TimeZone)
		put(&s.Enabled, in.Enabled)
	})
}

// put sets a field to what a PATCH gave, if it gave something.
func put[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

func (a jobsAPI) deleteSchedule(ctx context.Context, in schedulePath) (nothing, error) {
	return nothing{}, a.q.DeleteSchedule(ctx, workspaceOf(ctx), in.Schedule)
}
