package api

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/tools"
)

// guardAPI is what agents may do, what they asked, and what they did.
type guardAPI struct {
	s     *Server
	guard *guard.Guard
	box   *tools.Toolbox
}

func (a guardAPI) routes() []route {
	return []route{
		{"GET", "/api/v1/guard/approvals", "guard:read", "Questions to people about calls of tools, the newest first.", handler(a.approvals)},
		{"GET", "/api/v1/guard/approvals/{approval}", "guard:read", "One of them.", handler(a.approval)},
		{"POST", "/api/v1/guard/approvals/{approval}/answer", "guard:approve", "Approve or deny, by the id or the code; the run that waits goes on.", handler(a.answer)},
		{"GET", "/api/v1/guard/allowed", "guard:read", "Calls that need not be asked about.", handler(a.allowed)},
		{"POST", "/api/v1/guard/allowed", "guard:write", "Allow a command, or every call of a tool, for a while.", handler(a.allow, status(http.StatusCreated))},
		{"DELETE", "/api/v1/guard/allowed/{allowance}", "guard:write", "Ask about it again.", handler(a.disallow)},
		{"GET", "/api/v1/guard/audit", "guard:read", "Every call of a tool with its ruling, the newest first.", handler(a.calls)},
		{"GET", "/api/v1/guard/audit/export", "guard:read", "The calls as a file, the oldest first.", door(a.export, media("text/csv"), also("application/x-ndjson"))},
		{"GET", "/api/v1/guard/audit/rules", "guard:read", "How often each rule decided, and was called wrong.", handler(a.rules)},
		{"GET", "/api/v1/guard/audit/{call}", "guard:read", "One call.", handler(a.call)},
		{"GET", "/api/v1/guard/denied", "guard:read", "Calls that were refused, the newest first.", handler(a.denied)},
		{"POST", "/api/v1/guard/feedback", "guard:approve", "Say that a ruling was right or wrong.", handler(a.feedback)},
		{"GET", "/api/v1/guard/policy", "guard:read", "What agents of the workspace may do.", handler(a.policy)},
		{"PUT", "/api/v1/guard/policy", "guard:write", "Set what agents of the workspace may do.", handler(a.setPolicy)},
		{"DELETE", "/api/v1/guard/policy", "guard:write", "Go back to the policy of the settings.", handler(a.resetPolicy)},
		{"GET", "/api/v1/guard/packs", "guard:read", "The packs of rules about commands.", handler(a.packs)},
		{"POST", "/api/v1/guard/check", "guard:read", "Say what would be thought of a command; nothing is kept.", handler(a.check, quiet)},
		{"POST", "/api/v1/guard/judge", "tools:use", "Judge a command of an outside agent by the workspace's policy, and keep it in the journal.", handler(a.judge, quiet)},
	}
}

type approvalsQuery struct {
	listQuery
	State string `query:"state" enum:"asked,approved,denied,expired,used,withdrawn"`
	Kind  string `query:"kind" enum:"ask,exception,budget" doc:"ask: whatever waits, budgets included. exception: it was refused and may be let through. budget: a run waits at the limit of a budget."`
	Run   string `query:"run" max:"128"`
}

func (a guardAPI) approvals(ctx context.Context, in approvalsQuery) (page.Page[guard.Approval], error) {
	return a.guard.Approvals(ctx, workspaceOf(ctx), guard.ApprovalFilter{Query: in.Query, State: guard.State(in.State), Kind: in.Kind, Run: ids.Run(in.Run)})
}

type approvalPath struct {
	Approval string `path:"approval" doc:"The id, or the code while it is asked."`
}

func (a guardAPI) approval(ctx context.Context, in approvalPath) (guard.Approval, error) {
	return a.guard.FindApproval(ctx, workspaceOf(ctx), in.Approval)
}

type approvalAnswer struct {
	approvalPath
	Decision string `json:"decision" required:"true" enum:"approve,deny"`
	Scope    string `json:"scope" enum:"once,run,project,time,always" doc:"How far a yes reaches; once if left out."`
	Covers   string `json:"covers" enum:"call,tool" doc:"With a scope beyond once: this exact call, or every call of the tool."`
	Minutes  int    `json:"minutes" min:"0" max:"525600" doc:"How long the scope lasts; an hour with time, 90 days with the others if left out."`
	Words    string `json:"words" max:"2000" doc:"For the agent."`
	Via      string `json:"via" max:"40" doc:"Where the answer was given: web, phone, cli; api if left out."`
}

func (a guardAPI) answer(ctx context.Context, in approvalAnswer) (guard.Approval, error) {
	id := identity.From(ctx)
	if err := a.mayOverdraw(ctx, id, in); err != nil {
		return guard.Approval{}, err
	}
	if err := a.mustConfirm(ctx, id, in); err != nil {
		return guard.Approval{}, err
	}
	return a.guard.Answer(ctx, id.Workspace, in.Approval, guard.Answer{
		Approve: in.Decision == "approve", Scope: guard.Scope(in.Scope), Covers: guard.Covers(in.Covers), For: time.Duration(in.Minutes) * time.Minute,
		Words: in.Words, By: id.User, Via: cmp.Or(in.Via, "api"),
	})
}

// mayOverdraw keeps money with those who have it: to let a run spend beyond a budget is to raise it.
func (a guardAPI) mayOverdraw(ctx context.Context, id *identity.Identity, in approvalAnswer) error {
	if in.Decision != "approve" || id.May("costs:write") {
		return nil
	}
	asked, err := a.guard.FindApproval(ctx, id.Workspace, in.Approval)
	if err != nil || asked.Kind != guard.KindBudget {
		return err
	}
	return id.Must("costs:write")
}

// mustConfirm has somebody in a browser confirm a dangerous yes with their passkey, if they have one here. A no needs nothing.
func (a guardAPI) mustConfirm(ctx context.Context, id *identity.Identity, in approvalAnswer) error {
	if in.Decision != "approve" || id.Session == "" {
		return nil
	}
	asked, err := a.guard.FindApproval(ctx, id.Workspace, in.Approval)
	if err != nil || asked.State != guard.StateAsked || !asked.Dangerous() {
		return err
	}
	site, why := a.s.pageOf(ctx)
	return a.s.directory.MustConfirm(ctx, site.Because(why))
}

func (a guardAPI) allowed(ctx context.Context, in listQuery) (page.Page[guard.Allowance], error) {
	return a.guard.Allowances(ctx, workspaceOf(ctx), in.Query)
}

type allowanceRequest struct {
	Tool    string `json:"tool" max:"64" doc:"run_command if left out."`
	Command string `json:"command" max:"100000" doc:"The exact command; left out: every call of the tool, which must not be one that runs commands."`
	Network bool   `json:"network" doc:"The command may talk to other machines."`
	Folder  string `json:"folder" max:"4096" doc:"Only there; absolute. Left out: anywhere."`
	Agent   string `json:"agent" max:"128" doc:"Only this agent; left out: all."`
	Minutes int    `json:"minutes" min:"0" max:"525600" doc:"How long; 90 days if left out."`
	Note    string `json:"note" max:"2000"`
}

func (a guardAPI) allow(ctx context.Context, in allowanceRequest) (guard.Allowance, error) {
	id := identity.From(ctx)
	return a.guard.Allow(ctx, id.Workspace, guard.NewAllowance{
		Tool: in.Tool, Command: in.Command, Network: in.Network, Folder: in.Folder, Agent: in.Agent, For: time.Duration(in.Minutes) * time.Minute, Note: in.Note, By: id.User,
	})
}

type allowancePath struct {
	Allowance ids.Allowance `path:"allowance"`
}

func (a guardAPI) disallow(ctx context.Context, in allowancePath) (nothing, error) {
	id := identity.From(ctx)
	return nothing{}, a.guard.Disallow(ctx, id.Workspace, in.Allowance, id.User)
}

// callsFilter narrows the journal.
type callsFilter struct {
	Since        time.Time `query:"since" doc:"Not before this moment."`
	Until        time.Time `query:"until" doc:"Before this moment."`
	Verdict      string    `query:"verdict" enum:"allow,ask,refuse"`
	Tool         string    `query:"tool" max:"64"`
	Agent        string    `query:"agent" max:"128"`
	User         string    `query:"user" max:"128"`
	Run          string    `query:"run" max:"128"`
	Conversation string    `query:"conversation" max:"128"`
	Rule         string    `query:"rule" max:"128"`
	Door         string    `query:"door" max:"64"`
	Outcome      string    `query:"outcome" enum:"started,ok,error,refused,waiting,cancelled"`
	Feedback     string    `query:"feedback" enum:"wrong,right"`
}

func (f callsFilter) filter(q page.Query) guard.CallFilter {
	return guard.CallFilter{
		Query: q, Since: f.Since, Until: f.Until, Verdict: f.Verdict, Tool: f.Tool, Agent: f.Agent, User: f.User, Run: f.Run,
		Conversation: f.Conversation, Rule: f.Rule, Door: f.Door, Outcome: f.Outcome, Feedback: f.Feedback,
	}
}

type callsQuery struct {
	listQuery
	callsFilter
}

func (a guardAPI) calls(ctx context.Context, in callsQuery) (page.Page[guard.ToolCall], error) {
	return a.guard.Calls(ctx, workspaceOf(ctx), in.filter(in.Query))
}

func (a guardAPI) denied(ctx context.Context, in callsQuery) (page.Page[guard.ToolCall], error) {
	f := in.filter(in.Query)
	f.Verdict = "refuse"
	return a.guard.Calls(ctx, workspaceOf(ctx), f)
}

func (a guardAPI) rules(ctx context.Context, in callsFilter) (page.Page[guard.RuleCount], error) {
	return whole(a.guard.Rules(ctx, workspaceOf(ctx), in.filter(page.Query{})))
}

type callPath struct {
	Call ids.ToolCall `path:"call"`
}

func (a guardAPI) call(ctx context.Context, in callPath) (guard.ToolCall, error) {
	return a.guard.Call(ctx, workspaceOf(ctx), in.Call)
}

type callsExportQuery struct {
	callsFilter
	Format string `query:"format" enum:"csv,jsonl" doc:"csv if left out."`
}

func (a guardAPI) export(c *call, in callsExportQuery) error {
	format := cmp.Or(in.Format, "csv")
	c.attach("calls", format)
	if format == "jsonl" {
		return a.guard.ExportJSONL(c.ctx, workspaceOf(c.ctx), in.filter(page.Query{}), steady{c})
	}
	return a.guard.ExportCSV(c.ctx, workspaceOf(c.ctx), in.filter(page.Query{}), steady{c})
}

type feedbackRequest struct {
	Call     ids.ToolCall `json:"call" required:"true"`
	Feedback string       `json:"feedback" required:"true" enum:"wrong,right" doc:"wrong: something harmless was stopped, or something harmful was not."`
	Words    string       `json:"words" max:"2000"`
}

func (a guardAPI) feedback(ctx context.Context, in feedbackRequest) (guard.ToolCall, error) {
	id := identity.From(ctx)
	return a.guard.GiveFeedback(ctx, id.Workspace, in.Call, id.User, guard.Feedback(in.Feedback), in.Words)
}

func (a guardAPI) policy(ctx context.Context, _ none) (guard.Policy, error) {
	return a.guard.Policy(ctx, workspaceOf(ctx))
}

type policyRequest struct{ guard.Policy }

func (a guardAPI) setPolicy(ctx context.Context, in policyRequest) (guard.Policy, error) {
	id := identity.From(ctx)
	if err := a.guard.SetPolicy(ctx, id.Workspace, id.User, in.Policy); err != nil {
		return guard.Policy{}, err
	}
	return a.guard.Policy(ctx, id.Workspace)
}

func (a guardAPI) resetPolicy(ctx context.Context, _ none) (guard.Policy, error) {
	id := identity.From(ctx)
	if err := a.guard.ResetPolicy(ctx, id.Workspace, id.User); err != nil {
		return guard.Policy{}, err
	}
	return a.guard.Policy(ctx, id.Workspace)
}

func (a guardAPI) packs(context.Context, none) (page.Page[guard.PackInfo], error) {
	return whole(a.guard.Packs())
}

type checkRequest struct {
	Command string `json:"command" required:"true" max:"200000"`
	Folder  string `json:"folder" max:"4096" doc:"Where it would run; absolute."`
	Shell   string `json:"shell" enum:"bash,sh,zsh,mksh" doc:"bash if left out."`
}

func (a guardAPI) check(ctx context.Context, in checkRequest) (guard.CommandRuling, error) {
	return a.guard.Check(ctx, guard.Command{Text: in.Command, Dir: in.Folder, Shell: in.Shell})
}

type judgeRequest struct {
	Command string `json:"command" required:"true" max:"200000"`
	Folder  string `json:"folder" max:"4096"`
	Agent   string `json:"agent" max:"128"`
	Tool    string `json:"tool" max:"128"`
	Call    string `json:"call" max:"256"`
}

// judged is the ruling on a command of an outside agent.
type judged struct {
	Verdict  string       `json:"verdict"`
	Rule     string       `json:"rule,omitempty"`
	Reason   string       `json:"reason,omitempty"`
	Hint     string       `json:"hint,omitempty"`
	Approval ids.Approval `json:"approval,omitempty"`
	Code     string       `json:"code,omitempty" doc:"With which a person can answer, or make an exception."`
}

func (a guardAPI) judge(ctx context.Context, in judgeRequest) (judged, error) {
	id := identity.From(ctx)
	spec, call, err := guard.Outside{
		Workspace: id.Workspace, User: id.User, Agent: in.Agent, Tool: in.Tool, Call: in.Call, Command: in.Command, Folder: in.Folder,
	}.ToolCall()
	if err != nil {
		return judged{}, err
	}
	r, err := a.box.Outside(ctx, spec, call)
	if err != nil {
		return judged{}, err
	}
	out := judged{Verdict: string(r.Verdict), Rule: r.Rule, Reason: r.Reason, Hint: r.Hint}
	if r.Verdict == tools.Allow || !strings.HasPrefix(r.Ticket, ids.Approval("").Prefix()+"_") {
		return out, nil
	}
	asked, err := a.guard.Approval(ctx, id.Workspace, ids.Approval(r.Ticket))
	out.Approval, out.Code = asked.ID, asked.Code
	return out, err
}
