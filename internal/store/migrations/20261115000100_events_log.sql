-- +goose Up
-- The last cursor given out in each workspace. Its row is locked until the
-- commit, so cursors have no gaps and their order is the order of commits.
CREATE TABLE events_heads (
    workspace_id TEXT PRIMARY KEY,
    last         BIGINT NOT NULL
);

-- How far retention has gone: the highest cursor deleted, and looked at, per class.
CREATE TABLE events_floors (
    workspace_id TEXT NOT NULL,
    class        TEXT NOT NULL,
    deleted      BIGINT NOT NULL,
    examined     BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, class)
);

-- Who acknowledges, and from which cursor on it counts.
CREATE TABLE events_consumers (
    workspace_id TEXT NOT NULL,
    consumer     TEXT NOT NULL,
    since        BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, consumer)
);

CREATE TABLE events_acks (
    workspace_id TEXT NOT NULL,
    consumer     TEXT NOT NULL,
    cursor       BIGINT NOT NULL,
    at           BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, consumer, cursor)
);
