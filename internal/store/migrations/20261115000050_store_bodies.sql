-- +goose Up
-- Large texts and blobs, apart from the rows that are listed and filtered.
CREATE TABLE store_bodies (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    kind         TEXT NOT NULL,
    media_type   TEXT NOT NULL,
    encoding     TEXT NOT NULL, -- '' or 'zstd'
    size         BIGINT NOT NULL, -- before encoding
    sha256       TEXT NOT NULL,
    content      ${BLOB} NOT NULL,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT
);
CREATE INDEX store_bodies_expires ON store_bodies (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX store_bodies_workspace ON store_bodies (workspace_id, created_at);
