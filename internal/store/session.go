package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
)

// session is the writer's connection with its prepared statements. Only the
// caller that leads a batch uses it.
type session struct {
	engine *Engine
	binder *binder
	conn   *sql.Conn
	stmts  map[string]*sql.Stmt
	direct direct
	stale  bool // begin with a fresh connection next time
}

var errTooMany = errors.New("store: too many different statements; SQL must not be built from data")

// noConnection: the database could not be reached, so nothing was tried.
type noConnection struct{ err error }

// Error gives the reason.
func (n *noConnection) Error() string { return n.err.Error() }

// Unwrap gives the engine's error.
func (n *noConnection) Unwrap() error { return n.err }

// begin starts a transaction. An idle connection may have been cut since its
// last use; nothing was sent on it, so a fresh one is tried. A prelude changes
// the connection itself, which is therefore not used for anything after it.
func (s *session) begin(ctx context.Context, prelude string) error {
	if s.stale {
		s.drop()
	}
	for fresh := s.conn == nil; ; fresh = true {
		if err := s.connect(ctx); err != nil {
			return &noConnection{fmt.Errorf("connecting to %s: %w", s.engine.Where, err)}
		}
		err := s.prepareFor(ctx, prelude)
		if err == nil {
			err = s.exec(ctx, s.engine.Begin)
		}
		if err == nil {
			return nil
		}
		s.drop()
		if fresh {
			return fmt.Errorf("beginning a transaction: %w", err)
		}
	}
}

func (s *session) prepareFor(ctx context.Context, prelude string) error {
	if prelude == "" {
		return nil
	}
	s.stale = true
	return s.exec(ctx, prelude)
}

// rollback undoes the transaction; a connection that cannot roll back is
// dropped, which undoes it too.
func (s *session) rollback(ctx context.Context) {
	if s.conn == nil {
		return
	}
	if err := s.exec(ctx, "ROLLBACK"); err != nil {
		s.drop()
	}
}

// aborted says whether the engine will only roll this transaction back.
func (s *session) aborted() bool {
	if s.engine.Aborted == nil || s.conn == nil {
		return false
	}
	aborted := false
	err := s.conn.Raw(func(conn any) error {
		aborted = s.engine.Aborted(conn)
		return nil
	})
	return aborted || err != nil
}

func (s *session) exec(ctx context.Context, query string, args ...any) error {
	_, err := s.change(ctx, query, args)
	return err
}

// change runs a statement and says how many rows it changed.
func (s *session) change(ctx context.Context, query string, args []any) (int64, error) {
	if s.direct.on != nil {
		return s.execDirect(query, args)
	}
	// A started transaction is not interrupted: it is quick, and its
	// neighbours share it. The context's values (trace) stay.
	ctx = context.WithoutCancel(ctx)
	stmt, err := s.prepare(ctx, query)
	if err != nil {
		return 0, err
	}
	res, err := stmt.ExecContext(ctx, plain(args)...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (s *session) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt := s.stmts[query]; stmt != nil {
		return stmt, nil
	}
	if len(s.stmts) >= maxStatements {
		return nil, errTooMany
	}
	if s.conn == nil {
		return nil, sql.ErrConnDone
	}
	stmt, err := s.conn.PrepareContext(context.WithoutCancel(ctx), s.binder.bind(query))
	if err != nil {
		return nil, fmt.Errorf("preparing %.80q: %w", query, err)
	}
	s.stmts[query] = stmt
	return stmt, nil
}

func (s *session) connect(ctx context.Context) error {
	if s.conn != nil {
		return nil
	}
	conn, err := s.engine.Write.Conn(ctx)
	if err != nil {
		return err
	}
	if s.engine.Statements != nil {
		s.direct.stmts = make(map[string]Statement)
		err := conn.Raw(func(conn any) (err error) {
			s.direct.on, err = s.engine.Statements(conn)
			return err
		})
		if err != nil {
			return errors.Join(err, conn.Close())
		}
	}
	s.conn, s.stmts, s.stale = conn, make(map[string]*sql.Stmt), false
	return nil
}

// drop discards a connection whose state is unknown.
func (s *session) drop() {
	if s.conn == nil {
		return
	}
	// SQLite keeps a closed connection, and its locks, while statements are open.
	s.closeStatements()
	// ErrBadConn makes database/sql discard the connection instead of reusing it.
	_ = s.conn.Raw(func(any) error { return driver.ErrBadConn })
	s.conn.Close()
	s.conn, s.stmts = nil, nil
}

func (s *session) close() error {
	if s.conn == nil {
		return nil
	}
	s.closeStatements()
	conn := s.conn
	s.conn, s.stmts = nil, nil
	return conn.Close()
}

func (s *session) closeStatements() {
	s.direct.close()
	for _, stmt := range s.stmts {
		stmt.Close() // its error is the connection's, which is being given up
	}
}
