package events

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"iter"
	"math"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/store"
)

// Facts of a channel that follow each other in a commit share a row: a row costs more than what is said in it.
const (
	maxJoined   = 64       // facts of a row; rows that are longer would not be found
	joinedBytes = 16 << 10 // about, of those that share one
)

// row holds facts as the table does: their kinds in one text with a space between, their data in one with a newline.
type row struct {
	cursor   int64 // of the last
	facts    int
	channel  string
	kinds    string
	class    string
	needsAck int // one fact then, since each is acknowledged by itself
	at       time.Time
	data     string
}

// rows puts the facts of a commit, in their order, into rows.
func (h *Hub) rows(ms []message) []row {
	var all []row
	var kinds, data strings.Builder
	for len(ms) > 0 {
		first := &ms[0]
		r := row{channel: first.channel, class: h.classOf(first.channel), at: first.at, facts: 1}
		if h.needsAck(first.channel) {
			r.needsAck = 1
		} else {
			r.facts = joined(ms)
		}
		if r.facts == 1 {
			r.kinds, r.data = first.kind, string(first.data)
		} else {
			kinds.Reset()
			data.Reset()
			size := 0
			for i := range ms[:r.facts] {
				size += len(ms[i].data) + 1
			}
			data.Grow(size)
			kinds.Grow(r.facts * (len(first.kind) + 4))
			for i := range ms[:r.facts] {
				if i > 0 {
					kinds.WriteByte(' ')
					data.WriteByte('\n')
				}
				kinds.WriteString(ms[i].kind)
				data.Write(ms[i].data)
			}
			r.kinds, r.data = kinds.String(), data.String()
		}
		r.cursor = ms[r.facts-1].cursor
		all = append(all, r)
		ms = ms[r.facts:]
	}
	return all
}

// joined is how many of the facts share a row, from the first on.
func joined(ms []message) int {
	size := 0
	for i := range ms[:min(len(ms), maxJoined)] {
		m := &ms[i]
		if size += len(m.data); i > 0 && (size > joinedBytes || m.channel != ms[0].channel) {
			return i
		}
		if bytes.IndexByte(m.data, '\n') >= 0 {
			return max(i, 1)
		}
	}
	return min(len(ms), maxJoined)
}

// span is which facts of the rows that a statement finds are wanted.
type span struct {
	after, upto int64
	kind        string // "": any
}

func behind(cursor int64) span { return span{after: cursor, upto: math.MaxInt64} }

// reach is where the rows end that can hold facts up to a cursor.
func reach(upto int64) int64 { return min(upto, math.MaxInt64-maxJoined) + maxJoined - 1 }

// likeKind is the pattern of the kinds of a row that has a fact of the kind.
func likeKind(kind string) string {
	return "% " + strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(kind) + " %"
}

// records reads facts one by one. Replay reads very many, so this scans without
// reflection and keeps one copy of names that repeat.
func records(ctx context.Context, q store.Querier, within span, query string, args ...any) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		rows, err := q.Query(ctx, query, args...)
		if err != nil {
			yield(Record{}, fmt.Errorf("%.60q: %w", query, err))
			return
		}
		defer rows.Close()
		var (
			channel, kinds, data sql.RawBytes
			last, facts, micros  int64
			r                    Record
		)
		for rows.Next() {
			if err := rows.Scan(&last, &facts, &channel, &kinds, &micros, &data); err != nil {
				yield(Record{}, err)
				return
			}
			if string(channel) != r.Channel {
				r.Channel = string(channel)
			}
			r.At = time.UnixMicro(micros).UTC()
			for r.Cursor = last - facts + 1; r.Cursor <= last; r.Cursor++ {
				kind, text := []byte(kinds), []byte(data)
				if facts > 1 {
					kind, kinds, _ = bytes.Cut(kinds, []byte{' '})
					text, data, _ = bytes.Cut(data, []byte{'\n'})
				}
				if r.Cursor <= within.after || r.Cursor > within.upto || within.kind != "" && within.kind != string(kind) {
					continue
				}
				if string(kind) != r.Kind {
					r.Kind = string(kind)
				}
				r.Data = bytes.Clone(text)
				if !yield(r, nil) {
					return
				}
			}
		}
		if err := rows.Err(); err != nil {
			yield(Record{}, err)
		}
	}
}
