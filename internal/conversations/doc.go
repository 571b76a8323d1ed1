// Package conversations keeps what was said.
//
// In:    conversations opened by a user, messages added by a user or a run, files of a user or of a run's tools.
// Out:   lists and messages, only to those who may see them.
// Keeps: conversations_conversations, conversations_messages, conversations_attachments, conversations_comments, conversations_words.
// Says:  conversations.created, conversations.changed, conversations.deleted,
// conversations.message_added; all on the conversation's own channel.
// Not here: answering (runs); what the agent knows beyond it (memory).
package conversations
