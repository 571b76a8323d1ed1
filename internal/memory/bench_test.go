package memory_test

import (
	"fmt"
	"testing"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// BenchmarkRecall is what recalling costs before a turn, by words, in a store of a thousand facts.
func BenchmarkRecall(b *testing.B) {
	db := storetest.SQLite(b)
	hub, err := events.New(events.Options{DB: db})
	if err != nil {
		b.Fatal(err)
	}
	queue, err := jobs.New(jobs.Options{DB: db, Hub: hub, Worker: "bench", Sole: true})
	if err != nil {
		b.Fatal(err)
	}
	m, err := memory.New(memory.Options{DB: db, Hub: hub, Jobs: queue})
	if err != nil {
		b.Fatal(err)
	}
	o := memory.Owner{Workspace: storetest.Workspace(), User: ids.New[ids.User]()}
	for i := range 1000 {
		if _, err := m.Add(b.Context(), o, memory.NewFact{Scope: memory.Scope{User: o.User}, Text: fmt.Sprintf("Shelf %d in hall %d holds %d boxes of screws", i, i%7, i%31)}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := m.Recall(b.Context(), memory.Query{Workspace: o.Workspace, User: o.User, Agent: "assistant", Text: "How many boxes of screws are on shelf 42 in hall 0?"}); err != nil {
			b.Fatal(err)
		}
	}
}
