-- +goose Up
CREATE TABLE memory_texts (
    num          BIGINT PRIMARY KEY,
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
    at           BIGINT NOT NULL,
    lexemes      TSVECTOR GENERATED ALWAYS AS (array_to_tsvector(string_to_array(space || CASE words WHEN '' THEN '' ELSE ' ' || words END, ' '))) STORED
);
CREATE INDEX memory_texts_thread ON memory_texts (thread, seq) WHERE thread <> '';
CREATE INDEX memory_texts_embedder ON memory_texts (embedder, num);
CREATE INDEX memory_texts_owner ON memory_texts (workspace_id, user_id);
CREATE INDEX memory_texts_words ON memory_texts USING GIN (lexemes);
