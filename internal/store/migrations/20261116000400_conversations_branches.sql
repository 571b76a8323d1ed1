-- +goose Up
-- The newest message of the branch that is shown; every message before it is found by its parent.
ALTER TABLE conversations_conversations ADD COLUMN head_id TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations_conversations ADD COLUMN summary TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations_conversations ADD COLUMN project TEXT NOT NULL DEFAULT '';

ALTER TABLE conversations_messages ADD COLUMN notes ${JSON};
CREATE INDEX conversations_messages_siblings ON conversations_messages (conversation_id, parent_id, id);

CREATE TABLE conversations_attachments (
    id              TEXT PRIMARY KEY,
    workspace_id    TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    conversation_id TEXT NOT NULL, -- empty until a message uses it
    name            TEXT NOT NULL,
    media_type      TEXT NOT NULL,
    size            BIGINT NOT NULL,
    body_id         TEXT NOT NULL,
    created_at      BIGINT NOT NULL
);
CREATE INDEX conversations_attachments_used ON conversations_attachments (conversation_id, id);
CREATE INDEX conversations_attachments_loose ON conversations_attachments (created_at) WHERE conversation_id = '';

CREATE TABLE conversations_comments (
    id              TEXT PRIMARY KEY,
    workspace_id    TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations_conversations (id) ON DELETE CASCADE,
    message_id      TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    text            TEXT NOT NULL,
    created_at      BIGINT NOT NULL
);
CREATE INDEX conversations_comments_listed ON conversations_comments (conversation_id, id);

UPDATE conversations_messages SET parent_id = COALESCE((
    SELECT max(p.id) FROM conversations_messages p
    WHERE p.conversation_id = conversations_messages.conversation_id AND p.id < conversations_messages.id), '')
WHERE parent_id = '';
UPDATE conversations_conversations SET head_id = COALESCE((
    SELECT max(m.id) FROM conversations_messages m WHERE m.conversation_id = conversations_conversations.id), '');
