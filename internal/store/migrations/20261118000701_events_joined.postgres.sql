-- +goose Up
-- A row holds facts of one channel that follow each other in a commit: cursor is the last one's, kind and data are
-- theirs, with spaces and newlines between.
ALTER TABLE events_events ADD COLUMN facts BIGINT NOT NULL DEFAULT 1;
