package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// maxStatements bounds the caches of prepared statements; statements are
// constants, so it is never reached unless someone builds SQL from data.
const maxStatements = 2000

// conns is the pool of readers with its prepared statements.
type conns struct {
	engine *Engine
	binder *binder

	mu    sync.RWMutex // guards the fields below
	stmts map[string]*sql.Stmt
	anew  map[string]int // how often a statement was prepared again
}

// Query runs a prepared statement on any free connection. A statement that no
// longer fits the schema, because another process changed it, is prepared anew.
func (c *conns) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	args = plain(args)
	for range 3 {
		stmt, err := c.prepared(ctx, query)
		if err != nil {
			return nil, explain(err, c.engine)
		}
		if stmt == nil {
			break
		}
		rows, err := stmt.QueryContext(ctx, args...)
		if err == nil {
			return rows, nil
		}
		if !c.engine.Stale(err) {
			return nil, explain(err, c.engine)
		}
		c.forget(query, stmt)
	}
	rows, err := c.engine.Read.QueryContext(ctx, c.binder.bind(query), args...)
	if err != nil {
		return nil, explain(err, c.engine)
	}
	return rows, nil
}

// prepared finds or makes a statement; nil when there are too many.
func (c *conns) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	c.mu.RLock()
	stmt, anew, full := c.stmts[query], c.anew[query], len(c.stmts) >= maxStatements
	c.mu.RUnlock()
	if stmt != nil || full {
		return stmt, nil
	}
	// The driver finds prepared statements by their text, so a second one must
	// differ from the first; spaces at the end do no harm.
	stmt, err := c.engine.Read.PrepareContext(ctx, c.binder.bind(query)+strings.Repeat(" ", anew))
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

// forget drops a statement. Others may be about to use it, so it is not closed
// under them; the connections it was prepared on let it go when they end.
func (c *conns) forget(query string, stmt *sql.Stmt) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stmts[query] != stmt {
		return
	}
	delete(c.stmts, query)
	if c.anew == nil {
		c.anew = make(map[string]int)
	}
	c.anew[query]++
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
