-- +goose Up
CREATE INDEX memory_facts_pinned ON memory_facts (workspace_id, user_id, id) WHERE pinned AND state = 'active';
