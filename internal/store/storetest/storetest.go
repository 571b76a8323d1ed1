// Package storetest gives tests a real database of each kind.
//
// In:    a test.
// Out:   a migrated SQLite file and a migrated database of a throwaway
// PostgreSQL, each its own.
// Keeps: the PostgreSQL server, one per test process; it dies with the process.
// Not here: anything that is not a test.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/postgres"
	"github.com/fluxway/fluxway/internal/store/sqlite"
)

// Each runs test on a fresh database of every engine, as parallel subtests.
func Each(t *testing.T, test func(t *testing.T, db *store.DB)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, SQLite(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, Postgres(t))
	})
}

// SQLite opens a fresh, migrated file.
func SQLite(t testing.TB) *store.DB {
	t.Helper()
	file, err := template()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "fluxway.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	engine, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return open(t, engine)
}

// template is a migrated file, made once: migrating costs more than most tests do.
var template = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "fluxway-template-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "fluxway.db")
	engine, err := sqlite.Open(path)
	if err != nil {
		return nil, err
	}
	if err := migrated(engine); err != nil {
		return nil, err
	}
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		return nil, errors.New("the template was closed with part of it outside the file")
	}
	return os.ReadFile(path)
})

// Postgres opens a fresh, migrated database of the throwaway server.
func Postgres(t testing.TB) *store.DB {
	t.Helper()
	engine, err := postgres.Open(PostgresURL(t))
	if err != nil {
		t.Fatal(err)
	}
	return open(t, engine)
}

// Empty opens a database of the named engine that was never migrated.
func Empty(t testing.TB, engine string) *store.DB {
	t.Helper()
	var e *store.Engine
	var err error
	if engine == "postgres" {
		e, err = postgres.Open(EmptyPostgresURL(t))
	} else {
		e, err = sqlite.Open(filepath.Join(t.TempDir(), "fluxway.db"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return open(t, e)
}

// PostgresURL is the URL of a fresh, migrated database, for tests that start
// whole programs; the database is dropped when the test ends.
func PostgresURL(t testing.TB) string {
	t.Helper()
	url, err := server.database(t, true)
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// EmptyPostgresURL is like PostgresURL without any table.
func EmptyPostgresURL(t testing.TB) string {
	t.Helper()
	url, err := server.database(t, false)
	if err != nil {
		t.Fatal(err)
	}
	return url
}

func open(t testing.TB, engine *store.Engine) *store.DB {
	t.Helper()
	db, err := store.New(store.Options{Engine: engine})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("closing the database: %v", err)
		}
	})
	return db
}

// Workspace is an id of a workspace that no other test uses.
func Workspace() ids.Workspace { return ids.New[ids.Workspace]() }

// migrated brings an empty database up to date and closes it.
func migrated(engine *store.Engine) error {
	db, err := store.New(store.Options{Engine: engine})
	if err != nil {
		return err
	}
	if err := db.Migrate(context.Background()); err != nil {
		return fmt.Errorf("migrating the template database: %w", errors.Join(err, db.Close()))
	}
	return db.Close()
}
