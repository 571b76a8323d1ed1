-- +goose Up
CREATE TABLE identity_passkeys (
    id            TEXT PRIMARY KEY,
    user_id       TEXT NOT NULL REFERENCES identity_users (id),
    rp_id         TEXT NOT NULL, -- the host name it is good for
    credential_id TEXT NOT NULL, -- base64url
    name          TEXT NOT NULL,
    credential    ${BLOB} NOT NULL, -- sealed: public key, counter, flags
    synced        BOOLEAN NOT NULL, -- it is on several devices of its owner
    created_at    BIGINT NOT NULL,
    used_at       BIGINT,
    UNIQUE (rp_id, credential_id)
);
CREATE INDEX identity_passkeys_user ON identity_passkeys (user_id, id);

-- What a browser was asked to sign; each is good once.
CREATE TABLE identity_challenges (
    hash       TEXT PRIMARY KEY, -- of the cookie that the browser brings back
    purpose    TEXT NOT NULL,
    user_id    TEXT NOT NULL, -- '' before somebody has signed in
    session_id TEXT NOT NULL,
    data       ${JSON} NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX identity_challenges_expires ON identity_challenges (expires_at);

ALTER TABLE identity_sessions ADD COLUMN confirmed_at BIGINT;
ALTER TABLE identity_sessions ADD COLUMN host TEXT NOT NULL DEFAULT ''; -- the name of the server as the browser had it
ALTER TABLE identity_users ADD COLUMN confirms BOOLEAN NOT NULL DEFAULT TRUE; -- approvals, with a passkey
