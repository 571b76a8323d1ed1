package app

import (
	"context"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/runs"
)

// agentCaller has agents work for MCP clients: what they are asked becomes a conversation of the caller.
type agentCaller struct {
	desk *runs.Desk
	book *conversations.Book
}

// CallAgent asks an agent and waits for its answer, for as long as the client does; the run goes on without it.
func (c agentCaller) CallAgent(ctx context.Context, who *identity.Identity, agent, message string) (string, error) {
	asker := conversations.Asker{Workspace: who.Workspace, User: who.User}
	started, err := c.desk.Start(ctx, asker, runs.Request{Agent: agent, Message: message, Key: who.Key, Door: "mcp"})
	if err != nil {
		return "", err
	}
	run, err := c.desk.Wait(ctx, started.Run.ID)
	if err != nil {
		return "", err
	}
	if run.Error != nil {
		return "", fault.New(fault.Unavailable, run.Error.Code, "%s", run.Error.Message).WithHint("%s", run.Error.Hint)
	}
	answer, err := c.book.Message(ctx, asker, run.Conversation, run.Answer)
	if err != nil {
		return "", err
	}
	return conversations.Said(answer.Parts), nil
}
