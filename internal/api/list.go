package api

import "github.com/fluxway/fluxway/internal/kit/page"

// listQuery asks for one page of a list.
type listQuery struct {
	page.Query `query:"inline" json:"-"`
}

// pieceOf cuts a page out of a list that a part gives whole; key names a row.
// A row that is gone by the time the next page is asked for ends the list.
func pieceOf[T any](q listQuery, rows []T, err error, key func(T) string) (page.Page[T], error) {
	if err != nil {
		return page.Page[T]{}, err
	}
	after, ok, err := page.Decode[string](q.Cursor)
	if err != nil {
		return page.Page[T]{}, err
	}
	if ok {
		rest := []T{}
		for i, row := range rows {
			if key(row) == after {
				rest = rows[i+1:]
			}
		}
		rows = rest
	}
	return page.Of(q.Query, rows, key), nil
}

// whole is a list that is always short enough for one page.
func whole[T any](rows []T, err error) (page.Page[T], error) {
	if rows == nil {
		rows = []T{}
	}
	return page.Page[T]{Data: rows}, err
}
