package runs

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

const (
	// startKind is the job by which a schedule asks an agent.
	startKind = "runs.start"
	// scheduleDoor is the door of runs that a schedule started.
	scheduleDoor = "schedule"
)

// Scheduled is what a schedule asks, each time in a conversation of its own.
type Scheduled struct {
	Agent   string   `json:"agent"`
	Message string   `json:"message"`
	Project string   `json:"project,omitempty"`
	User    ids.User `json:"user"` // who made the schedule: for whom, and with whose rights, the agent works
}

// unattended reports whether nobody is there who could be asked: a schedule started the run, and no person has it done again.
func (r Run) unattended() bool { return r.Door == scheduleDoor && r.Reason == "" }

// schedule checks what a person wants an agent to be asked again and again.
func (d *Desk) schedule(ctx context.Context, ws ids.Workspace, args json.RawMessage) (any, error) {
	var s Scheduled
	if err := json.Unmarshal(args, &s); err != nil {
		return nil, fault.New(fault.Invalid, "bad_schedule", "What the agent is to be asked cannot be read.").WithParam("args").
			WithHint(`It looks like {"agent":"assistant","message":"What is new?"}.`).Because(err)
	}
	if s.Agent == "" {
		return nil, fault.New(fault.Invalid, "missing_agent", "The schedule does not say whom to ask.").WithParam("args.agent").WithHint("GET /api/v1/agents lists them.")
	}
	if err := checkMessage(s.Message); err != nil {
		return nil, err
	}
	if _, err := d.opts.Agents.Get(ctx, ws, s.Agent); err != nil {
		return nil, err
	}
	if d.opts.Folder != nil && s.Project != "" {
		if _, err := d.opts.Folder(ctx, ws, s.Project); err != nil {
			return nil, err
		}
	}
	if id := identity.From(ctx); id != nil {
		s.User = id.User
	}
	return s, nil
}

// startScheduled starts the run of a schedule. The run is named after the job, so that a job which is done again after
// a crash finds it.
func (d *Desk) startScheduled(ctx context.Context, task *jobs.Task) (any, error) {
	var s Scheduled
	if err := task.Decode(&s); err != nil {
		return nil, err
	}
	id := ids.Run(ids.Run("").Prefix() + strings.TrimPrefix(string(task.ID), task.ID.Prefix()))
	started := map[string]any{"run": id}
	if _, err := d.one(ctx, id); err == nil || fault.From(err).Kind != fault.NotFound {
		return started, err
	}
	if d.opts.Member != nil {
		if err := d.opts.Member(ctx, task.Workspace, s.User); err != nil {
			return nil, err
		}
	}
	_, err := d.Start(ctx, conversations.Asker{Workspace: task.Workspace, User: s.User}, Request{
		Agent: s.Agent, Message: s.Message, Project: s.Project, Door: scheduleDoor, id: id,
	})
	return started, err
}
