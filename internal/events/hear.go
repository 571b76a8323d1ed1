package events

import (
	"context"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
)

// Fact is a fact while it is being said.
type Fact struct {
	Workspace ids.Workspace
	Channel   string
	Kind      string
	Data      []byte // its JSON as subscribers get it, without secrets; not to be changed
}

// Hearer is told of facts. What it writes is committed with the fact or not at all; an error undoes both.
type Hearer func(ctx context.Context, tx *store.Tx, fact Fact) error

// Hear has f told of facts of some kinds in the transaction that says them with Append. It is for parts that owe
// something durable to every fact; all others subscribe. Call it before the first fact is said.
func (h *Hub) Hear(f Hearer, kinds ...string) {
	if h.hearers == nil {
		h.hearers = make(map[string][]Hearer, len(kinds))
	}
	for _, kind := range kinds {
		h.hearers[kind] = append(h.hearers[kind], f)
	}
}

func (h *Hub) hear(ctx context.Context, tx *store.Tx, items []queued) error {
	if h.hearers == nil {
		return nil
	}
	for _, q := range items {
		for _, f := range h.hearers[q.kind] {
			if err := f(ctx, tx, Fact{q.workspace, q.channel, q.kind, q.data}); err != nil {
				return err
			}
		}
	}
	return nil
}
