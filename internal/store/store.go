package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
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
	db := &DB{engine: opts.Engine, log: log, backups: opts.Backups, binder: binder{numbered: opts.Engine.Numbered}}
	db.reader = &conns{db: opts.Engine.Read, binder: &db.binder}
	db.writer = newWriter(opts.Engine, &db.binder)
	return db, nil
}

// Engine tells which engine serves and where.
func (db *DB) Engine() *Engine { return db.engine }

// InTx runs f inside a write transaction and returns once it is durable, or
// with f's error after undoing what f did. f must be quick, must not call InTx,
// do network or wait, and may run again when the engine undid it, so it has no
// effects outside tx; AfterCommit is for those.
func (db *DB) InTx(ctx context.Context, f func(tx *Tx) error) error {
	err := db.writer.do(ctx, f)
	if err != nil {
		return explain(err, db.engine)
	}
	return nil
}

// Read gives the readers: they run in parallel and see committed rows only.
func (db *DB) Read() Querier { return db.reader }

// Close waits for the writer and closes the connections.
func (db *DB) Close() error {
	return errors.Join(db.writer.close(), db.reader.close(), db.engine.Write.Close(), db.engine.Read.Close())
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

// conns is a pool with its prepared statements.
type conns struct {
	db     *sql.DB
	binder *binder

	mu    sync.RWMutex // guards stmts
	stmts map[string]*sql.Stmt
}

// Query runs a prepared statement on any free connection.
func (c *conns) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := c.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, plain(args)...)
}

// maxStatements bounds the cache; statements are constants, so it is never
// reached unless someone builds SQL from data.
const maxStatements = 2000

func (c *conns) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	c.mu.RLock()
	stmt := c.stmts[query]
	c.mu.RUnlock()
	if stmt != nil {
		return stmt, nil
	}
	stmt, err := c.db.PrepareContext(ctx, c.binder.bind(query))
	if err != nil {
		return nil, fmt.Errorf("preparing %.80q: %w", query, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.stmts[query]; known != nil {
		return known, stmt.Close()
	}
	if c.stmts == nil || len(c.stmts) >= maxStatements {
		c.stmts = make(map[string]*sql.Stmt)
	}
	c.stmts[query] = stmt
	return stmt, nil
}

func (c *conns) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, stmt := range c.stmts {
		errs = append(errs, stmt.Close())
	}
	c.stmts = nil
	return errors.Join(errs...)
}
