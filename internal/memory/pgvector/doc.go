// Package pgvector is the index of an installation on PostgreSQL: vectors in
// its database, with the extension of that name.
//
// In:    vectors of any embedder, by partition and id; a question.
// Out:   the nearest, by cosine.
// Keeps: memory_pgvector_partitions and memory_pgvectors (sixteen bits per number). They are made by
// Prepare and not by a migration, because the extension may be installed after the product.
// Says:  nothing.
// Not here: SQLite (memory/vectors); what the ids mean (memory).
//
// A partition is compared with the question one by one, until Tune has given a
// large one a graph of its own: one graph over all partitions would find the
// neighbours of others first, and make every insert pay for it.
package pgvector
