-- +goose Up
-- What words mean is learned from each owner's texts apart: those that are open to a workspace, and those of each user.
DROP TABLE memory_models;
CREATE TABLE memory_models (
    name         TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    user_id      TEXT NOT NULL, -- '' for what is open to the workspace
    number       BIGINT NOT NULL,
    texts        BIGINT NOT NULL, -- how many there were when it was made
    body         ${BLOB} NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (name, workspace_id, user_id)
);
CREATE INDEX memory_models_owner ON memory_models (workspace_id, user_id);
