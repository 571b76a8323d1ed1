package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
)

// direct runs a statement on the driver's own connection. What database/sql does
// around a statement costs a good part of a small insert, and nothing of it is
// needed by the one user of a connection.
type direct struct {
	stmts map[string]driver.Stmt
	args  []driver.NamedValue
}

func (s *session) execDirect(ctx context.Context, query string, args []any) (n int64, err error) {
	if s.conn == nil {
		return 0, sql.ErrConnDone
	}
	raw := s.conn.Raw(func(conn any) error {
		n, err = s.direct.exec(ctx, conn, query, args)
		return nil // err is the statement's; the connection is fine
	})
	if raw != nil {
		return 0, raw
	}
	return n, err
}

func (d *direct) exec(ctx context.Context, conn any, query string, args []any) (int64, error) {
	stmt := d.stmts[query]
	if stmt == nil {
		if len(d.stmts) >= maxStatements {
			return 0, errTooMany
		}
		var err error
		if stmt, err = conn.(driver.ConnPrepareContext).PrepareContext(ctx, query); err != nil {
			return 0, fmt.Errorf("preparing %.80q: %w", query, err)
		}
		if d.stmts == nil {
			d.stmts = make(map[string]driver.Stmt)
		}
		d.stmts[query] = stmt
	}
	if want := stmt.NumInput(); want >= 0 && want != len(args) {
		return 0, fmt.Errorf("%.60q takes %d arguments, got %d", query, want, len(args))
	}
	d.args = d.args[:0]
	for i, a := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(a)
		if err != nil {
			return 0, fmt.Errorf("argument %d of %.60q: %w", i+1, query, err)
		}
		d.args = append(d.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	res, err := stmt.(driver.StmtExecContext).ExecContext(ctx, d.args)
	clear(d.args)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// close gives the statements back; their errors are the connection's.
func (d *direct) close() {
	for _, stmt := range d.stmts {
		stmt.Close()
	}
	d.stmts = nil
}
