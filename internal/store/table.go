package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"
)

// Kind is what a column holds, in words that both engines share.
type Kind string

// The kinds of columns. JSON is text that PostgreSQL keeps parsed.
const (
	Int   Kind = "int"
	Float Kind = "float"
	Bool  Kind = "bool"
	Text  Kind = "text"
	Bytes Kind = "bytes"
)

// Column is one column of a table.
type Column struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
}

// Table is one table as the engine describes it.
type Table struct {
	Name    string   `json:"name"`
	Columns []Column `json:"columns"`
}

// versionTable belongs to the migrations: it describes the schema, not the data.
const versionTable = "goose_db_version"

// Tables lists the tables that hold data, by name.
func (db *DB) Tables(ctx context.Context) ([]Table, error) { return db.tables(ctx, db.reader) }

func (db *DB) tables(ctx context.Context, q Querier) ([]Table, error) {
	all, err := db.engine.Tables(ctx, q)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(t Table) bool { return t.Name == versionTable }), nil
}

// Tables joins rows of (table, column, kind) that are sorted by table.
func Tables(ctx context.Context, q Querier, query string, kindOf func(declared string) Kind) ([]Table, error) {
	type described struct {
		Table  string `db:"table_name"`
		Column string `db:"column_name"`
		Type   string `db:"column_type"`
	}
	var tables []Table
	for d, err := range Each[described](ctx, q, query) {
		if err != nil {
			return nil, err
		}
		if len(tables) == 0 || tables[len(tables)-1].Name != d.Table {
			tables = append(tables, Table{Name: d.Table})
		}
		t := &tables[len(tables)-1]
		t.Columns = append(t.Columns, Column{d.Column, kindOf(strings.ToLower(d.Type))})
	}
	return tables, nil
}

func (t Table) column(name string) (Column, bool) {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return Column{}, false
	}
	return t.Columns[i], true
}

// quoted makes a name of the schema safe inside a statement.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quotedList(columns []Column) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = quoted(c.Name)
	}
	return strings.Join(names, ", ")
}

// snapshot is a connection inside a transaction that only reads: it sees the
// database as it was when it began.
type snapshot struct {
	conn   *sql.Conn
	binder *binder
}

func (db *DB) snapshot(ctx context.Context) (*snapshot, error) {
	conn, err := db.engine.Side.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, db.engine.Snapshot); err != nil {
		conn.Close()
		return nil, err
	}
	return &snapshot{conn, &db.binder}, nil
}

// Query reads rows as they were when the snapshot began.
func (s *snapshot) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return s.conn.QueryContext(ctx, s.binder.bind(query), plain(args)...)
}

// close ends the transaction; the pool keeps no idle connection, so the
// connection goes with it.
func (s *snapshot) close() error { return s.conn.Close() }
