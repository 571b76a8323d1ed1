-- +goose Up
-- A row holds facts of one channel that follow each other in a commit: cursor is the last one's, kind and data are
-- theirs, with spaces and newlines between. Such rows can be long, so keys are apart from them.
CREATE TABLE events_joined (
    workspace_id TEXT NOT NULL,
    cursor       BIGINT NOT NULL,
    facts        BIGINT NOT NULL DEFAULT 1,
    channel      TEXT NOT NULL,
    kind         TEXT NOT NULL,
    class        TEXT NOT NULL,
    needs_ack    SMALLINT NOT NULL,
    at           BIGINT NOT NULL,
    data         TEXT NOT NULL,
    PRIMARY KEY (workspace_id, cursor)
);
INSERT INTO events_joined SELECT workspace_id, cursor, 1, channel, kind, class, needs_ack, at, data FROM events_events;
DROP TABLE events_events;
ALTER TABLE events_joined RENAME TO events_events;
CREATE INDEX events_events_channel ON events_events (workspace_id, channel, cursor);
CREATE INDEX events_events_acks ON events_events (workspace_id, cursor) WHERE needs_ack = 1;
