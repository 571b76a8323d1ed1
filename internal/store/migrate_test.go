package store_test

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/sqlite"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestANewerDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		exec(t, db, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99990101000000, ?)`, true)
		err := db.Migrate(t.Context())
		if f := fault.From(err); err == nil || f.Code != "database_newer" || f.Hint == "" {
			t.Errorf("Migrate: %v", err)
		}
	})
}

func TestMigratingTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		before := count(t, db, `SELECT count(*) FROM goose_db_version`)
		if err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if after := count(t, db, `SELECT count(*) FROM goose_db_version`); after != before {
			t.Errorf("%d versions before, %d after", before, after)
		}
	})
}

func TestACopyIsTakenBeforeMigrating(t *testing.T) {
	t.Parallel()
	for name, open := range emptyEngines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			db := open(t)
			if err := store.MigrateTo(ctx, db, firstVersion); err != nil {
				t.Fatal(err)
			}
			b, ws := bodies(t, store.BodiesOptions{DB: db}), storetest.Workspace()
			id := put(t, db, b, ws, store.NewBody{Kind: "x", Content: []byte("old")})
			folder := filepath.Join(t.TempDir(), "backups")
			store.SetBackups(db, folder)
			if err := db.Migrate(ctx); err != nil {
				t.Fatal(err)
			}
			copies, err := os.ReadDir(folder)
			if err != nil || len(copies) != 1 {
				t.Fatalf("copies: %v, %v", copies, err)
			}
			path := filepath.Join(folder, copies[0].Name())
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the copy's mode is %v, %v", info.Mode(), err)
			}
			restored := db
			if name == "sqlite" {
				engine, err := sqlite.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				if restored, err = store.New(store.Options{Engine: engine}); err != nil {
					t.Fatal(err)
				}
				defer restored.Close()
				if at, err := restored.Version(ctx); at != firstVersion || err != nil {
					t.Errorf("the copy has version %d, %v", at, err)
				}
			} else if _, err := db.Restore(ctx, store.RestoreOptions{Path: path, Safety: t.TempDir()}); err != nil {
				t.Fatal(err)
			}
			if _, content, err := bodies(t, store.BodiesOptions{DB: restored}).Get(ctx, ws, id); string(content) != "old" || err != nil {
				t.Errorf("the copy holds %q, %v", content, err)
			}
		})
	}
}

// TestBothEnginesHaveTheSameTables leaves out what only one engine's own
// migrations make.
func TestBothEnginesHaveTheSameTables(t *testing.T) {
	t.Parallel()
	shape := func(db *store.DB) map[string][]store.Column {
		tables, err := db.Tables(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		shape := make(map[string][]store.Column)
		for _, table := range tables {
			slices.SortFunc(table.Columns, func(a, b store.Column) int { return cmp.Compare(a.Name, b.Name) })
			shape[table.Name] = table.Columns
		}
		return shape
	}
	lite, pg := shape(storetest.SQLite(t)), shape(storetest.Postgres(t))
	own := ownTables(t)
	for _, tables := range []map[string][]store.Column{lite, pg} {
		for name := range own {
			delete(tables, name)
		}
	}
	if diff := gocmp.Diff(lite, pg); diff != "" || len(lite) == 0 {
		t.Errorf("the schemas differ (-sqlite +postgres):\n%s", diff)
	}
}

// ownTables finds the tables that engine-only migrations mention.
func ownTables(t *testing.T) map[string]bool {
	t.Helper()
	own := make(map[string]bool)
	for _, pattern := range []string{"migrations/*.sqlite.sql", "migrations/*.postgres.sql"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			words := bytes.FieldsFunc(text, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz_0123456789", r) })
			for _, w := range words {
				own[string(w)] = true
			}
		}
	}
	return own
}

func TestDoctorFindsAHealthyDatabaseHealthy(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		throwaway := map[string]bool{"fsync": true, "full_page_writes": true, "synchronous_commit": true, "pgvector": true}
		seen := make(map[string]store.Finding)
		for _, f := range db.Doctor(t.Context()) {
			seen[f.Name] = f
			if !f.OK && !throwaway[f.Name] {
				t.Errorf("%s: %s", f.Name, f.Detail)
			}
			if f.OK == (f.Fix != "") || f.Detail == "" {
				t.Errorf("%+v: a fix belongs to what is wrong, and a detail to all", f)
			}
		}
		want := []string{"schema", "writable", "integrity", "permissions", "disk", "wal"}
		if db.Engine().Name == "postgres" {
			want = []string{"schema", "writable", "integrity", "postgres", "latency", "pgvector"}
			if seen["fsync"].OK {
				t.Error("a server without fsync is not reported")
			}
		}
		for _, name := range want {
			if _, ok := seen[name]; !ok {
				t.Errorf("%s was not checked", name)
			}
		}
		if n := count(t, db, `SELECT count(*) FROM store_bodies`); n != 0 {
			t.Errorf("the check left %d rows", n)
		}
	})
}

func TestDoctorNoticesWhatIsWrong(t *testing.T) {
	t.Parallel()
	wrong := func(db *store.DB) map[string]string {
		found := make(map[string]string)
		for _, f := range db.Doctor(context.Background()) {
			if !f.OK {
				found[f.Name] = f.Detail
			}
		}
		return found
	}
	t.Run("others may read the file", func(t *testing.T) {
		t.Parallel()
		db := storetest.SQLite(t)
		if err := os.Chmod(db.Engine().Path, 0o644); err != nil {
			t.Fatal(err)
		}
		if found := wrong(db); found["permissions"] == "" {
			t.Errorf("found only %v", found)
		}
	})
	t.Run("an older schema", func(t *testing.T) {
		t.Parallel()
		if found := wrong(storetest.Empty(t, "sqlite")); found["schema"] == "" || found["writable"] == "" {
			t.Errorf("found only %v", found)
		}
	})
	t.Run("a damaged file", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "damaged.db")
		source := storetest.SQLite(t)
		things(t, source, 2000)
		if err := source.Engine().Copy(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt(bytes.Repeat([]byte{0xAA}, 8192), info.Size()-16384); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		engine, err := sqlite.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		db, err := store.New(store.Options{Engine: engine})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if found := wrong(db); found["integrity"] == "" {
			t.Errorf("found only %v", found)
		}
	})
}
