package guard

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/store"
)

// Covers is what an entry of the list is about.
type Covers string

// What an entry can be about.
const (
	CoversCall Covers = "call" // one exact call
	CoversTool Covers = "tool" // every call of a tool; never of one that runs commands
)

// Allowance is one entry of the list of calls that need not be asked about.
type Allowance struct {
	ID        ids.Allowance `db:"id" json:"id"`
	Workspace ids.Workspace `db:"workspace_id" json:"-"`
	Hash      string        `db:"hash" json:"-"`
	Covers    Covers        `db:"covers" json:"covers"`
	Scope     Scope         `db:"scope" json:"scope"`
	Tool      string        `db:"tool" json:"tool"`
	Shown     string        `db:"shown" json:"shown"` // the command or the arguments
	Folder    string        `db:"folder" json:"folder,omitempty"`
	Agent     string        `db:"agent" json:"agent,omitempty"`
	Run       ids.Run       `db:"run_id" json:"run,omitempty"`
	Approval  ids.Approval  `db:"approval_id" json:"approval,omitempty"`
	Note      string        `db:"note" json:"note,omitempty"`
	CreatedBy ids.User      `db:"created_by" json:"created_by"`
	CreatedAt time.Time     `db:"created_at" json:"created_at"`
	ExpiresAt time.Time     `db:"expires_at" json:"expires_at"`
}

// wherever is the hash of an exact call in any folder.
func wherever(ws ids.Workspace, tool, exact string) string {
	return digest("anywhere", string(ws), tool, exact)
}

func inFolder(hash, dir string) string { return digest("in", hash, dir) }

func byAgent(hash, agent string) string { return digest("by", hash, agent) }

func wholeTool(ws ids.Workspace, tool string) string { return digest("tool", string(ws), tool) }

// allowed looks for an entry that covers the call.
func (g *Guard) allowed(ctx context.Context, j *judging, call string) (Allowance, bool, error) {
	tool := wholeTool(j.call.Workspace, j.spec.Name)
	callHere, toolHere, agent := inFolder(call, j.dir), inFolder(tool, j.dir), j.call.Agent
	entries, err := store.All[Allowance](ctx, g.db.Read(), selectAllowed, j.call.Workspace,
		call, callHere, byAgent(call, agent), byAgent(callHere, agent), tool, toolHere, byAgent(tool, agent), byAgent(toolHere, agent), g.now(), j.call.Run)
	if err != nil {
		return Allowance{}, false, fmt.Errorf("looking for what is allowed: %w", err)
	}
	for _, e := range entries {
		if e.Covers == CoversCall || !j.runs {
			return e, true, nil
		}
	}
	return Allowance{}, false, nil
}

// allowFrom makes the entry that an answer asks for.
func (g *Guard) allowFrom(ctx context.Context, tx *store.Tx, a Approval, answer Answer, now time.Time) error {
	e := Allowance{
		ID: ids.New[ids.Allowance](), Workspace: a.Workspace, Covers: answer.Covers, Scope: answer.Scope, Tool: a.Tool, Shown: a.Command, Agent: a.Agent,
		Approval: a.ID, Note: answer.Words, CreatedBy: answer.By, CreatedAt: now, ExpiresAt: now.Add(cmp.Or(answer.For, g.opts.Always)),
	}
	if e.Shown == "" {
		e.Shown = a.Args
	}
	hash := a.Anywhere
	if answer.Covers == CoversTool {
		if a.RunsCommand {
			return fault.New(fault.Invalid, "too_wide", "%s runs commands, so each is judged by itself.", a.Tool).WithParam("covers").WithHint("Approve this call only.")
		}
		hash, e.Shown = wholeTool(a.Workspace, a.Tool), ""
	}
	switch answer.Scope {
	case ForRun:
		e.Run = a.Run
	case ForTime:
		e.ExpiresAt = now.Add(cmp.Or(answer.For, time.Hour))
	case Once, ForProject, Always:
	}
	if answer.Scope != Always {
		e.Folder, hash = a.Dir, inFolder(hash, a.Dir)
	}
	e.Hash = byAgent(hash, a.Agent)
	return g.insertAllowance(ctx, tx, e)
}

func (g *Guard) insertAllowance(ctx context.Context, tx *store.Tx, e Allowance) error {
	_, err := tx.Exec(ctx, insertAllowed, e.ID, e.Workspace, e.Hash, e.Covers, e.Scope, e.Tool, cut(e.Shown, 8<<10), e.Folder, e.Agent, e.Run, e.Approval, e.Note,
		e.CreatedBy, e.CreatedAt, e.ExpiresAt)
	if err != nil {
		return fmt.Errorf("allowing %s: %w", e.Tool, err)
	}
	return g.hub.Append(ctx, tx, e.Workspace, Channel, Allowed{Allowance: e.ID, Tool: e.Tool, By: e.CreatedBy, Expires: e.ExpiresAt})
}

// NewAllowance is an entry that somebody makes without having been asked.
type NewAllowance struct {
	Tool    string // "": run_command
	Command string // of a tool that runs commands; "": every call of the tool
	Network bool   // the command may talk to other machines
	Folder  string // absolute; "": any
	Agent   string // "": any
	For     time.Duration
	Note    string
	By      ids.User
}

// commandTool is the tool whose commands are allowed unless another is named.
const commandTool = "run_command"

// Allow adds an entry to the list. A critical command cannot be on it.
func (g *Guard) Allow(ctx context.Context, ws ids.Workspace, n NewAllowance) (Allowance, error) {
	now := g.now()
	e := Allowance{
		ID: ids.New[ids.Allowance](), Workspace: ws, Covers: CoversTool, Scope: Always, Tool: cmp.Or(n.Tool, commandTool), Folder: n.Folder, Agent: n.Agent,
		Note: shown(n.Note, maxWords), CreatedBy: n.By, CreatedAt: now, ExpiresAt: now.Add(cmp.Or(n.For, g.opts.Always)),
	}
	hash := wholeTool(ws, e.Tool)
	if n.Command != "" && e.Tool != commandTool {
		return Allowance{}, fault.New(fault.Invalid, "no_command", "%s is allowed as a whole; only %s takes a command.", e.Tool, commandTool).WithParam("command").WithHint("Leave the command out.")
	}
	if n.Command != "" {
		r, err := g.Check(ctx, Command{Text: n.Command, Dir: n.Folder, Shell: "sh"})
		if err != nil {
			return Allowance{}, err
		}
		if r.Severity.String() == "critical" {
			return Allowance{}, fault.New(fault.Forbidden, "critical_once", "This command is critical: %s", r.Effect).
				WithHint("It can be approved once, when an agent asks.").WithParam("command")
		}
		e.Covers, e.Shown, hash = CoversCall, shown(n.Command, maxShown), wherever(ws, e.Tool, exactCommand(n.Command, n.Network))
	} else if e.Tool == commandTool {
		return Allowance{}, fault.New(fault.Invalid, "too_wide", "Not every command can be allowed at once.").WithParam("command").WithHint("Name the command.")
	}
	if n.Folder != "" {
		e.Scope, hash = ForProject, inFolder(hash, n.Folder)
	}
	if e.Hash = hash; n.Agent != "" {
		e.Hash = byAgent(hash, n.Agent)
	}
	return e, g.db.InTx(ctx, func(tx *store.Tx) error { return g.insertAllowance(ctx, tx, e) })
}

// Allowances lists the entries that count, the newest first.
func (g *Guard) Allowances(ctx context.Context, ws ids.Workspace, q page.Query) (page.Page[Allowance], error) {
	after, _, err := page.Decode[string](q.Cursor)
	if err != nil {
		return page.Page[Allowance]{}, err
	}
	rows, err := store.All[Allowance](ctx, g.db.Read(), listAllowed, ws, g.now(), after, after, q.Size()+1)
	if err != nil {
		return page.Page[Allowance]{}, fmt.Errorf("listing what is allowed: %w", err)
	}
	return page.Of(q, rows, func(a Allowance) string { return string(a.ID) }), nil
}

// Disallow removes an entry.
func (g *Guard) Disallow(ctx context.Context, ws ids.Workspace, id ids.Allowance, by ids.User) error {
	return g.db.InTx(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, deleteAllowed, ws, id)
		if err != nil {
			return fmt.Errorf("disallowing: %w", err)
		}
		if n == 0 {
			return fault.New(fault.NotFound, "allowance_not_found", "There is no entry %s.", id).WithHint("It may have expired; GET /api/v1/guard/allowed lists what counts.")
		}
		return g.hub.Append(ctx, tx, ws, Channel, Disallowed{Allowance: id, By: by})
	})
}
