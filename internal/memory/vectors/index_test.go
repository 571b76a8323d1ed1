package vectors_test

import (
	"testing"

	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/memory/memorytest"
	"github.com/fluxway/fluxway/internal/memory/vectors"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func newIndex(t *testing.T) (*store.DB, memory.Index) {
	t.Helper()
	db := storetest.SQLite(t)
	index, err := vectors.New(vectors.Options{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	return db, index
}

func TestIndex(t *testing.T) {
	t.Parallel()
	memorytest.Index(t, newIndex)
}
