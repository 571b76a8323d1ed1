-- +goose Up
CREATE TABLE events_events (
    workspace_id TEXT NOT NULL,
    cursor       BIGINT NOT NULL,
    channel      TEXT NOT NULL,
    kind         TEXT NOT NULL,
    class        TEXT NOT NULL, -- how long it is kept
    needs_ack    SMALLINT NOT NULL,
    at           BIGINT NOT NULL,
    data         TEXT NOT NULL, -- not JSONB: what was said comes back byte for byte
    PRIMARY KEY (workspace_id, cursor)
);
CREATE INDEX events_events_channel ON events_events (workspace_id, channel, cursor);
CREATE INDEX events_events_acks ON events_events (workspace_id, cursor) WHERE needs_ack = 1;
