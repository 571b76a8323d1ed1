package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/memory/lsi"
	"github.com/fluxway/fluxway/internal/memory/pgvector"
	"github.com/fluxway/fluxway/internal/memory/vectors"
)

// openVectors builds what memory finds things by meaning with: both, or
// neither where it has to do with words.
func (a *App) openVectors(ctx context.Context) (memory.Index, memory.Embedder, error) {
	embedder, err := a.memoryEmbedder()
	if embedder == nil || err != nil {
		return nil, nil, err
	}
	if _, made := embedder.(*lsi.Embedder); !made { // what is made of the texts themselves cannot judge others
		a.embedder = embedder
	}
	if a.db.Engine().Name != "postgres" {
		index, err := vectors.New(vectors.Options{DB: a.db})
		return index, embedder, err
	}
	index, err := pgvector.New(pgvector.Options{DB: a.db})
	if err != nil {
		return nil, nil, err
	}
	err = index.Prepare(ctx)
	var missing *fault.Fault
	switch {
	case errors.As(err, &missing) && missing.Code == pgvector.Missing:
		a.log.WarnContext(ctx, "memory is searched by words alone", "part", "memory", "err", err)
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	}
	return index, embedder, a.keepTuned(ctx, index)
}

const tuneKind = "memory.tune"

// keepTuned gives large partitions their graphs, now and then.
func (a *App) keepTuned(ctx context.Context, index *pgvector.Index) error {
	err := a.queue.Define(jobs.Kind{Name: tuneKind, Concurrency: 1, Run: func(ctx context.Context, _ *jobs.Task) (any, error) {
		tuned, err := index.Tune(ctx)
		return map[string]int{"tuned": tuned}, err
	}})
	if err != nil {
		return err
	}
	if err := a.queue.KeepSchedule(ctx, jobs.Schedule{Name: "memory tuning", Kind: tuneKind, Cron: "@hourly", TimeZone: "UTC", Enabled: true}); err != nil {
		return fmt.Errorf("keeping the schedule of tuning: %w", err)
	}
	return nil
}
