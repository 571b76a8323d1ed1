-- +goose Up
CREATE TABLE conversations_conversations (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    user_id      TEXT NOT NULL,
    agent        TEXT NOT NULL,
    title        TEXT NOT NULL,
    visibility   TEXT NOT NULL, -- private or workspace
    pinned       BOOLEAN NOT NULL,
    archived     BOOLEAN NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL
);
CREATE INDEX conversations_listed ON conversations_conversations (workspace_id, archived, pinned DESC, updated_at DESC, id DESC);

CREATE TABLE conversations_messages (
    id              TEXT PRIMARY KEY,
    workspace_id    TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations_conversations (id) ON DELETE CASCADE,
    parent_id       TEXT NOT NULL,
    run_id          TEXT NOT NULL,
    role            TEXT NOT NULL,
    author          TEXT NOT NULL, -- a user's id or an agent's name
    state           TEXT NOT NULL, -- complete, stopped or failed
    model           TEXT NOT NULL,
    parts           ${JSON} NOT NULL,
    usage           ${JSON},
    created_at      BIGINT NOT NULL
);
CREATE INDEX conversations_messages_listed ON conversations_messages (conversation_id, id);

CREATE TABLE runs_runs (
    id              TEXT PRIMARY KEY,
    workspace_id    TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    parent_id       TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    agent           TEXT NOT NULL,
    model           TEXT NOT NULL,
    state           TEXT NOT NULL,
    question_id     TEXT NOT NULL,
    answer_id       TEXT NOT NULL,
    job_id          TEXT NOT NULL,
    attempt         BIGINT NOT NULL,
    usage           ${JSON},
    error           ${JSON},
    created_at      BIGINT NOT NULL,
    started_at      BIGINT,
    first_token_at  BIGINT,
    finished_at     BIGINT
);
CREATE INDEX runs_runs_listed ON runs_runs (workspace_id, id);
CREATE INDEX runs_runs_conversation ON runs_runs (conversation_id, id);
