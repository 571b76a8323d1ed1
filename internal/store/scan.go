package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
)

// One reads one row into T: a struct by its `db` tags, or a single value. It
// answers ErrNoRows when there is none.
func One[T any](ctx context.Context, q Querier, query string, args ...any) (T, error) {
	var row T
	found := false
	for r, err := range Each[T](ctx, q, query, args...) {
		if err != nil {
			return row, err
		}
		row, found = r, true
		break
	}
	if !found {
		return row, ErrNoRows
	}
	return row, nil
}

// All reads every row into a slice, which is empty, not nil, when there is none.
func All[T any](ctx context.Context, q Querier, query string, args ...any) ([]T, error) {
	rows := []T{}
	for r, err := range Each[T](ctx, q, query, args...) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// Each reads rows one by one; a failure is the last thing it yields.
func Each[T any](ctx context.Context, q Querier, query string, args ...any) func(yield func(T, error) bool) {
	return func(yield func(T, error) bool) {
		var zero T
		rows, err := q.Query(ctx, query, args...)
		if err != nil {
			yield(zero, fmt.Errorf("%.60q: %w", query, err))
			return
		}
		defer rows.Close()
		columns, err := rows.Columns()
		if err != nil {
			yield(zero, err)
			return
		}
		var row T
		cells, err := cellsFor(reflect.ValueOf(&row).Elem(), columns)
		if err != nil {
			yield(zero, err)
			return
		}
		for rows.Next() {
			row = zero
			if err := rows.Scan(cells...); err != nil {
				yield(zero, err)
				return
			}
			if !yield(row, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(zero, err)
		}
	}
}

// cell puts one column into one field of the row that is being read.
type cell struct {
	field  reflect.Value
	column string
	json   bool
}

// plans remembers which field each column of a struct type goes to.
var plans sync.Map // reflect.Type -> map[string]field

type field struct {
	index []int
	json  bool
}

var (
	timeType    = reflect.TypeFor[time.Time]()
	scannerType = reflect.TypeFor[sql.Scanner]()
	rawType     = reflect.TypeFor[json.RawMessage]()
)

func cellsFor(row reflect.Value, columns []string) ([]any, error) {
	cells := make([]any, len(columns))
	if row.Kind() != reflect.Struct || row.Type() == timeType {
		if len(columns) != 1 {
			return nil, fmt.Errorf("store: %d columns for one %s", len(columns), row.Type())
		}
		cells[0] = &cell{field: row, column: columns[0]}
		return cells, nil
	}
	plan := planOf(row.Type())
	for i, name := range columns {
		f, ok := plan[name]
		if !ok {
			return nil, fmt.Errorf("store: %s has no field tagged db:%q", row.Type(), name)
		}
		cells[i] = &cell{field: row.FieldByIndex(f.index), column: name, json: f.json}
	}
	return cells, nil
}

func planOf(t reflect.Type) map[string]field {
	if plan, ok := plans.Load(t); ok {
		return plan.(map[string]field)
	}
	plan := make(map[string]field)
	for _, f := range reflect.VisibleFields(t) {
		name, opts, _ := strings.Cut(f.Tag.Get("db"), ",")
		if name != "" && name != "-" {
			plan[name] = field{f.Index, opts == "json"}
		}
	}
	plans.Store(t, plan)
	return plan
}

// Scan converts what the driver read; NULL leaves the zero value.
func (c *cell) Scan(src any) error {
	if src == nil {
		return nil
	}
	if err := c.set(c.field, src); err != nil {
		return fmt.Errorf("store: column %s: %w", c.column, err)
	}
	return nil
}

func (c *cell) set(f reflect.Value, src any) error {
	if c.json || f.Type() == rawType {
		return c.setJSON(f, src)
	}
	if f.CanAddr() && f.Addr().Type().Implements(scannerType) {
		return f.Addr().Interface().(sql.Scanner).Scan(src)
	}
	if f.Type() == timeType {
		n, ok := src.(int64)
		if !ok {
			return fmt.Errorf("%T is not a time in microseconds", src)
		}
		f.Set(reflect.ValueOf(time.UnixMicro(n).UTC()))
		return nil
	}
	switch f.Kind() {
	case reflect.Pointer:
		p := reflect.New(f.Type().Elem())
		if err := c.set(p.Elem(), src); err != nil {
			return err
		}
		f.Set(p)
		return nil
	case reflect.String:
		f.SetString(text(src))
		return nil
	case reflect.Bool:
		return setBool(f, src)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return setInt(f, src)
	case reflect.Float32, reflect.Float64:
		return setFloat(f, src)
	case reflect.Slice:
		if f.Type().Elem().Kind() == reflect.Uint8 {
			f.SetBytes([]byte(text(src)))
			return nil
		}
	}
	return fmt.Errorf("a %T does not fit a %s", src, f.Type())
}

func (c *cell) setJSON(f reflect.Value, src any) error {
	raw := []byte(text(src))
	if f.Type() == rawType {
		f.SetBytes(raw)
		return nil
	}
	return json.Unmarshal(raw, f.Addr().Interface())
}

func text(src any) string {
	switch v := src.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return fmt.Sprint(src)
}

func setBool(f reflect.Value, src any) error {
	switch v := src.(type) {
	case bool:
		f.SetBool(v)
	case int64:
		f.SetBool(v != 0)
	default:
		return fmt.Errorf("%T is not a boolean", src)
	}
	return nil
}

func setInt(f reflect.Value, src any) error {
	switch v := src.(type) {
	case int64:
		if f.OverflowInt(v) {
			return fmt.Errorf("%d does not fit %s", v, f.Type())
		}
		f.SetInt(v)
	case bool:
		if v {
			f.SetInt(1)
		}
	case string, []byte: // a sum in PostgreSQL is numeric, which arrives as text
		n, err := strconv.ParseInt(text(v), 10, 64)
		if err != nil {
			return err
		}
		f.SetInt(n)
	case float64:
		f.SetInt(int64(v))
	default:
		return fmt.Errorf("%T is not a whole number", src)
	}
	return nil
}

func setFloat(f reflect.Value, src any) error {
	switch v := src.(type) {
	case float64:
		f.SetFloat(v)
	case int64:
		f.SetFloat(float64(v))
	case string, []byte:
		n, err := strconv.ParseFloat(text(v), 64)
		if err != nil {
			return err
		}
		f.SetFloat(n)
	default:
		return fmt.Errorf("%T is not a number", src)
	}
	return nil
}

// badArgument fails the statement with the reason an argument could not be made.
type badArgument struct{ err error }

// Value reports the reason when the driver asks for the argument.
func (b badArgument) Value() (driver.Value, error) { return nil, b.err }
