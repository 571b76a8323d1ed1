-- +goose Up
-- Every mutation pays for these, and no query can use them: the first is asked
-- with an OR, the second only tells retention where to stop, which it finds by
-- walking the rows it removes.
DROP INDEX identity_audit_actor;
DROP INDEX identity_audit_at;
