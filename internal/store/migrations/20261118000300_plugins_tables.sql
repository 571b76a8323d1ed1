-- +goose Up
CREATE TABLE plugins_plugins (
    workspace_id TEXT NOT NULL,
    name         TEXT NOT NULL,
    enabled      BOOLEAN NOT NULL,
    agreed       ${JSON} NOT NULL, -- the files and hooks a person looked at
    settings     ${JSON} NOT NULL, -- without secrets
    secrets      ${BLOB}, -- sealed: a JSON object of names and values
    enabled_by   TEXT NOT NULL,
    enabled_at   BIGINT,
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, name)
);
CREATE TABLE plugins_failures (
    workspace_id TEXT NOT NULL,
    plugin       TEXT NOT NULL,
    at           BIGINT NOT NULL,
    hook         TEXT NOT NULL, -- '' for what is no hook's
    code         TEXT NOT NULL,
    message      TEXT NOT NULL,
    output       TEXT NOT NULL, -- the end of what it printed
    run_id       TEXT NOT NULL,
    PRIMARY KEY (workspace_id, plugin, at)
);
