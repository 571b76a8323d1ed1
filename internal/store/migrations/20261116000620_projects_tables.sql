-- +goose Up
CREATE TABLE projects_projects (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    name         TEXT NOT NULL,
    folder       TEXT NOT NULL,
    trusted      BOOLEAN NOT NULL,
    created_by   TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL
);
CREATE UNIQUE INDEX projects_projects_folder ON projects_projects (workspace_id, folder);
CREATE UNIQUE INDEX projects_projects_name ON projects_projects (workspace_id, name);
CREATE TABLE projects_snapshots (
    id              TEXT PRIMARY KEY,
    workspace_id    TEXT NOT NULL,
    call_id         TEXT NOT NULL,
    run_id          TEXT NOT NULL,
    turn            TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    agent           TEXT NOT NULL,
    tool            TEXT NOT NULL,
    folder          TEXT NOT NULL,
    state           TEXT NOT NULL, -- open, kept or undone
    manifest        TEXT NOT NULL, -- the blob that lists what there was before
    changed         BIGINT NOT NULL,
    notes           ${JSON} NOT NULL, -- what is not covered
    at              BIGINT NOT NULL,
    undone_by       TEXT NOT NULL,
    undone_at       BIGINT
);
CREATE INDEX projects_snapshots_call ON projects_snapshots (workspace_id, call_id);
CREATE INDEX projects_snapshots_run ON projects_snapshots (workspace_id, run_id, turn);
CREATE INDEX projects_snapshots_list ON projects_snapshots (workspace_id, id);
CREATE INDEX projects_snapshots_age ON projects_snapshots (at);
CREATE TABLE projects_changes (
    snapshot_id  TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    path         TEXT NOT NULL, -- below the folder
    before       ${JSON} NOT NULL,
    after        ${JSON} NOT NULL,
    PRIMARY KEY (snapshot_id, path)
);
CREATE INDEX projects_changes_workspace ON projects_changes (workspace_id);
