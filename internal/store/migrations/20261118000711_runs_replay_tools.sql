-- +goose Up
-- Of a replay or a fork: what its tools do (recorded, live, ask).
ALTER TABLE runs_runs ADD COLUMN replay_tools TEXT NOT NULL DEFAULT '';
