package events

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"iter"
	"time"

	"github.com/fluxway/fluxway/internal/store"
)

// records reads facts one by one. Replay reads very many, so this scans without
// reflection and keeps one copy of names that repeat.
func records(ctx context.Context, q store.Querier, query string, args ...any) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		rows, err := q.Query(ctx, query, args...)
		if err != nil {
			yield(Record{}, fmt.Errorf("%.60q: %w", query, err))
			return
		}
		defer rows.Close()
		var (
			channel, kind, data sql.RawBytes
			micros              int64
			r                   Record
		)
		for rows.Next() {
			if err := rows.Scan(&r.Cursor, &channel, &kind, &micros, &data); err != nil {
				yield(Record{}, err)
				return
			}
			if string(channel) != r.Channel {
				r.Channel = string(channel)
			}
			if string(kind) != r.Kind {
				r.Kind = string(kind)
			}
			r.At, r.Data = time.UnixMicro(micros).UTC(), bytes.Clone(data)
			if !yield(r, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(Record{}, err)
		}
	}
}
