package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// migrateArchive brings an older archive up to this schema: it is restored into
// a scratch database of its own schema, migrated there, and backed up again.
func (db *DB) migrateArchive(ctx context.Context, path string, m Manifest) (string, func(), error) {
	if m.Engine != db.engine.Name {
		return "", nil, fault.New(fault.Conflict, "backup_older", "%s has an older schema (%d) and comes from the other engine (%s).", path, m.Shared, m.Engine).
			WithHint("Restore it on %s with this version first, back that up, and restore the new backup here.", m.Engine)
	}
	engine, drop, err := db.engine.Scratch(ctx)
	if err != nil {
		return "", nil, explain(fmt.Errorf("making a scratch database for an older backup: %w", err), db.engine)
	}
	defer drop()
	scratch, err := New(Options{Engine: engine, Log: db.log})
	if err != nil {
		return "", nil, err
	}
	defer scratch.Close()
	if err := scratch.migrateTo(ctx, m.Schema); err != nil {
		return "", nil, err
	}
	if err := scratch.replace(ctx, path, nil, &Restored{}); err != nil {
		return "", nil, fmt.Errorf("loading an older backup: %w", err)
	}
	if err := scratch.Migrate(ctx); err != nil {
		return "", nil, fmt.Errorf("migrating an older backup: %w", err)
	}
	folder, err := os.MkdirTemp("", "fluxway-restore-")
	if err != nil {
		return "", nil, err
	}
	cleanUp := func() { os.RemoveAll(folder) }
	to := filepath.Join(folder, BackupName("migrated"))
	if _, err := scratch.Backup(ctx, BackupOptions{Path: to}); err != nil {
		cleanUp()
		return "", nil, err
	}
	return to, cleanUp, nil
}
