-- +goose Up
CREATE TABLE providers_accounts (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    provider     TEXT NOT NULL,
    name         TEXT NOT NULL, -- shown; unique per workspace and provider
    kind         TEXT NOT NULL, -- api_key or github
    secret       ${BLOB} NOT NULL, -- sealed
    position     BIGINT NOT NULL, -- lower ones are used first
    disabled     BOOLEAN NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL
);
CREATE UNIQUE INDEX providers_accounts_name ON providers_accounts (workspace_id, provider, name);
