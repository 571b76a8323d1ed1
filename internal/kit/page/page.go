// Package page is the one shape of a list that is read in pieces.
//
// In:    a Query: how many, and after which cursor.
// Out:   a Page: the rows, whether there are more, and the cursor of the next piece.
// Keeps: nothing. Says: nothing.
// Not here: the SQL (each part's sql.go seeks by the key the cursor holds).
package page

import (
	"encoding/base64"
	"encoding/json"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// DefaultLimit and MaxLimit bound the rows of one page.
const (
	DefaultLimit = 50
	MaxLimit     = 500
)

// Query asks for one page. The zero value is the first page of the usual size.
type Query struct {
	Limit  int    `json:"limit,omitempty" doc:"How many rows at the most, 1 to 500; 50 if left out."`
	Cursor string `json:"cursor,omitempty" doc:"next_cursor of the page before."`
}

// Size is the limit within its bounds.
func (q Query) Size() int {
	if q.Limit <= 0 {
		return DefaultLimit
	}
	return min(q.Limit, MaxLimit)
}

// Page is one piece of a list.
type Page[T any] struct {
	Data       []T    `json:"data"`
	HasMore    bool   `json:"has_more"`
	NextCursor string `json:"next_cursor,omitempty"`
}

// Of cuts rows, read with one more than the limit, into a page. key gives what
// the cursor must hold to continue behind a row.
func Of[T, K any](q Query, rows []T, key func(T) K) Page[T] {
	p := Page[T]{Data: rows}
	if len(rows) > q.Size() {
		p.Data, p.HasMore = rows[:q.Size()], true
		p.NextCursor = Encode(key(p.Data[len(p.Data)-1]))
	}
	if p.Data == nil {
		p.Data = []T{}
	}
	return p
}

// Encode makes an opaque cursor of a key.
func Encode[K any](key K) string {
	text, err := json.Marshal(key)
	if err != nil { // keys are strings, numbers or small structs of them
		panic("page: key cannot be encoded: " + err.Error())
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// Decode reads the key out of a cursor. ok is false for the first page.
func Decode[K any](cursor string) (key K, ok bool, err error) {
	if cursor == "" {
		return key, false, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(text, &key)
	}
	if err != nil {
		return key, false, fault.New(fault.Invalid, "bad_cursor", "The cursor cannot be read.").
			WithParam("cursor").WithHint("Use next_cursor exactly as an earlier page gave it, or leave it out to start again.")
	}
	return key, true, nil
}
