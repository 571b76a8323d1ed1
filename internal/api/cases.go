package api

import (
	"context"
	"net/http"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/runs"
)

// casesAPI is requests that are kept to be tried again.
type casesAPI struct{ desk *runs.Desk }

func (a casesAPI) routes() []route {
	return []route{
		{"GET", "/api/v1/cases", "runs:read", "The caller's test cases, newest first, each with how it last went.", handler(a.list)},
		{"POST", "/api/v1/cases", "runs:write", "Keep a run as a test case: what it answered and called is expected from now on.", handler(a.keep, status(http.StatusCreated))},
		{"GET", "/api/v1/cases/{case}", "runs:read", "One test case.", handler(a.get)},
		{"DELETE", "/api/v1/cases/{case}", "runs:write", "Forget a test case; runs stay.", handler(a.forget)},
		{"POST", "/api/v1/cases/{case}/run", "runs:write", "Try a test case, with the same model or another: tools do nothing but give what was recorded.", handler(a.try, status(202))},
	}
}

func (a casesAPI) list(ctx context.Context, in listQuery) (page.Page[runs.Case], error) {
	return a.desk.Cases(ctx, asker(ctx), in.Query)
}

type keepRequest struct {
	Run      ids.Run  `json:"run" required:"true"`
	Name     string   `json:"name" max:"120" doc:"The beginning of what was asked if left out."`
	Contains []string `json:"contains" max:"20" doc:"Phrases the answer must have; left out: it must be the same."`
}

func (a casesAPI) keep(ctx context.Context, in keepRequest) (runs.Case, error) {
	return a.desk.KeepCase(ctx, asker(ctx), runs.NewCase{Run: in.Run, Name: in.Name, Contains: in.Contains})
}

type casePath struct {
	Case ids.Case `path:"case"`
}

func (a casesAPI) get(ctx context.Context, in casePath) (runs.Case, error) {
	return a.desk.Case(ctx, asker(ctx), in.Case)
}

func (a casesAPI) forget(ctx context.Context, in casePath) (nothing, error) {
	return nothing{}, a.desk.DeleteCase(ctx, asker(ctx), in.Case)
}

type tryRequest struct {
	casePath
	Model string `json:"model" max:"256" doc:"The same if left out."`
}

func (a casesAPI) try(ctx context.Context, in tryRequest) (runs.Trial, error) {
	return a.desk.Try(ctx, asker(ctx), in.Case, in.Model, keyOf(ctx))
}
