-- +goose Up
-- A request that is kept to be tried again. It has all that it needs, so it outlives the conversation and the journal it came from.
CREATE TABLE runs_cases (
    id              TEXT PRIMARY KEY,
    workspace_id    TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    name            TEXT NOT NULL,
    run_id          TEXT NOT NULL, -- it was kept from
    conversation_id TEXT NOT NULL,
    question_id     TEXT NOT NULL,
    agent           TEXT NOT NULL,
    model           TEXT NOT NULL,
    project         TEXT NOT NULL,
    title           TEXT NOT NULL, -- the beginning of what was asked
    kept            TEXT NOT NULL, -- JSON: what was said, what was remembered, what the tools gave
    expects         TEXT NOT NULL, -- JSON, with arguments as the model wrote them
    created_at      BIGINT NOT NULL
);
CREATE INDEX runs_cases_user ON runs_cases (workspace_id, user_id, id);

-- How a case went each time it was tried.
CREATE TABLE runs_trials (
    run_id       TEXT PRIMARY KEY,
    case_id      TEXT NOT NULL,
    model        TEXT NOT NULL,
    verdict      TEXT NOT NULL, -- running, passed, differs
    differences  TEXT, -- JSON
    created_at   BIGINT NOT NULL,
    finished_at  BIGINT
);
CREATE INDEX runs_trials_case ON runs_trials (case_id, run_id);
