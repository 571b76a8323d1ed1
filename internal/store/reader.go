package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
)

// maxStatements bounds the caches of prepared statements; statements are
// constants, so it is never reached unless someone builds SQL from data.
const maxStatements = 2000

// conns is the pool of readers with its prepared statements.
type conns struct {
	engine *Engine
	binder *binder

	mu    sync.RWMutex // guards stmts
	stmts map[string]*sql.Stmt
}

// Query runs a prepared statement on any free connection. A statement that no
// longer fits the schema is prepared anew.
func (c *conns) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	args = plain(args)
	rows, err := c.query(ctx, query, args)
	if err != nil && c.engine.Stale(err) {
		c.forget(query)
		rows, err = c.query(ctx, query, args)
	}
	if err != nil {
		return nil, explain(err, c.engine)
	}
	return rows, nil
}

func (c *conns) query(ctx context.Context, query string, args []any) (*sql.Rows, error) {
	c.mu.RLock()
	stmt, known := c.stmts[query]
	full := len(c.stmts) >= maxStatements
	c.mu.RUnlock()
	if !known && full {
		return c.engine.Read.QueryContext(ctx, c.binder.bind(query), args...)
	}
	if !known {
		var err error
		if stmt, err = c.prepare(ctx, query); err != nil {
			return nil, err
		}
	}
	return stmt.QueryContext(ctx, args...)
}

func (c *conns) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	stmt, err := c.engine.Read.PrepareContext(ctx, c.binder.bind(query))
	if err != nil {
		return nil, fmt.Errorf("preparing %.80q: %w", query, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.stmts[query]; known != nil {
		return known, stmt.Close()
	}
	if c.stmts == nil {
		c.stmts = make(map[string]*sql.Stmt)
	}
	c.stmts[query] = stmt
	return stmt, nil
}

// forget drops one statement. Others may be about to use it, so it is left for
// the collector instead of being closed under them.
func (c *conns) forget(query string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.stmts, query)
}

// forgetAll drops every statement, as forget does.
func (c *conns) forgetAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stmts = nil
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
