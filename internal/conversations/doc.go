// Package conversations keeps what was said.
//
// In:    conversations opened by a user, messages added by a user or a run.
// Out:   lists and messages, only to those who may see them.
// Keeps: conversations_conversations, conversations_messages.
// Says:  conversations.created, conversations.changed, conversations.deleted,
// conversations.message_added; all on the conversation's own channel.
// Not here: answering (runs); what the agent knows beyond it (memory).
package conversations
