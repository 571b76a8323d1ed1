package api

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/page"
)

// costsAPI is what was spent and what may be.
type costsAPI struct{ ledger *costs.Ledger }

func (a costsAPI) routes() []route {
	return []route{
		{"GET", "/api/v1/costs/records", "costs:read", "Every attempt to reach a model, newest first; a price that is not known is null.", handler(a.records)},
		{"GET", "/api/v1/costs/records/{record}", "costs:read", "One attempt.", handler(a.record)},
		{"GET", "/api/v1/costs/export", "costs:read", "The records as a file, oldest first.", door(a.export, media("text/csv"), also("application/x-ndjson"))},
		{"GET", "/api/v1/costs/totals", "costs:read", "What everything adds up to.", handler(a.totals)},
		{"GET", "/api/v1/costs/breakdown", "costs:read", "What was spent by model, provider, agent, user, key and more; the dearest first.", handler(a.breakdown)},
		{"GET", "/api/v1/costs/trend", "costs:read", "What was spent by hour or day, without gaps.", handler(a.trend)},
		{"GET", "/api/v1/costs/burn", "costs:read", "How fast money goes, and where the month will end.", handler(a.burn)},
		{"GET", "/api/v1/costs/forecast", "costs:read", "What the next days will probably cost, with intervals and how wrong it was before.", handler(a.forecast)},
		{"GET", "/api/v1/costs/advice", "costs:read", "What would have cost less, with evidence.", handler(a.advice)},
		{"POST", "/api/v1/costs/reconcile", "costs:read", "Compare a provider's invoice (CSV) with the ledger.", handler(a.reconcile, quiet)},
		{"GET", "/api/v1/costs/budgets", "costs:read", "Budgets, with where each stands.", handler(a.budgets)},
		{"POST", "/api/v1/costs/budgets", "costs:write", "Limit spending for a scope and a period.", handler(a.createBudget, status(http.StatusCreated))},
		{"GET", "/api/v1/costs/budgets/{budget}", "costs:read", "One budget.", handler(a.budget)},
		{"PATCH", "/api/v1/costs/budgets/{budget}", "costs:write", "Change a budget.", handler(a.changeBudget)},
		{"DELETE", "/api/v1/costs/budgets/{budget}", "costs:write", "Remove a budget; records stay.", handler(a.deleteBudget)},
		{"POST", "/api/v1/costs/budgets/{budget}/grant", "costs:write", "Allow more in the current period.", handler(a.grant)},
		{"GET", "/api/v1/costs/budgets/{budget}/projection", "costs:read", "Where a budget will be at the end of its period.", handler(a.projection)},
	}
}

// costsFilter narrows what is read.
type costsFilter struct {
	Since        time.Time `query:"since" doc:"Not before this moment."`
	Until        time.Time `query:"until" doc:"Before this moment."`
	User         string    `query:"user" max:"128"`
	Key          string    `query:"key" max:"128"`
	Agent        string    `query:"agent" max:"128"`
	Run          string    `query:"run" max:"128"`
	Conversation string    `query:"conversation" max:"128"`
	Project      string    `query:"project" max:"128"`
	Workflow     string    `query:"workflow" max:"128"`
	Door         string    `query:"door" max:"64"`
	Model        string    `query:"model" max:"256"`
	Provider     string    `query:"provider" max:"64"`
	Outcome      string    `query:"outcome" max:"32"`
}

func (f costsFilter) query(p page.Query) costs.Query {
	return costs.Query{
		Query: p, Since: f.Since, Until: f.Until, User: f.User, Key: f.Key, Agent: f.Agent, Run: f.Run, Conversation: f.Conversation,
		Project: f.Project, Workflow: f.Workflow, Door: f.Door, Model: f.Model, Provider: f.Provider, Outcome: f.Outcome,
	}
}

type recordsQuery struct {
	listQuery
	costsFilter
}

func (a costsAPI) records(ctx context.Context, in recordsQuery) (page.Page[costs.Record], error) {
	return a.ledger.Records(ctx, workspaceOf(ctx), in.query(in.Query))
}

type recordPath struct {
	Record ids.Usage `path:"record"`
}

func (a costsAPI) record(ctx context.Context, in recordPath) (costs.Record, error) {
	return a.ledger.Record(ctx, workspaceOf(ctx), in.Record)
}

type costsExportQuery struct {
	costsFilter
	Format string `query:"format" enum:"csv,jsonl" doc:"csv if left out."`
}

func (a costsAPI) export(c *call, in costsExportQuery) error {
	format := cmp.Or(in.Format, "csv")
	c.attach("costs", format)
	if format == "jsonl" {
		return a.ledger.ExportJSONL(c.ctx, workspaceOf(c.ctx), in.query(page.Query{}), steady{c})
	}
	return a.ledger.ExportCSV(c.ctx, workspaceOf(c.ctx), in.query(page.Query{}), steady{c})
}

func (a costsAPI) totals(ctx context.Context, in costsFilter) (costs.Sums, error) {
	return a.ledger.Totals(ctx, workspaceOf(ctx), in.query(page.Query{}))
}

type breakdownQuery struct {
	costsFilter
	By    string `query:"by" required:"true" max:"32" doc:"model, provider, agent, user, key, door, conversation, outcome, day and more."`
	Limit int    `query:"limit" min:"1" max:"500" doc:"50 if left out."`
}

func (a costsAPI) breakdown(ctx context.Context, in breakdownQuery) (page.Page[costs.Share], error) {
	return whole(a.ledger.Breakdown(ctx, workspaceOf(ctx), in.By, in.query(page.Query{Limit: in.Limit})))
}

type trendQuery struct {
	costsFilter
	Step string `query:"step" enum:"hour,day" doc:"day if left out."`
	Zone string `query:"zone" max:"64" doc:"Whose days, such as Europe/Berlin; UTC if left out."`
}

func (a costsAPI) trend(ctx context.Context, in trendQuery) (page.Page[costs.Point], error) {
	step := costs.Step(cmp.Or(in.Step, string(costs.PerDay)))
	return whole(a.ledger.Trend(ctx, workspaceOf(ctx), step, cmp.Or(in.Zone, "UTC"), in.query(page.Query{})))
}

type zoneQuery struct {
	costsFilter
	Zone string `query:"zone" max:"64" doc:"Whose month, such as Europe/Berlin; UTC if left out."`
}

func (a costsAPI) burn(ctx context.Context, in zoneQuery) (costs.Burn, error) {
	return a.ledger.Burn(ctx, workspaceOf(ctx), cmp.Or(in.Zone, "UTC"), in.query(page.Query{}))
}

type forecastQuery struct {
	costsFilter
	Method string `query:"method" enum:"linear,holt,ensemble" doc:"ensemble if left out."`
	Days   int    `query:"days" min:"1" max:"92" doc:"30 if left out."`
	Zone   string `query:"zone" max:"64" doc:"UTC if left out."`
}

func (a costsAPI) forecast(ctx context.Context, in forecastQuery) (costs.Forecast, error) {
	method := costs.Method(cmp.Or(in.Method, string(costs.Ensemble)))
	return a.ledger.Forecast(ctx, workspaceOf(ctx), method, cmp.Or(in.Days, 30), cmp.Or(in.Zone, "UTC"), in.query(page.Query{}))
}

type adviceQuery struct {
	Since time.Time `query:"since" doc:"30 days ago if left out."`
}

func (a costsAPI) advice(ctx context.Context, in adviceQuery) (page.Page[costs.Advice], error) {
	return whole(a.ledger.Advise(ctx, workspaceOf(ctx), in.Since))
}

type reconcileRequest struct {
	Provider  string       `json:"provider" required:"true" max:"64"`
	Invoice   string       `json:"invoice" required:"true" doc:"The provider's usage export as CSV text: a day, a model and an amount in dollars."`
	Tolerance costs.Micros `json:"tolerance" min:"0" doc:"How far amounts may differ, in micro-dollars."`
}

func (a costsAPI) reconcile(ctx context.Context, in reconcileRequest) (costs.Reconciliation, error) {
	lines, err := costs.ParseInvoice(bytes.NewReader([]byte(in.Invoice)))
	if err != nil {
		return costs.Reconciliation{}, err
	}
	return a.ledger.Reconcile(ctx, workspaceOf(ctx), in.Provider, lines, in.Tolerance)
}

func (a costsAPI) budgets(ctx context.Context, in listQuery) (page.Page[costs.BudgetStatus], error) {
	rows, err := a.ledger.Budgets(ctx, workspaceOf(ctx))
	return pieceOf(in, rows, err, func(b costs.BudgetStatus) string { return string(b.ID) })
}

type budgetRequest struct {
	Name       string   `json:"name" max:"200"`
	Scope      string   `json:"scope" enum:"workspace,user,key,agent,model,project,workflow" doc:"workspace if left out."`
	ScopeID    string   `json:"scope_id" max:"200" doc:"Which user, key, agent …; none for the workspace."`
	Period     string   `json:"period" enum:"daily,weekly,monthly,total" doc:"monthly if left out."`
	Zone       string   `json:"zone" max:"64" doc:"Whose clocks; UTC if left out."`
	Unit       string   `json:"unit" enum:"money,premium" doc:"money if left out."`
	Amount     int64    `json:"amount" required:"true" min:"1" doc:"Micro-dollars (a dollar is 1000000), or thousandths of a premium request."`
	Thresholds []int    `json:"thresholds" max:"20" doc:"Percentages that warn; 50, 80, 95 if left out."`
	AtLimit    string   `json:"at_limit" enum:"alert,throttle,ask,block" doc:"block if left out."`
	Rollover   bool     `json:"rollover"`
	Notify     ids.User `json:"notify" doc:"Who is told; the caller if left out."`
}

func (a costsAPI) createBudget(ctx context.Context, in budgetRequest) (costs.BudgetStatus, error) {
	id := identity.From(ctx)
	return a.ledger.CreateBudget(ctx, id.Workspace, costs.Budget{
		Name: in.Name, Scope: costs.Scope(in.Scope), ScopeID: in.ScopeID, Period: costs.Period(in.Period), Zone: in.Zone, Unit: costs.Unit(in.Unit),
		Amount: in.Amount, Thresholds: in.Thresholds, AtLimit: costs.AtLimit(in.AtLimit), Rollover: in.Rollover, Enabled: true, Notify: cmp.Or(in.Notify, id.User),
	})
}

type budgetPath struct {
	Budget ids.Budget `path:"budget"`
}

func (a costsAPI) budget(ctx context.Context, in budgetPath) (costs.BudgetStatus, error) {
	return a.ledger.Budget(ctx, workspaceOf(ctx), in.Budget)
}

type budgetChange struct {
	budgetPath
	Name       *string   `json:"name" max:"200"`
	Amount     *int64    `json:"amount" min:"1"`
	Thresholds *[]int    `json:"thresholds" max:"20"`
	AtLimit    *string   `json:"at_limit" enum:"alert,throttle,ask,block"`
	Rollover   *bool     `json:"rollover"`
	Enabled    *bool     `json:"enabled"`
	Notify     *ids.User `json:"notify"`
}

func (a costsAPI) changeBudget(ctx context.Context, in budgetChange) (costs.BudgetStatus, error) {
	change := costs.Change{Name: in.Name, Amount: in.Amount, Thresholds: in.Thresholds, Rollover: in.Rollover, Enabled: in.Enabled, Notify: in.Notify}
	if in.AtLimit != nil {
		at := costs.AtLimit(*in.AtLimit)
		change.AtLimit = &at
	}
	return a.ledger.ChangeBudget(ctx, workspaceOf(ctx), in.Budget, change)
}

func (a costsAPI) deleteBudget(ctx context.Context, in budgetPath) (nothing, error) {
	return nothing{}, a.ledger.DeleteBudget(ctx, workspaceOf(ctx), in.Budget)
}

type grantRequest struct {
	budgetPath
	Amount int64 `json:"amount" required:"true" min:"1" doc:"In the budget's unit, as its amount."`
}

func (a costsAPI) grant(ctx context.Context, in grantRequest) (costs.BudgetStatus, error) {
	return a.ledger.Grant(ctx, workspaceOf(ctx), in.Budget, in.Amount)
}

func (a costsAPI) projection(ctx context.Context, in budgetPath) (costs.Projection, error) {
	return a.ledger.Project(ctx, workspaceOf(ctx), in.Budget)
}

// attach makes the answer a file to keep.
func (c *call) attach(name, format string) {
	kinds := map[string]string{"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson", "json": "application/json", "md": "text/markdown; charset=utf-8", "yaml": "application/yaml"}
	h := c.w.Header()
	h.Set("Content-Type", kinds[format])
	h.Set("Content-Disposition", "attachment; filename="+strconv.Quote(name+"-"+time.Now().UTC().Format("2006-01-02")+"."+format))
}
