-- +goose Up
CREATE TABLE tools_todos (
    workspace_id TEXT NOT NULL,
    scope_id     TEXT NOT NULL, -- the conversation, or the run where there is none
    position     BIGINT NOT NULL,
    text         TEXT NOT NULL,
    state        TEXT NOT NULL, -- pending, active or done
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, scope_id, position)
);
CREATE INDEX tools_todos_age ON tools_todos (updated_at);
CREATE TABLE tools_scratch (
    workspace_id TEXT NOT NULL,
    scope_id     TEXT NOT NULL,
    name         TEXT NOT NULL,
    text         TEXT NOT NULL,
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, scope_id, name)
);
CREATE INDEX tools_scratch_age ON tools_scratch (updated_at);
