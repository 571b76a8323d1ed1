package app

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/memory/pgvector"
	"github.com/fluxway/fluxway/internal/memory/vectors"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/postgres"
	"github.com/fluxway/fluxway/internal/store/sqlite"
)

// CopyVectors copies the vectors of another database, a postgres:// URL or an SQLite file, into this one. The rows
// must be the same already, as after restoring a backup.
func (l *Local) CopyVectors(ctx context.Context, from string, progress func(memory.Copied)) (done memory.Copied, err error) {
	engine, err := otherEngine(from)
	if err != nil {
		return done, err
	}
	other, err := store.New(store.Options{Engine: engine})
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, other.Close()) }()
	if err := other.Migrate(ctx); err != nil {
		return done, err
	}
	source, err := shelfOf(ctx, other)
	if err != nil {
		return done, err
	}
	target, err := shelfOf(ctx, l.DB)
	if err != nil {
		return done, err
	}
	return memory.CopyVectors(ctx, source, target, progress)
}

func otherEngine(from string) (*store.Engine, error) {
	if strings.HasPrefix(from, "postgres://") || strings.HasPrefix(from, "postgresql://") {
		return postgres.Open(from)
	}
	if info, err := os.Stat(from); err != nil || info.IsDir() {
		return nil, fault.New(fault.NotFound, "database_not_found", "There is no database at %s.", from).WithHint("Name the file fluxway.db of a data folder, or a postgres:// URL.")
	}
	return sqlite.Open(from)
}

func shelfOf(ctx context.Context, db *store.DB) (memory.Shelf, error) {
	if db.Engine().Name != "postgres" {
		index, err := vectors.New(vectors.Options{DB: db})
		return memory.Shelf{DB: db, Index: index}, err
	}
	index, err := pgvector.New(pgvector.Options{DB: db})
	if err != nil {
		return memory.Shelf{}, err
	}
	return memory.Shelf{DB: db, Index: index}, index.Prepare(ctx)
}
