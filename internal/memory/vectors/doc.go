// Package vectors is the index of an installation on one machine: vectors in
// the SQLite file, in the same transaction as what they stand for.
//
// In:    vectors of any embedder, by partition and id; a question.
// Out:   the nearest, by cosine.
// Keeps: memory_vector_partitions, memory_vectors (twelve bits per number),
// memory_vector_blocks and memory_vector_holes (codes of one bit per number, so that a large
// partition is ready at once after a restart); in memory what was searched lately.
// Says:  nothing.
// Not here: PostgreSQL (memory/pgvector); what the ids mean (memory).
//
// A small partition is held in memory and compared with the question one by
// one. Of a large one only the codes are: they are all estimated, and the rows
// of the best are read and compared. Nothing is built in the background and
// nothing is repaired: a search after a commit sees what was committed.
package vectors
