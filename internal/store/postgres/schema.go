package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/fluxway/fluxway/internal/store"
)

const listTables = `
	SELECT c.relname AS table_name, a.attname AS column_name, format_type(a.atttypid, a.atttypmod) AS column_type
	FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
	WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
	  AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
	ORDER BY c.relname COLLATE "C", a.attnum`

func tables(ctx context.Context, q store.Querier) ([]store.Table, error) {
	return store.Tables(ctx, q, listTables, kindOf)
}

func kindOf(declared string) store.Kind {
	switch {
	case declared == "bigint", declared == "integer", declared == "smallint":
		return store.Int
	case declared == "boolean":
		return store.Bool
	case declared == "bytea":
		return store.Bytes
	case declared == "double precision", declared == "real":
		return store.Float
	}
	return store.Text // jsonb, vector and the rest travel as text
}

const listKeys = `
	SELECT conrelid::regclass::text AS table_name, quote_ident(conname) AS key_name, condeferrable AS deferrable
	FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`

type key struct {
	Table      string `db:"table_name"`
	Name       string `db:"key_name"`
	Deferrable bool   `db:"deferrable"`
}

// deferKeys keeps other processes from writing until the transaction ends, makes
// foreign keys deferrable inside it and puts them back in check. None of it
// holds up readers.
func deferKeys(ctx context.Context, tx *store.Tx) (check func() error, err error) {
	if err := lockTables(ctx, tx); err != nil {
		return nil, err
	}
	keys, err := store.All[key](ctx, tx, listKeys)
	if err != nil {
		return nil, err
	}
	alter := func(how string) error {
		for _, k := range keys {
			if k.Deferrable {
				continue
			}
			if _, err := tx.Exec(ctx, fmt.Sprintf("ALTER TABLE %s ALTER CONSTRAINT %s %s", k.Table, k.Name, how)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := alter("DEFERRABLE"); err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, "SET CONSTRAINTS ALL DEFERRED"); err != nil {
		return nil, err
	}
	return func() error {
		if _, err := tx.Exec(ctx, "SET CONSTRAINTS ALL IMMEDIATE"); err != nil {
			return err
		}
		if err := alter("NOT DEFERRABLE"); err != nil {
			return err
		}
		return raiseSequences(ctx, tx)
	}, nil
}

func lockTables(ctx context.Context, tx *store.Tx) error {
	names, err := store.All[string](ctx, tx, `SELECT quote_ident(relname) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY relname`)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return nil
	}
	_, err = tx.Exec(ctx, "LOCK TABLE "+strings.Join(names, ", ")+" IN SHARE ROW EXCLUSIVE MODE")
	return err
}

const listSequences = `
	SELECT pg_get_serial_sequence(quote_ident(c.relname), a.attname) AS sequence, quote_ident(c.relname) AS table_name, quote_ident(a.attname) AS column_name
	FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
	WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
	  AND pg_get_serial_sequence(quote_ident(c.relname), a.attname) IS NOT NULL`

// raiseSequences keeps generated numbers above those of the rows; the sequence
// of the migrations has rows of its own and is raised with the rest.
func raiseSequences(ctx context.Context, tx *store.Tx) error {
	type sequence struct {
		Name   string `db:"sequence"`
		Table  string `db:"table_name"`
		Column string `db:"column_name"`
	}
	all, err := store.All[sequence](ctx, tx, listSequences)
	if err != nil {
		return err
	}
	for _, s := range all {
		raise := fmt.Sprintf("SELECT setval('%s', GREATEST((SELECT max(%s) FROM %s), (SELECT last_value FROM %s), 1))",
			strings.ReplaceAll(s.Name, "'", "''"), s.Column, s.Table, s.Name)
		if _, err := store.One[int64](ctx, tx, raise); err != nil {
			return err
		}
	}
	return nil
}
