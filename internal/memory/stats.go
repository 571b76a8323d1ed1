package memory

import (
	"context"
	"fmt"

	"github.com/fluxway/fluxway/internal/store"
)

// Stats is how much someone's memory holds, and by which means it is found.
type Stats struct {
	Facts    map[State]int64 `json:"facts"`
	Texts    map[Kind]int64  `json:"texts"`              // what can be found
	Serving  string          `json:"serving,omitempty"`  // the embedder that answers; "": words alone
	Building string          `json:"building,omitempty"` // the embedder that is taking over
	Waiting  int64           `json:"waiting"`            // texts of the server without a vector
	Vectors  int64           `json:"vectors"`            // of the workspace
}

// Stats counts what someone may see.
func (m *Mind) Stats(ctx context.Context, o Owner) (Stats, error) {
	s := Stats{Facts: map[State]int64{}, Texts: map[Kind]int64{}}
	facts, err := store.All[counted](ctx, m.db.Read(), countFacts, o.Workspace, o.User)
	if err != nil {
		return s, fmt.Errorf("counting facts: %w", err)
	}
	for _, c := range facts {
		s.Facts[State(c.Name)] = c.N
	}
	texts, err := store.All[counted](ctx, m.db.Read(), countTexts, o.Workspace, o.User)
	if err != nil {
		return s, fmt.Errorf("counting texts: %w", err)
	}
	for _, c := range texts {
		s.Texts[Kind(c.Name)] = c.N
	}
	if m.embedder == nil {
		return s, nil
	}
	rows, err := store.All[embedders](ctx, m.db.Read(), selectEmbedders)
	if err != nil {
		return s, err
	}
	for _, row := range rows {
		s.Serving = row.Serving
		if row.Building != row.Serving {
			s.Building = row.Building
		}
	}
	if s.Waiting, err = store.One[int64](ctx, m.db.Read(), countWaiting, m.embedder.Name()); err != nil {
		return s, err
	}
	sizes, err := m.index.Partitions(ctx, o.Workspace)
	for _, size := range sizes {
		s.Vectors += size.Vectors
	}
	return s, err
}

type counted struct {
	Name string `db:"name"`
	N    int64  `db:"n"`
}
