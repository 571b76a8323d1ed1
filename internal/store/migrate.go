package store

import (
	"bytes"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

//go:embed migrations
var migrations embed.FS

// Migrate brings the schema up to this binary. It refuses a database that a
// newer binary has migrated, and takes a copy first where the engine can.
func (db *DB) Migrate(ctx context.Context) error {
	latest, err := db.latest()
	if err != nil {
		return err
	}
	at, err := db.Version(ctx)
	if err != nil {
		return explain(err, db.engine)
	}
	if at == latest {
		return nil
	}
	unlock, err := db.engine.Lock(ctx)
	if err != nil {
		return explain(err, db.engine)
	}
	defer unlock()
	if at, err = db.Version(ctx); err != nil { // another process may have been first
		return explain(err, db.engine)
	}
	switch {
	case at > latest:
		return fault.New(fault.Unavailable, "database_newer",
			"%s was last used by a newer version of Fluxway (schema %d, this binary knows %d).", db.engine.Where, at, latest).
			WithHint("Install the newer version again, or restore a backup made with this one.")
	case at == latest:
		return nil
	case at > 0:
		if err := db.copyBefore(ctx, at); err != nil {
			return err
		}
	}
	if err := db.migrateTo(ctx, latest); err != nil {
		return err
	}
	db.log.InfoContext(ctx, "schema migrated", "part", "store", "from", at, "to", latest)
	return nil
}

// migrateTo applies what is missing up to a version.
func (db *DB) migrateTo(ctx context.Context, version int64) error {
	provider, err := goose.NewProvider(goose.Dialect(map[string]string{"sqlite": "sqlite3", "postgres": "postgres"}[db.engine.Name]),
		db.engine.Side, fragments{db.engine}, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("reading the migrations: %w", err)
	}
	if _, err := provider.UpTo(ctx, version); err != nil {
		return explain(fmt.Errorf("migrating to %d: %w", version, err), db.engine)
	}
	return nil
}

// Version is the schema's version; 0 for an empty database.
func (db *DB) Version(ctx context.Context) (int64, error) {
	exists := "SELECT count(*) FROM sqlite_master WHERE name = '" + versionTable + "'"
	if db.engine.Name == "postgres" {
		exists = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = '" + versionTable + "'"
	}
	var n int64
	// A connection for reading is kept; one of Side would read the whole schema for each of the two.
	if err := db.engine.Read.QueryRowContext(ctx, exists).Scan(&n); err != nil {
		return 0, fmt.Errorf("reading the schema's version: %w", err)
	}
	if n == 0 {
		return 0, nil
	}
	var at sql.NullInt64
	err := db.engine.Read.QueryRowContext(ctx, "SELECT max(version_id) FROM "+versionTable+" WHERE is_applied").Scan(&at)
	return at.Int64, err
}

// latest is the version of the newest embedded migration.
func (db *DB) latest() (int64, error) {
	return newest(fragments{db.engine}, func(string, int64) bool { return true })
}

// sharedVersion is the newest migration up to a version that both engines have,
// so that databases of different engines can be compared.
func (db *DB) sharedVersion(version int64) (int64, error) {
	return newest(fragments{db.engine}, func(name string, n int64) bool { return n <= version && strings.Count(name, ".") == 1 })
}

func newest(files fs.FS, counts func(name string, n int64) bool) (int64, error) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return 0, err
	}
	var newest int64
	for _, e := range entries {
		number, _, _ := strings.Cut(e.Name(), "_")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("migration %s has no number", e.Name())
		}
		if counts(e.Name(), n) {
			newest = max(newest, n)
		}
	}
	return newest, nil
}

// copyBefore keeps the database as it is: a SQLite file as a file that the older
// binary can open, the rest as a backup.
func (db *DB) copyBefore(ctx context.Context, version int64) error {
	if db.backups == "" {
		return nil
	}
	if err := os.MkdirAll(db.backups, 0o700); err != nil {
		return fmt.Errorf("making the folder for backups: %w", err)
	}
	to := filepath.Join(db.backups, BackupName(fmt.Sprint("before-migration-", version)))
	var err error
	if db.engine.Copy != nil {
		to = strings.TrimSuffix(to, BackupSuffix) + ".db"
		err = db.engine.Copy(ctx, to)
	} else {
		_, err = db.Backup(ctx, BackupOptions{Path: to})
	}
	if err != nil {
		return explain(fmt.Errorf("copying the database before a migration: %w", err), db.engine)
	}
	db.log.InfoContext(ctx, "database copied before a migration", "part", "store", "file", to)
	return nil
}

// fragments is the migrations as one engine sees them: ${JSON} and ${BLOB}
// replaced by its types, and files of the other engine (*.sqlite.sql,
// *.postgres.sql) left out.
type fragments struct{ engine *Engine }

// Open opens one migration with its types filled in.
func (f fragments) Open(name string) (fs.File, error) {
	file, err := migrations.Open(path.Join("migrations", name))
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || info.IsDir() {
		return file, err
	}
	text, err := migrations.ReadFile(path.Join("migrations", name))
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	for word, t := range f.engine.Types {
		text = bytes.ReplaceAll(text, []byte("${"+word+"}"), []byte(t))
	}
	return &filled{file, bytes.NewReader(text)}, nil
}

// ReadDir lists the migrations of this engine.
func (f fragments) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := migrations.ReadDir(path.Join("migrations", name))
	mine := entries[:0]
	for _, e := range entries {
		parts := strings.Split(strings.TrimSuffix(e.Name(), ".sql"), ".")
		if len(parts) == 1 || parts[1] == f.engine.Name {
			mine = append(mine, e)
		}
	}
	return mine, err
}

// Glob lists the migrations of this engine that match.
func (f fragments) Glob(pattern string) ([]string, error) {
	entries, err := f.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if ok, err := path.Match(pattern, e.Name()); err != nil {
			return nil, err
		} else if ok {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// filled is a file whose text was changed after it was opened.
type filled struct {
	fs.File
	text *bytes.Reader
}

// Read reads the changed text.
func (f *filled) Read(p []byte) (int, error) { return f.text.Read(p) }
