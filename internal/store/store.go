package store

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"sync"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// ErrNoRows is what One answers when nothing matched.
var ErrNoRows = sql.ErrNoRows

// Options are what a DB needs.
type Options struct {
	Engine  *Engine      // required: sqlite.Open or postgres.Open
	Log     *slog.Logger // nil: silent
	Backups string       // folder for copies taken before a migration; empty: none are taken
}

// DB is the database of one process.
type DB struct {
	engine  *Engine
	log     *slog.Logger
	backups string
	binder  binder
	writer  *writer
	reader  *conns

	restoring sync.Mutex // one restore at a time

	mu         sync.Mutex // guards the fields below
	retentions []Retention
	hooks      []RestoreHook
	retained   chan struct{} // has an entry when a retention was added
}

// New wraps an opened engine. It does not migrate.
func New(opts Options) (*DB, error) {
	if opts.Engine == nil {
		return nil, errors.New("store: Options.Engine is nil")
	}
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	db := &DB{engine: opts.Engine, log: log, backups: opts.Backups, retained: make(chan struct{}, 1), binder: binder{numbered: opts.Engine.Numbered}}
	db.reader = &conns{engine: opts.Engine, binder: &db.binder}
	db.writer = newWriter(opts.Engine, &db.binder)
	return db, nil
}

// Engine tells which engine serves and where.
func (db *DB) Engine() *Engine { return db.engine }

// InTx runs f inside a write transaction and returns once it is durable, or
// with f's error after undoing what f did. f must be quick, must not call InTx,
// do network or wait. f may run more than once (a neighbour in the same commit
// failed, the engine undid it), so it has no effects outside tx: it sets what it
// returns to its caller, never adds to it. AfterCommit is for effects.
func (db *DB) InTx(ctx context.Context, f func(tx *Tx) error) error {
	err := db.writer.do(ctx, f, "")
	if err != nil {
		return explain(err, db.engine)
	}
	return nil
}

// Read gives the readers: they run in parallel and see committed rows only.
func (db *DB) Read() Querier { return db.reader }

// Close waits for the writer and closes the connections.
func (db *DB) Close() error {
	return errors.Join(db.writer.close(), db.reader.close(), db.engine.Write.Close(), db.engine.Read.Close(), db.engine.Side.Close())
}

// IsUnique says whether err is a violated unique constraint.
func (db *DB) IsUnique(err error) bool { return err != nil && db.engine.Unique(err) }

// SkipLocked is the suffix of a SELECT that claims rows, so that several
// processes on PostgreSQL never claim the same one.
func (db *DB) SkipLocked() string { return db.engine.SkipLocked }

// explain turns the engine's own troubles into faults a person can act on.
func explain(err error, engine *Engine) error {
	var f *fault.Fault
	if errors.As(err, &f) {
		return err
	}
	for _, known := range troubles {
		if known.is(err) {
			return known.fault(engine).Because(err)
		}
	}
	return err
}

// Querier reads rows: a transaction, or the readers.
type Querier interface {
	Query(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}
