package memory_test

import (
	"slices"
	"testing"

	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// TestMovingBetweenEngines takes a memory from SQLite to PostgreSQL and back, as backup, restore and migrate do.
func TestMovingBetweenEngines(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	file, server := storetest.SQLite(t), storetest.Postgres(t)
	asked := 0
	e := thesaurus{name: "one", asked: &asked}
	w := newWorld(t, file, memory.Options{Index: indexOf(t, file), Embedder: e})
	w.add(w.anna, "The user's automobile is green")
	w.add(w.bert, "The user's physician is called Weber")
	w.embed()
	embedded := asked
	from := file
	for _, to := range []*store.DB{server, storetest.SQLite(t)} {
		backup := t.TempDir() + "/all.fluxway-backup"
		_, err := from.Backup(ctx, store.BackupOptions{Path: backup})
		must(t, err)
		_, err = to.Restore(ctx, store.RestoreOptions{Path: backup})
		must(t, err)
		done, err := memory.CopyVectors(ctx, memory.Shelf{DB: from, Index: indexOf(t, from)}, memory.Shelf{DB: to, Index: indexOf(t, to)}, func(memory.Copied) {})
		must(t, err)
		if done.Vectors != 2 || done.Skipped != 0 {
			t.Errorf("to %s: copied %+v", to.Engine().Name, done)
		}
		there := newWorld(t, to, memory.Options{Index: indexOf(t, to), Embedder: e})
		there.anna, there.bert = w.anna, w.bert
		if got := first(there.find(w.anna, "car")); got != "The user's automobile is green" {
			t.Errorf("in %s: found %q", to.Engine().Name, got)
		}
		if got := there.find(w.bert, "car"); slices.Contains(got, "The user's automobile is green") {
			t.Errorf("in %s: someone else found %v", to.Engine().Name, got)
		}
		if n, err := there.EmbedNow(ctx); err != nil || n != 0 {
			t.Errorf("in %s: %d texts were embedded again, %v", to.Engine().Name, n, err)
		}
		from = to
	}
	if asked-embedded != 4 {
		t.Errorf("%d texts were embedded, want the four questions", asked-embedded)
	}
}
