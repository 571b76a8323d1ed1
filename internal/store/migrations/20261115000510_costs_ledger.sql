-- +goose Up
CREATE TABLE costs_records (
    id               TEXT PRIMARY KEY,
    workspace_id     TEXT NOT NULL,
    user_id          TEXT NOT NULL,
    key_id           TEXT NOT NULL,
    agent            TEXT NOT NULL,
    run_id           TEXT NOT NULL,
    conversation_id  TEXT NOT NULL,
    project          TEXT NOT NULL,
    workflow         TEXT NOT NULL,
    door             TEXT NOT NULL,
    model_asked      TEXT NOT NULL,
    model            TEXT NOT NULL, -- as asked of the vendor, after routing
    served           TEXT NOT NULL, -- as the vendor says; empty: it did not
    provider         TEXT NOT NULL,
    account          TEXT NOT NULL,
    attempt          BIGINT NOT NULL, -- counted from 1 over retries and fallbacks
    unit             TEXT NOT NULL, -- money or premium
    price            BIGINT,        -- micro-dollars; NULL: unknown
    premium          BIGINT NOT NULL, -- thousandths of a premium request
    input            BIGINT NOT NULL,
    cache_read       BIGINT NOT NULL,
    cache_write      BIGINT NOT NULL,
    cache_write_long BIGINT NOT NULL,
    audio_input      BIGINT NOT NULL,
    image_input      BIGINT NOT NULL,
    output           BIGINT NOT NULL,
    reasoning        BIGINT NOT NULL,
    audio_output     BIGINT NOT NULL,
    image_output     BIGINT NOT NULL,
    estimated        BOOLEAN NOT NULL,
    latency          BIGINT NOT NULL, -- microseconds
    first_token      BIGINT NOT NULL, -- microseconds; 0: none came
    outcome          TEXT NOT NULL, -- open, ok, cancelled, failed or broken
    error_code       TEXT NOT NULL,
    holds            TEXT NOT NULL, -- what budgets hold for it: JSON, or empty
    process          TEXT NOT NULL, -- who makes the call
    prefix_print     BIGINT NOT NULL, -- fingerprint of the prompt's start; 0: not taken
    prompt_print     BIGINT NOT NULL, -- fingerprint of the whole prompt
    at               BIGINT NOT NULL
);
CREATE INDEX costs_records_listed ON costs_records (workspace_id, at, id);
CREATE INDEX costs_records_open ON costs_records (process) WHERE outcome = 'open';

CREATE TABLE costs_processes (
    id      TEXT PRIMARY KEY,
    seen_at BIGINT NOT NULL
);

CREATE TABLE costs_budgets (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    name         TEXT NOT NULL,
    scope        TEXT NOT NULL, -- workspace, user, key, agent, model, project or workflow
    scope_id     TEXT NOT NULL,
    period       TEXT NOT NULL, -- daily, weekly, monthly or total
    zone         TEXT NOT NULL,
    unit         TEXT NOT NULL,
    amount       BIGINT NOT NULL,
    thresholds   ${JSON} NOT NULL,
    at_limit     TEXT NOT NULL, -- alert, throttle, ask or block
    rollover     BOOLEAN NOT NULL,
    enabled      BOOLEAN NOT NULL,
    notify       TEXT NOT NULL, -- the user who is told
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL
);
CREATE INDEX costs_budgets_listed ON costs_budgets (workspace_id, id);

CREATE TABLE costs_periods (
    budget_id    TEXT NOT NULL,
    starts_at    BIGINT NOT NULL,
    workspace_id TEXT NOT NULL,
    ends_at      BIGINT,
    spent        BIGINT NOT NULL,
    reserved     BIGINT NOT NULL,
    carried      BIGINT NOT NULL,
    granted      BIGINT NOT NULL,
    calls        BIGINT NOT NULL,
    unpriced     BIGINT NOT NULL,
    blocked      BIGINT NOT NULL,
    warned       BIGINT NOT NULL, -- highest threshold that was said, in percent
    PRIMARY KEY (budget_id, starts_at)
);

-- Changes whenever a budget does, so that every process notices.
CREATE TABLE costs_versions (
    id      BIGINT PRIMARY KEY,
    version BIGINT NOT NULL
);
INSERT INTO costs_versions (id, version) VALUES (1, 1);

CREATE TABLE costs_days (
    workspace_id TEXT NOT NULL,
    day          BIGINT NOT NULL,
    user_id      TEXT NOT NULL,
    key_id       TEXT NOT NULL,
    agent        TEXT NOT NULL,
    project      TEXT NOT NULL,
    workflow     TEXT NOT NULL,
    door         TEXT NOT NULL,
    model_asked  TEXT NOT NULL,
    model        TEXT NOT NULL,
    provider     TEXT NOT NULL,
    account      TEXT NOT NULL,
    unit         TEXT NOT NULL,
    outcome      TEXT NOT NULL,
    calls        BIGINT NOT NULL,
    unpriced     BIGINT NOT NULL,
    estimated    BIGINT NOT NULL,
    price        BIGINT NOT NULL,
    premium      BIGINT NOT NULL,
    tokens_in    BIGINT NOT NULL,
    cached_in    BIGINT NOT NULL,
    tokens_out   BIGINT NOT NULL,
    latency      BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, day, user_id, key_id, agent, project, workflow, door, model_asked, model, provider, account, unit, outcome)
);
