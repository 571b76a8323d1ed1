package events

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

const (
	maxAcks      = 1000 // cursors of one Ack
	redoAtOnce   = 64   // facts redelivered with one read
	ackScanLimit = 5000 // facts looked at by one PendingAcks
)

// Consumer is someone who acknowledges: a user, or a named program of one.
type Consumer struct {
	Workspace ids.Workspace
	Name      string
}

// Acked is what became of each acknowledgement.
type Acked struct {
	Acknowledged []int64 `json:"acknowledged"`
	Unknown      []int64 `json:"unknown"` // no such fact, or it needs no acknowledgement
}

// Ack acknowledges facts; doing it again changes nothing.
func (h *Hub) Ack(ctx context.Context, c Consumer, cursors ...int64) (Acked, error) {
	if len(cursors) > maxAcks {
		return Acked{}, fault.New(fault.Invalid, "too_many_acks", "At most %d events can be acknowledged at once.", maxAcks).
			WithParam("cursor").WithHint("Send several smaller requests.")
	}
	var result Acked
	err := h.db.InTx(ctx, func(tx *store.Tx) error {
		result = Acked{Acknowledged: []int64{}, Unknown: []int64{}}
		for _, cursor := range cursors {
			known, err := h.ack(ctx, tx, c, cursor)
			if err != nil {
				return err
			}
			if known {
				result.Acknowledged = append(result.Acknowledged, cursor)
			} else {
				result.Unknown = append(result.Unknown, cursor)
			}
		}
		return nil
	})
	if err != nil {
		return Acked{}, fmt.Errorf("acknowledging events: %w", err)
	}
	return result, nil
}

func (h *Hub) ack(ctx context.Context, tx *store.Tx, c Consumer, cursor int64) (known bool, err error) {
	n, err := tx.Exec(ctx, insertAck, c.Name, now(), c.Workspace, cursor)
	if err != nil || n > 0 {
		return n > 0, err
	}
	n, err = store.One[int64](ctx, tx, selectAcked, c.Workspace, c.Name, cursor)
	return n > 0, err
}

// AckQuery asks what a consumer has still to acknowledge.
type AckQuery struct {
	Consumer Consumer
	Channels []string                  // patterns; none: all that need acknowledgements
	Allow    func(channel string) bool // nil: everything
	After    int64                     // only facts with a greater cursor
	Limit    int                       // 0: 100, at most 500
}

// PendingAcks lists facts said since the consumer's first subscription that it
// has not acknowledged, the oldest first.
func (h *Hub) PendingAcks(ctx context.Context, q AckQuery) (List, error) {
	patterns, err := ParsePatterns(q.Channels...)
	if err != nil {
		return List{}, err
	}
	if len(patterns) == 0 {
		patterns = h.acks
	}
	since, err := store.One[int64](ctx, h.db.Read(), selectSince, q.Consumer.Workspace, q.Consumer.Name)
	if errors.Is(err, store.ErrNoRows) {
		return List{Data: []Record{}}, nil
	}
	if err != nil {
		return List{}, err
	}
	head, err := h.Head(ctx, q.Consumer.Workspace)
	if err != nil {
		return List{}, err
	}
	limit := limitOf(q.Limit)
	rows := records(ctx, h.db.Read(), behind(0), selectPending,
		q.Consumer.Workspace, max(since, q.After), head, q.Consumer.Name, ackScanLimit+1)
	return collect(rows, limit, ackScanLimit, func(r *Record) bool { return selects(patterns, r.Channel, q.Allow) })
}

// redo is what a consumer gets again because it was not acknowledged.
type redo struct {
	patterns    []Pattern
	after, upto int64
}

// startConsumer notes a consumer's first subscription and says what it gets
// again: the facts before those the subscription delivers anyway.
func (h *Hub) startConsumer(ctx context.Context, st *stream, consumer string, patterns []Pattern, after *int64) (*redo, error) {
	relevant := slices.ContainsFunc(patterns, func(p Pattern) bool {
		return slices.ContainsFunc(h.acks, p.overlaps)
	})
	if !relevant {
		return nil, nil
	}
	st.mu.RLock()
	start := st.tail
	st.mu.RUnlock()
	if after != nil {
		start = *after
	}
	since, err := store.One[int64](ctx, h.db.Read(), selectSince, st.ws, consumer)
	if errors.Is(err, store.ErrNoRows) {
		return nil, h.db.InTx(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(ctx, addConsumer, st.ws, consumer, start)
			return err
		})
	}
	if err != nil || since >= start {
		return nil, err
	}
	return &redo{patterns: patterns, after: since, upto: start}, nil
}

// pending reads the next facts to redeliver.
func (s *Subscription) pending(ctx context.Context) ([]Record, error) {
	r := &s.redo[0]
	var rows []Record
	for row, err := range records(ctx, s.hub.db.Read(), behind(0), selectPending, s.st.ws, r.after, r.upto, s.consumer, redoAtOnce) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	if len(rows) < redoAtOnce {
		defer func() { s.redo = s.redo[1:] }()
	} else {
		r.after = rows[len(rows)-1].Cursor
	}
	return slices.DeleteFunc(rows, func(row Record) bool { return !selects(r.patterns, row.Channel, s.allow) }), nil
}

// redeliver queues frames of facts that were not acknowledged, once those
// before them are gone.
func (s *Subscription) redeliver(ctx context.Context) error {
	s.mu.Lock()
	busy := len(s.out) > 0
	s.mu.Unlock()
	if busy {
		return nil
	}
	rows, err := s.pending(ctx)
	if err != nil {
		return fmt.Errorf("reading events to redeliver: %w", err)
	}
	for i := range rows {
		m := rows[i].message()
		s.own(Frame(appendEnvelope(nil, &m, true)))
	}
	return nil
}

// pruneAcks moves each consumer past what it has acknowledged, so that
// acknowledgements need not be kept one by one.
func (h *Hub) pruneAcks(ctx context.Context) error {
	type row struct {
		Workspace ids.Workspace `db:"workspace_id"`
		Name      string        `db:"consumer"`
		Since     int64         `db:"since"`
	}
	consumers, err := store.All[row](ctx, h.db.Read(), selectConsumers)
	if err != nil {
		return err
	}
	for _, c := range consumers {
		// The head first: a fact said after it cannot be passed by.
		head, err := h.Head(ctx, c.Workspace)
		if err != nil {
			return err
		}
		first, err := store.One[int64](ctx, h.db.Read(), selectFirstPending, c.Workspace, c.Since, c.Name)
		if err != nil {
			return err
		}
		since := head
		if first > 0 {
			since = min(head, first-1)
		}
		if since <= c.Since {
			continue
		}
		err = h.db.InTx(ctx, func(tx *store.Tx) error {
			if _, err := tx.Exec(ctx, moveSince, since, c.Workspace, c.Name, since); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, deleteAcks, c.Workspace, c.Name, since)
			return err
		})
		if err != nil {
			return fmt.Errorf("tidying acknowledgements: %w", err)
		}
	}
	return nil
}
