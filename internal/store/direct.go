package store

import (
	"database/sql/driver"
	"fmt"
)

// Statements prepares statements on the writer's connection.
type Statements interface {
	Prepare(query string) (Statement, error)
	Close()
}

// Statement is prepared; one caller uses it at a time.
type Statement interface {
	// Exec takes what database/sql would hand to a driver, or pointers to texts and numbers of that kind, and says how many rows were changed.
	Exec(args []driver.Value) (int64, error)
	Close()
}

// direct runs statements on the engine's own connection. What database/sql and its drivers do around a statement costs
// more than a small insert, and nothing of it is needed by the one user of a connection.
type direct struct {
	on    Statements // nil: none yet
	stmts map[string]Statement
	args  []driver.Value
}

func (s *session) execDirect(query string, args []any) (int64, error) {
	stmt, err := s.directly(query)
	if err != nil {
		return 0, err
	}
	d := &s.direct
	d.args = d.args[:0]
	for i, a := range args {
		switch v := a.(type) {
		case nil, string, int64, bool, float64, []byte:
		case *string:
			if v == nil {
				a = nil
			}
		case *int64:
			if v == nil {
				a = nil
			}
		default:
			var err error
			if a, err = driver.DefaultParameterConverter.ConvertValue(a); err != nil {
				return 0, fmt.Errorf("argument %d of %.60q: %w", i+1, query, err)
			}
		}
		d.args = append(d.args, a)
	}
	n, err := stmt.Exec(d.args)
	clear(d.args)
	return n, err
}

// directly finds or prepares a statement.
func (s *session) directly(query string) (Statement, error) {
	d := &s.direct
	if stmt := d.stmts[query]; stmt != nil {
		return stmt, nil
	}
	if len(d.stmts) >= maxStatements {
		return nil, errTooMany
	}
	stmt, err := d.on.Prepare(query)
	if err != nil {
		return nil, fmt.Errorf("preparing %.80q: %w", query, err)
	}
	d.stmts[query] = stmt
	return stmt, nil
}

// close gives the statements back.
func (d *direct) close() {
	for _, stmt := range d.stmts {
		stmt.Close()
	}
	if d.on != nil {
		d.on.Close()
	}
	d.on, d.stmts = nil, nil
}
