-- +goose Up
-- Calls are found in their workspace and by their ids, which rise with time.
ALTER TABLE guard_calls DROP CONSTRAINT guard_calls_pkey;
ALTER TABLE guard_calls ADD PRIMARY KEY (workspace_id, id);
DROP INDEX guard_calls_list;
DROP INDEX guard_calls_age;
