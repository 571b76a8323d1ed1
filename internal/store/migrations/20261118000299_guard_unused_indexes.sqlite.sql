-- +goose Up
-- SQLite plans a statement before it knows its values, so "(? = '' OR run_id = ?)" never uses these; PostgreSQL does.
DROP INDEX guard_calls_verdict;
DROP INDEX guard_calls_run;
