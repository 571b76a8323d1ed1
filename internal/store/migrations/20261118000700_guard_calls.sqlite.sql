-- +goose Up
-- One tree instead of four: calls are found in their workspace and by their ids, which rise with time.
CREATE TABLE guard_calls_new (
    id              TEXT NOT NULL,
    workspace_id    TEXT NOT NULL,
    at              BIGINT NOT NULL,
    door            TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    agent           TEXT NOT NULL,
    run_id          TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    turn            TEXT NOT NULL,
    call_id         TEXT NOT NULL,
    tool            TEXT NOT NULL,
    origin          TEXT NOT NULL,
    level           TEXT NOT NULL,
    folder          TEXT NOT NULL,
    args            TEXT NOT NULL,
    args_size       BIGINT NOT NULL,
    verdict         TEXT NOT NULL,
    rule            TEXT NOT NULL,
    reason          TEXT NOT NULL,
    ticket          TEXT NOT NULL,
    approved_by     TEXT NOT NULL,
    outcome         TEXT NOT NULL,
    code            TEXT NOT NULL,
    took            BIGINT NOT NULL,
    result_size     BIGINT NOT NULL,
    truncated       BOOLEAN NOT NULL,
    feedback        TEXT NOT NULL,
    feedback_by     TEXT NOT NULL,
    feedback_words  TEXT NOT NULL,
    PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;
INSERT INTO guard_calls_new SELECT * FROM guard_calls;
DROP TABLE guard_calls;
ALTER TABLE guard_calls_new RENAME TO guard_calls;
