package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// RestoreHook lets a part take part in a restore.
type RestoreHook struct {
	Name string
	// Fix is called in the restoring transaction while the old rows stand, and
	// answers what to do once the new ones do: a counter that must not go back
	// is read first and raised after. nil: nothing.
	Fix func(ctx context.Context, tx *Tx) (after func(ctx context.Context, tx *Tx) error, err error)
	// Done is called after the commit, to empty caches and tell listeners.
	Done func(ctx context.Context)
}

// OnRestore registers a hook.
func (db *DB) OnRestore(hook RestoreHook) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.hooks = append(db.hooks, hook)
}

// RestoreOptions are what Restore needs.
type RestoreOptions struct {
	Path     string         // the archive
	Safety   string         // folder for a backup of what is there now; empty: Options.Backups; if that is empty too, none is taken
	Progress func(Progress) // nil: nobody watches
}

// Restored says what a restore did.
type Restored struct {
	Manifest Manifest
	Rows     int64
	Safety   string   // the backup taken before; empty: none
	Skipped  []string // tables and columns that only the other engine has
}

// Restore replaces every row by those of an archive, from either engine, in one
// transaction: readers see the old rows or the new ones, and writers wait.
// An archive of an older schema is migrated on the way; a newer one is refused.
// Other processes on the same database keep what they hold in memory, so they
// should be restarted.
func (db *DB) Restore(ctx context.Context, opts RestoreOptions) (Restored, error) {
	db.restoring.Lock()
	defer db.restoring.Unlock()
	manifest, err := VerifyBackup(ctx, opts.Path)
	if err != nil {
		return Restored{}, err
	}
	done := Restored{Manifest: manifest}
	path, cleanUp, err := db.upToDate(ctx, opts.Path, manifest)
	if err != nil {
		return Restored{}, err
	}
	defer cleanUp()
	if folder := cmp.Or(opts.Safety, db.backups); folder != "" {
		done.Safety = filepath.Join(folder, BackupName("before-restore"))
		if _, err := db.Backup(ctx, BackupOptions{Path: done.Safety}); err != nil {
			return Restored{}, fmt.Errorf("keeping what is there before a restore: %w", err)
		}
	}
	if err := db.replace(ctx, path, opts.Progress, &done); err != nil {
		return Restored{}, explain(fmt.Errorf("restoring %s: %w", opts.Path, err), db.engine)
	}
	db.log.InfoContext(ctx, "backup restored", "part", "store", "file", opts.Path, "rows", done.Rows, "safety", done.Safety)
	for _, h := range db.restoreHooks() {
		if h.Done != nil {
			h.Done(ctx)
		}
	}
	return done, nil
}

func (db *DB) restoreHooks() []RestoreHook {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.hooks[:len(db.hooks):len(db.hooks)]
}

// upToDate answers an archive of this schema: the given one, or a migrated copy.
func (db *DB) upToDate(ctx context.Context, path string, m Manifest) (string, func(), error) {
	at, err := db.Version(ctx)
	if err != nil {
		return "", nil, explain(err, db.engine)
	}
	shared, err := db.sharedVersion(at)
	switch {
	case err != nil:
		return "", nil, err
	case m.Shared > shared:
		return "", nil, fault.New(fault.Conflict, "backup_newer", "%s has schema %d; this database has %d.", path, m.Shared, shared).
			WithHint("Install the version of Fluxway that wrote it, or a newer one.")
	case m.Shared < shared:
		return db.migrateArchive(ctx, path, m)
	}
	return path, func() {}, nil
}

// replace is the transaction of a restore.
func (db *DB) replace(ctx context.Context, path string, progress func(Progress), done *Restored) error {
	hooks := db.restoreHooks()
	return db.writer.do(ctx, func(tx *Tx) error {
		var fixes []func(context.Context, *Tx) error
		for _, h := range hooks {
			if h.Fix == nil {
				continue
			}
			fix, err := h.Fix(ctx, tx)
			if err != nil {
				return fmt.Errorf("%s: %w", h.Name, err)
			}
			if fix != nil {
				fixes = append(fixes, fix)
			}
		}
		rows, skipped, err := db.load(ctx, tx, path, progress)
		if err != nil {
			return err
		}
		done.Rows, done.Skipped = rows, skipped
		for _, fix := range fixes {
			if err := fix(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	}, db.engine.Unhurried)
}

// load deletes all rows and inserts those of the archive.
func (db *DB) load(ctx context.Context, tx *Tx, path string, progress func(Progress)) (int64, []string, error) {
	check, err := db.engine.Defer(ctx, tx)
	if err != nil {
		return 0, nil, err
	}
	tables, err := db.tables(ctx, tx)
	if err != nil {
		return 0, nil, err
	}
	for _, t := range tables {
		if _, err := tx.Exec(ctx, "DELETE FROM "+quoted(t.Name)); err != nil {
			return 0, nil, err
		}
	}
	l := &loader{tx: tx, into: make(map[string]Table), progress: progress, table: -1}
	for _, t := range tables {
		l.into[t.Name] = t
	}
	_, err = readArchive(ctx, path, func(m Manifest) error {
		l.manifest, l.sameEngine = m, m.Engine == db.engine.Name
		return nil
	}, func(table int, cells []json.RawMessage) error { return l.row(ctx, table, cells) })
	if err != nil {
		return 0, nil, err
	}
	if err := l.flush(ctx); err != nil {
		return 0, nil, err
	}
	return l.rows, l.skipped, check()
}

// loader inserts rows, many per statement.
type loader struct {
	tx         *Tx
	manifest   Manifest
	sameEngine bool
	into       map[string]Table
	progress   func(Progress)
	rows       int64
	skipped    []string

	table   int      // index in the manifest
	columns []Column // of the target, as the archive orders them; no name: skipped
	many    int      // rows per statement; 0: the table is skipped
	insert  string
	args    []any
	waiting int
}

// maxArgs keeps a statement below the limits of both engines.
const maxArgs = 900

func (l *loader) row(ctx context.Context, table int, cells []json.RawMessage) error {
	if table != l.table {
		if err := l.open(ctx, table); err != nil {
			return err
		}
	}
	if l.many == 0 {
		return nil
	}
	for i, c := range l.columns {
		if c.Name == "" {
			continue
		}
		v, err := parseCell(c.Kind, cells[i])
		if err != nil {
			return fmt.Errorf("column %s of %s: %w", c.Name, l.manifest.Tables[table].Name, err)
		}
		l.args = append(l.args, v)
	}
	if l.rows++; l.rows%progressEvery == 0 {
		tell(l.progress, l.manifest.Tables[table].Name, l.rows)
	}
	if l.waiting++; l.waiting == l.many {
		return l.flush(ctx)
	}
	return nil
}

// open starts a table and matches its columns to those of the target.
func (l *loader) open(ctx context.Context, table int) error {
	if err := l.flush(ctx); err != nil {
		return err
	}
	from := l.manifest.Tables[table]
	l.table, l.many, l.columns = table, 0, make([]Column, len(from.Columns))
	into, known := l.into[from.Name]
	if !known {
		return l.skip(from.Name)
	}
	var named []Column
	for i, c := range from.Columns {
		target, ok := into.column(c.Name)
		if !ok {
			if err := l.skip(from.Name + "." + c.Name); err != nil {
				return err
			}
			continue
		}
		l.columns[i] = target
		named = append(named, target)
	}
	if len(named) == 0 {
		return nil
	}
	l.many = max(1, min(100, maxArgs/len(named)))
	l.insert = "INSERT INTO " + quoted(from.Name) + " (" + quotedList(named) + ") VALUES "
	return nil
}

// skip passes over what the target does not have: fine if only the other
// engine's migrations make it, wrong otherwise.
func (l *loader) skip(what string) error {
	if l.sameEngine {
		return fault.New(fault.Conflict, "backup_mismatch", "The backup has %s and the database does not.", what).
			WithHint("The schema was changed by hand. Restore into a fresh database.")
	}
	l.skipped = append(l.skipped, what)
	return nil
}

func (l *loader) flush(ctx context.Context) error {
	if l.waiting == 0 {
		return nil
	}
	one := "(?" + strings.Repeat(", ?", len(l.args)/l.waiting-1) + ")"
	_, err := l.tx.Exec(ctx, l.insert+one+strings.Repeat(", "+one, l.waiting-1), l.args...)
	clear(l.args)
	l.args, l.waiting = l.args[:0], 0
	return err
}
