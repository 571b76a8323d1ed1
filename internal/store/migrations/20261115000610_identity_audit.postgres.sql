-- +goose Up
-- Every mutation pays for these. No query can use the first, since the actor is
-- asked for with an OR; only retention used the second, and it now finds where to
-- stop by walking the rows it removes.
DROP INDEX identity_audit_actor;
DROP INDEX identity_audit_at;
