-- +goose Up
-- The last entry of the attempt's journal that the rows have.
ALTER TABLE runs_runs ADD COLUMN journaled BIGINT NOT NULL DEFAULT 0;
