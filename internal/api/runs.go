package api

import (
	"context"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/runs"
)

// runsAPI is requests being worked on.
type runsAPI struct{ desk *runs.Desk }

func (a runsAPI) routes() []route {
	return []route{
		{"GET", "/api/v1/runs", "runs:read", "The caller's runs, newest first; of a conversation, everyone's.", handler(a.list)},
		{"GET", "/api/v1/runs/{run}", "runs:read", "One run, with the answer so far.", handler(a.get)},
		{"GET", "/api/v1/runs/{run}/steps", "runs:read", "What a run did, step by step, oldest first.", handler(a.steps)},
		{"GET", "/api/v1/runs/{run}/helpers", "runs:read", "The helpers of a run, oldest first.", handler(a.helpers)},
		{"POST", "/api/v1/runs/{run}/cancel", "runs:write", "Stop a run; what was answered so far is kept.", handler(a.cancel)},
		{"POST", "/api/v1/runs/{run}/messages", "runs:write", "Say something to a run that goes on, or to one of its helpers alone.",
			handler(a.steer, status(202), bodyLimit(conversations.MaxMessage+(64<<10)))},
		{"POST", "/api/v1/runs/{run}/answer", "runs:write", "Answer a question that a run waits for.", handler(a.answer, bodyLimit(conversations.MaxMessage+(64<<10)))},
		{"POST", "/api/v1/runs/{run}/retry", "runs:write", "Answer the same question again.", handler(a.retry, status(202))},
		{"POST", "/api/v1/runs/{run}/replay", "runs:write", "Answer the same question beside the conversation, with the same model or another.", handler(a.replay, status(202))},
		{"POST", "/api/v1/runs/{run}/fork", "runs:write", "Go on from a turn of an earlier run, in another way, beside the conversation.", handler(a.fork, status(202))},
		{"POST", "/api/v1/runs/{run}/continue", "runs:write", "Put the answer of a replay into its conversation, as a branch beside the others, and show it.", handler(a.goOn)},
		{"POST", "/api/v1/conversations/{conversation}/messages/{message}/regenerate", "runs:write", "Answer a message again, beside the old answer.", handler(a.regenerate, status(202))},
		{"POST", "/api/v1/conversations/{conversation}/messages/{message}/edit", "runs:write", "Say something else in place of a message: a new branch.",
			handler(a.edit, status(202), bodyLimit(conversations.MaxMessage+(64<<10)))},
		{"GET", "/api/v1/conversations/{conversation}/context", "runs:read", "What fills the context of the next message, by where it comes from.", handler(a.context)},
		{"POST", "/api/v1/broadcast", "runs:write", "Ask several agents the same, each in a conversation of its own.",
			handler(a.broadcast, status(202), bodyLimit(conversations.MaxMessage+(64<<10)))},
	}
}

type runsQuery struct {
	listQuery
	State        string           `query:"state" enum:"queued,running,waiting,finished,failed,cancelled"`
	Conversation ids.Conversation `query:"conversation"`
	Parent       ids.Run          `query:"parent" doc:"The helpers of this run."`
	Agent        string           `query:"agent"`
	Search       string           `query:"search" doc:"Words in what was asked."`
	Since        time.Time        `query:"since"`
	Until        time.Time        `query:"until"`
}

func (a runsAPI) list(ctx context.Context, in runsQuery) (page.Page[runs.Run], error) {
	return a.desk.List(ctx, asker(ctx), runs.Filter{
		Query: in.Query, State: runs.State(in.State), Conversation: in.Conversation, Parent: in.Parent, Agent: in.Agent, Search: in.Search, Since: in.Since, Until: in.Until,
	})
}

type runPath struct {
	Run ids.Run `path:"run"`
}

func (a runsAPI) get(ctx context.Context, in runPath) (runs.Run, error) {
	return a.desk.Get(ctx, asker(ctx), in.Run)
}

type stepsQuery struct {
	runPath
	listQuery
}

func (a runsAPI) steps(ctx context.Context, in stepsQuery) (page.Page[runs.Step], error) {
	return a.desk.Steps(ctx, asker(ctx), in.Run, in.Query)
}

func (a runsAPI) helpers(ctx context.Context, in stepsQuery) (page.Page[runs.Run], error) {
	all, err := a.desk.Helpers(ctx, asker(ctx), in.Run)
	return pieceOf(in.listQuery, all, err, func(r runs.Run) string { return string(r.ID) })
}

func (a runsAPI) cancel(ctx context.Context, in runPath) (runs.Run, error) {
	return a.desk.Cancel(ctx, asker(ctx), in.Run)
}

type steerRequest struct {
	runPath
	Message string `json:"message" required:"true" min:"1"`
}

func (a runsAPI) steer(ctx context.Context, in steerRequest) (runs.Steered, error) {
	return a.desk.Steer(ctx, asker(ctx), in.Run, in.Message)
}

type answerRequest struct {
	runPath
	Call    string   `json:"call" doc:"Which question; may be left out when there is one."`
	Answer  string   `json:"answer"`
	Answers []string `json:"answers" max:"12" doc:"The options that were chosen."`
}

func (a runsAPI) answer(ctx context.Context, in answerRequest) (runs.Run, error) {
	return a.desk.Answer(ctx, asker(ctx), in.Run, runs.Answer{Call: in.Call, Reply: agents.Reply{Text: in.Answer, Choices: in.Answers}})
}

type againRequest struct {
	runPath
	Model string `json:"model" doc:"The same if left out."`
}

func (a runsAPI) retry(ctx context.Context, in againRequest) (runs.Accepted, error) {
	return a.desk.Repeat(ctx, asker(ctx), in.Run, runs.Again{Reason: runs.Retried, Model: in.Model, Key: keyOf(ctx)})
}

type replayRequest struct {
	againRequest
	Tools runs.ToolMode `json:"tools" enum:"recorded,live,ask" doc:"What tools do: give what they gave then, work, or work once a person was asked about each change. Left out: recorded."`
}

func (a runsAPI) replay(ctx context.Context, in replayRequest) (runs.Accepted, error) {
	return a.desk.Repeat(ctx, asker(ctx), in.Run, runs.Again{Reason: runs.Replayed, Model: in.Model, Tools: in.Tools, Key: keyOf(ctx)})
}

func (a runsAPI) goOn(ctx context.Context, in runPath) (runs.Continued, error) {
	return a.desk.Continue(ctx, asker(ctx), in.Run)
}

type forkRequest struct {
	replayRequest
	Turn int `json:"turn" required:"true" min:"1" doc:"What was done up to this turn is taken over."`
}

func (a runsAPI) fork(ctx context.Context, in forkRequest) (runs.Accepted, error) {
	return a.desk.Repeat(ctx, asker(ctx), in.Run, runs.Again{Reason: runs.Forked, Model: in.Model, Turn: in.Turn, Tools: in.Tools, Key: keyOf(ctx)})
}

type regenerateRequest struct {
	Conversation ids.Conversation `path:"conversation"`
	Message      ids.Message      `path:"message"`
	Model        string           `json:"model" doc:"The same if left out."`
}

func (a runsAPI) regenerate(ctx context.Context, in regenerateRequest) (runs.Accepted, error) {
	return a.desk.Regenerate(ctx, asker(ctx), in.Conversation, in.Message, runs.Again{Reason: runs.Regenerated, Model: in.Model, Key: keyOf(ctx)})
}

type editRequest struct {
	Conversation ids.Conversation `path:"conversation"`
	ID           ids.Message      `path:"message"`
	Message      string           `json:"message" required:"true" min:"1"`
	Attachments  []ids.Attachment `json:"attachments" max:"16"`
	Model        string           `json:"model"`
}

func (a runsAPI) edit(ctx context.Context, in editRequest) (runs.Accepted, error) {
	return a.desk.Edit(ctx, asker(ctx), in.Conversation, in.ID, runs.Request{Message: in.Message, Attachments: in.Attachments, Model: in.Model, Key: keyOf(ctx)})
}

type contextQuery struct {
	Conversation ids.Conversation `path:"conversation"`
	Agent        string           `query:"agent" max:"128" doc:"The conversation's if left out."`
	Model        string           `query:"model" max:"256" doc:"The agent's own if left out."`
	Text         bool             `query:"text" doc:"With what is said, not only how much it is."`
}

func (a runsAPI) context(ctx context.Context, in contextQuery) (runs.Context, error) {
	return a.desk.ContextOf(ctx, asker(ctx), in.Conversation, in.Agent, in.Model, in.Text)
}

type broadcastRequest struct {
	Agents  []string `json:"agents" required:"true" min:"1" max:"16"`
	Message string   `json:"message" required:"true" min:"1"`
}

// Broadcast is the runs of one message, one for each agent.
type Broadcast struct {
	Data []runs.Accepted `json:"data"`
}

func (a runsAPI) broadcast(ctx context.Context, in broadcastRequest) (Broadcast, error) {
	all, err := a.desk.Broadcast(ctx, asker(ctx), in.Agents, runs.Request{Message: in.Message, Key: keyOf(ctx)})
	return Broadcast{all}, err
}

// keyOf is the API key of the caller, if it is a program.
func keyOf(ctx context.Context) ids.Key {
	if id := identity.From(ctx); id != nil {
		return id.Key
	}
	return ""
}
