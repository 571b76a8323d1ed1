-- +goose Up
-- Answers to repeat when a POST comes again with the same Idempotency-Key. The
-- id is a hash of caller, route and key; the answer is sealed with the key
-- itself, so that a copy of the database gives no answer away.
CREATE TABLE api_idempotency (
	id           TEXT    NOT NULL PRIMARY KEY,
	workspace_id TEXT    NOT NULL,
	fingerprint  TEXT    NOT NULL,
	status       INTEGER NOT NULL,
	answer       ${BLOB},
	created_at   BIGINT  NOT NULL,
	lease_until  BIGINT  NOT NULL
);

CREATE INDEX api_idempotency_created ON api_idempotency (created_at);
