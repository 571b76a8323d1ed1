package memory_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestPick(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	plain := newWorld(t, db, memory.Options{})
	clever := newWorld(t, storetest.SQLite(t), memory.Options{Index: indexOf(t, db), Embedder: thesaurus{name: "one"}})
	var said []memory.Said
	for i := range 40 {
		said = append(said, memory.Said{Text: fmt.Sprintf("We talked about topic number %d for a while", i), Tokens: 10})
	}
	said[0].Keep = true
	said[7].Text = "The spare key lies under the blue flowerpot"
	said[9].Text = "Her automobile needs new tyres"
	if got := plain.Pick(t.Context(), said[:5], "anything", memory.Window{Tokens: 1000}); len(got) != 5 {
		t.Errorf("all fit, and %v were picked", got)
	}
	got := plain.Pick(t.Context(), said, "Where is the spare key?", memory.Window{Tokens: 100})
	if len(got) != 10 || !slices.Contains(got, 0) || !slices.Contains(got, 7) || !slices.Contains(got, 39) || !slices.IsSorted(got) {
		t.Errorf("picked %v, want the kept, the relevant and the newest", got)
	}
	if got := plain.Pick(t.Context(), said, "and now?", memory.Window{Tokens: 60, Recent: 3}); !slices.Equal(got, []int{0, 35, 36, 37, 38, 39}) {
		t.Errorf("with nothing to go by picked %v, want the newest", got)
	}
	if got := clever.Pick(t.Context(), said, "the car", memory.Window{Tokens: 100}); !slices.Contains(got, 9) {
		t.Errorf("by meaning picked %v, want 9", got)
	}
}
