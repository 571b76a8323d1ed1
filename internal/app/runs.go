package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/demo"
	"github.com/fluxway/fluxway/internal/runs"
)

// openRuns builds the desk where requests are worked on.
func (a *App) openRuns() (err error) {
	remembers, briefer := recollection{a.memory}, agents.NewBriefer(agents.BrieferOptions{Projects: a.projects, Shelf: a.plugins.Shelf})
	if err := a.toolbox.Put("skills", briefer.SkillTool()); err != nil {
		return err
	}
	journal := ""
	if a.alone() {
		journal = a.data.journal()
	}
	a.runs, err = runs.New(runs.Options{
		DB: a.db, Hub: a.hub, Jobs: a.queue, Conversations: a.conversations, Agents: a.agents, Log: a.log,
		Model: a.models.find, Cheap: a.cheap, Route: a.route, Tools: a.toolbox, Context: a.contextOf, Folder: a.workFolder, Guidance: a.guidance(briefer),
		Recaller: remembers, Observer: remembers, Picker: remembers, Keep: a.cfg.Retention.Bodies.Std(), Withdraw: a.withdraw, Overdraw: a.guard.Overdraw, Over: a.browser.RunOver, Member: a.member, Journal: journal,
		Hooks: a.runHooks,
	})
	return err
}

// member answers with a fault when a user is not in a workspace any more.
func (a *App) member(ctx context.Context, ws ids.Workspace, user ids.User) error {
	_, err := a.directory.Member(identity.With(ctx, &identity.Identity{Workspace: ws}), user)
	return err
}

// agentProvider is what agents are asked as by those who want a model: agent/assistant.
const agentProvider = "agent"

// agentModels is the agents as models, for parts that are built before the desk is.
type agentModels struct{ a *App }

// Stream asks an agent.
func (m agentModels) Stream(ctx context.Context, req *providers.Request) (providers.Stream, error) {
	return m.a.runs.Agents().Stream(ctx, req)
}

// contextOf is how many tokens a model can read, as far as the catalogue knows.
func (a *App) contextOf(model string) int64 {
	e, _ := a.catalogue.Find(model)
	return e.Context
}

// workFolder is where the tools of a run work: the folder of its project, or one that the workspace has for all
// that belongs to no project.
func (a *App) workFolder(ctx context.Context, ws ids.Workspace, project string) (string, error) {
	if project != "" {
		p, err := a.projects.Get(ctx, ws, ids.Project(project))
		return p.Folder, err
	}
	dir := a.data.Files(ws)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making the folder for files: %w", err)
	}
	return dir, nil
}

// Files is where agents of a workspace keep files that belong to no project.
func (d Data) Files(ws ids.Workspace) string { return filepath.Join(d.Dir, filesDir, string(ws)) }

// filesDir is the one part of the data folder that tools may touch.
const filesDir = "files"

// guidance is what a project's own files and plugins tell its agents.
func (a *App) guidance(b *agents.Briefer) func(ctx context.Context, ws ids.Workspace, project string) (string, error) {
	return func(ctx context.Context, ws ids.Workspace, project string) (string, error) {
		if project == "" {
			return b.Guidance(ctx, ws, "")
		}
		p, err := a.projects.Get(ctx, ws, ids.Project(project))
		if err != nil {
			return "", err
		}
		return b.Guidance(ctx, ws, p.Folder)
	}
}

// recollection is memory as runs ask it.
type recollection struct{ mind *memory.Mind }

// Recall finds what is known about a question.
func (r recollection) Recall(ctx context.Context, q runs.Question) (string, []conversations.Recalled, error) {
	found, err := r.mind.Recall(ctx, memory.Query{
		Workspace: q.Workspace, User: q.User, Agent: q.Agent.Name, Project: q.Project, Text: q.Text, Not: q.Conversation, Knowledge: q.Agent.Memory.Knowledge,
	})
	if len(found) == 0 {
		return "", nil, err
	}
	var b strings.Builder
	b.WriteString(demo.Known + " and may matter now. It may be out of date; what the person says now counts more.")
	facts := make([]conversations.Recalled, len(found))
	for i, f := range found {
		fmt.Fprintf(&b, "\n- %s", f.Text)
		if from := f.From(); from != "" {
			fmt.Fprintf(&b, " [%s]", from)
		}
		facts[i] = conversations.Recalled{
			ID: f.ID, Kind: string(f.Kind), Text: f.Text, Source: f.From(), Score: f.Score, Conversation: f.Source.Conversation, Message: f.Source.Message,
		}
	}
	return b.String(), facts, nil
}

// Pick chooses what of a long conversation a model is given.
func (r recollection) Pick(ctx context.Context, q runs.Question, said []runs.Said, room runs.Room) []int {
	list := make([]memory.Said, len(said))
	for i, s := range said {
		list[i] = memory.Said{Message: s.Message, Text: s.Text, Tokens: int(s.Tokens)}
	}
	list[len(list)-1].Keep = true // the question itself
	return r.mind.Pick(ctx, memory.Owner{Workspace: q.Workspace, User: q.User}, list, q.Text,
		memory.Window{Tokens: int(room.Tokens), Messages: room.Messages, Conversation: q.Conversation})
}

// Observe lets memory learn from an exchange.
func (r recollection) Observe(ctx context.Context, e runs.Exchange) error {
	known := make([]string, len(e.Recalled))
	for i, f := range e.Recalled {
		known[i] = f.ID
	}
	if demo.Canned(e.Answer) {
		e.Answer = ""
	}
	return r.mind.Observe(ctx, memory.Exchange{
		Workspace: e.Workspace, User: e.User, Agent: e.Agent.Name, Project: e.Project, Conversation: e.Conversation, Run: e.Run,
		Message: e.Asked, Asked: e.Text, Reply: e.Answered, Answered: e.Answer, Recalled: known,
	})
}
