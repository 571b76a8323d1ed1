package events

import (
	"context"
	"iter"
	"math"

	"github.com/fluxway/fluxway/internal/ids"
)

// scanLimit is how many facts one List looks at to find those that match.
const scanLimit = 20_000

// Query asks for stored facts, the oldest first.
type Query struct {
	Workspace ids.Workspace
	Channels  []string                  // patterns; none: all
	Kind      string                    // "": any
	After     int64                     // only facts with a greater cursor
	Limit     int                       // 0: 100, at most 500
	Allow     func(channel string) bool // nil: everything
}

// List is a piece of the log.
type List struct {
	Data    []Record `json:"data"`
	HasMore bool     `json:"has_more"`
	Next    int64    `json:"next_after"` // where to go on; the last cursor looked at
}

// List reads stored facts. A piece may hold fewer than the limit and still have
// more behind it, when only few facts match.
func (h *Hub) List(ctx context.Context, q Query) (List, error) {
	patterns, err := ParsePatterns(q.Channels...)
	if err != nil {
		return List{}, err
	}
	limit := limitOf(q.Limit)
	wanted := func(r *Record) bool { return selects(patterns, r.Channel, q.Allow) }
	// The row that After lies in may have nothing more of the kind, so one more is asked for.
	within := span{q.After, math.MaxInt64, q.Kind}
	if len(patterns) == 1 && patterns[0].Literal() {
		rows := records(ctx, h.db.Read(), within, selectChannel, q.Workspace, patterns[0].text, q.After, q.Kind, likeKind(q.Kind), limit+2)
		return collect(rows, limit, scanLimit, wanted)
	}
	prefix := ""
	if len(patterns) == 1 {
		prefix = patterns[0].prefix()
	}
	rows := records(ctx, h.db.Read(), within, selectFiltered,
		q.Workspace, q.After, q.Kind, likeKind(q.Kind), len(prefix), len(prefix), prefix, scanLimit+2)
	return collect(rows, limit, scanLimit, wanted)
}

// collect takes rows until it has enough or has looked at too many.
func collect(rows iter.Seq2[Record, error], limit, scan int, wanted func(*Record) bool) (List, error) {
	list := List{Data: []Record{}}
	for r, err := range rows {
		if err != nil {
			return List{}, err
		}
		if scan == 0 || len(list.Data) == limit {
			list.HasMore = true
			break
		}
		scan--
		list.Next = r.Cursor
		if wanted(&r) {
			list.Data = append(list.Data, r)
		}
	}
	return list, nil
}

// selects says whether a channel is among the patterns, or there are none, and
// is allowed.
func selects(patterns []Pattern, channel string, allow func(string) bool) bool {
	matched := len(patterns) == 0
	for _, p := range patterns {
		matched = matched || p.Match(channel)
	}
	return matched && (allow == nil || allow(channel))
}

func limitOf(n int) int {
	if n <= 0 {
		return 100
	}
	return min(n, 500)
}
