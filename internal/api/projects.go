package api

import (
	"context"
	"net/http"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/projects"
)

// projectsAPI is the folders agents work in, and how their work is undone.
type projectsAPI struct{ projects *projects.Projects }

func (a projectsAPI) routes() []route {
	return []route{
		{"GET", "/api/v1/projects", "projects:read", "Folders that agents work in, by name.", handler(a.list)},
		{"POST", "/api/v1/projects", "projects:write", "Make a folder a project.", handler(a.create, status(http.StatusCreated))},
		{"GET", "/api/v1/projects/{project}", "projects:read", "One project.", handler(a.get)},
		{"PATCH", "/api/v1/projects/{project}", "projects:write", "Rename it, or say whether it is trusted.", handler(a.change)},
		{"DELETE", "/api/v1/projects/{project}", "projects:write", "Make it an ordinary folder again; nothing in it changes.", handler(a.remove)},
		{"GET", "/api/v1/guard/snapshots", "projects:read", "What calls changed and can be undone, the newest first.", handler(a.snapshots)},
		{"GET", "/api/v1/guard/snapshots/{snapshot}", "projects:read", "One of them.", handler(a.snapshot)},
		{"POST", "/api/v1/guard/undo/preview", "projects:read", "Say what undoing a call, a turn or a run would do.", handler(a.preview, quiet)},
		{"POST", "/api/v1/guard/undo", "projects:write", "Undo a call, a turn or a run; what changed since is never written over.", handler(a.undo)},
	}
}

func (a projectsAPI) list(ctx context.Context, in listQuery) (page.Page[projects.Project], error) {
	rows, err := a.projects.List(ctx, workspaceOf(ctx))
	return pieceOf(in, rows, err, func(p projects.Project) string { return string(p.ID) })
}

type projectRequest struct {
	Folder  string `json:"folder" required:"true" max:"4096" doc:"Absolute."`
	Name    string `json:"name" max:"200" doc:"The folder's if left out."`
	Trusted bool   `json:"trusted" doc:"Commands may run in it without being asked about each; for folders whose files you trust."`
}

func (a projectsAPI) create(ctx context.Context, in projectRequest) (projects.Project, error) {
	id := identity.From(ctx)
	return a.projects.Create(ctx, id.Workspace, projects.NewProject{Name: in.Name, Folder: in.Folder, Trusted: in.Trusted, By: id.User})
}

type projectPath struct {
	Project ids.Project `path:"project"`
}

func (a projectsAPI) get(ctx context.Context, in projectPath) (projects.Project, error) {
	return a.projects.Get(ctx, workspaceOf(ctx), in.Project)
}

type projectChange struct {
	projectPath
	Name    *string `json:"name" max:"200"`
	Trusted *bool   `json:"trusted"`
}

func (a projectsAPI) change(ctx context.Context, in projectChange) (projects.Project, error) {
	return a.projects.Update(ctx, workspaceOf(ctx), in.Project, projects.Change{Name: in.Name, Trusted: in.Trusted})
}

func (a projectsAPI) remove(ctx context.Context, in projectPath) (nothing, error) {
	return nothing{}, a.projects.Delete(ctx, workspaceOf(ctx), in.Project)
}

type snapshotsQuery struct {
	listQuery
	Run    string `query:"run" max:"128"`
	Folder string `query:"folder" max:"4096"`
}

func (a projectsAPI) snapshots(ctx context.Context, in snapshotsQuery) (page.Page[projects.Snapshot], error) {
	return a.projects.Snapshots(ctx, workspaceOf(ctx), projects.SnapshotFilter{Query: in.Query, Run: ids.Run(in.Run), Folder: in.Folder})
}

type snapshotPath struct {
	Snapshot ids.Snapshot `path:"snapshot"`
}

func (a projectsAPI) snapshot(ctx context.Context, in snapshotPath) (projects.Snapshot, error) {
	return a.projects.Snapshot(ctx, workspaceOf(ctx), in.Snapshot)
}

type undoRequest struct {
	Call string `json:"call" max:"64" doc:"A call, as the audit lists it."`
	Run  string `json:"run" max:"64" doc:"Instead of a call: all of a run."`
	Turn string `json:"turn" max:"64" doc:"Of a run: only this turn."`
}

func (r undoRequest) target() projects.Target {
	return projects.Target{Call: ids.ToolCall(r.Call), Run: ids.Run(r.Run), Turn: r.Turn}
}

func (a projectsAPI) preview(ctx context.Context, in undoRequest) (projects.Plan, error) {
	return a.projects.Preview(ctx, workspaceOf(ctx), in.target())
}

func (a projectsAPI) undo(ctx context.Context, in undoRequest) (projects.Plan, error) {
	id := identity.From(ctx)
	return a.projects.Undo(ctx, id.Workspace, in.target(), id.User)
}
