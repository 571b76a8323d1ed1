-- +goose Up
-- The run whose tool gave the file; empty: a person sent it.
ALTER TABLE conversations_attachments ADD COLUMN run_id TEXT NOT NULL DEFAULT '';
CREATE INDEX conversations_attachments_given ON conversations_attachments (created_at) WHERE run_id <> '';
