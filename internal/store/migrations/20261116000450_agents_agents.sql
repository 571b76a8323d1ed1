-- +goose Up
CREATE TABLE agents_agents (
    workspace_id TEXT NOT NULL,
    name         TEXT NOT NULL,
    state        TEXT NOT NULL, -- live, deleted or reset
    version      BIGINT NOT NULL, -- of agents_versions, the latest
    definition   ${JSON} NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, name)
);
CREATE TABLE agents_versions (
    workspace_id TEXT NOT NULL,
    name         TEXT NOT NULL,
    version      BIGINT NOT NULL,
    change       TEXT NOT NULL, -- what was done: created, changed, imported, rolled_back, deleted or reset
    definition   ${JSON} NOT NULL, -- what it was from then on; of a deleted one, until then
    user_id      TEXT NOT NULL,
    at           BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, name, version)
);
