package events_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 64} {
		b.Run(fmt.Sprint(writers, " writers"), func(b *testing.B) {
			db := storetest.SQLite(b)
			hub, ws := eventstest.New(b, db), storetest.Workspace()
			work := make(chan struct{}, b.N)
			for range b.N {
				work <- struct{}{}
			}
			close(work)
			var wg sync.WaitGroup
			for range writers {
				wg.Go(func() {
					ctx := context.Background()
					for range work {
						err := db.InTx(ctx, func(tx *store.Tx) error {
							return hub.Append(ctx, tx, ws, "runs/run_1", said{N: 1, Text: "a piece of news of a usual size"})
						})
						if err != nil {
							b.Error(err)
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// BenchmarkFanout delivers bursts to 10,000 subscribers that take everything.
func BenchmarkFanout(b *testing.B) {
	const subscribers = 10_000
	for _, channels := range []string{"**", "runs/run_1"} {
		for _, burst := range []int{1, 8, 32} {
			b.Run(fmt.Sprint(channels, " burst ", burst), func(b *testing.B) {
				db := storetest.SQLite(b)
				hub, ws := eventstest.New(b, db), storetest.Workspace()
				sink, before := newCounter(0), heap()
				for range subscribers {
					sub, err := hub.Subscribe(context.Background(), events.Request{Workspace: ws, Channels: []string{channels}, Sink: sink})
					if err != nil {
						b.Fatal(err)
					}
					defer sub.Close()
				}
				each := float64(heap()-before) / subscribers
				for b.Loop() {
					sink.frames.Store(0)
					sink.want.Store(int64(burst) * subscribers)
					for range burst {
						hub.Publish(ws, "runs/run_1", said{N: 1, Text: "a piece of news of a usual size"})
					}
					if got := sink.wait(b); got != int64(burst)*subscribers {
						b.Fatalf("%d of %d", got, burst*subscribers)
					}
				}
				b.ReportMetric(float64(b.N)*subscribers*float64(burst)/b.Elapsed().Seconds(), "deliveries/s")
				b.ReportMetric(each, "B/subscriber")
			})
		}
	}
}

// BenchmarkReplay reads a million facts, from memory and from the database.
func BenchmarkReplay(b *testing.B) {
	const facts = 1_000_000
	for name, bytes := range map[string]int64{"memory": 1 << 30, "database": 1 << 20} {
		b.Run(name, func(b *testing.B) {
			db := storetest.SQLite(b)
			hub := eventstest.Run(b, events.Options{DB: db, LogBytes: bytes, TotalBytes: 1 << 30})
			ws, ctx := storetest.Workspace(), context.Background()
			subscribe(b, hub, ws, newCounter(0)) // so that there is a log
			some := make([]events.Event, 1000)
			for i := range some {
				some[i] = said{N: i, Text: "a piece of news of a usual size"}
			}
			for range facts / len(some) {
				eventstest.Append(b, db, hub, ws, "runs/run_1", some...)
			}
			for b.Loop() {
				sink, start := newCounter(facts), int64(0)
				sub, err := hub.Subscribe(ctx, events.Request{Workspace: ws, Channels: []string{"runs/*"}, After: &start, Sink: sink})
				if err != nil {
					b.Fatal(err)
				}
				if got := sink.wait(b); got != facts {
					b.Fatalf("%d of %d", got, facts)
				}
				sub.Close()
			}
			b.ReportMetric(float64(b.N)*facts/b.Elapsed().Seconds(), "events/s")
		})
	}
}
