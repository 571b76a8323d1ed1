-- +goose Up
CREATE TABLE jobs_jobs (
    id            TEXT PRIMARY KEY,
    workspace_id  TEXT NOT NULL, -- '' for work of the machine itself
    kind          TEXT NOT NULL,
    state         TEXT NOT NULL,
    priority      BIGINT NOT NULL,
    args          ${JSON} NOT NULL,
    unique_key    TEXT NOT NULL,
    schedule_id   TEXT NOT NULL,
    attempt       BIGINT NOT NULL,
    max_attempts  BIGINT NOT NULL,
    run_at        BIGINT NOT NULL,
    lease_until   BIGINT,
    worker        TEXT NOT NULL,
    cancelling    BOOLEAN NOT NULL,
    done          BIGINT NOT NULL,
    total         BIGINT NOT NULL,
    note          TEXT NOT NULL,
    result        ${JSON},
    error         TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    started_at    BIGINT,
    finished_at   BIGINT
);
CREATE INDEX jobs_jobs_due ON jobs_jobs (kind, priority DESC, run_at, id) WHERE state = 'queued';
CREATE INDEX jobs_jobs_leases ON jobs_jobs (lease_until) WHERE state = 'running';
CREATE INDEX jobs_jobs_listed ON jobs_jobs (workspace_id, id);
CREATE INDEX jobs_jobs_finished ON jobs_jobs (finished_at) WHERE finished_at IS NOT NULL;
CREATE UNIQUE INDEX jobs_jobs_unique ON jobs_jobs (workspace_id, kind, unique_key)
    WHERE unique_key <> '' AND state IN ('queued', 'running', 'paused');

-- A kind is here only while it is paused.
CREATE TABLE jobs_pauses (
    kind      TEXT PRIMARY KEY,
    paused_at BIGINT NOT NULL
);

CREATE TABLE jobs_schedules (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    name         TEXT NOT NULL,
    kind         TEXT NOT NULL,
    args         ${JSON} NOT NULL,
    cron         TEXT NOT NULL,
    time_zone    TEXT NOT NULL,
    enabled      BOOLEAN NOT NULL,
    next_at      BIGINT,
    last_at      BIGINT,
    last_job     TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    UNIQUE (workspace_id, name)
);
CREATE INDEX jobs_schedules_due ON jobs_schedules (next_at) WHERE enabled;
