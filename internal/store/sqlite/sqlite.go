// Package sqlite opens a SQLite file as a store engine.
//
// In:    the path of the file.
// Out:   a store.Engine in WAL mode with synchronous=FULL.
// Keeps: the file, and beside it -wal and -shm.
// Not here: statements and transactions (store).
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"
	_ "modernc.org/sqlite" // the driver
	lib "modernc.org/sqlite/lib"

	"github.com/fluxway/fluxway/internal/store"
)

// Open opens or creates the file. Its folder must exist.
func Open(path string) (*store.Engine, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	// The file is created here so that it is never readable by others.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the database: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	pools, err := open(path)
	if err != nil {
		return nil, err
	}
	write, read, side := pools[0], pools[1], pools[2]
	write.SetMaxOpenConns(1)
	// Many at once, because a caller may read while it walks over rows. They are kept
	// for a moment, because a new one reads the whole schema, and not for long, because
	// each has a cache.
	read.SetMaxOpenConns(max(16, 4*runtime.NumCPU()))
	read.SetMaxIdleConns(max(16, 4*runtime.NumCPU()))
	read.SetConnMaxIdleTime(30 * time.Second)
	side.SetMaxIdleConns(-1)
	e := &store.Engine{
		Name: "sqlite", Where: path, Path: path, Write: write, Read: read, Side: side,
		Begin:      "BEGIN IMMEDIATE",
		RowPlace:   rowPlace,
		Snapshot:   "BEGIN",
		Types:      map[string]string{"JSON": "TEXT", "BLOB": "BLOB"},
		Unique:     unique,
		Statements: openStatements,
		Again:      func(error) bool { return false },
		Undone:     undone,
		Stale:      func(error) bool { return false }, // the library prepares anew by itself
		Lock:       func(ctx context.Context) (func(), error) { return lock(ctx, path+".lock") },
		Check:      func(ctx context.Context) ([]string, error) { return check(ctx, side) },
		Size:       func(context.Context) (int64, error) { return size(path) },
		Tidy:       func(ctx context.Context) error { return tidy(ctx, side) },
		Inspect:    func(ctx context.Context) []store.Finding { return inspect(ctx, path, side) },
		Tables:     tables,
		Defer:      deferKeys,
		// Checking each key as rows go would take the square of their number.
		Unhurried: "PRAGMA foreign_keys = OFF",
		Scratch:   scratch,
		Copy:      func(ctx context.Context, to string) error { return copyTo(ctx, side, to) },
	}
	return e, nil
}

// open makes the pools for writing, reading and everything slow.
func open(path string) (pools [3]*sql.DB, err error) {
	for i, pragmas := range [][]string{
		// What undoes one caller of a group is kept in memory: groups are small, and a temporary file would be written page by page.
		{"cache_size(-4000)", "wal_autocheckpoint(2000)", "journal_size_limit(33554432)", "temp_store(MEMORY)"},
		{"cache_size(-2000)", "query_only(1)"},
		{"cache_size(-2000)"},
	} {
		if pools[i], err = sql.Open("sqlite", dsn(path, pragmas...)); err != nil {
			return pools, fmt.Errorf("opening %s: %w", path, err)
		}
	}
	return pools, nil
}

// scratch makes a file in a folder of its own.
func scratch(context.Context) (*store.Engine, func(), error) {
	folder, err := os.MkdirTemp("", "fluxway-scratch-")
	if err != nil {
		return nil, nil, err
	}
	drop := func() { os.RemoveAll(folder) }
	e, err := Open(filepath.Join(folder, "scratch.db"))
	if err != nil {
		drop()
		return nil, nil, err
	}
	return e, drop, nil
}

// dsn asks for a busy wait that no user outlasts: the one writer of this
// process never waits for itself, only for a command-line tool beside it.
func dsn(path string, pragmas ...string) string {
	q := url.Values{"_txlock": {"immediate"}}
	q["_pragma"] = append([]string{"busy_timeout(30000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)"}, pragmas...)
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

// coded is an error of the library, by way of the driver or ours.
type coded interface {
	error
	Code() int
}

func unique(err error) bool {
	var e coded
	return errors.As(err, &e) && (e.Code() == lib.SQLITE_CONSTRAINT_UNIQUE || e.Code() == lib.SQLITE_CONSTRAINT_PRIMARYKEY)
}

// undone: these are found before the commit is written to the log.
func undone(err error) bool {
	var e coded
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() & 0xff {
	case lib.SQLITE_FULL, lib.SQLITE_BUSY, lib.SQLITE_CONSTRAINT, lib.SQLITE_READONLY:
		return true
	}
	return false
}

func lock(ctx context.Context, path string) (func(), error) {
	l := flock.New(path, flock.SetPermissions(0o600))
	if ok, err := l.TryLockContext(ctx, 50*time.Millisecond); err != nil || !ok {
		return nil, fmt.Errorf("waiting for %s: %w", path, err)
	}
	return func() { _ = l.Unlock() }, nil // closing the file frees the lock in any case
}

func check(ctx context.Context, db *sql.DB) ([]string, error) {
	var wrong []string
	for _, pragma := range []string{"PRAGMA integrity_check", "PRAGMA foreign_key_check"} {
		rows, err := db.QueryContext(ctx, pragma)
		if err != nil {
			return nil, err
		}
		columns, err := rows.Columns()
		if err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		for rows.Next() {
			cells := make([]any, len(columns))
			for i := range cells {
				cells[i] = new(sql.NullString)
			}
			if err := rows.Scan(cells...); err != nil {
				return nil, errors.Join(err, rows.Close())
			}
			var words []string
			for _, c := range cells {
				words = append(words, c.(*sql.NullString).String)
			}
			if line := strings.Join(words, " "); line != "ok" {
				wrong = append(wrong, line)
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return nil, err
		}
	}
	return wrong, nil
}

func size(path string) (int64, error) {
	var sum int64
	for _, suffix := range []string{"", "-wal"} {
		info, err := os.Stat(path + suffix)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, err
		}
		sum += info.Size()
	}
	return sum, nil
}

// tidy refreshes statistics and shortens the log. It gives up at once when
// readers are in the way, because waiting for them would hold up the writer.
func tidy(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, pragma := range []string{"PRAGMA optimize", "PRAGMA busy_timeout = 0", "PRAGMA wal_checkpoint(TRUNCATE)"} {
		if _, err := conn.ExecContext(ctx, pragma); err != nil && !busy(err) {
			return fmt.Errorf("%s: %w", pragma, err)
		}
	}
	return nil
}

// copyTo makes the file first, so that it is never readable by others.
func copyTo(ctx context.Context, db *sql.DB, to string) error {
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if _, err = db.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}

func busy(err error) bool {
	var e coded
	return errors.As(err, &e) && e.Code()&0xff == lib.SQLITE_BUSY
}
