package api

import (
	"cmp"
	"context"
	"encoding/json"
	"mime"
	"strings"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/providers"
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
		{"GET", "/api/v1/conversations/{conversation}/messages/{message}/versions", "conversations:read", "The messages in the same place: edits and repeated answers.", handler(a.versions)},
		{"GET", "/api/v1/conversations/search", "conversations:read", "Messages with these words, in every conversation the caller may see.", handler(a.search)},
		{"GET", "/api/v1/conversations/{conversation}/export", "conversations:read", "The whole conversation as a file.", door(a.export, media("application/json"), also("text/markdown"))},
		{"POST", "/api/v1/conversations/import", "conversations:write", "Make a conversation of an exported file.", handler(a.imports, status(201), bodyLimit(maxImport))},
		{"GET", "/api/v1/conversations/{conversation}/comments", "conversations:read", "What people remarked, oldest first.", handler(a.comments)},
		{"POST", "/api/v1/conversations/{conversation}/comments", "conversations:write", "Remark on a message.", handler(a.comment, status(201))},
		{"DELETE", "/api/v1/conversations/{conversation}/comments/{comment}", "conversations:write", "Take a remark back.", handler(a.uncomment)},
		{"POST", "/api/v1/conversations/{conversation}/presence", "conversations:read", "Tell the others who look at it that this window does.", handler(a.appear, quiet)},
		{"POST", "/api/v1/attachments", "conversations:write", "Keep a file that a message will use.", handler(a.attach, status(201), bodyLimit(maxUpload))},
		{"GET", "/api/v1/attachments/{attachment}/content", "conversations:read", "The content of a file.", door(a.content, media("application/octet-stream"))},
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
	Project    *string                   `json:"project" max:"128"`
	Head       *ids.Message              `json:"head" doc:"Show another branch, or go back to an earlier message."`
}

func (a conversationsAPI) change(ctx context.Context, in conversationRequest) (conversations.Conversation, error) {
	c, err := a.book.Update(ctx, asker(ctx), in.Conversation, conversations.Change{
		Title: in.Title, Visibility: in.Visibility, Pinned: in.Pinned, Archived: in.Archived, Project: in.Project, Head: in.Head,
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

const (
	maxImport = 64 << 20
	maxUpload = conversations.MaxAttachment*4/3 + (64 << 10) // base64 inside JSON
)

func (a conversationsAPI) versions(ctx context.Context, in messagePath) (page.Page[conversations.MessageVersion], error) {
	list, err := a.book.Versions(ctx, asker(ctx), in.Conversation, in.Message)
	return page.Page[conversations.MessageVersion]{Data: list}, err
}

type searchQuery struct {
	Text         string           `query:"q" required:"true" min:"1" max:"256"`
	Conversation ids.Conversation `query:"conversation" doc:"Only in this one."`
	Limit        int              `query:"limit" min:"1" max:"100"`
}

func (a conversationsAPI) search(ctx context.Context, in searchQuery) (page.Page[conversations.Found], error) {
	list, err := a.book.Search(ctx, asker(ctx), in.Conversation, in.Text, cmp.Or(in.Limit, 20))
	return page.Page[conversations.Found]{Data: list}, err
}

type exportQuery struct {
	conversationPath
	Format string `query:"format" enum:"json,markdown"`
}

func (a conversationsAPI) export(c *call, in exportQuery) error {
	if in.Format == "markdown" {
		if _, err := a.book.Get(c.ctx, asker(c.ctx), in.Conversation); err != nil {
			return err
		}
		c.attach("conversation", "md")
		return a.book.Markdown(c.ctx, asker(c.ctx), in.Conversation, steady{c})
	}
	file, err := a.book.Export(c.ctx, asker(c.ctx), in.Conversation)
	if err != nil {
		return err
	}
	c.attach("conversation", "json")
	return json.NewEncoder(steady{c}).Encode(file)
}

type importRequest struct {
	conversations.Exported
}

func (a conversationsAPI) imports(ctx context.Context, in importRequest) (conversations.Conversation, error) {
	return a.book.Import(ctx, asker(ctx), in.Exported)
}

func (a conversationsAPI) comments(ctx context.Context, in conversationPath) (page.Page[conversations.Comment], error) {
	list, err := a.book.Comments(ctx, asker(ctx), in.Conversation)
	return page.Page[conversations.Comment]{Data: list}, err
}

type commentRequest struct {
	conversationPath
	Message ids.Message `json:"message" required:"true"`
	Text    string      `json:"text" required:"true" min:"1" max:"4096"`
}

func (a conversationsAPI) comment(ctx context.Context, in commentRequest) (conversations.Comment, error) {
	return a.book.Comment(ctx, asker(ctx), in.Conversation, in.Message, in.Text)
}

type commentPath struct {
	conversationPath
	Comment ids.Comment `path:"comment"`
}

func (a conversationsAPI) uncomment(ctx context.Context, in commentPath) (nothing, error) {
	return nothing{}, a.book.Uncomment(ctx, asker(ctx), in.Conversation, in.Comment)
}

type presenceRequest struct {
	conversationPath
	Window string `json:"window" required:"true" min:"1" max:"64" doc:"Made up by the window; tells two windows of one person apart."`
	Device string `json:"device" enum:"desktop,tablet,phone"`
	Typing bool   `json:"typing"`
	Left   bool   `json:"left" doc:"The window is being closed."`
	Asks   bool   `json:"asks" doc:"The others are to say that they are there."`
}

func (a conversationsAPI) appear(ctx context.Context, in presenceRequest) (nothing, error) {
	id := identity.From(ctx)
	return nothing{}, a.book.Appear(ctx, askerOf(id), in.Conversation, conversations.Presence{
		Window: in.Window, User: id.User, Name: cmp.Or(id.Name, id.Login), Device: in.Device, Typing: in.Typing, Left: in.Left, Asks: in.Asks,
	})
}

type attachRequest struct {
	Name      string `json:"name" required:"true" min:"1" max:"512"`
	MediaType string `json:"media_type" max:"128"`
	Data      []byte `json:"data" required:"true" doc:"The content in base64."`
}

func (a conversationsAPI) attach(ctx context.Context, in attachRequest) (conversations.Attachment, error) {
	return a.book.Attach(ctx, asker(ctx), in.Name, in.MediaType, in.Data)
}

type attachmentPath struct {
	Attachment ids.Attachment `path:"attachment"`
}

// content is never run by a browser as a page of ours: it is downloaded, or
// shown inside one as what it was judged to be.
func (a conversationsAPI) content(c *call, in attachmentPath) error {
	file, content, err := a.book.Attachment(c.ctx, asker(c.ctx), in.Attachment)
	if err != nil {
		return err
	}
	h := c.w.Header()
	kind, how := file.MediaType, "attachment"
	switch {
	case providers.Shows(kind):
		how = "inline"
	case strings.HasPrefix(kind, "image/"), file.Run != "": // SVG and whatever else a tool said it is
		kind = "application/octet-stream"
	}
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", mime.FormatMediaType(how, map[string]string{"filename": file.Name}))
	h.Set("Cache-Control", "private, max-age=31536000, immutable")
	_, err = steady{c}.Write(content)
	return err
}
