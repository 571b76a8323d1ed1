// Package store keeps every row, in a SQLite file or in PostgreSQL, behind one
// set of statements.
//
// In:    SQL written once with ? placeholders, and closures that change rows.
// Out:   transactions that are durable when InTx returns, readers in parallel.
// Keeps: store_bodies; the tables of the other parts through their statements.
// Says:  nothing; AfterCommit and BeforeCommit let events ride along.
// Not here: what the rows mean (their parts); which engine (app chooses).
//
// All writes of a process go through one writer. Callers hand in closures; the
// one that finds the writer free leads: it runs all waiting closures inside one
// transaction, each in its own savepoint, commits once, and wakes the others.
// One fsync thus pays for many callers, a failing closure takes only itself
// down, and commits have one order that subscribers can rely on.
package store
