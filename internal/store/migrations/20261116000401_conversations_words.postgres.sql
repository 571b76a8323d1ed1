-- +goose Up
-- What can be searched, one row a message; n is made of the message's id, so that a backup can be loaded by any engine.
CREATE TABLE conversations_words (
    n               BIGINT PRIMARY KEY,
    workspace_id    TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations_conversations (id) ON DELETE CASCADE,
    message_id      TEXT NOT NULL,
    body            TEXT NOT NULL
);
CREATE INDEX conversations_words_of ON conversations_words (conversation_id);
CREATE INDEX conversations_words_index ON conversations_words USING GIN (to_tsvector('simple', body));
