// Package store keeps every row, in a SQLite file or in PostgreSQL, behind one
// set of statements.
//
// In:    SQL written once with ? placeholders, closures that change rows, and
// what each part wants pruned or put right after a restore.
// Out:   transactions that are durable when InTx returns, readers in parallel,
// bodies, backups that either engine restores, findings for doctor.
// Keeps: store_bodies; the tables of the other parts through their statements.
// Says:  nothing; AfterCommit and BeforeCommit let events ride along.
// Not here: what the rows mean (their parts); which engine (app chooses).
//
// All writes of a process go through one writer. Callers hand in closures; the
// one that finds the writer free leads: it runs all waiting closures inside one
// transaction, commits once, and wakes the others. One fsync thus pays for many
// callers, a failing closure takes only itself down (its batch is run again with
// savepoints), and commits have one order that subscribers can rely
// on. A commit whose outcome the network hid is reported as such, never repeated.
//
// Tables stay fast at millions of rows when their migrations and statements
// keep to this:
//
//   - A list has an index on (workspace_id, what it filters by, what it sorts by,
//     id) and pages with (sort, id) < (?, ?), never with OFFSET.
//   - A list selects no large content: that is a body, read one at a time.
//   - A column that references another table has an index.
//   - A table that grows by itself has a Retention, and an index on the column
//     that it compares, so that Prune deletes a chunk without reading the rest.
package store
