package memory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// embedKind is the job that gives texts their vectors.
const embedKind = "memory.embed"

// embedBatch is how many texts are embedded and written at a time: at first, and at most, for an embedder that takes less
// than embedTime for them.
const (
	embedBatch     = 64
	mostEmbedBatch = 512
	embedTime      = 200 * time.Millisecond
)

// embedders says whose vectors answer, and who is taking over.
type embedders struct {
	Serving  string `db:"serving"`
	Building string `db:"building"`
}

// serving is the embedder whose vectors answer questions; nil if this process does not have it.
func (m *Mind) serving(ctx context.Context) (Embedder, error) {
	row, err := store.One[embedders](ctx, m.db.Read(), selectEmbedders)
	if errors.Is(err, store.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return m.named(row.Serving), nil
}

// named is the embedder of that name; nil if it cannot be asked.
func (m *Mind) named(name string) Embedder {
	switch {
	case m.embedder != nil && m.embedder.Name() == name:
		return m.embedder
	case m.former == nil || name == "":
		return nil
	}
	return m.former(name)
}

// embedLater notes that texts wait, once they are committed.
func (m *Mind) embedLater(_ context.Context, tx *store.Tx) error {
	if m.embedder != nil {
		tx.AfterCommit(func() {
			m.waiting.Store(true)
			select {
			case m.wake <- struct{}{}:
			default:
			}
		})
	}
	return nil
}

// embedSoon queues the job if texts wait. They wait in their rows, so nothing
// is lost if this is never reached.
func (m *Mind) embedSoon(ctx context.Context) {
	if m.embedder == nil || !m.waiting.Load() {
		return
	}
	name := m.embedder.Name()
	some, err := store.One[bool](ctx, m.db.Read(), anyWaiting, name, name)
	if err == nil && !some {
		m.waiting.Store(false)
		if some, err = store.One[bool](ctx, m.db.Read(), anyWaiting, name, name); err == nil && !some { // one may have come between
			err = m.switched(ctx)
		}
	}
	if err == nil && some {
		m.waiting.Store(true)
		err = m.db.InTx(ctx, func(tx *store.Tx) error {
			_, err := m.queue.Enqueue(ctx, tx, jobs.Request{Kind: embedKind, Args: struct{}{}, UniqueKey: embedKind})
			return err
		})
	}
	if err != nil && ctx.Err() == nil {
		m.log.WarnContext(ctx, "texts not queued to be embedded", "part", "memory", "err", err)
	}
}

// switched makes the embedder serve when nothing is left to embed.
func (m *Mind) switched(ctx context.Context) error {
	row, err := store.One[embedders](ctx, m.db.Read(), selectEmbedders)
	if errors.Is(err, store.ErrNoRows) || err == nil && row.Serving == m.embedder.Name() {
		return nil
	}
	if err != nil {
		return err
	}
	return m.serve(ctx, m.embedder.Name())
}

// embedAll is the job: it embeds until nothing waits.
func (m *Mind) embedAll(ctx context.Context, task *jobs.Task) (any, error) {
	if m.embedder == nil {
		return nil, fault.New(fault.Conflict, "no_embedder", "There is no embedder.")
	}
	done, err := m.embedWaiting(ctx, func(done, total int64) error { return task.Progress(ctx, done, total, "embedding") })
	return map[string]int64{"embedded": done}, err
}

// embedWaiting embeds what waits, then has the embedder serve.
func (m *Mind) embedWaiting(ctx context.Context, progress func(done, total int64) error) (done int64, err error) {
	for last := ""; ; {
		if err := m.study(ctx); err != nil {
			return done, err
		}
		name := m.embedder.Name()
		if name == last { // what came meanwhile changed nothing about what words mean
			return done, nil
		}
		n, err := m.embedBy(ctx, name, progress)
		if done += n; err != nil {
			return done, err
		}
		last = name
	}
}

// embedBy embeds what the embedder of that name has not embedded.
func (m *Mind) embedBy(ctx context.Context, name string, progress func(done, total int64) error) (done int64, err error) {
	if err := m.takeOver(ctx, name); err != nil {
		return 0, err
	}
	total, err := store.One[int64](ctx, m.db.Read(), countWaiting, name)
	if err != nil {
		return 0, err
	}
	for batch := embedBatch; ; {
		rows, err := m.waitingTexts(ctx, name, batch)
		if err != nil {
			return done, err
		}
		if len(rows) == 0 {
			break
		}
		began := time.Now()
		if err := m.embed(ctx, rows); err != nil {
			return done, err
		}
		if time.Since(began) < embedTime {
			batch = min(2*batch, mostEmbedBatch)
		} else {
			batch = max(batch/2, embedBatch)
		}
		done += int64(len(rows))
		if err := progress(done, max(done, total)); err != nil {
			return done, err
		}
	}
	return done, m.serve(ctx, name)
}

// study lets an embedder that is made of the texts look at them.
func (m *Mind) study(ctx context.Context) error {
	l, ok := m.embedder.(Learner)
	if !ok {
		return nil
	}
	rows, err := store.All[ownedTexts](ctx, m.db.Read(), countByOwner)
	if err != nil {
		return err
	}
	owners := make([]Corpus, len(rows))
	for i, r := range rows {
		owners[i] = Corpus{Owner{r.Workspace, r.User}, r.Texts, store.Each[string](ctx, m.db.Read(), selectWordsOf, r.Workspace, r.User)}
	}
	if err := l.Learn(ctx, owners); err != nil {
		return fmt.Errorf("learning what words mean: %w", err)
	}
	return nil
}

// ownedTexts is how many texts an owner has.
type ownedTexts struct {
	Workspace ids.Workspace `db:"workspace_id"`
	User      ids.User      `db:"user_id"`
	Texts     int64         `db:"texts"`
}

// passages embeds texts, with what is known of their owners if that makes a difference.
func (m *Mind) passages(ctx context.Context, rows []text) ([][]float32, error) {
	bodies := make([]string, len(rows))
	owned := map[Owner][]int{}
	for i, r := range rows {
		bodies[i] = r.Text
		if r.Title != "" {
			bodies[i] = r.Title + "\n" + r.Text
		}
		owner := Owner{r.Workspace, r.User}
		owned[owner] = append(owned[owner], i)
	}
	own, ok := m.embedder.(OwnEmbedder)
	if !ok {
		return m.embedder.Embed(ctx, bodies, PassageText)
	}
	out := make([][]float32, len(rows))
	for owner, places := range owned {
		var texts []string
		for _, i := range places {
			texts = append(texts, bodies[i])
		}
		vectors, err := own.EmbedFor(ctx, owner, texts, PassageText)
		if err != nil {
			return nil, err
		}
		for n, i := range places {
			out[i] = vectors[n]
		}
	}
	return out, nil
}

// takeOver decides who answers while this embedder works: the one before, if
// there is any of its work and this process can still ask it.
func (m *Mind) takeOver(ctx context.Context, name string) error {
	return m.db.InTx(ctx, func(tx *store.Tx) error {
		row, err := store.One[embedders](ctx, tx, selectEmbedders)
		if err != nil && !errors.Is(err, store.ErrNoRows) {
			return err
		}
		if row.Serving == name {
			return nil
		}
		serving := name
		if m.named(row.Serving) != nil {
			some, err := store.One[bool](ctx, tx, anyOf, row.Serving)
			if err != nil {
				return err
			}
			if some {
				serving = row.Serving
			}
		}
		_, err = tx.Exec(ctx, upsertEmbedders, serving, name)
		return err
	})
}

func (m *Mind) waitingTexts(ctx context.Context, name string, limit int) ([]text, error) {
	rows, err := store.All[text](ctx, m.db.Read(), waitingBelow, name, limit)
	if err == nil && len(rows) < limit {
		var more []text
		more, err = store.All[text](ctx, m.db.Read(), waitingAbove, name, limit-len(rows))
		rows = append(rows, more...)
	}
	if err != nil {
		return nil, fmt.Errorf("listing texts without vectors: %w", err)
	}
	return rows, nil
}

// embed gives texts their vectors. One that was changed or dropped meanwhile is passed over.
func (m *Mind) embed(ctx context.Context, rows []text) error {
	vectors, err := m.passages(ctx, rows)
	if err != nil {
		return fmt.Errorf("embedding: %w", err)
	}
	if len(vectors) != len(rows) {
		return fmt.Errorf("embedding: %d vectors for %d texts", len(vectors), len(rows))
	}
	name := m.embedder.Name()
	nums := make([]int64, len(rows))
	for i, r := range rows {
		nums[i] = r.Num
	}
	return m.db.InTx(ctx, func(tx *store.Tx) error {
		marked, err := store.All[int64](ctx, tx, m.engine.marked, name, numberList(nums))
		if err != nil {
			return err
		}
		there := make(map[int64]bool, len(marked))
		for _, num := range marked {
			there[num] = true
		}
		found := map[Partition][]Vector{}
		for i, r := range rows {
			if there[r.Num] {
				part := Partition{Workspace: r.Workspace, Scope: r.Space, Embedder: name}
				found[part] = append(found[part], Vector{ID: r.ID, Values: vectors[i]})
			}
		}
		for part, list := range found {
			if err := m.index.Put(ctx, tx, part, list...); err != nil {
				return fmt.Errorf("keeping vectors: %w", err)
			}
		}
		return nil
	})
}

// serve makes an embedder's vectors answer, and removes those of all others.
func (m *Mind) serve(ctx context.Context, name string) error {
	owners, err := store.All[ids.Workspace](ctx, m.db.Read(), selectOwners)
	if err != nil {
		return err
	}
	var old []Partition
	for _, ws := range owners {
		sizes, err := m.index.Partitions(ctx, ws)
		if err != nil {
			return err
		}
		for _, s := range sizes {
			if s.Partition.Embedder != name {
				old = append(old, s.Partition)
			}
		}
	}
	err = m.db.InTx(ctx, func(tx *store.Tx) error {
		for _, part := range old {
			if err := m.index.Clear(ctx, tx, part); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, upsertEmbedders, name, name)
		return err
	})
	if err != nil {
		return fmt.Errorf("switching to %s: %w", name, err)
	}
	return nil
}
