-- +goose Up
-- What can be searched, one row a message; n is made of the message's id, so that a backup can be loaded by any engine.
CREATE TABLE conversations_words (
    n               INTEGER PRIMARY KEY,
    workspace_id    TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations_conversations (id) ON DELETE CASCADE,
    message_id      TEXT NOT NULL,
    body            TEXT NOT NULL
);
CREATE INDEX conversations_words_of ON conversations_words (conversation_id);

CREATE VIRTUAL TABLE conversations_words_index USING fts5 (body, content = 'conversations_words', content_rowid = 'n', tokenize = 'unicode61 remove_diacritics 2');

-- +goose StatementBegin
CREATE TRIGGER conversations_words_added AFTER INSERT ON conversations_words BEGIN
    INSERT INTO conversations_words_index (rowid, body) VALUES (new.n, new.body);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER conversations_words_removed AFTER DELETE ON conversations_words BEGIN
    INSERT INTO conversations_words_index (conversations_words_index, rowid, body) VALUES ('delete', old.n, old.body);
END;
-- +goose StatementEnd
