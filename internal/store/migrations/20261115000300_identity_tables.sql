-- +goose Up
CREATE TABLE identity_workspaces (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    name_key   TEXT NOT NULL UNIQUE, -- lower case
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- Users are global; what they may do is said per workspace by identity_members.
CREATE TABLE identity_users (
    id           TEXT PRIMARY KEY,
    login        TEXT NOT NULL UNIQUE, -- lower case
    name         TEXT NOT NULL,
    email        TEXT NOT NULL,
    password     TEXT NOT NULL, -- PHC string; '' when only an outside issuer knows the user
    totp_secret  ${BLOB},       -- sealed; set and not totp_on: waits for its first code
    totp_on      BOOLEAN NOT NULL,
    totp_step    BIGINT NOT NULL, -- the last time step that was used
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL
);

CREATE TABLE identity_members (
    workspace_id TEXT NOT NULL REFERENCES identity_workspaces (id),
    user_id      TEXT NOT NULL REFERENCES identity_users (id),
    role         TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, user_id)
);
CREATE INDEX identity_members_user ON identity_members (user_id);

-- The row exists once the first administrator was made; the primary key lets
-- exactly one set-up win, in however many processes it is tried.
CREATE TABLE identity_setup (
    id      BIGINT PRIMARY KEY,
    user_id TEXT NOT NULL,
    done_at BIGINT NOT NULL
);

-- One-time codes for the first set-up, one per start of a server.
CREATE TABLE identity_setup_codes (
    hash       TEXT PRIMARY KEY,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE TABLE identity_sessions (
    id             TEXT PRIMARY KEY,
    user_id        TEXT NOT NULL REFERENCES identity_users (id),
    workspace_id   TEXT NOT NULL,
    hash           TEXT NOT NULL UNIQUE,
    previous_hash  TEXT UNIQUE,
    previous_until BIGINT, -- NULL: until the new token is used for the first time
    ip             TEXT NOT NULL,
    agent          TEXT NOT NULL,
    created_at     BIGINT NOT NULL,
    rotated_at     BIGINT NOT NULL,
    seen_at        BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL
);
CREATE INDEX identity_sessions_user ON identity_sessions (user_id);
CREATE INDEX identity_sessions_expires ON identity_sessions (expires_at);

CREATE TABLE identity_keys (
    id             TEXT PRIMARY KEY,
    workspace_id   TEXT NOT NULL,
    user_id        TEXT NOT NULL,
    name           TEXT NOT NULL,
    hint           TEXT NOT NULL, -- the first characters, to recognise it by
    hash           TEXT NOT NULL UNIQUE,
    previous_hash  TEXT UNIQUE,
    previous_until BIGINT,
    scopes         TEXT NOT NULL, -- JSON list of permission globs
    allow          TEXT NOT NULL, -- JSON list of networks
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT,
    rotated_at     BIGINT,
    used_at        BIGINT,
    used_ip        TEXT NOT NULL,
    revoked_at     BIGINT
);
CREATE INDEX identity_keys_workspace ON identity_keys (workspace_id, id);
CREATE INDEX identity_keys_user ON identity_keys (user_id);

CREATE TABLE identity_recovery_codes (
    user_id TEXT NOT NULL REFERENCES identity_users (id),
    hash    TEXT NOT NULL,
    used_at BIGINT,
    PRIMARY KEY (user_id, hash)
);

CREATE TABLE identity_devices (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES identity_users (id),
    hash       TEXT NOT NULL UNIQUE,
    ip         TEXT NOT NULL,
    agent      TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    seen_at    BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX identity_devices_user ON identity_devices (user_id);

-- Who an outside issuer's subject is here.
CREATE TABLE identity_links (
    issuer     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    user_id    TEXT NOT NULL REFERENCES identity_users (id),
    email      TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX identity_links_user ON identity_links (user_id);

-- Sign-ins that are under way at an outside issuer; each is used once.
CREATE TABLE identity_oidc_states (
    hash         TEXT PRIMARY KEY,
    browser_hash TEXT NOT NULL,
    nonce_hash   TEXT NOT NULL,
    verifier     ${BLOB} NOT NULL, -- sealed
    return_to    TEXT NOT NULL,
    link_user    TEXT NOT NULL, -- '' or the signed-in user who links the account
    expires_at   BIGINT NOT NULL
);
CREATE INDEX identity_oidc_states_expires ON identity_oidc_states (expires_at);

-- Chained per workspace: hash covers the row and the hash before it. Texts are
-- not JSON columns because the exact bytes are hashed.
CREATE TABLE identity_audit (
    workspace_id TEXT NOT NULL,
    seq          BIGINT NOT NULL,
    id           TEXT NOT NULL,
    at           BIGINT NOT NULL,
    actor        TEXT NOT NULL,
    actor_name   TEXT NOT NULL,
    via          TEXT NOT NULL,
    key_id       TEXT NOT NULL,
    action       TEXT NOT NULL,
    resource     TEXT NOT NULL,
    result       TEXT NOT NULL,
    note         TEXT NOT NULL,
    before_json  TEXT NOT NULL,
    after_json   TEXT NOT NULL,
    ip           TEXT NOT NULL,
    request_id   TEXT NOT NULL,
    hash         TEXT NOT NULL,
    PRIMARY KEY (workspace_id, seq)
);
CREATE INDEX identity_audit_at ON identity_audit (workspace_id, at);
CREATE INDEX identity_audit_actor ON identity_audit (workspace_id, actor, seq);
CREATE INDEX identity_audit_resource ON identity_audit (workspace_id, resource, seq);

-- The end of each chain, locked by whoever appends, and where it begins once
-- old rows were removed.
CREATE TABLE identity_audit_heads (
    workspace_id TEXT PRIMARY KEY,
    seq          BIGINT NOT NULL,
    hash         TEXT NOT NULL,
    start_seq    BIGINT NOT NULL, -- the last row that retention removed
    start_hash   TEXT NOT NULL
);
