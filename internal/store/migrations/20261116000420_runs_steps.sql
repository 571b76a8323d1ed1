-- +goose Up
ALTER TABLE runs_runs ADD COLUMN key_id TEXT NOT NULL DEFAULT '';     -- the API key it was asked with
ALTER TABLE runs_runs ADD COLUMN door TEXT NOT NULL DEFAULT 'chat';
ALTER TABLE runs_runs ADD COLUMN project TEXT NOT NULL DEFAULT '';
ALTER TABLE runs_runs ADD COLUMN call_id TEXT NOT NULL DEFAULT '';    -- of a helper: the parent's call it works for
ALTER TABLE runs_runs ADD COLUMN depth BIGINT NOT NULL DEFAULT 0;     -- of a helper: how far below the first run
ALTER TABLE runs_runs ADD COLUMN title TEXT NOT NULL DEFAULT '';      -- the beginning of what was asked
ALTER TABLE runs_runs ADD COLUMN task TEXT NOT NULL DEFAULT '';       -- what a helper, or a run in the queue, was asked
ALTER TABLE runs_runs ADD COLUMN result TEXT NOT NULL DEFAULT '';     -- what a helper answered
ALTER TABLE runs_runs ADD COLUMN origin_id TEXT NOT NULL DEFAULT '';  -- the run it does again
ALTER TABLE runs_runs ADD COLUMN reason TEXT NOT NULL DEFAULT '';     -- retry, replay, fork, regenerate, edit, broadcast
ALTER TABLE runs_runs ADD COLUMN signals BIGINT NOT NULL DEFAULT 0;   -- counts what a person sent while it ran
ALTER TABLE runs_runs ADD COLUMN turns BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs_runs ADD COLUMN calls BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs_runs ADD COLUMN spent BIGINT NOT NULL DEFAULT 0;     -- micro-dollars, helpers included
ALTER TABLE runs_runs ADD COLUMN needs ${JSON};                       -- what it waits for
CREATE UNIQUE INDEX runs_runs_helpers ON runs_runs (parent_id, call_id) WHERE parent_id <> '';
CREATE INDEX runs_runs_open ON runs_runs (conversation_id, state) WHERE state IN ('queued', 'running', 'waiting');

-- The journal: what a run needs to go on after a crash, and what people read afterwards.
CREATE TABLE runs_steps (
    run_id       TEXT NOT NULL,
    seq          BIGINT NOT NULL,
    workspace_id TEXT NOT NULL,
    turn         BIGINT NOT NULL,
    kind         TEXT NOT NULL, -- model, tool, helper, steering, compaction, routing, recall, approval, question
    name         TEXT NOT NULL, -- of the model, the tool or the agent
    title        TEXT NOT NULL,
    origin       TEXT NOT NULL, -- of the tool
    call_id      TEXT NOT NULL,
    state        TEXT NOT NULL, -- planned, started, waiting, finished, failed
    safe         BOOLEAN NOT NULL,
    input        TEXT,          -- JSON, byte by byte as the model wrote it
    output       TEXT,          -- JSON
    need         TEXT,
    reply        TEXT,
    approval     TEXT NOT NULL,
    usage        TEXT,
    started_at   BIGINT,
    first_at     BIGINT,
    finished_at  BIGINT,
    PRIMARY KEY (run_id, seq)
);

-- What a person said to a run that was going on, in order.
CREATE TABLE runs_inbox (
    run_id     TEXT NOT NULL,
    n          BIGINT NOT NULL,
    message_id TEXT NOT NULL,
    parts      TEXT NOT NULL,
    PRIMARY KEY (run_id, n)
);
