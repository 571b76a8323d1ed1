package api

import (
	"context"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/page"
)

// conversationsAPI is what was said.
type conversationsAPI struct {
	s    *Server
	book *conversations.Book
}

func (a conversationsAPI) routes() []route {
	return []route{
		{"GET", "/api/v1/conversations", "conversations:read", "Conversations the caller may see, the last used first.", handler(a.list)},
		{"POST", "/api/v1/conversations", "conversations:write", "Open a conversation.", handler(a.create, status(201))},
		{"GET", "/api/v1/conversations/{conversation}", "conversations:read", "One conversation.", handler(a.get)},
		{"PATCH", "/api/v1/conversations/{conversation}", "conversations:write", "Change its title, pin, archive mark or who may see it.", handler(a.change)},
		{"DELETE", "/api/v1/conversations/{conversation}", "conversations:write", "Delete it and its messages for good.", handler(a.remove)},
		{"GET", "/api/v1/conversations/{conversation}/messages", "conversations:read", "What was said, the newest first.", handler(a.messages)},
		{"GET", "/api/v1/conversations/{conversation}/messages/{message}", "conversations:read", "One message.", handler(a.message)},
	}
}

func askerOf(id *identity.Identity) conversations.Asker {
	return conversations.Asker{Workspace: id.Workspace, User: id.User}
}

func asker(ctx context.Context) conversations.Asker { return askerOf(identity.From(ctx)) }

type conversationsQuery struct {
	listQuery
	Search   string `query:"search" max:"128" doc:"Words in the title."`
	Archived bool   `query:"archived" doc:"Those put away instead of those in use."`
}

func (a conversationsAPI) list(ctx context.Context, in conversationsQuery) (page.Page[conversations.Conversation], error) {
	return a.book.List(ctx, asker(ctx), conversations.Filter{Query: in.Query, Search: in.Search, Archived: in.Archived})
}

type newConversationRequest struct {
	Agent string `json:"agent" max:"128"`
	Title string `json:"title" max:"512"`
}

func (a conversationsAPI) create(ctx context.Context, in newConversationRequest) (conversations.Conversation, error) {
	return a.book.Create(ctx, asker(ctx), in.Agent, in.Title)
}

type conversationPath struct {
	Conversation ids.Conversation `path:"conversation"`
}

func (a conversationsAPI) get(ctx context.Context, in conversationPath) (conversations.Conversation, error) {
	return a.book.Get(ctx, asker(ctx), in.Conversation)
}

type conversationRequest struct {
	conversationPath
	Title      *string                   `json:"title" max:"512"`
	Visibility *conversations.Visibility `json:"visibility" enum:"private,workspace"`
	Pinned     *bool                     `json:"pinned"`
	Archived   *bool                     `json:"archived"`
}

func (a conversationsAPI) change(ctx context.Context, in conversationRequest) (conversations.Conversation, error) {
	c, err := a.book.Update(ctx, asker(ctx), in.Conversation, conversations.Change{
		Title: in.Title, Visibility: in.Visibility, Pinned: in.Pinned, Archived: in.Archived,
	})
	if err == nil && in.Visibility != nil {
		a.s.reauthorise(workspaceOf(ctx))
	}
	return c, err
}

func (a conversationsAPI) remove(ctx context.Context, in conversationPath) (nothing, error) {
	return nothing{}, a.book.Delete(ctx, asker(ctx), in.Conversation)
}

type messagesQuery struct {
	conversationPath
	listQuery
}

func (a conversationsAPI) messages(ctx context.Context, in messagesQuery) (page.Page[conversations.Message], error) {
	return a.book.Messages(ctx, asker(ctx), in.Conversation, in.Query)
}

type messagePath struct {
	conversationPath
	Message ids.Message `path:"message"`
}

func (a conversationsAPI) message(ctx context.Context, in messagePath) (conversations.Message, error) {
	return a.book.Message(ctx, asker(ctx), in.Conversation, in.Message)
}
