package store

import "context"

// Together runs closures as callers that were all waiting when the writer came
// free, so that they share one batch.
func Together(ctx context.Context, db *DB, closures []func(*Tx) error) []error {
	w := db.writer
	batch := make([]*request, len(closures))
	w.mu.Lock()
	w.busy = true
	for i, f := range closures {
		batch[i] = &request{ctx: ctx, f: f, wake: make(chan bool, 1)}
		w.queue = append(w.queue, batch[i])
	}
	w.mu.Unlock()
	w.lead()
	errs := make([]error, len(batch))
	for i, r := range batch {
		if r.err != nil {
			errs[i] = explain(r.err, db.engine)
		}
	}
	return errs
}

// MigrateTo brings an empty database to an older schema.
func MigrateTo(ctx context.Context, db *DB, version int64) error { return db.migrateTo(ctx, version) }

// Retentions lists what was registered.
func Retentions(db *DB) []Retention { return db.retentions }

// SetBackups sets Options.Backups of a database that is open already.
func SetBackups(db *DB, folder string) { db.backups = folder }
