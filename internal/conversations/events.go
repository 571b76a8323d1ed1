package conversations

import "github.com/fluxway/fluxway/internal/ids"

// Channel is where everything about a conversation is said, its runs included,
// so that one subscription follows a chat.
func Channel(id ids.Conversation) string { return "conversations/" + string(id) }

// maxEventMessage bounds how much of a message rides in its event; a longer one
// is read by its id.
const maxEventMessage = 32 << 10

type (
	// Created: someone opened a conversation.
	Created struct {
		Conversation Conversation `json:"conversation"`
	}
	// Changed: its title, pin, archive mark or visibility is another.
	Changed struct {
		Conversation Conversation `json:"conversation"`
	}
	// Deleted: it and its messages are gone.
	Deleted struct {
		ID ids.Conversation `json:"id"`
	}
	// MessageAdded: something was said. Message is left out when it is large.
	MessageAdded struct {
		ID      ids.Message `json:"id"`
		Message *Message    `json:"message,omitempty"`
	}
	// Annotated: what is kept with a message is another.
	Annotated struct {
		ID    ids.Message `json:"id"`
		Notes Notes       `json:"notes"`
	}
	// Commented: a person remarked on a message.
	Commented struct {
		Comment Comment `json:"comment"`
	}
	// Mentioned: a remark concerns the person on whose channel this is said.
	Mentioned struct {
		Comment Comment `json:"comment"`
		Title   string  `json:"title"` // of the conversation
	}
	// CommentDeleted: they took it back.
	CommentDeleted struct {
		ID ids.Comment `json:"id"`
	}
)

// Kind names the fact.
func (Created) Kind() string        { return "conversations.created" }
func (Changed) Kind() string        { return "conversations.changed" }
func (Deleted) Kind() string        { return "conversations.deleted" }
func (MessageAdded) Kind() string   { return "conversations.message_added" }
func (Annotated) Kind() string      { return "conversations.annotated" }
func (Commented) Kind() string      { return "conversations.commented" }
func (Mentioned) Kind() string      { return "conversations.mentioned" }
func (CommentDeleted) Kind() string { return "conversations.comment_deleted" }
