-- +goose Up
CREATE TABLE tools_servers (
    workspace_id TEXT NOT NULL,
    name         TEXT NOT NULL,
    definition   ${JSON} NOT NULL, -- without secrets
    secrets      ${BLOB}, -- sealed: a JSON object of names and values
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, name)
);
CREATE TABLE tools_pins (
    workspace_id TEXT NOT NULL, -- '' for a server of the settings
    server       TEXT NOT NULL,
    tool         TEXT NOT NULL, -- as the server calls it
    pinned       ${JSON}, -- what a person agreed to; NULL: nothing yet
    offered      ${JSON}, -- what the server says now, if that differs
    gone         BOOLEAN NOT NULL, -- the server does not list it any more
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, server, tool)
);
CREATE TABLE tools_grants (
    workspace_id TEXT NOT NULL, -- of the person
    server       TEXT NOT NULL,
    user_id      TEXT NOT NULL,
    sealed       ${BLOB} NOT NULL, -- token and client of a sign-in at a remote server
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, server, user_id)
);
