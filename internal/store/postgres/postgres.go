// Package postgres opens a PostgreSQL database as a store engine.
//
// In:    a postgres:// URL.
// Out:   a store.Engine on pgx.
// Keeps: nothing of its own.
// Not here: statements and transactions (store).
package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/fluxway/fluxway/internal/store"
)

// migrationLock is the advisory lock that one process holds while it migrates.
const migrationLock = 0x666c7578 // "flux"

// Open prepares connections to the database; the first statement connects.
func Open(url string) (*store.Engine, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("reading database.url: %w", redact(err))
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = 10 * time.Second
	}
	return open(cfg), nil
}

func open(cfg *pgx.ConnConfig) *store.Engine {
	params := map[string]string{"application_name": "fluxway", "timezone": "UTC", "statement_timeout": "60000", "idle_in_transaction_session_timeout": "60000"}
	for name, value := range params {
		if _, set := cfg.RuntimeParams[name]; !set {
			cfg.RuntimeParams[name] = value
		}
	}
	readCfg, sideCfg := cfg.Copy(), cfg.Copy()
	readCfg.RuntimeParams["default_transaction_read_only"] = "on"
	sideCfg.RuntimeParams["statement_timeout"] = "0"
	sideCfg.RuntimeParams["idle_in_transaction_session_timeout"] = "0"
	write, read, side := stdlib.OpenDB(*cfg), stdlib.OpenDB(*readCfg), stdlib.OpenDB(*sideCfg)
	write.SetMaxOpenConns(1)
	read.SetMaxOpenConns(max(16, 4*runtime.NumCPU()))
	read.SetMaxIdleConns(4)
	read.SetConnMaxIdleTime(time.Minute)
	side.SetMaxIdleConns(-1)
	return &store.Engine{
		Name: "postgres", Where: fmt.Sprintf("%s:%d/%s", cfg.Host, cfg.Port, cfg.Database), Write: write, Read: read, Side: side,
		Begin:      "BEGIN",
		RowPlace:   func(context.Context, store.Querier, string) ([]string, error) { return []string{"ctid"}, nil },
		Snapshot:   "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
		SkipLocked: " FOR UPDATE SKIP LOCKED",
		Types:      map[string]string{"JSON": "JSONB", "BLOB": "BYTEA"},
		Numbered:   true,
		Unique:     func(err error) bool { return code(err) == "23505" },
		Again:      again,
		Undone:     undone,
		Stale:      stale,
		Aborted:    aborted,
		Lock:       func(ctx context.Context) (func(), error) { return lock(ctx, side) },
		Check:      func(ctx context.Context) ([]string, error) { return check(ctx, side) },
		Inspect:    func(ctx context.Context) []store.Finding { return inspect(ctx, side) },
		Tables:     tables,
		Defer:      deferKeys,
		Size: func(ctx context.Context) (int64, error) {
			var n int64
			err := read.QueryRowContext(ctx, "SELECT pg_database_size(current_database())").Scan(&n)
			return n, err
		},
		Unhurried: "SET statement_timeout = 0",
		Scratch:   func(ctx context.Context) (*store.Engine, func(), error) { return scratch(ctx, cfg, side) },
	}
}

// scratch makes a schema in the same database, which needs no more rights than
// making tables does on most servers. Extensions stay visible behind it.
func scratch(ctx context.Context, cfg *pgx.ConnConfig, side *sql.DB) (*store.Engine, func(), error) {
	schema := fmt.Sprintf("fluxway_scratch_%d", time.Now().UnixNano())
	if _, err := side.ExecContext(ctx, "CREATE SCHEMA "+schema); err != nil {
		return nil, nil, err
	}
	own := cfg.Copy()
	own.RuntimeParams["search_path"] = schema + ", public"
	return open(own), func() {
		// What is left behind does no harm, and there is nobody to tell.
		_, _ = side.ExecContext(context.WithoutCancel(ctx), "DROP SCHEMA "+schema+" CASCADE")
	}, nil
}

func code(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// again: deadlocks and serialisation failures are undone by the server, and a
// connection that failed before it sent anything did nothing.
func again(err error) bool {
	switch code(err) {
	case "40P01", "40001":
		return true
	}
	return pgconn.SafeToRetry(err)
}

// undone: the server answered a COMMIT with an error and goes on serving; a
// server that is going away may have committed before it said so.
func undone(err error) bool {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.SeverityUnlocalized == "ERROR"
	}
	return pgconn.SafeToRetry(err)
}

// stale: another process changed the table, or a pooler lost the statement.
func stale(err error) bool {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return false
	}
	return e.Code == "26000" || e.Code == "0A000" && strings.Contains(e.Message, "cached plan")
}

// aborted: after a failed statement the server answers COMMIT with a rollback
// and no error, so the state has to be asked for.
func aborted(conn any) bool {
	c, ok := conn.(*stdlib.Conn)
	return ok && c.Conn().PgConn().TxStatus() == 'E'
}

func lock(ctx context.Context, db *sql.DB) (func(), error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", migrationLock); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return func() {
		// Closing the session would free it too; unlocking keeps the connection usable.
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", migrationLock)
		_ = conn.Close()
	}, nil
}

// check asks the server for indexes it knows to be broken; the server's own
// checksums cover the pages.
func check(ctx context.Context, db *sql.DB) ([]string, error) {
	rows, err := db.QueryContext(ctx, "SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var wrong []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		wrong = append(wrong, "index "+name+" is not valid")
	}
	return wrong, rows.Err()
}

// redact drops the connection string, which may hold a password, from an error.
func redact(err error) error {
	var parse *pgconn.ParseConfigError
	if errors.As(err, &parse) {
		return errors.New("it is not a valid PostgreSQL URL (postgres://user:password@host:port/database)")
	}
	return err
}
