-- +goose Up
CREATE TABLE memory_texts (
    num          INTEGER PRIMARY KEY, -- the rowid of the full-text index
    id           TEXT NOT NULL UNIQUE,
    workspace_id TEXT NOT NULL,
    user_id      TEXT NOT NULL,
    agent        TEXT NOT NULL,
    project      TEXT NOT NULL,
    kind         TEXT NOT NULL,
    space        TEXT NOT NULL,
    thread       TEXT NOT NULL, -- what it is a piece of: a file, a conversation
    seq          BIGINT NOT NULL,
    title        TEXT NOT NULL,
    place        TEXT NOT NULL,
    text         TEXT NOT NULL,
    words        TEXT NOT NULL,
    length       BIGINT NOT NULL,
    language     TEXT NOT NULL,
    embedder     TEXT NOT NULL, -- whose vector it has; '' for none
    at           BIGINT NOT NULL
);
CREATE INDEX memory_texts_thread ON memory_texts (thread, seq) WHERE thread <> '';
CREATE INDEX memory_texts_embedder ON memory_texts (embedder, num);
CREATE INDEX memory_texts_owner ON memory_texts (workspace_id, user_id);
CREATE VIRTUAL TABLE memory_words USING fts5(space, words, content='', contentless_delete=1, tokenize='ascii');
-- +goose StatementBegin
CREATE TRIGGER memory_texts_added AFTER INSERT ON memory_texts BEGIN
    INSERT INTO memory_words (rowid, space, words) VALUES (new.num, new.space, new.words);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER memory_texts_changed AFTER UPDATE OF space, words ON memory_texts BEGIN
    DELETE FROM memory_words WHERE rowid = old.num;
    INSERT INTO memory_words (rowid, space, words) VALUES (new.num, new.space, new.words);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER memory_texts_removed AFTER DELETE ON memory_texts BEGIN
    DELETE FROM memory_words WHERE rowid = old.num;
END;
-- +goose StatementEnd
