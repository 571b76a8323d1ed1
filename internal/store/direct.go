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
	// Exec takes what database/sql would hand to a driver, or pointers to texts and numbers of that kind, with the
	// length of all texts and bytes together, and says how many rows were changed.
	Exec(args []driver.Value, size int) (int64, error)
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
	size, err := d.take(args)
	if err != nil {
		return 0, fmt.Errorf("%.60q: %w", query, err)
	}
	n, err := stmt.Exec(d.args, size)
	clear(d.args)
	return n, err
}

// take makes our argument types what the engine takes, as plain does and the driver behind it, in one go: it is done for each
// value of each row.
func (d *direct) take(args []any) (size int, err error) {
	d.args = d.args[:0]
	for i, a := range args {
		switch v := a.(type) {
		case nil, int64, bool, float64:
		case string:
			if !clean(v) {
				v = cleaned(v)
				a = v
			}
			size += len(v)
		case *string:
			switch {
			case v == nil:
				a = nil
			case clean(*v):
				size += len(*v)
			default:
				text := cleaned(*v)
				a, size = text, size+len(text)
			}
		case *int64:
			if v == nil {
				a = nil
			}
		case []byte:
			size += len(v)
		default:
			if a, err = other(a); err != nil {
				return 0, fmt.Errorf("argument %d: %w", i+1, err)
			}
			switch v := a.(type) {
			case string:
				size += len(v)
			case []byte:
				size += len(v)
			}
		}
		d.args = append(d.args, a)
	}
	return size, nil
}

// other is a value of one of the types that are not the engine's own.
func other(a any) (driver.Value, error) {
	if v, changed := plainOne(a); changed {
		switch v.(type) {
		case nil, string, int64:
			return v, nil
		}
		a = v
	}
	v, err := driver.DefaultParameterConverter.ConvertValue(a)
	if text, ok := v.(string); ok {
		return cleaned(text), err
	}
	return v, err
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
