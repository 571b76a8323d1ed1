-- +goose Up
-- One tree instead of two: steps are found by their key only.
CREATE TABLE runs_steps_new (
    run_id       TEXT NOT NULL,
    seq          BIGINT NOT NULL,
    workspace_id TEXT NOT NULL,
    turn         BIGINT NOT NULL,
    kind         TEXT NOT NULL,
    name         TEXT NOT NULL,
    title        TEXT NOT NULL,
    origin       TEXT NOT NULL,
    call_id      TEXT NOT NULL,
    state        TEXT NOT NULL,
    safe         BOOLEAN NOT NULL,
    input        TEXT,
    output       TEXT,
    need         TEXT,
    reply        TEXT,
    approval     TEXT NOT NULL,
    usage        TEXT,
    started_at   BIGINT,
    first_at     BIGINT,
    finished_at  BIGINT,
    PRIMARY KEY (run_id, seq)
) WITHOUT ROWID;
INSERT INTO runs_steps_new SELECT * FROM runs_steps;
DROP TABLE runs_steps;
ALTER TABLE runs_steps_new RENAME TO runs_steps;
