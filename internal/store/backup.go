package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Progress tells how far a backup or a restore is.
type Progress struct {
	Table string
	Rows  int64 // so far, of all tables
}

// progressEvery bounds how often Progress is told.
const progressEvery = 1000

// BackupOptions are what Backup needs.
type BackupOptions struct {
	Path     string         // the archive to write; must not exist
	Progress func(Progress) // nil: nobody watches
}

// Backup writes every row, as of one moment, to an archive that either engine
// can restore, and reads it back. It runs beside readers and the writer. The
// file is readable by its owner only and appears under its name once it is whole.
func (db *DB) Backup(ctx context.Context, opts BackupOptions) (Manifest, error) {
	if _, err := os.Lstat(opts.Path); err == nil {
		return Manifest{}, fmt.Errorf("writing a backup: %s: %w", opts.Path, os.ErrExist)
	}
	if err := os.MkdirAll(filepath.Dir(opts.Path), 0o700); err != nil {
		return Manifest{}, fmt.Errorf("making the folder for backups: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(opts.Path), ".writing-*"+BackupSuffix) // mode 0600
	if err != nil {
		return Manifest{}, fmt.Errorf("writing a backup: %w", err)
	}
	defer os.Remove(f.Name()) // gone already when it was renamed
	err = db.dump(ctx, f, opts.Progress)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return Manifest{}, explain(fmt.Errorf("writing a backup: %w", err), db.engine)
	}
	manifest, err := VerifyBackup(ctx, f.Name())
	if err != nil {
		return Manifest{}, fmt.Errorf("reading the backup back: %w", err)
	}
	if err := os.Rename(f.Name(), opts.Path); err != nil {
		return Manifest{}, fmt.Errorf("naming the backup: %w", err)
	}
	return manifest, syncFolder(filepath.Dir(opts.Path))
}

// BackupName is a file name for a backup taken now.
func BackupName(why string) string {
	return fmt.Sprintf("%s-%s%s", why, time.Now().UTC().Format("20060102T150405.000Z"), BackupSuffix)
}

// VerifyBackup reads a whole archive and checks its rows against its counts and
// its checksum. It needs no database.
func VerifyBackup(ctx context.Context, path string) (Manifest, error) {
	return readArchive(ctx, path,
		func(Manifest) error { return nil },
		func(int, []json.RawMessage) error { return nil })
}

func (db *DB) dump(ctx context.Context, f *os.File, progress func(Progress)) (err error) {
	snap, err := db.snapshot(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, snap.close()) }()
	m := Manifest{Format: archiveFormat, Engine: db.engine.Name, CreatedAt: time.Now().UTC()}
	if m.Schema, err = One[int64](ctx, snap, "SELECT max(version_id) FROM "+versionTable+" WHERE is_applied"); err != nil {
		return err
	}
	if m.Shared, err = db.sharedVersion(m.Schema); err != nil {
		return err
	}
	if m.Tables, err = db.tables(ctx, snap); err != nil {
		return err
	}
	out, err := newArchiveWriter(f)
	if err != nil {
		return err
	}
	if err := out.line(m); err != nil {
		return err
	}
	counts, sum := make(map[string]int64), int64(0)
	for _, t := range m.Tables {
		n, err := dumpTable(ctx, snap, out, t, func(n int64) { tell(progress, t.Name, sum+n) })
		if err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
		counts[t.Name] = n
		sum += n
	}
	return out.finish(counts)
}

func dumpTable(ctx context.Context, snap *snapshot, out *archiveWriter, t Table, tell func(int64)) (n int64, err error) {
	if err := out.line(tableLine{&t.Name}); err != nil {
		return 0, err
	}
	rows, err := snap.Query(ctx, "SELECT "+quotedList(t.Columns)+" FROM "+quoted(t.Name))
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	cells, into := make([]any, len(t.Columns)), make([]any, len(t.Columns))
	for i := range cells {
		into[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return n, err
		}
		if err := out.row(t.Columns, cells); err != nil {
			return n, err
		}
		if n++; n%progressEvery == 0 {
			tell(n)
		}
	}
	tell(n)
	return n, rows.Err()
}

func tell(progress func(Progress), table string, rows int64) {
	if progress != nil {
		progress(Progress{table, rows})
	}
}

// syncFolder makes a rename durable.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
