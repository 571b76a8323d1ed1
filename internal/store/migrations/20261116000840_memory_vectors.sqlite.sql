-- +goose Up
CREATE TABLE memory_vector_partitions (
	id           INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again
	workspace_id TEXT NOT NULL,
	scope        TEXT NOT NULL,
	embedder     TEXT NOT NULL,
	dimensions   INTEGER NOT NULL,
	sealed       BIGINT NOT NULL, -- the last slot whose code is in a block
	floor        BIGINT NOT NULL, -- the last slot that was ever deleted
	centre       BLOB,            -- what codes are relative to; NULL: there are none
	UNIQUE (workspace_id, scope, embedder)
);

CREATE TABLE memory_vectors (
	slot         INTEGER PRIMARY KEY, -- the partition in the upper 32 bits
	partition_id BIGINT NOT NULL,
	id           TEXT NOT NULL,
	vec          BLOB NOT NULL,
	UNIQUE (partition_id, id)
);

CREATE TABLE memory_vector_blocks (
	slot  INTEGER PRIMARY KEY, -- the last one in it
	codes BLOB NOT NULL
);

CREATE TABLE memory_vector_holes (
	slot INTEGER PRIMARY KEY -- deleted, but still in a block
);
