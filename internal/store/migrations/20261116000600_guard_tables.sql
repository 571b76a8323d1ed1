-- +goose Up
CREATE TABLE guard_policies (
    workspace_id TEXT PRIMARY KEY,
    policy       ${JSON} NOT NULL,
    updated_by   TEXT NOT NULL,
    updated_at   BIGINT NOT NULL
);
CREATE TABLE guard_approvals (
    id              TEXT PRIMARY KEY,
    workspace_id    TEXT NOT NULL,
    code            TEXT NOT NULL,
    kind            TEXT NOT NULL, -- ask, or exception: the call was refused and may be let through later
    state           TEXT NOT NULL, -- asked, approved, denied, expired or used
    hash            TEXT NOT NULL, -- of tool, arguments, folder and agent
    anywhere        TEXT NOT NULL, -- of tool and arguments
    runs_command    BOOLEAN NOT NULL,
    tool            TEXT NOT NULL,
    args            TEXT NOT NULL, -- redacted
    command         TEXT NOT NULL, -- redacted; empty: the tool runs none
    folder          TEXT NOT NULL, -- of the project
    dir             TEXT NOT NULL, -- where the command runs
    agent           TEXT NOT NULL,
    run_id          TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    call_id         TEXT NOT NULL,
    door            TEXT NOT NULL,
    unattended      BOOLEAN NOT NULL,
    requested_by    TEXT NOT NULL,
    rule            TEXT NOT NULL,
    severity        TEXT NOT NULL,
    reason          TEXT NOT NULL,
    alternative     TEXT NOT NULL,
    two_person      BOOLEAN NOT NULL,
    asked_at        BIGINT NOT NULL,
    deadline        BIGINT NOT NULL, -- for an answer; once approved: for its use
    answered_by     TEXT NOT NULL,
    answered_via    TEXT NOT NULL,
    answered_at     BIGINT,
    scope           TEXT NOT NULL,
    words           TEXT NOT NULL,
    used_at         BIGINT
);
CREATE UNIQUE INDEX guard_approvals_code ON guard_approvals (workspace_id, code) WHERE state = 'asked';
CREATE INDEX guard_approvals_list ON guard_approvals (workspace_id, state, id);
CREATE INDEX guard_approvals_hash ON guard_approvals (workspace_id, hash, state);
CREATE INDEX guard_approvals_run ON guard_approvals (run_id, state);
CREATE INDEX guard_approvals_due ON guard_approvals (state, deadline);
CREATE INDEX guard_approvals_age ON guard_approvals (asked_at);
CREATE TABLE guard_allowed (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    hash         TEXT NOT NULL, -- of what it covers
    covers       TEXT NOT NULL, -- call or tool
    scope        TEXT NOT NULL, -- run, project or always
    tool         TEXT NOT NULL,
    shown        TEXT NOT NULL, -- the command or the arguments, redacted
    folder       TEXT NOT NULL,
    agent        TEXT NOT NULL, -- empty: any
    run_id       TEXT NOT NULL,
    approval_id  TEXT NOT NULL,
    note         TEXT NOT NULL,
    created_by   TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL
);
CREATE INDEX guard_allowed_hash ON guard_allowed (workspace_id, hash, expires_at);
CREATE INDEX guard_allowed_list ON guard_allowed (workspace_id, id);
CREATE INDEX guard_allowed_age ON guard_allowed (expires_at);
CREATE TABLE guard_calls (
    id              TEXT PRIMARY KEY,
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
    args            TEXT NOT NULL, -- redacted and cut
    args_size       BIGINT NOT NULL,
    verdict         TEXT NOT NULL, -- allow, ask or refuse
    rule            TEXT NOT NULL,
    reason          TEXT NOT NULL,
    ticket          TEXT NOT NULL, -- the approval or allowance it rests on or waits for
    approved_by     TEXT NOT NULL,
    outcome         TEXT NOT NULL, -- started, ok, error, refused, waiting or cancelled
    code            TEXT NOT NULL,
    took            BIGINT NOT NULL, -- microseconds
    result_size     BIGINT NOT NULL,
    truncated       BOOLEAN NOT NULL,
    feedback        TEXT NOT NULL, -- empty, wrong or right
    feedback_by     TEXT NOT NULL,
    feedback_words  TEXT NOT NULL
);
CREATE INDEX guard_calls_list ON guard_calls (workspace_id, id);
CREATE INDEX guard_calls_verdict ON guard_calls (workspace_id, verdict, id);
CREATE INDEX guard_calls_run ON guard_calls (workspace_id, run_id, id);
CREATE INDEX guard_calls_age ON guard_calls (at);
