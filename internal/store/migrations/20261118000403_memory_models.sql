-- +goose Up
-- What words mean by the texts they stand in, where the binary has no model: the newest, and the one it takes over from.
CREATE TABLE memory_models (
    name       TEXT PRIMARY KEY,
    number     BIGINT NOT NULL,
    texts      BIGINT NOT NULL, -- how many there were when it was made
    body       ${BLOB} NOT NULL,
    created_at BIGINT NOT NULL
);
