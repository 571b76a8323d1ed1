package events_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/postgres"
	"github.com/fluxway/fluxway/internal/store/sqlite"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// both runs test on two handles of one database of each kind, as two processes
// would have.
func both(t *testing.T, test func(t *testing.T, a, b *store.DB)) {
	second := func(t *testing.T, open func() (*store.Engine, error)) *store.DB {
		t.Helper()
		engine, err := open()
		if err != nil {
			t.Fatal(err)
		}
		db, err := store.New(store.Options{Engine: engine})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		return db
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		a := storetest.SQLite(t)
		test(t, a, second(t, func() (*store.Engine, error) { return sqlite.Open(a.Engine().Path) }))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		url := storetest.PostgresURL(t)
		open := func() (*store.Engine, error) { return postgres.Open(url) }
		test(t, second(t, open), second(t, open))
	})
}

// reader is a subscriber that disconnects and comes back with its cursor.
type reader struct {
	ws     ids.Workspace
	hub    *events.Hub
	random *rand.Rand
	want   int64
}

// pull reads with Next, in connections of random length.
func (r *reader) pull(ctx context.Context) error {
	cursor := int64(0)
	for cursor < r.want {
		sub, err := r.hub.Subscribe(ctx, events.Request{Workspace: r.ws, Channels: []string{"a/*", "b/**"}, After: &cursor})
		if err != nil {
			return err
		}
		for range r.random.IntN(5) + 1 {
			if cursor == r.want {
				break
			}
			b, err := sub.Next(ctx)
			if err != nil {
				return err
			}
			for _, d := range b.Deliveries {
				if d.Cursor != cursor+1 {
					return fmt.Errorf("cursor %d follows %d", d.Cursor, cursor)
				}
				cursor++
			}
		}
		sub.Close()
	}
	return nil
}

// push reads through a sink that is full again and again.
func (r *reader) push(ctx context.Context) error {
	cursor := int64(0)
	for cursor < r.want {
		sink := &picky{random: rand.New(rand.NewPCG(r.random.Uint64(), 1)), cursor: cursor, stop: cursor + 1 + r.random.Int64N(r.want-cursor), done: make(chan error, 1)}
		after := cursor
		sub, err := r.hub.Subscribe(ctx, events.Request{Workspace: r.ws, Channels: []string{"**"}, After: &after, Sink: sink})
		if err != nil {
			return err
		}
		sink.sub.Store(sub)
		sub.Ready()
		select {
		case err = <-sink.done:
		case <-ctx.Done():
			err = fmt.Errorf("%w at cursor %d of %d", ctx.Err(), sink.at(), r.want)
		}
		sub.Close()
		if err != nil {
			return err
		}
		cursor = sink.at()
	}
	return nil
}

func TestEveryoneSeesEveryFactOnceInOrder(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, dbA, dbB *store.DB) {
		const writers, each, readers = 6, 40, 4
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		ws := storetest.Workspace()
		// Small sizes make frames leave memory while they are read.
		options := events.Options{LogBytes: 12 << 10, BatchBytes: 1 << 10, HeadCheck: 5 * time.Millisecond}
		var hubs [2]*events.Hub
		dbs := [2]*store.DB{dbA, dbB}
		for i := range hubs {
			options.DB = dbs[i]
			hubs[i] = eventstest.Run(t, options)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var wg sync.WaitGroup
		for i := range writers {
			wg.Go(func() {
				random := rand.New(rand.NewPCG(seed, uint64(i)))
				db, hub := dbs[i%2], hubs[i%2]
				for n := range each {
					err := db.InTx(ctx, func(tx *store.Tx) error {
						return hub.Append(ctx, tx, ws, fmt.Sprintf("%c/%d", 'a'+rune(random.IntN(2)), i), said{N: n, Text: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}, said{N: n})
					})
					if err != nil {
						t.Errorf("append: %v", err)
						return
					}
				}
			})
		}
		for i := range readers {
			wg.Go(func() {
				r := reader{ws, hubs[i%2], rand.New(rand.NewPCG(seed, uint64(100+i))), writers * each * 2}
				err := r.pull(ctx)
				if err == nil {
					err = r.push(ctx)
				}
				if err != nil {
					t.Errorf("reader %d: %v", i, err)
				}
			})
			wg.Go(func() {
				r := reader{ws, hubs[i%2], rand.New(rand.NewPCG(seed, uint64(200+i))), writers * each * 2}
				if err := r.push(ctx); err != nil {
					t.Errorf("sink reader %d: %v", i, err)
				}
			})
		}
		wg.Wait()
	})
}
