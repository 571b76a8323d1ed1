-- +goose Up
CREATE TABLE push_keys (
    id         INTEGER PRIMARY KEY CHECK (id = 1), -- one server, one key: browsers bind their subscriptions to it
    public     TEXT NOT NULL,
    private    ${BLOB} NOT NULL, -- sealed
    created_at BIGINT NOT NULL
);
CREATE TABLE push_subscriptions (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL,
    session_id TEXT NOT NULL, -- it ends with the session
    name       TEXT NOT NULL,
    endpoint   TEXT NOT NULL UNIQUE,
    public     ${BLOB} NOT NULL, -- of the browser
    auth       ${BLOB} NOT NULL, -- sealed
    created_at BIGINT NOT NULL,
    sent_at    BIGINT,
    failed_at  BIGINT,
    failure    TEXT NOT NULL DEFAULT ''
);
CREATE INDEX push_subscriptions_user ON push_subscriptions (user_id, id);
CREATE INDEX push_subscriptions_session ON push_subscriptions (session_id);
CREATE TABLE push_wishes (
    user_id    TEXT PRIMARY KEY,
    wishes     ${JSON} NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE TABLE push_shown (
    tag             TEXT NOT NULL, -- what the notification is about
    subscription_id TEXT NOT NULL,
    expires_at      BIGINT NOT NULL,
    PRIMARY KEY (tag, subscription_id)
);
CREATE INDEX push_shown_subscription ON push_shown (subscription_id);
